package dev.holdfast.queue.takeover;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The import of rows that are alike.
 *
 * @param state in the source
 * @param newState here; null where they are left
 * @param designKey of their {@link SourceDesign}
 * @param kind here; null where nothing gives one
 * @param sourceIds of all of them, in order
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

  /** All but the first two are left where they are. */
  public enum Outcome {
    TAKEN,
    /** By an earlier run. */
    TAKEN_BEFORE,
    /** In progress: an old worker may hold it. */
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
    /** Nothing says of which kind it is. */
    NO_DESIGN,
    NO_ID;

    public boolean isLeft() {
      return this != TAKEN && this != TAKEN_BEFORE;
    }
  }
}
