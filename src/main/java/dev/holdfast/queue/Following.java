package dev.holdfast.queue;

import java.util.Locale;
import java.util.Map;

/**
 * What a ticket has of those it waits for.
 *
 * @param names under which it is given their results, by their ids; the others give it nothing
 * @param onCancelled what becomes of it if one of them is cancelled
 */
public record Following(Map<Long, String> names, OnCancelled onCancelled) {
  /** No results, and held. */
  public static final Following DEFAULT = new Following(Map.of(), OnCancelled.HOLD);

  public Following {
    names = Map.copyOf(names);
  }

  /** What becomes of a ticket when one that it waits for is cancelled. */
  public enum OnCancelled {
    /** On hold, with the cause {@code dependency_cancelled}. */
    HOLD,
    /** Cancelled too. */
    CANCEL,
    /** It waits for one less. */
    RUN;

    public String wireName() {
      return name().toLowerCase(Locale.ROOT);
    }
  }
}
