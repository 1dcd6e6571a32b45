package dev.holdfast.queue;

/** The secret that signs logins, the same for every console on the database. Thread-safe. */
@FunctionalInterface
public interface LoginKey {
  /**
   * @throws QueueUnavailableException if it was never read and the database is away
   */
  String secret();
}
