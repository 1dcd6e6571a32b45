package dev.holdfast.llm;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Requests, and results of calls, for tests that need no server. */
public final class Calls {
  public static final Duration TIMEOUT = Duration.ofSeconds(30);

  private Calls() {}

  public static ChatRequest request(Message... messages) {
    return request(null, List.of(), messages);
  }

  public static ChatRequest request(
      @Nullable Integer maxOutputTokens, List<ToolSpec> tools, Message... messages) {
    return new ChatRequest(
        "m-1", "", List.of(messages), tools, ToolChoice.AUTO, maxOutputTokens, TIMEOUT);
  }

  public static CallResult.Answer answer(String text, Usage usage) {
    return new CallResult.Answer(new Message.Assistant(text, List.of()), StopReason.END, usage);
  }

  /** Of the provider's words only. */
  public static CallResult.Failed failed(FailureKind kind, boolean retryable, String message) {
    return failed(kind, retryable, message, null, null);
  }

  public static CallResult.Failed failed(
      FailureKind kind,
      boolean retryable,
      String message,
      @Nullable Integer status,
      @Nullable String code) {
    return new CallResult.Failed(kind, retryable, message, status, code, null, true, null);
  }

  public static CallResult.Failed withHint(CallResult.Failed failed, @Nullable Duration hint) {
    return new CallResult.Failed(
        failed.kind(),
        failed.retryable(),
        failed.message(),
        failed.httpStatus(),
        failed.code(),
        hint,
        failed.maybeBilled(),
        failed.cause());
  }

  public static CallResult.Failed unbilled(CallResult.Failed failed) {
    return new CallResult.Failed(
        failed.kind(),
        failed.retryable(),
        failed.message(),
        failed.httpStatus(),
        failed.code(),
        failed.retryAfter(),
        false,
        failed.cause());
  }
}
