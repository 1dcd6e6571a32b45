package dev.holdfast.postgres.read;

import dev.holdfast.postgres.RecordMapper;
import dev.holdfast.postgres.Sql;
import dev.holdfast.postgres.Transactions;
import dev.holdfast.queue.read.TicketFeed;
import dev.holdfast.queue.read.TimelineEntry;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import javax.sql.DataSource;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/**
 * Reads the ends of five tables. Ids and times are given before a commit, so rows may appear behind
 * the newest one: each read overlaps the one before by some seconds, and rows that were returned
 * already are left out.
 */
public final class PostgresTicketFeed implements TicketFeed {
  private static final Duration OVERLAP = Duration.ofSeconds(2);
  private static final int LIMIT = 10_000;

  private static final String ENDS =
      """
      SELECT (SELECT COALESCE(max(id), 0) FROM holdfast.ticket_base) AS tickets,
        (SELECT COALESCE(max(id), 0) FROM holdfast.ticket_activity) AS activity,
        (SELECT COALESCE(max(id), 0) FROM holdfast.leases) AS leases,
        (SELECT COALESCE(max(id), 0) FROM holdfast.session_events) AS sessions,
        clock_timestamp() AS since
      """;

  /**
   * The position as it was a moment ago: rows with a lower id may not be committed yet. It looks
   * among the last rows, because more are not read at once anyway.
   */
  private static final String SETTLED =
      """
      SELECT
        (SELECT COALESCE(max(id) FILTER (WHERE created_at < m.since), min(id) - 1, 0)
         FROM (SELECT id, created_at FROM holdfast.ticket_base ORDER BY id DESC LIMIT :limit) x) AS tickets,
        (SELECT COALESCE(max(id) FILTER (WHERE created_at < m.since), min(id) - 1, 0)
         FROM (SELECT id, created_at FROM holdfast.ticket_activity ORDER BY id DESC LIMIT :limit) x) AS activity,
        (SELECT COALESCE(max(id) FILTER (WHERE claimed_at < m.since), min(id) - 1, 0)
         FROM (SELECT id, claimed_at FROM holdfast.leases ORDER BY id DESC LIMIT :limit) x) AS leases,
        (SELECT COALESCE(max(id) FILTER (WHERE at < m.since), min(id) - 1, 0)
         FROM (SELECT id, at FROM holdfast.session_events ORDER BY id DESC LIMIT :limit) x) AS sessions,
        m.since
      FROM (SELECT clock_timestamp() - make_interval(secs => :overlap) AS since) m
      """;

  private static final String HIGHEST =
      """
      SELECT (SELECT COALESCE(max(id), 0) FROM holdfast.ticket_base) AS tickets,
        (SELECT COALESCE(max(id), 0) FROM holdfast.ticket_activity) AS activity,
        (SELECT COALESCE(max(id), 0) FROM holdfast.session_events) AS sessions,
        clock_timestamp() AS now
      """;

  private final Transactions transactions;
  private final String read;
  private final String highestIds;
  private final String settledPosition;
  private final @Nullable Long ticketId;
  private Position position;
  private Set<Identity> told = new HashSet<>();

  /** The position to read from: ids, and a time of the database's clock. */
  public record Position(
      long tickets, long activity, long leases, long sessions, OffsetDateTime since) {
    private static final int MICROS = 1_000_000;

    /** Returns the same as text. */
    String text() {
      long micros = since.toEpochSecond() * MICROS + since.getNano() / 1_000;
      return tickets + "." + activity + "." + leases + "." + sessions + "." + micros;
    }

    /** Returns the position; empty if the text is none. */
    static Optional<Position> parse(String text) {
      if (!text.matches("[0-9]{1,18}(\\.[0-9]{1,18}){4}")) {
        return Optional.empty();
      }
      long[] parts = Arrays.stream(text.split("\\.")).mapToLong(Long::parseLong).toArray();
      Instant since = Instant.EPOCH.plus(parts[4], ChronoUnit.MICROS);
      return since.isAfter(Instant.parse("9999-01-01T00:00:00Z"))
          ? Optional.empty()
          : Optional.of(
              new Position(parts[0], parts[1], parts[2], parts[3], since.atOffset(ZoneOffset.UTC)));
    }
  }

  private record Identity(String source, long no, long ticketId) {
    String text() {
      return source + "-" + no + "-" + ticketId;
    }
  }

  /** The highest ids that exist. */
  public record Highest(long tickets, long activity, long sessions, OffsetDateTime now) {
    boolean isBehind(Position position) {
      return tickets < position.tickets
          || activity < position.activity
          || sessions < position.sessions;
    }
  }

  /** A row of the statement. */
  public record Row(
      String source,
      long no,
      long ticketId,
      OffsetDateTime at,
      String event,
      @Nullable String actor,
      @Nullable String details) {}

  /**
   * Opens the feed at the present.
   *
   * @param ticketId null for all tickets
   */
  public PostgresTicketFeed(DataSource dataSource, String schema, @Nullable Long ticketId) {
    this(new Transactions(dataSource), new Sql(schema), ticketId);
  }

  private PostgresTicketFeed(Transactions transactions, Sql sql, @Nullable Long ticketId) {
    this(transactions, sql, ticketId, settled(transactions, sql));
    events();
  }

