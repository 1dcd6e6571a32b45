package dev.holdfast.postgres.engine;

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

/** Calls the function store_failures: in plain JDBC, as {@link ClaimCall}. */
final class FailureCall {
  /**
   * What the call did.
   *
   * @param at when the others were stored, by the database's clock
   * @param refused executions whose failure was not stored
   */
  record Stored(Instant at, Set<TicketLease> refused) {}

  private final String storeFailures;

  FailureCall(Sql sql) {
    this.storeFailures =
        sql.inSchema(
            "SELECT * FROM holdfast.store_failures("
                + "?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  }

  /**
   * Stores decisions, in one statement.
   *
   * @param unseen the tickets were neither locked nor read: only those of which nothing is known
   *     are stored
   */
  Stored run(Connection connection, List<DecidedFailure> decided, boolean unseen)
      throws SQLException {
    Map<FailureDecision, Integer> numbers = new LinkedHashMap<>();
    int[] numberOf = new int[decided.size()];
    for (int i = 0; i < numberOf.length; i++) {
      numberOf[i] = numbers.computeIfAbsent(decided.get(i).decision(), r -> numbers.size() + 1);
    }
    try (PreparedStatement statement = connection.prepareStatement(storeFailures)) {
      statement.setBoolean(1, unseen);
      statement.setObject(2, decided.stream().mapToLong(v -> v.key().ticketId()).toArray());
      statement.setObject(3, decided.stream().mapToLong(v -> v.key().leaseNo()).toArray());
      statement.setObject(4, numberOf);
      bind(statement, List.copyOf(numbers.keySet()));
      try (ResultSet rows = statement.executeQuery()) {
        return read(rows);
      }
    }
  }

  private static void bind(PreparedStatement statement, List<FailureDecision> decisions)
      throws SQLException {
    statement.setObject(5, Columns.texts(decisions, FailureDecision::outcome));
    statement.setObject(6, Columns.texts(decisions, FailureDecision::holdReason));
    statement.setObject(7, decisions.stream().mapToLong(FailureDecision::delayMillis).toArray());
    statement.setObject(8, decisions.stream().mapToInt(FailureDecision::retryCount).toArray());
    statement.setObject(9, Columns.texts(decisions, FailureDecision::countsJson));
    statement.setObject(10, decisions.stream().mapToInt(FailureDecision::sameErrorCount).toArray());
    statement.setObject(11, decisions.stream().mapToInt(FailureDecision::crashCount).toArray());
    statement.setObject(12, Columns.texts(decisions, each -> each.failure().message()));
    statement.setObject(13, Columns.texts(decisions, FailureDecision::category));
    statement.setObject(14, Columns.texts(decisions, each -> each.failure().fingerprint()));
    statement.setObject(15, Columns.texts(decisions, each -> each.failure().rule()));
    statement.setObject(16, Columns.integers(decisions, each -> each.failure().httpStatus()));
    statement.setObject(17, Columns.texts(decisions, FailureDecision::strategyJson));
    statement.setObject(18, Columns.texts(decisions, DecisionLog::write));
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
