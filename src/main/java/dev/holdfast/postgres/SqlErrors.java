package dev.holdfast.postgres;

import dev.holdfast.queue.DatabaseUnavailableException;
import dev.holdfast.queue.QuestionTooSlowException;
import dev.holdfast.queue.ServerExhaustedException;
import dev.holdfast.queue.StaleViewException;
import dev.holdfast.queue.StatementRefusedException;
import dev.holdfast.queue.TicketBusyException;
import dev.holdfast.ticket.HoldfastException;
import dev.holdfast.ticket.IllegalTransitionException;
import dev.holdfast.ticket.InvalidInputException;
import dev.holdfast.ticket.NotFoundException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.postgresql.util.PSQLException;
import org.postgresql.util.ServerErrorMessage;

/** Turns what the database says into our own exceptions, once, at the edge. */
public final class SqlErrors {
  /** The state of an error because the session or its server may only read. */
  static final String READ_ONLY = "25006";

  private static final String FULL = "53300";

  /** The state of an error of a connection that was open; one that cannot be opened has another. */
  private static final String LOST = "08006";

  /**
   * The routines in which PostgreSQL gives out no more transaction ids, so that none of them wraps
   * around.
   */
  private static final Set<String> OUT_OF_IDS = Set.of("GetNewTransactionId", "GetNewMultiXactId");

  /**
   * A function at the beginning of the place where it happened; our functions have no schema there,
   * or our own.
   */
  private static final Pattern FOREIGN_FUNCTION =
      Pattern.compile("[^(\\n]*?(?<![\\w$\".])(?!holdfast\\.)([\\w$\"]+\\.[\\w$\"]+)\\(");

  private static final String NOT_UTF8 =
      "; only a database with ENCODING 'UTF8' can store all texts (holdfast doctor tells which this"
          + " one has)";

  private static final String POOLER =
      "; behind pgbouncer set its max_prepared_statements above 0, or prepareThreshold=0 in the"
          + " database's URL (docs/deployment.md)";

  private SqlErrors() {}

  public static HoldfastException translate(RuntimeException e) {
    for (Throwable cause = e; cause != null; cause = cause.getCause()) {
      if (cause instanceof HoldfastException ours) {
        return ours;
      }
      if (cause instanceof SQLException sql) {
        return translate(sql);
      }
    }
    throw e;
  }

  public static HoldfastException translate(SQLException e) {
    if (e instanceof SQLTransientConnectionException) {
      return noConnection(e);
    }
    String message = serverMessage(e);
    String state = e.getSQLState() == null ? "" : e.getSQLState();
    if (isStatementLost(e)) {
      return refused(message + POOLER, state, e);
    }
    return switch (state) {
      case "HF404" -> new NotFoundException(message);
      case "HF409" -> new IllegalTransitionException(message);
      case "HF412" -> new StaleViewException(message);
      case "HF422" -> new InvalidInputException(message);
      case "22021" ->
          new InvalidInputException(
              message.contains("0x00")
                  ? "a text has the character NUL (\\u0000), which PostgreSQL cannot store; leave"
                      + " it out"
                  : message + NOT_UTF8);
      case "22P05" ->
          new InvalidInputException(
              said(e, ServerErrorMessage::getDetail).contains("\\u0000")
                  ? "a JSON text has \\u0000, which PostgreSQL cannot store; leave it out"
                  : message + NOT_UTF8);
      case "57014" -> new QuestionTooSlowException("the database was interrupted: " + message, e);
      case "55P03" ->
          new TicketBusyException(
              "another transaction has it locked: commit or roll back what is open, or try again"
                  + " later",
              e);
      case "3F000", "42P01", "42883", "42703" -> missing(e, message);
      case "42501" -> mayNotConnect(e) ? unreachable(e, e) : notAllowed(e, message + toGrant(e));
      case FULL -> full(e, e);
      case READ_ONLY ->
          new DatabaseUnavailableException(
              "the database takes no writes: "
                  + message
                  + "; point database.url at the primary, or see holdfast doctor",
              e);
      default ->
          routine(e).equals("PreCommit_Notify")
              ? new DatabaseUnavailableException(
                  message
                      + "; end the session that listens inside an open transaction (holdfast doctor"
                      + " names those that are open for long)",
                  e)
              : byClass(e, state, message);
    };
  }

  /** Somebody's trigger on Holdfast's tables runs under the search path of what fired it. */
  private static StatementRefusedException missing(SQLException e, String message) {
    Matcher foreign = FOREIGN_FUNCTION.matcher(where(e));
    return foreign.lookingAt()
        ? new StatementRefusedException(
            message
                + ", in the function "
                + foreign.group(1)
                + ", which is not Holdfast's; name there the schema of all that it uses, or give"
                + " it a search_path of its own (ALTER FUNCTION)",
            e)
        : new StatementRefusedException.SchemaMissing(
            message + ": the schema is missing or old; run: holdfast migrate", e);
  }

