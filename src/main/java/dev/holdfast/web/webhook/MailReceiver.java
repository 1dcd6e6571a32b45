package dev.holdfast.web.webhook;

import dev.holdfast.failure.Sha256;
import dev.holdfast.web.access.Digests;
import java.net.URI;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * People who get notices by mail.
 *
 * @param server smtp or smtps, with a host and perhaps a port; smtp is encrypted where the server
 *     offers it
 * @param user the user under whom mail is sent; null sends without a login
 * @param to the addresses, at least one
 */
public record MailReceiver(
    URI server,
    @Nullable String user,
    @Nullable String password,
    String from,
    List<String> to,
    Duration timeout,
    NoticeRules rules)
    implements NoticeReceiver {
  public MailReceiver {
    to = List.copyOf(to);
  }

  @Override
  public String name() {
    return "mail-" + Digests.base64url(Sha256.of(String.join(",", to))).substring(0, 20);
  }

  @Override
  public NoticeSender sender(InstantSource clock) {
    return new MailDelivery(this, clock);
  }

  @Override
  public String toString() {
    return "MailReceiver[" + server.getHost() + "]";
  }
}
