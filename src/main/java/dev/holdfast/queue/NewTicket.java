package dev.holdfast.queue;

import dev.holdfast.ticket.InvalidInputException;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A ticket to be enqueued. Immutable: each {@code with...} returns a changed copy.
 *
 * @param design the name of a design, whose latest version is taken; or null for a ticket of a kind
 *     alone
 * @param kind which handler works it; null takes the design's
 * @param title for people; may be null
 * @param payload the task as JSON text, an object as a rule; default {@code {}}
 * @param queue default {@code default}
 * @param priority higher is sooner; default 0
 * @param delay not claimed before this long from now, by the database's clock; null is at once.
 *     Inside the caller's transaction now is when that has begun, as PostgreSQL's {@code now()}
 * @param runAt not claimed before this time; null is at once; wins over delay
 * @param uniqueKey at most one kept ticket has it: enqueuing it again returns the first one's id
 * @param maxCostUsd what its model calls may cost; null is the design's limit
 * @param after the ids of the tickets that must be done before it is claimed; at most 10,000,
 *     default none
 * @param expiry from when on it is put on hold instead, if no worker has started it; null is what
 *     the design says, or never
 * @param concurrencyKey limits count what runs with the same key; null has none
 * @param fairnessKey tickets of equal priority are claimed in turns over these keys; null has none
 * @param uniqueness how long the unique key holds and what becomes of a second ticket with it
 * @param following what it takes from the tickets of {@code after}
 * @param traceparent the trace that its attempts belong to, as W3C Trace Context writes it; null
 *     for none
 * @param batchId the open batch that it joins; null is none
 * @param afterBatch the closed batch that must have ended before it is claimed; null is none
 */
