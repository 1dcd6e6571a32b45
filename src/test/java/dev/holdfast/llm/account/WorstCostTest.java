package dev.holdfast.llm.account;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.llm.CallResult;
import dev.holdfast.llm.Calls;
import dev.holdfast.llm.ChatProvider;
import dev.holdfast.llm.ChatRequest;
import dev.holdfast.llm.Message;
import dev.holdfast.llm.Price;
import dev.holdfast.llm.Prices;
import dev.holdfast.llm.StopReason;
import dev.holdfast.llm.StreamListener;
import dev.holdfast.llm.ToolCall;
import dev.holdfast.llm.ToolChoice;
import dev.holdfast.llm.ToolSpec;
import dev.holdfast.llm.Usage;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.json.JsonMapper;

/** What a call may cost, before it is sent. */
class WorstCostTest {
  private static final ToolCall CALL = new ToolCall("x", "abc", "def");

  private record Priced(Prices prices) implements ChatProvider {
    @Override
    public String name() {
      return "openai";
    }

    @Override
    public CallResult call(ChatRequest request, StreamListener stream) {
      throw new AssertionError("nothing is sent");
    }

    @Override
    public Optional<BigDecimal> cost(String model, Usage usage) {
      return prices.cost(model, usage);
    }

    @Override
    public void close() {}
  }

  private static Priced priced(String input, String cacheWrite, String output) {
    return new Priced(
        new Prices(
            Map.of(
                "m-1",
                new Price(
                    new BigDecimal(input),
                    BigDecimal.ZERO,
                    new BigDecimal(cacheWrite),
                    new BigDecimal(output)))));
  }

  static Stream<Arguments> prompts() {
    return Stream.of(
        Arguments.of("nothing", Calls.request(), 0),
        Arguments.of("an empty text", user(""), 8),
        Arguments.of("one byte", user("a"), 9),
        Arguments.of("three bytes", user("abc"), 9),
        Arguments.of("four bytes", user("abcd"), 10),
        Arguments.of("bytes, not letters", user("日本語"), 11),
        Arguments.of("a face of four bytes", user("🙂"), 10),
        Arguments.of(
            "a result", Calls.request(new Message.ToolResult("id", "tool", "abc", false)), 9),
        Arguments.of("text", assistant("abc", "", null), 9),
        Arguments.of("calls", assistant("", "", null, CALL, CALL), 8 + 2 * (8 + 2)),
        Arguments.of("signed thinking", assistant("", "not sent", "123456"), 10),
        Arguments.of(
            "tools",
            Calls.request(
                null, List.of(new ToolSpec("ab", "c", JsonMapper.shared().createObjectNode()))),
            8 + 2),
        Arguments.of(
            "two messages", Calls.request(new Message.User("a"), new Message.User("b")), 18),
        Arguments.of(
            "the system prompt",
            new ChatRequest(
                "m-1", "abcd", List.of(), List.of(), ToolChoice.AUTO, null, Duration.ofSeconds(1)),
            2));
  }

  private static ChatRequest user(String text) {
    return Calls.request(new Message.User(text));
  }

  private static ChatRequest assistant(
      String text,
      String reasoning,
      @org.jspecify.annotations.Nullable String opaque,
      ToolCall... calls) {
    return Calls.request(new Message.Assistant(text, reasoning, List.of(calls), opaque));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("prompts")
  @DisplayName("three bytes are a token, and each message and tool is eight more")
  void tokens(String what, ChatRequest request, long tokens) {
    assertThat(WorstCost.promptTokens(request)).isEqualTo(tokens);
  }

  @ParameterizedTest
  @CsvSource({"3, 0, 15, 0.0015270", "3, 3.75, 15, 0.00153375", "3, 2, 15, 0.0015270"})
  @DisplayName("the prompt is read or written to the cache, whichever costs more; never both")
  void dearer(String input, String cacheWrite, String output, String usd) {
    assertThat(WorstCost.of(priced(input, cacheWrite, output), user("abc"), 100))
        .hasValueSatisfying(cost -> assertThat(cost).isEqualByComparingTo(usd));
  }

  @Test
  @DisplayName("the request's own bound of tokens goes before the setting's")
  void ownBound() {
    ChatRequest bounded = Calls.request(10, List.of(), new Message.User("abc"));
    assertThat(WorstCost.of(priced("0", "0", "1000000"), bounded, 100))
        .hasValueSatisfying(cost -> assertThat(cost).isEqualByComparingTo("10"));
  }

  @Test
  @DisplayName("a model without a price has no worst cost, and a free one has none of anything")
  void unpriced() {
    assertThat(WorstCost.of(new Priced(Prices.NONE), user("abc"), 100)).isEmpty();
    assertThat(WorstCost.of(priced("0", "0", "0"), user("abc"), 100))
        .hasValueSatisfying(cost -> assertThat(cost).isZero());
  }

  @Test
  @DisplayName("where nobody counts, all that was written counts: text, calls, reasoning, and one")
  void estimated() {
    Message.Assistant message = new Message.Assistant("abc", "defghi", List.of(CALL), null);
    CallResult.Answer answer = new CallResult.Answer(message, StopReason.TOOL_CALLS, Usage.NONE);
    assertThat(WorstCost.estimated(user("abc"), answer))
        .isEqualTo(new Usage(9, 0, 0, 1 + 10 + 2 + 1));
    assertThat(WorstCost.estimated(Calls.request(), Calls.answer("", Usage.NONE)))
        .as("an answer of nothing was an answer")
        .isEqualTo(new Usage(0, 0, 0, 1));
  }

  @ParameterizedTest
  @CsvSource({"PT0S, 3, 1", "PT-1S, 3, 1", "PT5S, 0, 1", "PT5S, 3, 0"})
  @DisplayName("settings with which no cool-down would end or no call cost anything are refused")
  void settings(Duration baseDelay, int outageAfter, int outputTokens) {
    AccountSettings usual = AccountSettings.DEFAULT;
    assertThatThrownBy(
            () ->
                new AccountSettings(
                    baseDelay,
                    usual.maxDelay(),
                    usual.maxHint(),
                    outageAfter,
                    0,
                    usual.waitInSession(),
                    false,
                    outputTokens,
                    false))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("must be positive");
  }
}
