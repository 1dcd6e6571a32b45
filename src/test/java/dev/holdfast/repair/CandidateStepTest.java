package dev.holdfast.repair;

import static dev.holdfast.repair.Bench.NO_DIFF;
import static dev.holdfast.repair.Bench.change;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.llm.ProviderEvent;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tools.jackson.databind.JsonNode;

/** L3 steps, reached by two repairs that improve nothing. */
@Timeout(120)
class CandidateStepTest {
  private static final String BROKEN = change("nowhere", "x");
  private static final String NO_OP = change("bad 0", "bad 0");

  private Bench bench;

  @BeforeEach
  void prepare() {
    bench = new Bench();
  }

  /** Of the first step's candidates, in order, and of what comes later. */
  private void candidates(String... answers) {
    String[] all = new String[answers.length + 2];
    all[0] = NO_DIFF;
    all[1] = NO_DIFF;
    System.arraycopy(answers, 0, all, 2, answers.length);
    bench.model.repairs(all);
  }

  private JsonNode payload(String type) {
    return bench.payloads(type).getFirst();
  }

  @Test
  @DisplayName(
      "E26, E27, E28: three candidates, each traced with its validity; the smallest that passes")
  void smallestPassing() throws Exception {
    candidates(change("bad 0", "good 1\nmore\nlines"), change("bad 0", "good 2"), NO_DIFF);
    RunEnd end = bench.run();
    assertThat(end.reason()).isEqualTo(EndReason.VERIFICATION_PASSED);
    assertThat(end.tree().diff()).contains("good 2");
    assertThat(bench.payloads("CandidateGenerated"))
        .extracting(each -> each.path("valid").asBoolean())
        .containsExactlyInAnyOrder(true, true, false);
    assertThat(bench.payloads("CandidateEvaluated")).hasSize(2);
    assertThat(payload("StepFinished").path("outcome").asString()).isEqualTo("passing");
    assertThat(payload("StepFinished").path("judge").isNull()).isTrue();
    assertThat(bench.types()).doesNotContain("JudgeInvoked");
  }

  @Test
  @DisplayName(
      "E30, E39: two that pass with diffs of one size go to the judge; StepFinished says so")
  void judge() throws Exception {
    candidates(change("bad 0", "good 1"), change("bad 0", "good 2"), change("bad 0", "good 3"));
    bench.model.judges("Sure. {\"winner\": 3, \"confidence\": \"high\", \"why\": \"x\"}");
    RunEnd end = bench.run();
    String third = bench.model.answerTo("candidate 3 of 3");
    assertThat(third).contains(end.tree().diff().strip().substring(1));
    assertThat(end.tree().diff()).isIn("+good 1\n", "+good 2\n", "+good 3\n");
    assertThat(payload("JudgeInvoked").path("candidates").toString()).isEqualTo("[1,2,3]");
    assertThat(payload("JudgeDecided").path("winner").asInt()).isEqualTo(3);
    JsonNode judge = payload("StepFinished").path("judge");
    assertThat(judge.path("winner").asInt()).isEqualTo(3);
    assertThat(judge.path("confidence").asString()).isEqualTo("high");
  }

  @Test
  @DisplayName(
      "E31: a judge who fails, or names nobody in question: the best-ranked, low confidence")
  void judgeFails() throws Exception {
    for (String answer :
        new String[] {ScriptedModel.BROKEN, ScriptedModel.LIMITED, "no", "{\"winner\": 9}"}) {
      prepare();
      candidates(change("bad 0", "good 1"), change("bad 0", "good 2"), NO_DIFF);
      bench.model.judges(answer);
      assertThat(bench.run().reason()).isEqualTo(EndReason.VERIFICATION_PASSED);
      assertThat(payload("JudgeFailed").path("error").asString()).as(answer).isNotEmpty();
      assertThat(payload("StepFinished").path("judge").path("confidence").asString())
          .isEqualTo("low");
      assertThat(payload("StepFinished").path("candidate").asInt())
          .isEqualTo(payload("JudgeFailed").path("winner").asInt());
    }
  }

