package dev.holdfast.web.webhook;

import com.standardwebhooks.Webhook;
import com.standardwebhooks.exceptions.EmptyWebhookSecretException;
import com.standardwebhooks.exceptions.WebhookSigningException;
import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.Base64;
import java.util.Set;

/**
 * Sends one event, signed as Standard Webhooks describes it. Redirects are not followed.
 * Thread-safe.
 */
final class SignedDelivery implements NoticeSender {
  /** The answers 4xx that say nothing about the event: too slow, too early, too many. */
  private static final Set<Integer> LATER = Set.of(408, 425, 429);

  private final WebhookReceiver receiver;
  private final InstantSource clock;
  private final HttpClient http;

  SignedDelivery(WebhookReceiver receiver, InstantSource clock) {
    this.receiver = receiver;
    this.clock = clock;
    this.http =
        HttpClient.newBuilder()
            // With HTTP/2 allowed each plain request asks for an upgrade, and servers such as
            // uvicorn then drop its body.
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(receiver.timeout())
            .followRedirects(HttpClient.Redirect.NEVER)
            .build();
  }

  /** Returns the signature as the header has it. */
  static String signature(byte[] key, String id, long seconds, String body) {
    try {
      return new Webhook(key).sign(id, seconds, body);
    } catch (WebhookSigningException | EmptyWebhookSecretException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public Sent send(NoticeEvent event) throws InterruptedException {
    return switch (receiver.form()) {
      case CLOUDEVENT -> send(event.id(), NoticeEvent.MEDIA_TYPE, event.json());
      case TEXT -> send(event.id(), NoticeEvent.TEXT_MEDIA_TYPE, event.textJson());
    };
  }

  private Sent send(String id, String mediaType, String json) throws InterruptedException {
    String body = receiver.rules().hidden().redactJson(json);
    long seconds = clock.instant().getEpochSecond();
    HttpRequest.Builder request =
        HttpRequest.newBuilder(receiver.address())
            .timeout(receiver.timeout())
            .header("Content-Type", mediaType)
            .header("webhook-id", id)
            .header("webhook-timestamp", "" + seconds)
            .header("webhook-signature", signature(receiver.key(), id, seconds, body))
            .POST(HttpRequest.BodyPublishers.ofString(body));
    String login = receiver.address().getUserInfo();
    if (login != null) {
      // Java's client does not send the login.
      String both = login.contains(":") ? login : login + ":";
      byte[] bytes = both.getBytes(StandardCharsets.UTF_8);
      request.header("Authorization", "Basic " + Base64.getEncoder().encodeToString(bytes));
    }
    try {
      HttpResponse<InputStream> answer = http.send(request.build(), BodyHandlers.ofInputStream());
      // Nobody reads the body, and the timeout does not limit it.
      answer.body().close();
      return sent(answer.statusCode());
    } catch (IOException e) {
      return new NotTaken(e.getClass().getSimpleName());
    }
  }

  private static Sent sent(int status) {
    String why = "it answered " + status;
    return switch (status / 100) {
      case 2 -> new Taken();
      case 4 -> LATER.contains(status) ? new NotTaken(why) : new Refused(why);
      default -> new NotTaken(why);
    };
  }

  @Override
  public void close() {
    http.shutdownNow();
  }
}
