package dev.holdfast.handler.command;

import dev.holdfast.process.ExitText;
import dev.holdfast.process.ProgramEnd;
import dev.holdfast.retry.DurationText;
import java.util.List;

/** The one line that says how a program ended. */
final class EndText {
  private EndText() {}

  static String of(ProgramEnd end, List<String> command) {
    return switch (end) {
      case ProgramEnd.Exited(int code) -> ExitText.of(code, command);
      case ProgramEnd.TimedOut(var timeout) ->
          "%s timed out after %s and was killed"
              .formatted(ExitText.name(command), DurationText.format(timeout));
    };
  }
}
