package dev.holdfast.limit;

import dev.holdfast.queue.Channel;
import java.util.List;

/**
 * Actions of people on limits. Each change is logged with its actor. It holds from then on, also
 * for tickets that wait already. Thread-safe.
 *
 * <p>A queue, design or limit that does not exist is a {@code NotFoundException}; a number that
 * cannot be a limit is an {@code InvalidInputException} that says why.
 */
public interface LimitDesk {
  /** Returns the same desk; what is done through it is recorded with this channel. */
  LimitDesk through(Channel channel);

  /** Lists limits by scope. */
  List<Limit> list();

  /** Sets a limit, or replaces the one that the scope had. */
  Limit set(NewLimit limit, String actor);

  void remove(String scope, String actor);

  /**
   * Sets how many tickets of a fairness key are claimed at each of its turns.
   *
   * @param weight from 1, which is what all have, to 1000
   */
  void setWeight(String fairnessKey, int weight, String actor);
}
