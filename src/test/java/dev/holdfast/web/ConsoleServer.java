package dev.holdfast.web;

import dev.holdfast.postgres.PostgresConsoleReader;
import dev.holdfast.web.console.Console;
import java.util.List;
import javax.sql.DataSource;

/** The API and the console on a database, on a port of their own, for whoever is on this machine. */
public final class ConsoleServer implements AutoCloseable {
  private final WebServer server;

  private ConsoleServer(WebServer server) {
    this.server = server;
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
    Console console = new Console(ports, new PostgresConsoleReader(database));
    return new ConsoleServer(
        WebServer.start(
            new WebServer.Socket("127.0.0.1", 0, WebFixture.MAX_PAYLOAD),
            access,
            console,
            List.of(new ApiRoutes(ports), console)));
  }

  public String url(String path) {
    return "http://127.0.0.1:" + server.port() + path;
  }

  @Override
  public void close() {
    server.close();
  }
}
