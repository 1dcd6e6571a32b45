package dev.holdfast.chaos;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * The database refuses one ticket after the other, with one SQLSTATE after the other, where it is
 * claimed, finished, kept and rescued, while all others go on.
 */
final class SqlStateCell implements Cell {
  private static final List<String> STATES =
      List.of(
          "XX001", "XX000", "P0001", "53100", "53200", "57014", "22003", "23514", "25001", "40001",
          "40P01", "42501", "54000", "55000", "55P03", "58030", "08006", "57P01", "53300");

  /**
   * Of a ticket X: its claim, its result, a heartbeat of its lease, the end of an expired lease.
   */
  private static final List<String> POINTS =
      List.of(
          "BEFORE DELETE ON holdfast.ready FOR EACH ROW WHEN (OLD.id = %s)",
          "BEFORE UPDATE ON holdfast.ticket_base FOR EACH ROW WHEN (NEW.id = %s AND NEW.state ="
              + " 'done')",
          "BEFORE UPDATE ON holdfast.leases FOR EACH ROW WHEN (%s = ANY (NEW.ids))",
          "BEFORE UPDATE ON holdfast.ticket_base FOR EACH ROW WHEN (NEW.id = %s AND NEW.crash_count"
              + " > OLD.crash_count)");

  private static final Duration EACH = Duration.ofSeconds(4);

  @Override
  public void rage(Chaos chaos) throws Exception {
    Instant end = chaos.end();
    List<Long> struck = new ArrayList<>();
    chaos.faults.during(
        "refused by the database",
        () -> {
          for (int i = 0; i < POINTS.size() || Instant.now().isBefore(end); i++) {
            struck.add(refuse(chaos, i));
          }
        });
    for (long id : struck) {
      chaos.release(id);
    }
  }

  /** One ticket is refused at a time. */
  @Override
  public double goesOn() {
    return 0.4;
  }

  private static long refuse(Chaos chaos, int number) throws Exception {
    String state = STATES.get(chaos.random.nextInt(STATES.size()));
    // It is there before the trigger is, and nobody's yet.
    long id =
        chaos.database.number(
            "INSERT INTO holdfast.tickets (kind, design_id, state, assignee_type) SELECT 'command',"
                + " id, 'ready', NULL FROM holdfast.designs WHERE name = 'long' RETURNING id");
    chaos.load.acknowledged().put("refused-" + id, id);
    chaos.database.run(
        """
        CREATE OR REPLACE FUNCTION chaos.refuse() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN RAISE EXCEPTION 'sector 7 is unreadable' USING ERRCODE = '%s'; END $$
        """
            .formatted(state));
    String point = POINTS.get(number % POINTS.size()).formatted(id);
    chaos.database.run(
        "CREATE OR REPLACE TRIGGER refuse " + point + " EXECUTE FUNCTION chaos.refuse()");
    chaos.database.run("UPDATE holdfast.tickets SET assignee_type = 'agent' WHERE id = ?", id);
    chaos.pass(EACH);
    chaos.database.run("DROP FUNCTION chaos.refuse() CASCADE");
    return id;
  }
}
