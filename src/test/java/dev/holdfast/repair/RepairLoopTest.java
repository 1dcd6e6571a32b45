package dev.holdfast.repair;

import static dev.holdfast.repair.Bench.NO_DIFF;
import static dev.holdfast.repair.Bench.change;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import dev.holdfast.llm.Target;
import dev.holdfast.repair.trace.RunLog;
import dev.holdfast.session.journal.InMemoryJournal;
import dev.holdfast.session.journal.Journal;
import dev.holdfast.session.journal.JournalEntry;
import dev.holdfast.testing.LogLines;
import dev.holdfast.ticket.IllegalTransitionException;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;
import tools.jackson.databind.JsonNode;

/** L2 as a whole: models, patches, verification, journal and trace. */
@Timeout(120)
class RepairLoopTest {
  private final Bench bench = new Bench();

  @Test
  @DisplayName("E14, E25: a repair that passes ends the run; the trace tells it in order")
  void passes() throws Exception {
    bench.model.repairs(change("bad 0", "good 1"));
    RunEnd end = bench.run();
    assertThat(end.reason()).isEqualTo(EndReason.VERIFICATION_PASSED);
    assertThat(end.counts()).isEqualTo(new RunEnd.Counts(1, 0));
    assertThat(end.commit().id()).isNotEmpty();
    assertThat(end.tree().diff()).contains("+good 1");
    assertThat(end.spent().calls()).isEqualTo(1);
    assertThat(bench.story())
        .containsExactly(
            "RunStarted",
            "VerificationFinished",
            "IterationStarted",
            "RepairAttempted",
            "VerificationFinished",
            "RunStopped");
    assertThat(bench.payloads("RepairAttempted").getFirst().path("iteration").asInt()).isEqualTo(1);
    assertThat(bench.payloads("RunStopped").getFirst().path("reason").asString())
        .isEqualTo("verification_passed");
    assertThat(bench.model.prompts().getFirst()).contains("Make it good.", "wrong: bad", "bad 0");
  }

  @Test
  @ResourceLock(Resources.GLOBAL)
  @DisplayName("B72: each call of a repair is a line of the log: step, model, what came, its cost")
  void logged() throws Exception {
    bench.before.add(new ScriptedModel().repairs(ScriptedModel.LIMITED));
    bench.before.add(new ScriptedModel().closed(true));
    bench.model.repairs(change("bad 0", "good 1"));
    try (LogLines log = new LogLines(RunLog.class).downTo(Level.INFO)) {
      bench.run();
      bench.run();
      assertThat(log.of(Level.INFO))
          .containsExactly(
              "iteration-1/answer: call of played/m: 429 no, 0 retries, 0 ms",
              "iteration-1/answer: call of played/m: ok, 10 tokens in, 5 out, 0.01 USD, 0 retries,"
                  + " 0 ms");
    }
  }

  @Test
  @DisplayName("E25: a step that waits for its model is told once, however often it is tried")
  void toldOnce() throws Exception {
    bench.model.repairs(change("bad 0", "good 1")).closed(true);
    assertThatThrownBy(bench::run).isInstanceOf(StoodStillException.class);
    assertThatThrownBy(bench::run).isInstanceOf(StoodStillException.class);
    bench.model.closed(false);
    bench.run();
    assertThat(bench.story()).containsOnlyOnce("IterationStarted", "RunStarted", "RunStopped");
    assertThat(bench.payloads("ProviderRequestFinished")).hasSize(3);
  }

  @Test
  @DisplayName("E22: an answer that was cut off or refused is said to be, to the model and people")
  void flaws() throws Exception {
    bench.model.repairs(ScriptedModel.CUT, ScriptedModel.REFUSED);
    RunEnd end = bench.run();
    assertThat(end.detail())
        .contains("The model refused to answer, or a content filter did. no diff");
    assertThat(bench.payloads("RepairAttempted").getFirst().path("error").asString())
        .startsWith("The answer was cut off at the output limit")
        .contains("no diff in it");
    assertThat(bench.model.prompts().get(1)).contains("cut off at the output limit");
    assertThat(bench.payloads("CandidateGenerated").getFirst().path("error").asString())
        .startsWith("The model refused");
    assertThat(end.spent().costUsd()).isEqualByComparingTo("0.05");
  }

