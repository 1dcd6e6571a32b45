package dev.holdfast.queue;

import org.jspecify.annotations.Nullable;

/**
 * The database is there and refused this one statement: a trigger raised an error, a disk or a
 * memory limit was met, a timeout cancelled it. Nothing was done. If one value of many is the
 * cause, the others can be stored without it.
 */
public class StatementRefusedException extends DatabaseUnavailableException {
  public StatementRefusedException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }

  /**
   * The database's user lacks the right to do this. Somebody grants it some day, and it is not the
   * ticket's fault.
   */
  public static final class RightMissing extends StatementRefusedException {
    public RightMissing(String message, @Nullable Throwable cause) {
      super(message, cause);
    }
  }

  /** The schema is missing or older than this program. */
  public static final class SchemaMissing extends StatementRefusedException {
    public SchemaMissing(String message, @Nullable Throwable cause) {
      super(message, cause);
    }
  }
}
