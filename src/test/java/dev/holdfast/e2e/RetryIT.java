package dev.holdfast.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.holdfast.testing.EverySetup;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.WithDatabase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** The source's own tests of retries, through the program's front door. */
@Order(1) // it waits long
@WithDatabase
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@EverySetup
class RetryIT {
  /**
   * Records every retry_after that is written, with the delay from the same transaction's now().
   */
  private static final String RECORDER =
      """
      CREATE TABLE public.written (ticket_id bigint, delay_ms numeric, due timestamptz);
      CREATE FUNCTION public.record_retry_after() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        INSERT INTO public.written
        VALUES (NEW.id, round(extract(epoch FROM NEW.retry_after - now()) * 1000), NEW.retry_after);
        RETURN NULL;
      END $$;
      CREATE TRIGGER record_retry_after AFTER UPDATE ON holdfast.ticket_base FOR EACH ROW
      WHEN (NEW.retry_after IS NOT NULL AND NEW.retry_after IS DISTINCT FROM OLD.retry_after)
      EXECUTE FUNCTION public.record_retry_after();
      """;

  @AutoClose private Installation holdfast;
  private Path directory;
  private TicketRows rows;

  @BeforeAll
  void startWorker(TestDatabase database, @TempDir Path place) throws Exception {
    directory = place;
    rows = new TicketRows(database.dataSource());
    holdfast =
        Installation.on(database, directory)
            .with("HOLDFAST_RETRY_CATEGORIES_TRANSIENT_BASE_DELAY", "200ms")
            .with("HOLDFAST_RETRY_JITTER", "0");
    rows.column(RECORDER);
    holdfast.worker();
  }

  @Test
  @DisplayName("A67: a simulated API timeout is retried with backoff, and then succeeds")
  void apiTimeout() throws Exception {
    long id =
        enqueue(
            "api-timeout",
            """
            [ $HOLDFAST_ATTEMPT -ge 3 ] && { echo '{"answer": 42}'; exit; }
            echo 'APITimeoutError: Request timed out.' >&2
            exit 1
            """);
    rows.awaitState(id, "done");
    assertThat(rows.attempts(id, "outcome || ' ' || coalesce(category, '')"))
        .containsExactly("failed transient", "failed transient", "succeeded ");
    assertThat(written(id)).containsExactly("200", "400");
    assertThat(startedTooEarly(id)).isEqualTo("0");
    assertThat(rows.of(id, "result ->> 'answer'")).isEqualTo("42");
    assertThat(rows.of(id, "retry_count")).isEqualTo("2");
  }

  @Test
  @DisplayName("A30: who watches is told of each retry: when it comes and how many remain")
  void toldOfRetries() throws Exception {
    long id =
        enqueue(
            "told",
            """
            [ $HOLDFAST_ATTEMPT -ge 3 ] && exit
            echo 'HTTP 503: Service Unavailable' >&2
            exit 1
            """);

    List<MatchResult> told;
    try (HoldfastProcess watch = holdfast.start("watch", Long.toString(id))) {
      watch.awaitOutput(Pattern.compile("attempt \\d succeeded"));
      told =
          Pattern.compile(
                  "failed: transient \\(\\S+\\): .*503.*; retry \\d of 3 in \\S+ s \\((\\S+)\\),"
                      + " attempts remaining: (\\d+)")
              .matcher(watch.stdout())
              .results()
              .toList();
    }
    assertThat(told).extracting(each -> each.group(2)).containsExactly("3", "2");
    List<String> due =
        rows.column(
            "SELECT to_json(due) #>> '{}' FROM public.written WHERE ticket_id = ? ORDER BY due",
            id);
    assertThat(due).hasSize(2);
    for (int i = 0; i < due.size(); i++) {
      // A decision is logged milliseconds after the time from which its transaction counts.
      assertThat(Instant.parse(told.get(i).group(1)))
          .isCloseTo(OffsetDateTime.parse(due.get(i)).toInstant(), within(1, ChronoUnit.SECONDS));
    }
  }

