package dev.holdfast.testing;

import dev.holdfast.postgres.Migrations;
import dev.holdfast.postgres.testing.WarmDataSource;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;

/**
 * The one server of this JVM's tests, with a migrated template that each test class gets a copy of.
 * Its names carry a random part, for with {@code -Dtest.database=jdbc:…} several runs may share a
 * server.
 */
final class TestServer implements AutoCloseable {
  /** Far from UTC on purpose. */
  static final String TIME_ZONE = "Asia/Tokyo";

  private final TestServerSource source;
  private final String prefix;
  private final TestDatabase template;
  private final WarmDriver driver;

  /** Whoever makes and drops the databases: to connect for each would be a third of the work. */
  private final WarmDataSource owner;

  private final AtomicInteger databases = new AtomicInteger();

  private TestServer(
      TestServerSource source,
      String prefix,
      TestDatabase template,
      WarmDriver driver,
      WarmDataSource owner) {
    this.source = source;
    this.prefix = prefix;
    this.template = template;
    this.driver = driver;
    this.owner = owner;
  }

  /** Starts or finds the server that {@code -Dtest.database} names, and migrates the template. */
  static TestServer start() throws SQLException {
    TestServerSource source = TestServerSource.fromSystemProperties();
    WarmDataSource owner =
        new WarmDataSource(
            source.jdbcUrl("postgres"),
            source.user(),
            source.password(),
            "SET application_name = 'tests'");
    String prefix = "holdfast_" + HexFormat.of().toHexDigits(ThreadLocalRandom.current().nextInt());
    TestDatabase template =
        new TestDatabase(
            source.jdbcUrl(prefix + "_template"),
            source.user(),
            source.password(),
            majorVersion(owner));
    TestServer server =
        new TestServer(source, prefix, template, WarmDriver.register(source), owner);
    server.execute("CREATE DATABASE " + prefix + "_template");
    Migrations.migrate(template.dataSource());
    shrinkCatalog(template);
    keepCatalog(template);
    // Nobody may be in it while it is copied.
    template.close();
    return server;
  }

  /**
   * Half of a migrated database is old rows of the catalog, which each copy would have, too. Our
   * tables stay as they are: one that was once seen empty is planned for as empty.
   */
  private static void shrinkCatalog(TestDatabase database) throws SQLException {
    try (Connection connection = database.dataSource().getConnection();
        Statement statement = connection.createStatement()) {
      List<String> tables = new ArrayList<>();
      try (ResultSet rows =
          statement.executeQuery(
              "SELECT oid::regclass FROM pg_class WHERE relkind = 'r' AND NOT relisshared"
                  + " AND relnamespace = 'pg_catalog'::regnamespace")) {
        while (rows.next()) {
          tables.add(rows.getString(1));
        }
      }
      statement.execute("VACUUM (FULL) " + String.join(", ", tables));
    }
  }

  /** The first session writes down what it read of the catalog, and each copy has it from here. */
  private static void keepCatalog(TestDatabase database) throws SQLException {
    DriverManager.getConnection(database.jdbcUrl(), database.user(), database.password()).close();
  }

  /**
   * Copies the template: its files, for a copy block by block through the log takes three times the
   * work.
   */
  TestDatabase create() throws SQLException {
    String name = prefix + "_" + databases.incrementAndGet();
    execute("CREATE DATABASE " + name + " TEMPLATE " + prefix + "_template STRATEGY file_copy");
    return new TestDatabase(
        source.jdbcUrl(name), template.user(), template.password(), template.serverMajorVersion());
  }

  /** Ends whatever sessions the test left and drops its database. */
  void drop(TestDatabase database) throws SQLException {
    database.close();
    driver.forget(database);
    String url = database.jdbcUrl();
    execute("DROP DATABASE " + url.substring(url.lastIndexOf('/') + 1) + " WITH (FORCE)");
  }

  @Override
  public void close() throws Exception {
    drop(template);
    driver.close();
    owner.close();
    source.close();
  }

  private static int majorVersion(DataSource server) throws SQLException {
    try (Connection connection = server.getConnection()) {
      return connection.getMetaData().getDatabaseMajorVersion();
    }
  }

  private void execute(String sql) throws SQLException {
    try (Connection connection = owner.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }
}
