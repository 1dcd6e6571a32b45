package dev.holdfast.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class WebhookSettingsTest {
  private static NoticeSettings settings(String key, String value) {
    Map<String, String> flags =
        new HashMap<>(
            Map.of("webhooks.url", "http://h/x", "webhooks.secret", "sixteen-letters-or-more"));
    flags.put(key, value);
    return Objects.requireNonNull(
        new ConfigLoader(Path.of("/nowhere"), Map.of()).load(null, flags).web().notices());
  }

  private static boolean quiet(String hours, String time) {
    return Objects.requireNonNull(settings("webhooks.quiet-hours", hours).quietHours())
        .contains(Instant.parse(time));
  }

  @Test
  @DisplayName("22.9: quiet hours go over midnight and follow their zone's clock in both seasons")
  void quietHours() {
    String night = "22:00-07:00 Europe/Berlin";
    assertThat(quiet(night, "2026-01-10T20:59:59Z")).isFalse();
    assertThat(quiet(night, "2026-01-10T21:00:00Z")).isTrue();
    assertThat(quiet(night, "2026-01-11T05:59:59Z")).isTrue();
    assertThat(quiet(night, "2026-01-11T06:00:00Z")).isFalse();
    assertThat(quiet(night, "2026-07-10T20:00:00Z")).isTrue();
    assertThat(quiet("12:00-13:00 UTC", "2026-07-10T12:30:00Z")).isTrue();
    assertThat(quiet("12:00-13:00 UTC", "2026-07-10T13:00:00Z")).isFalse();
    assertThat(quiet("12:00-12:00 UTC", "2026-07-10T12:00:00Z")).isFalse();
    assertThat(settings("webhooks.quiet-hours", "").quietHours()).isNull();
  }

  @Test
  @DisplayName("22.9: what is no quiet hour, no format and no secret is refused by its key's name")
  void garbage() {
    for (String bad :
        List.of("night", "25:00-07:00 UTC", "22:00-07:00", "22:00-07:00 Mars/Base", "22-7 UTC")) {
      assertThatThrownBy(() -> settings("webhooks.quiet-hours", bad))
          .as(bad)
          .isInstanceOf(ConfigException.class)
          .hasMessageContaining("webhooks.quiet-hours")
          .hasMessageContaining("22:00-07:00 Europe/Berlin");
    }
    assertThatThrownBy(() -> settings("webhooks.format", "xml"))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("webhooks.format");
    assertThatThrownBy(() -> settings("webhooks.secret", "whsec_no*base64*at*all"))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("webhooks.secret")
        .hasMessageNotContaining("no*base64");
    assertThat(settings("webhooks.format", "slack").groupWait()).isEqualTo(Duration.ofSeconds(10));
    assertThat(Objects.requireNonNull(settings("webhooks.format", "slack").webhook()).address())
        .isEqualTo(URI.create("http://h/x"));
  }
}
