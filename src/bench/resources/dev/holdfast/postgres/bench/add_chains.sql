-- ?1 how long the chains are, ?2 how many tickets: each but the first of a chain waits for the one before it.
WITH input AS MATERIALIZED (
  SELECT ?::bigint AS length, ?::bigint AS tickets
), links AS MATERIALIZED (
  SELECT nextval('holdfast_bench.ticket_base_id_seq') AS id, n % i.length AS place
  FROM input i CROSS JOIN LATERAL generate_series(0, i.tickets - 1) AS n
), added AS (
  INSERT INTO holdfast_bench.ticket_base (filed, id, kind, queue, payload, payload_bytes)
  SELECT true, l.id, 'bench', 'bench', p.payload, octet_length(p.payload::text)
  FROM links l CROSS JOIN LATERAL (SELECT jsonb_build_object('task', repeat('x', 180)) AS payload) p
  RETURNING id
), waiting AS (
  INSERT INTO holdfast_bench.ticket_dependencies (ticket_id, after_id) SELECT l.id, l.id - 1 FROM links l WHERE l.place > 0
), firsts AS MATERIALIZED (
  SELECT array_agg(a.id) AS ids FROM added a JOIN links l ON l.id = a.id AND l.place = 0
)
SELECT holdfast_bench.file_tickets(f.ids) FROM firsts f
