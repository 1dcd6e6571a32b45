package dev.holdfast.config;

import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;

/** The HTTP port, the webhook, and the token of assistants. */
final class WebKeys {
  static final Keys.Section SECTION = new Keys.Section();

  private static final KeyType<String> ADDRESS =
      new KeyType.Text(Pattern.compile("|https?://\\S+"), "http://... or https://...");

  static final Key<Integer> PORT =
      SECTION.key(
          "web.port",
          new KeyType.Whole("", 0, 65_535),
          "8080",
          "The port of /health, /metrics, the API and the console. 0 takes a free one and prints"
              + " it.");
  static final Key<String> HOST =
      SECTION.key(
          "web.host",
          new KeyType.Text(Pattern.compile("[A-Za-z0-9.:_-]{1,255}"), "a host name or address"),
          "127.0.0.1",
          "The address to listen on. Any but a loopback one needs web.tokens or web.auth.");
  static final Key<List<String>> TOKENS =
      SECTION.secret(
          "web.tokens",
          new KeyType.Texts(
              Pattern.compile(
                  "(viewer|operator)(/[A-Za-z0-9][A-Za-z0-9._@-]{0,63})?"
                      + ":(sha256:[0-9A-Fa-f]{64}|(?!sha256:)\\S{16,})"),
              "entries viewer:TOKEN or operator/NAME:TOKEN, TOKEN of at least 16 characters or its"
                  + " hash sha256:HEX"),
          "Bearer tokens of the API and the console, each after its role and, with a slash, the"
              + " name of whose it is, under which its actions are recorded. holdfast token makes"
              + " one with its hash, which is all that need stand here. Without any, only this"
              + " machine may connect.");
  static final Key<Integer> REQUESTS_PER_MINUTE =
      SECTION.key(
          "web.requests-per-minute",
          new KeyType.Whole("requests", 0, 1_000_000),
          "6000",
          "How many requests each visitor may send a minute, counted for each token, or else for"
              + " each address. 0 is no bound.");
  static final Key<Integer> CONCURRENT_REQUESTS =
      SECTION.key(
          "web.concurrent-requests",
          new KeyType.Whole("requests", 1, 10_000),
          "8",
          "How many requests to the API and the console are answered at once. One more waits up to"
              + " two seconds, then it is refused with 503 and Retry-After. Event streams and what"
              + " needs no token, as health, metrics and logins, do not count.");
  static final Key<Integer> POOL_SIZE =
      SECTION.key(
          "web.pool-size",
          new KeyType.Whole("connections", 1, 500),
          "3",
          "Database connections of the API and the console at most. They are not those of"
              + " database.pool-size, so viewers take none from jobs and heartbeats.");
  static final Key<Duration> STATEMENT_TIMEOUT =
      SECTION.key(
          "web.statement-timeout",
          new KeyType.Span(Duration.ofSeconds(1), Duration.ofMinutes(10)),
          "10s",
          "How long one statement of the API or the console may take; what takes longer is"
              + " cancelled and answered with 503. Whole seconds.");
  static final Key<String> MCP_TOKEN =
      SECTION.secret(
          "mcp.token",
          KeyType.Text.ANY,
          "The token of web.tokens under which holdfast mcp acts; needed where there are any.");
  static final Key<String> WEBHOOKS_URL =
      SECTION.secret(
          "webhooks.url",
          ADDRESS,
          "Who is told of each new hold, by POST of a CloudEvent; see docs/api.md. Needs"
              + " webhooks.secret.");
  static final Key<String> WEBHOOKS_SECRET =
      SECTION.secret(
          "webhooks.secret",
          KeyType.Text.LONG_SECRET,
          "Signs what is sent to webhooks.url. Behind whsec_ it is base64 of the key, as Standard"
              + " Webhooks has it; otherwise its bytes are the key.");
  static final Key<Duration> WEBHOOKS_TIMEOUT =
      SECTION.key(
          "webhooks.timeout",
          new KeyType.Span(Duration.ofMillis(100), Duration.ofMinutes(1)),
          "10s",
          "How long the receiver may take to answer.");
  static final Key<Duration> WEBHOOKS_GIVE_UP_AFTER =
      SECTION.key(
          "webhooks.give-up-after",
          new KeyType.Span(Duration.ofSeconds(1), Duration.ofDays(30)),
          "1d",
          "How long an event that is not taken is tried again, ever less often, before the next one"
              + " is told.");
  static final Key<String> WEBHOOKS_CONSOLE_URL =
      SECTION.key(
          "webhooks.console-url",
          ADDRESS,
          "",
          "Where people reach the console, for the links in what is told, for web.auth.oidc-issuer,"
              + " and for logins behind a proxy that changes the host. The console needs a host"
              + " name of its own: it does not work below a path. Empty gives no links.");
  static final Key<WebhookSettings.Format> WEBHOOKS_FORMAT =
      SECTION.key(
          "webhooks.format",
          new KeyType.Choice<>(
              List.of(WebhookSettings.Format.values()), WebhookSettings.Format::wireName),
          "cloudevents",
          "What is sent: a CloudEvent in JSON, or for slack the sentence alone, as {\"text\": ...},"
              + " which many chats take.");
  static final Key<Duration> WEBHOOKS_GROUP_WAIT =
      SECTION.key(
          "webhooks.group-wait",
          new KeyType.Span(Duration.ZERO, Duration.ofHours(1)),
          "10s",
          "How long a new hold waits for others with the same error, of which people are told in"
              + " one message, and longer while they keep coming; 0s tells of each by itself, at"
              + " once.");
  static final Key<String> WEBHOOKS_QUIET_HOURS =
      SECTION.key(
          "webhooks.quiet-hours",
          new KeyType.Text(
              Pattern.compile("|\\d\\d:\\d\\d-\\d\\d:\\d\\d \\S+"), "as 22:00-07:00 Europe/Berlin"),
          "",
          "When nothing is sent, each day, in the time of the zone; what came meanwhile is told"
              + " afterwards. Empty is never.");

  private WebKeys() {}
}
