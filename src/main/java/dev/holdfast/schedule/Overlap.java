package dev.holdfast.schedule;

/**
 * The rule for a time at which the schedule's last ticket is still ready, in progress or on hold.
 */
public enum Overlap {
  /** Another ticket. */
  ALLOW,
  /** No ticket; the schedule counts it as skipped. */
  SKIP,
  /** A ticket as soon as that one has ended. */
  QUEUE
}
