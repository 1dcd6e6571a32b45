package dev.holdfast.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.testing.EverySetup;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TicketDatabase;
import dev.holdfast.testing.WithDatabase;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Interleavings of what three workers and a person may do, on the real SQL, compared with a model
 * after each step. {@code -Dmodel.seed} and {@code -Dmodel.steps} choose others.
 */
@WithDatabase
@EverySetup
@Timeout(600)
class ProtocolIT {
  private static final int STEPS = Integer.getInteger("model.steps", 150);
  private static final int MOST_SEEDS = 20;

  private final HikariDataSource pool;
  private final TicketDatabase database;

  ProtocolIT(TestDatabase database) {
    // The model looks at the tables thousands of times: to plan that anew takes longer than all.
    this.pool = database.poolThatKeepsPlans(2);
    this.database = new TicketDatabase(pool);
  }

  @AfterEach
  void close() {
    pool.close();
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2})
  @DisplayName(
      "A47, A50, A51: whatever happens in whatever order, tickets are where the model has them")
  void protocol(long seed) {
    long from = Long.getLong("model.seed", seed);
    World world = new World(database, Variant.AS_IT_IS);
    List<Step> steps = Step.of(from, STEPS);
    if (!Simulation.run(world, steps).isEmpty()) {
      fail(
          "-Dmodel.seed=%d -Dmodel.steps=%d: %n%s",
          from,
          STEPS,
          String.join("\n", Shrinking.shortest(steps, each -> Simulation.run(world, each))));
    }
  }

  /** Of the model, not of the database: once is enough. */
  @ParameterizedTest
  @Tag("slow")
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "AS_IT_IS")
  @DisplayName("the model finds each protection that is taken away, and tells of it in few steps")
  void broken(Variant variant) {
    List<String> functions =
        database.column(
            "SELECT pg_get_functiondef(p.oid) FROM pg_proc p WHERE p.proname IN"
                + " ('store_successes', 'renew_leases', 'take_tickets')");
    try {
      variant.breakIn(database);
      World world = new World(database, variant);
      List<String> trace = firstFound(world);
      assertThat(trace).as("the shortest way to what goes wrong").hasSizeBetween(2, 14);
      assertThat(trace.getLast()).contains(variant.finding());
    } finally {
      variant.mend(database);
      functions.forEach(database::run);
    }
  }

  private static List<String> firstFound(World world) {
    for (long seed = 1; seed <= MOST_SEEDS; seed++) {
      List<Step> steps = Step.of(seed, STEPS);
      if (!Simulation.run(world, steps).isEmpty()) {
        return Shrinking.shortest(steps, each -> Simulation.run(world, each));
      }
    }
    return List.of();
  }
}
