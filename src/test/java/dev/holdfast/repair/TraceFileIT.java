package dev.holdfast.repair;

import static dev.holdfast.repair.Bench.NO_DIFF;
import static dev.holdfast.repair.Bench.change;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.holdfast.repair.trace.TraceFile;
import dev.holdfast.secret.Secrets;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The file that a run leaves, read as the source's documentation reads it. */
@Timeout(120)
class TraceFileIT {
  @TempDir private Path directory;
  private Path file;

  @BeforeEach
  void repair() throws Exception {
    Path runs = directory.resolve(".holdfast/runs");
    file = RepairRun.traceFile(runs, "ticket-17-run-1");
    Bench bench = new Bench();
    bench.file = new TraceFile(file, Secrets.NONE);
    bench.model.repairs(change("nowhere", "x"), NO_DIFF, NO_DIFF, change("bad 0", "good 1"));
    assertThat(bench.run().reason()).isEqualTo(EndReason.VERIFICATION_PASSED);
  }

  @Test
  @DisplayName("E47: one JSON event per line, each with type, payload, run, ticket and time")
  void lines() throws IOException {
    assertThat(Files.readAllLines(file))
        .hasSizeGreaterThan(10)
        .allSatisfy(
            line -> {
              JsonNode event = JsonMapper.shared().readTree(line);
              assertThat(event.path("type").asString()).isNotEmpty();
              assertThat(event.path("payload").isObject()).isTrue();
              assertThat(event.path("run").asString()).isEqualTo("ticket-17-run-1");
              assertThat(event.path("ticket").asLong()).isEqualTo(17);
              assertThat(event.path("at").asString()).isEqualTo("2026-11-21T08:00:00Z");
            });
  }

  @Test
  @DisplayName("E47: the three jq queries of the source")
  void jq() throws Exception {
    assumeTrue(
        Files.isExecutable(Path.of("/usr/bin/jq"))
            || Files.isExecutable(Path.of("/usr/local/bin/jq")),
        "jq is not installed");
    String all = "cat .holdfast/runs/*/trace.jsonl | ";
    assertThat(
            shell(
                all
                    + "jq 'select(.type == \"ProviderRequestFinished\") | .payload.retries' |"
                    + " sort | uniq -c"))
        .containsExactly("6 0");
    assertThat(shell(all + "jq -c 'select(.type == \"RunEscalated\")'"))
        .singleElement()
        .asString()
        .contains("\"from\":\"L2\"", "\"reason\":\"non_improving\"");
    assertThat(shell(all + "jq 'select(.type == \"RepairAttempted\") | .payload.iteration'"))
        .containsExactly("1", "2", "3");
  }

  private List<String> shell(String command) throws IOException, InterruptedException {
    Process process = new ProcessBuilder("sh", "-c", command).directory(directory.toFile()).start();
    String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).isZero();
    return out.lines().map(String::strip).toList();
  }
}
