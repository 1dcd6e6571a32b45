package dev.holdfast.chaos;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Many ready tickets, ten times as many on hold, a hundred times as many finished. {@code
 * -Dchaos.backlog=10000} is the full size: 10,000, 100,000 and 1,000,000.
 */
final class BacklogCell implements Cell {
  private static final int READY = Integer.getInteger("chaos.backlog", 500);
  private static final int HELD = 10 * READY;
  private static final int FINISHED = 100 * READY;

  private static final String ADD_FINISHED =
      """
      WITH t AS (
        INSERT INTO holdfast.ticket_base
          (filed, kind, queue, payload, state, fence, attempt_count, created_at, started_at, completed_at)
        SELECT true, 'command', 'default', jsonb_build_object('n', n), 'done', nextval('holdfast.lease_no_seq'), 1,
          now() - interval '1 day', now() - interval '1 day', now() - interval '1 day'
        FROM generate_series(1, ?) AS n
        RETURNING id, fence, started_at, completed_at
      )
      INSERT INTO holdfast.ticket_attempts (ticket_id, lease_no, started_at, finished_at, attempt, outcome, worker_id)
      SELECT id, fence, started_at, completed_at, 1, 'succeeded', 'earlier' FROM t
      """;
  private static final String ADD_HELD =
      """
      WITH added AS (
        INSERT INTO holdfast.ticket_base (filed, kind, queue, payload, state, held_at, hold_reason, hold_actions,
          error, error_category, error_fingerprint)
        SELECT true, 'command', 'default', jsonb_build_object('n', n), 'on_hold', now(), 'held long ago',
          '{release,cancel}', 'exit code 1', 'unknown', md5('error ' || n % 97)
        FROM generate_series(1, ?) AS n
        RETURNING id
      ), ids AS MATERIALIZED (SELECT array_agg(id) AS all_of_them FROM added)
      SELECT holdfast.file_tickets(all_of_them) FROM ids
      """;

  /** Behind those that come: what is done of them is done besides. */
  private static final String ADD_READY =
      "SELECT holdfast.enqueue_ticket(design => 'quick', priority => -1) FROM generate_series(1,"
          + " ?)";

  @Override
  public void prepare(Chaos chaos) {
    addFinished(chaos, FINISHED);
    chaos.database.column(ADD_HELD, HELD);
    chaos.database.run("VACUUM (ANALYZE)");
  }

  /** Tickets that were done yesterday. */
  static void addFinished(Chaos chaos, int count) {
    chaos.database.run(ADD_FINISHED, count);
  }

  @Override
  public void rage(Chaos chaos) throws Exception {
    for (String each : chaos.database.column(ADD_READY, READY)) {
      chaos.load.acknowledged().put("backlog-" + each, Long.valueOf(each));
    }
    chaos.pass(chaos.options.length());
  }

  @Override
  public double goesOn() {
    return 0.8;
  }

  @Override
  public void check(Chaos chaos) {
    assertThat(chaos.reasons()).as("why tickets ran again").isEmpty();
    assertThat(chaos.database.number("SELECT count(*) FROM holdfast.on_hold_tickets"))
        .isEqualTo(HELD);
  }
}
