package dev.holdfast.tool;

import dev.holdfast.llm.ToolSpec;
import tools.jackson.databind.JsonNode;

/** Something that a model may call. Thread-safe, unless it {@link #runsAlone()}. */
public interface Tool {
  /** Returns the description for models, always the same. */
  ToolSpec spec();

  /** True if running it twice with the same arguments does no more than running it once (C38). */
  boolean isIdempotent();

  /** True if it may run again although an earlier run may have taken effect (C38). */
  default boolean isRepeatable() {
    return isIdempotent();
  }

  /**
   * True if no other call of the batch may run at the same time: earlier calls have ended, and
   * later ones wait. This is for tools that change what others look at.
   */
  default boolean runsAlone() {
    return false;
  }

  /**
   * Previews a call: says what it would do, and does none of it.
   *
   * @param arguments an object, valid by the schema of {@link #spec()}
   */
  default CallPreview preview(JsonNode arguments) throws InterruptedException {
    return CallPreview.NOTHING;
  }

  /**
   * Runs it, on a virtual thread of its own. An interrupt must end it soon.
   *
   * @param arguments an object, valid by the schema of {@link #spec()}
   * @return what the model is shown; cut where it is too long
   * @throws ModelRetryException to ask the model for a better call (C19)
   * @throws Exception anything else is a failure, retried by its type (C5-C8)
   */
  String call(JsonNode arguments, ToolContext context) throws Exception;
}