  @Test
  @DisplayName("A68: a syntax error gives a single retry, at once, then on_hold: 2 executions")
  void syntaxError() throws Exception {
    long id =
        enqueue(
            "syntax-error",
            """
            echo executed >> executions
            echo 'SyntaxError: Unexpected token' >&2
            exit 1
            """);
    rows.awaitState(id, "on_hold");
    assertThat(rows.attempts(id, "outcome || ' ' || category"))
        .containsExactly("failed code_error", "failed code_error");
    assertThat(directory.resolve("executions")).hasContent("executed\nexecuted\n");
    assertThat(rows.of(id, "hold_reason")).isEqualTo("Max retries exceeded: code_error");
    assertThat(rows.of(id, "retry_count")).isEqualTo("1");
  }

  @Test
  @DisplayName("A69: a transient error gives 3 retries, then on_hold: 4 executions")
  void transientError() throws Exception {
    long id = enqueue("unavailable", "echo 'HTTP 503: Service Unavailable' >&2; exit 1");
    rows.awaitState(id, "on_hold");
    assertThat(rows.outcomes(id)).containsExactly("failed", "failed", "failed", "failed");
    assertThat(rows.of(id, "hold_reason")).isEqualTo("Max retries exceeded: transient");
  }

  @Test
  @DisplayName(
      "A70: a rate-limited ticket is retried with delays that double, ends on_hold, and a person"
          + " releases it with guidance, with which it succeeds")
  void rateLimit() throws Exception {
    long id =
        enqueue(
            "rate-limit",
            """
            [ "$HOLDFAST_GUIDANCE" ] && { echo "{\\"told\\": \\"$HOLDFAST_GUIDANCE\\"}"; exit; }
            echo 'Error code: 429 - rate limit exceeded' >&2
            exit 1
            """);
    rows.awaitState(id, "on_hold");
    assertThat(written(id)).containsExactly("200", "400", "800");
    assertThat(startedTooEarly(id)).isEqualTo("0");
    assertThat(rows.of(id, "hold_reason")).isEqualTo("Max retries exceeded: transient");

    String said =
        holdfast.ok("release", Long.toString(id), "--guidance", "use the other key", "--by", "ann");
    assertThat(said).isEqualTo("released #" + id);
    rows.awaitState(id, "done");
    assertThat(rows.of(id, "result ->> 'told'")).isEqualTo("use the other key");
    assertThat(rows.outcomes(id))
        .containsExactly("failed", "failed", "failed", "failed", "succeeded");
    assertThat(rows.of(id, "retry_count")).isEqualTo("0");
    assertThat(
            rows.value(
                "SELECT actor FROM holdfast.ticket_activity WHERE ticket_id = ? AND action ="
                    + " 'released'",
                id))
        .isEqualTo("ann");
  }

  /** A design and a ticket of it, both by command line. */
  private long enqueue(String name, String script) throws IOException, InterruptedException {
    Path file = directory.resolve(name + ".json");
    Files.writeString(file, Job.of(directory, script).design());
    assertThat(holdfast.ok("design", "put", name, "--file", file.toString()))
        .isEqualTo("design " + name + " is at version 1");
    return Long.parseLong(holdfast.ok("enqueue", "--design", name));
  }

  private List<String> written(long id) {
    return rows.column(
        "SELECT delay_ms FROM public.written WHERE ticket_id = ? ORDER BY delay_ms", id);
  }

  /** How many retries began before the delay that was decided for them was over. */
  private String startedTooEarly(long id) {
    return rows.value(
        """
        SELECT count(*) FROM holdfast.ticket_attempts a
        JOIN holdfast.ticket_attempts before
          ON before.ticket_id = a.ticket_id AND before.attempt = a.attempt - 1
        JOIN holdfast.ticket_activity d
          ON d.ticket_id = a.ticket_id AND d.action = 'retry_decision'
          AND (d.details ->> 'currentAttempt')::int = before.attempt
        WHERE a.ticket_id = ? AND (d.details ->> 'shouldRetry')::boolean
          AND a.started_at < before.finished_at
            + (d.details ->> 'nextDelayMs')::int * interval '1 ms'
        """,
        id);
  }
}
