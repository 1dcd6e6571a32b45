package dev.holdfast.handler.command;

import dev.holdfast.retry.DurationText;
import java.util.List;
import java.util.Map;

/**
 * The one line that says how a program ended. Its numbers are written so that none can be taken for
 * an HTTP status: exit codes end at 255, and sizes and durations are joined to their units.
 */
final class EndText {
  private static final Map<Integer, String> SIGNALS =
      Map.ofEntries(
          Map.entry(1, "SIGHUP"),
          Map.entry(2, "SIGINT"),
          Map.entry(3, "SIGQUIT"),
          Map.entry(4, "SIGILL"),
          Map.entry(5, "SIGTRAP"),
          Map.entry(6, "SIGABRT"),
          Map.entry(8, "SIGFPE"),
          Map.entry(9, "SIGKILL"),
          Map.entry(11, "SIGSEGV"),
          Map.entry(13, "SIGPIPE"),
          Map.entry(14, "SIGALRM"),
          Map.entry(15, "SIGTERM"));

  private static final int SIGNAL_BASE = 128;
  private static final int LAST_SIGNAL = 64;
  private static final int MAX_NAME = 60;

  private EndText() {}

  static String of(ProgramEnd end, List<String> command) {
    return switch (end) {
      case ProgramEnd.Exited(int code) ->
          "exit code " + code + " from " + name(command) + signal(code - SIGNAL_BASE);
      case ProgramEnd.TimedOut(var timeout) ->
          name(command) + " timed out after " + DurationText.format(timeout) + " and was killed";
    };
  }

  private static String signal(int number) {
    if (number < 1 || number > LAST_SIGNAL) {
      return "";
    }
    String name = SIGNALS.get(number);
    return ": killed by signal " + number + (name == null ? "" : " (" + name + ")");
  }

  /** {@code python3 job.py}: the program and its script, no options and no inline scripts. */
  static String name(List<String> command) {
    String program = fileName(command.getFirst());
    boolean script = command.size() > 1 && !command.get(1).startsWith("-");
    String name =
        (script ? program + " " + fileName(command.get(1)) : program).replaceAll("\\s+", " ");
    return name.length() > MAX_NAME ? name.substring(0, MAX_NAME) + "…" : name;
  }

  private static String fileName(String word) {
    return word.substring(word.lastIndexOf('/') + 1);
  }

  /** {@code 3KiB}, rounded up. */
  static String size(long bytes) {
    return (bytes + 1023) / 1024 + "KiB";
  }
}