  @Test
  @DisplayName("limits.max_output_tokens goes with each call")
  void longestAnswer() throws Exception {
    bench.limits =
        new RepairSettings.Limits(5, Duration.ofHours(1), 60, null, Duration.ofMinutes(1), 32_000);
    bench.model.repairs(change("bad 0", "good 1"));
    bench.run();
    assertThat(bench.model.longestAnswers()).containsExactly("32000");
  }

  @Test
  @DisplayName("What one model refuses the next is asked, and the refusal is paid for")
  void refusedByOne() throws Exception {
    bench.before.add(new ScriptedModel().repairs(ScriptedModel.REFUSED));
    bench.model.repairs(change("bad 0", "good 1"));
    RunEnd end = bench.run();
    assertThat(end.reason()).isEqualTo(EndReason.VERIFICATION_PASSED);
    assertThat(end.counts().iterations()).isEqualTo(1);
    assertThat(end.spent().costUsd()).isEqualByComparingTo("0.02");
    assertThat(end.spent().calls()).isEqualTo(2);
  }

  @Test
  @DisplayName("E24: a run that ends behind patches that do not apply says what the last one met")
  void whyNotApplied() throws Exception {
    bench.without(false).model.repairs(change("nowhere", "x"));
    assertThat(bench.run().detail())
        .startsWith(
            "2 patches in a row did not apply. An earlier patch did not apply: not found: nowhere");
  }

  @Test
  @DisplayName("E14: what passes already needs no repair: no iteration, no call, no commit")
  void nothingToRepair() throws Exception {
    bench.workbench = new OneFileRepository("good 0\n");
    RunEnd end = bench.run();
    assertThat(end.reason()).isEqualTo(EndReason.NOTHING_TO_REPAIR);
    assertThat(end.counts()).isEqualTo(new RunEnd.Counts(0, 0));
    assertThat(end.commit().id()).isEmpty();
    assertThat(bench.model.calls()).isZero();
    assertThat(bench.story()).containsExactly("RunStarted", "VerificationFinished", "RunStopped");
  }

  @Test
  @DisplayName("E13, E16, E20: failures that change each time use up five iterations")
  void fiveIterations() throws Exception {
    bench.model.repairs(
        change("bad 0", "a 1"),
        change("a 1", "b 2"),
        change("b 2", "c 3"),
        change("c 3", "d 4"),
        change("d 4", "e 5"),
        change("e 5", "good 6"));
    RunEnd end = bench.run();
    assertThat(end.reason()).isEqualTo(EndReason.BUDGET_EXCEEDED);
    assertThat(end.detail()).contains("5 iterations");
    assertThat(bench.payloads("IterationStarted")).hasSize(5);
    assertThat(end.tree().diff()).as("the best so far").contains("e 5");
    assertThat(bench.payloads("RunStopped")).hasSize(1);
  }

  @Test
  @DisplayName("E15, E19, E24: without escalation two repairs that leave the failure end the run")
  void nonImproving() throws Exception {
    bench.without(false).model.repairs(change("bad 0", "bad 1"), change("bad 0", "bad 2"));
    RunEnd end = bench.run();
    assertThat(end.reason()).isEqualTo(EndReason.NON_IMPROVING);
    assertThat(end.counts().iterations()).isEqualTo(2);
    assertThat(end.tree().diff()).as("the first that applied").contains("bad 1");
    assertThat(end.verified().failing()).isNotEmpty();
    assertThat(end.commit().id()).isEmpty();
    assertThat(bench.model.prompts().getLast()).contains("tried and taken back");
  }

  @Test
  @DisplayName(
      "E17, E18, E25: at the default the same failure twice escalates to L3, with its reason")
  void escalates() throws Exception {
    bench.model.repairs(
        change("bad 0", "bad 1"), change("bad 0", "bad 2"), change("bad 0", "good 3"));
    RunEnd end = bench.run();
    assertThat(end.reason()).isEqualTo(EndReason.VERIFICATION_PASSED);
    JsonNode escalated = bench.payloads("RunEscalated").getFirst();
    assertThat(escalated.path("from").asString()).isEqualTo("L2");
    assertThat(escalated.path("to").asString()).isEqualTo("L3");
    assertThat(escalated.path("reason").asString()).isEqualTo("non_improving");
    assertThat(end.counts()).isEqualTo(new RunEnd.Counts(2, 1));
  }

