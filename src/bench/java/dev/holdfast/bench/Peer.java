package dev.holdfast.bench;

/**
 * Another queue, measured round by round beside Holdfast. It has tables of its own, which {@link
 * #close} drops. Used by one thread, but any thread may close it.
 */
public interface Peer extends AutoCloseable {
  /** Returns its name and version, the same at every call. */
  String name();

  /** Returns its setup, in one line. */
  String settings();

  /** Returns the bar: Holdfast must be so many times as fast as this peer. */
  Bar bar();

  /**
   * Enqueues jobs that do nothing and works them off. The time runs from the first job's start,
   * which leaves out how long the peer takes to start and to poll first, to the moment when its own
   * tables show nothing pending or running.
   *
   * @param jobs at least 1
   * @return jobs per second
   * @throws dev.holdfast.ticket.HoldfastException if they do not end, or its tables do not show
   *     afterwards that each was run
   */
  double drain(int jobs) throws InterruptedException;

  @Override
  void close();
}
