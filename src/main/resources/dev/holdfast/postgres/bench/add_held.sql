-- ?1 their priority, ?2 how many. Tickets that wait for a person.
INSERT INTO holdfast_bench.ticket_base (kind, queue, payload, state, priority, held_at, hold_reason, hold_actions)
SELECT 'bench', 'bench', jsonb_build_object('n', n), 'on_hold', ?, now(), 'held by the benchmark', '{release,cancel}'
FROM generate_series(1, ?) AS n
