package dev.holdfast.queue;

import java.util.Set;

/**
 * The table of workers: who is alive, what they run, whether they wait for a wake-up. Thread-safe.
 */
public interface WorkerRegistry {
  /**
   * @param queues empty means all
   */
  record Registration(
      String workerId,
      String host,
      long pid,
      String version,
      Set<String> queues,
      Set<String> kinds,
      int concurrency) {
    public Registration {
      queues = Set.copyOf(queues);
      kinds = Set.copyOf(kinds);
    }
  }

  enum State {
    RUNNING,
    DRAINING,
    STOPPED
  }

  void register(Registration registration);

  void update(String workerId, State state);

  /**
   * Sets whether programs that enqueue notify this worker. After setting it true the caller looks
   * for work once more before it waits.
   */
  void wantsWakeUp(String workerId, boolean wanted);
}
