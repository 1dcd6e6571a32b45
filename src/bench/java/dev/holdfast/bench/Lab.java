package dev.holdfast.bench;

import dev.holdfast.limit.LimitDesk;
import dev.holdfast.postgres.ConnectionPool;
import dev.holdfast.postgres.Database;
import dev.holdfast.postgres.SingleConnection;
import dev.holdfast.postgres.bench.BenchSchema;
import dev.holdfast.postgres.bench.RawProbe;
import dev.holdfast.postgres.bench.TicketTables;
import dev.holdfast.postgres.inbox.PostgresLimitDesk;
import dev.holdfast.postgres.inbox.PostgresTicketDesk;
import dev.holdfast.postgres.inbox.PostgresTicketInbox;
import dev.holdfast.queue.NewTicket;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import javax.sql.DataSource;

/**
 * The servers, tables and clocks that every cell works with. Used by one thread, but any thread may
 * close it.
 */
final class Lab implements AutoCloseable {
  /** The queue, and the kind, of all tickets that are measured. */
  static final String QUEUE = "bench";

  /** A payload as long as a usual task: 200 bytes of JSON. */
  static final String PAYLOAD = "{\"task\": \"" + "x".repeat(180) + "\"}";

  private static final String ACTOR = "holdfast bench";

  private final Database database;
  private final List<String> program;
  private final BenchOptions options;
  private final Set<AutoCloseable> running = ConcurrentHashMap.newKeySet();
  private final Consumer<String> progress;
  private final DataSource own;
  private final TicketTables tables;
  private final RawProbe probe;
  private final TimeLeft left = new TimeLeft(InstantSource.system());
  private boolean warm;

  Lab(Database database, List<String> program, BenchOptions options, Consumer<String> progress) {
    this.program = List.copyOf(program);
    this.database = database.withApplicationName(BenchSchema.APPLICATION);
    this.options = options;
    this.progress = progress;
    this.own = keep(new SingleConnection(direct()));
    this.tables = new TicketTables(own);
    this.probe = new RawProbe(direct(), own);
  }

  BenchOptions options() {
    return options;
  }

  Database database() {
    return database;
  }

  /** Returns the command that starts Holdfast in another process. */
  List<String> program() {
    return program;
  }

  /**
   * Returns the command that starts Java in another process, with the options that Holdfast is
   * started with.
   */
  List<String> java() {
    return program.stream().takeWhile(word -> !word.equals("-jar") && !word.equals("-cp")).toList();
  }

  TicketTables tables() {
    return tables;
  }

  RawProbe probe() {
    return probe;
  }

  /**
   * Returns one connection for everything that is not measured: tables are filled, emptied and
   * looked at hundreds of times, and connecting would take the longest.
   */
  DataSource own() {
    return own;
  }

  /** Returns a new connection per call, without a time limit. */
  DataSource direct() {
    return database.unpooled();
  }

  ConnectionPool pool(int size) {
    return database.withPoolSize(size).pool();
  }

  PostgresTicketInbox inbox(DataSource dataSource) {
    return new PostgresTicketInbox(
        dataSource, BenchSchema.NAME, PostgresTicketInbox.DEFAULT_MAX_PAYLOAD_BYTES);
  }

  void pause() {
    desk().pauseQueue(QUEUE, ACTOR);
  }

  void resume() {
    desk().resumeQueue(QUEUE, ACTOR);
  }

  private PostgresTicketDesk desk() {
    return new PostgresTicketDesk(own, BenchSchema.NAME);
  }

  static NewTicket ticket() {
    return NewTicket.ofKind(QUEUE).withQueue(QUEUE).withPayload(PAYLOAD);
  }

  /** Enqueues tickets as a program would add many. */
  void enqueue(int tickets, NewTicket like) {
    enqueue(tickets, i -> like);
  }

  void enqueue(int tickets, IntFunction<NewTicket> like) {
    inbox(own).enqueueAll(IntStream.range(0, tickets).mapToObj(like).iterator());
  }

  LimitDesk limits() {
    return new PostgresLimitDesk(own, BenchSchema.NAME);
  }

  /** Returns the actor that sets limits for the benchmark. */
  static String actor() {
    return ACTOR;
  }

  /** Prints a line of progress; numbers look the same under every locale. */
  void say(String format, Object... values) {
    progress.accept(String.format(Locale.ROOT, format, values));
  }

  /**
   * Prints a line of progress for each round, with the time that the next ones will take.
   *
   * @param what is measured in rounds
   * @param round from 1
   */
  void round(String what, int round, int rounds, String format, Object... values) {
    say(
        "%s, round %d of %d: %s%s",
        what, round, rounds, String.format(Locale.ROOT, format, values), left.after(round, rounds));
    if (round == rounds) {
      left.begin();
    }
  }

  /** Begins the next cell. */
  void begin() {
    left.begin();
  }

  /** Keeps a resource that outlives a crash of this process, until {@link #forget}. */
  <T extends AutoCloseable> T keep(T opened) {
    running.add(opened);
    return opened;
  }

  void forget(AutoCloseable closed) {
    running.remove(closed);
  }

  /** Closes what was kept. */
  @Override
  public void close() {
    for (AutoCloseable each : running) {
      try {
        each.close();
      } catch (Exception e) {
        say("while cleaning up: %s", e);
      }
    }
  }

  /** Lets worker and probe reach the speed that they keep, once per process. */
  void warmUp() throws InterruptedException {
    if (warm || options.warmUp() == 0) {
      return;
    }
    warm = true;
    say("warming up with %d tickets each ...", options.warmUp());
    RawRun.of(this, options.warmUp()).rate();
    DrainRun.noOp(this, options.warmUp()).run(this);
    left.begin();
  }

  /**
   * Estimates the time for the rest of the parts of a whole, if they take as long as those before.
   */
  static final class TimeLeft {
    private final InstantSource clock;
    private Instant start;

    TimeLeft(InstantSource clock) {
      this.clock = clock;
      this.start = clock.instant();
    }

    /** Begins another whole. */
    void begin() {
      start = clock.instant();
    }

    /**
     * @return the time with a comma before it; empty if nothing is done yet, or all is
     */
    String after(int done, int of) {
      if (done <= 0 || done >= of) {
        return "";
      }
      long seconds =
          Math.round(
              Duration.between(start, clock.instant()).toMillis() / 1000.0 / done * (of - done));
      return ", about "
          + (seconds < 60
              ? seconds + " s"
              : String.format(Locale.ROOT, "%d min %d s", seconds / 60, seconds % 60))
          + " left";
    }
  }
}
