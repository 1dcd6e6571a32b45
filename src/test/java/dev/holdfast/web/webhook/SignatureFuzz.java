package dev.holdfast.web.webhook;

import static dev.holdfast.fuzz.FuzzTarget.require;

import dev.holdfast.config.ConfigException;
import dev.holdfast.config.ConfigLoader;
import dev.holdfast.config.WebhookSettings;
import dev.holdfast.fuzz.FuzzTarget;
import dev.holdfast.secret.Secrets;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * Secrets of webhooks: what the configuration takes must sign, and what it refuses is not shown.
 */
public final class SignatureFuzz {
  public static final FuzzTarget SECRET =
      FuzzTarget.ofText("webhook-secret", SignatureFuzz::secret);

  private static final Path NOWHERE = Path.of("target/no-such-directory");

  private SignatureFuzz() {}

  private static void secret(String text) {
    WebhookSettings settings;
    try {
      settings =
          Objects.requireNonNull(
              new ConfigLoader(NOWHERE, Map.of())
                  .load(
                      null, Map.of("webhooks.url", "https://h.example/x", "webhooks.secret", text))
                  .web()
                  .notices()
                  .webhook());
    } catch (ConfigException e) {
      boolean shown = text.length() > 7 && String.valueOf(e.getMessage()).contains(text);
      require(!shown, "a refused secret is not shown");
      return;
    }
    WebhookReceiver receiver =
        new WebhookReceiver(
            URI.create("https://h.example/x"),
            settings.secret(),
            Duration.ofSeconds(1),
            WebhookReceiver.Form.CLOUDEVENT,
            new NoticeRules(
                Duration.ofDays(1),
                null,
                Secrets.of(Map.of()),
                Duration.ZERO,
                time -> false,
                Set.of(),
                null));
    require(receiver.key().length > 0, "a key has bytes");
    require(
        SignedDelivery.signature(receiver.key(), "id", 1, "{}").startsWith("v1,"),
        "what is taken signs");
  }
}
