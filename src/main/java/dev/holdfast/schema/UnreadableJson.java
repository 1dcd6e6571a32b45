package dev.holdfast.schema;

import tools.jackson.core.JacksonException;
import tools.jackson.core.exc.UnexpectedEndOfInputException;

/** Says why a text is no JSON, to the person who wrote it. */
public final class UnreadableJson {
  private UnreadableJson() {}

  /** The reader's own words on one line, but for a text that is cut, of which they say too much. */
  public static String reason(JacksonException e) {
    return e instanceof UnexpectedEndOfInputException
        ? "it ends too early"
        : String.valueOf(e.getOriginalMessage()).strip().replaceAll("\\s*\\R\\s*", " ");
  }
}
