package dev.holdfast.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.holdfast.process.ProgramUser;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.WithDatabase;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A worker that is root starts the programs of designs as another user. */
@WithDatabase
class CommandUserIT {
  private static final String KEY = "HOLDFAST_HANDLERS_COMMAND_USER";

  /** Who it is, what it may write, and whether it may look into the worker or its files. */
  private static final String SPY =
      """
      touch mine
      mem=closed; head -c 0 /proc/$PPID/mem 2>/dev/null && mem=open
      token=closed; cat '$TOKEN' >/dev/null 2>&1 && token=open
      groups=$(sed -n 's/^Groups:[[:space:]]*//p' /proc/self/status | tr -d ' ')
      echo "{\\"seen\\": \\"$(id -un) $HOME $(stat -c %U mine) $mem $token root=$(echo $groups | grep -cw 0)\\"}"
      """;

  private final TicketRows rows;
  private final TestDatabase database;
  @TempDir private Path directory;
  @AutoClose private Installation holdfast;

  CommandUserIT(TestDatabase database) {
    this.database = database;
    this.rows = new TicketRows(database.dataSource());
  }

  @BeforeEach
  void prepare() {
    holdfast = Installation.on(database, directory);
  }

  @Test
  @DisplayName("they own their directory and can look neither into the worker nor at its token")
  void otherUser() throws Exception {
    assumeTrue(ProgramUser.isRoot(), "only root can start programs as somebody else");
    String spy = SPY.replace("$TOKEN", directory.resolve(".holdfast/token").toString());
    Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwx--x--x"));
    rows.column(
        "INSERT INTO holdfast.designs (name, version, kind, definition) VALUES ('spy', 1,"
            + " 'command', jsonb_build_object('kind', 'command', 'command',"
            + " jsonb_build_array('/bin/sh', '-c', ?), 'review', 'none'))",
        spy);
    holdfast.with(KEY, "nobody");
    HoldfastProcess worker = holdfast.start("worker", "--port", "0").awaitConsole();
    long id = rows.enqueue("spy", "default");
    TicketRows.await("the ticket ends")
        .until(() -> !rows.of(id, "state").matches("ready|in_progress"));
    assertThat(rows.of(id, "coalesce(result->>'seen', error)"))
        .as(worker.toString())
        .isEqualTo("nobody /nonexistent nobody closed closed root=0");
  }

  @Test
  @DisplayName("a user whom this machine does not know, or a worker who is not root: exit 2")
  void refused() throws Exception {
    holdfast.with(KEY, "nobody-of-this-name");
    Outcome outcome = holdfast.run("worker", "--port", "0");
    assertThat(outcome.exit()).isEqualTo(2);
    assertThat(outcome.stderr())
        .startsWith("holdfast: handlers.command.user: ")
        .contains(
            ProgramUser.isRoot()
                ? "this machine has no user nobody-of-this-name: make one with: useradd"
                : "only a worker that runs as root");
  }
}
