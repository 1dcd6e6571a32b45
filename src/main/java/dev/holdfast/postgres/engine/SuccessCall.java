package dev.holdfast.postgres.engine;

import dev.holdfast.postgres.Columns;
import dev.holdfast.postgres.LongNumbers;
import dev.holdfast.postgres.Sql;
import dev.holdfast.postgres.TicketLease;
import dev.holdfast.queue.Finish;
import dev.holdfast.ticket.InvalidInputException;
import dev.holdfast.ticket.Review;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Calls the function store_successes in plain JDBC, like {@link ClaimCall}. */
final class SuccessCall {
  /**
   * The tickets that the call left as they were.
   *
   * @param refused results that were not stored, neither now nor by an earlier call
   * @param lockedLeases leases to be closed that somebody has locked
   */
  record Left(Set<TicketLease> refused, Set<Long> lockedLeases) {}

  private static final int MOST_CHARS = 16 << 20;

  private final String storeSuccesses;

  SuccessCall(Sql sql) {
    this.storeSuccesses = sql.inSchema("SELECT * FROM holdfast.store_successes(?, ?, ?, ?, ?)");
  }

  /**
   * Stores successes and closes leases, in one statement.
   *
   * @param batch in the order in which tickets are locked
   */
  Left run(Connection connection, List<Finish.Succeeded> batch, Collection<Long> closing)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(storeSuccesses)) {
      statement.setObject(1, batch.stream().mapToLong(Finish::ticketId).toArray());
      statement.setObject(2, batch.stream().mapToLong(Finish::leaseNo).toArray());
      statement.setObject(3, Columns.texts(batch, SuccessCall::state));
      statement.setObject(4, Columns.texts(batch, each -> accepted(each.result())));
      statement.setObject(5, closing.stream().mapToLong(Long::longValue).toArray());
      try (ResultSet rows = statement.executeQuery()) {
        return read(rows);
      }
    }
  }

  /** Returns the argument of store_successes: a state, or that the design's rule approves. */
  private static String state(Finish.Succeeded success) {
    return success.review() == Review.RULE ? "approved" : FinishWriter.state(success).wireName();
  }

  /** Refuses a result that no reader could hold in memory, from any handler; its ticket is held. */
  private static @Nullable String accepted(@Nullable String result) {
    if (result == null) {
      return null;
    }
    if (result.length() > MOST_CHARS) {
      throw new InvalidInputException(
          ("the result has %s characters, and %s are allowed; put large data elsewhere and"
                  + " its address into the result")
              .formatted(result.length(), MOST_CHARS));
    }
    return LongNumbers.asStrings(result);
  }

  private static Left read(ResultSet rows) throws SQLException {
    Left left = new Left(new HashSet<>(), new HashSet<>());
    while (rows.next()) {
      long ticketId = rows.getLong(1);
      boolean lease = rows.wasNull();
      long leaseNo = rows.getLong(2);
      if (lease) {
        left.lockedLeases().add(leaseNo);
      } else {
        left.refused().add(new TicketLease(ticketId, leaseNo));
      }
    }
    return left;
  }
}
