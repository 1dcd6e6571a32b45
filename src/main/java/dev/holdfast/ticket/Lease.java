package dev.holdfast.ticket;

import java.time.Instant;

/**
 * A worker's right to a claimed ticket until {@code expiresAt}, by the database's clock. Several
 * tickets of one claim share a lease.
 *
 * @param no the fencing token: grows with every claim, so that a result under an older number is
 *     refused (A51)
 * @param workerId who holds it
 * @param claimedAt when it was claimed
 * @param expiresAt when it ends unless a heartbeat renews it
 */
public record Lease(long no, String workerId, Instant claimedAt, Instant expiresAt) {}
