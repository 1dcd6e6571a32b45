package dev.holdfast.ticket;

import org.jspecify.annotations.Nullable;

/**
 * The session cannot go on from what its journal holds; a person has to say whether it starts over.
 * The message names what is wrong and the command.
 */
public final class UnreadableJournalException extends HoldfastException {
  private static final long serialVersionUID = 1;

  public UnreadableJournalException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
