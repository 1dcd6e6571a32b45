package dev.holdfast.web.webhook;

import dev.holdfast.web.access.Digests;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
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

  /** As the header has it. */
  static String signature(byte[] key, String id, long seconds, String body) {
    byte[] signature = Digests.hmac(key, id + "." + seconds + "." + body);
    return "v1," + Base64.getEncoder().encodeToString(signature);
  }

  /** Empty when it was taken; else why not. */
  String send(String id, String mediaType, String body) throws InterruptedException {
    long seconds = clock.instant().getEpochSecond();
    HttpRequest request =
        HttpRequest.newBuilder(receiver.address())
            .timeout(receiver.timeout())
            .header("Content-Type", mediaType)
            .header("webhook-id", id)
            .header("webhook-timestamp", "" + seconds)
            .header("webhook-signature", signature(receiver.key(), id, seconds, body))
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
