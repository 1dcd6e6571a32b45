package dev.holdfast.config;

import dev.holdfast.tool.sandbox.SandboxMode;
import java.time.Duration;
import java.util.List;

/** The keys of calls of models and tools, and of the retries and loops of an agent's session. */
final class SessionKeys {
  static final Keys.Section SECTION = new Keys.Section();

  private static final Duration DAY = Duration.ofDays(1);

  static final Key<Duration> LLM_TIMEOUT =
      SECTION.key(
          "llm.timeout",
          new KeyType.Span(Duration.ofMillis(100), DAY),
          "2m",
          "How long one call of a model may take, from its start to the last byte, where a design"
              + " has no limits.llm_timeout.");
  static final Key<Integer> LLM_MAX_CALLS =
      SECTION.key(
          "llm.max-calls-per-execution",
          new KeyType.Whole("calls", 0, 1_000_000),
          "60",
          "How often all layers of one attempt of a ticket together may call a model, so that their"
              + " retries cannot multiply into a storm. 0 is no bound.");
  static final Key<Boolean> RETRY_ENABLED =
      SECTION.key(
          "session.retry.enabled",
          new KeyType.Flag(),
          "true",
          "Whether an agent's turn that ended in a passing error is run again within the attempt.");
  static final Key<Integer> RETRY_MAX_RETRIES =
      SECTION.key(
          "session.retry.max-retries",
          new KeyType.Whole("retries", 0, 1000),
          "3",
          "Retries of such a turn, after its first run.");
  static final Key<Duration> RETRY_BASE_DELAY =
      SECTION.key(
          "session.retry.base-delay",
          new KeyType.Span(Duration.ZERO, DAY),
          "2s",
          "The wait before the first of them; each further one is twice as long.");
  static final Key<Boolean> RETRY_SKIP =
      SECTION.key(
          "session.retry.skip-if-exhausted-below",
          new KeyType.Flag(),
          "false",
          "Whether an error that the turn has retried as often as it may is passed up at once.");
  static final Key<Boolean> RETRY_WHOLE_NUMBERS =
      SECTION.key(
          "session.retry.whole-numbers",
          new KeyType.Flag(),
          "false",
          "Whether 429, 500, 502, 503 and 504 in an error's text count only as whole numbers, so"
              + " that \"a limit of 5000 rows\" is no server error.");
  static final Key<Integer> LOOPS_NUDGE_AFTER =
      SECTION.key(
          "session.loops.nudge-after",
          new KeyType.Whole("steps, 0 or at least 2", 0, 1000),
          "3",
          "So many equal steps of an agent in a row, or equal pairs of steps, have the model told"
              + " so, once; 0 is never. A step is an answer with its results.");
  static final Key<Integer> LOOPS_END_AFTER =
      SECTION.key(
          "session.loops.end-after",
          new KeyType.Whole("steps, 0 or at least 2", 0, 1000),
          "5",
          "So many of them, or so many turns in a row without an answer of use, end the attempt, as"
              + " code_error; 0 is never.");
  static final Key<Integer> TOOLS_MAX_RETRIES =
      SECTION.key(
          "tools.max-retries",
          new KeyType.Whole("attempts", 1, 100),
          "3",
          "Maximum retry attempts for failed tool executions, the first one included: 1 is no"
              + " retry.");
  static final Key<Integer> TOOLS_WIDTH =
      SECTION.key(
          "tools.width",
          new KeyType.Whole("calls", 0, 1000),
          "0",
          "How many tool calls of one agent run at once. 0 is 4, or the number of processors where"
              + " that is less.");
  static final Key<Duration> TOOLS_TIMEOUT =
      SECTION.key(
          "tools.timeout",
          new KeyType.Span(Duration.ofMillis(100), DAY),
          "15m",
          "How long one try of a tool call may take, above the tools' own limits: it ends those"
              + " that hang.");
  static final Key<SandboxMode> TOOLS_SANDBOX =
      SECTION.key(
          "tools.sandbox",
          new KeyType.Choice<>(List.of(SandboxMode.values()), SandboxMode::word),
          "auto",
          "Whether programs of tools, of verifications and of MCP servers run confined by"
              + " bubblewrap. required: a ticket that needs them is held where that does not work."
              + " preferred: they run unconfined there. auto: required where it works when the"
              + " worker starts, else preferred. off: never confined, for a container that is"
              + " itself the boundary.");

  private SessionKeys() {}
}
