package dev.holdfast.postgres;

import dev.holdfast.queue.Claim;
import dev.holdfast.queue.ClaimRequest;
import dev.holdfast.ticket.ClaimedTicket;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Calls the function claim_tickets. In plain JDBC: every ticket waits for this call, and on an idle
 * worker whatever is done before it is felt (docs/adr/0008-engine-speed.md).
 */
final class ClaimCall {
  private final String claim;

  ClaimCall(Sql sql) {
    this.claim = sql.inSchema("SELECT * FROM holdfast.claim_tickets(?, ?, ?, ?, ?, ?)");
  }

  Claim run(Connection connection, ClaimRequest request) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(claim)) {
      statement.setObject(1, request.kinds().toArray(String[]::new));
      statement.setObject(2, request.queues().toArray(String[]::new));
      statement.setInt(3, request.limit());
      statement.setString(4, request.workerId());
      statement.setLong(5, request.lease().toMillis());
      statement.setObject(6, request.after().stream().mapToLong(Long::longValue).toArray());
      try (ResultSet rows = statement.executeQuery()) {
        return read(rows, request.workerId());
      }
    }
  }

  private static Claim read(ResultSet rows, String workerId) throws SQLException {
    List<ClaimedTicket> tickets = new ArrayList<>();
    Optional<Duration> nextDue = Optional.empty();
    ClaimedTicketMapper mapper = new ClaimedTicketMapper(rows, workerId);
    while (rows.next()) {
      double nextDueMs = rows.getDouble(2);
      if (!rows.wasNull()) {
        nextDue = Optional.of(Duration.ofMillis(Math.max(0, (long) Math.ceil(nextDueMs))));
      }
      if (mapper.isTicket()) {
        tickets.add(mapper.map());
      }
    }
    return new Claim(tickets, nextDue);
  }
}
