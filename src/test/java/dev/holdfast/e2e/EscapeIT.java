package dev.holdfast.e2e;

import static dev.holdfast.testing.ModelBehaviour.choose;
import static dev.holdfast.testing.ModelBehaviour.error;
import static dev.holdfast.testing.ModelBehaviour.toolCall;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.testing.ModelServer;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TicketDatabase;
import dev.holdfast.testing.WithDatabase;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Pattern;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** A person at a terminal who watches a ticket that a worker process runs. */
@Tag("slow")
@WithDatabase
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(180)
@EnabledOnOs(OS.LINUX)
class EscapeIT {
  private static final String ESCAPE = "\u001b";
  private static final String ARROW = "\u001b[A";
  private static final String CONTROL_C = "\u0003";
  private static final String REPORT = "{\"status\": \"success\", \"content\": \"done\"}";
  private static final Pattern MODE =
      Pattern.compile("(?m)^(?:\\^C|\\r|\\e\\[K)*([0-9a-f]+:[0-9a-f:]+)\\s*$");
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private TicketDatabase tickets;
  @AutoClose private final ModelServer models = ModelServer.start();
  @AutoClose private Installation holdfast;

  @BeforeAll
  void install(TestDatabase database, @TempDir Path directory) throws Exception {
    tickets = new TicketDatabase(database);
    holdfast =
        Installation.on(database, directory)
            .with("OPENAI_API_KEY", "sk-escape")
            .with("HOLDFAST_PROVIDERS_OPENAI_BASE_URL", models.openAiUrl())
            .with("HOLDFAST_PROVIDERS_LIMITED_TYPE", "openai")
            .with("HOLDFAST_PROVIDERS_LIMITED_BASE_URL", models.openAiUrl())
            .with("HOLDFAST_PROVIDERS_LIMITED_API_KEY", "sk-limited")
            .with("HOLDFAST_SESSION_RETRY_BASE_DELAY", "10m");
    holdfast.worker();
  }

  private long enqueue(String provider) throws Exception {
    Files.writeString(
        holdfast.directory().resolve("design.yaml"),
        "kind: agent\nreview: none\ntargets: [{provider: "
            + provider
            + ", model: gpt-a}]\nlimits: {max_retries: 1}\n");
    holdfast.ok("design", "put", "escape", "--file", "design.yaml");
    return Long.parseLong(
        holdfast.ok("enqueue", "--design", "escape", "--payload", "{\"prompt\": \"go\"}"));
  }

  @Test
  @DisplayName(
      "D27, D31: Escape at a terminal ends the retry that a worker's session waits in, an arrow key"
          + " does not; Ctrl-C leaves the terminal as it was")
  void sessionRetry() throws Exception {
    models.always(error(500, "server_error", "the server broke"));
    long id = enqueue("openai");
    HoldfastProcess watch = holdfast.startOnTerminal("watch", "" + id);
    watch.awaitOutput(Pattern.compile("Retrying \\(1/3\\) in \\d{3}s… \\(esc to cancel\\)"));
    watch.press(ARROW);
    watch.awaitOutput(Pattern.compile("Retrying \\(1/3\\) in 5\\d[0-4]s… \\(esc to cancel\\)"));
    assertThat(watch.toString()).doesNotContain("ending the retry");

    watch.press(ESCAPE);

    watch.awaitOutput(Pattern.compile("ending the retry of #" + id));
    watch.awaitOutput(Pattern.compile("Retry failed after 1 attempts: Retry cancelled"));
    assertThat(
            tickets.column(
                "SELECT event FROM holdfast.session_events WHERE ticket_id = ? AND event LIKE"
                    + " 'auto_retry%' ORDER BY id",
                id))
        .containsExactly("auto_retry_start", "auto_retry_end");
    watch.press(CONTROL_C);
    assertModeRestored(watch);
  }

  @Test
  @DisplayName("D31: Escape has a ticket that waits for its provider tried now")
  void deferral() throws Exception {
    AtomicBoolean limited = new AtomicBoolean(true);
    models.always(
        choose(
            request ->
                limited.get()
                    ? error(429, "rate_limit_exceeded", "slow down", Map.of("retry-after", "600"))
                    : toolCall("agent__final_report", REPORT)));
    long id = enqueue("limited");
    HoldfastProcess watch = holdfast.startOnTerminal("watch", "" + id);
    watch.awaitOutput(Pattern.compile("Waiting until \\S+Z, in \\d+s… for .*\\(esc to try now\\)"));
    limited.set(false);

    watch.press(ESCAPE);

    watch.awaitOutput(Pattern.compile("#" + id + " is tried now"));
    Awaitility.await().atMost(PATIENCE).until(() -> tickets.state(id).equals("done"));
    watch.awaitOutput(Pattern.compile("attempt \\d succeeded"));
    assertThat(tickets.number("SELECT retry_count FROM holdfast.tickets WHERE id = ?", id))
        .isZero();
    watch.press(CONTROL_C);
    assertModeRestored(watch);
  }

  /** The shell prints the mode before and after the command. */
  private static void assertModeRestored(HoldfastProcess watch) throws InterruptedException {
    String printed = watch.awaitOutcome().stdout();
    List<String> modes = MODE.matcher(printed).results().map(each -> each.group(1)).toList();
    assertThat(modes).as(printed).hasSize(2);
    assertThat(modes.getFirst()).isEqualTo(modes.getLast());
  }
}
