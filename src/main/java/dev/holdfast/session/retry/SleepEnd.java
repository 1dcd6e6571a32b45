package dev.holdfast.session.retry;

/** The end of a wait (B36). */
public enum SleepEnd {
  COMPLETED,
  ABORTED_STOP,
  ABORTED_CANCEL,
  /** Only the wait of the auto-retry ends so (D27). */
  ABORTED_RETRY
}