  /**
   * Says which right to grant. Many tickets at once go through a temporary table; that right is not
   * one of the roles'.
   */
  private static String toGrant(SQLException e) {
    return routine(e).equals("InitTempTableNamespace")
        ? "; as its owner: GRANT TEMPORARY ON DATABASE (docs/deployment.md, Database users)"
        : ": GRANT the role that may (docs/security.md) to the database user,"
            + " holdfast_worker or holdfast_operator mostly, holdfast_designer for designs; one of"
            + " holdfast_producer enqueues in SQL, with produce_ticket";
  }

  /**
   * Makes the exception for a refusal. A missing right is granted some day; a user's trigger may
   * refuse for ever.
   */
  private static StatementRefusedException notAllowed(SQLException e, String message) {
    return routine(e).equals("aclcheck_error")
        ? new StatementRefusedException.RightMissing(message, e)
        : new StatementRefusedException(message, e);
  }

  /**
   * Returns whether the right to connect is missing. It is not one of the roles' rights either;
   * mostly everybody has it.
   */
  private static boolean mayNotConnect(SQLException e) {
    return "42501".equals(e.getSQLState()) && routine(e).equals("CheckMyDatabase");
  }

  private static HoldfastException byClass(SQLException e, String state, String message) {
    if (OUT_OF_IDS.contains(routine(e))) {
      return new DatabaseUnavailableException("the database takes no writes: " + message, e);
    }
    return switch (state.length() < 2 ? "" : state.substring(0, 2)) {
      // Data exceptions, constraint violations, program limits: the value is wrong, not the
      // database.
      case "22", "23", "54" -> new InvalidInputException(words(e, message));
      case "08" -> unreachable(e, e);
      case "28", "3D" -> isServerAnswer(e) ? refused(message, state, e) : unreachable(e, e);
      case "40" -> new TicketBusyException("other transactions were in the way: " + message, e);
      default ->
          isOutage(state)
              ? new DatabaseUnavailableException("the database failed: " + message, e)
              : refused(message, state, e);
    };
  }

  /**
   * Returns whether the server was shut down or cut off, and will be back later; or the
   * transaction's next statement came too late.
   */
  private static boolean isOutage(String state) {
    return state.startsWith("57P0") || state.isEmpty() || state.equals("25P03");
  }

  private static StatementRefusedException refused(String message, String state, SQLException e) {
    String words = "the database refused it: " + message + " (SQLSTATE " + state + ")";
    return isExhausted(state)
        ? new ServerExhaustedException(words, e)
        : new StatementRefusedException(words, e);
  }

  /** Returns whether resources ran out: a full disk, no memory, or errors of the disk. */
  private static boolean isExhausted(String state) {
    return state.startsWith("53") || state.startsWith("58");
  }

  /**
   * Returns whether the server answered a statement: if a user may not connect, the severity is
   * FATAL.
   */
  private static boolean isServerAnswer(SQLException e) {
    return server(e).filter(server -> !"FATAL".equals(server.getSeverity())).isPresent();
  }

  /**
   * Returns true for a deadlock, a serialization failure, a transaction that the server has ended
   * because it took too long, or a lost statement: nothing was done, and the same call may succeed
   * now.
   */
  public static boolean isWorthAnotherTry(Throwable e) {
    String state = within(e).map(SQLException::getSQLState).orElse("");
    return switch (state) {
      case "40001", "40P01", "25P04" -> true;
      default -> isStatementLost(e);
    };
  }

  /** Returns the first one of an exception and its causes. */
  static Optional<SQLException> within(Throwable e) {
    for (Throwable cause = e; cause != null; cause = cause.getCause()) {
      if (cause instanceof SQLException sql) {
        return Optional.of(sql);
      }
    }
    return Optional.empty();
  }

  /**
   * Returns true if the statement was not even begun, because what the driver has prepared is not
   * what the server has: a pooler lent another connection of the server, or a migration changed a
   * table. On a new connection nothing is prepared yet.
   */
  public static boolean isStatementLost(Throwable e) {
    return within(e).filter(SqlErrors::isOfPrepared).isPresent();
  }

  private static boolean isOfPrepared(SQLException e) {
    return switch (String.valueOf(e.getSQLState())) {
      case "42P05", "26000" -> true;
      // The words depend on the server's language.
      case "0A000" -> routine(e).equals("RevalidateCachedQuery");
      // The name belongs to another client's statement, with other parameters.
      case "08P01" -> routine(e).equals("exec_bind_message");
      default -> false;
    };
  }

  /**
   * Makes the exception if the pool had nothing to lend: no connection could be made, or all are in
   * use.
   */
  private static HoldfastException noConnection(SQLException e) {
    if (e.getCause() instanceof SQLException cause) {
      return FULL.equals(cause.getSQLState()) ? full(cause, e) : unreachable(cause, e);
    }
    return new DatabaseUnavailableException(
        "no database connection became free in time; raise the pool size, or look for slow"
            + " statements: "
            + firstLine(e),
        e);
  }

