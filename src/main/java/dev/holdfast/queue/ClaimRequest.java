package dev.holdfast.queue;

import java.time.Duration;
import java.util.List;
import java.util.Set;

/**
 * A worker's request for tickets.
 *
 * @param kinds the kinds it has handlers for; tickets of other kinds are left alone
 * @param queues the queues it works; empty means all
 * @param limit its free slots: no more are claimed (A47)
 * @param lease how long the claim holds without a heartbeat
 * @param after the last claimed ticket of each lane, if the claim looks only at later ones; empty
 *     for a full claim
 * @param room how much it may bring besides
 */
public record ClaimRequest(
    String workerId,
    Set<String> kinds,
    Set<String> queues,
    int limit,
    Duration lease,
    List<Long> after,
    Room room) {

  /**
   * The bounds on what a claim brings.
   *
   * @param bytes a claim ends with the ticket whose payload, with the results that it is given,
   *     reaches this sum; a ticket of up to {@value #SMALL_BYTES} bytes does not count. Zero or
   *     less: only such small ones
   * @param ticketBytes the longest ticket as text; a longer one is held instead
   * @param suspects how many tickets of which a worker died, 0 or 1: more never run in one worker
   *     at a time
   */
  public record Room(long bytes, long ticketBytes, int suspects) {
    /** The number of bytes up to which a payload comes with its claim, and is not counted. */
    public static final int SMALL_BYTES = 16_384;

    /**
     * The room with {@code claim.max-bytes} and {@code payload.max-expanded-bytes} as they are
     * unless configured.
     */
    public static final Room DEFAULT = new Room(32 << 20, 16 << 20, 1);

    public Room {
      if (suspects < 0 || suspects > 1) {
        throw new IllegalArgumentException("0 suspects or 1 at a time: " + suspects);
      }
    }
  }

  /** Makes a full claim. */
  public ClaimRequest(
      String workerId, Set<String> kinds, Set<String> queues, int limit, Duration lease) {
    this(workerId, kinds, queues, limit, lease, List.of(), Room.DEFAULT);
  }

  public ClaimRequest {
    kinds = Set.copyOf(kinds);
    queues = Set.copyOf(queues);
    after = List.copyOf(after);
    if (limit < 1) {
      throw new IllegalArgumentException("a claim asks for at least one ticket: " + limit);
    }
  }

  /** Returns the same request for this many tickets, looking only at those that come later. */
  public ClaimRequest narrowedTo(int tickets, List<Long> behind) {
    return new ClaimRequest(workerId, kinds, queues, tickets, lease, behind, room);
  }

  /** Returns the same request for what fits into this room. */
  public ClaimRequest within(Room newRoom) {
    return new ClaimRequest(workerId, kinds, queues, limit, lease, after, newRoom);
  }
}
