package dev.holdfast.postgres;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.HikariPoolMXBean;
import com.zaxxer.hikari.SQLExceptionOverride;
import com.zaxxer.hikari.util.Credentials;
import dev.holdfast.ticket.HoldfastException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * The address of the database and the settings of its connections. It takes any URL that {@link
 * DatabaseUrl} reads; credentials in it are taken out, and {@code user} and {@code password}, where
 * given, win over them. Immutable; its text form masks the passwords.
 *
 * <p>Driver settings in the URL win over the ones made here. Two are of interest:
 *
 * <ul>
 *   <li>{@code prepareThreshold} (driver's default 5): a statement is prepared on the server at its
 *       fifth use; behind a pooler at none, if the URL has no other number. It may have where
 *       pgbouncer is 1.21 or newer with {@code max_prepared_statements} above 0.
 *   <li>{@code socketTimeout} (here {@value #SOCKET_TIMEOUT_SECONDS} s): how long one answer may
 *       take before the connection is given up as dead.
 * </ul>
 *
 * @param url as JDBC URL, without credentials
 * @param renewed tells the password for each new connection, where it may change; null where the
 *     password stays
 * @param poolSize connections at most; at least 1
 * @param applicationName what {@code pg_stat_activity} shows
 */
public record Database(
    String url,
    @Nullable String user,
    @Nullable String password,
    @Nullable Supplier<@Nullable String> renewed,
    int poolSize,
    String applicationName) {
  private static final int SOCKET_TIMEOUT_SECONDS = 60;
  private static final int CONNECT_TIMEOUT_SECONDS = 4;
  private static final int LOGIN_TIMEOUT_SECONDS = 30;
  private static final int CONNECTION_TIMEOUT_MILLIS = 5_000;
  private static final int DEFAULT_POOL_SIZE = 10;

  /**
   * @throws HoldfastException if the URL cannot be read or the pool size is below 1
   */
  public Database {
    DatabaseUrl parsed = DatabaseUrl.parse(url);
    url = parsed.jdbcUrl();
    user = isBlank(user) ? parsed.user() : user;
    password = isBlank(password) ? parsed.password() : password;
    if (poolSize < 1) {
      throw new HoldfastException("the pool needs at least one connection, not " + poolSize);
    }
  }

  /** Makes one with a password that stays. */
  public Database(
      String url,
      @Nullable String user,
      @Nullable String password,
      int poolSize,
      String applicationName) {
    this(url, user, password, null, poolSize, applicationName);
  }

  public static Database of(String url) {
    return new Database(url, null, null, DEFAULT_POOL_SIZE, "holdfast");
  }

  public Database withPoolSize(int newPoolSize) {
    return new Database(url, user, password, renewed, newPoolSize, applicationName);
  }

  public Database withApplicationName(String newApplicationName) {
    return new Database(url, user, password, renewed, poolSize, newApplicationName);
  }

  /**
   * Returns the database with a password that is asked for at each new connection, so it may be
   * changed under a running process.
   */
  public Database withPasswordFrom(Supplier<@Nullable String> source) {
    return new Database(url, user, password, source, poolSize, applicationName);
  }

  /**
   * Returns the same database at another address, such as the one beside its pooler.
   *
   * @param otherUrl the other URL; if it has no user or password, this one's is used
   */
  public Database at(String otherUrl) {
    DatabaseUrl other = DatabaseUrl.parse(otherUrl);
    return new Database(
        otherUrl,
        other.user() == null ? user : other.user(),
        other.password() == null ? password : other.password(),
        other.password() == null ? renewed : null,
        poolSize,
        applicationName);
  }

  /** Returns another database of the same server. */
  public Database named(String databaseName) {
    String renamed = url.replaceFirst("/[^/?]*(\\?|$)", "/" + databaseName + "$1");
    return new Database(renamed, user, password, renewed, poolSize, applicationName);
  }

  /**
   * Returns the database with this schema as the only one for unqualified names; a user's own
   * schema in particular is not used.
   */
  public Database searching(String schema) {
    String both = url + (url.contains("?") ? "&" : "?") + "currentSchema=" + schema;
    return new Database(both, user, password, renewed, poolSize, applicationName);
  }

  /**
   * Makes a pool that the caller closes. It connects at first use: if the database is unreachable,
   * that use throws {@link dev.holdfast.queue.DatabaseUnavailableException}.
   */
  public ConnectionPool pool() {
    HikariDataSource pool = open();
    return new ConnectionPool(pool, pool);
  }

  /**
   * Makes a pool like {@link #pool}, which keeps no idle connection and cancels each statement
   * after this time, in whole seconds. The pool cancels it itself, because a setting of the session
   * would stay with the server's connection behind a transaction pooler.
   */
  public ConnectionPool poolFor(Duration statementTimeout) {
    HikariConfig config = config();
    config.setMinimumIdle(0);
    HikariDataSource pool = open(config);
    return new ConnectionPool(pool, StatementTimeout.on(pool, statementTimeout));
  }

  HikariDataSource open() {
    return open(config());
  }

  private static HikariDataSource open(HikariConfig config) {
    ReadOnlySessions readOnly = new ReadOnlySessions();
    config.setExceptionOverride(readOnly);
    HikariDataSource pool = new KeptPool(config, new PoolKeeper(config.getPoolName()));
    readOnly.pool = pool.getHikariPoolMXBean();
    return pool;
  }

  /**
   * A pool that ends with its threads. HikariCP does not end an executor that it was given, and it
   * waits for a thread that connects: five seconds, if the server does not answer or the thread
   * sleeps until it tries again.
   */
  private static final class KeptPool extends HikariDataSource {
    private final PoolKeeper keeper;
    private final ThreadGroup connecting;

    KeptPool(HikariConfig config, PoolKeeper keeper) {
      ThreadGroup group = new ThreadGroup(config.getPoolName());
      config.setScheduledExecutor(keeper);
      config.setThreadFactory(
          Thread.ofPlatform()
              .group(group)
              .daemon()
              .name(config.getPoolName() + ":connections-", 1)
              .factory());
      super(config);
      this.keeper = keeper;
      this.connecting = group;
    }

    @java.lang.Override
    public void close() {
      // A thread that is interrupted before HikariCP closes the pool would connect once more, so
      // this repeats.
      var _ = keeper.scheduleWithFixedDelay(connecting::interrupt, 0, 10, TimeUnit.MILLISECONDS);
      super.close();
      keeper.shutdownNow();
    }
  }

  private HikariConfig config() {
    HikariConfig config = new HikariConfig();
    config.setPoolName(applicationName);
    config.setJdbcUrl(url);
    config.setUsername(user);
    config.setPassword(password);
    if (renewed != null && user != null) {
      config.setCredentialsProvider(() -> Credentials.of(user, renewed.get()));
    }
    config.setMaximumPoolSize(poolSize);
    config.setMinimumIdle(Math.min(2, poolSize));
    config.setConnectionTimeout(CONNECTION_TIMEOUT_MILLIS);
    config.setInitializationFailTimeout(-1);
    // Every guard in the SQL needs a fresh snapshot per statement, whatever the server's default.
    config.setTransactionIsolation("TRANSACTION_READ_COMMITTED");
    config.setDataSourceProperties(driverProperties(SOCKET_TIMEOUT_SECONDS));
    return config;
  }

  /**
   * A session that may only read stays so when the server is made writable again, or when the name
   * of the server leads from a standby to another one: only a new session sees it. If one is found,
   * the others of the pool are just as old, and each would fail somebody's call.
   */
  private static final class ReadOnlySessions implements SQLExceptionOverride {
    /** The pool; null while it makes its first session. */
    private volatile @Nullable HikariPoolMXBean pool;

    @java.lang.Override
    public Override adjudicate(SQLException e) {
      if (!SqlErrors.READ_ONLY.equals(e.getSQLState())) {
        return Override.CONTINUE_EVICT;
      }
      HikariPoolMXBean made = pool;
      if (made != null) {
        made.softEvictConnections();
      }
      return Override.MUST_EVICT;
    }
  }

  /**
   * Returns a data source with one new connection per call that receives notifications without
   * delay. It is for LISTEN, which belongs outside the pool.
   */
  public DataSource listening() {
    PGSimpleDataSource dataSource = simple();
    if (dataSource.getSocketFactory() == null) {
      dataSource.setSocketFactory(PromptSockets.class.getName());
    }
    return dataSource;
  }

  /**
   * Returns a data source with one new connection per call, without socket timeout, as migrations
   * need it.
   */
  public DataSource unpooled() {
    return simple();
  }

  /**
   * Returns a data source with one new connection per call. It cancels each statement after this
   * time, and is given up if the server does not answer that either.
   *
   * @param timeout at least a second; parts of a second are left out
   */
  public DataSource impatient(Duration timeout) {
    PGSimpleDataSource dataSource = simple();
    int seconds = Math.toIntExact(timeout.toSeconds());
    dataSource.setLoginTimeout(seconds);
    dataSource.setSocketTimeout(seconds + CONNECT_TIMEOUT_SECONDS);
    return StatementTimeout.on(dataSource, timeout);
  }

  private PGSimpleDataSource simple() {
    PGSimpleDataSource dataSource =
        renewed == null ? new PGSimpleDataSource() : new RenewedPassword(renewed);
    dataSource.setApplicationName(applicationName);
    dataSource.setTcpKeepAlive(true);
    dataSource.setConnectTimeout(CONNECT_TIMEOUT_SECONDS);
    // This limits a server that accepts the connection and then says nothing.
    dataSource.setLoginTimeout(LOGIN_TIMEOUT_SECONDS);
    dataSource.setUrl(url);
    if (hasSeveralHosts() && dataSource.getSocketFactory() == null) {
      dataSource.setSocketFactory(PromptSockets.class.getName());
    }
    dataSource.setUser(user);
    dataSource.setPassword(password);
    return dataSource;
  }

  /** A data source that asks for the password each time. */
  private static final class RenewedPassword extends PGSimpleDataSource {
    private static final long serialVersionUID = 1;
    private final transient Supplier<@Nullable String> password;

    RenewedPassword(Supplier<@Nullable String> password) {
      this.password = password;
    }

    @java.lang.Override
    public Connection getConnection() throws SQLException {
      return getConnection(getUser(), password.get());
    }
  }

  private Properties driverProperties(int socketTimeoutSeconds) {
    Properties properties = new Properties();
    properties.setProperty("ApplicationName", applicationName);
    properties.setProperty("connectTimeout", String.valueOf(CONNECT_TIMEOUT_SECONDS));
    // Only with this timeout does the driver let a thread go that is interrupted while it connects.
    properties.setProperty("loginTimeout", String.valueOf(LOGIN_TIMEOUT_SECONDS));
    properties.setProperty("reWriteBatchedInserts", "true");
    properties.setProperty("socketTimeout", String.valueOf(socketTimeoutSeconds));
    properties.setProperty("tcpKeepAlive", "true");
    if (hasSeveralHosts()) {
      properties.setProperty("socketFactory", PromptSockets.class.getName());
    }
    return properties;
  }

  /**
   * Returns whether there are several hosts, of which one may be frozen while another one answers.
   */
  private boolean hasSeveralHosts() {
    return url.replaceFirst("\\?.*", "").contains(",");
  }

  private static boolean isBlank(@Nullable String text) {
    return text == null || text.isBlank();
  }

  @Override
  public String toString() {
    String address = DatabaseUrl.masked(url);
    return (user == null ? "" : user + (password == null ? "" : ":***") + "@") + address;
  }
}
