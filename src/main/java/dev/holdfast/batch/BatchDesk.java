package dev.holdfast.batch;

import dev.holdfast.queue.Channel;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The actions of people on batches. Each change is logged for every ticket with its actor.
 * Thread-safe.
 *
 * <p>A batch that does not exist is a {@code NotFoundException}.
 */
public interface BatchDesk {
  /** Returns the same desk; what is done through it is recorded with this channel. */
  BatchDesk through(Channel channel);

  Batch find(long batchId);

  /**
   * Lists batches, the newest first.
   *
   * @param before only those with smaller ids; null for all
   */
  List<Batch> list(int limit, @Nullable Long before);

  /** Returns the ids of its held tickets, the longest held first. */
  List<Long> held(long batchId);

  /**
   * Puts the tickets that wait or run on hold, in portions.
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