  @Test
  @DisplayName(
      "E17, E21: two patches in a row that do not apply escalate; one that applies comes between")
  void applyFailures() throws Exception {
    bench.model.repairs(
        change("nowhere", "x"),
        change("bad 0", "a 1"),
        change("nowhere", "x"),
        change("nowhere", "x"),
        change("a 1", "good 2"));
    assertThat(bench.run().reason()).isEqualTo(EndReason.VERIFICATION_PASSED);
    assertThat(bench.payloads("RunEscalated").getFirst().path("reason").asString())
        .isEqualTo("patch_apply_failures");
    assertThat(bench.payloads("RepairAttempted"))
        .extracting(each -> each.path("outcome").asString())
        .containsExactly("refused", "applied", "refused", "refused");
  }

  @Test
  @DisplayName(
      "E22: an output without a diff is a RepairAttempted with its marker, and no apply failure")
  void noDiff() throws Exception {
    bench.without(false).model.repairs(NO_DIFF);
    RunEnd end = bench.run();
    assertThat(end.reason()).isEqualTo(EndReason.NON_IMPROVING);
    assertThat(bench.payloads("RepairAttempted")).hasSize(2);
    assertThat(bench.payloads("RepairAttempted"))
        .allSatisfy(each -> assertThat(each.path("noDiff").asBoolean()).isTrue());
    assertThat(bench.payloads("VerificationFinished")).hasSize(1);
  }

  @Test
  @DisplayName(
      "E44: a patch that changes nothing applied: it improves nothing, and ends the row of apply"
          + " failures")
  void noOp() throws Exception {
    bench
        .without(false)
        .model
        .repairs(
            change("nowhere", "x"),
            change("bad 0", "bad 0"),
            change("nowhere", "x"),
            change("bad 0", "bad 0"));
    RunEnd end = bench.run();
    assertThat(end.reason()).isEqualTo(EndReason.NON_IMPROVING);
    assertThat(bench.payloads("RepairAttempted"))
        .extracting(each -> each.path("outcome").asString())
        .containsExactly("refused", "no_op", "refused", "no_op");
    assertThat(bench.payloads("VerificationFinished"))
        .as("nothing changed that could be verified again")
        .hasSize(1);
  }

  @Test
  @DisplayName("E16: money, calls and time each end a run, and say which of them")
  void budgets() throws Exception {
    bench.model.repairs(change("bad 0", "a 1"), change("a 1", "b 2"), NO_DIFF);
    bench.limits(5, Duration.ofHours(1), 60, new BigDecimal("0.02"));
    RunEnd money = bench.run();
    assertThat(money.reason()).isEqualTo(EndReason.BUDGET_EXCEEDED);
    assertThat(money.detail()).isEqualTo("ticket:17: 0.02 USD spent of 0.02");
    assertThat(money.tree().diff()).contains("b 2");

    Bench calls = new Bench().limits(5, Duration.ofHours(1), 1, null);
    calls.model.repairs(change("bad 0", "a 1"));
    assertThat(calls.run().detail()).startsWith("calls: 1 of the 1 allowed");

    Bench time = new Bench().limits(5, Duration.ofMinutes(1), 60, null);
    time.model.repairs(NO_DIFF);
    time.journal = new Slow(time);
    RunEnd late = time.run();
    assertThat(late.reason()).isEqualTo(EndReason.BUDGET_EXCEEDED);
    assertThat(late.detail()).startsWith("time: the 1m allowed");
    assertThat(time.payloads("RunStopped")).hasSize(1);
  }

  /** Each entry takes 40 s. */
  private record Slow(Bench bench, InMemoryJournal kept) implements Journal {
    Slow(Bench bench) {
      this(bench, new InMemoryJournal());
    }

    @Override
    public void each(Consumer<JournalEntry> reader) {
      kept.each(reader);
    }

    @Override
    public void append(List<JournalEntry> entries) {
      bench.nanos.addAndGet(Duration.ofSeconds(40).toNanos());
      kept.append(entries);
    }
  }

  @Test
  @DisplayName(
      "E16: a call that timed out and may have been billed counts in tokens and money, whatever"
          + " becomes of its step")
  void lateCalls() throws Exception {
    bench.model.repairs(ScriptedModel.LATE, Bench.change("bad 0", "good 1"));
    RunEnd end = bench.run();
    assertThat(end.reason()).isEqualTo(EndReason.VERIFICATION_PASSED);
    assertThat(end.spent().costUsd()).isEqualByComparingTo("0.02");
    assertThat(end.spent().calls()).isEqualTo(2);
    assertThat(tokens()).isEqualTo(30);
    assertThat(bench.journal.entries())
        .filteredOn(
            each -> each instanceof JournalEntry.StepFinished step && step.usage().context() > 0)
        .as("both name the model")
        .extracting(each -> ((JournalEntry.StepFinished) each).target())
        .containsExactly(new Target("played", "m"), new Target("played", "m"));
  }

