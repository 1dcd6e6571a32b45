package dev.holdfast.llm.wire;

import java.io.IOException;

/** The answer is longer than the bound. */
final class AnswerTooLongException extends IOException {
  private static final long serialVersionUID = 1;

  AnswerTooLongException(int maxChars) {
    super("the answer is longer than " + maxChars + " characters and was cut off");
  }
}
