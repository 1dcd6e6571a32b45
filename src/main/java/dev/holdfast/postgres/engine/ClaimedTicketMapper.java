package dev.holdfast.postgres.engine;

import dev.holdfast.postgres.Json;
import dev.holdfast.ticket.Answer;
import dev.holdfast.ticket.ClaimedTicket;
import dev.holdfast.ticket.Design;
import dev.holdfast.ticket.Guidance;
import dev.holdfast.ticket.Lease;
import dev.holdfast.ticket.Ticket;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * Reads the rows of the functions take_tickets and claimed_ticket. It reads columns by their
 * numbers, because it costs as much to look a name up as to read a number. Tickets of one claim
 * share their lease. Used by one thread.
 */
final class ClaimedTicketMapper {
  private static final int ID = 3;
  private static final int QUEUE = 4;
  private static final int KIND = 5;
  private static final int TITLE = 6;
  private static final int PAYLOAD = 7;
  private static final int PRIORITY = 8;
  private static final int CREATED_AT = 9;
  private static final int ATTEMPT_COUNT = 10;
  private static final int RETRY_COUNT = 11;
  private static final int LEASE_NO = 12;
  private static final int CLAIMED_AT = 13;
  private static final int EXPIRES_AT = 14;
  private static final int DESIGN_ID = 15;
  private static final int DESIGN_NAME = 16;
  private static final int DESIGN_VERSION = 17;
  private static final int DESIGN_KIND = 18;
  private static final int DEFINITION = 19;
  private static final int GUIDANCE = 20;
  private static final int RESULTS = 21;
  private static final int RETRY_APART = 22;
  private static final int RETRY = 23;

  private final ResultSet row;
  private final String workerId;
  private @Nullable Lease lease;

  ClaimedTicketMapper(ResultSet row, String workerId) {
    this.row = row;
    this.workerId = workerId;
  }

  /** Returns true if the current row has a ticket: the only row of an empty claim has none. */
  boolean isTicket() throws SQLException {
    row.getLong(ID);
    return !row.wasNull();
  }

  /** Reads a row of take_tickets, which gives no results. */
  ClaimedTicket map() throws SQLException {
    return map(null, RETRY);
  }

  /** Reads a row of claimed_ticket. */
  ClaimedTicket mapApart() throws SQLException {
    return map(row.getString(RESULTS), RETRY_APART);
  }

  private ClaimedTicket map(@Nullable String results, int retry) throws SQLException {
    return new ClaimedTicket(
        ticket(),
        lease(),
        design(),
        row.getInt(ATTEMPT_COUNT) + 1,
        row.getInt(RETRY_COUNT),
        guidance(row.getString(GUIDANCE)),
        results,
        row.getBoolean(retry));
  }

  static Instant instant(ResultSet row, String column) throws SQLException {
    return row.getObject(column, OffsetDateTime.class).toInstant();
  }

  private Instant instant(int column) throws SQLException {
    return row.getObject(column, OffsetDateTime.class).toInstant();
  }

  private Ticket ticket() throws SQLException {
    return new Ticket(
        row.getLong(ID),
        row.getString(QUEUE),
        row.getString(KIND),
        row.getString(TITLE),
        row.getString(PAYLOAD),
        row.getInt(PRIORITY),
        instant(CREATED_AT));
  }

  private Lease lease() throws SQLException {
    long no = row.getLong(LEASE_NO);
    Lease current = lease;
    if (current == null || current.no() != no) {
      current = new Lease(no, workerId, instant(CLAIMED_AT), instant(EXPIRES_AT));
      lease = current;
    }
    return current;
  }

  private Optional<Design> design() throws SQLException {
    long id = row.getLong(DESIGN_ID);
    if (row.wasNull()) {
      return Optional.empty();
    }
    return Optional.of(
        new Design(
            id,
            row.getString(DESIGN_NAME),
            row.getInt(DESIGN_VERSION),
            row.getString(DESIGN_KIND),
            row.getString(DEFINITION)));
  }

  private static List<Guidance> guidance(@Nullable String json) {
    if (json == null) {
      return List.of();
    }
    List<Guidance> all = new ArrayList<>();
    for (JsonNode each : Json.parse(json)) {
      all.add(
          new Guidance(
              each.path("text").asString(),
              each.path("author").asString(),
              each.path("source").asString(),
              OffsetDateTime.parse(each.path("givenAt").asString()).toInstant(),
              answer(each)));
    }
    return all;
  }

  private static @Nullable Answer answer(JsonNode guidance) {
    return guidance.hasNonNull("answer")
        ? new Answer(guidance.path("question").asString(), guidance.path("answer").asString())
        : null;
  }
}
