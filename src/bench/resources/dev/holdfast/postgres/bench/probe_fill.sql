-- ?1 the payload, ?2 how many. Not measured.
INSERT INTO holdfast_bench.probe_ticket (payload) SELECT p.payload FROM (SELECT ?::jsonb AS payload) p, generate_series(1, ?)
