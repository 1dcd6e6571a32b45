package dev.holdfast.e2e;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.jspecify.annotations.Nullable;

/** What a person with psql sees and does. */
record TicketRows(DataSource dataSource) {
  /**
   * How long any change may take on a loaded machine. Each look takes its time from what is waited
   * for: what is not there soon is looked for less often.
   */
  static ConditionFactory await(String what) {
    return Awaitility.await(what)
        .atMost(Duration.ofSeconds(60))
        .pollDelay(Duration.ZERO)
        .pollInterval((looks, before) -> Duration.ofMillis(Math.min(20 + 5L * looks, 100)));
  }

  /** The first column of every row, as text; of an update the number of changed rows. */
  List<String> column(String sql, @Nullable Object... arguments) {
    try (Connection connection = dataSource.getConnection();
        PreparedStatement statement = connection.prepareStatement(sql)) {
      return column(statement, arguments);
    } catch (SQLException e) {
      throw new AssertionError(sql, e);
    }
  }

  private static List<String> column(PreparedStatement statement, @Nullable Object... arguments)
      throws SQLException {
    for (int i = 0; i < arguments.length; i++) {
      statement.setObject(i + 1, arguments[i]);
    }
    List<String> values = new ArrayList<>();
    if (!statement.execute()) {
      values.add(Integer.toString(statement.getUpdateCount()));
      return values;
    }
    try (ResultSet rows = statement.getResultSet()) {
      while (rows.next()) {
        values.add(String.valueOf(rows.getString(1)));
      }
    }
    return values;
  }

  /** The first column of the only row, as text; {@code null} is the word. */
  String value(String sql, @Nullable Object... arguments) {
    List<String> values = column(sql, arguments);
    if (values.size() != 1) {
      throw new AssertionError(values.size() + " rows from " + sql);
    }
    return values.getFirst();
  }

  void addDesign(String name, Job job) {
    column(
        "INSERT INTO holdfast.designs (name, version, kind, definition) VALUES (?, 1, 'command',"
            + " ?::jsonb)",
        name,
        job.design());
  }

  long enqueue(String design, String queue) {
    return Long.parseLong(
        value("SELECT holdfast.enqueue_ticket(design => ?, queue => ?)", design, queue));
  }

  /** One column of a ticket. */
  String of(long id, String column) {
    return value("SELECT " + column + " FROM holdfast.tickets WHERE id = ?", id);
  }

  void awaitState(long id, String state) {
    await("ticket " + id + " is " + state)
        .untilAsserted(
            () -> org.assertj.core.api.Assertions.assertThat(of(id, "state")).isEqualTo(state));
  }

  /** What became of each of its attempts, oldest first. */
  List<String> outcomes(long id) {
    return column(
        "SELECT outcome FROM holdfast.ticket_attempts WHERE ticket_id = ? ORDER BY attempt,"
            + " lease_no",
        id);
  }

  /** A column of each of its attempts, oldest first. */
  List<String> attempts(long id, String expression) {
    return column(
        "SELECT "
            + expression
            + " FROM holdfast.ticket_attempts WHERE ticket_id = ? ORDER BY attempt, lease_no",
        id);
  }
}
