package dev.holdfast.web.webhook;

import dev.holdfast.secret.Secrets;
import dev.holdfast.web.access.Digests;
import java.net.URI;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Who is told of new holds.
 *
 * @param address http or https
 * @param secret of the signature
 * @param timeout of one delivery
 * @param giveUpAfter how long one event is tried before the next one is
 * @param consoleAddress where people reach the console, for links; null gives none
 * @param hidden what no event may tell
 */
public record WebhookReceiver(
    URI address,
    String secret,
    Duration timeout,
    Duration giveUpAfter,
    @Nullable URI consoleAddress,
    Secrets hidden) {

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
