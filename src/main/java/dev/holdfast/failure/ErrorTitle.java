package dev.holdfast.failure;

import dev.holdfast.ticket.StorableText;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Finds the one line of an error that says why: that of the root cause of a stack trace, the first
 * error of a compiler, the last telling line of a program that only wrote messages. The words of
 * what ran the program ("exit code 1 from sh") are the title only if nothing else is known. It
 * costs no more for 10 MB than for 60 kB, and is never longer than {@link #MAX_LENGTH}.
 */
public final class ErrorTitle {
  /** Longest title in characters. */
  public static final int MAX_LENGTH = 200;

  private static final int MAX_WRAPPERS = 5;
  private static final int MAX_LINE = 2_000;

  private static final Pattern EXIT =
      Pattern.compile("^exit code \\d{1,3} from [^:\\n]{1,80}(?::[ \\n]|\\n|$)");
  private static final Pattern KILLED =
      Pattern.compile("^exit code \\d{1,3} from [^\\n]{1,80}: killed by signal (\\d{1,2})");
  private static final Pattern TIMED_OUT =
      Pattern.compile("^[^\\n]{1,80} timed out after [^\\n]{1,40} and was killed(?:\\n|$)");
  private static final Pattern CUT_NOTE =
      Pattern.compile("^\\[the last \\S{1,20} of \\S{1,20} of std(?:out|err)\\]\\n");

  private static final Pattern RUST_PLACE =
      Pattern.compile("^thread '[^'\\n]{0,80}'.{0,30} panicked at .*:\\d+:\\d+:$");
  private static final Pattern DECORATION =
      Pattern.compile(
          "^(?:E {3,7}|Exception in thread \"[^\"]{0,120}\" |(?:Unhandled|Uncaught)"
              + " (?=\\S{0,100}(?:Error|Exception))|\\[cause\\]: )");

  private static final Pattern COMPILER =
      Pattern.compile(
          "^(?:[^\\s:][^:\\n"
              + "]{0,200}:\\d{1,7}(?::\\d{1,5})?: |\\S{1,200}\\(\\d{1,7},\\d{1,5}\\): |\\[|npm"
              + " )?(?i:fatal error|error|fatal|err!)(?:\\[\\w{1,20}\\]|\\]| TS\\d{1,6})?(?::|"
              + " (?=\\S))");
  private static final Pattern NOT_FOUND =
      Pattern.compile(
          "(?i)(?:command not found|: not found|no such file or directory|permission denied|is not"
              + " recognized as)");
  private static final Pattern NO_TITLE =
      Pattern.compile(
          "^(?:Traceback \\(most|File \"|at |\\.\\.\\. |goroutine |stack backtrace|note: run with|"
              + "Node\\.js v|npm (?:ERR!|error) A complete log|\\[ERROR\\] (?:->|\\[Help|Re-run|$)|"
              + "make(?:\\[\\d+\\])?: |exit status |During handling|The above exception|[\\W_]+$)");

  private static final Pattern BLANKS = Pattern.compile("[\\p{Cntrl}\\s]+");

  private static final LiteralIndex TELLING =
      LiteralIndex.of(
          List.of(
              "error",
              "exception",
              "fail",
              "fatal",
              "panic",
              "denied",
              "refused",
              "cannot",
              "can't",
              "could not",
              "unable",
              "not found",
              "timed out",
              "timeout",
              "invalid",
              "exceeded",
              "killed",
              "conflict",
              "rejected",
              "undefined",
              "missing",
              "fault"));

  private ErrorTitle() {}

  /** Returns the title of an error text; "" for a blank text. */
  public static String of(String text) {
    String window = TextWindow.of(text);
    return of(window, RootCause.of(window));
  }

  /** Returns the title from what {@link TextWindow} has left of a text, and from its root cause. */
  static String of(String window, String rootCause) {
    String text = OutrightError.words(window.strip());
    String wrapper = "";
    for (int i = 0; i < MAX_WRAPPERS; i++) {
      if (saysAll(text)) {
        return tidy(firstLine(text));
      }
      int end = wrapperEnd(text);
      if (end == 0) {
        break;
      }
      wrapper = wrapper.isEmpty() ? firstLine(text) : wrapper;
      text = CUT_NOTE.matcher(text.substring(end).stripLeading()).replaceFirst("");
    }
    String cause = text.equals(window) ? rootCause : RootCause.of(text);
    if (!cause.isEmpty()) {
      return tidy(message(cause));
    }
    String title = wrapper.isEmpty() ? firstLine(text) : best(text);
    return tidy(title.isEmpty() ? wrapper : title);
  }

  /**
   * Returns whether the words say all: a program that was killed or stopped by others has not said
   * why.
   */
  private static boolean saysAll(String text) {
    Matcher killed = KILLED.matcher(text);
    return killed.lookingAt()
        ? killed.group(1).equals("9") || killed.group(1).equals("15")
        : text.contains(" timed out after ") && TIMED_OUT.matcher(text).lookingAt();
  }

  /** Returns the end of the words that only say that a program failed; 0 if there are none. */
  private static int wrapperEnd(String text) {
    if (KILLED.matcher(text).lookingAt()) {
      return text.indexOf('\n') + 1;
    }
    Matcher exit = EXIT.matcher(text);
    return exit.lookingAt() ? exit.end() : 0;
  }

  /** Returns the line with the message from the lines of a root cause. */
  private static String message(String cause) {
    int end = cause.indexOf('\n');
    String first = end < 0 ? cause : cause.substring(0, end);
    return end > 0 && RUST_PLACE.matcher(first).find()
        ? firstLine(cause.substring(end + 1))
        : DECORATION.matcher(first).replaceFirst("");
  }

  private static String firstLine(String text) {
    for (String line : text.split("\n", 200)) {
      if (!line.isBlank() && !NO_TITLE.matcher(start(line)).lookingAt()) {
        return start(line);
      }
    }
    return start(text);
  }

  /**
   * Finds the best line of what a program wrote: a compiler's first error, otherwise the last line
   * that reports an error.
   */
  private static String best(String text) {
    String telling = "";
    String last = "";
    String notFound = "";
    for (String each : text.split("\n", -1)) {
      String line = start(each);
      if (line.isEmpty() || NO_TITLE.matcher(line).lookingAt()) {
        continue;
      }
      if (COMPILER.matcher(line).lookingAt()) {
        return line;
      }
      last = line;
      notFound = notFound.isEmpty() && NOT_FOUND.matcher(line).find() ? line : notFound;
      telling = TELLING.in(LiteralIndex.fold(line)).isEmpty() ? telling : line;
    }
    return !notFound.isEmpty() ? notFound : !telling.isEmpty() ? telling : last;
  }

  private static String start(String line) {
    return line.substring(0, Math.min(line.length(), MAX_LINE)).strip();
  }

  /** Returns one line without control characters, at most {@link #MAX_LENGTH} long. */
  private static String tidy(String line) {
    String plain = StorableText.orEmpty(BLANKS.matcher(start(line)).replaceAll(" ").strip());
    if (plain.length() <= MAX_LENGTH) {
      return plain;
    }
    return StorableText.orEmpty(plain.substring(0, MAX_LENGTH - 2)).replaceAll("\uFFFD$", "") + "…";
  }
}
