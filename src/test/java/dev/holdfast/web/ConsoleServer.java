package dev.holdfast.web;

import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.llm.Price;
import dev.holdfast.llm.Prices;
import dev.holdfast.llm.ProviderSettings;
import dev.holdfast.postgres.read.PostgresConsoleReader;
import dev.holdfast.retry.Sleeper;
import dev.holdfast.testing.TicketDatabase;
import dev.holdfast.web.access.Access;
import dev.holdfast.web.console.Console;
import dev.holdfast.web.console.view.ConfiguredProvider;
import dev.holdfast.web.port.HttpPort;
import java.math.BigDecimal;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;

/** The API and the console on a database, on a port of their own, for whoever has the token. */
public final class ConsoleServer implements AutoCloseable {
  /** What it has configured; the key is a word that tests look for in vain. */
  public static final String KEY = "sk-never-to-be-shown";

  private static final List<ConfiguredProvider> PROVIDERS =
      List.of(
          ConfiguredProvider.of(
              "openai",
              new ProviderSettings(
                  "openai",
                  null,
                  List.of(KEY),
                  new Prices(Map.of("gpt-5*", Price.of(new BigDecimal("1.25"), BigDecimal.TEN))))));

  private final WebServer server;
  private final EventHub events;
  private final BulkActions bulk;
  private final String login;
  private final HikariDataSource pool;

  private ConsoleServer(
      WebServer server, EventHub events, BulkActions bulk, String login, HikariDataSource pool) {
    this.login = login;
    this.server = server;
    this.events = events;
    this.bulk = bulk;
    this.pool = pool;
  }

  public static ConsoleServer open(DataSource database) {
    return start(database, WebFixture.local("ann"), "/login?token=" + WebFixture.LOCAL + "&next=");
  }

  /** For bearers of the tokens of {@link WebFixture}. */
  public static ConsoleServer guarded(DataSource database) {
    return start(database, WebFixture.bearers(), "");
  }

  public static String viewersToken() {
    return WebFixture.VIEWER;
  }

  private static ConsoleServer start(DataSource database, Access access, String login) {
    HikariDataSource pool = new TicketDatabase(database).pool(8);
    WebPorts ports = WebFixture.ports(pool);
    EventHub events = new EventHub(ports.feeds(), Sleeper.REAL);
    BulkActions bulk = new BulkActions();
    Console console =
        new Console(
            ports,
            new PostgresConsoleReader(pool),
            bulk,
            new Console.Process(() -> "bubblewrap works, and is required", PROVIDERS));
    WebServer server =
        WebServer.start(
            HttpPort.bind("127.0.0.1", 0),
            WebFixture.MAX_PAYLOAD,
            access,
            console,
            List.of(new ApiRoutes(ports, bulk, events), console));
    return new ConsoleServer(server, events, bulk, login, pool);
  }

  /** Its pool, for workers on the same database. */
  public DataSource dataSource() {
    return pool;
  }

  /** A page; where no tokens are configured by the link that logs in first. */
  public String url(String path) {
    String wanted = login.isEmpty() ? path : URLEncoder.encode(path, StandardCharsets.UTF_8);
    return "http://127.0.0.1:" + server.port() + login + wanted;
  }

  @Override
  public void close() {
    events.close();
    bulk.close();
    server.close();
    pool.close();
  }
}
