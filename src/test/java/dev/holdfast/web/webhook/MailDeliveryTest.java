package dev.holdfast.web.webhook;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.secret.Secrets;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class MailDeliveryTest {
  private static MailDelivery to(int port) {
    return new MailDelivery(
        new MailReceiver(
            URI.create("smtp://127.0.0.1:" + port),
            null,
            null,
            "holdfast@example.org",
            List.of("ann@example.org"),
            Duration.ofSeconds(5),
            new NoticeRules(
                Duration.ofDays(1),
                null,
                Secrets.NONE,
                Duration.ZERO,
                time -> false,
                Set.of(NoticeRules.Event.HOLDS),
                null)),
        InstantSource.system());
  }

  private static NoticeEvent event(String text) {
    return new NoticeEvent("1", "/", "test", "1", Instant.EPOCH, text, Map.of());
  }

  @Test
  @Timeout(120)
  @DisplayName("22.9: what the log says of a mail that is not sent names the failure of TLS")
  void tlsFails() throws Exception {
    try (ServerSocket server = new ServerSocket(0)) {
      Thread.ofVirtual().start(new FutureTask<>(() -> garbled(server)));
      assertThat(to(server.getLocalPort()).send(event("a test")))
          .isEqualTo(new NoticeSender.NotTaken("MessagingException, SSLException"));
    }
  }

  /** Offers TLS and does not speak it. */
  private static boolean garbled(ServerSocket server) throws IOException {
    try (Socket client = server.accept()) {
      for (String line : List.of("220 hello", "250-x\r\n250 STARTTLS", "220 go", "no TLS")) {
        client.getOutputStream().write((line + "\r\n").getBytes(StandardCharsets.US_ASCII));
        if (client.getInputStream().read(new byte[999]) < 0) {
          return false;
        }
      }
    }
    return true;
  }

  @Test
  @DisplayName("22.9: the subject of a mail is not cut off within a character")
  void wholeCharacters() throws Exception {
    assertThat(to(1).message(event("a".repeat(118) + "😀" + "b".repeat(50))).getSubject())
        .isEqualTo("a".repeat(118) + "…");
    assertThat(to(1).message(event("a".repeat(117) + "😀" + "b".repeat(50))).getSubject())
        .isEqualTo("a".repeat(117) + "😀…");
  }
}
