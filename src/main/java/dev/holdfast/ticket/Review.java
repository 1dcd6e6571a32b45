package dev.holdfast.ticket;

/** The reviewer of a success. */
public enum Review {
  /** A person reviews: the ticket goes to needs_review, until somebody approves or rejects. */
  HUMAN,
  /**
   * The rule of its design reviews: the ticket goes to done, approved by the rule, as its timeline
   * says.
   */
  RULE,
  /** Nobody reviews: the ticket goes straight to done. */
  NONE
}
