package dev.holdfast.postgres.inbox;

import dev.holdfast.postgres.DriverConnection;
import dev.holdfast.postgres.Sql;
import dev.holdfast.postgres.SqlErrors;
import dev.holdfast.queue.Expiry;
import dev.holdfast.queue.NewTicket;
import dev.holdfast.queue.TicketInbox.Named;
import dev.holdfast.queue.Uniqueness;
import dev.holdfast.ticket.HoldfastException;
import dev.holdfast.ticket.IllegalTransitionException;
import dev.holdfast.ticket.InvalidInputException;
import dev.holdfast.ticket.NotFoundException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.postgresql.copy.CopyManager;

/**
 * Copies tickets into the database in chunks, inside the transaction that is open on its
 * connection. A chunk without unique keys goes straight into its table; one with such keys goes
 * through a temporary table, because COPY knows no ON CONFLICT. What COPY cannot do at all (waiting
 * for others, keys that hold for a time) is left to the database ticket by ticket, a list at a
 * time. For one use by one thread.
 */
final class TicketCopy {
  private static final int CHUNK_ROWS = 10_000;
  private static final int CHUNK_CHARS = 8 << 20;
  private static final int SPECIAL_ROWS = 1_000;
  private static final Pattern LINE = Pattern.compile("COPY \\w+, line (\\d+)");
  private static final Pattern PLACE = Pattern.compile("^ticket (\\d+) of the list:? ");

  /**
   * The parts of a design that are used.
   *
   * @param expiry null if its tickets do not expire
   */
  private record DesignKey(long id, String kind, @Nullable Duration expiry) {}

  private final Connection connection;
  private final Sql sql;
  private final NewTicketRules rules;
  private final @Nullable Long batchId;
  private final CopyManager copyManager;
  private final Map<String, DesignKey> designs = new HashMap<>();
  private final StringBuilder chunk = new StringBuilder();
  private final List<Named> special = new ArrayList<>();
  private int specialChars;
  private int chunkRows;
  private boolean chunkHasKeys;
  private boolean hasStage;
  private final boolean mayWriteTable;
  private long position;
  private @Nullable Instant now;
  private @Nullable String traceparent;

  /**
   * @param batchId the open batch of all tickets; null is none
   */
  TicketCopy(Connection connection, Sql sql, NewTicketRules rules, @Nullable Long batchId)
      throws SQLException {
    this.connection = connection;
    this.sql = sql;
    this.rules = rules;
    this.batchId = batchId;
    this.copyManager = DriverConnection.of(connection).getCopyAPI();
    this.mayWriteTable =
        sql.number(
                connection, "SELECT has_table_privilege('holdfast.ticket_base', 'INSERT')::integer")
            == 1;
  }

  /**
   * @return how many were added
   * @throws InvalidInputException that names the first bad ticket by its position
   */
  long copyAll(Iterator<NewTicket> tickets) throws SQLException {
    long added = 0;
    while (tickets.hasNext()) {
      NewTicket ticket = tickets.next();
      boolean isSpecial = isSpecial(ticket);
      // We flush the other kind first to keep their order, because a key may come twice.
      added += isSpecial ? flush() : flushSpecial();
      position++;
      append(ticket, isSpecial);
      if (chunkRows == CHUNK_ROWS || chunk.length() >= CHUNK_CHARS) {
        added += flush();
      } else if (special.size() == SPECIAL_ROWS || specialChars >= CHUNK_CHARS) {
        added += flushSpecial();
      }
    }
    return added + flush() + flushSpecial();
  }

  private boolean isSpecial(NewTicket ticket) {
    if (position == 0) {
      traceparent = ticket.traceparent();
    }
    return !ticket.after().isEmpty()
        || ticket.afterBatch() != null
        || ticket.batchId() != null
        || !ticket.uniqueness().equals(Uniqueness.USUAL)
        || hasTraceOfItsOwn(ticket);
  }

  /**
   * Returns whether its trace differs from the first ticket's. In a batch, tickets without a trace
   * have the first one's, too.
   */
  private boolean hasTraceOfItsOwn(NewTicket ticket) {
    return ticket.traceparent() == null
        ? batchId == null && traceparent != null
        : !ticket.traceparent().equals(traceparent);
  }

  /** Returns the traceparent of the first ticket; null for none. */
  @Nullable String traceparent() {
    return traceparent;
  }

  private void append(NewTicket ticket, boolean isSpecial) throws SQLException {
    try {
      int payloadBytes = rules.check(ticket);
      if (isSpecial) {
        if (batchId != null && ticket.batchId() != null) {
          throw new InvalidInputException(
              "it names a batch, and all of these are one; leave its batch out");
        }
        special.add(new Named(null, ticket, List.of()));
        specialChars += payloadBytes;
        return;
      }
      @Nullable DesignKey design = ticket.design() == null ? null : design(ticket.design());
      appendRow(ticket, payloadBytes, design);
    } catch (InvalidInputException e) {
      throw new InvalidInputException(at(position) + e.getMessage());
    } catch (NotFoundException e) {
      throw new NotFoundException(at(position) + e.getMessage());
    }
    chunkRows++;
    chunkHasKeys |= ticket.uniqueKey() != null;
  }

