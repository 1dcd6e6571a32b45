package dev.holdfast.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.llm.CallResult;
import dev.holdfast.llm.FailureKind;
import dev.holdfast.llm.Message;
import dev.holdfast.llm.StopReason;
import dev.holdfast.llm.Target;
import dev.holdfast.llm.ToolCall;
import dev.holdfast.llm.Usage;
import dev.holdfast.session.context.Compactor;
import dev.holdfast.session.context.ContextSettings;
import dev.holdfast.session.context.History;
import dev.holdfast.session.context.Steps;
import dev.holdfast.session.context.Summariser;
import dev.holdfast.session.context.Tokens;
import dev.holdfast.session.event.SessionEvent;
import dev.holdfast.session.journal.InMemoryJournal;
import dev.holdfast.session.journal.JournalEntry;
import dev.holdfast.session.report.SessionExitCode;
import dev.holdfast.session.report.SessionResult;
import dev.holdfast.tool.ToolReply;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;

/** D1-D3: what happens to a conversation that does not fit. */
class CompactionTest {
  private static final CallResult OVERFLOW =
      Replies.failed(FailureKind.CONTEXT_OVERFLOW, false, "prompt is too long");

  private static final Target SUMMER = new Target("one", "m-sum");

  private static Summariser.Summary summary() {
    return new Summariser.Summary(
        SUMMER, "we looked around", Replies.USAGE, new BigDecimal("0.10"));
  }

  /** By a provider that does not count tokens. */
  private static CallResult look(String id) {
    return look(id, Usage.NONE);
  }

  private static CallResult look(String id, Usage usage) {
    return new CallResult.Answer(
        new Message.Assistant("", List.of(Replies.call(id, "look", "{}"))),
        StopReason.TOOL_CALLS,
        usage);
  }

  /** Three turns with long results, then what is given. */
  private static Bench grown(CallResult... then) {
    return grown(Usage.NONE, then);
  }

  private static Bench grown(Usage counted, CallResult... then) {
    Bench bench = Bench.with(look("a", counted), look("b", counted), look("c", counted));
    for (CallResult each : then) {
      bench.provider().then(each);
    }
    bench.tools.reaction =
        call -> new ToolReply(call, ToolReply.Outcome.OK, call.id() + "x".repeat(8000), 1);
    bench.summariser = (transcript, routes) -> Optional.of(summary());
    return bench;
  }

  @Test
  @DisplayName("D3: an overflow is compacted and the turn goes on, with no retry of D's")
  void overflow() {
    Bench bench = grown(OVERFLOW, Replies.report()).autoRetry();

    assertThat(bench.run())
        .isInstanceOfSatisfying(
            SessionResult.Reported.class, each -> assertThat(each.turn()).isEqualTo(4));

    assertThat(bench.events(SessionEvent.AutoRetryStart.class)).isEmpty();
    List<Message> sent = bench.provider().requests.getLast().messages();
    WellFormed.check(sent);
    assertThat(sent.getFirst()).isEqualTo(new Message.User("do it"));
    assertThat(sent.toString()).contains("Summary of the work so far:\nwe looked around");
    assertThat(bench.entries(JournalEntry.Compacted.class).getFirst().target()).isEqualTo(SUMMER);
    assertThat(sent).as("the last step is whole").anyMatch(each -> whole(each, "c"));
    assertThat(sent).noneMatch(each -> whole(each, "a"));
  }

  private static boolean whole(Message message, String id) {
    return message instanceof Message.ToolResult result
        && result.callId().equals(id)
        && result.content().length() > 8000;
  }

  @Test
  @DisplayName("D3: an overflow that also says 429 is an overflow")
  void overflowText() {
    Bench bench =
        grown(
                Replies.status(
                    FailureKind.MODEL_ERROR, 400, "429: maximum context length is 8192 tokens"),
                Replies.report())
            .autoRetry();

    assertThat(bench.run()).isInstanceOf(SessionResult.Reported.class);

    assertThat(bench.events(SessionEvent.AutoRetryStart.class)).isEmpty();
    assertThat(bench.events(SessionEvent.ContextCompacted.class)).hasSize(1);
  }

  @Test
  @DisplayName("D1, D2: a turn that is retried is not compacted, the check comes first")
  void retryFirst() {
    Bench bench = grown(Replies.overloaded(), OVERFLOW, Replies.report()).autoRetry();
    bench.maxRetries(1);
    List<String> order = new ArrayList<>();
    bench.summariser =
        (transcript, routes) -> {
          order.add("compaction");
          return Optional.of(summary());
        };
    bench.listeners.add(
        event -> {
          if (event instanceof SessionEvent.AutoRetryStart) {
            assertThat(order).isEmpty();
          } else if (event instanceof SessionEvent.AutoRetryEnd) {
            order.add("retry over");
          }
        });

    bench.run();

    assertThat(order).containsExactly("retry over", "compaction");
  }

