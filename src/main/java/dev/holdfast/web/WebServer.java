package dev.holdfast.web;

import io.javalin.Javalin;
import io.javalin.config.JavalinConfig;
import io.javalin.util.JavalinBindException;
import io.javalin.util.JavalinLogger;
import java.time.InstantSource;
import java.util.List;

/**
 * An HTTP port: of a worker, or of the console alone. Which groups of routes it answers is said at
 * its start. Handlers run on virtual threads.
 */
public final class WebServer implements AutoCloseable {
  private static final long ROOM_FOR_FORMS = 65_536;

  private final Javalin javalin;

  /**
   * Where to listen.
   *
   * @param host loopback unless tokens are configured
   * @param port 0 takes a free one
   * @param maxPayloadBytes the largest payload of a ticket; bodies may be a little larger
   */
  public record Socket(String host, int port, int maxPayloadBytes) {}

  private WebServer(Javalin javalin) {
    this.javalin = javalin;
  }

  /**
   * @param pages what browsers are shown where no route of theirs answers
   * @throws PortTakenException if somebody else listens there
   */
  public static WebServer start(Socket socket, Access access, Pages pages, List<Routes> groups) {
    Javalin javalin =
        Javalin.create(
            config -> {
              configure(config, socket);
              Gate gate = new Gate(access, InstantSource.system());
              new Problems(access, pages).addTo(config.routes);
              gate.addTo(config.routes);
              new LoginRoutes(access, gate, pages).addTo(config.routes);
              groups.forEach(group -> group.addTo(config.routes));
            });
    // It would log what the exception says.
    JavalinLogger.enabled = false;
    try {
      return new WebServer(javalin.start(socket.host(), socket.port()));
    } catch (JavalinBindException e) {
      throw new PortTakenException(socket.host(), socket.port(), e);
    } finally {
      JavalinLogger.enabled = true;
    }
  }

  private static void configure(JavalinConfig config, Socket socket) {
    config.concurrency.useVirtualThreads = true;
    config.startup.showJavalinBanner = false;
    config.startup.showOldJavalinVersionWarning = false;
    config.startup.startupWatcherEnabled = false;
    config.jetty.modifyServer(server -> server.setErrorHandler(new ServerErrors()));
    config.http.prefer405over404 = true;
    config.http.maxRequestSize = socket.maxPayloadBytes() + ROOM_FOR_FORMS;
  }

  public int port() {
    return javalin.port();
  }

  @Override
  public void close() {
    javalin.stop();
  }
}
