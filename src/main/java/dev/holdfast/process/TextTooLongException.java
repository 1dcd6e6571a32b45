package dev.holdfast.process;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * The system cannot pass a program's words and variables on, because they are too long. Trying
 * again does not help.
 */
public final class TextTooLongException extends IOException {
  private static final long serialVersionUID = 1;

  /** E2BIG as Java writes it. */
  private static final Pattern TOO_LONG = Pattern.compile("error[=:] ?7\\b");

  private TextTooLongException(String message, IOException cause) {
    super(message, cause);
  }

  /**
   * Returns this exception where the texts were too long, with words that help; otherwise the same
   * failure.
   */
  static IOException orSame(IOException failure, ProcessBuilder started) {
    return TOO_LONG.matcher(String.valueOf(failure.getMessage())).find()
        ? new TextTooLongException(
            "cannot start the program: E2BIG, "
                + longest(started)
                + ": the system passes on at most 128KiB in one text, and about 2048KiB in all"
                + " words and variables; give the program its input on stdin or in a file",
            failure)
        : failure;
  }

  private static String longest(ProcessBuilder started) {
    String name = "";
    int most = 0;
    for (String word : started.command()) {
      int size = word.getBytes(StandardCharsets.UTF_8).length;
      if (size > most) {
        most = size;
        name = "the command's word \"" + ExitText.name(List.of(word)) + "\"";
      }
    }
    for (Map.Entry<String, String> variable : started.environment().entrySet()) {
      int size = variable.getValue().getBytes(StandardCharsets.UTF_8).length;
      if (size > most) {
        most = size;
        name = "the variable " + variable.getKey();
      }
    }
    return name + " has " + ExitText.size(most);
  }
}
