package dev.holdfast.handler.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import dev.holdfast.postgres.read.PostgresEndedTickets;
import dev.holdfast.queue.DatabaseUnavailableException;
import dev.holdfast.testing.AtOnce;
import dev.holdfast.testing.LogLines;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TicketDatabase;
import dev.holdfast.testing.WithDatabase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.postgresql.ds.PGSimpleDataSource;

@WithDatabase
class WorkspaceSweepIT {
  private static final Duration DAY = Duration.ofDays(1);

  private final TestDatabase testDatabase;
  private final TicketDatabase tickets;

  @TempDir Path root;

  WorkspaceSweepIT(TestDatabase database) {
    this.testDatabase = database;
    this.tickets = new TicketDatabase(database);
  }

  private WorkspaceSweep sweep(Duration kept) {
    return sweep(WorkspaceSweep.Of.AGENTS, kept);
  }

  private WorkspaceSweep sweep(WorkspaceSweep.Of of, Duration kept) {
    return new WorkspaceSweep(
        of,
        root,
        kept,
        new PostgresEndedTickets(testDatabase.dataSource(), "holdfast"),
        InstantSource.system());
  }

  /** A ticket that came to its state two days ago, and its workspace. */
  private Path workspace(String state) throws IOException {
    long id =
        tickets.number(
            "INSERT INTO holdfast.tickets (kind, state, completed_at) VALUES ('agent', ?,"
                + " now() - interval '2 days') RETURNING id",
            state);
    return make(
        "ticket-"
            + id
            + "-"
            + tickets.number(
                "SELECT floor(extract(epoch FROM created_at))::bigint FROM holdfast.ticket_base"
                    + " WHERE id = ?",
                id));
  }

  private Path make(String name) throws IOException {
    Path directory = root.resolve(name);
    Files.createDirectories(directory.resolve("src"));
    Files.writeString(directory.resolve("src/Main.java"), "class Main {}");
    return directory;
  }

  private List<Path> left() throws IOException {
    try (Stream<Path> all = Files.list(root)) {
      return all.sorted().toList();
    }
  }

  @Test
  @DisplayName("only workspaces of done and cancelled tickets go")
  void states() throws IOException {
    workspace("done");
    workspace("cancelled");
    List<Path> stay =
        Stream.of(workspace("ready"), workspace("on_hold"), workspace("needs_review"))
            .sorted()
            .toList();

    sweep(DAY).run();

    assertThat(left()).containsExactlyElementsOf(stay);
  }

  @Test
  @DisplayName("a workspace stays for as long as it is to be kept, with 0 for ever")
  void age() throws IOException {
    Path done = workspace("done");

    sweep(Duration.ofDays(3)).run();
    sweep(Duration.ZERO).run();

    assertThat(left()).containsExactly(done);
  }

  @Test
  @DisplayName("one whose ticket waited long for its review is kept from the approval on")
  void approvedLate() throws IOException {
    Path late = workspace("needs_review");
    tickets.run("SELECT holdfast.approve_ticket(max(id), 'ann') FROM holdfast.ticket_base");

    sweep(DAY).run();
    assertThat(left()).containsExactly(late);

    tickets.run("UPDATE holdfast.ticket_activity SET created_at = now() - interval '2 days'");
    sweep(DAY).run();
    assertThat(left()).isEmpty();
  }

  @Test
  @DisplayName("what is not known to be an ended ticket's workspace stays: it is somebody else's")
  void others() throws IOException {
    Path done = workspace("done");
    String name = done.getFileName().toString();
    make(name.replaceFirst("-\\d+$", "-1234567890"));
    make(name.replace("ticket-", "ticket-0"));
    make("ticket-999999-1234567890");
    make("ticket-99999999999999999999-1");
    make("new-4711");
    make("notes");
    Files.writeString(root.resolve(name.replace("ticket-", "ticket-0") + ".txt"), "a file");
    List<Path> before = left();

    sweep(DAY).run();

    assertThat(left()).hasSize(before.size() - 1).doesNotContain(done);
  }

  @Test
  @DisplayName("what a killed worker's attempts at commands left goes when their ticket has ended")
  void attempts() throws IOException {
    Path agents = workspace("done");
    make(agents.getFileName() + "-attempt-1-4711");
    make(agents.getFileName() + "-attempt-2-4712");
    Path ready = workspace("ready");
    Path stays = make(ready.getFileName() + "-attempt-1-4713");

    sweep(WorkspaceSweep.Of.COMMANDS, DAY).run();

    assertThat(left()).containsExactly(agents, ready, stays);
  }

  @Test
  @DisplayName("a copy that a killed worker left half made goes after a day")
  void halfMade() throws IOException {
    Path old = make("new-4711");
    Path named = make("new-plans");
    for (Path each : List.of(old, named)) {
      Files.setLastModifiedTime(each, FileTime.from(Instant.now().minus(DAY.multipliedBy(2))));
    }
    Path fresh = make("new-4712");

    sweep(Duration.ZERO).run();

    assertThat(left()).containsExactly(fresh, named);
  }

  @Test
  @DisplayName("a directory that does not exist is no reason to complain")
  void noRoot() throws IOException {
    Files.delete(root);
    sweep(DAY).run();
    assertThat(root).doesNotExist();
    Files.createDirectory(root);
  }

  @Test
  @DisplayName("a link in the place of a workspace goes, what it leads to stays")
  void link() throws IOException {
    Path done = workspace("done");
    Path elsewhere = root.resolve("elsewhere");
    Files.move(done, elsewhere);
    Files.createSymbolicLink(done, elsewhere);

    sweep(DAY).run();

    assertThat(left()).containsExactly(elsewhere);
    assertThat(elsewhere.resolve("src/Main.java")).exists();
  }

  @Test
  @DisplayName("several workers may sweep one directory at once, and none complains")
  void together() throws Exception {
    for (int i = 0; i < 50; i++) {
      workspace("done");
    }

    try (LogLines lines = new LogLines(AgentWorkspace.class)) {
      AtOnce.run(Collections.nCopies(4, Executors.callable(sweep(DAY)::run)));

      assertThat(lines.of(Level.WARN)).noneMatch(line -> line.contains(root.toString()));
    }
    assertThat(left()).isEmpty();
  }

  @Test
  @DisplayName("without the database nothing is deleted")
  void databaseAway() throws IOException {
    Path done = workspace("done");
    PGSimpleDataSource away = new PGSimpleDataSource();
    away.setUrl("jdbc:postgresql://127.0.0.1:1/away");
    WorkspaceSweep sweep =
        new WorkspaceSweep(
            WorkspaceSweep.Of.AGENTS,
            root,
            DAY,
            new PostgresEndedTickets(away, "holdfast"),
            InstantSource.system());

    assertThatThrownBy(sweep::run).isInstanceOf(DatabaseUnavailableException.class);
    assertThat(left()).containsExactly(done);
  }
}
