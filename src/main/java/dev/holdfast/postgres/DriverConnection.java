package dev.holdfast.postgres;

import dev.holdfast.ticket.HoldfastException;
import java.sql.Connection;
import java.sql.SQLException;
import org.postgresql.PGConnection;

/** Gives what only PostgreSQL's own driver can do: COPY, and notifications. */
public final class DriverConnection {
  /** The connections of a data source come from another driver. */
  public static final class OtherDriverException extends HoldfastException {
    private static final long serialVersionUID = 1;

    OtherDriverException(SQLException cause) {
      super(
          "the data source's connections are not of the driver org.postgresql that Holdfast has,"
              + " but of another one, or of a second copy of its jar, as one in a server's lib"
              + " beside one in a WAR: keep one copy",
          cause);
    }
  }

  private DriverConnection() {}

  /**
   * Returns the driver's own connection beneath those of pools.
   *
   * @throws OtherDriverException if there is none
   */
  public static PGConnection of(Connection connection) throws SQLException {
    try {
      return connection.unwrap(PGConnection.class);
    } catch (SQLException e) {
      if (connection.isWrapperFor(PGConnection.class)) {
        throw e;
      }
      throw new OtherDriverException(e);
    }
  }
}