  @Test
  @DisplayName("E29, T17: none passes: the reviewer ranks, and L2 goes on from its choice")
  void reviewer() throws Exception {
    // Which of the candidates is the second is open: they are asked for at once. The last answer
    // fits each.
    candidates(
        change("bad 0", "worse\nx"),
        change("bad 0", "worse\ny"),
        change("bad 0", "worse\nz"),
        change("worse", "good 4"));
    bench.model.reviews(
        "{\"rankings\": [{\"candidate\": 1, \"score\": 2}, {\"candidate\": 2, \"score\": \"9\"},"
            + " {\"candidate\": 3, \"score\": 5}]}");
    RunEnd end = bench.run();
    assertThat(payload("ReviewFinished").path("ranked").path(0).path("candidate").asInt())
        .isEqualTo(2);
    assertThat(payload("StepFinished").path("outcome").asString()).isEqualTo("best_ranked");
    assertThat(payload("StepFinished").path("candidate").asInt()).isEqualTo(2);
    assertThat(bench.types()).doesNotContain("JudgeInvoked");
    assertThat(end.reason()).isEqualTo(EndReason.VERIFICATION_PASSED);
  }

  @Test
  @DisplayName("E30: the reviewer's top two within 1 of each other go to the judge")
  void nearTie() throws Exception {
    candidates(change("bad 0", "x 1"), change("bad 0", "y 2"), change("bad 0", "z 3"), NO_DIFF);
    bench.model.reviews(
        "{\"rankings\": [{\"candidate\": 1, \"score\": 8}, {\"candidate\": 2, \"score\": 9},"
            + " {\"candidate\": 3, \"score\": 5}]}");
    bench.model.judges("{\"winner\": 1, \"confidence\": \"medium\"}");
    bench.run();
    assertThat(payload("JudgeInvoked").path("candidates").toString()).isEqualTo("[2,1]");
    assertThat(payload("StepFinished").path("candidate").asInt()).isEqualTo(1);
  }

  @Test
  @DisplayName("E32: without reviewer and judge: what fails least, the smallest, the first")
  void nobodyLooks() throws Exception {
    bench.l3 = new RepairSettings.Candidates(3, false, false, 4);
    candidates(
        change("bad 0", "x 1\nmore"), change("bad 0", "y 2"), change("bad 0", "z 3"), NO_DIFF);
    bench.run();
    assertThat(bench.types()).doesNotContain("JudgeInvoked", "ReviewFinished");
    JsonNode smallest =
        bench.payloads("CandidateEvaluated").stream()
            .filter(each -> each.path("lines").asInt() == 2)
            .min(java.util.Comparator.comparingInt(each -> each.path("candidate").asInt()))
            .orElseThrow();
    assertThat(payload("StepFinished").path("candidate").asInt())
        .isEqualTo(smallest.path("candidate").asInt());
  }

  @Test
  @DisplayName("E33: two outputs in a row without a valid patch end the step and the run")
  void invalid() throws Exception {
    candidates(NO_DIFF);
    RunEnd end = bench.run();
    assertThat(end.reason()).isEqualTo(EndReason.INVALID_OUTPUT);
    assertThat(end.detail()).startsWith("3 outputs in a row had no valid patch");
    assertThat(bench.payloads("CandidateGenerated")).hasSize(3);
    assertThat(payload("StepFinished").path("outcome").asString()).isEqualTo("invalid_output");
  }

  @Test
  @DisplayName("E33: the row goes on over attempts; a valid patch, though it fails, ends it")
  void invalidInARow() throws Exception {
    bench.l3 = new RepairSettings.Candidates(1, true, true, 6);
    candidates(NO_DIFF, BROKEN, NO_DIFF, NO_DIFF, change("bad 0", "good 1"));
    assertThat(bench.run().reason()).isEqualTo(EndReason.INVALID_OUTPUT);
    assertThat(bench.payloads("CandidateGenerated"))
        .extracting(each -> each.path("valid").asBoolean())
        .containsExactly(false, true, false, false);
  }

