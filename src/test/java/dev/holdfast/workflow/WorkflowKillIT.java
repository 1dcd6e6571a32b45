package dev.holdfast.workflow;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.queue.DatabaseUnavailableException;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TicketDatabase;
import dev.holdfast.testing.WithDatabase;
import dev.holdfast.ticket.ClaimedTicket;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A worker dies at each write that a workflow and its steps make, as the database sees kill -9. */
@Tag("slow")
@WithDatabase
class WorkflowKillIT {
  /** Counts the writes, and ends the connection that makes a chosen one. */
  private static final String DEATH =
      """
      CREATE SEQUENCE holdfast.sweep_writes;
      CREATE TABLE holdfast.sweep_death (write bigint);
      CREATE FUNCTION holdfast.sweep_die() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF current_setting('sweep.off', true) IS DISTINCT FROM 'yes' AND nextval('holdfast.sweep_writes') = (SELECT write FROM holdfast.sweep_death) THEN
          PERFORM pg_terminate_backend(pg_backend_pid());
        END IF;
        RETURN NEW;
      END $$;
      CREATE TRIGGER sweep BEFORE INSERT OR UPDATE ON holdfast.ticket_base FOR EACH ROW EXECUTE FUNCTION holdfast.sweep_die();
      CREATE TRIGGER sweep BEFORE INSERT OR UPDATE ON holdfast.ticket_dependencies FOR EACH ROW EXECUTE FUNCTION holdfast.sweep_die();
      CREATE TRIGGER sweep BEFORE INSERT OR UPDATE ON holdfast.workflows FOR EACH ROW EXECUTE FUNCTION holdfast.sweep_die();
      """;

  private static final int ENOUGH = 400;

  private final TicketDatabase database;
  @AutoClose private final WorkflowBench bench;
  private final String workflow;
  private int deaths;

  WorkflowKillIT(TestDatabase database) {
    this.database = new TicketDatabase(database);
    this.bench = new WorkflowBench(this.database);
    String design = bench.design("");
    this.workflow =
        "\"fetch\": {\"design\": \"%1$s\"}, \"each\": {\"design\": \"%1$s\", \"after\": [\"fetch\"],"
                .formatted(design)
            + " \"for_each\": \"results.fetch\", \"breadth\": 2}, \"ask\": {\"kind\": \"human\","
            + " \"after\": [\"each\"]}, \"print\": {\"design\": \"%1$s\", \"after\": [\"ask\"]},"
                .formatted(design)
            + " \"no\": {\"design\": \"%1$s\", \"after\": [\"ask\"], \"when\": \"false\"}"
                .formatted(design);
  }

  @Test
  @DisplayName("a death at any write of a workflow changes neither its steps nor its result")
  void sweep() {
    database.run(DEATH);
    int write = 0;
    int before;
    do {
      write++;
      before = deaths;
      run(write);
    } while (deaths > before);
    assertThat(deaths).as("writes of a workflow").isGreaterThan(20);
  }

  private void run(int deadlyWrite) {
    long id = bench.workflow(workflow, "{}");
    database.run("INSERT INTO holdfast.sweep_death VALUES (?)", deadlyWrite);
    database.run("ALTER SEQUENCE holdfast.sweep_writes RESTART");
    for (int i = 0; i < ENOUGH; i++) {
      if (!step(id) && bench.state(id).equals("done")) {
        break;
      }
    }
    database.run("TRUNCATE holdfast.sweep_death");
    assertThat(bench.result(id))
        .as("death at write %s", deadlyWrite)
        .isEqualTo(
            "{\"ask\": \"yes\", \"each\": [[1, 2, 3], [1, 2, 3], [1, 2, 3]], \"fetch\": [1, 2, 3],"
                + " \"print\": [1, 2, 3]}");
    assertThat(
            database.column(
                "SELECT name || ' ' || count(*) FROM holdfast.ticket_dependencies WHERE ticket_id ="
                    + " ? GROUP BY name ORDER BY name",
                id))
        .as("each step is added once, death at write %s", deadlyWrite)
        .containsExactly("ask 1", "each 3", "fetch 1", "print 1");
    assertThat(
            database.number("SELECT count(*) FROM holdfast.ticket_parents WHERE parent_id = ?", id))
        .isEqualTo(6);
    database.assertNoTicketIsLost();
  }

  /**
   * What a worker or a person does next; one that has died is followed by another.
   *
   * @return false if there was no job to work
   */
  private boolean step(long id) {
    try {
      List<ClaimedTicket> claimed = bench.claim(bench.job);
      if (claimed.isEmpty()) {
        bench.advance();
        answer(id);
        return false;
      }
      bench.finishAll(claimed, "[1, 2, 3]");
    } catch (DatabaseUnavailableException e) {
      deaths++;
      bench.rescue();
    }
    return true;
  }

  private void answer(long id) {
    database
        .column(
            "SELECT s.first_held_id FROM holdfast.workflow_steps s WHERE s.workflow_id = ? AND"
                + " s.step = 'ask' AND s.first_held_id IS NOT NULL",
            id)
        .forEach(
            each ->
                database.run(
                    "SELECT set_config('sweep.off', 'yes', true), holdfast.answer_ticket(?::bigint,"
                        + " 'ann', '\"yes\"')",
                    each));
  }
}
