package dev.holdfast.repair;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.holdfast.repair.trace.RunStats;
import dev.holdfast.repair.trace.RunSummary;
import dev.holdfast.repair.trace.TraceEvent;
import dev.holdfast.repair.trace.TraceFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.json.JsonMapper;

class RunStatsTest {
  private static final String REQUEST = "ProviderRequestFinished";

  private final List<TraceEvent> events = new ArrayList<>();
  @TempDir private Path runs;

  private RunStatsTest add(int times, String run, String type, String payload) {
    for (int i = 0; i < times; i++) {
      events.add(
          new TraceEvent(
              run, 1, "2026-11-21T08:00:00Z", type, JsonMapper.shared().readTree(payload)));
    }
    return this;
  }

  private List<String> alerts() {
    return RunStats.of(events).alerts().stream().map(RunStats.Alert::figure).toList();
  }

  @Test
  @DisplayName("E48: each figure of a golden trace of two runs")
  void figures() {
    add(7, "a", REQUEST, "{\"retries\": 0, \"success\": true}");
    add(2, "a", REQUEST, "{\"retries\": 2, \"success\": true}");
    add(1, "b", REQUEST, "{\"retries\": 3, \"success\": false}");
    add(1, "a", "RepairAttempted", "{\"iteration\": 1}");
    add(1, "a", "RepairAttempted", "{\"iteration\": 4}");
    add(1, "b", "RepairAttempted", "{\"iteration\": 1}");
    add(1, "a", "RunEscalated", "{\"from\": \"L2\", \"to\": \"L3\"}");
    add(1, "a", "StepStarted", "{\"step\": 1}").add(1, "a", "StepFinished", "{\"step\": 1}");
    add(1, "a", "StepStarted", "{\"step\": 2}").add(1, "a", "DiagnosisStarted", "{}");
    add(3, "a", "JudgeInvoked", "{}");
    add(3, "a", "CandidateGenerated", "{\"valid\": true}");
    add(1, "a", "CandidateGenerated", "{\"valid\": false}");
    assertThat(RunStats.of(events))
        .isEqualTo(new RunStats(2, 10, 2, 0.3, 0.1, 2.5, 0.5, 0.5, 0.5, 1.5, 0.75));
  }

  @Test
  @DisplayName("E48: a request that was never sent is none")
  void neverSent() {
    add(1, "a", REQUEST, "{\"retries\": 0, \"success\": true, \"sent\": true}");
    add(1, "a", REQUEST, "{\"retries\": 0, \"success\": false, \"sent\": false}");
    assertThat(RunStats.of(events).requests()).isEqualTo(1);
    assertThat(RunStats.of(events).apiFailureRate()).isZero();
    RunSummary run = RunSummary.of(events).getFirst();
    assertThat(run.requests()).isEqualTo(1);
    assertThat(run.state()).as("of a run without an end").isEqualTo("unfinished");
  }

  @Test
  @DisplayName("E49: provider retries alert above 20 % of the requests, not at it")
  void retryAlert() {
    add(4, "a", REQUEST, "{\"retries\": 0, \"success\": true}");
    add(1, "a", REQUEST, "{\"retries\": 1, \"success\": true}");
    assertThat(alerts()).isEmpty();
    add(1, "a", REQUEST, "{\"retries\": 1, \"success\": true}");
    assertThat(alerts()).containsExactly("api_retry_rate");
  }

  @Test
  @DisplayName("E49: escalations alert above 30 % of the L2 runs, not at it")
  void escalationAlert() {
    for (int i = 0; i < 10; i++) {
      add(1, "run " + i, "RunStarted", "{}");
    }
    for (int i = 0; i < 3; i++) {
      add(1, "run " + i, "RunEscalated", "{\"from\": \"L2\"}");
    }
    assertThat(alerts()).isEmpty();
    add(1, "run 3", "RunEscalated", "{\"from\": \"L2\"}");
    assertThat(alerts()).containsExactly("escalation_rate");
  }

  @Test
  @DisplayName("E49: repairs alert above 3 iterations on the average, not at it")
  void iterationAlert() {
    add(1, "a", "RepairAttempted", "{\"iteration\": 5}");
    add(1, "b", "RepairAttempted", "{\"iteration\": 1}");
    assertThat(alerts()).isEmpty();
    add(1, "b", "RepairAttempted", "{\"iteration\": 2}");
    assertThat(alerts()).containsExactly("repair_iterations");
  }

  @Test
  @DisplayName("E49: diagnoses alert above 10 % of the L3 steps, not at it")
  void diagnosisAlert() {
    for (int i = 1; i <= 10; i++) {
      add(1, "a", "StepFinished", "{\"step\": " + i + "}");
    }
    add(1, "a", "DiagnosisStarted", "{}");
    assertThat(alerts()).isEmpty();
    add(1, "a", "DiagnosisStarted", "{}");
    assertThat(alerts()).containsExactly("diagnosis_rate");
  }

  @Test
  @DisplayName("E50: every rate of an empty window is 0, and none is worth an alert")
  void empty() {
    RunStats stats = RunStats.of(List.of());
    assertThat(stats).isEqualTo(new RunStats(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0));
    assertThat(stats.apiRetryRate()).isCloseTo(0, within(0.0));
    assertThat(stats.alerts()).isEmpty();
  }

  @Test
  @DisplayName("E50: a last line that was cut off is skipped with a warning that names it")
  void cutOff() throws IOException {
    Path run = Files.createDirectories(runs.resolve("r-1"));
    Files.writeString(
        run.resolve("trace.jsonl"),
        "{\"type\":\"RunStarted\",\"payload\":{}}\n"
            + "{\"type\":\"RepairAttempted\",\"payload\":{\"ite");
    List<String> warnings = new ArrayList<>();
    List<TraceEvent> read = TraceFiles.read(runs, warnings::add);
    assertThat(read).extracting(TraceEvent::type).containsExactly("RunStarted");
    assertThat(read).extracting(TraceEvent::run).containsExactly("r-1");
    assertThat(warnings).hasSize(1);
    assertThat(warnings.getFirst()).contains("trace.jsonl, line 2");
  }
}
