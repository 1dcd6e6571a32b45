package dev.holdfast.cli.admin;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.cli.admin.CheckResult.Status;
import dev.holdfast.queue.read.Checkup.OpenTransaction;
import dev.holdfast.queue.read.Checkup.Server;
import dev.holdfast.testing.EverySetup;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The judgements that a healthy test server cannot show. */
@EverySetup
class ChecksTest {
  private static final Instant NOW = Instant.parse("2026-11-21T12:00:00Z");

  private static Server server(int major, boolean standby) {
    return new Server(major + ".1", major, "d", "UTF8", "u", NOW, standby);
  }

  @Test
  @DisplayName("an old server and a standby fail")
  void server() {
    assertThat(Checks.server(server(15, false), "x").status()).isEqualTo(Status.OK);
    assertThat(Checks.server(server(14, false), "x").status()).isEqualTo(Status.FAIL);
    assertThat(Checks.server(server(18, true), "x").line())
        .startsWith("fail  database: ")
        .contains("primary");
  }

  @Test
  @DisplayName("an encoding that cannot store everything is a warning")
  void encoding() {
    assertThat(Checks.encoding("UTF8").status()).isEqualTo(Status.OK);
    assertThat(Checks.encoding("SQL_ASCII").line())
        .startsWith("warn  encoding: SQL_ASCII ")
        .contains("CREATE DATABASE");
  }

  @Test
  @DisplayName("a schema that is missing, old or newer fails")
  void schema() {
    assertThat(Checks.schema(5, 5).status()).isEqualTo(Status.OK);
    assertThat(Checks.schema(0, 5).nextStep()).isEqualTo("run: holdfast migrate");
    assertThat(Checks.schema(4, 5).status()).isEqualTo(Status.FAIL);
    assertThat(Checks.schema(6, 5).nextStep()).contains("newer Holdfast");
  }

  @Test
  @DisplayName("clocks that differ by seconds are a warning, in either direction")
  void clock() {
    assertThat(Checks.clock(NOW, NOW.plusMillis(4999)).status()).isEqualTo(Status.OK);
    assertThat(Checks.clock(NOW, NOW.plusSeconds(5)).line()).contains("5000 ms ahead of");
    assertThat(Checks.clock(NOW, NOW.minusSeconds(9)).line())
        .startsWith("warn  ")
        .contains("9000 ms behind");
  }

  @Test
  @DisplayName(
      "a pooler that drops notifications and a transaction that holds back vacuum are warnings")
  void warnings() {
    assertThat(Checks.notifications(false).line())
        .startsWith("warn  ")
        .contains("database.listen-url");
    OpenTransaction open =
        new OpenTransaction(77, "ann", "psql", "idle in transaction", Duration.ofMinutes(200));
    assertThat(Checks.transactions(List.of(open)).line())
        .startsWith("warn  ")
        .contains("3h", "idle in transaction", "pg_terminate_backend(77)");
  }

  @Test
  @DisplayName("missing roles are named, with where to read on")
  void roles() {
    assertThat(Checks.roles(List.of()).status()).isEqualTo(Status.OK);
    assertThat(Checks.roles(List.of("holdfast_viewer")).line())
        .startsWith("warn  roles: missing: holdfast_viewer; ")
        .contains("docs/sql.md");
  }
}
