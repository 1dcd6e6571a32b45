package dev.holdfast.postgres.engine;

import dev.holdfast.postgres.Sql;
import dev.holdfast.postgres.SqlErrors;
import dev.holdfast.postgres.TicketLease;
import dev.holdfast.queue.Claim;
import dev.holdfast.queue.ClaimRequest;
import dev.holdfast.queue.DatabaseUnavailableException;
import dev.holdfast.queue.Finish;
import dev.holdfast.queue.TicketBusyException;
import dev.holdfast.ticket.ClaimedTicket;
import dev.holdfast.ticket.HoldfastException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Calls the function take_tickets, then claimed_ticket for each ticket that it names without its
 * content. It uses plain JDBC, because every ticket waits for this call, and on an idle worker
 * everything that is done before it is felt (docs/adr/0008-engine-speed.md). The connection commits
 * each statement by itself, so that no content can undo the claim.
 */
final class ClaimCall {
  private static final Logger log = LoggerFactory.getLogger(ClaimCall.class);
  private static final int NEXT_DUE_MS = 2;
  private static final int ID = 3;
  private static final int LEASE_NO = 12;
  private static final int APART = 21;
  private static final int SUSPECT = 22;
  private static final Comparator<ClaimedTicket> CLAIM_ORDER =
      Comparator.comparing((ClaimedTicket each) -> ~each.ticket().priority())
          .thenComparing(each -> each.ticket().createdAt())
          .thenComparing(ClaimedTicket::id);

  /** The tickets that the first call named but did not bring. */
  private record Taken(
      List<ClaimedTicket> whole,
      List<TicketLease> apart,
      @Nullable TicketLease suspect,
      Optional<Duration> nextDue) {}

  private final String take;
  private final String read;

  ClaimCall(Sql sql) {
    this.take = sql.inSchema("SELECT * FROM holdfast.take_tickets(?, ?, ?, ?, ?, ?, ?, ?, ?)");
    this.read = sql.inSchema("SELECT * FROM holdfast.claimed_ticket(?, ?, ?)");
  }

  /**
   * @throws HoldfastException if nothing could be claimed
   */
  Claim run(Connection connection, ClaimRequest request) throws SQLException {
    Taken taken;
    try {
      taken = take(connection, request, ClaimRequest.Room.SMALL_BYTES);
    } catch (SQLException e) {
      HoldfastException why = SqlErrors.translate(e);
      if (DatabaseUnavailableException.isAway(why) || SqlErrors.isStatementLost(e)) {
        throw e;
      }
      log.warn("a claim is repeated one by one, without any content: {}", e.getMessage());
      taken = take(connection, request, -1);
    }
    return taken.apart().isEmpty()
        ? new Claim(taken.whole(), taken.nextDue())
        : withApart(connection, request, taken);
  }

  private Taken take(Connection connection, ClaimRequest request, int smallBytes)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(take)) {
      statement.setObject(1, request.kinds().toArray(String[]::new));
      statement.setObject(2, request.queues().toArray(String[]::new));
      statement.setInt(3, request.limit());
      statement.setString(4, request.workerId());
      statement.setLong(5, request.lease().toMillis());
      statement.setObject(6, request.after().stream().mapToLong(Long::longValue).toArray());
      statement.setInt(7, smallBytes);
      statement.setLong(8, request.room().bytes());
      statement.setInt(9, request.room().suspects());
      Taken taken;
      try (ResultSet rows = statement.executeQuery()) {
        taken = read(rows, request.workerId());
      }
      for (SQLWarning each = statement.getWarnings(); each != null; each = each.getNextWarning()) {
        // A notice comes from somebody's trigger, or from the settings of the session.
        log.atLevel(isWarning(each) ? Level.ERROR : Level.DEBUG).log("{}", each.getMessage());
      }
      return taken;
    }
  }

  /**
   * Returns whether it is a warning, by its SQLSTATE: the severity is a word in the server's
   * language.
   */
  private static boolean isWarning(SQLWarning told) {
    return String.valueOf(told.getSQLState()).startsWith("01");
  }

  private static Taken read(ResultSet rows, String workerId) throws SQLException {
    List<ClaimedTicket> whole = new ArrayList<>();
    List<TicketLease> apart = new ArrayList<>();
    TicketLease suspect = null;
    Optional<Duration> nextDue = Optional.empty();
    ClaimedTicketMapper mapper = new ClaimedTicketMapper(rows, workerId);
    while (rows.next()) {
      double nextDueMs = rows.getDouble(NEXT_DUE_MS);
      if (!rows.wasNull()) {
        nextDue = Optional.of(Duration.ofMillis(Math.max(0, (long) Math.ceil(nextDueMs))));
      }
      if (!mapper.isTicket()) {
        continue;
      }
      if (rows.getBoolean(APART)) {
        TicketLease each = new TicketLease(rows.getLong(ID), rows.getLong(LEASE_NO));
        apart.add(each);
        suspect = rows.getBoolean(SUSPECT) ? each : suspect;
      } else {
        whole.add(mapper.map());
      }
    }
    return new Taken(whole, apart, suspect, nextDue);
  }

  private Claim withApart(Connection connection, ClaimRequest request, Taken taken)
      throws SQLException {
    List<ClaimedTicket> tickets = new ArrayList<>(taken.whole());
    List<Finish.Failed> unreadable = new ArrayList<>();
    ClaimedTicket suspect = null;
    for (TicketLease each : taken.apart()) {
      try {
        Optional<ClaimedTicket> found = read(connection, request, each);
        found.ifPresent(tickets::add);
        suspect = each.equals(taken.suspect()) ? found.orElse(null) : suspect;
      } catch (SQLException e) {
        HoldfastException why = SqlErrors.translate(e);
        if (DatabaseUnavailableException.isAway(why)
            || why instanceof TicketBusyException
            || SqlErrors.isStatementLost(e)) {
          log.warn("claimed tickets are left to be rescued: {}", why.getMessage());
          break;
        }
        log.warn("ticket {} cannot be run: {}", each.ticketId(), why.getMessage());
        unreadable.add(Poison.unreadable(each, why));
      }
    }
    tickets.sort(CLAIM_ORDER);
    return new Claim(tickets, taken.nextDue(), unreadable, Optional.ofNullable(suspect));
  }

  private Optional<ClaimedTicket> read(
      Connection connection, ClaimRequest request, TicketLease ticket) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(read)) {
      statement.setLong(1, ticket.ticketId());
      statement.setLong(2, ticket.leaseNo());
      statement.setLong(3, request.room().ticketBytes());
      try (ResultSet row = statement.executeQuery()) {
        return row.next()
            ? Optional.of(new ClaimedTicketMapper(row, request.workerId()).mapApart())
            : Optional.empty();
      }
    }
  }
}