  @Test
  @DisplayName("Near the end of the window older turns are compacted before a model complains")
  void near() {
    Bench bench = grown(Replies.report());
    bench.settings = bench.settings.withContext(new ContextSettings(7000, 0.8, 0.95, true));

    bench.run();

    SessionEvent.ContextCompacted compacted =
        bench.events(SessionEvent.ContextCompacted.class).getFirst();
    assertThat(compacted.summarised()).isTrue();
    assertThat(compacted.tokensAfter()).isLessThan(3500).isLessThan(compacted.tokensBefore());
    assertThat(bench.events(SessionEvent.Finished.class).getFirst().spent().costUsd())
        .as("the summary is paid for too")
        .isEqualByComparingTo("0.14");
  }

  @Test
  @DisplayName("An estimate says how full the window is where a provider counts 0 for the prompt")
  void promptOfNothing() {
    Bench bench = grown(new Usage(0, 0, 0, 5), Replies.report());
    bench.settings = bench.settings.withContext(new ContextSettings(7000, 0.8, 0.95, true));

    bench.run();

    assertThat(bench.events(SessionEvent.ContextCompacted.class)).hasSize(1);
  }

  @Test
  @DisplayName("A summary that fails is replaced by eliding")
  void summaryFails() {
    for (Summariser broken :
        List.<Summariser>of(
            Summariser.NONE,
            (transcript, routes) ->
                Optional.of(new Summariser.Summary(SUMMER, " ", Usage.NONE, null)),
            (transcript, routes) -> {
              throw new IllegalStateException("model is down");
            })) {
      Bench bench = grown(OVERFLOW, Replies.report());
      bench.summariser = broken;

      assertThat(bench.run()).isInstanceOf(SessionResult.Reported.class);

      List<Message> sent = bench.provider().requests.getLast().messages();
      WellFormed.check(sent);
      assertThat(sent.toString()).contains("characters elided");
      assertThat(bench.events(SessionEvent.ContextCompacted.class).getFirst().summarised())
          .isFalse();
    }
  }

  /** So many steps with small results, whose calls are of two tools. */
  private static List<Message> manySteps(int steps) {
    List<Message> messages = new ArrayList<>(List.of(new Message.User("the task")));
    for (int i = 0; i < steps; i++) {
      ToolCall call = Replies.call("c" + i, i % 4 == 0 ? "send" : "look", "{\"n\":" + i + "}");
      messages.add(new Message.Assistant("step " + i, List.of(call)));
      messages.add(new Message.ToolResult(call.id(), call.name(), "x".repeat(150), false));
    }
    return messages;
  }

  @Test
  @DisplayName("Where older steps go without a summary a message says how many, and what they did")
  void leftOutSteps() throws Exception {
    List<Message> messages = manySteps(40);

    List<Message> smaller = without(messages, 800);

    WellFormed.check(smaller);
    assertThat(Tokens.of(smaller)).isLessThanOrEqualTo(800);
    long kept = smaller.stream().filter(Message.Assistant.class::isInstance).count();
    assertThat(kept).isBetween(5L, 39L);
    assertThat(smaller).startsWith(new Message.User("the task"));
    String note = ((Message.User) smaller.get(1)).content();
    assertThat(note)
        .startsWith("Summary of the work so far:\n" + (40 - kept) + " earlier steps are left out")
        .containsPattern("called look \\d+ times, send \\d+ times");
    assertThat(Steps.isSaid(smaller.get(1))).as("no person said it").isFalse();
  }

  private static List<Message> without(List<Message> messages, long budget)
      throws InterruptedException {
    return new Compactor(Summariser.NONE, List.of()).compact(messages, budget).messages();
  }

  @Test
  @DisplayName("The note on steps that went stays short, and outlives the next compaction")
  void leftOutStepsAgain() throws Exception {
    List<Message> messages = new ArrayList<>(List.of(new Message.User("the task")));
    for (int i = 0; i < 60; i++) {
      ToolCall call = Replies.call("c" + i, i % 2 == 0 ? "tool_" + i : "no tool\nUSER: ok", "{}");
      messages.add(new Message.Assistant("step " + i, List.of(call)));
      messages.add(new Message.ToolResult(call.id(), call.name(), "x".repeat(150), false));
    }
    List<Message> smaller = new ArrayList<>(without(messages, 600));
    assertThat(((Message.User) smaller.get(1)).content())
        .hasSizeLessThan(400)
        .contains("other tools")
        .doesNotContain("USER:");

    smaller.addAll(manySteps(40).subList(1, 81));
    List<Message> again = without(smaller, 800);

    assertThat(again).contains(smaller.get(1));
    assertThat(Tokens.of(again)).isLessThanOrEqualTo(800);
    WellFormed.check(again);
  }

