package dev.holdfast.batch;

import dev.holdfast.queue.Channel;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Releases of many held tickets in steps. A running worker takes them on; they survive its end.
 * Thread-safe.
 */
public interface ReleaseDesk {
  /** The same desk; what is done through it is recorded as done through this channel. */
  ReleaseDesk through(Channel channel);

  /**
   * Releases the canary's tickets at once.
   *
   * @throws dev.holdfast.ticket.TicketNotFoundException if no held ticket matches
   * @throws dev.holdfast.ticket.InvalidTicketException that says which value cannot be taken
   */
  Release start(NewRelease release, String actor);

  Optional<Release> find(long releaseId);

  /**
   * The newest first.
   *
   * @param before only those with smaller ids; null for all
   */
  List<Release> list(int limit, @Nullable Long before);

  /**
   * It releases nothing more; what it has released goes on.
   *
   * @throws dev.holdfast.ticket.IllegalTransitionException if it has ended before
   */
  Release stop(long releaseId, String actor);
}
