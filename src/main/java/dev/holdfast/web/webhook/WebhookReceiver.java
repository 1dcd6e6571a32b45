package dev.holdfast.web.webhook;

import dev.holdfast.secret.Secrets;
import dev.holdfast.web.access.Digests;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Who is told of new holds.
 *
 * @param address http or https
 * @param secret of the signature; behind {@code whsec_} base64 of the key, else the key itself
 * @param timeout of one delivery
 * @param giveUpAfter how long one event is tried before the next one is
 * @param consoleAddress where people reach the console, for links; null gives none
 * @param hidden what no event may tell
 * @param groupWait how long a hold waits for others with the same error; zero tells each by itself
 * @param quiet the times at which nothing is sent
 */
public record WebhookReceiver(
    URI address,
    String secret,
    Duration timeout,
    Duration giveUpAfter,
    @Nullable URI consoleAddress,
    Secrets hidden,
    Form form,
    Duration groupWait,
    Predicate<Instant> quiet) {

  private static final String BASE64 = "whsec_";

  /** The form of an event. */
  public enum Form {
    CLOUDEVENT,
    TEXT
  }

  /** The key of the signatures. */
  byte[] key() {
    return secret.startsWith(BASE64)
        ? Base64.getDecoder().decode(secret.substring(BASE64.length()))
        : secret.getBytes(StandardCharsets.UTF_8);
  }

  /**
   * Under which the cursor is kept; says nothing about the address, which may have secrets in it.
   */
  public String name() {
    return Digests.base64url(Digests.sha256(address.toString())).substring(0, 20);
  }

  @Override
  public String toString() {
    return "WebhookReceiver[" + address.getHost() + "]";
  }
}
