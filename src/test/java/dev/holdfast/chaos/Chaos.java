package dev.holdfast.chaos;

import dev.holdfast.e2e.Installation;
import dev.holdfast.testing.TicketDatabase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One run of a cell: workers and a load on a server of their own, a while in which nothing is
 * wrong, a while in which much is, and a while in which all comes to rest. The seed decides what is
 * done to whom and when, though not which of two wins.
 */
final class Chaos implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(90);

  /** The longest time that Holdfast by itself leaves a provider alone, and more. */
  private static final Duration REAL_PATIENCE = Duration.ofMinutes(7);

  private static final Duration IMPATIENCE = Duration.ofSeconds(60);
  private static final int LOOK_MILLIS = 100;

  /** By its reason a person sees that nothing was wrong with the ticket. */
  private static final String RELEASE =
      "SELECT holdfast.release_ticket(id, 'chaos', 'go on') FROM holdfast.tickets WHERE id = ANY"
          + " (?) AND state = 'on_hold' AND (hold_reason LIKE 'Its worker died%' OR hold_reason"
          + " LIKE 'Unknown whether%')";

  final Options options;
  final Random random;
  final Site site;
  final TicketDatabase database;
  final Faults faults = new Faults();
  final Installation holdfast;
  final Crew crew;
  final Load load;
  final Path jobs;
  private final Ghost ghost;
  private final Ledger ledger;
  private @Nullable Relay relay;
  private int released;

  Chaos(Options options, Path directory) throws IOException {
    this.options = options;
    this.random = new Random(options.seed());
    this.jobs = Files.createDirectory(directory.resolve("jobs"));
    this.site = Site.start(directory.resolve("server"));
    this.database = new TicketDatabase(site.dataSource());
    this.ghost = new Ghost(database);
    this.ledger = new Ledger(database);
    this.load = new Load(site.dataSource(), new Random(options.seed()), options.perSecond());
    this.holdfast =
        new Installation(jobs)
            .with("HOLDFAST_DATABASE_URL", site.jdbcUrl())
            .with("HOLDFAST_DATABASE_USER", site.user())
            .with("HOLDFAST_DATABASE_PASSWORD", site.password())
            .with("HOLDFAST_DATABASE_POOL_SIZE", "4")
            .with("HOLDFAST_WORKER_CONCURRENCY", "20")
            .with("HOLDFAST_WORKER_POLL_INTERVAL", "100ms")
            .with("HOLDFAST_WORKER_LEASE", "5s")
            .with("HOLDFAST_WORKER_HEARTBEAT_INTERVAL", "1s")
            .with("HOLDFAST_WORKER_RESCUE_INTERVAL", "500ms")
            .with("HOLDFAST_WORKER_DRAIN_TIMEOUT", "3s")
            .with("HOLDFAST_RETRY_CATEGORIES_SYSTEM_ERROR_BASE_DELAY", "200ms");
    this.crew = new Crew(holdfast, faults);
  }

  Report run(Cell cell) throws Exception {
    site.prepare();
    Jobs.define(database, jobs);
    options.without().remove(database);
    options.without().remove(holdfast);
    cell.prepare(this);
    crew.start(cell.workers());
    ghost.start();
    load.start();
    awaitDone(1);
    pass(Duration.ofSeconds(1));
    Instant calm = Instant.now();
    pass(options.baseline());
    Instant storm = Instant.now();
    cell.rage(this);
    Instant end = Instant.now();
    Instant over = faults.lastEnd().isAfter(storm) ? faults.lastEnd() : end;
    pass(options.baseline());
    load.stop();
    settle();
    ghost.stop();
    long stale = crew.staleResults();
    ledger.take(load.acknowledged().values(), Jobs.written(jobs), faults.all(), crew.logs());
    Pace pace = new Pace(ledger.doneAt());
    // What had waited for the workers to start is not the rate at which tickets come.
    double baseline = Math.min(pace.rate(calm, storm), options.perSecond());
    Report report =
        new Report(
            options,
            ledger.account(),
            faults.all().size(),
            stale,
            ghost.refused(),
            ghost.accepted(),
            released,
            baseline,
            pace.rate(storm, end),
            pace.recovery(over, baseline));
    report.publish();
    report.verify(cell.goesOn());
    cell.check(this);
    return report;
  }

  /** Between the workers of a cell and the server, from the time on that it is asked for. */
  Relay relay() throws IOException {
    Relay known = relay;
    if (known == null) {
      known = new Relay(site.port());
      relay = known;
      holdfast.with(
          "HOLDFAST_DATABASE_URL",
          site.jdbcUrl().replace(":" + site.port() + "/", ":" + known.port() + "/"));
    }
    return known;
  }

  /** Why executions that did not end their ticket did not. */
  List<String> reasons() {
    return database.column("SELECT reason FROM chaos.reasons WHERE reason IS NOT NULL");
  }

  /** How many tickets were done in a while. */
  long done(Instant from, Instant to) {
    return database.number(
        "SELECT count(*) FROM chaos.changes WHERE new_state = 'done' AND at BETWEEN ?::timestamptz"
            + " AND ?::timestamptz",
        from.toString(),
        to.toString());
  }

  /** Of all workers there were. */
  String logs() {
    return String.join("\n", crew.logs());
  }

  /** As a person does who has seen to what the ticket was held for. */
  void release(long id) {
    released +=
        database
            .column(
                "SELECT holdfast.release_ticket(id, 'chaos') FROM holdfast.tickets WHERE id = ? AND"
                    + " state = 'on_hold'",
                id)
            .size();
  }

  /** Lets time go by. */
  void pass(Duration time) throws InterruptedException {
    if (new CountDownLatch(1).await(time.toMillis(), TimeUnit.MILLISECONDS)) {
      throw new IllegalStateException("nobody counts down");
    }
  }

  void passUntil(Instant time) throws InterruptedException {
    Duration left = Duration.between(Instant.now(), time);
    if (left.isPositive()) {
      pass(left);
    }
  }

  /** A part of the time in which things go wrong, more or less as the seed says. */
  Duration about(Duration mean) {
    return Duration.ofMillis((long) (mean.toMillis() * (0.7 + 0.6 * random.nextDouble())));
  }

  /** When the time is over in which things go wrong; to be asked for at its beginning. */
  Instant end() {
    return Instant.now().plus(options.length());
  }

  private void awaitDone(int count) throws InterruptedException {
    String done = "SELECT count(*) >= ? FROM chaos.changes WHERE new_state = 'done'";
    Instant deadline = Instant.now().plus(PATIENCE);
    while (!database.value(done, count).equals("t")) {
      if (Instant.now().isAfter(deadline)) {
        throw new AssertionError("the workers do not work: " + crew.workers());
      }
      pass(Duration.ofMillis(LOOK_MILLIS));
    }
  }

  /**
   * Waits until all tickets are done, as long as some are, or sessions go on; those that are held
   * for deaths of ours are let go on.
   */
  private void settle() throws InterruptedException {
    Duration patience =
        options.real()
            ? REAL_PATIENCE
            : options.without() == Protection.NOTHING ? PATIENCE : IMPATIENCE;
    Instant deadline = Instant.now().plus(patience);
    List<Long> all = List.copyOf(load.acknowledged().values());
    long steps = 0;
    for (long left = Long.MAX_VALUE; left > 0 && Instant.now().isBefore(deadline); ) {
      released += database.column(RELEASE, (Object) all.toArray(Long[]::new)).size();
      pass(Duration.ofMillis(LOOK_MILLIS));
      long open = open(all);
      long now = database.number("SELECT count(*) FROM holdfast.session_journal");
      deadline = open < left || now > steps ? Instant.now().plus(patience) : deadline;
      left = open;
      steps = now;
    }
  }

  private long open(List<Long> ids) {
    return database.number(
        "SELECT count(*) FROM holdfast.ticket_base WHERE id = ANY (?) AND state <> 'done'",
        (Object) ids.toArray(Long[]::new));
  }

  @Override
  public void close() throws Exception {
    ghost.close();
    load.close();
    crew.close();
    if (relay != null) {
      relay.close();
    }
    site.close();
  }
}
