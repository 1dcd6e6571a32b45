package dev.holdfast.web;

import com.sun.management.UnixOperatingSystemMXBean;
import dev.holdfast.web.access.Access;
import io.javalin.Javalin;
import io.javalin.config.JavalinConfig;
import io.javalin.http.Context;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletInputStream;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.time.InstantSource;
import java.util.EnumSet;
import java.util.List;
import org.eclipse.jetty.ee10.servlet.FilterHolder;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.NetworkConnectionLimit;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;

/**
 * An HTTP port: of a worker, or of the console alone. Which groups of routes it answers is said at
 * its start. Handlers run on virtual threads.
 */
public final class WebServer implements AutoCloseable {
  private static final long ROOM_FOR_FORMS = 65_536;

  /** A byte may be three in a form: %E4. */
  private static final long FORM_BYTES = 3;

  /** So much of a refused body is read at most, and for so long: the largest payload and more. */
  private static final long MOST_REST_BYTES = 256L * 1024 * 1024;

  private static final Duration LONGEST_REST = Duration.ofSeconds(10);

  private static final int MOST_CONNECTIONS = 10_000;

  /** With that many a silent connection is closed, so that a health check comes in. */
  private static final Duration IDLE_WHERE_FULL = Duration.ofSeconds(2);

  private static final EnumSet<DispatcherType> EVERY_REQUEST = EnumSet.of(DispatcherType.REQUEST);

  private final Javalin javalin;

  private WebServer(Javalin javalin) {
    this.javalin = javalin;
  }

  /**
   * Answers on this port from now on; closing the server closes it.
   *
   * @param maxPayloadBytes the largest payload of a ticket; bodies may be a little larger, forms
   *     thrice as large
   * @param pages what browsers are shown where no route of theirs answers
   */
  public static WebServer start(
      HttpPort port, int maxPayloadBytes, Access access, Pages pages, List<Routes> groups) {
    Javalin javalin =
        Javalin.create(
            config -> {
              configure(config);
              config.http.maxRequestSize = FORM_BYTES * maxPayloadBytes + ROOM_FOR_FORMS;
              config.jetty.modifyServletContextHandler(
                  handler -> {
                    handler.addFilter(filter(WebServer::readRest), "/*", EVERY_REQUEST);
                    handler.addFilter(slots(access), "/*", EVERY_REQUEST);
                    handler.addFilter(filter(WebServer::headAsGet), "/*", EVERY_REQUEST);
                  });
              config.jetty.addConnector((server, http) -> connector(port, server, http));
              Gate gate = new Gate(access, InstantSource.system());
              new Problems(pages).addTo(config.routes);
              config.routes.before(
                  context -> requireFits(context, maxPayloadBytes + ROOM_FOR_FORMS));
              gate.addTo(config.routes);
              new LoginRoutes(access, gate, pages).addTo(config.routes);
              groups.forEach(group -> group.addTo(config.routes));
            });
    return new WebServer(javalin.start());
  }

  private static void requireFits(Context context, long most) {
    if (context.contentLength() > most && !Gate.isForm(context)) {
      throw new Refused(413, "the body is too large; see payload.max-bytes");
    }
  }

  /**
   * Reads also the body of a request that was answered early. Many clients send everything before
   * they look for an answer; without this the server would close the connection first.
   */
  private static void readRest(ServletRequest request, ServletResponse response, FilterChain chain)
      throws IOException, ServletException {
    Drained drained = new Drained((HttpServletRequest) request);
    chain.doFilter(drained, response);
    if (!request.isAsyncStarted()) {
      drained.readRest(response);
    }
  }

  /** A request whose body is read to its end, whoever has read a part of it. */
  private static final class Drained extends HttpServletRequestWrapper {
    private boolean wasAskedFor;

    Drained(HttpServletRequest request) {
      super(request);
    }

    @Override
    public ServletInputStream getInputStream() throws IOException {
      wasAskedFor = true;
      return super.getInputStream();
    }

    private void readRest(ServletResponse response) {
      // To read is to ask for what a client holds back until it is asked.
      boolean isHeldBack = !wasAskedFor && getHeader("Expect") != null;
      boolean isEmpty = getContentLengthLong() <= 0 && getHeader("Transfer-Encoding") == null;
      if (isHeldBack || isEmpty) {
        return;
      }
      try {
        ServletInputStream rest = super.getInputStream();
        if (!rest.isFinished()) {
          // Who looks for the answer while sending has it now.
          response.getOutputStream().close();
          skip(rest);
        }
      } catch (IOException e) {
        // The client went away, or stopped sending: it reads no answer.
      }
    }

    private static void skip(InputStream rest) throws IOException {
      long until = System.nanoTime() + LONGEST_REST.toNanos();
      byte[] buffer = new byte[8192];
      long left = MOST_REST_BYTES;
      int read = 0;
      while (read >= 0 && left > 0 && System.nanoTime() < until) {
        read = rest.read(buffer);
        left -= read;
      }
    }
  }

  private static FilterHolder slots(Access access) {
    return filter(new RequestSlots(access.requestsAtOnce()));
  }

  /**
   * HEAD is answered as GET, and the server leaves the body out: some look at the health of a
   * worker so. A stream of events, which has no end, is not.
   */
  private static void headAsGet(ServletRequest request, ServletResponse response, FilterChain chain)
      throws IOException, ServletException {
    HttpServletRequest http = (HttpServletRequest) request;
    boolean asGet =
        http.getMethod().equals("HEAD") && !http.getRequestURI().startsWith(EventRoutes.PATH);
    chain.doFilter(asGet ? new AsGet(http) : request, response);
  }

  private static final class AsGet extends HttpServletRequestWrapper {
    AsGet(HttpServletRequest request) {
      super(request);
    }

    @Override
    public String getMethod() {
      return "GET";
    }
  }

  private static FilterHolder filter(Filter filter) {
    FilterHolder holder = new FilterHolder(filter);
    holder.setAsyncSupported(true);
    return holder;
  }

  private static void configure(JavalinConfig config) {
    config.concurrency.useVirtualThreads = true;
    config.startup.showJavalinBanner = false;
    config.startup.showOldJavalinVersionWarning = false;
    config.startup.startupWatcherEnabled = false;
    config.jetty.modifyServer(server -> server.setErrorHandler(new ServerErrors()));
    config.http.prefer405over404 = true;
  }

  private static ServerConnector connector(HttpPort port, Server server, HttpConfiguration http) {
    ServerConnector connector = new ServerConnector(server, new HttpConnectionFactory(http));
    NetworkConnectionLimit limit = new NetworkConnectionLimit(mostConnections(), connector);
    limit.setEndPointIdleTimeout(IDLE_WHERE_FULL.toMillis());
    server.addBean(limit);
    try {
      connector.open(port.channel());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return connector;
  }

  /** At most half of the open files: a worker's programs and its database need some, too. */
  private static int mostConnections() {
    return ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean unix
        ? (int) Math.min(MOST_CONNECTIONS, unix.getMaxFileDescriptorCount() / 2)
        : MOST_CONNECTIONS;
  }

  public int port() {
    return javalin.port();
  }

  @Override
  public void close() {
    javalin.stop();
  }
}
