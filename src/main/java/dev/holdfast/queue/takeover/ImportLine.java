package dev.holdfast.queue.takeover;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The import of rows that are alike.
 *
 * @param state their state in the source
 * @param newState their state here; null where they are left
 * @param designKey the key of their {@link SourceDesign}
 * @param kind their kind here; null where nothing gives one
 * @param sourceIds the ids of all of them, in order
 */
public record ImportLine(
    Outcome outcome,
    @Nullable String state,
    @Nullable String newState,
    String designKey,
    @Nullable String kind,
    List<String> sourceIds) {
  public ImportLine {
    sourceIds = List.copyOf(sourceIds);
  }

  /** What becomes of the rows. All but the first two leave them where they are. */
  public enum Outcome {
    TAKEN,
    /** It was taken by an earlier run. */
    TAKEN_BEFORE,
    /** It is in progress: an old worker may hold it. */
    LEFT_RUNNING,
    /** Another row has its id. */
    SAME_ID,
    /** Its retry_count or rejection_count is no count. */
    BAD_COUNT,
    /** No queue can have the name of its queue. */
    BAD_QUEUE,
    /** Its retry_strategy is no retry policy. */
    BAD_STRATEGY,
    /** One of its times is infinity. */
    BAD_TIME,
    /** Its payload is too long as text, or too deep. */
    BAD_PAYLOAD,
    /** Nothing gives its kind. */
    NO_DESIGN,
    NO_ID;

    public boolean isLeft() {
      return this != TAKEN && this != TAKEN_BEFORE;
    }
  }
}
