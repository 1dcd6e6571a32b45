package dev.holdfast.web.webhook;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.secret.Secrets;
import dev.holdfast.testing.RawModelServer;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SignedDeliveryTest {
  @Test
  @DisplayName("22.9: signatures are those of Standard Webhooks, by its published example")
  void signature() {
    assertThat(
            SignedDelivery.signature(
                receiver("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw").key(),
                "msg_p5jXN8AQM9LWM0D4loKWxJek",
                1614265330,
                "{\"test\": 2432232314}"))
        .isEqualTo("v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
  }

  @Test
  @DisplayName("22.9: a secret behind whsec_ is base64 of the key; any other is the key itself")
  void key() {
    assertThat(receiver("whsec_c2l4dGVlbi1sZXR0ZXJz").key())
        .isEqualTo("sixteen-letters".getBytes(StandardCharsets.UTF_8));
    assertThat(receiver("c2l4dGVlbi1sZXR0ZXJz").key())
        .isEqualTo("c2l4dGVlbi1sZXR0ZXJz".getBytes(StandardCharsets.UTF_8));
  }

  @Test
  @Timeout(120)
  @DisplayName("a receiver whose answer has no end is done with when its status is known")
  void bodyWithoutEnd() throws Exception {
    try (RawModelServer endless =
            RawModelServer.start(
                (request, connection) -> {
                  RawModelServer.write(connection, "HTTP/1.1 200 OK", "Content-Length: 2", "");
                  new CountDownLatch(1).await();
                });
        SignedDelivery delivery =
            new SignedDelivery(
                receiver("whsec_c2l4dGVlbi1sZXR0ZXJz", endless.url()), InstantSource.system())) {
      assertThat(
              delivery.send(
                  new NoticeEvent("1", "/", "test", "1", Instant.EPOCH, "a test", Map.of())))
          .isInstanceOf(NoticeSender.Taken.class);
    }
  }

  @Test
  @Timeout(120)
  @DisplayName(
      "22.9: a webhook over plain HTTP asks for no upgrade, with which servers drop bodies")
  void noUpgrade() throws Exception {
    AtomicReference<String> headers = new AtomicReference<>("");
    try (RawModelServer server =
            RawModelServer.start(
                (request, connection) -> {
                  headers.set(request.toString());
                  RawModelServer.write(
                      connection, "HTTP/1.1 204 No Content", "Connection: close", "");
                });
        SignedDelivery delivery =
            new SignedDelivery(
                receiver("whsec_c2l4dGVlbi1sZXR0ZXJz", server.url()), InstantSource.system())) {
      delivery.send(new NoticeEvent("1", "/", "test", "1", Instant.EPOCH, "a test", Map.of()));
    }
    assertThat(headers.get()).containsIgnoringCase("webhook-id").doesNotContainIgnoringCase("h2c");
  }

  @ParameterizedTest
  @CsvSource({"ann:p%40ss, YW5uOnBAc3M=", "token, dG9rZW46"})
  @Timeout(120)
  @DisplayName(
      "22.9: a user and a password in the webhook's address are its basic authentication, also a"
          + " user without a password")
  void login(String login, String sent) throws Exception {
    AtomicReference<String> headers = new AtomicReference<>("");
    try (RawModelServer server =
            RawModelServer.start(
                (request, connection) -> {
                  headers.set(request.toString());
                  RawModelServer.write(
                      connection, "HTTP/1.1 204 No Content", "Connection: close", "");
                });
        SignedDelivery delivery =
            new SignedDelivery(
                receiver(
                    "whsec_c2l4dGVlbi1sZXR0ZXJz",
                    server.url().replace("http://", "http://" + login + "@")),
                InstantSource.system())) {
      delivery.send(new NoticeEvent("1", "/", "test", "1", Instant.EPOCH, "a test", Map.of()));
    }
    assertThat(headers.get()).containsIgnoringCase("Basic " + sent);
  }

  private static WebhookReceiver receiver(String secret) {
    return receiver(secret, "http://127.0.0.1");
  }

  private static WebhookReceiver receiver(String secret, String address) {
    return new WebhookReceiver(
        URI.create(address + "/hook"),
        secret,
        Duration.ofSeconds(5),
        WebhookReceiver.Form.CLOUDEVENT,
        new NoticeRules(
            Duration.ofDays(1),
            null,
            Secrets.NONE,
            Duration.ZERO,
            time -> false,
            Set.of(NoticeRules.Event.HOLDS),
            null));
  }
}
