package dev.holdfast.cli.root;

import dev.holdfast.cli.output.ExitCode;
import dev.holdfast.cli.output.PlainText;
import dev.holdfast.ticket.HoldfastException;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.IExecutionExceptionHandler;
import picocli.CommandLine.IParameterExceptionHandler;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.UnmatchedArgumentException;

/** Turns any failure into one line and an exit code. */
public record CommandErrors(HoldfastCommand root)
    implements IParameterExceptionHandler, IExecutionExceptionHandler {
  @Override
  public int handleParseException(ParameterException e, String[] arguments) {
    String command = e.getCommandLine().getCommandSpec().qualifiedName();
    print(PlainText.oneLine(e.getMessage()) + suggestion(e) + "; see: " + command + " --help", e);
    return ExitCode.WRONG_USAGE;
  }

  @Override
  public int handleExecutionException(Exception e, CommandLine command, ParseResult result) {
    if (e instanceof HoldfastException) {
      print(PlainText.oneLine(e.getMessage()), e);
    } else {
      print(
          "unexpected "
              + PlainText.oneLine(e)
              + "; run it again with --verbose for the stack trace",
          e);
    }
    return ExitCode.of(e);
  }

  private static String suggestion(ParameterException e) {
    List<String> suggestions =
        e instanceof UnmatchedArgumentException unmatched ? unmatched.getSuggestions() : List.of();
    return suggestions.isEmpty() ? "" : "; did you mean " + String.join(" or ", suggestions) + "?";
  }

  private void print(String line, Exception e) {
    root.terminal().out().flush();
    root.terminal().err().println("holdfast: " + line);
    if (root.verbose()) {
      e.printStackTrace(root.terminal().err());
    }
    root.terminal().err().flush();
  }
}