  @Test
  @DisplayName("E16: calls that all time out use the money of the run up")
  void onlyLateCalls() throws Exception {
    bench.limits(5, Duration.ofHours(1), 100, new BigDecimal("0.05"));
    bench.model.repairs(ScriptedModel.LATE);
    RunEnd end = null;
    for (int attempt = 0; attempt < 5 && end == null; attempt++) {
      try {
        end = bench.run();
      } catch (ModelFailedException e) {
        assertThat(e).hasMessageContaining("no answer in time");
      }
    }
    RunEnd spent = Objects.requireNonNull(end);
    assertThat(spent.reason()).isEqualTo(EndReason.BUDGET_EXCEEDED);
    assertThat(spent.detail()).startsWith("ticket:17: 0.05 USD spent of 0.05");
  }

  @Test
  @DisplayName(
      "E16: the ticket's own limit takes the place of the design's, counts all its runs, and goes"
          + " on where a person raises it meanwhile")
  void ownLimit() throws Exception {
    bench.limits(5, Duration.ofHours(1), 60, new BigDecimal("5"));
    bench.model.repairs(change("bad 0", "a 1"), change("a 1", "b 2"), change("b 2", "c 3"));
    bench.ownLimit = () -> Optional.of(new BigDecimal("0.015"));
    RunEnd first = bench.run();
    assertThat(first.reason()).isEqualTo(EndReason.BUDGET_EXCEEDED);
    assertThat(first.detail())
        .isEqualTo("ticket:17: 0.01 USD spent of 0.015, the next call may cost 0.01");
    RunEnd second = bench.run();
    assertThat(second.detail()).isEqualTo(first.detail());
    assertThat(bench.model.calls()).isEqualTo(1);

    AtomicInteger reads = new AtomicInteger();
    bench.ownLimit =
        () -> Optional.of(new BigDecimal(reads.incrementAndGet() == 1 ? "0.015" : "0.025"));
    assertThat(bench.run().detail()).startsWith("ticket:17: 0.02 USD spent of 0.025");
    assertThat(bench.model.calls()).isEqualTo(2);
  }

  @Test
  @DisplayName("E16: a call that is broken off may have been billed, too, and counts likewise")
  void brokenOff() throws Exception {
    bench.model.repairs(ScriptedModel.BROKEN_OFF, Bench.change("bad 0", "good 1"));
    assertThatThrownBy(bench::run).isInstanceOf(InterruptedException.class);
    assertThat(tokens()).isEqualTo(15);
    assertThat(bench.run().spent().costUsd()).isEqualByComparingTo("0.02");
  }

  @Test
  @DisplayName("E11: a call that is broken off because a person takes the ticket ends in the trace")
  void takenAway() throws Exception {
    Journal kept = bench.journal;
    AtomicBoolean over = new AtomicBoolean();
    bench.journal =
        new Journal() {
          @Override
          public void each(Consumer<JournalEntry> reader) {
            kept.each(reader);
          }

          @Override
          public void append(List<JournalEntry> entries) {
            if (over.get()) {
              throw new IllegalStateException("the lease is over");
            }
            kept.append(entries);
          }

          @Override
          public void appendLate(JournalEntry entry) {
            over.set(true);
            kept.append(List.of(entry));
          }
        };
    bench.model.repairs(ScriptedModel.BROKEN_OFF);
    assertThatThrownBy(bench::run).isInstanceOf(InterruptedException.class);
    assertThat(bench.payloads("ProviderRequestStarted")).hasSize(1);
    assertThat(bench.payloads("ProviderRequestFinished"))
        .singleElement()
        .satisfies(each -> assertThat(each.path("error").asString()).isEqualTo("aborted"));
  }

  @Test
  @DisplayName(
      "E16: an answer that comes while a person takes the ticket is kept, and not asked for again")
  void answeredMeanwhile() throws Exception {
    Journal kept = bench.journal;
    bench.journal =
        new Journal() {
          @Override
          public void each(Consumer<JournalEntry> reader) {
            kept.each(reader);
          }

          @Override
          public void append(List<JournalEntry> entries) {
            if (bench.model.calls() > 0) {
              throw new IllegalTransitionException("a person holds the ticket");
            }
            kept.append(entries);
          }

          @Override
          public void appendLate(JournalEntry entry) {
            kept.append(List.of(entry));
          }
        };
    bench.model.repairs(change("bad 0", "good 1"));
    assertThatThrownBy(bench::run).isInstanceOf(IllegalTransitionException.class);
    bench.journal = kept;
    assertThat(bench.run().spent().costUsd()).isEqualByComparingTo("0.01");
    assertThat(bench.model.calls()).isEqualTo(1);
  }

