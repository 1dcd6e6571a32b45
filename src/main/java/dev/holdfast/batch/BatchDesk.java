package dev.holdfast.batch;

import dev.holdfast.queue.Channel;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The actions of people on batches. Each change is logged for every ticket with its actor.
 * Thread-safe.
 *
 * <p>A batch that is not there is a {@code TicketNotFoundException}.
 */
public interface BatchDesk {
  /** The same desk; what is done through it is recorded as done through this channel. */
  BatchDesk through(Channel channel);

  Batch find(long batchId);

  /**
   * The newest first.
   *
   * @param before only those with smaller ids; null for all
   */
  List<Batch> list(int limit, @Nullable Long before);

  /** The ids of its held tickets, the longest held first. */
  List<Long> held(long batchId);

  /**
   * Puts the tickets on hold that wait or run, in portions.
   *
   * @return how many
   */
  long hold(long batchId, String actor, String reason);

  /**
   * Cancels the tickets that are not done, in portions; the batch takes no further ones.
   *
   * @return how many
   */
  long cancel(long batchId, String actor, @Nullable String reason);
}
