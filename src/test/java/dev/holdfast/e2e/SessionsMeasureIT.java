package dev.holdfast.e2e;

import static dev.holdfast.testing.ModelBehaviour.hangUntil;
import static dev.holdfast.testing.ModelBehaviour.toolCall;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.testing.ModelServer;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.WithDatabase;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/**
 * Measures, on demand: {@code mvn verify -Dtest=SessionsMeasureIT -Dmeasure.sessions=2000}. Its
 * figures are in docs/agents.md.
 */
@Tag("slow")
@WithDatabase
@EnabledIfSystemProperty(named = "measure.sessions", matches = "[0-9]+")
class SessionsMeasureIT {
  private static final Duration PATIENCE = Duration.ofMinutes(5);

  private final TestDatabase database;
  private final TicketRows rows;
  private final int sessions = Integer.getInteger("measure.sessions", 2000);
  @TempDir private Path directory;
  @AutoClose private final ModelServer models = ModelServer.start();

  SessionsMeasureIT(TestDatabase database) {
    this.database = database;
    this.rows = new TicketRows(database.dataSource());
  }

  private static void say(String format, Object... values) {
    System.out.println("MEASURED " + String.format(Locale.ROOT, format, values));
  }

  private static String memory(HoldfastProcess worker, String line) throws Exception {
    return Files.readAllLines(Path.of("/proc", String.valueOf(worker.pid()), "status")).stream()
        .filter(each -> each.startsWith(line))
        .findFirst()
        .orElse("?");
  }

  @Test
  @DisplayName("many sessions that wait for a slow model, in one worker with a heap of 1 GiB")
  void waiting() throws Exception {
    CountDownLatch answer = new CountDownLatch(1);
    models.always(
        hangUntil(
            answer,
            toolCall("agent__final_report", "{\"status\": \"success\", \"content\": \"done\"}")));
    Files.writeString(
        directory.resolve("design.yaml"),
        "kind: agent\ntargets: [{provider: openai, model: m}]\nlimits: {llm_timeout: 10m}\n"
            + "tools: [read_file, run_command]\n");
    try (Installation holdfast = Installation.on(database, directory)) {
      holdfast
          .with("OPENAI_API_KEY", "sk-test")
          .with("HOLDFAST_PROVIDERS_OPENAI_BASE_URL", models.openAiUrl());
      holdfast.ok("design", "put", "slow", "--file", "design.yaml");
      holdfast
          .with("JAVA_TOOL_OPTIONS", "-Xmx1g")
          .with("HOLDFAST_WORKER_CONCURRENCY", String.valueOf(sessions));
      rows.column(
          "SELECT holdfast.enqueue_ticket(design => 'slow', payload => jsonb_build_object('prompt',"
              + " repeat('work ', 1000))) FROM generate_series(1, ?)",
          sessions);
      long start = System.nanoTime();
      HoldfastProcess worker = holdfast.worker();
      Awaitility.await().atMost(PATIENCE).until(() -> models.requests().size() >= sessions);
      say("%d sessions wait after %d ms", sessions, (System.nanoTime() - start) / 1_000_000);
      say("waiting: %s, %s", memory(worker, "VmRSS"), memory(worker, "Threads"));
      say(
          "heap used: %.0f MB",
          worker.metric("jvm_memory_used_bytes{area=\"heap\",id=\"Tenured Gen\"}") / 1e6);
      long released = System.nanoTime();
      answer.countDown();
      Awaitility.await()
          .atMost(PATIENCE)
          .until(
              () ->
                  rows.value(
                          "SELECT count(*) FROM holdfast.ticket_attempts WHERE outcome ="
                              + " 'succeeded'")
                      .equals(String.valueOf(sessions)));
      say("all done %d ms after the answers", (System.nanoTime() - released) / 1_000_000);
      say("peak: %s", memory(worker, "VmHWM"));
      assertThat(models.requests()).hasSize(sessions);
    }
  }
}
