package dev.holdfast.process;

import java.io.IOException;
import java.nio.charset.Charset;
import java.util.List;
import java.util.Map;

/**
 * Checks that texts reach a program unchanged. Java writes arguments and variables in the charset
 * of the locale it was started in, with a question mark for each character that it lacks: under
 * LC_ALL=C a person's guidance would arrive mutilated, unnoticed.
 */
public final class PassableText {
  private PassableText() {}

  /** The charset of this process's arguments and variables. */
  public static Charset ofThisProcess() {
    return Charset.forName(System.getProperty("sun.jnu.encoding", "UTF-8"));
  }

  /**
   * @throws IOException naming the first text that the charset cannot express
   */
  public static void check(List<String> command, Map<String, String> environment, Charset charset)
      throws IOException {
    for (String word : command) {
      check("the command's word \"" + ExitText.name(List.of(word)) + "\"", word, charset);
    }
    for (Map.Entry<String, String> variable : environment.entrySet()) {
      check("the variable " + variable.getKey(), variable.getValue(), charset);
    }
  }

  private static void check(String what, String text, Charset charset) throws IOException {
    if (!charset.newEncoder().canEncode(text)) {
      throw new IOException(
          what
              + " has characters that the worker's locale ("
              + charset
              + ") cannot pass on: start the worker with LC_ALL=C.UTF-8");
    }
  }
}
