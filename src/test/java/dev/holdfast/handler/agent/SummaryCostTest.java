package dev.holdfast.handler.agent;

import static dev.holdfast.handler.agent.AgentTickets.TARGET;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.llm.CallResult;
import dev.holdfast.llm.ChatProvider;
import dev.holdfast.llm.ChatRequest;
import dev.holdfast.llm.FailureKind;
import dev.holdfast.llm.Message;
import dev.holdfast.llm.StopReason;
import dev.holdfast.llm.StreamListener;
import dev.holdfast.llm.ToolCall;
import dev.holdfast.llm.Usage;
import dev.holdfast.session.AllowanceStore;
import dev.holdfast.session.event.SessionEvent;
import dev.holdfast.session.journal.JournalEntry;
import dev.holdfast.session.report.ReportRules;
import dev.holdfast.session.report.Spent;
import dev.holdfast.worker.HandlerResult;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What summaries of long sessions may cost, and that they count. */
@Timeout(120)
class SummaryCostTest {
  private static final String LIMITS =
      TARGET + "tools: [read_file]\nlimits: {context_window: 9000, max_output_tokens: 512, ";
  private static final Usage CUT = new Usage(1000, 0, 0, 512);
  private static final Usage OF_TURNS = new Usage(8200, 0, 0, 120);

  @TempDir private Path directory;
  private AgentTickets tickets;

  @BeforeEach
  void prepare() {
    tickets = new AgentTickets(directory.resolve("agents"));
  }

  /** The second turn fills the window, the third one reports. */
  private static final class Priced implements ChatProvider {
    private final Deque<CallResult> turns =
        new ArrayDeque<>(
            List.of(
                answer("x".repeat(9000), look("a"), new Usage(100, 0, 0, 50)),
                answer("", look("b"), new Usage(8000, 0, 0, 20)),
                answer(
                    "",
                    new ToolCall(
                        "r", ReportRules.TOOL, "{\"status\":\"success\",\"content\":\"done\"}"),
                    new Usage(100, 0, 0, 50))));
    private final Function<ChatRequest, CallResult> summaries;
    final List<ChatRequest> asked = new ArrayList<>();

    Priced(Function<ChatRequest, CallResult> summaries) {
      this.summaries = summaries;
    }

    private static CallResult answer(String text, ToolCall call, Usage usage) {
      return new CallResult.Answer(
          new Message.Assistant(text, List.of(call)), StopReason.TOOL_CALLS, usage);
    }

    private static ToolCall look(String id) {
      return new ToolCall(id, "read_file", "{\"path\": \"missing\"}");
    }

    @Override
    public CallResult call(ChatRequest request, StreamListener stream) {
      if (!request.tools().isEmpty()) {
        return turns.removeFirst();
      }
      asked.add(request);
      return summaries.apply(request);
    }

    @Override
    public String name() {
      return "played";
    }

    /** A dollar for a million tokens that are read, ten for those that are written. */
    @Override
    public Optional<BigDecimal> cost(String model, Usage usage) {
      return Optional.of(
          BigDecimal.valueOf(usage.input() + usage.cacheWrite() + 10 * usage.output(), 6));
    }

    @Override
    public void close() {}
  }

  /** Writes as much as it may. */
  private static CallResult longest(ChatRequest request) {
    Integer most = request.maxOutputTokens();
    return summary("what was done", new Usage(1000, 0, 0, most == null ? 8192 : most));
  }

  private static CallResult summary(String text, Usage usage) {
    return new CallResult.Answer(new Message.Assistant(text, List.of()), StopReason.END, usage);
  }

  private static CallResult cut() {
    return new CallResult.Failed(
            FailureKind.NETWORK_ERROR, false, "cut", null, null, null, true, null)
        .withUsage(CUT);
  }

  private HandlerResult run(String limits, Priced provider) throws InterruptedException {
    return tickets.handler(provider).handle(tickets.context(LIMITS + limits + "}\n"));
  }

  private Spent spent() {
    return tickets.events.stream()
        .filter(SessionEvent.Finished.class::isInstance)
        .map(each -> ((SessionEvent.Finished) each).spent())
        .toList()
        .getLast();
  }

  private List<JournalEntry.Compacted> compacted() {
    return tickets.journal.entries().stream()
        .filter(JournalEntry.Compacted.class::isInstance)
        .map(JournalEntry.Compacted.class::cast)
        .toList();
  }