  /**
   * Opens a feed of all tickets at the present: rows that are there already count as told, and rows
   * that commit from now on do not, whenever they got their id.
   */
  static PostgresTicketFeed atPresent(Transactions transactions, Sql sql) {
    return new PostgresTicketFeed(transactions, sql, null);
  }

  private static Position settled(Transactions transactions, Sql sql) {
    String query = sql.inSchema(SETTLED);
    return transactions.runStatement(handle -> settled(handle, query));
  }

  private static Position settled(Handle handle, String query) {
    return handle
        .createQuery(query)
        .bind("limit", LIMIT)
        .bind("overlap", OVERLAP.toSeconds())
        .map(RecordMapper.of(Position.class))
        .one();
  }

  /** Opens a feed at the place of another one. */
  PostgresTicketFeed(
      Transactions transactions, Sql sql, @Nullable Long ticketId, Position position) {
    this.transactions = transactions;
    this.read = sql.load("ticket_feed");
    this.highestIds = sql.inSchema(HIGHEST);
    this.settledPosition = sql.inSchema(SETTLED);
    this.ticketId = ticketId;
    this.position = position;
  }

  /** Returns the position of a feed that is opened now. */
  static Position present(Transactions transactions, Sql sql) {
    String query = sql.inSchema(ENDS);
    return transactions.runStatement(
        handle -> handle.createQuery(query).map(RecordMapper.of(Position.class)).one());
  }

  @Override
  public List<Event> events() {
    return transactions.runStatement(this::read);
  }

  @Override
  public String position() {
    return position.text();
  }

  private List<Event> read(Handle handle) {
    Highest there = handle.createQuery(highestIds).map(RecordMapper.of(Highest.class)).one();
    long claimed = 0;
    if (there.isBehind(position)) {
      claimed = position.leases;
      position = lower(settled(handle, settledPosition));
    }
    OffsetDateTime now = there.now;
    OffsetDateTime settled = now.minus(OVERLAP);
    // The clock was ahead: a ticket that finishes before that time comes would never be told.
    OffsetDateTime since = position.since.isAfter(now) ? settled : position.since;
    List<Row> rows =
        handle
            .createQuery(read)
            .bind("tickets", position.tickets)
            .bind("activity", position.activity)
            .bind("leases", position.leases)
            .bind("sessions", position.sessions)
            .bind("since", since)
            .bind("ticket", ticketId)
            .bind("limit", LIMIT)
            .map(RecordMapper.of(Row.class))
            .list();
    rememberTold(rows, claimed, since);
    String before = position.text();
    position = after(rows, since, settled);
    return untold(rows, before);
  }

  /**
   * Lowers the position because the newest rows are gone, as after a restore or if a standby was
   * promoted without them: their ids are given again.
   */
  private Position lower(Position present) {
    return new Position(
        Math.min(position.tickets, present.tickets),
        Math.min(position.activity, present.activity),
        Math.min(position.leases, present.leases),
        Math.min(position.sessions, present.sessions),
        position.since);
  }

  /**
   * Notes rows that were told. A lease that has ended leaves no id behind, so a claim before the
   * position may be read again.
   */
  private void rememberTold(List<Row> rows, long claimed, OffsetDateTime since) {
    rows.stream()
        .filter(row -> row.source.equals("claimed") && row.no <= claimed && row.at.isBefore(since))
        .forEach(row -> told.add(new Identity(row.source, row.no, row.ticketId)));
  }

  private List<Event> untold(List<Row> rows, String before) {
    List<Event> events = new ArrayList<>();
    Set<Identity> now = new HashSet<>();
    for (Row row : rows) {
      Identity identity = new Identity(row.source, row.no, row.ticketId);
      if (now.add(identity) && !told.contains(identity)) {
        TimelineEntry entry =
            new TimelineEntry(row.ticketId, row.at.toInstant(), row.event, row.actor, row.details);
        events.add(new Event(identity.text(), before, entry));
      }
    }
    told = now;
    return events;
  }

  private Position after(List<Row> rows, OffsetDateTime from, OffsetDateTime settled) {
    OffsetDateTime since = from.isAfter(settled) ? from : settled;
    List<Row> finished = rows.stream().filter(row -> row.source.equals("finished")).toList();
    if (finished.size() >= LIMIT && finished.getLast().at.isBefore(since)) {
      since = finished.getLast().at;
    }
    return new Position(
        last(rows, "created", position.tickets, settled),
        last(rows, "activity", position.activity, settled),
        last(rows, "claimed", position.leases, settled),
        last(rows, "session", position.sessions, settled),
        since);
  }

  /**
   * Returns the highest number among rows that are old enough to have no late neighbours; among all
   * rows, if they are too many to read again.
   */
  private static long last(List<Row> rows, String source, long before, OffsetDateTime settled) {
    List<Row> ours = rows.stream().filter(row -> row.source.equals(source)).toList();
    boolean full = ours.size() >= LIMIT;
    return ours.stream()
        .filter(row -> full || row.at.isBefore(settled))
        .mapToLong(Row::no)
        .reduce(before, Math::max);
  }
}
