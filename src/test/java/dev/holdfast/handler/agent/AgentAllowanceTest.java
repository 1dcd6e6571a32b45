package dev.holdfast.handler.agent;

import static dev.holdfast.handler.agent.AgentTickets.TARGET;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.failure.Category;
import dev.holdfast.session.Allowance;
import dev.holdfast.session.AllowanceStore.Own;
import dev.holdfast.session.journal.JournalEntry;
import dev.holdfast.worker.HandlerResult;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.json.JsonMapper;

/** Where a limit comes from, and what becomes of a ticket that is past it. */
@Timeout(120)
class AgentAllowanceTest {
  private static final String LOOKS =
      "steps:\n"
          + "  - {tool_calls: [{name: list_files, arguments: {}}], usage: {input: 90, output: 10}}\n"
              .repeat(5);
  private static final Allowance USUAL =
      new Allowance(
          "ticket",
          BigDecimal.ONE,
          1000,
          10,
          Duration.ofHours(1),
          new BigDecimal("0.5"),
          500,
          4096);

  @TempDir private Path directory;
  private AgentTickets tickets;

  @BeforeEach
  void prepare() {
    tickets = new AgentTickets(directory.resolve("agents"));
  }

  private HandlerResult run(String limits) throws InterruptedException {
    return tickets.run(TARGET + "tools: [list_files]\n" + limits, LOOKS);
  }

  private long answers() {
    return tickets.journal.entries().stream()
        .filter(JournalEntry.Answered.class::isInstance)
        .count();
  }

  private static Allowance of(String limits, Own own) {
    return AgentAllowance.of(17, JsonMapper.shared().readTree(limits), USUAL, own);
  }

  @Test
  @DisplayName("5.2: the design's limits go before the configuration's, the ticket's before both")
  void precedence() {
    assertThat(of("{}", Own.NONE)).isEqualTo(USUAL.withScope("ticket:17"));
    String design =
        """
        {"max_cost_usd": 2.5, "max_tokens": 7, "max_calls": 8, "max_time": "90m",
         "max_attempt_cost_usd": 0.25, "max_attempt_tokens": 6}
        """;
    Allowance ofDesign =
        new Allowance(
            "ticket:17",
            new BigDecimal("2.5"),
            7,
            8,
            Duration.ofMinutes(90),
            new BigDecimal("0.25"),
            6,
            4096);
    assertThat(of(design, Own.NONE)).isEqualTo(ofDesign);
    assertThat(of(design, new Own(BigDecimal.TEN, Duration.ZERO)))
        .isEqualTo(ofDesign.withCostUsd(BigDecimal.TEN));
  }

  @Test
  @DisplayName("5.2: what finished attempts took is off a ticket's time, and never below nothing")
  void timeLeft() {
    assertThat(of("{}", new Own(null, Duration.ofMinutes(45))).time())
        .isEqualTo(Duration.ofMinutes(15));
    assertThat(of("{}", new Own(null, Duration.ofDays(2))).time()).isEqualTo(Duration.ZERO);
  }

  @ParameterizedTest
  @CsvSource({
    "max_tokens: 200, ticket:17: 200 of 200 tokens used, holdfast design use 17",
    "max_calls: 2, ticket:17: 2 of 2 answers used, holdfast design use 17",
    "max_attempt_tokens: 200, attempt: 200 of 200 tokens used, look at what was done"
  })
  @DisplayName("5.2: a ticket past its tokens or answers is held and says so, and how it goes on")
  void held(String limit, String words, String next) throws Exception {
    HandlerResult.Held held = (HandlerResult.Held) run("limits: {" + limit + "}\n");
    assertThat(held.reason())
        .startsWith("budget_exceeded: " + words + "; ")
        .contains(next)
        .endsWith(", then release it");
    assertThat(answers()).isEqualTo(2);
  }

  @Test
  @DisplayName("5.2: an attempt past its calls or time ends as a passing failure, not held")
  void attemptEnds() throws Exception {
    assertThat(run("limits: {max_attempt_calls: 2}\n"))
        .isInstanceOfSatisfying(
            HandlerResult.Failed.class,
            each -> assertThat(each.error().statedCategory()).isEqualTo(Category.TRANSIENT));
    assertThat(answers()).isEqualTo(2);

    minutePerAnswer();
    assertThat(run("timeout: 2m\n"))
        .isInstanceOfSatisfying(
            HandlerResult.Failed.class,
            each -> assertThat(each.error().statedCategory()).isEqualTo(Category.TRANSIENT));
    assertThat(answers()).isEqualTo(4);
  }

  /** Time stands still but for a minute behind each answer. */
  private void minutePerAnswer() {
    tickets.nanoTime = () -> Duration.ofMinutes(answers()).toNanos();
  }

  @Test
  @DisplayName("5.2: a ticket past its time over all attempts is held and says so")
  void ticketTime() throws Exception {
    minutePerAnswer();
    tickets.allowances = ticketId -> new Own(null, Duration.ofMinutes(8));

    HandlerResult.Held held = (HandlerResult.Held) run("limits: {max_time: 10m}\n");

    assertThat(held.reason())
        .startsWith("budget_exceeded: ticket:17: the time that it may be worked on is used up");
    assertThat(answers()).isEqualTo(2);
  }
}