  /**
   * Adds the special tickets; returns the number of new ones: created in this transaction, and not
   * before this call.
   */
  private long flushSpecial() throws SQLException {
    if (special.isEmpty()) {
      return 0;
    }
    long first = position - special.size();
    try {
      long lastId = highestId();
      List<Long> ids = new GraphCall(connection, sql).enqueue(special, batchId);
      return newOnes(connection.createArrayOf("bigint", ids.toArray()), lastId);
    } catch (SQLException e) {
      throw toldWithPosition(SqlErrors.translate(e), first);
    } finally {
      special.clear();
      specialChars = 0;
    }
  }

  private static HoldfastException toldWithPosition(HoldfastException told, long first) {
    String message = String.valueOf(told.getMessage());
    Matcher place = PLACE.matcher(message);
    if (!place.find()) {
      return told;
    }
    String words = at(first + Long.parseLong(place.group(1))) + message.substring(place.end());
    return switch (told) {
      case InvalidInputException bad -> new InvalidInputException(words);
      case NotFoundException missing -> new NotFoundException(words);
      case IllegalTransitionException refused -> new IllegalTransitionException(words);
      default -> told;
    };
  }

  private void appendRow(NewTicket ticket, int payloadBytes, @Nullable DesignKey design)
      throws SQLException {
    column("true", '\t');
    column(design == null ? null : Long.toString(design.id()), '\t');
    @Nullable String kind = kind(ticket, design);
    NewTicketRules.checkCostLimit(kind, ticket.maxCostUsd());
    column(kind, '\t');
    column(ticket.payload(), '\t');
    column(Integer.toString(payloadBytes), '\t');
    column(ticket.queue(), '\t');
    column(ticket.title(), '\t');
    column(Integer.toString(ticket.priority()), '\t');
    @Nullable Instant start = startTime(ticket);
    column(start == null ? null : start.toString(), '\t');
    column(ticket.uniqueKey(), '\t');
    column(ticket.maxCostUsd() == null ? null : ticket.maxCostUsd().toPlainString(), '\t');
    column(endTime(ticket, design), '\t');
    column(ticket.concurrencyKey(), '\t');
    column(ticket.fairnessKey(), '\t');
    column(batchId == null ? null : Long.toString(batchId), '\n');
  }

  /**
   * Returns the end as enqueue_any_ticket does: a design's expiry counts from when the ticket may
   * start.
   */
  private @Nullable String endTime(NewTicket ticket, @Nullable DesignKey design)
      throws SQLException {
    @Nullable Instant end =
        switch (ticket.expiry()) {
          case Expiry.At(Instant time) -> time;
          case Expiry.In(Duration time) -> databaseTime().plus(time);
          case null ->
              design == null || design.expiry() == null
                  ? null
                  : laterOf(databaseTime(), startTime(ticket)).plus(design.expiry());
        };
    if (end == null) {
      return null;
    }
    @Nullable Instant start = startTime(ticket);
    if (!end.isAfter(start == null ? databaseTime() : laterOf(databaseTime(), start))) {
      throw new InvalidInputException(
          "a ticket that expires at " + end + " could never start; let it expire later");
    }
    return end.toString();
  }

  private static Instant laterOf(Instant one, @Nullable Instant other) {
    return other == null || one.isAfter(other) ? one : other;
  }

  /**
   * Returns the kind as kind_of_new_ticket in the database does. A ticket has a design or a kind,
   * as the rules have checked.
   */
  private static @Nullable String kind(NewTicket ticket, @Nullable DesignKey design) {
    @Nullable String kind = ticket.kind();
    if (design == null) {
      return kind;
    }
    if (kind != null && !kind.equals(design.kind())) {
      throw new InvalidInputException(
          "design \"%s\" is of the kind \"%s\", not \"%s\" (Leave the kind out.)"
              .formatted(ticket.design(), design.kind(), kind));
    }
    return design.kind();
  }

  private @Nullable Instant startTime(NewTicket ticket) throws SQLException {
    if (ticket.runAt() != null) {
      return ticket.runAt();
    }
    return ticket.delay() == null ? null : databaseTime().plus(ticket.delay());
  }

  /** Writes one column in COPY's text format. */
  private void column(@Nullable String value, char end) {
    if (value == null) {
      chunk.append("\\N");
    } else {
      escape(value);
    }
    chunk.append(end);
  }

