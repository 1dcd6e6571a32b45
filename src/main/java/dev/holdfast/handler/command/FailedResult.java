package dev.holdfast.handler.command;

import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * The result line of an agent's program that failed, as Claude Code prints it: {@code {"type":
 * "result", "is_error": true, "api_error_status": 529, "result": "API Error: …"}}.
 */
record FailedResult(JsonNode line) {
  private static final int FIRST_ERROR = 400;
  private static final int LAST_ERROR = 599;

  static Optional<FailedResult> of(JsonNode line) {
    return line.path("is_error").asBoolean(false)
        ? Optional.of(new FailedResult(line))
        : Optional.empty();
  }

  /**
   * Returns the words about the failure for people, at most {@code atMost} characters; empty where
   * there are none.
   */
  Optional<String> words(int atMost) {
    return Stream.of(line.path("result"), line.path("errors").path(0))
        .flatMap(each -> each.stringValueOpt().stream())
        .filter(words -> !words.isBlank())
        .map(words -> words.substring(0, Math.min(words.length(), atMost)).strip())
        .findFirst();
  }

  /** The HTTP status of the model's answer. */
  @Nullable Integer status() {
    JsonNode status = line.path("api_error_status");
    boolean is =
        status.isInt() && status.intValue() >= FIRST_ERROR && status.intValue() <= LAST_ERROR;
    return is ? status.intValue() : null;
  }
}
