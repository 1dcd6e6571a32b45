package dev.holdfast.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.postgres.inbox.PostgresTicketInbox;
import dev.holdfast.postgres.read.PostgresConsoleReader;
import dev.holdfast.postgres.read.PostgresPeopleNotices;
import dev.holdfast.postgres.read.PostgresTicketReader;
import dev.holdfast.queue.NewTicket;
import dev.holdfast.queue.PeopleNotices.HoldNotice;
import dev.holdfast.queue.read.ErrorGroup;
import dev.holdfast.queue.view.InboxQuery;
import dev.holdfast.testing.EverySetup;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TicketDatabase;
import dev.holdfast.testing.WithDatabase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Databases that people already have and that cannot store, or cannot count, every character. */
@WithDatabase
@EverySetup
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class EncodingIT {
  private static final String NAME = "encoding_" + System.nanoTime();

  private TestDatabase testDatabase;
  private TicketDatabase admin;
  private final Set<String> templates = new LinkedHashSet<>();

  @BeforeAll
  void prepare(TestDatabase database) {
    this.testDatabase = database;
    this.admin = new TicketDatabase(database);
  }

  /** A copy: each encoding is migrated once, and UTF8 is what all tests' databases have. */
  private DataSource migrated(String encoding) {
    boolean usual = encoding.equals("UTF8");
    String template =
        usual ? testDatabase.template() : NAME + "_" + encoding.toLowerCase(Locale.ROOT);
    if (!usual && templates.add(template)) {
      admin.run(
          "CREATE DATABASE %s ENCODING '%s' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0"
              .formatted(template, encoding));
      Migrations.migrate(database(template).unpooled());
    }
    admin.run("CREATE DATABASE %s TEMPLATE %s STRATEGY file_copy".formatted(NAME, template));
    return database(NAME).unpooled();
  }

  private Database database(String name) {
    return new Database(
            testDatabase.jdbcUrl(), testDatabase.user(), testDatabase.password(), 1, "encoding")
        .named(name);
  }

  @AfterEach
  void drop() {
    drop(NAME);
  }

  @AfterAll
  void dropTemplates() {
    templates.forEach(this::drop);
  }

  private void drop(String name) {
    admin.run("DROP DATABASE IF EXISTS " + name + " WITH (FORCE)");
  }

  /** One of them is cut in the middle of a character of three bytes, or of four, whatever it is. */
  @ParameterizedTest
  @ValueSource(strings = {"", "x", "xy", "xyz"})
  @DisplayName("where a character is several, a long error is cut between characters")
  void sqlAscii(String before) {
    DataSource source = migrated("SQL_ASCII");
    TicketDatabase database = new TicketDatabase(source);
    String error = before + "日本語😀".repeat(200);
    long id =
        database.number(
            "INSERT INTO holdfast.tickets (kind, state, error, error_fingerprint) VALUES"
                + " ('agent', 'on_hold', ?, 'print') RETURNING id",
            error);
    database.run(
        "INSERT INTO holdfast.ticket_attempts (ticket_id, lease_no, started_at, finished_at,"
            + " attempt, outcome, worker_id, error) VALUES (?, 1, now(), now(), 1, 'failed', 'w',"
            + " ?)",
        id,
        error);

    PostgresTicketReader reader = new PostgresTicketReader(source);
    PostgresConsoleReader console = new PostgresConsoleReader(source);

    assertThat(reader.errorGroups(10))
        .extracting(ErrorGroup::lastError)
        .allMatch(error::startsWith);
    assertThat(reader.timeline(id)).isNotEmpty();
    assertThat(console.inbox(new InboxQuery(null, null, null, 0, 50)).groups()).hasSize(1);
    List<String> shown = database.column("SELECT error FROM holdfast.on_hold_tickets");
    assertThat(shown).singleElement().satisfies(cut -> assertThat(error).startsWith(cut));
    assertThat(shown.getFirst().length()).isGreaterThan(100);
  }

  @ParameterizedTest
  @ValueSource(strings = {"UTF8", "SQL_ASCII"})
  @DisplayName(
      "where backslashes in strings are escapes, all that people read is told as elsewhere")
  void escapes(String encoding) {
    migrated(encoding);
    admin.run("ALTER DATABASE " + NAME + " SET standard_conforming_strings = off");
    DataSource source = database(NAME).unpooled();
    Migrations.migrate(source);
    TicketDatabase database = new TicketDatabase(source);
    String error = "the disk is full\r\nat line 1" + "ü".repeat(400);
    long id =
        database.number(
            "INSERT INTO holdfast.tickets (kind, state, error, error_fingerprint) VALUES"
                + " ('agent', 'on_hold', ?, 'print') RETURNING id",
            error);
    database.run("SELECT holdfast.log_activity(?, 'held', 'ann')", id);
    long next = new PostgresTicketInbox(source).enqueue(NewTicket.ofKind("agent"));

    assertThat(database.value("SELECT error_title FROM holdfast.on_hold_tickets"))
        .isEqualTo("the disk is full");
    assertThat(database.value("SELECT left(error, 5) FROM holdfast.on_hold_tickets"))
        .isEqualTo("the d");
    assertThat(database.value("SELECT holdfast.words_interval('5 m')::text")).isEqualTo("00:05:00");
    assertThat(new PostgresTicketReader(source).errorGroups(10)).hasSize(1);
    assertThat(new PostgresPeopleNotices(source, "holdfast").after(0, 10).notices())
        .singleElement()
        .isInstanceOfSatisfying(
            HoldNotice.class,
            notice -> assertThat(notice.errorTitle()).isEqualTo("the disk is full"));
    assertThat(new PostgresTicketReader(source).find(next)).isPresent();
  }

  @Test
  @DisplayName("in UTF8 a text is cut by characters, and a short one is left as it is")
  void utf8() {
    assertThat(admin.value("SELECT holdfast.shorten(?, 3)", "日本語日本語")).isEqualTo("日本語");
    assertThat(admin.value("SELECT holdfast.shorten(?, 3)", "abÀÁ")).isEqualTo("abÀ");
    assertThat(admin.value("SELECT holdfast.shorten(?, 3)", "À")).isEqualTo("À");
  }

  @Test
  @DisplayName("no statement cuts a text by itself")
  void statements() throws IOException {
    try (Stream<Path> files = Files.list(Path.of("src/main/resources/dev/holdfast/postgres"))) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        assertThat(Files.readString(file)).as("%s", file).doesNotContain(" left(");
      }
    }
  }
}
