package dev.holdfast.postgres.embedded;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.postgresql.ds.PGSimpleDataSource;

/** Asks an embedded server whether it is there, and the right one. */
final class EmbeddedServerProbe {
  static final String DATABASE = "holdfast";

  private static final String IS_THERE =
      "SELECT EXISTS (SELECT FROM pg_database WHERE datname = 'holdfast')";

  private EmbeddedServerProbe() {}

  /** Returns true if a server answers at this address and its data is where the address says. */
  static boolean answers(EmbeddedServer.Address address) {
    try (Connection connection = dataSource(address).getConnection();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SELECT current_setting('data_directory')")) {
      Path data = EmbeddedServerCluster.data(address.directory());
      return row.next() && Files.isSameFile(data, Path.of(row.getString(1)));
    } catch (SQLException | IOException e) {
      return false;
    }
  }

  /** Creates our database if the server does not have it yet. */
  static void createDatabase(EmbeddedServer.Address address) {
    try (Connection connection = dataSource(address).getConnection();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(IS_THERE)) {
      if (row.next() && !row.getBoolean(1)) {
        statement.execute("CREATE DATABASE holdfast");
      }
    } catch (SQLException e) {
      throw new EmbeddedServerException(
          "the embedded PostgreSQL of %s refuses us (%s); see its server.log"
              .formatted(address.directory(), e.getMessage()),
          e);
    }
  }

  private static PGSimpleDataSource dataSource(EmbeddedServer.Address address) {
    PGSimpleDataSource dataSource = new PGSimpleDataSource();
    dataSource.setUrl("jdbc:postgresql://127.0.0.1:" + address.port() + "/postgres");
    dataSource.setUser(address.user());
    dataSource.setPassword(address.password());
    dataSource.setConnectTimeout(2);
    dataSource.setSocketTimeout(30);
    return dataSource;
  }
}
