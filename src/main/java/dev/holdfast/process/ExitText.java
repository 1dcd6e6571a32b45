package dev.holdfast.process;

import java.util.List;
import java.util.Map;

/**
 * The words for how a program ended. Their numbers are written so that none can be taken for an
 * HTTP status: exit codes end at 255, and sizes are joined to their units.
 */
public final class ExitText {
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

  private ExitText() {}

  /**
   * Returns a text such as {@code exit code 137 from python3 job.py: killed by signal 9 (SIGKILL)}.
   */
  public static String of(int code, List<String> command) {
    return "exit code " + code + " from " + name(command) + signal(code);
  }

  /** Returns {@code : killed by signal 9 (SIGKILL)}; empty for a code that means no signal. */
  public static String signal(int code) {
    int number = code - SIGNAL_BASE;
    if (number < 1 || number > LAST_SIGNAL) {
      return "";
    }
    String name = SIGNALS.get(number);
    return ": killed by signal " + number + (name == null ? "" : " (" + name + ")");
  }

  /**
   * Returns {@code python3 job.py}: the program and its script, without options and inline scripts.
   */
  public static String name(List<String> command) {
    String program = fileName(command.getFirst());
    boolean script = command.size() > 1 && !command.get(1).startsWith("-");
    String name =
        (script ? program + " " + fileName(command.get(1)) : program).replaceAll("\\s+", " ");
    return name.length() > MAX_NAME ? name.substring(0, MAX_NAME) + "…" : name;
  }

  private static String fileName(String word) {
    return word.substring(word.lastIndexOf('/') + 1);
  }

  /** Returns a size such as {@code 3KiB}, rounded up. */
  public static String size(long bytes) {
    return (bytes + 1023) / 1024 + "KiB";
  }
}
