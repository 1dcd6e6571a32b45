package dev.holdfast.postgres.session;

import dev.holdfast.llm.account.AccountFailure;
import dev.holdfast.llm.account.AccountSettings;
import dev.holdfast.llm.account.AccountStore;
import dev.holdfast.llm.account.Closure;
import dev.holdfast.llm.account.OutageSettings;
import dev.holdfast.llm.account.Scope;
import dev.holdfast.postgres.Sql;
import dev.holdfast.postgres.Transactions;
import dev.holdfast.retry.Sleeper;
import dev.holdfast.ticket.StorableText;
import java.math.BigDecimal;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import javax.sql.DataSource;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/**
 * Reads and changes the tables {@code provider_cooldowns} and {@code budgets}. Every decision is
 * one function of the database, by its clock. Interrupts do not cut a statement off. Thread-safe.
 */
public final class PostgresAccountStore implements AccountStore {
  private final Transactions transactions;
  private final Persistence persistence;
  private final Sql sql;
  private final String state;
  private final AccountSettings settings;
  private final String workerId;

  /**
   * @param workerId the worker that reports and tries
   */
  public PostgresAccountStore(
      DataSource dataSource, String schema, AccountSettings settings, String workerId) {
    this(dataSource, schema, settings, workerId, new Persistence(Sleeper.REAL));
  }

  PostgresAccountStore(
      DataSource dataSource,
      String schema,
      AccountSettings settings,
      String workerId,
      Persistence persistence) {
    this.transactions = new Transactions(dataSource);
    this.persistence = persistence;
    this.sql = new Sql(schema);
    this.state = sql.load("account_state");
    this.settings = settings;
    this.workerId = workerId;
  }

  @Override
  public State state() {
    return statement(
        handle -> {
          Set<String> budgets = new HashSet<>();
          List<Closure> closures = new ArrayList<>();
          handle
              .createQuery(state)
              .map((row, context) -> closure(row, budgets))
              .forEach(each -> each.ifPresent(closures::add));
          return new State(closures, budgets);
        });
  }

  /** Reads a closure; empty for the row of a budget. */
  private static Optional<Closure> closure(ResultSet row, Set<String> budgets) throws SQLException {
    String budget = row.getString("budget");
    if (budget != null) {
      budgets.add(budget);
      return Optional.empty();
    }
    return Optional.of(
        new Closure(
            new Scope(row.getString("provider"), row.getString("key_id"), row.getString("model")),
            row.getString("reason"),
            row.getString("detail"),
            row.getBoolean("needs_person"),
            millis(row, "left_ms"),
            Duration.ofMillis(row.getLong("length_ms")),
            millis(row, "probe_left_ms"),
            millis(row, "outage_ms")));
  }

  private static @Nullable Duration millis(ResultSet row, String column) throws SQLException {
    double millis = row.getDouble(column);
    return row.wasNull() ? null : Duration.ofNanos((long) (millis * 1_000_000));
  }

  @Override
  public boolean failed(AccountFailure failure, long ticketId) {
    Duration hint = failure.hint();
    return statement(
        handle ->
            handle
                .createQuery(
                    sql.inSchema(
                        """
                        SELECT holdfast.report_provider_failure(:provider, :key, :model, :why, :words, :status, :hint, :ticket, :worker,
                          :weak, :base, :max, :maxHint, :outageAfter)
                        """))
                .bind("provider", failure.scope().provider())
                .bind("key", failure.scope().keyId())
                .bind("model", StorableText.of(failure.scope().model()))
                .bind("why", failure.reason().wireName())
                .bind("words", StorableText.of(failure.detail()))
                .bind("status", failure.httpStatus())
                .bind("hint", hint == null ? null : Long.valueOf(saturated(hint)))
                .bind("ticket", ticketId)
                .bind("worker", workerId)
                .bind("weak", failure.weak())
                .bind("base", settings.baseDelay().toMillis())
                .bind("max", settings.maxDelay().toMillis())
                .bind("maxHint", settings.maxHint().toMillis())
                .bind("outageAfter", settings.outageAfter())
                .mapTo(Boolean.class)
                .one());
  }

  /** Limits a time: a hint may be any number of seconds that a server has invented. */
  private static long saturated(Duration time) {
    try {
      return time.toMillis();
    } catch (ArithmeticException e) {
      return Long.MAX_VALUE;
    }
  }

