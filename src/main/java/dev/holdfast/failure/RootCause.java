package dev.holdfast.failure;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Finds the line that names the root cause of a stack trace: the last "Caused by", the last line of
 * a Python traceback, the innermost cause Node prints, the message of a Go or Rust panic; without a
 * trace the first line shaped like an exception.
 */
public final class RootCause {
  private static final int MAX_LENGTH = 1_500;

  private static final GuardedPattern JAVA_CAUSE =
      GuardedPattern.of("(?m)^\\s{0,20}Caused by: ", "caused by: ");
  private static final GuardedPattern NODE_CAUSE =
      GuardedPattern.of("(?m)^\\s{0,40}(?:\\[cause\\]|cause): (?=\\S{0,80}Error)", "cause");
  private static final GuardedPattern RUST_CAUSES =
      GuardedPattern.of(
          "(?m)^\\s{0,20}Caused by:\\s{0,3}\\n(?:\\s{1,20}\\S[^\\n]{0,800}\\n?){1,20}",
          "caused by:");

  /**
   * The start of a Python trace whose lines follow: one that is quoted within a line has no end
   * that could be found.
   */
  private static final GuardedPattern PYTHON_TRACE =
      GuardedPattern.of("(?m)Traceback \\(most recent call last\\):?[ \\t]{0,8}$", "traceback");

  private static final Pattern PYTHON_END =
      Pattern.compile(
          "(?m)^(?:E {3,7})?(?!Traceback|During|The above)[A-Za-z_][\\w.]{2,120}(?::|$)");
  private static final GuardedPattern PANIC =
      GuardedPattern.of(
          "(?m)^(?:panic: |thread '[^'\\n]{0,80}'[^\\n]{0,20} panicked at )", "panic");
  private static final GuardedPattern EXCEPTION_LINE =
      GuardedPattern.of(
          "(?m)^\\s{0,8}(?:E {3,7})?(?:(?:Unhandled|Uncaught)[ \\w.]{0,30}[:.]? )?(?:Exception in"
              + " thread \"[^\"\\n"
              + "]{0,120}\" )?[\\w.$]{0,200}(?:Error|Exception|Interrupt|Throwable)(?:"
              + " ?\\[\\w{1,60}\\])?(?=[:(\\s]|$)",
          "error",
          "exception",
          "interrupt",
          "throwable");

  /** The expressions that are not always tried. */
  static final List<GuardedPattern> GUARDED =
      List.of(JAVA_CAUSE, NODE_CAUSE, RUST_CAUSES, PYTHON_TRACE, PANIC, EXCEPTION_LINE);

  private RootCause() {}

  /**
   * Returns the root cause with the lines of its message, without frames; "" if nothing looks like
   * one.
   */
  public static String of(String text) {
    String folded = LiteralIndex.fold(text);
    int at = lastEnd(JAVA_CAUSE.matcher(text, folded));
    if (at >= 0) {
      return block(text, at);
    }
    at = lastEnd(NODE_CAUSE.matcher(text, folded));
    if (at >= 0) {
      return block(text, at);
    }
    String rust = lastRustCause(RUST_CAUSES.matcher(text, folded));
    if (!rust.isEmpty()) {
      return rust;
    }
    at = lastEnd(PYTHON_TRACE.matcher(text, folded));
    if (at >= 0) {
      Matcher end = PYTHON_END.matcher(text);
      return end.find(at) ? block(text, end.start()) : "";
    }
    String panic = first(PANIC.matcher(text, folded), text);
    return panic.isEmpty() ? first(EXCEPTION_LINE.matcher(text, folded), text) : panic;
  }

  private static String first(Matcher matcher, String text) {
    return matcher.find() ? block(text, matcher.start()) : "";
  }

  private static int lastEnd(Matcher matcher) {
    int end = -1;
    while (matcher.find()) {
      end = matcher.end();
    }
    return end;
  }

  private static String lastRustCause(Matcher matcher) {
    String last = "";
    while (matcher.find()) {
      String causes = matcher.group().stripTrailing();
      last = causes.substring(causes.lastIndexOf('\n') + 1).strip();
    }
    return last;
  }

  /** Returns the text from the given place to the first stack frame, blank line or limit. */
  private static String block(String text, int start) {
    StringBuilder out = new StringBuilder();
    for (String line :
        text.substring(start, Math.min(text.length(), start + MAX_LENGTH)).split("\n", -1)) {
      if (!out.isEmpty() && (line.isBlank() || isFrame(line))) {
        break;
      }
      out.append(out.isEmpty() ? "" : "\n").append(line.strip());
    }
    return out.toString();
  }

  private static boolean isFrame(String line) {
    String stripped = line.strip();
    return stripped.startsWith("at ")
        || stripped.startsWith("... ")
        || stripped.startsWith("File \"")
        || stripped.startsWith("goroutine ")
        || stripped.startsWith("stack backtrace");
  }
}