  @Test
  @DisplayName("E48: an iteration that the budget has no call for is no repair, and is not counted")
  void noCallLeft() throws Exception {
    bench.limits(5, Duration.ofHours(1), 2, null);
    bench.model.repairs(change("bad 0", "bad 1"), change("bad 1", "bad 2"));
    RunEnd end = bench.run();
    assertThat(end.reason()).isEqualTo(EndReason.BUDGET_EXCEEDED);
    assertThat(bench.payloads("RepairAttempted")).hasSize(2);
    assertThat(end.counts().iterations()).isEqualTo(2);
    assertThat(bench.payloads("RunStopped").getFirst().path("iterations").asInt()).isEqualTo(2);
  }

  private long tokens() throws Exception {
    long tokens = 0;
    for (JournalEntry entry : bench.journal.entries()) {
      if (entry instanceof JournalEntry.StepFinished step) {
        tokens += step.usage().context();
      }
    }
    return tokens;
  }

  @Test
  @DisplayName("E24: once all escalations are used up the same trigger ends the run")
  void noneLeft() throws Exception {
    bench.model.repairs(
        change("bad 0", "bad 1"),
        change("bad 0", "bad 2"),
        change("bad 0", "bad 3"),
        change("bad 0", "bad 4"),
        change("bad 0", "bad 5"));
    bench.model.reviews("{\"rankings\": []}");
    bench.model.judges("no");
    RunEnd end = bench.run();
    assertThat(bench.payloads("RunEscalated")).hasSize(1);
    assertThat(end.reason()).isEqualTo(EndReason.NON_IMPROVING);
    assertThat(end.counts()).isEqualTo(new RunEnd.Counts(4, 1));
  }

  @Test
  @DisplayName(
      "a result that a person has refused is worked on although it passes, from where it was")
  void rejected() throws Exception {
    bench.model.repairs(change("bad 0", "good 1"), change("good 1", "good 2"));
    RunEnd first = bench.run();
    bench.at = new RunEnd.At(0, 1);
    bench.task = new RepairTask("Make it good.", List.of("ann: 2, not 1"), true);
    RunEnd second = bench.run();
    assertThat(first.tree().diff()).contains("good 1");
    assertThat(second.reason()).isEqualTo(EndReason.VERIFICATION_PASSED);
    assertThat(second.tree().diff()).contains("good 2").doesNotContain("good 1");
    assertThat(bench.model.prompts().getLast()).contains("ann: 2, not 1");
  }

  @Test
  @DisplayName(
      "a refused result that no model has changed is no success after a release either: models are"
          + " asked, and told all that people have said")
  void stillRejected() throws Exception {
    bench.without(false);
    bench.model.repairs(
        change("bad 0", "good 1"), NO_DIFF, NO_DIFF, NO_DIFF, NO_DIFF, change("good 1", "good 2"));
    bench.run();
    bench.at = new RunEnd.At(0, 1);
    bench.task = new RepairTask("Make it good.", List.of("ann: 2, not 1"), true);
    assertThat(bench.run().reason()).isEqualTo(EndReason.NON_IMPROVING);
    bench.task = new RepairTask("Make it good.", List.of("ann: 2, not 1"), false);
    assertThat(bench.run().reason()).isEqualTo(EndReason.NON_IMPROVING);
    bench.at = new RunEnd.At(0, 2);
    bench.task = new RepairTask("Make it good.", List.of("ann: 2, not 1", "bob: please"), false);
    RunEnd last = bench.run();
    assertThat(last.reason()).isEqualTo(EndReason.VERIFICATION_PASSED);
    assertThat(last.tree().diff()).contains("good 2").doesNotContain("good 1");
    assertThat(bench.model.prompts().getLast()).contains("ann: 2, not 1", "bob: please");
  }

  @Test
  @DisplayName("E10, E16: requests that a closed target refuses are none of the run's calls")
  void closedTarget() throws Exception {
    bench.limits(5, Duration.ofHours(1), 2, null).without(false);
    bench.before.add(new ScriptedModel().closed(true));
    bench.model.repairs(change("bad 0", "a 1"), change("a 1", "good 2"));
    RunEnd end = bench.run();
    assertThat(end.reason()).isEqualTo(EndReason.VERIFICATION_PASSED);
    assertThat(end.spent().calls()).isEqualTo(2);
    assertThat(bench.payloads("ProviderRequestFinished"))
        .extracting(each -> each.path("sent").asBoolean())
        .containsExactly(false, true, false, true);
  }