  private void escape(String value) {
    int start = 0;
    for (int i = 0; i < value.length(); i++) {
      char c = value.charAt(i);
      if (c == '\\' || c == '\t' || c == '\n' || c == '\r') {
        chunk.append(value, start, i).append('\\');
        chunk.append(c == '\t' ? 't' : c == '\n' ? 'n' : c == '\r' ? 'r' : c);
        start = i + 1;
      }
    }
    chunk.append(value, start, value.length());
  }

  private long flush() throws SQLException {
    if (chunkRows == 0) {
      return 0;
    }
    long first = position - chunkRows;
    try {
      if (batchId != null || traceparent == null) {
        return copyChunk();
      }
      long before = highestId();
      long copied = copyChunk();
      sql.number(connection, "SELECT holdfast.trace_copied_tickets(?, ?)", before, traceparent);
      return copied;
    } catch (SQLException e) {
      HoldfastException told = SqlErrors.translate(e);
      Matcher line = LINE.matcher(SqlErrors.where(e));
      throw told instanceof InvalidInputException && line.find()
          ? new InvalidInputException(at(first + Long.parseLong(line.group(1))) + told.getMessage())
          : told;
    } finally {
      chunk.setLength(0);
      chunkRows = 0;
      chunkHasKeys = false;
    }
  }

  private long copyChunk() throws SQLException {
    return chunkHasKeys || !mayWriteTable ? copyThroughStage() : copyAndFile();
  }

  /**
   * Returns the highest id of all tickets that are visible now, including those of this
   * transaction.
   */
  private long highestId() throws SQLException {
    return sql.number(connection, "SELECT COALESCE(max(id), 0) FROM holdfast.ticket_base");
  }

  private long copy(String statement) throws SQLException {
    byte[] rows = chunk.toString().getBytes(StandardCharsets.UTF_8);
    try {
      return copyManager.copyIn(sql.load(statement), new ByteArrayInputStream(rows), 1 << 16);
    } catch (IOException e) {
      throw new SQLException(e);
    }
  }

  private long copyAndFile() throws SQLException {
    long lastId =
        sql.number(
            connection,
            "SELECT last_value - (NOT is_called)::integer FROM holdfast.ticket_base_id_seq");
    long copied = copy("copy_tickets");
    long filed = sql.number(connection, "SELECT holdfast.file_copied_tickets(?)", lastId);
    if (filed != copied) {
      throw new IllegalStateException(
          "of " + copied + " tickets copied, " + filed + " were found to be filed");
    }
    return copied;
  }

  private long copyThroughStage() throws SQLException {
    try (Statement statement = connection.createStatement()) {
      if (!hasStage) {
        statement.execute(sql.load("create_ticket_stage"));
        hasStage = true;
      }
      statement.execute("TRUNCATE pg_temp.ticket_stage");
      copy("copy_ticket_stage");
      return mayWriteTable
          ? sql.number(connection, sql.load("insert_staged_tickets"))
          : enqueueStaged(statement);
    }
  }

  private long enqueueStaged(Statement statement) throws SQLException {
    long lastId = highestId();
    Array ids;
    try (ResultSet row = statement.executeQuery(sql.load("enqueue_staged_tickets"))) {
      row.next();
      ids = row.getArray(1);
    }
    return newOnes(ids, lastId);
  }

  /**
   * Counts the ones created in this transaction since; the others are tickets with the same key.
   */
  private long newOnes(Array ids, long lastId) throws SQLException {
    return sql.number(
        connection,
        "SELECT count(*) FROM holdfast.ticket_base WHERE id = ANY (?) AND id > ? AND created_at ="
            + " now()",
        ids,
        lastId);
  }

  private DesignKey design(String name) throws SQLException {
    @Nullable DesignKey known = designs.get(name);
    if (known != null) {
      return known;
    }
    try (PreparedStatement statement =
        connection.prepareStatement(
            sql.inSchema(
                "SELECT d.id, d.kind, (extract(epoch FROM holdfast.design_expiry(d)) *"
                    + " 1000)::bigint FROM holdfast.latest_design(?) d"))) {
      statement.setString(1, name);
      try (ResultSet row = statement.executeQuery()) {
        row.next();
        @Nullable Long expiryMs = row.getObject(3, Long.class);
        DesignKey found =
            new DesignKey(
                row.getLong(1),
                row.getString(2),
                expiryMs == null ? null : Duration.ofMillis(expiryMs));
        designs.put(name, found);
        return found;
      }
    } catch (SQLException e) {
      throw SqlErrors.translate(e);
    }
  }

  private Instant databaseTime() throws SQLException {
    if (now == null) {
      try (Statement statement = connection.createStatement();
          ResultSet row = statement.executeQuery("SELECT now()")) {
        row.next();
        now = row.getObject(1, OffsetDateTime.class).toInstant();
      }
    }
    return now;
  }

  private static String at(long position) {
    return "ticket " + position + ": ";
  }
}
