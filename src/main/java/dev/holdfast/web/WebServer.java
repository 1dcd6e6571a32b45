package dev.holdfast.web;

import dev.holdfast.web.access.Access;
import dev.holdfast.web.port.HeadAsGet;
import dev.holdfast.web.port.HttpPort;
import dev.holdfast.web.port.PlainRequests;
import dev.holdfast.web.port.RestOfBody;
import io.javalin.Javalin;
import io.javalin.config.JavalinConfig;
import io.javalin.http.Context;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import java.time.Duration;
import java.time.InstantSource;
import java.util.EnumSet;
import java.util.List;
import org.eclipse.jetty.ee10.servlet.FilterHolder;
import org.eclipse.jetty.ee10.servlet.ServletContextHandler;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The HTTP server of a worker, or of the console alone. The groups of routes that it answers are
 * given at its start. Handlers run on virtual threads.
 */
public final class WebServer implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(WebServer.class);

  /**
   * The longest time of a stop, which has no limit of its own: Jetty's selector closes the
   * connections, and may then wait for an answer whose end it would have to report itself.
   */
  private static final Duration LONGEST_STOP = Duration.ofSeconds(3);

  private static final long ROOM_FOR_FORMS = 65_536;

  /** The bytes of a form for one byte, which may be written as three: %E4. */
  private static final long FORM_BYTES = 3;

  private static final EnumSet<DispatcherType> EVERY_REQUEST = EnumSet.of(DispatcherType.REQUEST);

  private final Javalin javalin;

  private WebServer(Javalin javalin) {
    this.javalin = javalin;
  }

  /**
   * Answers on this port from now on; closing the server closes the port.
   *
   * @param maxPayloadBytes the largest payload of a ticket; bodies may be a little larger, forms
   *     three times as large
   * @param pages what browsers are shown where no route of theirs answers
   */
  public static WebServer start(
      HttpPort port, int maxPayloadBytes, Access access, Pages pages, List<Routes> groups) {
    Javalin javalin =
        Javalin.create(
            config -> {
              configure(config);
              config.http.maxRequestSize = FORM_BYTES * maxPayloadBytes + ROOM_FOR_FORMS;
              List<Filter> filters =
                  List.of(
                      new PlainRequests(),
                      new RestOfBody(),
                      new RequestSlots(access.requestsAtOnce()),
                      new HeadAsGet(EventRoutes.PATH));
              config.jetty.modifyServletContextHandler(
                  handler -> filters.forEach(each -> add(handler, each)));
              config.jetty.addConnector(port::connector);
              Gate gate = new Gate(access, InstantSource.system());
              new Problems(pages).addTo(config.routes);
              config.routes.before(
                  context -> requireFits(context, maxPayloadBytes + ROOM_FOR_FORMS));
              gate.addTo(config.routes);
              if (groups.stream().anyMatch(Routes::needLogin)) {
                new LoginRoutes(access, gate, pages).addTo(config.routes);
              }
              groups.forEach(group -> group.addTo(config.routes));
            });
    return new WebServer(javalin.start());
  }

  private static void requireFits(Context context, long most) {
    if (context.contentLength() > most && !Gate.isForm(context)) {
      throw new Refused(413, "the body is too large; see payload.max-bytes");
    }
  }

  private static void add(ServletContextHandler handler, Filter filter) {
    FilterHolder holder = new FilterHolder(filter);
    holder.setAsyncSupported(true);
    handler.addFilter(holder, "/*", EVERY_REQUEST);
  }

  private static void configure(JavalinConfig config) {
    config.concurrency.useVirtualThreads = true;
    config.startup.showJavalinBanner = false;
    config.startup.showOldJavalinVersionWarning = false;
    config.startup.startupWatcherEnabled = false;
    config.jetty.modifyServer(server -> server.setErrorHandler(new ServerErrors()));
    config.http.prefer405over404 = true;
  }

  public int port() {
    return javalin.port();
  }

  @Override
  public void close() {
    closeWithin(LONGEST_STOP, javalin::stop);
  }

  /** Continues after this time, because the rest must still be closed. */
  static void closeWithin(Duration longest, Runnable stop) {
    try {
      if (!Thread.ofPlatform().daemon().name("holdfast-web-stop").start(stop).join(longest)) {
        log.warn(
            "the web server has not stopped in {} s; it is left as it is", longest.toSeconds());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (OutOfMemoryError e) {
      // There is no thread left for it.
      stop.run();
    }
  }
}
