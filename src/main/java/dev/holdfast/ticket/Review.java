package dev.holdfast.ticket;

/** The reviewer of a success. */
public enum Review {
  /** A person: to needs_review, until somebody approves or rejects. */
  HUMAN,
  /** The rule of its design: to done, approved by it, as its timeline says. */
  RULE,
  /** Nobody: straight to done. */
  NONE
}
