-- ?1 their priority, ?2 how many. Tickets that wait for a person.
WITH added AS (
  INSERT INTO holdfast_bench.ticket_base (filed, kind, queue, payload, state, priority, held_at, hold_reason, hold_actions)
  SELECT true, 'bench', 'bench', jsonb_build_object('n', n), 'on_hold', ?, now(), 'held by the benchmark', '{release,cancel}'
  FROM generate_series(1, ?) AS n
  RETURNING id
), ids AS MATERIALIZED (
  SELECT array_agg(id) AS all_of_them FROM added
)
SELECT holdfast_bench.file_tickets(all_of_them) FROM ids