public record NewTicket(
    @Nullable String design,
    @Nullable String kind,
    @Nullable String title,
    String payload,
    String queue,
    int priority,
    @Nullable Duration delay,
    @Nullable Instant runAt,
    @Nullable String uniqueKey,
    @Nullable BigDecimal maxCostUsd,
    List<Long> after,
    @Nullable Expiry expiry,
    @Nullable String concurrencyKey,
    @Nullable String fairnessKey,
    Uniqueness uniqueness,
    Following following,
    @Nullable String traceparent,
    @Nullable Long batchId,
    @Nullable Long afterBatch) {

  private static final String DEFAULT_QUEUE = "default";

  // as trace_ticket in the database
  private static final Pattern TRACEPARENT =
      Pattern.compile("00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}");

  /** Copies the list. */
  public NewTicket {
    after = List.copyOf(after);
  }

  /** Returns whether a text is a traceparent of the only version that exists. */
  public static boolean isTraceparent(String text) {
    return TRACEPARENT.matcher(text).matches();
  }

  public static NewTicket ofDesign(String design) {
    return of(design, null);
  }

  public static NewTicket ofKind(String kind) {
    return of(null, kind);
  }

  /**
   * Makes a ticket. One of the two may be null: a design has a kind, or a ticket has a kind alone.
   */
  public static NewTicket of(@Nullable String design, @Nullable String kind) {
    return new NewTicket(
        design,
        kind,
        null,
        "{}",
        DEFAULT_QUEUE,
        0,
        null,
        null,
        null,
        null,
        List.of(),
        null,
        null,
        null,
        Uniqueness.USUAL,
        Following.DEFAULT,
        null,
        null,
        null);
  }

  public NewTicket withTitle(@Nullable String newTitle) {
    return with(copy -> copy.title = newTitle);
  }

  public NewTicket withPayload(String newPayload) {
    return with(copy -> copy.payload = newPayload);
  }

  public NewTicket withQueue(String newQueue) {
    return with(copy -> copy.queue = newQueue);
  }

  public NewTicket withPriority(int newPriority) {
    return with(copy -> copy.priority = newPriority);
  }

  public NewTicket withDelay(@Nullable Duration newDelay) {
    return with(copy -> copy.delay = newDelay);
  }

  public NewTicket withRunAt(@Nullable Instant newRunAt) {
    return with(copy -> copy.runAt = newRunAt);
  }

  public NewTicket withUniqueKey(@Nullable String newUniqueKey) {
    return with(copy -> copy.uniqueKey = newUniqueKey);
  }

  public NewTicket withMaxCostUsd(@Nullable BigDecimal newMaxCostUsd) {
    return with(copy -> copy.maxCostUsd = newMaxCostUsd);
  }

  public NewTicket withAfter(List<Long> newAfter) {
    return with(copy -> copy.after = newAfter);
  }

  /**
   * Makes it wait for tickets whose results it is given, by the names of this map.
   *
   * @throws InvalidInputException if a ticket has two names
   */
  public NewTicket withAfter(Map<String, Long> newAfter) {
    Map<Long, String> names = new HashMap<>();
    newAfter.forEach((name, id) -> Following.name(names, id, name));
    return withAfter(List.copyOf(newAfter.values()))
        .withFollowing(new Following(names, following.onCancelled()));
  }

  public NewTicket withFollowing(Following newFollowing) {
    return with(copy -> copy.following = newFollowing);
  }

  public NewTicket withExpiry(@Nullable Expiry newExpiry) {
    return with(copy -> copy.expiry = newExpiry);
  }

  public NewTicket withConcurrencyKey(@Nullable String newConcurrencyKey) {
    return with(copy -> copy.concurrencyKey = newConcurrencyKey);
  }

  public NewTicket withFairnessKey(@Nullable String newFairnessKey) {
    return with(copy -> copy.fairnessKey = newFairnessKey);
  }

  public NewTicket withUniqueness(Uniqueness newUniqueness) {
    return with(copy -> copy.uniqueness = newUniqueness);
  }

  public NewTicket withTraceparent(@Nullable String newTraceparent) {
    return with(copy -> copy.traceparent = newTraceparent);
  }

  public NewTicket withBatchId(@Nullable Long newBatchId) {
    return with(copy -> copy.batchId = newBatchId);
  }

  public NewTicket withAfterBatch(@Nullable Long newAfterBatch) {
    return with(copy -> copy.afterBatch = newAfterBatch);
  }

  private NewTicket with(Consumer<Copy> change) {
    Copy copy = new Copy(this);
    change.accept(copy);
    return copy.ticket();
  }

  /**
   * The link of a ticket to those it waits for.
   *
   * @param names the names under which it is given their results, by ticket id; a ticket without a
   *     name gives it nothing
   * @param onCancelled what becomes of it if one of them is cancelled
   */
  public record Following(Map<Long, String> names, OnCancelled onCancelled) {
    /** The usual link: no results, and the ticket is held if one of those is cancelled. */
    public static final Following DEFAULT = new Following(Map.of(), OnCancelled.HOLD);

    public Following {
      names = Map.copyOf(names);
    }

    /**
     * Adds the name of a ticket to the others.
     *
     * @throws InvalidInputException if it has another name: its result is given under one name only
     */
    public static void name(Map<Long, String> names, long id, String name) {
      String other = names.putIfAbsent(id, name);
      if (other != null && !other.equals(name)) {
        throw new InvalidInputException(
            "after: ticket " + id + " has two names; its result is given under one");
      }
    }

    /** The fate of a ticket when one that it waits for is cancelled. */
    public enum OnCancelled {
      /** It is put on hold, with the cause {@code dependency_cancelled}. */
      HOLD,
      /** It is cancelled too. */
      CANCEL,
      /** It waits for one ticket less. */
      RUN;

      public String wireName() {
        return name().toLowerCase(Locale.ROOT);
      }
    }
  }

  /** The fields of a ticket while one of them is changed. */
  private static final class Copy {
    private final @Nullable String design;
    private final @Nullable String kind;
    private @Nullable String title;
    private String payload;
    private String queue;
    private int priority;
    private @Nullable Duration delay;
    private @Nullable Instant runAt;
    private @Nullable String uniqueKey;
    private @Nullable BigDecimal maxCostUsd;
    private List<Long> after;
    private @Nullable Expiry expiry;
    private @Nullable String concurrencyKey;
    private @Nullable String fairnessKey;
    private Uniqueness uniqueness;
    private Following following;
    private @Nullable String traceparent;
    private @Nullable Long batchId;
    private @Nullable Long afterBatch;

    Copy(NewTicket ticket) {
      design = ticket.design;
      kind = ticket.kind;
      title = ticket.title;
      payload = ticket.payload;
      queue = ticket.queue;
      priority = ticket.priority;
      delay = ticket.delay;
      runAt = ticket.runAt;
      uniqueKey = ticket.uniqueKey;
      maxCostUsd = ticket.maxCostUsd;
      after = ticket.after;
      expiry = ticket.expiry;
      concurrencyKey = ticket.concurrencyKey;
      fairnessKey = ticket.fairnessKey;
      uniqueness = ticket.uniqueness;
      following = ticket.following;
      traceparent = ticket.traceparent;
      batchId = ticket.batchId;
      afterBatch = ticket.afterBatch;
    }

    NewTicket ticket() {
      return new NewTicket(
          design,
          kind,
          title,
          payload,
          queue,
          priority,
          delay,
          runAt,
          uniqueKey,
          maxCostUsd,
          after,
          expiry,
          concurrencyKey,
          fairnessKey,
          uniqueness,
          following,
          traceparent,
          batchId,
          afterBatch);
    }
  }
}
