package dev.holdfast.app;

import dev.holdfast.config.Settings;
import dev.holdfast.postgres.ConnectionPool;
import dev.holdfast.postgres.Database;
import dev.holdfast.postgres.Migrations;
import dev.holdfast.postgres.embedded.EmbeddedServer;
import dev.holdfast.postgres.embedded.EmbeddedServerOptions;
import dev.holdfast.postgres.inbox.PostgresDesignStore;
import dev.holdfast.postgres.inbox.PostgresTicketDesk;
import dev.holdfast.postgres.inbox.PostgresTicketInbox;
import dev.holdfast.postgres.read.PostgresTicketReader;
import dev.holdfast.queue.NewTicket;
import dev.holdfast.queue.TicketDesk;
import dev.holdfast.queue.read.TicketReader;
import dev.holdfast.queue.read.TicketRow;
import dev.holdfast.ticket.HoldfastException;
import dev.holdfast.ticket.TicketState;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * {@code holdfast demo}: a real database, a real worker, sample tickets, and somebody who decides.
 */
final class Demo implements AutoCloseable {
  private static final long LOOK_EVERY_MILLIS = 150;
  private static final Duration LONGEST = Duration.ofMinutes(5);
  private static final String ACTOR = "demo";

  /** A sample ticket under way; {@code step} is the next of its steps. */
  private static final class Tracked {
    final DemoTicket sample;
    final long id;
    int step;
    TicketState state = TicketState.READY;
    @Nullable TicketRow seen;

    Tracked(DemoTicket sample, long id) {
      this.sample = sample;
      this.id = id;
    }

    boolean settled() {
      return step == sample.steps().size() && state == sample.end();
    }
  }

  private final PrintWriter out;
  private final EmbeddedServer server;
  private final StartedParts parts;
  private final ConnectionPool pool;
  private final TicketDesk desk;
  private final TicketReader reader;
  private final List<Tracked> tickets = new ArrayList<>();
  private final DemoScreen screen;
  private final CountDownLatch stop = new CountDownLatch(1);

  private Demo(PrintWriter out, EmbeddedServer server, ConnectionPool pool, StartedParts parts) {
    this.out = out;
    this.server = server;
    this.pool = pool;
    this.parts = parts;
    this.desk = new PostgresTicketDesk(pool.dataSource());
    this.reader = new PostgresTicketReader(pool.dataSource());
    enqueue();
    this.screen = new DemoScreen(out, row(tickets.getFirst()).createdAt());
  }

  /**
   * Brings everything up and enqueues the samples.
   *
   * @param home where the data is kept, usually {@code .holdfast}
   * @throws HoldfastException if that is not possible; the message says what to do
   */
  static Demo start(PrintWriter out, Settings settings, Path home) {
    out.println(
        EmbeddedServer.running(home).isPresent()
            ? "PostgreSQL: using the embedded server that runs in "
                + home
                + "; what the demo adds stays in it"
            : "PostgreSQL: starting an embedded server in " + home + " ...");
    out.flush();
    StartedParts parts = new StartedParts();
    try {
      return start(out, settings, home, parts);
    } catch (RuntimeException | Error e) {
      parts.closeAfter(e);
      throw e;
    }
  }

  private static Demo start(PrintWriter out, Settings settings, Path home, StartedParts parts) {
    EmbeddedServer server =
        parts.add(
            EmbeddedServer.start(EmbeddedServerOptions.in(home), address -> prepare(out, address)),
            EmbeddedServer::close);
    Database database = database(server.address());
    ConnectionPool pool =
        parts.add(
            database.withPoolSize(2).withApplicationName("holdfast-demo").pool(),
            ConnectionPool::close);
    DemoJobs.install(home, new PostgresDesignStore(pool.dataSource()));
    EmbeddedServer.Address own = server.address();
    Settings used = settings.withOwnDatabase(own.directory(), own.password());
    WorkerProcess worker =
        parts.add(
            WorkerProcess.start(
                onFreePort(DemoAgent.with(used, home)), database, event -> {}, home),
            WorkerProcess::close);
    out.printf(
        Locale.ROOT,
        "Worker:     %s%nSandbox:    %s%nConsole:    %s%n%n",
        worker.workerId(),
        worker.sandbox().sentence(),
        worker.entrance());
    return new Demo(out, server, pool, parts);
  }

  private static void prepare(PrintWriter out, EmbeddedServer.Address address) {
    Migrations.Result migrated = Migrations.migrate(database(address).unpooled());
    out.printf("PostgreSQL: %s, schema version %s%n", address.jdbcUrl(), migrated.version());
  }

  /**
   * Takes a free port if something else has the configured one. A first look must not fail because
   * something else has port 8080.
   */
  private static Settings onFreePort(Settings settings) {
    try (ServerSocket probe = new ServerSocket()) {
      probe.bind(new InetSocketAddress(settings.web().host(), settings.web().port()));
      return settings;
    } catch (IOException e) {
      return settings.withWeb(settings.web().withPort(0));
    }
  }

  static Database database(EmbeddedServer.Address address) {
    return new Database(address.jdbcUrl(), address.user(), address.password(), 10, "holdfast");
  }

