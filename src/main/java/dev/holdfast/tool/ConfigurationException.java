package dev.holdfast.tool;

import dev.holdfast.ticket.HoldfastException;
import org.jspecify.annotations.Nullable;

/** A tool is set up wrongly (C5): a person has to change it, so it is not retried. */
public class ConfigurationException extends HoldfastException {
  public ConfigurationException(String message) {
    super(message);
  }

  public ConfigurationException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
