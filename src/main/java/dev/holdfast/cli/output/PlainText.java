package dev.holdfast.cli.output;

import dev.holdfast.queue.output.AttemptOutput;
import dev.holdfast.retry.DurationText;
import java.time.Duration;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Text that is safe and short enough for a terminal. */
public final class PlainText {
  private static final Pattern BLANKS = Pattern.compile("[" + AttemptOutput.ORDERS + "\\s]+");
  private static final Pattern CONTROL =
      Pattern.compile("[" + AttemptOutput.ORDERS + "&&[^\\n\\t]]");

  private PlainText() {}

  /**
   * Returns the text in one line, without control characters: titles and errors come from anywhere
   * and could control the terminal.
   */
  public static String oneLine(@Nullable Object value) {
    return value == null ? "" : BLANKS.matcher(value.toString()).replaceAll(" ").strip();
  }

  /** Returns the text in its lines, without other control characters. */
  public static String lines(String text) {
    return CONTROL.matcher(text.replace("\r\n", "\n")).replaceAll("?");
  }

  /** Returns at most {@code length} characters, with an ellipsis where something was cut off. */
  public static String cut(String text, int length) {
    return text.codePointCount(0, text.length()) <= length
        ? text
        : text.substring(0, text.offsetByCodePoints(0, length - 1)) + "…";
  }

  /** Returns a duration in short: {@code 80ms}, {@code 45s}. */
  public static String took(Duration duration) {
    return duration.compareTo(Duration.ofSeconds(1)) < 0
        ? duration.toMillis() + "ms"
        : DurationText.rough(duration);
  }
}
