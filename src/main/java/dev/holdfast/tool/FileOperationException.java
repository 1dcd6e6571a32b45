package dev.holdfast.tool;

import dev.holdfast.ticket.HoldfastException;
import org.jspecify.annotations.Nullable;

/** A file could not be read or written for a reason that may pass (C6): retried. */
public class FileOperationException extends HoldfastException {
  public FileOperationException(String message) {
    super(message);
  }

  public FileOperationException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
