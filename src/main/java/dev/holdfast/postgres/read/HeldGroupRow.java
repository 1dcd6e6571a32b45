package dev.holdfast.postgres.read;

import dev.holdfast.queue.view.HeldGroup;
import java.sql.Array;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jdbi.v3.core.mapper.RowMapper;

/** A row of console_inbox.sql: a group, and how many there are on all pages. */
record HeldGroupRow(HeldGroup group, long groupCount, long ticketCount) {
  private static final int HOURS = 24;

  static final RowMapper<HeldGroupRow> MAPPER = (row, context) -> of(row);

  private static HeldGroupRow of(ResultSet row) throws SQLException {
    HeldGroup group =
        new HeldGroup(
            row.getString("fingerprint"),
            row.getString("category"),
            row.getLong("tickets"),
            row.getTimestamp("oldest").toInstant(),
            row.getTimestamp("newest").toInstant(),
            byHour(row.getArray("hours"), row.getArray("counts")),
            row.getString("error_title"),
            row.getString("hold_reason"));
    return new HeldGroupRow(group, row.getLong("group_count"), row.getLong("ticket_count"));
  }

  /** Counts by hour; tickets that were held a day ago or earlier are in no hour. */
  private static List<Long> byHour(Array hoursAgo, Array counts) throws SQLException {
    Integer[] hours = (Integer[]) hoursAgo.getArray();
    Long[] tickets = (Long[]) counts.getArray();
    List<Long> byHour = new ArrayList<>(Collections.nCopies(HOURS, 0L));
    for (int i = 0; i < hours.length; i++) {
      if (hours[i] >= 0 && hours[i] < HOURS) {
        byHour.set(HOURS - 1 - hours[i], tickets[i]);
      }
    }
    return byHour;
  }
}