  private static DatabaseUnavailableException full(SQLException cause, SQLException e) {
    return new DatabaseUnavailableException(
        "the database lets no more connections in: "
            + serverMessage(cause)
            + "; raise its max_connections, or the CONNECTION LIMIT of the user or the database, or"
            + " lower database.pool-size of the workers (docs/deployment.md, Sizing)",
        e);
  }

  private static DatabaseUnavailableException unreachable(SQLException cause, SQLException e) {
    if (Thread.currentThread().isVirtual() && Thread.currentThread().isInterrupted()) {
      return new DatabaseUnavailableException(
          "this thread was interrupted, which closes the connection that a virtual thread waits"
              + " for: "
              + serverMessage(cause),
          e);
    }
    // This excludes a value that the driver does not know: "Invalid targetServerType value".
    if (serverMessage(cause).matches("(?s).*targetServerType(?! value).*")) {
      return new DatabaseUnavailableException(
          "none of the database's hosts is a primary that lets us in: no one is promoted yet, or it"
              + " refuses, as one that is read-only or has no connection left does; holdfast doctor"
              + " with HOLDFAST_DATABASE_URL of one host at a time says which: "
              + serverMessage(cause),
          e);
    }
    // The pool's own exception is of a connection on which nothing was asked yet.
    if (!(e instanceof SQLTransientConnectionException) && LOST.equals(e.getSQLState())) {
      return new DatabaseUnavailableException(
          "the connection to the database was lost, and what was asked of it may be done all the"
              + " same: "
              + whyNoConnection(e),
          e);
    }
    if (mayNotConnect(cause)) {
      return new DatabaseUnavailableException(
          "cannot reach the database: "
              + serverMessage(cause)
              + "; as its owner: GRANT CONNECT ON DATABASE (docs/deployment.md, Database users)",
          e);
    }
    return new DatabaseUnavailableException(
        "cannot reach the database: "
            + whyNoConnection(cause)
            + "; check HOLDFAST_DATABASE_URL, HOLDFAST_DATABASE_USER and"
            + " HOLDFAST_DATABASE_PASSWORD, or database in holdfast.yaml; if none is set, start the"
            + " worker with the embedded database again",
        e);
  }

  /**
   * Finds the reason. For most failures the driver says only that its attempt failed; the reason is
   * in their cause.
   */
  private static String whyNoConnection(SQLException e) {
    for (Throwable cause = e.getCause(); cause != null; cause = cause.getCause()) {
      if (cause instanceof UnknownHostException unknown) {
        return "there is no host \"" + unknownHost(unknown) + "\"";
      }
      if (cause instanceof SocketTimeoutException) {
        return "no answer in time (" + serverMessage(e) + ")";
      }
    }
    return serverMessage(e);
  }

  /** Returns the name of the host; the system's words follow it after a colon. */
  private static String unknownHost(UnknownHostException e) {
    return String.valueOf(e.getMessage()).replaceFirst(": .*", "");
  }

  private static String words(SQLException e, String message) {
    return switch (said(e, ServerErrorMessage::getConstraint)) {
      case "ticket_unique_key" ->
          "a kept ticket has this unique key already; enqueue_ticket returns its id instead of"
              + " failing";
      case "ticket_base_pkey" -> "there is a ticket with this id already; leave the id out";
      case "definition_is_an_object" -> "a design must be a JSON object";
      case "known_assignee_type" -> "assignee_type must be agent, human or NULL";
      case "max_cost_is_an_amount" -> "max_cost_usd must be an amount from 0 to 1000000000";
      default -> message;
    };
  }

  /**
   * Returns the place in a COPY or a function where it happened; empty if the server did not say.
   */
  public static String where(SQLException e) {
    return said(e, ServerErrorMessage::getWhere);
  }

  private static String routine(SQLException e) {
    return said(e, ServerErrorMessage::getRoutine);
  }

  /** Returns a field of the server's message; empty if the server did not say. */
  private static String said(SQLException e, Function<ServerErrorMessage, @Nullable String> field) {
    return server(e).map(field).orElse("");
  }

  private static Optional<ServerErrorMessage> server(SQLException e) {
    return e instanceof PSQLException postgres
        ? Optional.ofNullable(postgres.getServerErrorMessage())
        : Optional.empty();
  }

  static String serverMessage(SQLException e) {
    String message = server(e).map(ServerErrorMessage::getMessage).orElseGet(() -> firstLine(e));
    // An error that is raised again with its own fields has an empty hint.
    String hint = said(e, ServerErrorMessage::getHint);
    return hint.isEmpty() ? message : message + " (" + hint + ")";
  }

  private static String firstLine(Exception e) {
    return String.valueOf(e.getMessage()).strip().lines().findFirst().orElse("no message");
  }
}
