package dev.holdfast.schedule;

/** What a time leads to while the schedule's last ticket is ready, in progress or on hold. */
public enum Overlap {
  /** Another ticket. */
  ALLOW,
  /** No ticket; the schedule counts it as skipped. */
  SKIP,
  /** A ticket as soon as that one has ended. */
  QUEUE
}
