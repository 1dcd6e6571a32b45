package dev.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.testing.EverySetup;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.WithDatabase;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@WithDatabase
@EverySetup
@Timeout(60)
class LogsCommandIT {
  private final TestDatabase database;
  private final Cli cli;

  LogsCommandIT(TestDatabase database) {
    this.database = database;
    this.cli = Cli.on(database);
  }

  private String enqueue() {
    return cli.run("enqueue", "--kind", "nobody").out().strip();
  }

  @Test
  @DisplayName("logs -f of a ticket that has ended waits for no attempt that never comes")
  void ended() {
    String id = enqueue();
    cli.run("cancel", id, "--reason", "never mind");
    Cli.Result never = cli.run("logs", id, "-f");
    assertThat(never.code()).isEqualTo(3);
    assertThat(never.err()).contains("ticket " + id + " is cancelled and has never run");
    Cli.Result seventh = cli.run("logs", id, "-f", "--attempt", "7");
    assertThat(seventh.code()).isEqualTo(3);
    assertThat(seventh.err()).contains("has no attempt 7");
  }

  @Test
  @DisplayName("logs -f waits for a database that is restarted, as watch does")
  void outage() throws Exception {
    String id = enqueue();
    CompletableFuture<Cli.Result> logs =
        CompletableFuture.supplyAsync(() -> cli.run("logs", id, "-f"));
    await()
        .until(
            () ->
                !Cli.query(
                        database,
                        "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE"
                            + " datname = current_database() AND application_name = 'holdfast' AND"
                            + " state = 'idle' AND query LIKE '%attempt%'")
                    .equals("0"));
    cli.run("cancel", id, "--reason", "never mind");
    Cli.Result result = logs.get(30, TimeUnit.SECONDS);
    assertThat(result.err()).contains("is cancelled and has never run");
    assertThat(result.code()).isEqualTo(3);
  }
}
