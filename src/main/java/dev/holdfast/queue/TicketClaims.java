package dev.holdfast.queue;

/** Gives tickets out. */
public interface TicketClaims {
  /** Claims ready tickets: they are in_progress under a new lease when this returns (A38-A44). */
  Claim claim(ClaimRequest request);
}
