package dev.holdfast.llm.account;

import dev.holdfast.llm.CallResult;
import dev.holdfast.llm.ChatProvider;
import dev.holdfast.llm.ChatRequest;
import dev.holdfast.llm.Message;
import dev.holdfast.llm.ToolCall;
import dev.holdfast.llm.ToolSpec;
import dev.holdfast.llm.Usage;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/**
 * The highest cost of a call, before anybody has counted its tokens. Three bytes of UTF-8 count as
 * one token. That gives more tokens than models count for prose in any language, and about as many
 * as they count for code.
 */
public final class WorstCost {
  private static final int BYTES_PER_TOKEN = 3;
  private static final int PER_MESSAGE = 8;

  private WorstCost() {}

  /** Estimates the prompt's tokens generously. */
  public static long promptTokens(ChatRequest request) {
    long tokens = tokens(request.system());
    for (Message message : request.messages()) {
      tokens += PER_MESSAGE + tokens(message);
    }
    for (ToolSpec tool : request.tools()) {
      tokens += PER_MESSAGE + tokens(tool.name() + tool.description() + tool.arguments());
    }
    return tokens;
  }

  /**
   * Returns the highest cost in USD; empty where the model has no price.
   *
   * @param outputTokens where the request has no bound of its own
   */
  public static Optional<BigDecimal> of(
      ChatProvider provider, ChatRequest request, int outputTokens) {
    long prompt = promptTokens(request);
    long output = output(request, outputTokens);
    return provider
        .cost(request.model(), new Usage(prompt, 0, 0, output))
        .map(
            read ->
                read.max(
                    provider
                        .cost(request.model(), new Usage(0, 0, prompt, output))
                        .orElse(BigDecimal.ZERO)));
  }

  /** The usage that is assumed where a provider does not count the prompt. */
  static Usage estimated(ChatRequest request, CallResult.Answer answer) {
    Message.Assistant message = answer.message();
    long counted = answer.usage().output();
    long written = tokens(message) + tokens(message.reasoning()) + 1;
    return new Usage(promptTokens(request), 0, 0, counted > 0 ? counted : written);
  }

  /**
   * The usage that is assumed of a call without a whole answer.
   *
   * @param known of its prompt; 0 tokens where nothing was reported
   */
  static Usage unanswered(ChatRequest request, Usage known, int outputTokens) {
    long input = known.prompt() == 0 ? promptTokens(request) : known.input();
    return new Usage(
        input,
        known.cacheRead(),
        known.cacheWrite(),
        Math.max(known.output(), output(request, outputTokens)));
  }

  private static long output(ChatRequest request, int otherwise) {
    Integer most = request.maxOutputTokens();
    return most == null ? otherwise : most;
  }

  private static long tokens(Message message) {
    return switch (message) {
      case Message.User user -> tokens(user.content());
      case Message.ToolResult result -> tokens(result.content());
      case Message.Assistant answer -> {
        long tokens = tokens(answer.text());
        for (ToolCall call : answer.toolCalls()) {
          tokens += PER_MESSAGE + tokens(call.name() + call.arguments());
        }
        yield tokens + (answer.opaque() == null ? 0 : tokens(answer.opaque()));
      }
    };
  }

  private static long tokens(String text) {
    return (text.getBytes(StandardCharsets.UTF_8).length + BYTES_PER_TOKEN - 1L) / BYTES_PER_TOKEN;
  }
}
