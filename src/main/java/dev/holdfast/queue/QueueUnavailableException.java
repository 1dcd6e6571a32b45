package dev.holdfast.queue;

import dev.holdfast.ticket.HoldfastException;
import org.jspecify.annotations.Nullable;

/**
 * The database did not do what was asked. Trying again later is right; whether the last try took
 * effect is not known.
 */
public class QueueUnavailableException extends HoldfastException {
  public QueueUnavailableException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }

  /**
   * True if the database does not answer; false if it answers, and refuses what it was asked for:
   * then others can be stored without that.
   */
  public static boolean isAway(RuntimeException e) {
    return e instanceof QueueUnavailableException && !(e instanceof StatementRefusedException);
  }

  /**
   * True if the next ticket would meet the same: no answer, no room, a missing right. What refuses
   * one ticket, as a trigger may, would else keep all behind it as they are for good.
   */
  public static boolean isOfAllTickets(RuntimeException e) {
    return isAway(e)
        || e instanceof ServerExhaustedException
        || e instanceof StatementRefusedException.RightMissing;
  }
}
