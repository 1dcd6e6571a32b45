package dev.holdfast.postgres.read;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.queue.read.TicketFeed;
import dev.holdfast.queue.read.TimelineEntry;
import dev.holdfast.testing.EverySetup;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestQueue;
import dev.holdfast.testing.TicketDatabase;
import dev.holdfast.testing.WithDatabase;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/** What a feed tells that is opened while transactions are open. */
@WithDatabase
@EverySetup
class PostgresTicketFeedIT {
  private final TestDatabase testDatabase;
  private final TicketDatabase database;
  private final TestQueue queue;

  PostgresTicketFeedIT(TestDatabase testDatabase) {
    this.testDatabase = testDatabase;
    this.database = new TicketDatabase(testDatabase);
    this.queue = TestQueue.on(database);
  }

  @Test
  @DisplayName(
      "a ticket that got its id before the feed was opened and commits after it is told, and what"
          + " was there before is not")
  void lowerId() throws SQLException {
    // Makes the lane: whoever does that in an open transaction lets all others of it wait.
    queue.enqueue();
    try (Connection connection = database.dataSource().getConnection();
        Statement statement = connection.createStatement()) {
      connection.setAutoCommit(false);
      long early = enqueue(statement);
      long before = queue.enqueue();
      TicketFeed feed = new PostgresTicketFeeds(database.dataSource(), "holdfast").open();
      long after = queue.enqueue();
      List<Long> told = created(feed);
      connection.commit();
      told.addAll(created(feed));
      assertThat(before).isGreaterThan(early);
      assertThat(told).contains(early, after).doesNotContain(before).doesNotHaveDuplicates();
    }
  }

  @Test
  @DisplayName("what finishes after the server's clock was ahead is told once it is right")
  void clockAhead() throws SQLException {
    try (Connection connection = database.dataSource().getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE SCHEMA ahead");
      statement.execute("CREATE TABLE ahead.shift AS SELECT interval '1 hour' AS by");
      statement.execute(
          "CREATE FUNCTION ahead.clock_timestamp() RETURNS timestamptz LANGUAGE sql"
              + " AS 'SELECT pg_catalog.clock_timestamp() + by FROM ahead.shift'");
      TicketFeed feed = new PostgresTicketFeeds(sessionsAhead(), "holdfast").open();
      long id = queue.enqueue();
      statement.execute("UPDATE ahead.shift SET by = '0'");
      queue.succeed(id, queue.claim());
      assertThat(feed.next()).extracting(TimelineEntry::event).contains("claimed", "succeeded");
    }
  }

  @Test
  @DisplayName(
      "a feed that was open before the database was restored tells of tickets whose ids are given"
          + " again")
  void restored() throws SQLException {
    try (Connection connection = database.dataSource().getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute("SELECT setval('holdfast.ticket_base_id_seq', 1000000)");
      queue.enqueue();
      TicketFeed feed = new PostgresTicketFeeds(database.dataSource(), "holdfast").open();
      assertThat(created(feed)).isEmpty();
      statement.execute("DELETE FROM holdfast.ticket_base");
      statement.execute("SELECT setval('holdfast.ticket_base_id_seq', 1000)");
      long first = queue.enqueue();
      List<Long> told = created(feed);
      long second = queue.enqueue();
      told.addAll(created(feed));
      assertThat(told).containsExactly(first, second);
    }
  }

  @Test
  @DisplayName("a claim that was told is not told again after the newest ticket was deleted")
  void newestDeleted() throws Exception {
    TicketFeed feed = new PostgresTicketFeeds(database.dataSource(), "holdfast").open();
    long first = queue.enqueue();
    long lease = queue.claim();
    long second = queue.enqueue();
    queue.succeed(second, queue.claim());
    List<String> told = events(feed, first);
    Thread.sleep(2_500);
    told.addAll(events(feed, first));
    Thread.sleep(2_500);
    told.addAll(events(feed, first));
    database.run(
        "SELECT holdfast.cancel_ticket(id, 'ann') FROM holdfast.tickets WHERE id = ? AND state ="
            + " 'needs_review'",
        second);
    database.run("DELETE FROM holdfast.tickets WHERE id = ?", second);
    queue.succeed(first, lease);
    told.addAll(events(feed, first));
    assertThat(told).containsExactly("created", "claimed", "succeeded");
  }

  private static List<String> events(TicketFeed feed, long id) {
    return new ArrayList<>(
        feed.next().stream()
            .filter(entry -> entry.ticketId() == id)
            .map(TimelineEntry::event)
            .toList());
  }

  private DataSource sessionsAhead() {
    PGSimpleDataSource sessions = new PGSimpleDataSource();
    sessions.setUrl(testDatabase.jdbcUrl());
    sessions.setUser(testDatabase.user());
    sessions.setPassword(testDatabase.password());
    sessions.setOptions("-c search_path=ahead,pg_catalog");
    return sessions;
  }

  private long enqueue(Statement statement) throws SQLException {
    try (ResultSet row =
        statement.executeQuery("SELECT holdfast.enqueue_ticket('" + queue.kind() + "')")) {
      row.next();
      return row.getLong(1);
    }
  }

  private static List<Long> created(TicketFeed feed) {
    List<Long> ids = new ArrayList<>();
    feed.next().stream()
        .filter(entry -> entry.event().equals("created"))
        .forEach(entry -> ids.add(entry.ticketId()));
    return ids;
  }
}
