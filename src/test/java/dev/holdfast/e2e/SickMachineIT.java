package dev.holdfast.e2e;

import static dev.holdfast.e2e.TicketRows.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.holdfast.process.ProgramUser;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.WithDatabase;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A worker on a machine that can start no program. */
@WithDatabase
class SickMachineIT {
  private static final String FULL =
      "mount -t tmpfs -o size=1m tmpfs \"$TMPDIR\"; mkdir \"$TMPDIR/holdfast-streams-1\"; touch -d"
          + " '3 days ago' \"$TMPDIR/holdfast-streams-1\"; head -c 2m /dev/zero >\"$TMPDIR/fill\""
          + " 2>/dev/null; exec \"$@\"";

  private final TicketRows rows;
  @AutoClose private final Installation holdfast;
  private final Path directory;

  SickMachineIT(TestDatabase database, @TempDir Path directory) {
    this.rows = new TicketRows(database.dataSource());
    this.holdfast = Installation.on(database, directory);
    this.directory = directory;
  }

  @Test
  @DisplayName(
      "a worker whose temporary directory is full gives its tickets back and says so, and works"
          + " them when there is room; what a killed one left there days ago is deleted")
  void full() throws Exception {
    assumeTrue(ProgramUser.isRoot(), "only root can mount a small disk");
    Path small = Files.createDirectory(directory.resolve("small"));
    Files.writeString(
        directory.resolve("hello.yaml"), "{kind: command, review: none, command: [echo, hello]}");
    holdfast.ok("design", "put", "hello", "--file", "hello.yaml");
    long id = Long.parseLong(holdfast.ok("enqueue", "--design", "hello"));

    HoldfastProcess worker =
        holdfast
            .with("TMPDIR", small.toString())
            .through("unshare", "-m", "sh", "-c", FULL, "sh")
            .worker();
    await("the worker is not ready").until(() -> worker.status("/health/ready") == 503);

    assertThat(worker.get("/health/ready").body()).contains("make room there", small.toString());
    assertThat(worker.stderr()).contains("this worker claims nothing for 1 s");
    assertThat(rows.outcomes(id)).isNotEmpty().containsOnly("given_back");
    String rm = "exec nsenter -t " + worker.pid() + " -m rm " + small.resolve("fill");
    assertThat(new ProcessBuilder("sh", "-c", rm).start().waitFor()).isZero();
    rows.awaitState(id, "done");
    assertThat(rows.of(id, "retry_count")).isEqualTo("0");
    await("what was left is deleted")
        .until(() -> worker.stderr().contains("Deleting " + small + "/holdfast-streams-1: "));
  }
}
