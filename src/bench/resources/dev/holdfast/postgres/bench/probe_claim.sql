-- ?1 how many. Takes ready rows away under one new lease and returns the tickets' payloads.
-- Trap: rows are taken by ctid from one array, which the row locks make safe; LATERAL with LIMIT pins the primary key look-up.
WITH taken AS (
  DELETE FROM holdfast_bench.probe_ready
  WHERE ctid = ANY (ARRAY(
    SELECT r.ctid FROM holdfast_bench.probe_ready r
    WHERE r.queue = 'bench'
    ORDER BY r.priority DESC, r.created_at, r.id
    LIMIT ?
    FOR UPDATE SKIP LOCKED))
  RETURNING id
), lease AS (
  INSERT INTO holdfast_bench.probe_lease (id, claimed_at, expires_at, worker_id, ids)
  SELECT nextval('holdfast_bench.probe_lease_no'), now(), now() + interval '60 s', 'probe', array_agg(taken.id) FROM taken
  HAVING count(*) > 0
  RETURNING id
)
SELECT t.id, t.payload::text, lease.id
FROM lease CROSS JOIN taken
CROSS JOIN LATERAL (SELECT p.id, p.payload FROM holdfast_bench.probe_ticket p WHERE p.id = taken.id LIMIT 1) t
