package dev.holdfast.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.testing.ModelRequest;
import dev.holdfast.testing.RawModelServer;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.WithDatabase;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** How long a real worker leaves a provider alone whose answers ask for it in every odd way. */
@Tag("slow")
@WithDatabase
@Timeout(120)
class HintsOfServersIT {
  private static final Duration WITHOUT_HINT = Duration.ofSeconds(77);
  private static final String LIMITED =
      "{\"error\":{\"message\":\"Slow down. Please try again in"
          + " 60s.\",\"type\":\"requests\",\"code\":\"rate_limit_exceeded\"}}";

  /** An answer, and for how many seconds nobody calls its provider then. */
  private enum Answer {
    ONE_OF_THREE(44, "retry-after-ms: 44000", "Retry-After: 50"),
    REPEATED(40, "Retry-After: 40", "retry-after: soon"),
    GARBAGE(60, "Retry-After: soon please", "x-ratelimit-reset-requests: \u0001"),
    NEGATIVE(60, "Retry-After: -5"),
    /** At once, and after the same answer again for twice the time without a hint. */
    PAST(154, "Retry-After: " + httpDate(Duration.ofHours(-2))),
    SKEWED(
        42,
        "Date: " + httpDate(Duration.ofHours(1)),
        "Retry-After: " + httpDate(Duration.ofHours(1).plusSeconds(42))),
    A_YEAR(3600, "Retry-After: 31536000"),
    FOLDED(60, "Retry-After:\r\n 41");

    private final long seconds;
    private final List<String> headers;

    Answer(long seconds, String... headers) {
      this.seconds = seconds;
      this.headers = List.of(headers);
    }
  }

  private final TicketRows rows;
  @AutoClose private final RawModelServer models = RawModelServer.start(HintsOfServersIT::answer);
  @AutoClose private final Installation holdfast;

  HintsOfServersIT(TestDatabase database, @TempDir Path directory) {
    rows = new TicketRows(database.dataSource());
    holdfast =
        Installation.on(database, directory)
            .with("HOLDFAST_COOLDOWN_BASE_DELAY", WITHOUT_HINT.toSeconds() + "s")
            .with("HOLDFAST_COOLDOWN_WAIT_IN_SESSION", "0s");
  }

  private static String httpDate(Duration fromNow) {
    return DateTimeFormatter.RFC_1123_DATE_TIME.format(
        ZonedDateTime.now(ZoneOffset.UTC).plus(fromNow));
  }

  private static void answer(ModelRequest request, Socket to) throws IOException {
    switch (request.model()) {
      case "huge" -> hugeHead(to);
      case "stream" -> errorInStream(to);
      default -> limited(to, Answer.valueOf(request.model()).headers, LIMITED);
    }
  }

  private static void limited(Socket to, List<String> headers, String body) throws IOException {
    List<String> lines = new ArrayList<>(List.of("HTTP/1.1 429 Too Many Requests"));
    lines.addAll(headers);
    lines.addAll(List.of("Connection: close", "", body));
    RawModelServer.write(to, lines.toArray(String[]::new));
  }

  private static void errorInStream(Socket to) throws IOException {
    RawModelServer.write(
        to,
        "HTTP/1.1 200 OK",
        "Content-Type: text/event-stream",
        "Retry-After: 43",
        "Connection: close",
        "",
        "data: {\"error\":{\"message\":\"Slow"
            + " down.\",\"type\":\"requests\",\"code\":\"rate_limit_exceeded\"}}",
        "");
  }

  private static void hugeHead(Socket to) throws IOException {
    OutputStream out = to.getOutputStream();
    out.write("HTTP/1.1 429 Too Many Requests\r\n".getBytes(StandardCharsets.US_ASCII));
    byte[] line = ("x-filler: " + "x".repeat(1000) + "\r\n").getBytes(StandardCharsets.US_ASCII);
    for (int i = 0; i < 10_000; i++) {
      out.write(line);
    }
    out.write("Retry-After: 45\r\nContent-Length: 0\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
  }

  private long enqueue(String model) {
    String name = model.toLowerCase(Locale.ROOT).replace('_', '-');
    rows.column(
        "INSERT INTO holdfast.designs (name, version, kind, definition) VALUES (?, 1, 'agent',"
            + " ?::jsonb)",
        name,
        "{\"kind\": \"agent\", \"targets\": [{\"provider\": \"%s\", \"model\": \"%s\"}]}"
            .formatted(name, model));
    return rows.enqueue(name, name);
  }

  private void writeProviders(List<String> models) throws IOException {
    StringBuilder yaml = new StringBuilder("providers:\n");
    for (String model : models) {
      yaml.append("  ").append(model.toLowerCase(Locale.ROOT).replace('_', '-'));
      yaml.append(":\n    type: openai\n    api-key: sk-key\n    base-url: ");
      yaml.append(this.models.url()).append("/v1\n");
    }
    Files.writeString(holdfast.directory().resolve("holdfast.yaml"), yaml);
  }

  private void awaitDeferral(long id) {
    TicketRows.await("ticket " + id + " is put off")
        .until(() -> rows.outcomes(id).contains("deferred"));
  }

  private String cooldown(long id) {
    return rows.value(
        "SELECT c.reason || ' ' || c.length_ms / 1000 FROM holdfast.provider_cooldowns c JOIN"
            + " holdfast.tickets t ON c.provider = t.queue WHERE t.id = ?",
        id);
  }

  @Test
  @DisplayName(
      "B28, A24, issue 19: of an answer one hint is read; headers that are repeated, folded,"
          + " garbage, negative, in the past, an hour off, a year or 10 MB long, and an error"
          + " inside a stream of a 200 lead to a wait that is right, and to no failed ticket")
  void hints() throws Exception {
    List<String> all = new ArrayList<>(List.of("huge", "stream"));
    for (Answer each : Answer.values()) {
      all.add(each.name());
    }
    writeProviders(all);
    HoldfastProcess worker = holdfast.worker();
    Map<Answer, Long> ids = new EnumMap<>(Answer.class);
    for (Answer each : Answer.values()) {
      ids.put(each, enqueue(each.name()));
    }
    long huge = enqueue("huge");
    long stream = enqueue("stream");

    ids.forEach(
        (answer, id) -> {
          awaitDeferral(id);
          assertThat(cooldown(id)).as(answer.name()).isEqualTo("rate_limit " + answer.seconds);
        });
    awaitDeferral(stream);
    assertThat(cooldown(stream)).isEqualTo("rate_limit 43");
    awaitDeferral(huge);
    assertThat(cooldown(huge)).as("no such answer is read").isEqualTo("outage 77");
    assertThat(rows.column("SELECT DISTINCT retry_count::text FROM holdfast.tickets"))
        .containsExactly("0");
    assertThat(worker.isAlive()).isTrue();
  }
}
