package dev.holdfast.config;

import dev.holdfast.queue.ClaimRequest;
import dev.holdfast.queue.Retention;
import dev.holdfast.retry.DurationText;
import dev.holdfast.worker.WorkerSettings;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/** The keys of a worker's claims, runs and drains. */
final class WorkerKeys {
  static final Keys.Section SECTION = new Keys.Section();

  private static final Duration DAY = Duration.ofDays(1);

  static final Key<Integer> CONCURRENCY =
      SECTION.key(
          "worker.concurrency",
          new KeyType.Whole("tickets", 1, WorkerSettings.HIGHEST_CONCURRENCY),
          "100",
          "How many tickets one worker runs at once.");
  static final Key<Integer> POLLERS =
      SECTION.key(
          "worker.pollers",
          new KeyType.Whole("threads", 1, 64),
          "1",
          "Threads that claim tickets. One claims thousands of tickets a second.");
  static final Key<Duration> POLL_INTERVAL =
      SECTION.key(
          "worker.poll-interval",
          new KeyType.Span(Duration.ofMillis(10), Duration.ofHours(1)),
          "1s",
          "How often an idle worker looks for tickets. Notifications make it look at once; polling"
              + " is what it relies on.");
  static final Key<Duration> LEASE =
      SECTION.key(
          "worker.lease",
          new KeyType.Span(Duration.ofMillis(100), DAY),
          "60s",
          "How long a claimed ticket is safe without a heartbeat; then another worker rescues it.");
  static final Key<Duration> HEARTBEAT_INTERVAL =
      SECTION.key(
          "worker.heartbeat-interval",
          new KeyType.Span(Duration.ofMillis(10), DAY),
          "15s",
          "How often leases are renewed. Must be less than half of worker.lease, so that one lost"
              + " heartbeat costs nothing. Where it is not given it is a quarter of a lease of less"
              + " than 60s. A worker renews them every 20s at least, for that is how others know"
              + " that it lives.");
  static final Key<Duration> RESCUE_INTERVAL =
      SECTION.key(
          "worker.rescue-interval",
          new KeyType.Span(Duration.ofMillis(10), Duration.ofHours(1)),
          "5s",
          "How often a worker looks for expired leases of others.");
  static final Key<Duration> DRAIN_TIMEOUT =
      SECTION.key(
          "worker.drain-timeout",
          new KeyType.Span(Duration.ZERO, DAY),
          "30s",
          "How long a stopping worker lets its running tickets finish before it gives them back.");
  static final Key<List<String>> QUEUES =
      SECTION.key(
          "worker.queues",
          new KeyType.Texts(Pattern.compile("[A-Za-z0-9][A-Za-z0-9._:-]{0,62}"), "queue names"),
          "",
          "The queues this worker claims from. Empty is all.");
  static final Key<Integer> CLAIM_BATCH =
      SECTION.key(
          "worker.claim-batch",
          new KeyType.Whole("tickets", 1, 10_000),
          "500",
          "How many tickets one claim takes at most; never more than there are free slots.");

  private WorkerKeys() {}

  static WorkerSettings settings(Values values) {
    Duration lease = values.get(LEASE);
    Duration heartbeat = heartbeat(values, lease);
    if (heartbeat.multipliedBy(2).compareTo(lease) >= 0) {
      throw new ConfigException(
          "worker.heartbeat-interval: %s must be less than half of worker.lease, which is %s"
              .formatted(DurationText.format(heartbeat), DurationText.format(lease)));
    }
    return new WorkerSettings(
        values.get(CONCURRENCY),
        values.get(POLLERS),
        values.get(CLAIM_BATCH),
        values.get(POLL_INTERVAL),
        lease,
        heartbeat,
        values.get(RESCUE_INTERVAL),
        values.get(DRAIN_TIMEOUT),
        Set.copyOf(values.get(QUEUES)),
        new Retention(
            values.get(TicketKeys.RETENTION_DONE),
            values.get(TicketKeys.RETENTION_CANCELLED),
            values.get(TicketKeys.RETENTION_STOPPED_WORKERS)),
        values.get(TicketKeys.RETENTION_INTERVAL),
        new ClaimRequest.Room(
            values.get(TicketKeys.CLAIM_MAX_BYTES),
            values.get(TicketKeys.PAYLOAD_MAX_EXPANDED_BYTES),
            1));
  }

  /** Returns the interval of heartbeats. If only the lease is given, the heartbeats fit it. */
  private static Duration heartbeat(Values values, Duration lease) {
    Duration heartbeat = values.get(HEARTBEAT_INTERVAL);
    Duration fitting = lease.dividedBy(4);
    boolean alone = !values.isGiven(HEARTBEAT_INTERVAL);
    return alone && fitting.compareTo(heartbeat) < 0 ? fitting : heartbeat;
  }
}