  @Override
  public Probe takeProbe(Scope scope, Duration atMost) {
    String take =
        "SELECT answer FROM holdfast.take_provider_probe(:provider, :key, :model, :worker, :ms)";
    String answer =
        statement(
            handle ->
                handle
                    .createQuery(sql.inSchema(take))
                    .bind("provider", scope.provider())
                    .bind("key", scope.keyId())
                    .bind("model", scope.model())
                    .bind("worker", workerId)
                    .bind("ms", atMost.toMillis())
                    .mapTo(String.class)
                    .one());
    return switch (answer) {
      case "open" -> Probe.OPEN;
      case "probe" -> Probe.TAKEN;
      default -> Probe.WAIT;
    };
  }

  @Override
  public void endProbe(Scope scope) {
    of(scope, "SELECT holdfast.end_provider_probe(:provider, :key, :model, :worker)");
  }

  @Override
  public void answered(Scope scope) {
    of(
        scope,
        "SELECT holdfast.report_provider_answer(:provider, :key, :model) WHERE :worker IS NOT"
            + " NULL");
  }

  private void of(Scope scope, String call) {
    statement(
        handle ->
            handle
                .createQuery(sql.inSchema(call))
                .bind("provider", scope.provider())
                .bind("key", scope.keyId())
                .bind("model", scope.model())
                .bind("worker", workerId)
                .mapTo(String.class)
                .list());
  }

  @Override
  public Reservation reserve(List<String> budgets, BigDecimal usd, long ticketId, long leaseNo) {
    // If an answer is lost, the reservation that is made twice is booked when the lease has ended.
    return persistence.insist(
        () ->
            transactions.runStatement(
                handle ->
                    handle
                        .createQuery(
                            sql.inSchema(
                                "SELECT * FROM holdfast.reserve_budget(:scopes, :usd, :ticket,"
                                    + " :lease)"))
                        .bind("scopes", budgets.toArray(String[]::new))
                        .bind("usd", usd)
                        .bind("ticket", ticketId)
                        .bind("lease", leaseNo)
                        .map((row, context) -> reservation(row))
                        .one()));
  }

  private static Reservation reservation(ResultSet row) throws SQLException {
    long id = row.getLong("reservation");
    return row.wasNull()
        ? new Reservation.NoRoom(
            row.getString("refused_by"),
            row.getBigDecimal("spent"),
            row.getBigDecimal("reserved"),
            row.getBigDecimal("limited_to"))
        : new Reservation.Granted(id);
  }

  @Override
  public void settle(long reservation, BigDecimal usd) {
    persistence.insist(
        () ->
            transactions.runStatement(
                handle ->
                    handle
                        .createQuery(sql.inSchema("SELECT holdfast.settle_budget(:id, :usd)"))
                        .bind("id", reservation)
                        .bind("usd", usd)
                        .mapTo(String.class)
                        .list()));
  }

  /**
   * Stores a budget of the configuration.
   *
   * @param per day or total
   */
  public void configure(String scope, String per, BigDecimal usd) {
    statement(
        handle ->
            handle
                .createQuery(
                    sql.inSchema("SELECT holdfast.configure_budget(:scope, :per, :usd, :worker)"))
                .bind("scope", scope)
                .bind("per", per)
                .bind("usd", usd)
                .bind("worker", workerId)
                .mapTo(String.class)
                .list());
  }

  /**
   * Returns the budgets that a configuration has set, and nobody has changed since, without these.
   */
  public List<String> configuredBeside(List<String> scopes) {
    return statement(
        handle ->
            handle
                .createQuery(
                    sql.inSchema(
                        "SELECT scope FROM holdfast.budgets WHERE limit_usd = configured_usd"
                            + " AND scope <> ALL (:scopes) ORDER BY scope"))
                .bindArray("scopes", String.class, scopes)
                .mapTo(String.class)
                .list());
  }

  @Override
  public List<String> upkeep(OutageSettings outages) {
    return statement(
        handle -> {
          handle
              .createQuery(
                  sql.inSchema(
                      "SELECT holdfast.forget_times_ahead(), holdfast.end_lost_probes(),"
                          + " holdfast.book_lost_reservations(), holdfast.hold_for_outages(:hold),"
                          + " holdfast.release_waiting('system')"))
              .bind("hold", outages.holdAfter().toMillis())
              .mapToMap()
              .list();
          return handle
              .createQuery(
                  sql.inSchema("SELECT words FROM holdfast.tell_outages(:notice) AS words"))
              .bind("notice", outages.noticeAfter().toMillis())
              .mapTo(String.class)
              .list();
        });
  }

  /**
   * Runs a statement. An interrupt would close the connection of a virtual thread, so it is put
   * aside meanwhile.
   */
  private <T> T statement(Function<Handle, T> work) {
    boolean interrupted = Thread.interrupted();
    try {
      return transactions.runStatement(work);
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
