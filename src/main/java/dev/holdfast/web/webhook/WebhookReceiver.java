package dev.holdfast.web.webhook;

import dev.holdfast.failure.Sha256;
import dev.holdfast.web.access.Digests;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Base64;

/**
 * An address that gets notices by HTTP.
 *
 * @param address http or https
 * @param secret the secret of the signature; after {@code whsec_} it is base64 of the key,
 *     otherwise the key itself
 */
public record WebhookReceiver(
    URI address, String secret, Duration timeout, Form form, NoticeRules rules)
    implements NoticeReceiver {

  private static final String BASE64 = "whsec_";

  /** The form of an event. */
  public enum Form {
    CLOUDEVENT,
    TEXT
  }

  /** Returns the key of the signatures. */
  byte[] key() {
    return secret.startsWith(BASE64)
        ? Base64.getDecoder().decode(secret.substring(BASE64.length()))
        : secret.getBytes(StandardCharsets.UTF_8);
  }

  /** Returns a hash of the address, which may have secrets in it. */
  @Override
  public String name() {
    return Digests.base64url(Sha256.of(address.toString())).substring(0, 20);
  }

  @Override
  public NoticeSender sender(InstantSource clock) {
    return new SignedDelivery(this, clock);
  }

  @Override
  public String toString() {
    return "WebhookReceiver[" + address.getHost() + "]";
  }
}
