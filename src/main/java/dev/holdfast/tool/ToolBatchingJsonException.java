package dev.holdfast.tool;

import dev.holdfast.ticket.HoldfastException;
import org.jspecify.annotations.Nullable;

/** A model's JSON stayed unreadable after its own retries (C23): not retried again. */
public class ToolBatchingJsonException extends HoldfastException {
  public ToolBatchingJsonException(String message) {
    super(message);
  }

  public ToolBatchingJsonException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
