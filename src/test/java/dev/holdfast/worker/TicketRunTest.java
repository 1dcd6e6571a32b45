package dev.holdfast.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.failure.Classifier;
import dev.holdfast.failure.ErrorReport;
import dev.holdfast.queue.Finish;
import dev.holdfast.schema.Question;
import dev.holdfast.secret.Secrets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class TicketRunTest {
  private final List<TicketRun> ended = new ArrayList<>();

  private Finish finish(Tracing.Claim claim) {
    return finish(context -> HandlerResult.done("1"), claim);
  }

  private Finish finish(TicketHandler handler, Tracing.Claim claim) {
    ended.clear();
    new TicketRun(
            Claimed.ticket(1),
            handler,
            Classifier.standard(),
            new FinishRedaction(Secrets.of(Map.of("a-very-secret-word", "word"))),
            id -> true,
            trouble -> {},
            claim,
            ended::add)
        .run();
    assertThat(ended).as("whoever frees the slot hears of it once").hasSize(1);
    return ended.getFirst().finish();
  }

  @Test
  @DisplayName("A47: an attempt whose beginning cannot be traced runs all the same")
  void beginCannotBeTraced() {
    Finish finish =
        finish(
            ticket -> {
              throw new NoClassDefFoundError("dev/holdfast/app/Traces");
            });
    assertThat(finish).isInstanceOf(Finish.Succeeded.class);
  }

  @Test
  @DisplayName("A47: an attempt whose end cannot be traced ends as it did and frees its slot")
  void cannotBeTraced() {
    Finish finish =
        finish(
            ticket ->
                outcome -> {
                  throw new NoClassDefFoundError("dev/holdfast/app/Traces");
                });
    assertThat(finish).isInstanceOf(Finish.Succeeded.class);
  }

  private String message(TicketHandler handler) {
    Finish.Failed failed = (Finish.Failed) finish(handler, ticket -> Tracing.Attempt.NONE);
    return failed.failure().message();
  }

  @Test
  @SuppressWarnings("NullAway")
  @DisplayName("a result without what it needs fails the attempt in words that name it")
  void incompleteResults() {
    ErrorReport error = ErrorReport.ofText("broken");
    assertThat(message(context -> new HandlerResult.Deferred(Duration.ZERO, null)))
        .contains("waitsFor is null");
    assertThat(message(context -> HandlerResult.held(null, error))).contains("reason is null");
    assertThat(message(context -> HandlerResult.failed(null))).contains("error is null");
  }

  private static HandlerResult parked(String reason, String... actions) {
    return new HandlerResult.Parked(reason, List.of(actions), "{}");
  }

  @Test
  @DisplayName("what a handler parks can always be cancelled")
  void parkedWithoutCancel() {
    TicketHandler handler = context -> parked("look at it", "answer");
    Finish.Parked parked = (Finish.Parked) finish(handler, ticket -> Tracing.Attempt.NONE);
    assertThat(parked.actions()).containsExactly("answer", "cancel");
  }

  @Test
  @DisplayName("a hold with a blank reason, or for what nobody can do, fails the attempt in words")
  void holdsWithoutSense() {
    ErrorReport error = ErrorReport.ofText("broken");
    assertThat(message(context -> HandlerResult.held(" ", error))).contains("reason is blank");
    assertThat(message(context -> parked("", "cancel"))).contains("reason is blank");
    assertThat(message(context -> parked("look", "cancel", "dance")))
        .contains("no action \"dance\"", "approve_call_with_changes");
  }

  @Test
  @DisplayName("a secret across the end of an error's title or evidence leaves nothing of it there")
  void secretAcrossACut() {
    for (int before = 150; before < 210; before++) {
      String text = "HTTP 401: " + "x".repeat(before) + "a-very-secret-word and more of the line";
      Finish.Failed failed =
          (Finish.Failed)
              finish(
                  context -> HandlerResult.failed(ErrorReport.ofText(text)),
                  ticket -> Tracing.Attempt.NONE);
      assertThat(failed.failure().title()).doesNotContain("a-very");
      assertThat(failed.failure().evidence()).doesNotContain("a-very");
      assertThat(failed.failure().message()).contains("[redacted:word] and more");
    }
  }

  @Test
  @DisplayName("a secret across the end of a question's first words leaves nothing of it there")
  void secretAcrossTheCutOfQuestion() {
    for (int before = 150; before < 210; before++) {
      Question question = Question.of("x".repeat(before) + "a-very-secret-word?");
      Finish.Parked parked =
          (Finish.Parked)
              finish(context -> HandlerResult.asks(question), ticket -> Tracing.Attempt.NONE);
      assertThat(parked.reason()).doesNotContain("a-very");
      assertThat(parked.details()).contains("[redacted:word]?");
    }
  }
}
