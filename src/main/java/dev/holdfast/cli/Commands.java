package dev.holdfast.cli;

import dev.holdfast.cli.admin.BudgetsCommand;
import dev.holdfast.cli.admin.DesignCommand;
import dev.holdfast.cli.admin.DoctorCommand;
import dev.holdfast.cli.admin.MigrateCommand;
import dev.holdfast.cli.admin.ProvidersCommand;
import dev.holdfast.cli.admin.TokenCommand;
import dev.holdfast.cli.batch.BatchCommand;
import dev.holdfast.cli.inspect.ClassifyCommand;
import dev.holdfast.cli.inspect.ListCommand;
import dev.holdfast.cli.inspect.LogsCommand;
import dev.holdfast.cli.inspect.RunsCommand;
import dev.holdfast.cli.inspect.ShowCommand;
import dev.holdfast.cli.inspect.StatsCommand;
import dev.holdfast.cli.inspect.WatchCommand;
import dev.holdfast.cli.limit.LimitCommand;
import dev.holdfast.cli.mcp.McpCommand;
import dev.holdfast.cli.output.ExitCode;
import dev.holdfast.cli.output.Terminal;
import dev.holdfast.cli.output.UsageException;
import dev.holdfast.cli.root.CommandErrors;
import dev.holdfast.cli.root.CompletionCommand;
import dev.holdfast.cli.root.HelpCommand;
import dev.holdfast.cli.root.HoldfastCommand;
import dev.holdfast.cli.root.UsageHelp;
import dev.holdfast.cli.schedule.ScheduleCommand;
import dev.holdfast.cli.ticket.AbortRetryCommand;
import dev.holdfast.cli.ticket.AnswerCommand;
import dev.holdfast.cli.ticket.AutoRetryCommand;
import dev.holdfast.cli.ticket.EnqueueCommand;
import dev.holdfast.cli.ticket.QueueCommands;
import dev.holdfast.cli.ticket.ReleaseCommand;
import dev.holdfast.cli.ticket.ReplayCommand;
import dev.holdfast.cli.ticket.TicketChanges;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import picocli.CommandLine;
import picocli.CommandLine.Help;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.RunLast;
import picocli.CommandLine.UnmatchedArgumentException;

/**
 * All commands by name. Only the one that was asked for is made, because reading annotations takes
 * time.
 */
public final class Commands {
  /** The commands that describe the others. */
  private static final Set<String> NEED_ALL = Set.of("help", "completion");

  private final Map<String, Function<HoldfastCommand, Object>> makers = new LinkedHashMap<>();

  /** Registers the one-shot commands. */
  public Commands() {
    makers.put("migrate", MigrateCommand::new);
    makers.put("design", DesignCommand::with);
    makers.put("schedule", ScheduleCommand::with);
    makers.put("batch", BatchCommand::with);
    makers.put("limit", LimitCommand::with);
    makers.put("enqueue", EnqueueCommand::new);
    makers.put("list", ListCommand::new);
    makers.put("show", ShowCommand::new);
    makers.put("watch", WatchCommand::new);
    makers.put("logs", LogsCommand::new);
    makers.put("release", ReleaseCommand::with);
    makers.put("answer", AnswerCommand::new);
    makers.put("replay", ReplayCommand::new);
    makers.put("hold", TicketChanges::hold);
    makers.put("cancel", TicketChanges::cancel);
    makers.put("approve", TicketChanges::approve);
    makers.put("reject", TicketChanges::reject);
    makers.put("pause", QueueCommands::pause);
    makers.put("resume", QueueCommands::resume);
    makers.put("abort-retry", AbortRetryCommand::new);
    makers.put("auto-retry", AutoRetryCommand::new);
    makers.put("providers", ProvidersCommand::with);
    makers.put("budgets", BudgetsCommand::with);
    makers.put("stats", StatsCommand::new);
    makers.put("runs", RunsCommand::with);
    makers.put("doctor", DoctorCommand::new);
    makers.put("classify", ClassifyCommand::new);
    makers.put("token", TokenCommand::new);
    makers.put("mcp", McpCommand::new);
    makers.put("completion", CompletionCommand::new);
    makers.put("help", HelpCommand::new);
  }

  /** Adds a command that is implemented elsewhere. */
  public Commands with(String name, Function<HoldfastCommand, Object> maker) {
    makers.put(name, maker);
    return this;
  }

  /** Runs one command line; every error is one line on the terminal's err. */
  public int run(HoldfastCommand root, String... arguments) {
    Terminal terminal = root.terminal();
    try {
      int code = commandLine(root, arguments).execute(arguments);
      terminal.out().flush();
      String problem = terminal.problem().get();
      if (problem.isEmpty()) {
        return code;
      }
      terminal.progress("holdfast: cannot write the output: " + problem);
      return code == ExitCode.DONE ? ExitCode.FAILED : code;
    } finally {
      terminal.out().flush();
      terminal.err().flush();
    }
  }

  CommandLine commandLine(HoldfastCommand root, String... arguments) {
    CommandLine line = new CommandLine(root);
    String first = arguments.length == 0 ? "" : arguments[0];
    makers.forEach(
        (name, maker) -> {
          if (!makers.containsKey(first) || NEED_ALL.contains(first) || first.equals(name)) {
            line.addSubcommand(name, maker.apply(root));
          }
        });
    UsageHelp.layOut(line);
    CommandErrors errors = new CommandErrors(root);
    return line.setOut(root.terminal().out())
        .setErr(root.terminal().err())
        .setExpandAtFiles(false)
        .setExecutionStrategy(parsed -> coloured(line, root).execute(known(parsed)))
        .setParameterExceptionHandler(errors)
        .setExecutionExceptionHandler(errors);
  }

  /**
   * Refuses an unknown command: the parser requires no command where help is wanted, and there is
   * no help for a command that does not exist.
   */
  private static ParseResult known(ParseResult parsed) {
    ParseResult last = parsed;
    while (last.hasSubcommand()) {
      last = last.subcommand();
    }
    boolean group = !last.commandSpec().subcommands().isEmpty();
    if (group && last.isUsageHelpRequested() && !last.unmatched().isEmpty()) {
      throw new UnmatchedArgumentException(last.commandSpec().commandLine(), last.unmatched());
    }
    return parsed;
  }

  /** Colours help as results are coloured. */
  private static RunLast coloured(CommandLine line, HoldfastCommand root) {
    try {
      line.setColorScheme(Help.defaultColorScheme(root.colours() ? Help.Ansi.ON : Help.Ansi.OFF));
      return new RunLast();
    } catch (UsageException e) {
      throw new ParameterException(line, String.valueOf(e.getMessage()), e);
    }
  }
}