  @Test
  @DisplayName("A summary is no longer than limits.max_output_tokens")
  void longestAnswer() throws Exception {
    Priced provider = new Priced(SummaryCostTest::longest);

    assertThat(run("max_cost_usd: 0.05", provider)).isInstanceOf(HandlerResult.Succeeded.class);

    assertThat(provider.asked).extracting(ChatRequest::maxOutputTokens).containsExactly(512);
    assertThat(spent().costUsd()).isLessThan(new BigDecimal("0.05"));
    assertThat(compacted()).extracting(JournalEntry.Compacted::summarised).containsExactly(true);
  }

  @Test
  @DisplayName("A shorter summary is asked for where only that fits the ticket's limit")
  void shorter() throws Exception {
    Priced provider = new Priced(SummaryCostTest::longest);

    run("max_cost_usd: 0.015", provider);

    assertThat(provider.asked).extracting(ChatRequest::maxOutputTokens).containsExactly(256);
    assertThat(spent().costUsd()).isLessThan(new BigDecimal("0.015"));
  }

  @Test
  @DisplayName("A summary whose worst cost does not fit the ticket's limit is not asked for")
  void noRoom() throws Exception {
    Priced provider = new Priced(SummaryCostTest::longest);

    HandlerResult.Held held = (HandlerResult.Held) run("max_cost_usd: 0.0115", provider);

    assertThat(held.reason()).startsWith("budget_exceeded: ticket:17: 0.0088 USD spent of 0.0115,");
    assertThat(provider.asked).isEmpty();
    assertThat(compacted()).extracting(JournalEntry.Compacted::summarised).containsExactly(false);
  }

  @Test
  @DisplayName("A ticket whose limit is raised while it is worked on goes on")
  void raisedMeanwhile() throws Exception {
    AtomicInteger reads = new AtomicInteger();
    tickets.allowances =
        id ->
            new AllowanceStore.Own(
                new BigDecimal(reads.incrementAndGet() == 1 ? "0.0115" : "0.05"), Duration.ZERO);

    assertThat(run("max_cost_usd: 5", new Priced(SummaryCostTest::longest)))
        .isInstanceOf(HandlerResult.Succeeded.class);

    assertThat(reads).hasValue(2);
  }

  @Test
  @DisplayName("Without room for a summary the session goes on, and no call is used up")
  void goesOn() throws Exception {
    Priced provider = new Priced(SummaryCostTest::longest);

    assertThat(run("max_cost_usd: 0.012, max_attempt_calls: 3", provider))
        .isInstanceOf(HandlerResult.Succeeded.class);

    assertThat(provider.asked).isEmpty();
  }

  @Test
  @DisplayName("A summary that was cut counts at its worst, for a later attempt too")
  void cutSummary() throws Exception {
    Priced provider = new Priced(request -> cut());

    assertThat(run("max_cost_usd: 0.05", provider)).isInstanceOf(HandlerResult.Succeeded.class);

    assertThat(spent().usage()).isEqualTo(OF_TURNS.plus(CUT));
    assertThat(spent().answers()).isEqualTo(3);
    tickets.events.clear();
    tickets.attempt = 2;
    run("max_cost_usd: 0.05", new Priced(request -> cut()));
    assertThat(spent().usage()).isEqualTo(OF_TURNS.plus(CUT));
  }

  @Test
  @DisplayName("A blank summary is paid for and counts, for a later attempt too")
  void blankSummary() throws Exception {
    Priced provider = new Priced(request -> summary(" ", CUT));

    assertThat(run("max_cost_usd: 0.05", provider)).isInstanceOf(HandlerResult.Succeeded.class);

    assertThat(spent().usage()).isEqualTo(OF_TURNS.plus(CUT));
    assertThat(spent().answers()).isEqualTo(4);
    assertThat(compacted()).extracting(JournalEntry.Compacted::summarised).containsExactly(false);
  }

  @Test
  @DisplayName("A model that refuses to sum up says nothing of the work: it stays, shortened")
  void refusedSummary() throws Exception {
    Priced provider =
        new Priced(
            request ->
                new CallResult.Answer(
                    new Message.Assistant("I can't help with that.", List.of()),
                    StopReason.REFUSED,
                    CUT));

    assertThat(run("max_cost_usd: 0.05", provider)).isInstanceOf(HandlerResult.Succeeded.class);

    assertThat(spent().usage()).isEqualTo(OF_TURNS.plus(CUT));
    assertThat(compacted()).extracting(JournalEntry.Compacted::summarised).containsExactly(false);
  }
}
