package dev.holdfast.llm;

import static dev.holdfast.fuzz.FuzzTarget.require;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** What is true of every answer of a model's server, whatever it sends. */
public final class AnswerFuzz {
  public static final int MOST_CHARS = 10_000;
  private static final int LONGEST_MESSAGE = 10_000;
  private static final Duration LONGEST_HINT = Duration.ofDays(3650);
  private static final int[] STATUSES = {200, 400, 401, 402, 404, 413, 429, 500, 503, 529};

  private AnswerFuzz() {}

  /** The status of an input: 200, unless its first byte is one of the digits 1 to 9. */
  public static int status(byte[] input) {
    boolean digit = input.length > 0 && input[0] >= '1' && input[0] <= '9';
    return STATUSES[digit ? input[0] - '0' : 0];
  }

  /** The body: all but that digit. */
  public static byte[] body(byte[] input) {
    return status(input) == 200 ? input : Arrays.copyOfRange(input, 1, input.length);
  }

  public static ProviderSettings settings() {
    return new ProviderSettings(
        "fuzz", "http://127.0.0.1:9", List.of("sk-test-0123456789"), Prices.NONE, MOST_CHARS);
  }

  /** Calls a provider that is sent the input. */
  public static void holds(ChatProvider provider) throws InterruptedException {
    ChatRequest request =
        new ChatRequest(
            "m",
            "",
            List.of(new Message.User("hello")),
            List.of(),
            ToolChoice.AUTO,
            null,
            Duration.ofSeconds(20));
    StringBuilder streamed = new StringBuilder();
    StreamListener listener =
        new StreamListener() {
          @Override
          public void text(String piece) {
            streamed.append(piece);
          }
        };
    switch (provider.call(request, listener)) {
      case CallResult.Answer answer -> answer(answer, streamed.toString());
      case CallResult.Failed failed -> failed(failed);
      case CallResult.Refused refused -> throw new AssertionError("nobody guards it: " + refused);
    }
  }

  private static void answer(CallResult.Answer answer, String streamed) {
    Message.Assistant message = answer.message();
    int chars = message.text().length();
    Set<String> ids = new HashSet<>();
    for (ToolCall call : message.toolCalls()) {
      require(!call.id().isBlank() && ids.add(call.id()), "each call has an id of its own");
      chars += call.name().length() + call.arguments().length();
    }
    require(chars <= MOST_CHARS + 2 * ids.size(), "an answer is no longer than allowed: " + chars);
    require(streamed.equals(message.text()), "what was streamed is what was answered");
    Usage usage = answer.usage();
    require(
        usage.input() >= 0
            && usage.output() >= 0
            && usage.cacheRead() >= 0
            && usage.cacheWrite() >= 0,
        "no number of tokens is negative: " + usage);
  }

  private static void failed(CallResult.Failed failed) {
    String message = failed.message();
    require(failed.kind() != FailureKind.TIMEOUT, "no answer takes for ever: " + message);
    require(message.length() <= LONGEST_MESSAGE, "a message is short: " + message.length());
    require(!message.contains("sk-test-0123456789"), "no key in a message");
    String code = failed.code();
    require(
        code == null || code.getBytes(StandardCharsets.UTF_8).length <= LONGEST_MESSAGE,
        "a code is short");
    Duration hint = failed.retryAfter();
    require(
        hint == null || (!hint.isNegative() && hint.compareTo(LONGEST_HINT) <= 0),
        "the hint is within its bounds: " + hint);
  }
}
