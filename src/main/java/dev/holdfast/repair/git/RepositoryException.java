package dev.holdfast.repair.git;

import dev.holdfast.ticket.HoldfastException;

/** A repository cannot be used as a design says: what is wrong, and what to do about it. */
public final class RepositoryException extends HoldfastException {
  private static final long serialVersionUID = 1L;

  public RepositoryException(String message) {
    super(message);
  }
}