  @Test
  @DisplayName("E16: a run that waits for its provider uses up no calls")
  void standstill() throws Exception {
    bench.limits(5, Duration.ofHours(1), 1, null);
    bench.model.repairs(change("bad 0", "good 1")).closed(true);
    for (int attempt = 1; attempt <= 3; attempt++) {
      assertThatThrownBy(bench::run).isInstanceOf(StoodStillException.class);
    }
    bench.model.closed(false);
    assertThat(bench.run().reason()).isEqualTo(EndReason.VERIFICATION_PASSED);
  }

  @Test
  @DisplayName("E16: requests that closed their provider are none of the run's calls")
  void outage() throws Exception {
    bench.limits(5, Duration.ofHours(1), 1, null);
    ScriptedModel other = new ScriptedModel().repairs(ScriptedModel.LIMITED);
    bench.before.add(other);
    bench.model.repairs(
        ScriptedModel.LIMITED,
        ScriptedModel.LIMITED,
        ScriptedModel.LIMITED,
        change("bad 0", "good 1"));
    for (int attempt = 1; attempt <= 3; attempt++) {
      assertThatThrownBy(bench::run).isInstanceOf(ModelFailedException.class);
      other.closed(false);
      bench.model.closed(false);
    }
    RunEnd end = bench.run();
    assertThat(end.reason()).isEqualTo(EndReason.VERIFICATION_PASSED);
    assertThat(end.spent().calls()).isEqualTo(1);
    assertThat(bench.payloads("ProviderRequestFinished"))
        .extracting(each -> each.path("uncounted").asInt())
        .containsExactly(1, 1, 1, 1, 1, 1, 1, 0);
  }

  @Test
  @DisplayName("E12: a failure that closes its target says so, as long as no other target is open")
  void closedByFailure() {
    ScriptedModel other = new ScriptedModel().repairs(ScriptedModel.LIMITED);
    bench.before.add(other);
    bench.model.repairs(ScriptedModel.LIMITED);
    assertThatThrownBy(bench::run)
        .isInstanceOfSatisfying(
            ModelFailedException.class,
            e ->
                assertThat(Objects.requireNonNull(e.standstill()).left())
                    .isEqualTo(Duration.ofHours(1)));
    other.closed(false);
    assertThatThrownBy(bench::run)
        .as("the second is closed before it is asked")
        .isInstanceOfSatisfying(
            ModelFailedException.class, e -> assertThat(e.standstill()).isNotNull());
  }

  @Test
  @DisplayName("E12: where another target is open, or the request is to blame, the attempt fails")
  void openTarget() {
    bench.before.add(new ScriptedModel().repairs(ScriptedModel.LIMITED));
    bench.model.repairs(ScriptedModel.BROKEN);
    assertThatThrownBy(bench::run)
        .isInstanceOfSatisfying(
            ModelFailedException.class, e -> assertThat(e.standstill()).isNull());
  }

  @Test
  @DisplayName("E16: a run whose last call was of no use ends at once, not in another attempt")
  void lastCallFailed() throws Exception {
    bench.limits(5, Duration.ofHours(1), 1, null);
    bench.before.add(new ScriptedModel().repairs(ScriptedModel.BROKEN));
    bench.model.repairs(change("bad 0", "good 1"));
    RunEnd end = bench.run();
    assertThat(end.reason()).isEqualTo(EndReason.BUDGET_EXCEEDED);
    assertThat(end.detail()).contains("calls: 1 of the 1 allowed");
    assertThat(end.spent().calls()).isEqualTo(1);
  }

  @Test
  @DisplayName("E9: an attempt that may make no more calls fails, and the next one goes on")
  void callsOfAttempt() throws Exception {
    bench.callsPerAttempt = 1;
    bench.limits(5, Duration.ofHours(1), 3, null);
    bench.model.repairs(change("bad 0", "a 1"), change("a 1", "good 2"));
    assertThatThrownBy(bench::run)
        .isInstanceOf(ModelFailedException.class)
        .hasMessageContaining("no model calls left");
    assertThat(bench.run().reason()).isEqualTo(EndReason.VERIFICATION_PASSED);
  }
}
