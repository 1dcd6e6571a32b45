package dev.holdfast.e2e;

import static dev.holdfast.testing.ModelBehaviour.answer;
import static dev.holdfast.testing.ModelBehaviour.toolCall;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.testing.ModelBehaviour;
import dev.holdfast.testing.ModelRequest;
import dev.holdfast.testing.ModelServer;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TicketDatabase;
import dev.holdfast.testing.WithDatabase;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What people read of sessions that run side by side in a real worker and end without a report. */
@Tag("slow")
@WithDatabase
@Timeout(240)
class SessionLogIT {
  private static final int SESSIONS = 6;
  private static final String DESIGN =
      """
      kind: agent
      targets: [{provider: openai, model: gpt-a}]
      tools: [run_command]
      limits: {max_turns: 2}
      retry: {categories: {code_error: {max_retries: 0}}}
      """;

  private final TestDatabase database;
  private final TicketRows rows;
  private final CountDownLatch allAsked = new CountDownLatch(SESSIONS);
  @TempDir private Path directory;
  @AutoClose private final ModelServer models = ModelServer.start();
  @AutoClose private @Nullable Installation installation;

  SessionLogIT(TestDatabase database) {
    this.database = database;
    this.rows = new TicketRows(database.dataSource());
  }

  /**
   * Nobody is answered before all have asked; every other session calls a tool that is not there.
   */
  private ModelBehaviour answerTo(ModelRequest request) {
    allAsked.countDown();
    boolean odd = request.messages().toString().contains("odd");
    return ModelBehaviour.hangUntil(
        allAsked, odd ? toolCall("agent__final_report", "{\"status\"") : answer("I am done."));
  }

  @Test
  @DisplayName(
      "B72, B53, B54: of sessions side by side each line of the log has its ticket, attempt and"
          + " turn, each try a line with its model, tokens and cost; the held tickets say in words"
          + " what happened, and are grouped by that")
  void log() throws Exception {
    new TicketDatabase(database).run("DELETE FROM holdfast.provider_cooldowns");
    models.always(ModelBehaviour.choose(this::answerTo));
    Installation holdfast =
        Installation.on(database, directory)
            .with("OPENAI_API_KEY", "sk-test")
            .with("HOLDFAST_PROVIDERS_OPENAI_BASE_URL", models.openAiUrl())
            .with(
                "HOLDFAST_PROVIDERS_OPENAI_PRICES",
                "[{model: \"gpt-*\", input: 1000, output: 2000}]");
    installation = holdfast;
    Files.writeString(directory.resolve("design.yaml"), DESIGN);
    holdfast.ok("design", "put", "talker", "--file", "design.yaml");
    List<Long> tickets = new ArrayList<>();
    for (int i = 0; i < SESSIONS; i++) {
      String prompt = "{\"prompt\": \"" + (i % 2 == 0 ? "even" : "odd") + "\"}";
      tickets.add(
          Long.parseLong(
              holdfast.ok("enqueue", "--design", "talker", "--queue", "log", "--payload", prompt)));
    }
    HoldfastProcess worker = holdfast.worker("--queue", "log");
    tickets.forEach(id -> rows.awaitState(id, "on_hold"));

    List<String> lines =
        worker.stderr().lines().filter(line -> line.contains(".SessionEvents -")).toList();
    assertThat(lines)
        .hasSizeGreaterThan(6 * SESSIONS)
        .allMatch(line -> line.matches(".* - ?ticket=\\d+ attempt=1 turn=[12] .*"));
    for (long id : tickets) {
      assertThat(lines.stream().filter(line -> line.contains("ticket=" + id + " ")))
          .filteredOn(line -> line.contains(" try "))
          .hasSize(6)
          .allMatch(
              line ->
                  line.matches(
                      ".* try [123] of openai/gpt-a: \\w+, \\d+ tokens in, \\d+ out, 0\\.\\d+ USD,"
                          + " \\d+ ms"));
    }
    assertWords(tickets);
  }

  private void assertWords(List<Long> tickets) throws Exception {
    List<String> prints = new ArrayList<>();
    for (int i = 0; i < SESSIONS; i++) {
      long id = tickets.get(i);
      assertThat(rows.of(id, "hold_reason")).isEqualTo("Max retries exceeded: code_error");
      assertThat(rows.of(id, "error"))
          .startsWith("The agent gave no final report in its last turn: ")
          .contains(
              " answers of models, ", " USD by the price tables so far. ", "release the ticket")
          .contains(i % 2 == 0 ? "called no tool" : "its parameters are not a JSON object");
      prints.add(rows.of(id, "error_fingerprint"));
      assertThat(java.util.Objects.requireNonNull(installation).ok("show", Long.toString(id)))
          .contains("The session has cost 6 answers of models", "EXIT-MAX-TURNS-NO-RESPONSE");
    }
    assertThat(prints.stream().distinct()).as("groups: %s", prints).hasSize(2);
    assertThat(prints.get(0)).isEqualTo(prints.get(2)).isNotEqualTo(prints.get(1));
  }
}
