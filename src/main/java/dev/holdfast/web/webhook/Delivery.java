package dev.holdfast.web.webhook;

import dev.holdfast.web.access.Digests;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.Base64;

/**
 * Sends one event, signed as Standard Webhooks has it: {@code webhook-signature} is {@code v1,} and
 * the HMAC-SHA256 of id, timestamp and body with points between them, in base64. Redirects are not
 * followed. Thread-safe.
 */
final class Delivery implements AutoCloseable {
  private final WebhookReceiver receiver;
  private final InstantSource clock;
  private final HttpClient http;

  Delivery(WebhookReceiver receiver, InstantSource clock) {
    this.receiver = receiver;
    this.clock = clock;
    this.http =
        HttpClient.newBuilder()
            .connectTimeout(receiver.timeout())
            .followRedirects(HttpClient.Redirect.NEVER)
            .build();
  }

  /** Empty when it was taken; else why not. */
  String send(String id, String body) throws InterruptedException {
    long seconds = clock.instant().getEpochSecond();
    byte[] key = receiver.secret().getBytes(StandardCharsets.UTF_8);
    byte[] signature = Digests.hmac(key, id + "." + seconds + "." + body);
    HttpRequest request =
        HttpRequest.newBuilder(receiver.address())
            .timeout(receiver.timeout())
            .header("Content-Type", NoticeEvent.MEDIA_TYPE)
            .header("webhook-id", id)
            .header("webhook-timestamp", "" + seconds)
            .header("webhook-signature", "v1," + Base64.getEncoder().encodeToString(signature))
            .POST(HttpRequest.BodyPublishers.ofString(body))
            .build();
    try {
      int status = http.send(request, HttpResponse.BodyHandlers.discarding()).statusCode();
      return status >= 200 && status < 300 ? "" : "it answered " + status;
    } catch (IOException e) {
      return e.getClass().getSimpleName();
    }
  }

  @Override
  public void close() {
    http.shutdownNow();
  }
}
