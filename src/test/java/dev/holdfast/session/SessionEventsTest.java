package dev.holdfast.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.holdfast.llm.BrokenOffException;
import dev.holdfast.llm.CallResult;
import dev.holdfast.llm.FailureKind;
import dev.holdfast.llm.Message;
import dev.holdfast.llm.StopReason;
import dev.holdfast.llm.Target;
import dev.holdfast.llm.ToolCall;
import dev.holdfast.llm.Usage;
import dev.holdfast.session.event.SessionEvent;
import dev.holdfast.session.report.ReportSource;
import dev.holdfast.session.report.SessionResult;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.List;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** B-8: what listeners are told. */
class SessionEventsTest {
  @Test
  @DisplayName("B70, B72: one entry per attempt, with target, status, usage, cost and wait")
  void attempts() {
    Bench bench = new Bench();
    bench
        .guardedTarget("one")
        .then(
            request -> {
              bench.nanos.addAndGet(Duration.ofMillis(40).toNanos());
              return Replies.rateLimit(Duration.ofSeconds(2));
            })
        .then(Replies.text("hm"))
        .then(Replies.report());

    bench.run();

    Target target = new Target("one", "m-one");
    assertThat(bench.events(SessionEvent.AttemptFinished.class))
        .containsExactly(
            new SessionEvent.AttemptFinished(
                1,
                1,
                target,
                "rate_limit",
                Usage.NONE,
                null,
                Duration.ofMillis(40),
                "rate limit 429: slow down",
                Duration.ofSeconds(2)),
            new SessionEvent.AttemptFinished(
                1,
                2,
                target,
                "content_without_tools",
                Replies.USAGE,
                new BigDecimal("0.01"),
                Duration.ZERO,
                "content_without_tools",
                Duration.ZERO),
            new SessionEvent.AttemptFinished(
                1,
                3,
                target,
                "ok",
                Replies.USAGE,
                new BigDecimal("0.01"),
                Duration.ZERO,
                null,
                Duration.ZERO));
  }

  @Test
  @DisplayName("B72: a try that timed out or was broken off tells of what it counts for")
  void countedTries() throws Exception {
    Usage worst = new Usage(90, 0, 0, 20);
    Bench bench = new Bench();
    bench
        .target("one")
        .then(Replies.failed(FailureKind.TIMEOUT, true, "no answer").withUsage(worst))
        .then(
            request -> {
              throw new BrokenOffException(new InterruptedException("stopped"), worst);
            });

    assertThat(Running.start(bench).result()).isEqualTo(new SessionResult.Cancelled());

    assertThat(bench.events(SessionEvent.AttemptFinished.class))
        .extracting(
            SessionEvent.AttemptFinished::status,
            SessionEvent.AttemptFinished::usage,
            SessionEvent.AttemptFinished::costUsd)
        .containsExactly(
            tuple("timeout", worst, new BigDecimal("0.01")),
            tuple("aborted", worst, new BigDecimal("0.01")));
  }

  @Test
  @DisplayName("B71: a turn tells its attempts, its status and its time in the loop")
  void turns() {
    Bench bench = Bench.guarded(Replies.rateLimit(null), Replies.look("a"), Replies.report());

    bench.run();

    assertThat(bench.events(SessionEvent.TurnFinished.class))
        .containsExactly(
            new SessionEvent.TurnFinished(1, 2, "ok", Duration.ofSeconds(5)),
            new SessionEvent.TurnFinished(2, 1, "reported", Duration.ZERO));
    assertThat(bench.events(SessionEvent.TurnStarted.class))
        .containsExactly(new SessionEvent.TurnStarted(1, 20), new SessionEvent.TurnStarted(2, 20));
  }

  @Test
  @DisplayName("Tools are told before and after they run")
  void tools() {
    Bench bench = Bench.with(Replies.look("a"), Replies.report());

    bench.run();

    assertThat(bench.events(SessionEvent.ToolsStarted.class)).hasSize(1);
    assertThat(bench.events(SessionEvent.ToolFinished.class).getFirst().reply().content())
        .isEqualTo("did look");
  }

  @Test
  @DisplayName("B64, B68: an accepted report is told once, with the reason of a synthetic one")
  void reports() {
    Bench good = Bench.with(Replies.report());
    good.run();
    Bench bad = Bench.with(Replies.network());
    bad.run();

    assertThat(good.events(SessionEvent.ReportAccepted.class))
        .singleElement()
        .satisfies(each -> assertThat(each.forcedFinalReason()).isEqualTo("none"));
    assertThat(bad.events(SessionEvent.ReportAccepted.class))
        .singleElement()
        .satisfies(
            each -> {
              assertThat(each.source()).isEqualTo(ReportSource.SYNTHETIC);
              assertThat(each.forcedFinalReason()).isEqualTo("llm_error");
            });
  }

  @Test
  @DisplayName("B10: a tool box that answers other calls than it was given is found out")
  void wrongReplies() {
    Bench bench = Bench.with(Replies.look("a"));
    bench.tools.reaction =
        call ->
            new dev.holdfast.tool.ToolReply(
                new ToolCall("other", "look", "{}"), dev.holdfast.tool.ToolReply.Outcome.OK, "", 1);

    Assertions.assertThatThrownBy(bench::run).isInstanceOf(IllegalStateException.class);
  }

  @Test
  @DisplayName("B23: garbage answers of every shape end in a report, never in an exception")
  void garbage() {
    String deep = "{\"a\":".repeat(5000) + "1" + "}".repeat(5000);
    List<CallResult> answers =
        List.of(
            Replies.text("\u0000\ud800"),
            Replies.text(deep),
            Replies.calls(Replies.call("", "", "")),
            Replies.calls(Replies.call("x", "\n", deep)),
            Replies.report("{\"status\":\"success\",\"content\":\"a\\u0000b\"}"),
            Replies.report("{\"status\":7,\"content\":[]}"),
            Replies.report("{\"status\":\"success\",\"content\":\"  \"}"),
            Replies.answer(new Message.Assistant("", List.of()), StopReason.REFUSED));
    for (CallResult answer : answers) {
      SessionResult result = Bench.with(answer).maxTurns(3).run();
      assertThat(result).isInstanceOf(SessionResult.Failed.class);
    }
  }

  @Test
  @DisplayName("A session runs one task at a time, needs a target and keeps the report's name")
  void contract() {
    Bench bench = new Bench();
    Assertions.assertThatThrownBy(bench::session).hasMessageContaining("target");
    Bench again = new Bench();
    again
        .target("one")
        .then(
            request -> {
              Assertions.assertThatThrownBy(() -> again.session().run("more"))
                  .hasMessageContaining("runs already");
              return Replies.report();
            });
    assertThat(again.run()).isInstanceOf(SessionResult.Reported.class);
  }
}
