package dev.holdfast.config;

import dev.holdfast.ticket.HoldfastException;
import org.jspecify.annotations.Nullable;

/**
 * The configuration cannot be used. The message is one line that names the key, what it may be, and
 * never a secret.
 */
public final class ConfigException extends HoldfastException {
  public ConfigException(String message) {
    super(message);
  }

  public ConfigException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
