package dev.holdfast.postgres.bench;

import javax.sql.DataSource;

/**
 * Held tickets of many errors, the larger groups first, among twice as many finished ones.
 *
 * @param largest the fingerprint of the largest group
 * @param ticket a held ticket
 */
public record HeldBacklog(String largest, long ticket) {
  private static final String ADD_DONE =
      """
      INSERT INTO holdfast.ticket_base (filed, kind, queue, title, payload, state, created_at, completed_at)
      SELECT true, 'bench', 'bench', 'finished long ago ' || n, jsonb_build_object('n', n), 'done',
        now() - interval '9 days', now() - interval '8 days'
      FROM generate_series(1, ?) AS n
      """;

  private static final String ADD_HELD =
      """
      WITH added AS (
      INSERT INTO holdfast.ticket_base (filed, kind, queue, title, payload, state, held_at, hold_reason,
        hold_actions, error, error_category, error_fingerprint, created_at)
      SELECT true, 'bench', 'queue-' || n % 7, 'import of file ' || n, jsonb_build_object('n', n), 'on_hold',
        now() - random() * interval '3 days', 'Max retries exceeded: unknown',
        '{release,release_with_guidance,cancel}',
        'exit code 1' || repeat(E'\\nline of a log that is as long as lines of logs are', 10), 'unknown',
        md5('error ' || floor(power(random(), 3) * ?)), now() - interval '4 days'
      FROM generate_series(1, ?) AS n
      RETURNING id
      ), ids AS MATERIALIZED (SELECT array_agg(id) AS all_of_them FROM added)
      SELECT holdfast.file_tickets(all_of_them) FROM ids
      """;

  private static final String LARGEST =
      """
      SELECT fingerprint, max(id) FROM holdfast.held GROUP BY fingerprint ORDER BY count(*) DESC LIMIT 1
      """;

  /** Fills the empty tables, and settles them. */
  public static HeldBacklog fill(ScratchDatabase scratch, int held, int groups) {
    DataSource direct = scratch.database().unpooled();
    BenchSql.update(direct, ADD_DONE, 2L * held);
    BenchSql.update(direct, ADD_HELD, groups, held);
    BenchSql.execute(direct, "VACUUM (ANALYZE)");
    return BenchSql.row(direct, LARGEST, row -> new HeldBacklog(row.getString(1), row.getLong(2)));
  }
}
