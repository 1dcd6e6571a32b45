package dev.holdfast.web;

import dev.holdfast.postgres.PostgresConsoleReader;
import dev.holdfast.retry.Sleeper;
import dev.holdfast.web.console.Console;
import java.util.List;
import javax.sql.DataSource;

/**
 * The API and the console on a database, on a port of their own, for whoever is on this machine.
 */
public final class ConsoleServer implements AutoCloseable {
  private final WebServer server;
  private final EventHub events;
  private final BulkActions bulk;

  private ConsoleServer(WebServer server, EventHub events, BulkActions bulk) {
    this.server = server;
    this.events = events;
    this.bulk = bulk;
  }

  public static ConsoleServer open(DataSource database) {
    return start(database, Access.ofThisMachine("ann"));
  }

  /** For bearers of the tokens of {@link WebFixture}. */
  public static ConsoleServer guarded(DataSource database) {
    return start(database, WebFixture.bearers());
  }

  public static String viewersToken() {
    return WebFixture.VIEWER;
  }

  private static ConsoleServer start(DataSource database, Access access) {
    WebPorts ports = WebFixture.ports(database);
    EventHub events = new EventHub(ports.feeds(), Sleeper.REAL);
    BulkActions bulk = new BulkActions();
    Console console = new Console(ports, new PostgresConsoleReader(database), bulk);
    WebServer server =
        WebServer.start(
            HttpPort.bind("127.0.0.1", 0),
            WebFixture.MAX_PAYLOAD,
            access,
            console,
            List.of(new ApiRoutes(ports, bulk, events), console));
    return new ConsoleServer(server, events, bulk);
  }

  public String url(String path) {
    return "http://127.0.0.1:" + server.port() + path;
  }

  @Override
  public void close() {
    events.close();
    bulk.close();
    server.close();
  }
}
