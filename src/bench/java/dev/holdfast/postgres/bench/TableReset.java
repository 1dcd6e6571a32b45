package dev.holdfast.postgres.bench;

import dev.holdfast.postgres.SqlErrors;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.stream.Stream;
import javax.sql.DataSource;

/**
 * Brings a set of the schema's tables into the same state before every run.
 *
 * @param emptied the tables that are empty when a run starts
 * @param kept the tables whose rows outlive a run
 */
record TableReset(DataSource direct, List<String> emptied, List<String> kept) {
  private static final String INSUFFICIENT_PRIVILEGE = "42501";

  void truncate() {
    BenchSql.execute(direct, "TRUNCATE " + list(emptied));
  }

  void settle() {
    List<String> all = Stream.concat(emptied.stream(), kept.stream()).toList();
    BenchSql.execute(direct, "VACUUM (ANALYZE) " + list(all));
    try (Connection connection = direct.getConnection()) {
      BenchSql.execute(connection, "CHECKPOINT");
    } catch (SQLException e) {
      // Without the checkpoint, others come at any time; that is noise, not an error.
      if (!INSUFFICIENT_PRIVILEGE.equals(e.getSQLState())) {
        throw SqlErrors.translate(e);
      }
    }
  }

  private static String list(List<String> tables) {
    return String.join(", ", tables.stream().map(name -> BenchSchema.NAME + "." + name).toList());
  }
}
