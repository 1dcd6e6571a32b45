package dev.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.testing.EverySetup;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.WithDatabase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

@EverySetup
@WithDatabase
class BatchCommandIT {
  private final Cli cli;

  BatchCommandIT(TestDatabase database) {
    this.cli = Cli.on(database);
  }

  private Cli.Result run(String line) {
    return cli.run(line.split(" "));
  }

  @Test
  @DisplayName(
      "batch show, list, hold and cancel; release --batch; release in steps, seen, stopped")
  void whole(@TempDir Path directory) throws IOException {
    Path file = directory.resolve("t.jsonl");
    Files.writeString(file, "{\"kind\": \"nobody\"}\n".repeat(4));
    JsonNode added = run("enqueue --file " + file + " --title words --by ann --json").json();
    assertThat(added.get("added").intValue()).isEqualTo(4);
    String id = added.get("batch_id").asString();
    assertThat(run("batch show " + id).lines())
        .satisfiesExactly(
            head -> assertThat(head).startsWith("batch " + id + " \"words\", by ann at 20"),
            progress -> assertThat(progress).isEqualTo("0 of 4"),
            states ->
                assertThat(states)
                    .isEqualTo(
                        "ready 4, in progress 0, on hold 0, in review 0, done 0, cancelled 0"));
    assertThat(run("batch show " + id + " --json").json().get("total").intValue()).isEqualTo(4);
    assertThat(run("batch list").out()).contains("words", "0 of 4");
    String follower = run("enqueue --kind nobody --after-batch " + id).out().strip();
    assertThat(run("show " + follower).out()).contains("batch " + id);

    assertThat(run("batch hold " + id + " --reason wait").out())
        .startsWith("held 4 tickets of batch " + id);
    assertThat(run("list -o name --batch " + id).lines()).hasSize(4).doesNotContain(follower);
    assertThat(run("list --state on_hold -o name --batch " + id).lines()).hasSize(4);
    assertThat(run("list --state in_progress -o name --batch " + id).out()).isEmpty();
    assertThat(run("list -o name --batch 99999").out()).isEmpty();
    JsonNode release = run("release --batch " + id + " --canary 1 --ramp 2,all --json").json();
    assertThat(release.get("steps")).hasSize(3);
    assertThat(release.get("selection").get("batch_id").asString()).isEqualTo(id);
    String started = release.get("id").asString();
    assertThat(run("release show " + started).out())
        .contains(
            "release " + started + " of batch " + id + ", by",
            "steps 1, 2, all",
            "step 1 of 3: released 1 of 4, 1 wait");
    assertThat(run("release list").out())
        .contains("batch " + id + " ", "released 1 of 4")
        .doesNotContain("{");
    assertThat(run("release list --json").json().at("/0/selection/batch_id").asString())
        .isEqualTo(id);
    assertThat(run("release stop " + started + " --by bob").out()).contains("stopped by bob");
    Cli.Result again = run("release stop " + started);
    assertThat(again.code()).isEqualTo(3);
    assertThat(again.err()).contains("has ended").hasLineCount(1);

    assertThat(run("release --batch " + id).out()).startsWith("released all 3: ");
    assertThat(run("release --batch " + id).code()).isEqualTo(3);
    assertThat(
            run("batch cancel " + id + " --reason never --json").json().get("cancelled").intValue())
        .isEqualTo(4);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          batch show seven                          | 2 | is not a batch's id
          batch show 987654                         | 3 | there is no batch 987654
          batch show                                | 2 | Missing required parameter
          batch hold 987654 --reason x              | 3 | there is no batch 987654
          batch hold 1                              | 2 | --reason
          list --batch x                            | 2 | "x" is not a batch's id
          batch list --limit 0                      | 2 | the least is 1
          batch                                     | 2 | show, list, hold or cancel?
          enqueue --kind a --after-batch 987654     | 3 | there is no batch 987654
          enqueue --file nowhere --after-batch 1    | 2 | --file goes alone
          release --batch 987654                    | 3 | there is no batch 987654
          release --batch 1 --category unknown      | 2 | which tickets?
          release 1 --ramp all                      | 2 | --ramp goes with --canary
          release 1 --canary 0                      | 2 | give a number of tickets
          release 1 --canary 1 --ramp ten           | 2 | "ten" is no step
          release 1 --canary 1 --ramp all,5         | 2 | no step can come after all
          release --canary 3                        | 2 | which tickets?
          release 987654 --canary 1                 | 3 | no held ticket matches
          release show 987654                       | 3 | there is no release 987654
          release show x                            | 2 | is not a release's id
          release stop 987654                       | 3 | there is no release 987654
          """)
  @DisplayName("what cannot be done is one line that says why, with its exit code")
  void refused(String line, int code, String words) {
    Cli.Result result = run(line.strip());
    assertThat(result.err()).contains(words);
    assertThat(result.code()).isEqualTo(code);
  }
}
