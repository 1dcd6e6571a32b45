package dev.holdfast.queue;

import java.time.Duration;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The time that a ticket's unique key holds, and what becomes of a second ticket with it.
 *
 * @param span how long
 * @param time with {@link Span#TIME}, how long after the first one was enqueued; otherwise null
 * @param onDuplicate what becomes of the second one
 */
public record Uniqueness(Span span, @Nullable Duration time, OnDuplicate onDuplicate) {
  /**
   * The usual rule: as long as the first ticket is kept, enqueuing it again returns the first one's
   * id.
   */
  public static final Uniqueness USUAL = new Uniqueness(Span.KEPT, null, OnDuplicate.KEEP);

  /** The time for which a unique key is taken. */
  public enum Span {
    /** Until retention deletes the first ticket. */
    KEPT,
    /** Until it is done or cancelled. */
    OPEN,
    /** For a time. */
    TIME,
    /** For ever, even after it was deleted. */
    EVER
  }

  /** The rule for a second ticket while the key is taken. */
  public enum OnDuplicate {
    /** Nothing is added; the id is that of the first. */
    KEEP,
    /**
     * The first one takes payload and time of the second, if it has not started; otherwise the
     * second takes the key over.
     */
    REPLACE,
    /** The second ticket is an error. */
    REFUSE
  }

  public Uniqueness {
    if ((span == Span.TIME) != (time != null)) {
      throw new IllegalArgumentException("a time goes with the span TIME, and with no other");
    }
  }

  public static Uniqueness whileOpen() {
    return new Uniqueness(Span.OPEN, null, OnDuplicate.KEEP);
  }

  public static Uniqueness within(Duration time) {
    return new Uniqueness(Span.TIME, time, OnDuplicate.KEEP);
  }

  public static Uniqueness forEver() {
    return new Uniqueness(Span.EVER, null, OnDuplicate.KEEP);
  }

  public Uniqueness replacing() {
    return new Uniqueness(span, time, OnDuplicate.REPLACE);
  }

  public Uniqueness refusing() {
    return new Uniqueness(span, time, OnDuplicate.REFUSE);
  }

  /** Returns the span as enqueue_ticket takes it in unique_for; null for KEPT. */
  public @Nullable String spanWords() {
    return switch (span) {
      case KEPT -> null;
      case OPEN -> "open";
      case EVER -> "ever";
      case TIME -> (time == null ? 0 : time.toMillis()) + "ms";
    };
  }

  /** Returns the rule as enqueue_ticket takes it in on_duplicate; null for KEEP. */
  public @Nullable String duplicateWords() {
    return onDuplicate == OnDuplicate.KEEP ? null : onDuplicate.name().toLowerCase(Locale.ROOT);
  }

  /**
   * Reads both, as commands and the API take them.
   *
   * @param forWords open, ever, or a time that the caller has read; null means as long as the
   *     ticket is kept
   * @param duplicateWords keep, replace or refuse; null is keep
   * @throws IllegalArgumentException naming what is allowed
   */
  public static Uniqueness of(
      @Nullable String forWords, @Nullable Duration time, @Nullable String duplicateWords) {
    OnDuplicate onDuplicate =
        switch (duplicateWords) {
          case null -> OnDuplicate.KEEP;
          case "keep" -> OnDuplicate.KEEP;
          case "replace" -> OnDuplicate.REPLACE;
          case "refuse" -> OnDuplicate.REFUSE;
          default ->
              throw new IllegalArgumentException(
                  "\"" + duplicateWords + "\" is not keep, replace or refuse");
        };
    return switch (forWords) {
      case null -> new Uniqueness(Span.KEPT, null, onDuplicate);
      case "open" -> new Uniqueness(Span.OPEN, null, onDuplicate);
      case "ever" -> new Uniqueness(Span.EVER, null, onDuplicate);
      default -> new Uniqueness(Span.TIME, time, onDuplicate);
    };
  }
}
