package dev.holdfast.session;

/** How a wait ended (B36). */
enum SleepEnd {
  COMPLETED,
  ABORTED_STOP,
  ABORTED_CANCEL,
  /** Only the wait of the auto-retry ends so (D27). */
  ABORTED_RETRY
}