  @Test
  @DisplayName("E33: a valid patch that was paid for with two invalid outputs is tried")
  void oneValid() throws Exception {
    candidates(NO_DIFF, NO_DIFF, change("bad 0", "good 1"));
    assertThat(bench.run().reason()).isEqualTo(EndReason.VERIFICATION_PASSED);
  }

  @Test
  @DisplayName(
      "E44: a patch that changes nothing is valid and applied, and is neither taken nor an apply"
          + " failure")
  void noOp() throws Exception {
    candidates(NO_OP, NO_OP, NO_OP, NO_OP, NO_OP, NO_OP, change("bad 0", "good 1"));
    assertThat(bench.run().reason()).isEqualTo(EndReason.VERIFICATION_PASSED);
    assertThat(bench.payloads("CandidateGenerated"))
        .allMatch(each -> each.path("valid").asBoolean());
    assertThat(bench.payloads("CandidateEvaluated").subList(0, 6))
        .allMatch(each -> each.path("applied").asBoolean() && each.path("lines").asInt() == 0);
    assertThat(bench.types()).doesNotContain("DiagnosisStarted");
  }

  @Test
  @DisplayName(
      "E34, E35, E36, E37: the same apply error twice: a diagnosis, its most confident hypothesis"
          + " in the next prompt, the counter at 0, and a third attempt")
  void diagnosis() throws Exception {
    candidates(
        BROKEN,
        BROKEN,
        BROKEN,
        BROKEN,
        BROKEN,
        BROKEN,
        BROKEN,
        BROKEN,
        BROKEN,
        change("bad 0", "good 1"));
    bench.model.diagnoses(
        "{\"hypotheses\": [{\"hypothesis\": \"wrong file\", \"confidence\": 0.2},"
            + " {\"hypothesis\": \"THE TEXT IS STALE\", \"confidence\": 0.9},"
            + " {\"hypothesis\": \"third\", \"confidence\": 0.5},"
            + " {\"hypothesis\": \"one branch too many\", \"confidence\": 1.0}]}");
    RunEnd end = bench.run();
    assertThat(bench.payloads("DiagnosisStarted")).hasSize(1);
    assertThat(payload("DiagnosisStarted").path("attempt").asInt()).isEqualTo(2);
    assertThat(payload("DiagnosisCompleted").path("hypothesis").asString())
        .isEqualTo("THE TEXT IS STALE");
    assertThat(bench.model.prompts().getLast()).contains("THE TEXT IS STALE");
    assertThat(end.reason())
        .as("the attempt behind the diagnosis failed once and there was another")
        .isEqualTo(EndReason.VERIFICATION_PASSED);
    assertThat(end.known()).anyMatch(each -> each.contains("THE TEXT IS STALE"));
  }

  @Test
  @DisplayName("E34: another apply error counts from 1, and no diagnosis is made")
  void differentErrors() throws Exception {
    candidates(
        BROKEN,
        BROKEN,
        BROKEN,
        change("elsewhere", "x"),
        change("elsewhere", "x"),
        change("elsewhere", "x"),
        change("bad 0", "good 1"));
    assertThat(bench.run().reason()).isEqualTo(EndReason.VERIFICATION_PASSED);
    assertThat(bench.types()).doesNotContain("DiagnosisStarted");
  }

  @Test
  @DisplayName(
      "E37: the attempts of a step are bounded: the same error behind a diagnosis ends the run")
  void bounded() throws Exception {
    candidates(BROKEN);
    bench.model.diagnoses("{\"hypotheses\": [{\"hypothesis\": \"h\", \"confidence\": 1}]}");
    RunEnd end = bench.run();
    assertThat(end.reason()).isEqualTo(EndReason.REPEATED_FAILURE);
    assertThat(bench.payloads("CandidateGenerated")).hasSize(12);
    assertThat(bench.payloads("DiagnosisStarted")).hasSize(1);
  }

