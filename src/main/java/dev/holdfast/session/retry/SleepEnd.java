package dev.holdfast.session.retry;

/** The end of a wait (B36). */
public enum SleepEnd {
  COMPLETED,
  ABORTED_STOP,
  ABORTED_CANCEL,
  /** A person has ended this wait, and nothing else of the session (D27). */
  ABORTED_RETRY
}
