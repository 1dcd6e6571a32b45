package dev.holdfast.postgres;

import dev.holdfast.ticket.HoldfastException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/**
 * Finds row level security that somebody has switched on for our tables. If no policy shows a row
 * to the user, its statements find nothing and report nothing: a worker would never have work.
 */
public final class RowSecurity {
  /**
   * The query for hidden tables. It leaves out the key of the consoles' cookies, which we hide
   * ourselves; only a function reads it.
   */
  private static final String HIDDEN =
      """
      SELECT c.oid::regclass::text FROM pg_class c
      WHERE c.relnamespace = to_regnamespace(?) AND c.relrowsecurity AND c.relname <> 'web_keys' AND row_security_active(c.oid)
        AND NOT EXISTS (SELECT FROM pg_policy p, unnest(p.polroles) AS r (role)
          WHERE p.polrelid = c.oid AND p.polpermissive AND (r.role = 0 OR pg_has_role(r.role, 'USAGE')))
      ORDER BY c.relname
      """;

  private RowSecurity() {}

  /** Returns the tables of which this connection's user sees no row. */
  public static List<String> hiddenTables(Connection connection, Sql sql) throws SQLException {
    List<String> tables = new ArrayList<>();
    try (PreparedStatement statement = connection.prepareStatement(HIDDEN)) {
      statement.setString(1, sql.schema());
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          tables.add(rows.getString(1));
        }
      }
    }
    return tables;
  }

  static void requireNone(Connection connection, Sql sql) throws SQLException {
    List<String> hidden = hiddenTables(connection, sql);
    if (!hidden.isEmpty()) {
      throw new HoldfastException(
          ("row level security hides all rows of %s%s from this database user; holdfast doctor"
                  + " tells what the owner of the schema can do")
              .formatted(
                  hidden.getFirst(),
                  hidden.size() == 1 ? "" : " and %s more tables".formatted(hidden.size() - 1)));
    }
  }
}
