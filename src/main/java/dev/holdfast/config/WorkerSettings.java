package dev.holdfast.config;

import dev.holdfast.retry.DurationText;
import java.time.Duration;
import java.util.Set;

/**
 * How a worker claims and runs tickets; each field is described at its key in {@link Keys}.
 *
 * @param queues empty means all
 */
public record WorkerSettings(
    int concurrency,
    int pollers,
    Duration pollInterval,
    Duration lease,
    Duration heartbeatInterval,
    Duration rescueInterval,
    Duration drainTimeout,
    Set<String> queues,
    int claimBatch) {

  public WorkerSettings {
    queues = Set.copyOf(queues);
    if (heartbeatInterval.multipliedBy(2).compareTo(lease) >= 0) {
      throw new ConfigException(
          "worker.heartbeat-interval: %s must be less than half of worker.lease, which is %s"
              .formatted(DurationText.format(heartbeatInterval), DurationText.format(lease)));
    }
  }

  static WorkerSettings of(Values values) {
    return new WorkerSettings(
        values.get(WorkerKeys.CONCURRENCY),
        values.get(WorkerKeys.POLLERS),
        values.get(WorkerKeys.POLL_INTERVAL),
        values.get(WorkerKeys.LEASE),
        values.get(WorkerKeys.HEARTBEAT_INTERVAL),
        values.get(WorkerKeys.RESCUE_INTERVAL),
        values.get(WorkerKeys.DRAIN_TIMEOUT),
        Set.copyOf(values.get(WorkerKeys.QUEUES)),
        values.get(WorkerKeys.CLAIM_BATCH));
  }
}