  @Test
  @DisplayName("E34: an error that any candidate meets again counts on, whoever it is")
  void errorChangesPlaces() throws Exception {
    candidates(
        BROKEN,
        change("here", "x"),
        change("there", "x"),
        change("anywhere", "x"),
        change("elsewhere", "x"),
        BROKEN,
        change("bad 0", "good 1"));
    bench.model.diagnoses("{\"hypotheses\": [{\"hypothesis\": \"h\", \"confidence\": 1}]}");
    assertThat(bench.run().reason()).isEqualTo(EndReason.VERIFICATION_PASSED);
    assertThat(payload("DiagnosisStarted").path("attempt").asInt()).isEqualTo(2);
  }

  @Test
  @DisplayName("E37: a step without a candidate that applies ends with what the last one met")
  void noneApplied() throws Exception {
    bench.l3 = new RepairSettings.Candidates(1, true, true, 1);
    candidates(BROKEN);
    assertThat(bench.run().detail())
        .startsWith(
            "no candidate of 1 attempts applied: An earlier patch did not apply: not found:"
                + " nowhere");
  }

  @Test
  @DisplayName("E36: while attempts are left the failures count anew behind each diagnosis")
  void diagnoses() throws Exception {
    bench.l3 = new RepairSettings.Candidates(1, true, true, 6);
    candidates(BROKEN);
    bench.model.diagnoses(
        "{\"hypotheses\": [{\"hypothesis\": \"first\", \"confidence\": 1}]}",
        "{\"hypotheses\": [{\"hypothesis\": \"second\", \"confidence\": 1}]}");
    RunEnd end = bench.run();
    assertThat(end.reason()).isEqualTo(EndReason.REPEATED_FAILURE);
    assertThat(bench.payloads("DiagnosisCompleted"))
        .extracting(each -> each.path("hypothesis").asString())
        .containsExactly("first", "second");
    assertThat(bench.payloads("CandidateGenerated")).hasSize(6);
    assertThat(bench.model.prompts().getLast()).contains("first", "second");
  }

  @Test
  @DisplayName("C23: a judge's answer that is no JSON is asked for again, with the parser's error")
  void asksForJsonAgain() throws Exception {
    bench.jsonRetries = 2;
    candidates(change("bad 0", "good 1"), change("bad 0", "good 2"), change("bad 0", "good 3"));
    bench.model.judges("the second", "{\"winner\": 2,,}", "{\"winner\": 2}");
    bench.run();
    assertThat(payload("JudgeDecided").path("winner").asInt()).isEqualTo(2);
    List<String> prompts = bench.model.prompts();
    assertThat(prompts).hasSize(8);
    assertThat(prompts.get(6)).contains("the second", "there is no {...} in it");
    assertThat(prompts.getLast()).contains("{\"winner\": 2,,}", "Unexpected character (','");
  }

  @Test
  @DisplayName("C23: so often and no more, and only while the budget lasts")
  void asksForJsonBounded() throws Exception {
    for (int calls : new int[] {60, 7}) {
      prepare();
      bench.jsonRetries = 2;
      bench.limits(5, Duration.ofHours(1), calls, null);
      candidates(change("bad 0", "good 1"), change("bad 0", "good 2"), change("bad 0", "good 3"));
      bench.model.judges("the second");
      RunEnd end = bench.run();
      assertThat(bench.model.calls()).isEqualTo(Math.min(calls, 8));
      assertThat(payload("JudgeFailed").path("error").asString()).isNotEmpty();
      assertThat(end.reason()).isEqualTo(EndReason.VERIFICATION_PASSED);
    }
  }

