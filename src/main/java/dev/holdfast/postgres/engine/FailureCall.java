package dev.holdfast.postgres.engine;

import dev.holdfast.failure.Failure;
import dev.holdfast.postgres.Columns;
import dev.holdfast.postgres.Sql;
import dev.holdfast.postgres.TicketLease;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;

/** Calls the function store_failures in plain JDBC, like {@link ClaimCall}. */
final class FailureCall {
  /**
   * The result of the call.
   *
   * @param at when the others were stored, by the database's clock
   * @param refused the executions whose failure was not stored
   */
  record Stored(Instant at, Set<TicketLease> refused) {}

  private final String storeFailures;

  FailureCall(Sql sql) {
    this.storeFailures =
        sql.inSchema(
            "SELECT * FROM holdfast.store_failures("
                + "?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  }

  /**
   * Stores decisions, in one statement.
   *
   * @param unseen whether the tickets were neither locked nor read: then only those of which
   *     nothing is known are stored
   */
  Stored run(Connection connection, List<DecidedFailure> decided, boolean unseen)
      throws SQLException {
    Numbered<SharedDecision> shared = new Numbered<>(decided, DecidedFailure::shared);
    Numbered<Failure> failures = new Numbered<>(decided, DecidedFailure::failure);
    try (PreparedStatement statement = connection.prepareStatement(storeFailures)) {
      statement.setBoolean(1, unseen);
      statement.setObject(2, decided.stream().mapToLong(v -> v.key().ticketId()).toArray());
      statement.setObject(3, decided.stream().mapToLong(v -> v.key().leaseNo()).toArray());
      statement.setObject(4, shared.numbers());
      statement.setObject(5, failures.numbers());
      bindShared(statement, shared.distinct());
      bindFailures(statement, failures.distinct());
      try (ResultSet rows = statement.executeQuery()) {
        return read(rows);
      }
    }
  }

  /**
   * The different parts of decided failures, each once, and for each failure the number of its own.
   */
  private record Numbered<T>(List<T> distinct, int[] numbers) {
    Numbered(List<DecidedFailure> decided, Function<DecidedFailure, T> part) {
      Map<T, Integer> numberOf = new LinkedHashMap<>();
      int[] numbers = new int[decided.size()];
      for (int i = 0; i < numbers.length; i++) {
        numbers[i] =
            numberOf.computeIfAbsent(part.apply(decided.get(i)), each -> numberOf.size() + 1);
      }
      this(List.copyOf(numberOf.keySet()), numbers);
    }
  }

  private static void bindShared(PreparedStatement statement, List<SharedDecision> shared)
      throws SQLException {
    statement.setObject(6, Columns.texts(shared, SharedDecision::outcome));
    statement.setObject(7, Columns.texts(shared, SharedDecision::holdReason));
    statement.setObject(8, shared.stream().mapToLong(SharedDecision::delayMillis).toArray());
    statement.setObject(9, shared.stream().mapToInt(each -> each.counts().retryCount()).toArray());
    statement.setObject(10, Columns.texts(shared, SharedDecision::countsJson));
    statement.setObject(
        11, shared.stream().mapToInt(each -> each.counts().sameErrorCount()).toArray());
    statement.setObject(12, shared.stream().mapToInt(each -> each.counts().crashCount()).toArray());
    statement.setObject(13, Columns.texts(shared, SharedDecision::strategyJson));
    statement.setObject(14, Columns.texts(shared, DecisionLog::write));
  }

  private static void bindFailures(PreparedStatement statement, List<Failure> failures)
      throws SQLException {
    statement.setObject(15, Columns.texts(failures, Failure::message));
    statement.setObject(16, Columns.texts(failures, Failure::title));
    statement.setObject(17, Columns.texts(failures, each -> each.category().wireName()));
    statement.setObject(18, Columns.texts(failures, Failure::fingerprint));
    statement.setObject(19, Columns.texts(failures, Failure::rule));
    statement.setObject(20, Columns.integers(failures, Failure::httpStatus));
  }

  private static Stored read(ResultSet rows) throws SQLException {
    Instant at = null;
    Set<TicketLease> refused = new HashSet<>();
    while (rows.next()) {
      if (at == null) {
        at = ClaimedTicketMapper.instant(rows, "decided_at");
      } else {
        refused.add(new TicketLease(rows.getLong("ticket_id"), rows.getLong("lease_no")));
      }
    }
    return new Stored(Objects.requireNonNull(at, "store_failures says when"), refused);
  }
}
