package dev.holdfast.postgres;

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

/** Reads a row of the function claim_tickets or of ready_tickets.sql. */
final class ClaimedTicketMapper {
  private ClaimedTicketMapper() {}

  static ClaimedTicket map(ResultSet row, String workerId) throws SQLException {
    return new ClaimedTicket(
        ticket(row),
        new Lease(
            row.getLong("lease_no"),
            workerId,
            instant(row, "claimed_at"),
            instant(row, "expires_at")),
        design(row),
        row.getInt("attempt_count") + 1,
        row.getInt("retry_count"),
        guidance(row.getString("guidance")));
  }

  static Instant instant(ResultSet row, String column) throws SQLException {
    return row.getObject(column, OffsetDateTime.class).toInstant();
  }

  private static Ticket ticket(ResultSet row) throws SQLException {
    return new Ticket(
        row.getLong("id"),
        row.getString("queue"),
        row.getString("kind"),
        row.getString("title"),
        row.getString("payload"),
        row.getInt("priority"),
        instant(row, "created_at"));
  }

  private static Optional<Design> design(ResultSet row) throws SQLException {
    long id = row.getLong("design_id");
    if (row.wasNull()) {
      return Optional.empty();
    }
    return Optional.of(
        new Design(
            id,
            row.getString("design_name"),
            row.getInt("design_version"),
            row.getString("design_kind"),
            row.getString("definition")));
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
              OffsetDateTime.parse(each.path("givenAt").asString()).toInstant()));
    }
    return all;
  }
}
