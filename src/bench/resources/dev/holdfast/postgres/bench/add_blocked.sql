-- ?1 how many. Tickets each of which waits for one of a thousand others, which are held.
WITH held AS (
  INSERT INTO holdfast_bench.ticket_base (filed, kind, queue, payload, payload_bytes, state, held_at, hold_reason, hold_actions)
  SELECT true, 'bench', 'bench', '{}', 2, 'on_hold', now(), 'held by the benchmark', '{release,cancel}' FROM generate_series(1, 1000)
  RETURNING id
), held_ids AS MATERIALIZED (
  SELECT array_agg(id) AS ids FROM held
), blocked AS (
  INSERT INTO holdfast_bench.ticket_base (filed, kind, queue, payload, payload_bytes)
  SELECT true, 'bench', 'bench', jsonb_build_object('n', 1000000 + n), 14 FROM generate_series(1, ?) AS n
  RETURNING id
), waiting AS (
  INSERT INTO holdfast_bench.ticket_dependencies (ticket_id, after_id)
  SELECT b.id, h.ids[1 + b.id % 1000] FROM blocked b CROSS JOIN held_ids h
)
SELECT holdfast_bench.file_tickets(h.ids) FROM held_ids h
