package dev.holdfast.failure;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Finds the name of an error that says nothing else, such as {@code model_not_found} or {@code
 * SlowDown}. Names of exception classes say more, and are not among these.
 */
final class ErrorName {
  private static final int LONGEST = 300;
  private static final Pattern ALONE =
      Pattern.compile(
          "(?:exit code \\d{1,3} from [^\\n]{1,200}\\n)?\\s*(?:Error: )?(?!ERR_)"
              + "([a-z]+(?:[_-][a-z]+)+|[A-Z]{2,}(?:_[A-Z]+)*"
              + "|(?:[A-Z][a-z]+){2,7}(?<!Error|Exception))\\s*");
  private static final Pattern JOINT = Pattern.compile("[_-]|(?<=[a-z])(?=[A-Z])");

  private ErrorName() {}

  /**
   * Returns the name, if the text says nothing else but how its program ended; null for other
   * texts.
   */
  static @Nullable String in(String text) {
    String words = OutrightError.wordsAlone(text);
    if (words.length() > LONGEST) {
      return null;
    }
    Matcher matcher = ALONE.matcher(words);
    return matcher.matches() ? matcher.group(1) : null;
  }

  /** Splits the name into its words: {@code model not found}. */
  static String words(String name) {
    return JOINT.matcher(name).replaceAll(" ");
  }
}
