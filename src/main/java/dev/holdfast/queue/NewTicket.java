package dev.holdfast.queue;

import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
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
 * @param delay not claimed before this long from now, by the database's clock; null is at once
 * @param runAt not claimed before this time; null is at once; wins over delay
 * @param uniqueKey at most one kept ticket has it: enqueuing it again returns the first one's id
 * @param maxCostUsd what its model calls may cost; null is the design's limit
 * @param after the ids of the tickets that must be done before it is claimed; at most 10,000,
 *     default none
 * @param expiry from when on it is put on hold instead, if no worker has started it; null is never
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
    @Nullable Expiry expiry) {

  private static final String DEFAULT_QUEUE = "default";

  /** Copies the list. */
  public NewTicket {
    after = List.copyOf(after);
  }

  public static NewTicket ofDesign(String design) {
    return new NewTicket(
        design, null, null, "{}", DEFAULT_QUEUE, 0, null, null, null, null, List.of(), null);
  }

  public static NewTicket ofKind(String kind) {
    return new NewTicket(
        null, kind, null, "{}", DEFAULT_QUEUE, 0, null, null, null, null, List.of(), null);
  }

  public NewTicket withTitle(@Nullable String newTitle) {
    return new NewTicket(
        design,
        kind,
        newTitle,
        payload,
        queue,
        priority,
        delay,
        runAt,
        uniqueKey,
        maxCostUsd,
        after,
        expiry);
  }

  public NewTicket withPayload(String newPayload) {
    return new NewTicket(
        design,
        kind,
        title,
        newPayload,
        queue,
        priority,
        delay,
        runAt,
        uniqueKey,
        maxCostUsd,
        after,
        expiry);
  }

  public NewTicket withQueue(String newQueue) {
    return new NewTicket(
        design,
        kind,
        title,
        payload,
        newQueue,
        priority,
        delay,
        runAt,
        uniqueKey,
        maxCostUsd,
        after,
        expiry);
  }

  public NewTicket withPriority(int newPriority) {
    return new NewTicket(
        design,
        kind,
        title,
        payload,
        queue,
        newPriority,
        delay,
        runAt,
        uniqueKey,
        maxCostUsd,
        after,
        expiry);
  }

  public NewTicket withDelay(@Nullable Duration newDelay) {
    return new NewTicket(
        design,
        kind,
        title,
        payload,
        queue,
        priority,
        newDelay,
        runAt,
        uniqueKey,
        maxCostUsd,
        after,
        expiry);
  }

  public NewTicket withRunAt(@Nullable Instant newRunAt) {
    return new NewTicket(
        design,
        kind,
        title,
        payload,
        queue,
        priority,
        delay,
        newRunAt,
        uniqueKey,
        maxCostUsd,
        after,
        expiry);
  }

  public NewTicket withUniqueKey(@Nullable String newUniqueKey) {
    return new NewTicket(
        design,
        kind,
        title,
        payload,
        queue,
        priority,
        delay,
        runAt,
        newUniqueKey,
        maxCostUsd,
        after,
        expiry);
  }

  public NewTicket withMaxCostUsd(@Nullable BigDecimal newMaxCostUsd) {
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
        newMaxCostUsd,
        after,
        expiry);
  }

  public NewTicket withAfter(List<Long> newAfter) {
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
        newAfter,
        expiry);
  }

  public NewTicket withExpiry(@Nullable Expiry newExpiry) {
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
        newExpiry);
  }
}