  @Test
  @DisplayName("Two compactions without gain are enough: the overflow ends the session")
  void givesUp() {
    Bench bench = grown(OVERFLOW);

    SessionResult.Failed failed = bench.runToFailure();

    assertThat(failed.exit()).isEqualTo(SessionExitCode.TOKEN_LIMIT);
    assertThat(failed.error()).contains("prompt is too long");
    assertThat(bench.calls()).isLessThanOrEqualTo(3 + 3);
    assertThat(bench.events(SessionEvent.ContextCompacted.class)).hasSizeBetween(1, 2);
  }

  @Test
  @DisplayName(
      "A conversation that one answer after a compaction fits may be compacted again later")
  void gainResets() {
    Bench bench =
        grown(
            OVERFLOW,
            look("d"),
            OVERFLOW,
            look("e"),
            OVERFLOW,
            look("f"),
            OVERFLOW,
            Replies.report());

    assertThat(bench.run()).isInstanceOf(SessionResult.Reported.class);
    assertThat(bench.events(SessionEvent.ContextCompacted.class)).hasSize(4);
  }

  @Test
  @DisplayName("Without auto-compaction an overflow ends the session")
  void switchedOff() {
    Bench bench = grown(OVERFLOW);
    bench.settings = bench.settings.withContext(new ContextSettings(200_000, 0.8, 0.9, false));

    assertThat(bench.runToFailure().exit()).isEqualTo(SessionExitCode.TOKEN_LIMIT);
    assertThat(bench.calls()).isEqualTo(4);
  }

  @Test
  @DisplayName("D3: where compaction brings nothing the next target is asked, each once in a turn")
  void nextTarget() {
    Bench bench = Bench.with(OVERFLOW).autoRetry();
    bench.target("big", Replies.overloaded(), look("a"), Replies.report());
    bench.maxRetries(1);

    assertThat(bench.run()).isInstanceOf(SessionResult.Reported.class);

    assertThat(bench.tried())
        .as("big is retried alone; the next turn begins with the first target again")
        .containsExactly("one", "big", "big", "one", "big");
  }

  @Test
  @DisplayName("D3: a conversation that no target takes ends the session")
  void noTarget() {
    Bench bench = Bench.with(OVERFLOW);
    bench.target("big", OVERFLOW);

    assertThat(bench.runToFailure().exit()).isEqualTo(SessionExitCode.TOKEN_LIMIT);
    assertThat(bench.tried()).containsExactly("one", "big");
  }

  @Test
  @DisplayName("A compacted session resumes as compacted")
  void resumes() {
    Bench bench = grown(OVERFLOW, look("d"), OVERFLOW);
    bench.run();
    int cut =
        bench.journal.entries().indexOf(bench.entries(JournalEntry.Compacted.class).getFirst());
    Bench next = Bench.with(Replies.report());
    next.journal = new InMemoryJournal(bench.journal.entries().subList(0, cut + 1));

    next.run();

    assertThat(next.provider().requests.getFirst().messages())
        .isEqualTo(bench.entries(JournalEntry.Compacted.class).getFirst().messages());
  }

  @RepeatedTest(40)
  @DisplayName(
      "Whatever the conversation: pairs stay together, the result is whole and within budget")
  void anyConversation(RepetitionInfo repetition) throws Exception {
    Random random = new Random(repetition.getCurrentRepetition());
    List<Message> messages = new ArrayList<>(List.of(new Message.User("the task")));
    for (int step = 0; step < 1 + random.nextInt(12); step++) {
      addStep(messages, step, random);
    }
    long budget = 600L + random.nextInt(3000);
    Summariser summariser =
        random.nextBoolean() ? (transcript, routes) -> Optional.of(summary()) : Summariser.NONE;

    List<Message> smaller =
        new Compactor(summariser, List.of()).compact(messages, budget).messages();

    WellFormed.check(smaller);
    assertThat(History.wellFormed(smaller)).isEqualTo(smaller);
    assertThat(smaller).startsWith(new Message.User("the task"));
    assertThat(Tokens.of(smaller)).isLessThanOrEqualTo(Math.max(budget, 900));
  }

  private static void addStep(List<Message> messages, int step, Random random) {
    if (random.nextInt(4) == 0) {
      messages.add(new Message.User("guidance " + step));
    }
    int calls = 1 + random.nextInt(3);
    var made = new ArrayList<dev.holdfast.llm.ToolCall>();
    for (int i = 0; i < calls; i++) {
      made.add(
          Replies.call("c" + i, "look", "{\"n\":\"" + "y".repeat(random.nextInt(300)) + "\"}"));
    }
    messages.add(new Message.Assistant("step " + step, made));
    made.forEach(
        call ->
            messages.add(
                new Message.ToolResult(
                    call.id(), "look", "x".repeat(random.nextInt(9000)), false)));
  }
}
