-- ?1 an id. Files every ticket above it as ready.
INSERT INTO holdfast_bench.probe_ready (priority, created_at, id, queue)
SELECT priority, created_at, id, queue FROM holdfast_bench.probe_ticket WHERE id > ?
