package dev.holdfast.queue;

import dev.holdfast.ticket.HoldfastException;
import org.jspecify.annotations.Nullable;

/**
 * The database did not do what was asked. It is right to try again later; it is not known whether
 * the last try took effect.
 */
public class DatabaseUnavailableException extends HoldfastException {
  public DatabaseUnavailableException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }

  /**
   * Returns true if the database does not answer; false if it answers and refuses what it was asked
   * for: then other results can be stored without that one.
   */
  public static boolean isAway(RuntimeException e) {
    return e instanceof DatabaseUnavailableException && !(e instanceof StatementRefusedException);
  }

  /**
   * Returns true if waiting helps: room comes back, and somebody grants the right that is missing.
   */
  public static boolean isWorthWaiting(RuntimeException e) {
    return e instanceof ServerExhaustedException
        || e instanceof StatementRefusedException.RightMissing;
  }

  /**
   * Returns true if the next ticket would meet the same. What refuses one ticket, as a trigger may,
   * is no reason to leave all later ones as they are.
   */
  public static boolean isOfAllTickets(RuntimeException e) {
    return isAway(e) || isWorthWaiting(e) || e instanceof StatementRefusedException.SchemaMissing;
  }
}
