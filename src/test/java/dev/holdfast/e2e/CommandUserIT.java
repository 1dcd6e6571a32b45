package dev.holdfast.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.holdfast.process.ProgramUser;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.WithDatabase;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.jspecify.annotations.Nullable;
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

  /** Says the number of a process that has left its session and its parent. */
  private static final String DAEMON =
      """
      (setsid sh -c 'echo $$ >pid; exec sleep 1000' >/dev/null 2>&1 &)
      while ! [ -s pid ]; do sleep 0.05; done
      echo "{\\"daemon\\": \\"$(cat pid)\\"}"
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
  @DisplayName(
      "they own their directory and can look neither into the worker nor at its token; a directory"
          + " that they may not enter and a missing program: the error says so; workspaces that"
          + " they may not enter: the error names the setting")
  void otherUser() throws Exception {
    assumeTrue(ProgramUser.isRoot(), "only root can start programs as somebody else");
    String spy = SPY.replace("$TOKEN", directory.resolve(".holdfast/token").toString());
    Path closed = Files.createDirectory(directory.resolve("closed"));
    Files.setPosixFilePermissions(closed, PosixFilePermissions.fromString("rwx------"));
    Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwx------"));
    design("any", "true", null);
    design("spy", spy, null);
    design("closed", "true", closed.toString());
    rows.column(
        "INSERT INTO holdfast.designs (name, version, kind, definition) VALUES ('missing', 1,"
            + " 'command', '{\"kind\": \"command\", \"command\": [\"no-such-program\"]}')");
    holdfast.with(KEY, "nobody").with("HOLDFAST_RETRY_CATEGORIES_CODE_ERROR_MAX_RETRIES", "0");
    HoldfastProcess worker = holdfast.start("worker", "--port", "0").awaitConsole();
    assertThat(outcome("any", "error"))
        .as(worker.toString())
        .contains("nobody cannot enter the working directories under")
        .contains("set handlers.command.workspaces");
    assertThat(directory.resolve(".holdfast/workspaces")).isEmptyDirectory();

    Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwx--x--x"));
    assertThat(outcome("spy", "result->>'seen'"))
        .as(worker.toString())
        .isEqualTo("nobody /nonexistent nobody closed closed root=0");
    assertThat(outcome("closed", "error"))
        .as(worker.toString())
        .contains("cannot be entered (EACCES): it must be a directory that nobody may enter");
    assertThat(outcome("missing", "error"))
        .as(worker.toString())
        .contains("cannot start no-such-program: ENOENT");
  }

  @Test
  @DisplayName("what they leave in other sessions ends, also where root may not look into it")
  void leftBehind() throws Exception {
    assumeTrue(ProgramUser.isRoot(), "only root can start programs as somebody else");
    Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwx--x--x"));
    design("daemon", DAEMON, null);
    holdfast.with(KEY, "nobody").through(without("sys_ptrace,-perfmon,-sys_admin"));
    HoldfastProcess worker = holdfast.worker();
    String pid = outcome("daemon", "result->>'daemon'");
    assertThat(pid).as(worker.toString()).matches("[0-9]+");
    TicketRows.await("the process is gone").until(() -> Files.notExists(Path.of("/proc", pid)));
  }

  @Test
  @DisplayName("root by name or number, and a root without the rights that it takes: exit 2")
  void cannotBecome() throws Exception {
    assumeTrue(ProgramUser.isRoot(), "only root can start programs as somebody else");
    for (String root : List.of("root", "0")) {
      assertThat(refusal(holdfast.with(KEY, root)))
          .contains(root + " is root, as the worker is: name another user");
    }
    assertThat(refusal(holdfast.with(KEY, "nobody").through(without("setuid"))))
        .contains("may not start programs as nobody (setpriv: ")
        .contains("CAP_SETUID");
    assertThat(refusal(holdfast.through(without("kill"))))
        .contains("may not end programs of nobody: it needs the capability CAP_KILL");
  }

  private static String refusal(Installation holdfast) throws Exception {
    Outcome outcome = holdfast.run("worker", "--port", "0");
    assertThat(outcome.exit()).as(outcome.stderr()).isEqualTo(2);
    return outcome.stderr();
  }

  /** As a container's root is. */
  private static String[] without(String capabilities) {
    return new String[] {"setpriv", "--bounding-set=-" + capabilities, "--"};
  }

  private void design(String name, String script, @Nullable String place) {
    rows.column(
        "INSERT INTO holdfast.designs (name, version, kind, definition) VALUES (?, 1, 'command',"
            + " jsonb_strip_nulls(jsonb_build_object('kind', 'command', 'command',"
            + " jsonb_build_array('/bin/sh', '-c', ?), 'review', 'none', 'directory', ?::text)))",
        name,
        script,
        place);
  }

  /** What a ticket of the design is after its first attempt. */
  private String outcome(String design, String column) {
    long id = rows.enqueue(design, "default");
    TicketRows.await("an attempt ends").until(() -> !rows.of(id, "attempt_count").equals("0"));
    return rows.of(id, "coalesce(" + column + ", error)");
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
