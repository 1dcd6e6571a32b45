package dev.holdfast.e2e;

import static dev.holdfast.e2e.TicketRows.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.bench.CellName;
import dev.holdfast.testing.JavaCommand;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.WithDatabase;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** That the benchmark works and cleans up. How fast anything is does not matter here. */
@WithDatabase
@Tag("slow")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class BenchIT {
  /** It takes 15 s where nothing else runs. */
  private static final Duration PATIENCE = Duration.ofMinutes(6);

  private static final String LOCK =
      "SELECT pg_advisory_lock(hashtextextended('holdfast_bench', 0))";

  @AutoClose private Installation holdfast;
  private TicketRows rows;

  @BeforeAll
  void prepare(TestDatabase database, @TempDir Path directory) {
    rows = new TicketRows(database.dataSource());
    holdfast =
        Installation.on(database, directory)
            .with("HOLDFAST_JAVA_OPTS", Installation.serverOptions())
            // The workers that it starts take these.
            .with("JDK_JAVA_OPTIONS", String.join(" ", JavaCommand.SHORT_LIVED));
  }

  @Test
  @DisplayName(
      "what a killed run left behind is found, said and dropped by the next; every cell runs, is"
          + " verified and prints its figures; nothing of it is left")
  void everyCell() throws Exception {
    rows.column("CREATE SCHEMA holdfast_bench CREATE TABLE probe_ticket (id bigint)");
    HoldfastProcess bench = holdfast.start("bench", "all", "--quick", "--json");
    assertThat(bench.awaitExit(PATIENCE)).as("%s", bench).isZero();
    assertThat(bench.stderr())
        .contains("found the schema holdfast_bench of an earlier run; dropped it");
    JsonNode report = new JsonMapper().readTree(bench.awaitOutcome().stdout());

    List<String> cells = new ArrayList<>();
    for (JsonNode cell : report.get("cells")) {
      cells.add(cell.get("name").asString());
      assertThat(cell.get("figures")).as("%s", cell).isNotEmpty();
      for (JsonNode figure : cell.get("figures")) {
        assertThat(figure.get("value").get("median").isNumber()).as("%s", figure).isTrue();
        assertThat(figure.get("outcome").asString()).as("%s", figure).isEqualTo("none");
      }
    }
    assertThat(cells)
        .containsExactlyElementsOf(
            Arrays.stream(CellName.values()).map(CellName::wireName).toList());
    assertThat(report.get("machine").get("cpus").asInt()).isPositive();
    assertNothingLeft();
  }

  @Test
  @DisplayName("Ctrl-C in the middle of a run leaves nothing behind")
  void interrupted() throws Exception {
    // Closed, or it would have the lock that the other tests wait for.
    try (HoldfastProcess bench =
        holdfast.start("bench", "drain", "--quick", "--rounds", "100000")) {
      await("a round")
          .until(() -> bench.stderr().matches("(?s).*round \\d+ of .*, about .* min .* left.*"));
      bench.signal("INT");
      assertThat(bench.awaitExit(Duration.ofSeconds(60))).as("%s", bench).isEqualTo(130);
      assertThat(bench.stderr())
          .contains("stopped; cleaning up")
          .doesNotContain("while cleaning up");
    }
    assertNothingLeft();
  }

  @Test
  @DisplayName("a second benchmark on the same database is refused, and does the first no harm")
  void oneAtATime(TestDatabase database) throws Exception {
    try (Connection other = database.dataSource().getConnection();
        Statement statement = other.createStatement()) {
      statement.execute(LOCK);
      Outcome outcome = holdfast.ask("bench", "drain", "--quick");
      assertThat(outcome.exit()).isEqualTo(1);
      assertThat(outcome.stderr())
          .endsWith(
              "holdfast: another holdfast bench runs on this database; wait until it ends, or use"
                  + " another database\n");
    }
  }

  private void assertNothingLeft() {
    assertThat(rows.column("SELECT nspname FROM pg_namespace WHERE nspname LIKE 'holdfast_b%'"))
        .isEmpty();
    assertThat(
            rows.column("SELECT datname FROM pg_database WHERE datname = 'holdfast_bench_scratch'"))
        .isEmpty();
    assertThat(
            rows.column(
                "SELECT application_name FROM pg_stat_activity WHERE datname = current_database()"
                    + " AND application_name LIKE 'holdfast-bench%'"))
        .isEmpty();
  }
}
