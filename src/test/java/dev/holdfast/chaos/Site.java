package dev.holdfast.chaos;

import dev.holdfast.postgres.Migrations;
import dev.holdfast.postgres.embedded.EmbeddedServer;
import dev.holdfast.postgres.embedded.EmbeddedServerOptions;
import dev.holdfast.postgres.testing.WarmDataSource;
import dev.holdfast.testing.TicketDatabase;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;

/** A PostgreSQL that may be harmed: on one port for good, whatever restarts. */
final class Site implements AutoCloseable {
  static final String APPLICATION = "chaos";
  static final int MAX_CONNECTIONS = 80;
  private static final Duration START = Duration.ofSeconds(60);

  private final EmbeddedServerOptions options;
  private final WarmDataSource dataSource;
  private EmbeddedServer server;
  private @Nullable EmbeddedServer standby;
  private @Nullable Relay wire;

  private Site(EmbeddedServerOptions options) {
    this.options = options;
    this.server = EmbeddedServer.start(options);
    this.dataSource = new WarmDataSource(jdbcUrl(), user(), password(), "");
    dataSource.setApplicationName(APPLICATION);
  }

  /** Commits are written before they are answered, so that a killed server loses none of them. */
  static Site start(Path directory) throws IOException {
    Map<String, String> settings = new HashMap<>();
    settings.put("port", Integer.toString(freePort()));
    // Only the machine's own death would need it.
    settings.put("fsync", "off");
    settings.put("max_connections", Integer.toString(MAX_CONNECTIONS));
    settings.put("restart_after_crash", "on");
    return new Site(EmbeddedServerOptions.in(directory).withSettings(settings));
  }

  static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  /** An empty, migrated database with the ledger's tables in it. */
  void prepare() {
    TicketDatabase database = new TicketDatabase(dataSource());
    // Many connections are made, and for each its client computes every round.
    database.run(
        "SET scram_iterations = 1; ALTER ROLE %s PASSWORD '%s'".formatted(user(), password()));
    Migrations.migrate(dataSource());
    Ledger.install(database);
  }

  int port() {
    return server.address().port();
  }

  String user() {
    return server.address().user();
  }

  String password() {
    return server.address().password();
  }

  String jdbcUrl() {
    return server.address().jdbcUrl();
  }

  /** The harness's own way in, beside whatever stands between the workers and the server. */
  DataSource dataSource() {
    return dataSource;
  }

  /** As {@code pg_ctl stop -m immediate} does: no checkpoint, no goodbye. */
  void kill() throws IOException, InterruptedException {
    long pid = server.address().pid();
    ProcessHandle postmaster = ProcessHandle.of(pid).orElseThrow();
    new ProcessBuilder("kill", "-s", "QUIT", Long.toString(pid)).start().waitFor();
    postmaster.onExit().orTimeout(Duration.ofSeconds(30).toSeconds(), TimeUnit.SECONDS).join();
  }

  /** Starts it again behind a {@link #kill}, with the recovery that this needs. */
  void restart() {
    server = EmbeddedServer.start(options);
  }

  /** Starts it again if it gave up by itself, and waits until it answers. */
  void revive() {
    Awaitility.await("the server answers")
        .atMost(START)
        .ignoreExceptions()
        .until(
            () -> {
              restart();
              try (Connection connection = dataSource.getConnection()) {
                return connection.isValid(1);
              }
            });
  }

  /**
   * From now on a second server follows this one, from a copy of its data made while it was off.
   */
  void follow() throws IOException, InterruptedException {
    Path home = options.home().resolveSibling("standby");
    Files.createDirectories(home);
    server.close();
    Path own = options.directory();
    Path other = Files.createDirectories(home.resolve("postgres"));
    copy(own.resolve("data"), other);
    copy(own.resolve("password"), other);
    restart();
    Relay between = new Relay(port());
    wire = between;
    Files.writeString(other.resolve("data/standby.signal"), "");
    Files.writeString(
        other.resolve("data/postgresql.auto.conf"),
        "primary_conninfo = 'host=127.0.0.1 port=%s user=%s password=%s'\n"
            .formatted(between.port(), user(), password()),
        StandardOpenOption.APPEND);
    Map<String, String> settings = new HashMap<>(options.settings());
    settings.put("port", Integer.toString(freePort()));
    standby = EmbeddedServer.start(EmbeddedServerOptions.in(home).withSettings(settings));
  }

  private static void copy(Path from, Path to) throws IOException, InterruptedException {
    int exit = new ProcessBuilder("cp", "-a", from.toString(), to.toString()).start().waitFor();
    if (exit != 0) {
      throw new IOException("cannot copy " + from);
    }
  }

  /** Nothing reaches the standby any more, and the primary is not told. */
  void silenceStandby() {
    Objects.requireNonNull(wire).mode(Relay.Mode.SILENT);
  }

  /** The primary dies, the standby takes its place. */
  void failOver() throws Exception {
    kill();
    Objects.requireNonNull(wire).drop();
    EmbeddedServer promoted = Objects.requireNonNull(standby);
    server = promoted;
    dataSource.setUrl(jdbcUrl());
    try (Connection connection = dataSource.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute("ALTER SYSTEM SET synchronous_standby_names = ''");
      statement.execute("SELECT pg_promote()");
    }
  }

  @Override
  public void close() throws IOException {
    dataSource.close();
    server.close();
    if (wire != null) {
      wire.close();
    }
    if (standby != null) {
      standby.close();
    }
  }
}
