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
 * @param after the last ticket claimed of each lane, for a claim that looks at later ones only;
 *     empty for a full claim
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
   * @param bytes a claim ends with the ticket whose payload, with the results it is given of
   *     others, reaches it; up to {@value #SMALL_BYTES} bytes of one do not count. Zero or less:
   *     only such small ones
   * @param ticketBytes no ticket may be longer than that as text: it is held instead
   * @param suspects tickets of which a worker died, 0 or 1: more never run in one worker at a time
   */
  public record Room(long bytes, long ticketBytes, int suspects) {
    /** Payloads of so many bytes come with their claim, and are not counted. */
    public static final int SMALL_BYTES = 16_384;

    /** {@code claim.max-bytes} and {@code payload.max-expanded-bytes} unless configured. */
    public static final Room DEFAULT = new Room(32 << 20, 16 << 20, 1);

    public Room {
      if (suspects < 0 || suspects > 1) {
        throw new IllegalArgumentException("0 suspects or 1 at a time: " + suspects);
      }
    }
  }

  /** A full claim. */
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

  /** The same, for so many tickets, looking at those that come later only. */
  public ClaimRequest narrowedTo(int tickets, List<Long> behind) {
    return new ClaimRequest(workerId, kinds, queues, tickets, lease, behind, room);
  }

  /** The same, for what fits into this room. */
  public ClaimRequest within(Room newRoom) {
    return new ClaimRequest(workerId, kinds, queues, limit, lease, after, newRoom);
  }
}
