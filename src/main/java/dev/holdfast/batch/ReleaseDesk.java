package dev.holdfast.batch;

import dev.holdfast.queue.Channel;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Releases of many held tickets in steps. A running worker goes on with them; they survive its end.
 * Thread-safe.
 */
public interface ReleaseDesk {
  /** Returns the same desk; what is done through it is recorded with this channel. */
  ReleaseDesk through(Channel channel);

  /**
   * Releases the canary's tickets at once.
   *
   * @throws dev.holdfast.ticket.NotFoundException if no held ticket matches
   * @throws dev.holdfast.ticket.InvalidInputException that says which value cannot be taken
   */
  Release start(NewRelease release, String actor);

  Optional<Release> find(long releaseId);

  /**
   * Lists releases, the newest first.
   *
   * @param before only those with smaller ids; null for all
   */
  List<Release> list(int limit, @Nullable Long before);

  /**
   * Stops a release: it releases nothing more, and the tickets that it has released go on.
   *
   * @throws dev.holdfast.ticket.IllegalTransitionException if it has ended before
   */
  Release stop(long releaseId, String actor);
}