  @Test
  @DisplayName("E38: a diagnoser who fails or says nothing is no failure, and the pair is closed")
  void diagnoserFails() throws Exception {
    for (String answer : new String[] {ScriptedModel.BROKEN, "{\"hypotheses\": []}", "hm"}) {
      prepare();
      candidates(BROKEN, BROKEN, BROKEN, BROKEN, BROKEN, BROKEN, change("bad 0", "good 1"));
      bench.model.diagnoses(answer);
      assertThat(bench.run().reason()).isEqualTo(EndReason.VERIFICATION_PASSED);
      assertThat(payload("DiagnosisCompleted").path("error").asString()).as(answer).isNotEmpty();
    }
  }

  @Test
  @DisplayName("no model answers: the attempt fails with what it said, and the next one goes on")
  void modelFails() throws Exception {
    candidates(change("bad 0", "good 1"));
    ScriptedModel working = bench.model;
    Bench broken = new Bench();
    broken.journal = bench.journal;
    broken.model.repairs(NO_DIFF, ScriptedModel.BROKEN);
    assertThatThrownBy(broken::run)
        .isInstanceOf(ModelFailedException.class)
        .hasMessageContaining("401 no");
    assertThat(broken.payloads("ProviderRequestFinished"))
        .extracting(each -> each.path("success").asBoolean())
        .containsExactly(true, false);
    assertThat(bench.run().reason()).isEqualTo(EndReason.VERIFICATION_PASSED);
    assertThat(working.calls()).as("one repair is not paid for again").isEqualTo(4);
  }

  /** Two repairs, and two calls are left for three candidates at once. */
  private void oneCallShort() {
    CountDownLatch refused = new CountDownLatch(1);
    bench.limits(5, Duration.ofHours(1), 4, null);
    bench.model.gated(2, refused);
    bench.listener =
        event -> {
          if (event instanceof ProviderEvent.ProviderRequestFinished each && !each.sent()) {
            refused.countDown();
          }
        };
  }

  @Test
  @DisplayName("E16, E26: candidates that the last calls have paid for are tried")
  void callsForSome() throws Exception {
    oneCallShort();
    candidates(change("bad 0", "good 1"));
    RunEnd end = bench.run();
    assertThat(end.reason()).isEqualTo(EndReason.VERIFICATION_PASSED);
    assertThat(end.spent().calls()).isEqualTo(4);
    assertThat(bench.payloads("CandidateEvaluated")).hasSize(2);
  }

  @Test
  @DisplayName(
      "E16, E26: candidates whose worst cost has no room beside those under way are not asked")
  void moneyForSome() throws Exception {
    bench.l3 = new RepairSettings.Candidates(10, true, true, 4);
    bench.limits(5, Duration.ofHours(1), 60, new BigDecimal("0.05"));
    CountDownLatch refused = new CountDownLatch(7);
    bench.model.gated(2, refused);
    bench.listener =
        event -> {
          if (event instanceof ProviderEvent.ProviderRequestFinished each && !each.sent()) {
            refused.countDown();
          }
        };
    candidates(change("bad 0", "good 1"));
    RunEnd end = bench.run();
    assertThat(end.reason()).isEqualTo(EndReason.VERIFICATION_PASSED);
    assertThat(end.spent().costUsd()).isEqualByComparingTo("0.05");
    assertThat(bench.payloads("CandidateEvaluated")).hasSize(3);
  }

  @Test
  @DisplayName(
      "E16, E25: where no call is left in an L3 step the run ends, and the step counts as an"
          + " escalation")
  void noCallLeft() throws Exception {
    oneCallShort();
    candidates(BROKEN);
    RunEnd end = bench.run();
    assertThat(end.reason()).isEqualTo(EndReason.BUDGET_EXCEEDED);
    assertThat(end.detail()).contains("calls: 4 of the 4 allowed");
    assertThat(bench.model.calls()).isEqualTo(4);
    assertThat(bench.payloads("CandidateGenerated")).hasSize(2);
    assertThat(payload("RunStopped").path("escalations").asInt()).isEqualTo(1);
    assertThat(end.counts()).isEqualTo(new RunEnd.Counts(2, 1));
  }
}
