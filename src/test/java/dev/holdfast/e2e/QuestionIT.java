package dev.holdfast.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.WithDatabase;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A program that asks a person twice, as its worker and its person see it. */
@Tag("slow")
@WithDatabase
@Timeout(200)
class QuestionIT {
  /** Its result is the document of its last attempt. */
  private static final String PROGRAM =
      """
      document=$(cat)
      case "$HOLDFAST_ANSWER" in
        '') echo '{"ask": "which colour?", "choices": ["red", "blue"]}';;
        red) echo '{"ask": "how many?", "schema": {"type": "object",\
       "properties": {"copies": {"type": "integer"}}, "required": ["copies"]}}';;
        *) echo "$document";;
      esac
      """;

  private final TicketRows rows;
  private final Path directory;
  @AutoClose private final Installation holdfast;

  QuestionIT(TestDatabase database, @TempDir Path directory) {
    this.rows = new TicketRows(database.dataSource());
    this.directory = directory;
    this.holdfast = Installation.on(database, directory);
  }

  @Test
  @DisplayName(
      "issue 22: a program asks, its person answers by command, and the next attempts have the"
          + " answers with their types")
  void asks() throws Exception {
    Files.writeString(directory.resolve("job.sh"), PROGRAM);
    Files.writeString(
        directory.resolve("design.yaml"),
        "kind: command\nreview: none\ncommand: [sh, " + directory.resolve("job.sh") + "]\n");
    holdfast.ok("design", "put", "asks", "--file", "design.yaml");
    String ticket = holdfast.ok("enqueue", "--design", "asks");
    long id = Long.parseLong(ticket);
    holdfast.worker();
    rows.awaitState(id, "on_hold");

    assertThat(holdfast.ok("show", ticket))
        .contains("held because  question: which colour?", "you may       answer, cancel")
        .contains("it asks:\n  which colour?\n  - red\n  - blue\n")
        .contains("answer it: holdfast answer " + ticket + " TEXT");
    Outcome wrong = holdfast.ask("answer", ticket, "green");
    assertThat(wrong.exit()).isEqualTo(2);
    assertThat(wrong.stderr()).contains("the answer must be one of \"red\", \"blue\"");
    assertThat(holdfast.ok("answer", ticket, "red", "--by", "ann"))
        .isEqualTo("answered #" + ticket + "; it goes on");

    TicketRows.await("the second question")
        .until(() -> "question: how many?".equals(rows.of(id, "hold_reason")));
    assertThat(holdfast.ask("answer", ticket, "--json", "{\"copies\": \"x\"}").stderr())
        .contains("copies must be of type integer");
    holdfast.ok("answer", ticket, "{\"copies\": 2}", "--by", "bob");
    rows.awaitState(id, "done");

    JsonNode answers = JsonMapper.shared().readTree(rows.of(id, "result")).path("answers");
    assertThat(answers).hasSize(2);
    assertThat(answers.get(0).path("question").stringValue()).isEqualTo("which colour?");
    assertThat(answers.get(0).path("answer").stringValue()).isEqualTo("red");
    assertThat(answers.get(1).path("by").stringValue()).isEqualTo("bob");
    assertThat(answers.get(1).path("answer").path("copies").intValue()).isEqualTo(2);
    assertThat(rows.of(id, "retry_count")).isEqualTo("0");
  }
}
