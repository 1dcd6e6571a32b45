package dev.holdfast.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.queue.DatabaseUnavailableException;
import dev.holdfast.queue.StatementRefusedException;
import java.net.SocketException;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.postgresql.util.PSQLException;
import org.postgresql.util.PSQLState;
import org.postgresql.util.ServerErrorMessage;

class SqlErrorsTest {
  @Test
  @DisplayName("20.2: a transaction that ends because its worker was frozen is waited out")
  void idleInTransaction() {
    SQLException ended =
        new SQLException("terminating connection due to idle-in-transaction timeout", "25P03");
    assertThat(SqlErrors.translate(ended))
        .isInstanceOf(DatabaseUnavailableException.class)
        .isNotInstanceOf(StatementRefusedException.class);
  }

  @Test
  @DisplayName("20.2: a transaction that took too long is done again before it is refused")
  void transactionTimeout() {
    SQLException ended =
        new SQLException("terminating connection due to transaction timeout", "25P04");
    assertThat(SqlErrors.isWorthAnotherTry(new IllegalStateException(ended))).isTrue();
    assertThat(SqlErrors.translate(ended)).isInstanceOf(StatementRefusedException.class);
  }

  @Test
  @DisplayName("another client's statement under the same name is no lost database")
  void statementOfAnother() {
    String fields =
        "SERROR\0VERROR\0C08P01\0Mbind message supplies 5 parameters, but prepared statement"
            + " \"S_2\" requires 0\0Rexec_bind_message\0";
    SQLException mixed = new PSQLException(new ServerErrorMessage(fields));
    assertThat(SqlErrors.isWorthAnotherTry(new IllegalStateException(mixed))).isTrue();
    assertThat(SqlErrors.translate(mixed))
        .isInstanceOf(StatementRefusedException.class)
        .hasMessageContaining("prepareThreshold=0")
        .hasMessageNotContaining("DATABASE_USER");
  }

  @Test
  @DisplayName("who may make no temporary table is told to be granted that, and no role")
  void temporaryTable() {
    String fields =
        "SERROR\0VERROR\0C42501\0Mpermission denied to create temporary tables in database"
            + " \"d\"\0RInitTempTableNamespace\0";
    SQLException refused = new PSQLException(new ServerErrorMessage(fields));
    assertThat(SqlErrors.translate(refused))
        .hasMessageContaining("GRANT TEMPORARY ON DATABASE")
        .hasMessageNotContaining("holdfast_operator");
  }

  @ParameterizedTest
  @CsvSource({
    "PL/pgSQL function public.audit() line 1 at SQL statement, public.audit",
    "PL/pgSQL function enqueue_any_ticket(text) line 44 at SQL statement,",
    "PL/pgSQL function holdfast.enqueue_ticket(text) line 36 at RETURN,",
    "PL/pgSQL function cast_it(public.thing) line 36 at RETURN,"
  })
  @DisplayName("what a trigger of somebody's own does not find is not said to be Holdfast's schema")
  void missing(String where, @Nullable String function) {
    String fields =
        "SERROR\0VERROR\0C42P01\0Mrelation \"audit\" does not exist\0W"
            + where
            + "\nPL/pgSQL function public.above() line 1\0";
    SQLException refused = new PSQLException(new ServerErrorMessage(fields));
    assertThat(SqlErrors.translate(refused))
        .hasMessageContaining(
            function == null ? "run: holdfast migrate" : "in the function " + function + ", ");
  }

  @Test
  @DisplayName(
      "who may not connect to the database is told the right for that, of which no role has it")
  void connect() {
    SQLException refused =
        new PSQLException(
            new ServerErrorMessage(
                "SFATAL\0VFATAL\0C42501\0Mpermission denied for database \"holdfast\"\0DUser does"
                    + " not have CONNECT privilege.\0RCheckMyDatabase\0"));
    SQLException fromPool =
        new SQLTransientConnectionException("holdfast - Connection is not available", refused);

    for (SQLException each : List.of(refused, fromPool)) {
      assertThat(SqlErrors.translate(each))
          .hasMessageContaining("GRANT CONNECT ON DATABASE")
          .hasMessageNotContaining("HOLDFAST_DATABASE_PASSWORD")
          .hasMessageNotContaining("holdfast_operator");
    }
  }

  @Test
  @DisplayName("a producer is told how to enqueue, and not only of roles that may do more")
  void producer() {
    SQLException refused =
        new SQLException("permission denied for function enqueue_ticket", "42501");
    assertThat(SqlErrors.translate(refused)).hasMessageContaining("produce_ticket");
  }

  private static String lost() {
    PSQLException closed =
        new PSQLException(
            "An I/O error occurred while sending to the backend.",
            PSQLState.CONNECTION_FAILURE,
            new SocketException("Closed by interrupt"));
    return String.valueOf(SqlErrors.translate(closed).getMessage());
  }

  @Test
  @DisplayName("a connection that the interrupt of a virtual thread has closed is no lost database")
  void interrupted() {
    CompletableFuture<String> interrupted = new CompletableFuture<>();
    Thread.startVirtualThread(
        () -> {
          Thread.currentThread().interrupt();
          interrupted.complete(lost());
        });
    assertThat(interrupted.join())
        .startsWith("this thread was interrupted")
        .contains("An I/O error")
        .doesNotContain("DATABASE_URL");
    assertThat(lost())
        .startsWith("the connection to the database was lost")
        .endsWith("the same: An I/O error occurred while sending to the backend.");
  }

  @Test
  @DisplayName("20.2: a full queue of notifications is waited out, for it is no ticket's fault")
  void notifications() {
    String fields =
        "SERROR\0VERROR\0C54000\0Mtoo many notifications in the NOTIFY queue"
            + "\0RPreCommit_Notify\0";
    SQLException full = new PSQLException(new ServerErrorMessage(fields));
    assertThat(SqlErrors.translate(full))
        .isInstanceOf(DatabaseUnavailableException.class)
        .isNotInstanceOf(StatementRefusedException.class)
        .hasMessageContaining("holdfast doctor");
  }

  @Test
  @DisplayName("20.2: a server without transaction ids is waited out, for it is no ticket's fault")
  void wraparound() {
    String fields =
        "SERROR\0VERROR\0C54000\0Mdatabase is not accepting commands to avoid wraparound data loss"
            + "\0RGetNewTransactionId\0";
    SQLException stopped = new PSQLException(new ServerErrorMessage(fields));
    assertThat(SqlErrors.translate(stopped))
        .isInstanceOf(DatabaseUnavailableException.class)
        .isNotInstanceOf(StatementRefusedException.class)
        .hasMessageContaining("wraparound");
  }
}