  private void enqueue() {
    PostgresTicketInbox inbox = new PostgresTicketInbox(pool.dataSource());
    for (DemoTicket sample : DemoTicket.all()) {
      Duration delay = sample.delay().isZero() ? null : sample.delay();
      NewTicket ticket =
          NewTicket.ofDesign(DemoJobs.design(sample.job()))
              .withTitle(sample.title())
              .withPayload(sample.payload())
              .withDelay(delay);
      tickets.add(new Tracked(sample, inbox.enqueue(ticket)));
    }
    tickets.forEach(
        each ->
            out.printf(
                Locale.ROOT,
                "  #%-4d %-13s %s%n",
                each.id,
                each.sample.job(),
                each.sample.title()));
    out.println();
    out.flush();
  }

  /** Shows what happens until {@link #stop}. */
  void run() throws InterruptedException {
    boolean told = false;
    do {
      look();
      if (!told && settled()) {
        told = true;
        explain();
        out.println("Ctrl-C ends the demo; the data stays in .holdfast for the next one.");
        out.flush();
      }
    } while (!stop.await(LOOK_EVERY_MILLIS, TimeUnit.MILLISECONDS));
  }

  /**
   * Shows events until every sample has reached its last state.
   *
   * @return false if one is not after five minutes
   */
  boolean runUntilDone() throws InterruptedException {
    long deadline = System.nanoTime() + LONGEST.toNanos();
    while (!settled() && System.nanoTime() - deadline < 0) {
      look();
      if (stop.await(LOOK_EVERY_MILLIS, TimeUnit.MILLISECONDS)) {
        return false;
      }
    }
    // There is no explain() here: a person who follows it finds the database gone.
    out.println(
        "Ends by itself; without --exit-when-done it stays, and says what to look at and decide.");
    for (Tracked each : tickets) {
      if (!each.settled()) {
        out.printf(
            Locale.ROOT,
            "#%d is %s; it should be %s%n",
            each.id,
            each.state.wireName(),
            each.sample.end().wireName());
      }
    }
    out.flush();
    return settled();
  }

  private boolean settled() {
    return tickets.stream().allMatch(Tracked::settled);
  }

  /**
   * Looks at the tickets, but not while this is closed: the one who ends it takes the database
   * away.
   */
  private synchronized void look() {
    if (stop.getCount() == 0) {
      return;
    }
    for (Tracked each : tickets) {
      TicketRow row = row(each);
      if (row.equals(each.seen)) {
        continue;
      }
      each.seen = row;
      screen.show(row, each.sample.job(), reader.timeline(each.id));
      each.state = TicketState.ofWireName(row.state()).orElseThrow();
      act(each);
    }
  }

  private TicketRow row(Tracked ticket) {
    return reader
        .find(ticket.id)
        .orElseThrow(() -> new HoldfastException("ticket " + ticket.id + " was deleted"));
  }

  private void act(Tracked ticket) {
    if (ticket.step == ticket.sample.steps().size()) {
      return;
    }
    DemoTicket.Step step = ticket.sample.steps().get(ticket.step);
    if (step.when() != ticket.state) {
      return;
    }
    ticket.step++;
    ticket.state =
        switch (step.action()) {
          case DemoTicket.Action.Approve approve -> desk.approve(ticket.id, ACTOR);
          case DemoTicket.Action.Reject reject -> desk.reject(ticket.id, ACTOR, reject.feedback());
          case DemoTicket.Action.Release release ->
              desk.release(ticket.id, ACTOR, release.guidance(), TicketDesk.Retries.RESET);
          case DemoTicket.Action.Cancel cancel -> desk.cancel(ticket.id, ACTOR, cancel.reason());
        };
  }

  private void explain() {
    EmbeddedServer.Address address = server.address();
    out.printf(
        "%nLook at the tables:%n  psql '%s'%n",
        address.url(address.user() + ":" + address.password()));
    out.println("  SELECT * FROM holdfast.on_hold_tickets;");
    for (Tracked each : tickets) {
      if (each.state == TicketState.DONE && each.sample.job().equals(DemoAgent.JOB)) {
        out.printf(
            Locale.ROOT,
            "%nWhat the agent reports, with a scripted model:%n  %s show %d%nWith a real"
                + " one: set OPENAI_API_KEY and see docs/agents.md.%n",
            called(),
            each.id);
      }
      if (each.state == TicketState.ON_HOLD && each.sample.job().equals("guided")) {
        out.printf(
            Locale.ROOT,
            "%nDecide: in another terminal, in this directory%n  %s show %d%n  %s release %d"
                + " --guidance '%s'%n",
            called(),
            each.id,
            called(),
            each.id,
            DemoTicket.GUIDANCE);
      }
    }
    out.println();
    out.flush();
  }

  /** Returns what to type for this program; its launcher sets it. */
  private static String called() {
    String called = System.getProperty("holdfast.called", "holdfast");
    return called.matches("[\\w./~+-]+") ? called : "'" + called.replace("'", "'\\''") + "'";
  }

  void stop() {
    stop.countDown();
  }

  /** Drains the worker and stops the server; the data stays. */
  @Override
  public void close() {
    stop();
    closeParts();
  }

  private synchronized void closeParts() {
    parts.close();
  }
}
