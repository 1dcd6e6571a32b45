package dev.holdfast.config;

import dev.holdfast.ticket.HoldfastException;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The configuration cannot be used. The message is one line that names the key and what it may be.
 * It never holds a secret.
 */
public final class ConfigException extends HoldfastException {
  private static final Pattern BREAKS = Pattern.compile("[\\p{Cc}\\p{Zl}\\p{Zp}]");

  public ConfigException(String message) {
    this(message, null);
  }

  public ConfigException(String message, @Nullable Throwable cause) {
    super(BREAKS.matcher(message).replaceAll(" "), cause);
  }
}
