package dev.holdfast.schema;

import tools.jackson.core.JacksonException;
import tools.jackson.core.exc.UnexpectedEndOfInputException;

/** Says why a text is no JSON, to the person who wrote it. */
public final class UnreadableJson {
  private UnreadableJson() {}

  /**
   * Returns the reader's own words on one line, except for a text that is cut off, where they say
   * too much.
   */
  public static String reason(JacksonException e) {
    return e instanceof UnexpectedEndOfInputException
        ? "it ends too early"
        : String.valueOf(e.getOriginalMessage()).strip().replaceAll("\\s*\\R\\s*", " ");
  }
}
