package dev.holdfast.config;

import java.net.URI;
import java.net.URISyntaxException;
import java.time.Duration;
import java.util.Base64;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The webhook that is told about new holds. Its text form shows neither the secret nor the address,
 * which may contain a secret.
 *
 * @param address http or https
 * @param secret signs what is sent
 * @param timeout the timeout of one delivery
 */
public record WebhookSettings(URI address, String secret, Duration timeout, Format format) {

  /** The form of the notices. */
  public enum Format {
    CLOUDEVENTS,
    SLACK;

    public String wireName() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  private static final String BASE64 = "whsec_";
  private static final int LAST_PORT = 65_535;

  /** Returns null where no address is configured. */
  static @Nullable WebhookSettings of(Values values) {
    String address = values.get(WebKeys.WEBHOOKS_URL);
    String secret = values.get(WebKeys.WEBHOOKS_SECRET);
    if (address == null || address.isEmpty()) {
      return null;
    }
    if (secret == null || secret.isEmpty()) {
      throw new ConfigException(
          "webhooks.url needs webhooks.secret, at least 16 characters, with which its receiver"
              + " knows what comes from here");
    }
    return new WebhookSettings(
        uri("webhooks.url", address),
        checked(secret),
        values.get(WebKeys.WEBHOOKS_TIMEOUT),
        values.get(WebKeys.WEBHOOKS_FORMAT));
  }

  /**
   * Checks the secret. Where it has the prefix of Standard Webhooks, the key in base64 follows it.
   */
  private static String checked(String secret) {
    try {
      if (secret.startsWith(BASE64)) {
        Base64.getDecoder().decode(secret.substring(BASE64.length()));
      }
      return secret;
    } catch (IllegalArgumentException e) {
      throw new ConfigException(
          "webhooks.secret is no base64 after " + BASE64 + "; give another one", e);
    }
  }

  static URI uri(String key, String text) {
    URI uri;
    try {
      uri = new URI(text);
    } catch (URISyntaxException e) {
      // The exception is not kept as the cause: it repeats the address, which may hold a secret.
      throw new ConfigException(key + " is not an address: " + e.getReason());
    }
    if (uri.getHost() == null || uri.getPort() > LAST_PORT) {
      throw new ConfigException(
          key + " names no host, or a port that is none; write it as SCHEME://HOST:PORT");
    }
    return uri;
  }

  @Override
  public String toString() {
    return "WebhookSettings[***]";
  }
}
