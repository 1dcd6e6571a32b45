package dev.holdfast.worker;

import dev.holdfast.queue.ClaimRequest.Room;
import dev.holdfast.queue.Retention;
import java.time.Duration;
import java.util.Set;
import java.util.function.Consumer;

/**
 * The settings of a worker. Immutable; {@code with...} returns changed copies. Where a number or a
 * time cannot be taken, it throws {@link IllegalArgumentException}; no time is longer than 365
 * days.
 *
 * @param concurrency tickets that run at once, at most {@link #HIGHEST_CONCURRENCY}; default 100
 * @param pollers threads that claim; default 1, which is enough for tens of thousands of tickets
 *     per second
 * @param claimBatch tickets per claim at most; default 500
 * @param pollInterval wait after a poll that found nothing; default 1 s. While notifications are
 *     proven to arrive it grows up to four times as long, but never past the next due ticket
 * @param lease how long a claim holds without a heartbeat; default 60 s
 * @param heartbeatInterval default 15 s; less than half the lease
 * @param rescueInterval how often expired leases are looked for; default 5 s
 * @param drainTimeout how long running tickets may finish after a stop; default 30 s
 * @param queues the queues it claims from; empty means all
 * @param retention how long finished tickets are kept
 * @param retentionInterval how often they are pruned; default 1 h, zero is never
 * @param room how much of large payloads may be under way at a time; default 32 MiB, of which one
 *     payload may be 16 MiB
 */
public record WorkerSettings(
    int concurrency,
    int pollers,
    int claimBatch,
    Duration pollInterval,
    Duration lease,
    Duration heartbeatInterval,
    Duration rescueInterval,
    Duration drainTimeout,
    Set<String> queues,
    Retention retention,
    Duration retentionInterval,
    Room room) {

  /** The highest number of tickets that a worker runs at once. */
  public static final int HIGHEST_CONCURRENCY = 100_000;

  /** The longest time: near enough that its sum with a clock does not overflow. */
  private static final Duration LONGEST = Duration.ofDays(365);

  public WorkerSettings {
    queues = Set.copyOf(queues);
    require(
        concurrency >= 1 && concurrency <= HIGHEST_CONCURRENCY,
        "concurrency must be from 1 to " + HIGHEST_CONCURRENCY);
    require(pollers >= 1, "pollers must be at least 1");
    require(claimBatch >= 1, "claim batch must be at least 1");
    requireTime("poll interval", pollInterval);
    requireTime("lease", lease);
    requireTime("heartbeat interval", heartbeatInterval);
    requireTime("rescue interval", rescueInterval);
    requireTimeOrNone("drain timeout", drainTimeout);
    requireTimeOrNone("retention interval", retentionInterval);
    require(
        heartbeatInterval.multipliedBy(2).compareTo(lease) < 0,
        "the heartbeat interval must be less than half the lease, or one late heartbeat loses it");
  }

  private static void requireTime(String name, Duration duration) {
    require(duration.isPositive(), name + " must be more than 0");
    requireTimeOrNone(name, duration);
  }

  private static void requireTimeOrNone(String name, Duration duration) {
    require(!duration.isNegative(), name + " must not be negative");
    require(duration.compareTo(LONGEST) <= 0, name + " must be 365 days at most");
  }

  private static void require(boolean condition, String message) {
    if (!condition) {
      throw new IllegalArgumentException(message);
    }
  }

  public static WorkerSettings defaults() {
    Retention retention =
        new Retention(Duration.ofDays(30), Duration.ofDays(30), Duration.ofDays(1));
    return new WorkerSettings(
        100,
        1,
        500,
        Duration.ofSeconds(1),
        Duration.ofSeconds(60),
        Duration.ofSeconds(15),
        Duration.ofSeconds(5),
        Duration.ofSeconds(30),
        Set.of(),
        retention,
        Duration.ofHours(1),
        Room.DEFAULT);
  }

  public WorkerSettings withConcurrency(int newConcurrency) {
    return with(draft -> draft.concurrency = newConcurrency);
  }

  public WorkerSettings withPollers(int newPollers) {
    return with(draft -> draft.pollers = newPollers);
  }

  public WorkerSettings withClaimBatch(int newClaimBatch) {
    return with(draft -> draft.claimBatch = newClaimBatch);
  }

  public WorkerSettings withPollInterval(Duration newPollInterval) {
    return with(draft -> draft.pollInterval = newPollInterval);
  }

  /** Sets both, because one bounds the other. */
  public WorkerSettings withLease(Duration newLease, Duration newHeartbeatInterval) {
    return with(
        draft -> {
          draft.lease = newLease;
          draft.heartbeatInterval = newHeartbeatInterval;
        });
  }

  public WorkerSettings withRescueInterval(Duration newRescueInterval) {
    return with(draft -> draft.rescueInterval = newRescueInterval);
  }

  public WorkerSettings withDrainTimeout(Duration newDrainTimeout) {
    return with(draft -> draft.drainTimeout = newDrainTimeout);
  }

  public WorkerSettings withQueues(Set<String> newQueues) {
    return with(draft -> draft.queues = newQueues);
  }

  public WorkerSettings withRetention(Retention newRetention, Duration newRetentionInterval) {
    return with(
        draft -> {
          draft.retention = newRetention;
          draft.retentionInterval = newRetentionInterval;
        });
  }

  public WorkerSettings withRoom(Room newRoom) {
    return with(draft -> draft.room = newRoom);
  }

  private WorkerSettings with(Consumer<Draft> change) {
    Draft draft = new Draft(this);
    change.accept(draft);
    return draft.settings();
  }

  /** A copy of the settings while one field is changed. */
  private static final class Draft {
    private int concurrency;
    private int pollers;
    private int claimBatch;
    private Duration pollInterval;
    private Duration lease;
    private Duration heartbeatInterval;
    private Duration rescueInterval;
    private Duration drainTimeout;
    private Set<String> queues;
    private Retention retention;
    private Duration retentionInterval;
    private Room room;

    Draft(WorkerSettings from) {
      concurrency = from.concurrency;
      pollers = from.pollers;
      claimBatch = from.claimBatch;
      pollInterval = from.pollInterval;
      lease = from.lease;
      heartbeatInterval = from.heartbeatInterval;
      rescueInterval = from.rescueInterval;
      drainTimeout = from.drainTimeout;
      queues = from.queues;
      retention = from.retention;
      retentionInterval = from.retentionInterval;
      room = from.room;
    }

    WorkerSettings settings() {
      return new WorkerSettings(
          concurrency,
          pollers,
          claimBatch,
          pollInterval,
          lease,
          heartbeatInterval,
          rescueInterval,
          drainTimeout,
          queues,
          retention,
          retentionInterval,
          room);
    }
  }
}
