package dev.holdfast.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.awaitility.Awaitility;

/** No room is left under the server, then there is again. Needs root, for a small file system. */
final class DiskCell implements Cell {
  private static final int BLOCK = 1 << 16;

  /** They end when there is no room for their results. */
  private static final int LARGE_JOBS = 8;

  private static final Duration LEASE = Duration.ofSeconds(25);
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final String CLAIMED =
      "SELECT count(*) FROM chaos.claims c JOIN holdfast.ticket_base b ON b.id = c.ticket_id WHERE"
          + " b.unique_key LIKE 'large-%'";
  private Path server = Path.of("/nonexistent");

  @Override
  public void home(Path directory) throws Exception {
    server = Files.createDirectories(directory);
    assumeTrue(
        new ProcessBuilder(
                    "mount", "-t", "tmpfs", "-o", "size=192m,mode=0755", "tmpfs", "" + server)
                .start()
                .waitFor()
            == 0,
        "a small file system cannot be mounted here");
  }

  /** Whoever has a result keeps the lease for longer than there is no room. */
  @Override
  public void prepare(Chaos chaos) {
    chaos.holdfast.with(
        "HOLDFAST_WORKER_LEASE", chaos.options.length().plus(LEASE).toSeconds() + "s");
  }

  @Override
  public void rage(Chaos chaos) throws Exception {
    for (int i = 0; i < LARGE_JOBS; i++) {
      chaos.load.add(Jobs.LARGE, "large-" + i);
    }
    Awaitility.await("jobs with large results run")
        .atMost(PATIENCE)
        .until(() -> chaos.database.number(CLAIMED) >= LARGE_JOBS);
    Path ballast = server.resolve("ballast");
    chaos.faults.during(
        "disk full",
        () -> {
          try {
            fill(ballast);
            chaos.pass(chaos.options.length());
          } finally {
            Files.deleteIfExists(ballast);
          }
          chaos.site.revive();
        });
  }

  private static void fill(Path ballast) throws IOException {
    try (OutputStream out = Files.newOutputStream(ballast)) {
      while (true) {
        out.write(new byte[BLOCK]);
      }
    } catch (IOException e) {
      // It is full, as it should be.
    }
  }

  /** A result that was there waited until there was room for it. */
  @Override
  public void check(Chaos chaos) {
    assertThat(
            chaos.database.column(
                "SELECT r.* FROM chaos.reasons r JOIN chaos.executions x USING (ticket_id,"
                    + " lease_no) WHERE x.ended > 0"))
        .as("tickets whose program ran to its end, and that ran again")
        .isEmpty();
  }

  @Override
  public void leave() throws Exception {
    new ProcessBuilder("umount", "-l", server.toString()).start().waitFor();
  }
}
