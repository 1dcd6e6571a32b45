package dev.holdfast.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.config.NoticeSettings.Mail;
import jakarta.mail.internet.InternetAddress;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalTime;
import java.time.ZoneId;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class NoticeSettingsTest {
  private static final Map<String, String> MAIL =
      Map.of(
          "mail.server", "smtps://mail.example:465",
          "mail.from", "holdfast@example.org",
          "mail.to", "ann@example.org,bob@example.org",
          "mail.user", "ann",
          "mail.password", "hunter2hunter2",
          "mail.timeout", "3s");
  private static final Map<String, String> WEBHOOK =
      Map.of(
          "webhooks.url", "https://hooks.example/x",
          "webhooks.secret", "whsec_aHVudGVyMmh1bnRlcjI=",
          "webhooks.timeout", "4s",
          "webhooks.format", "slack");

  private static NoticeSettings read(Map<String, String> flags) {
    return new ConfigLoader(Path.of("nowhere"), Map.of()).load(null, flags).web().notices();
  }

  private static Map<String, String> with(Map<String, String> flags, String key, String value) {
    Map<String, String> changed = new HashMap<>(flags);
    changed.put(key, value);
    return changed;
  }

  private static void assertRefused(Map<String, String> flags, String words) {
    assertThatThrownBy(() -> read(flags))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining(words)
        .message()
        .doesNotContain("hunter2", "\n");
  }

  @Test
  @DisplayName("notices: defaults and keys")
  void keys() {
    assertThat(read(Map.of()))
        .isEqualTo(
            new NoticeSettings(
                List.of("holds", "outages", "budgets"),
                null,
                null,
                Duration.ofDays(1),
                null,
                Duration.ofSeconds(10),
                null,
                LocalTime.of(8, 0),
                ZoneId.of("UTC")));
    Map<String, String> flags = new HashMap<>(MAIL);
    flags.putAll(WEBHOOK);
    flags.put("webhooks.events", "digest, reviews");
    flags.put("webhooks.give-up-after", "5s");
    flags.put("webhooks.console-url", "https://console.example/h");
    flags.put("webhooks.group-wait", "0s");
    flags.put("webhooks.digest-at", "23:59 Asia/Kathmandu");

    NoticeSettings set = read(flags);

    assertThat(set)
        .isEqualTo(
            new NoticeSettings(
                List.of("digest", "reviews"),
                new WebhookSettings(
                    URI.create("https://hooks.example/x"),
                    "whsec_aHVudGVyMmh1bnRlcjI=",
                    Duration.ofSeconds(4),
                    WebhookSettings.Format.SLACK),
                new Mail(
                    URI.create("smtps://mail.example:465"),
                    "ann",
                    "hunter2hunter2",
                    "holdfast@example.org",
                    List.of("ann@example.org", "bob@example.org"),
                    Duration.ofSeconds(3)),
                Duration.ofSeconds(5),
                URI.create("https://console.example/h"),
                Duration.ZERO,
                null,
                LocalTime.of(23, 59),
                ZoneId.of("Asia/Kathmandu")));
    assertThat(set.toString() + set.mail() + set.webhook())
        .doesNotContain("hunter2", "hooks.example", "aHVudGVy");
  }

  @Test
  @DisplayName("mail without a user has no login, whatever password stands there")
  void mailWithoutLogin() {
    Mail mail = java.util.Objects.requireNonNull(read(with(MAIL, "mail.user", "")).mail());
    assertThat(mail.user()).isNull();
    assertThat(mail.password()).isNull();
    assertThat(read(with(MAIL, "mail.server", "")).mail()).isNull();
  }

  @ParameterizedTest(name = "{0} = {1}")
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      textBlock =
          """
          mail.from   | ""                   | mail.server needs mail.from and mail.to
          mail.to     | ""                   | mail.server needs mail.from and mail.to
          mail.from   | Ann <ann@example>    | mail.from: "Ann <ann@example>"
          mail.from   | ann                  | mail.from: "ann"
          mail.to     | ann@example,bob      | mail.to: "ann@example,bob"
          mail.to     | ann@example..org     | mail.to: "ann@example..org"
          mail.to     | ann@example.org.     | mail.to: "ann@example.org."
          mail.to     | ann@exa_mple.org     | mail.to: "ann@exa_mple.org"
          mail.to     | .ann@example.org     | mail.to: ".ann@example.org"
          mail.to     | ann@example.org;bob@example.org | mail.to: "ann@example.org;bob@example.org"
          mail.from   | an..n@example.org    | mail.from: "an..n@example.org"
          mail.from   | mailto:ann@example   | mail.from: "mailto:ann@example"
          mail.server | mail.example         | smtps://HOST[:PORT]
          mail.server | http://mail.example  | smtps://HOST[:PORT]
          mail.server | smtp://u:p@host      | smtps://HOST[:PORT]
          mail.server | smtp://host/path     | smtps://HOST[:PORT]
          mail.server | smtp://[::1          | mail.server is not an address
          mail.server | smtp://h%zz          | mail.server is not an address
          mail.server | smtp://under_score   | mail.server names no host
          mail.server | smtp://host:smtp     | mail.server names no host
          mail.server | smtp://host:65536    | mail.server names no host, or a port that is none
          mail.timeout | 2m                  | mail.timeout: "2m"
          """)
  @DisplayName("mail that could not be sent stops the start, not the first notice")
  void noMail(String key, String value, String words) {
    assertRefused(with(MAIL, key, value), words);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "ann@example",
        "ann.b+x_y@mail-1.example.org",
        "o'brien@example.org",
        "a/b=c@example.org",
        "ännchen@müller.example",
        "ann@[127.0.0.1]",
        "ann@[IPv6:::1]"
      })
  @DisplayName(
      "addresses of mail of every usual form are taken, and the library of mail takes them")
  void addresses(String address) throws Exception {
    assertThat(java.util.Objects.requireNonNull(read(with(MAIL, "mail.to", address)).mail()).to())
        .containsExactly(address);
    assertThat(new InternetAddress(address).getAddress()).isEqualTo(address);
  }

  @ParameterizedTest
  @ValueSource(strings = {"smtp://h", "smtp://h:1", "smtps://h:65535", "smtp://[::1]:25"})
  @DisplayName("servers of mail by name and address, with a port and without")
  void servers(String server) {
    assertThat(java.util.Objects.requireNonNull(read(with(MAIL, "mail.server", server)).mail()))
        .extracting(Mail::server)
        .isEqualTo(URI.create(server));
  }

  @ParameterizedTest(name = "{0} = {1}")
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      textBlock =
          """
          webhooks.secret      | ""                          | webhooks.url needs webhooks.secret, at least 16 characters
          webhooks.secret      | hunter2                     | webhooks.secret: ***
          webhooks.secret      | whsec_hunter2hunter2!       | webhooks.secret is no base64 after whsec_
          webhooks.url         | hunter2                     | webhooks.url: ***
          webhooks.url         | ftp://hunter2               | webhooks.url: ***
          webhooks.url         | "http://h/hunter2|hunter2"  | webhooks.url is not an address
          webhooks.url         | http://[hunter2]/           | webhooks.url is not an address
          webhooks.url         | http://hunter_2hunter2:x/   | webhooks.url names no host
          webhooks.url         | http://h:70000/hunter2      | webhooks.url names no host, or a port that is none
          webhooks.console-url | http://a_b/                 | webhooks.console-url names no host
          webhooks.console-url | console.example             | http://... or https://...
          webhooks.events      | "holds,mails"               | holds, outages, budgets, reviews, digest
          webhooks.format      | SLACK                       | cloudevents, slack
          webhooks.digest-at   | 8:00 UTC                    | as 08:00 Europe/Berlin
          webhooks.digest-at   | 08:00                       | as 08:00 Europe/Berlin
          webhooks.digest-at   | 24:00 UTC                   | webhooks.digest-at: Text '24:00'
          webhooks.digest-at   | 08:00 Mars/Base             | webhooks.digest-at: Unknown time-zone ID: Mars/Base; write it as
          """)
  @DisplayName("a webhook that could not be told stops the start; the line tells no secret")
  void noWebhook(String key, String value, String words) {
    assertRefused(with(WEBHOOK, key, value), words);
  }

  @Test
  @DisplayName("the exception's causes do not tell the webhook's address either")
  void causes() {
    assertThatThrownBy(() -> read(with(WEBHOOK, "webhooks.url", "http://h/hunter2|hunter2")))
        .satisfies(
            thrown -> {
              for (Throwable each = thrown; each != null; each = each.getCause()) {
                assertThat(each.toString()).doesNotContain("hunter2");
              }
            });
  }

  @Test
  @DisplayName("a secret alone makes no webhook")
  void secretAlone() {
    assertThat(read(with(WEBHOOK, "webhooks.url", "")).webhook()).isNull();
  }
}
