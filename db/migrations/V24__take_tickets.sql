-- A claim that no content can fail: it commits who has which tickets, and brings with it only what is known to be small. What is large or
-- unknown is read afterwards, one by one, under the lease. Tickets whose worker died run alone (docs/adr/0018-poison-tickets.md).
-- Earlier binaries: they work on with claim_tickets, which knows nothing of this; what waits in suspects they leave alone.

ALTER TABLE leases ADD COLUMN for_ms bigint, ADD COLUMN renewed_at timestamptz, ADD COLUMN suspect boolean NOT NULL DEFAULT false;
COMMENT ON COLUMN leases.renewed_at IS 'The last heartbeat that renewed it. A worker that was heard of later than that lives, and does not know the lease or has let it go.';
COMMENT ON COLUMN leases.for_ms IS 'How long it held when it was claimed, in milliseconds.';
COMMENT ON COLUMN leases.suspect IS 'Its one ticket is a suspect: a worker died that had it. If this one dies too, nothing else that it had is blamed.';

ALTER TABLE workers ADD COLUMN blamed boolean NOT NULL DEFAULT false;
COMMENT ON COLUMN workers.blamed IS 'It died while it had a suspect, and that was blamed for it.';

CREATE TABLE suspects (
  priority   integer NOT NULL,
  created_at timestamptz NOT NULL,
  id         bigint PRIMARY KEY,
  queue      text COLLATE "C" NOT NULL,
  kind       text COLLATE "C" NOT NULL
);
COMMENT ON TABLE suspects IS 'Ready tickets of which one worker died, apart from the others: a worker takes one at a time. Kept by take_tickets.';

-- As claim_tickets, for a worker that can read single tickets afterwards.
-- Traps: as there. The rows are filtered before anything is made text; nothing else here reads a column that somebody filled.
CREATE FUNCTION take_tickets(
  of_kinds text[], from_queues text[], at_most integer, for_worker text, for_ms bigint, behind_ids bigint[],
  small_bytes integer, room_bytes bigint, suspects_at_most integer)
RETURNS TABLE (
  promoted bigint, next_due_ms double precision, id bigint, queue text, kind text, title text, payload text, priority integer,
  created_at timestamptz, attempt_count integer, retry_count integer, lease_no bigint, claimed_at timestamptz, expires_at timestamptz,
  design_id bigint, design_name text, design_version integer, design_kind text, definition text, guidance text,
  apart boolean, suspect boolean)
LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET lock_timeout = '250ms'
AS $$
#variable_conflict use_column
DECLARE
  next_due timestamptz;
  tids tid[];
  taken bigint[];
  whole bigint;
  suspected bigint;
  new_lease bigint;
  until timestamptz := now() + for_ms * interval '1 millisecond';
BEGIN
  IF cardinality(behind_ids) = 0 THEN
    -- Before PostgreSQL 17 an infinite time cannot be subtracted from.
    SELECT d.run_at INTO next_due FROM ${flyway:defaultSchema}.deferred d WHERE d.run_at < 'infinity' ORDER BY d.run_at, d.id LIMIT 1;
    IF next_due <= now() THEN
      WITH due AS MATERIALIZED (
        SELECT d.ctid AS tid FROM ${flyway:defaultSchema}.deferred d
        WHERE d.run_at <= now()
        ORDER BY d.run_at, d.id
        LIMIT 1000
        FOR UPDATE SKIP LOCKED
      ), moved AS (
        DELETE FROM ${flyway:defaultSchema}.deferred d WHERE d.ctid = ANY (ARRAY(SELECT tid FROM due))
        RETURNING d.priority, d.created_at, d.id, d.queue, d.kind
      )
      INSERT INTO ${flyway:defaultSchema}.ready (priority, created_at, id, queue, kind)
      SELECT priority, created_at, id, queue, kind FROM moved;
      GET DIAGNOSTICS promoted = ROW_COUNT;
      SELECT d.run_at INTO next_due FROM ${flyway:defaultSchema}.deferred d WHERE d.run_at < 'infinity' ORDER BY d.run_at, d.id LIMIT 1;
    END IF;
    next_due_ms := extract(epoch FROM next_due - now())::double precision * 1000;
  END IF;
  promoted := COALESCE(promoted, 0);

  IF suspects_at_most > 0 THEN
    SELECT s.id INTO suspected FROM ${flyway:defaultSchema}.suspects s
    JOIN ${flyway:defaultSchema}.queues q ON q.name = s.queue AND q.paused_at IS NULL
    WHERE s.kind = ANY (of_kinds) AND (cardinality(from_queues) = 0 OR s.queue = ANY (from_queues))
    ORDER BY s.priority DESC, s.created_at, s.id
    LIMIT 1
    FOR UPDATE OF s SKIP LOCKED;
    IF suspected IS NOT NULL THEN
      DELETE FROM ${flyway:defaultSchema}.suspects s WHERE s.id = suspected;
    END IF;
  END IF;

  WITH behind AS MATERIALIZED (
    -- One per lane, whatever has been done to those tickets since.
    SELECT DISTINCT ON (b.queue, b.kind) b.queue, b.kind, ~b.priority AS rank, b.created_at, b.id
    FROM unnest(behind_ids) AS a (id)
    CROSS JOIN LATERAL (SELECT * FROM ${flyway:defaultSchema}.ticket_base b WHERE b.id = a.id LIMIT 1) b
    ORDER BY b.queue, b.kind, rank, b.created_at, b.id
  ), picked AS (
    SELECT r.tid, r.id
    FROM ${flyway:defaultSchema}.lanes n
    JOIN ${flyway:defaultSchema}.queues q ON q.name = n.queue AND q.paused_at IS NULL
    LEFT JOIN behind ON behind.queue = n.queue AND behind.kind = n.kind
    CROSS JOIN LATERAL (
      SELECT r.ctid AS tid, r.id, r.priority, r.created_at FROM ${flyway:defaultSchema}.ready r
      WHERE r.queue = n.queue AND r.kind = n.kind
        AND (~r.priority, r.created_at, r.id)
          > (COALESCE(behind.rank, -2147483648), COALESCE(behind.created_at, '-infinity'), COALESCE(behind.id, -9223372036854775808))
      ORDER BY ~r.priority, r.created_at, r.id
      LIMIT at_most
      FOR UPDATE SKIP LOCKED
    ) r
    WHERE n.kind = ANY (of_kinds) AND (cardinality(from_queues) = 0 OR n.queue = ANY (from_queues))
    ORDER BY r.priority DESC, r.created_at, r.id
    LIMIT at_most - (suspected IS NOT NULL)::integer
  )
  SELECT array_agg(p.tid), array_agg(p.id) INTO tids, taken FROM picked p;
  IF taken IS NULL AND suspected IS NULL THEN
    RETURN NEXT;
    RETURN;
  END IF;

  new_lease := nextval('${flyway:defaultSchema}.lease_no_seq');
  IF taken IS NOT NULL THEN
    DELETE FROM ${flyway:defaultSchema}.ready r WHERE r.ctid = ANY (tids);
    RETURN QUERY
    SELECT
      promoted, next_due_ms,
      b.id, b.queue, b.kind, b.title, b.payload::text, b.priority, b.created_at, b.attempt_count, COALESCE(b.retry_count, 0),
      new_lease, now(), until,
      d.id, d.name, d.version, d.kind, d.definition::text, NULL::text, false, false
    FROM unnest(taken) WITH ORDINALITY AS t (id, place)
    CROSS JOIN LATERAL (SELECT * FROM ${flyway:defaultSchema}.ticket_base b WHERE b.id = t.id LIMIT 1) b
    LEFT JOIN LATERAL (SELECT * FROM ${flyway:defaultSchema}.designs d WHERE d.id = b.design_id LIMIT 1) d ON true
    WHERE b.payload_bytes <= small_bytes AND b.crash_count = 0 AND b.guidance_count = 0
      AND (b.title IS NULL OR octet_length(b.title) <= small_bytes)
      AND (d.id IS NULL OR pg_column_size(d.definition) <= small_bytes)
    ORDER BY t.place;
    GET DIAGNOSTICS whole = ROW_COUNT;
  END IF;
  IF whole = cardinality(taken) AND suspected IS NULL THEN
    INSERT INTO ${flyway:defaultSchema}.leases (id, claimed_at, expires_at, worker_id, ids, for_ms)
    VALUES (new_lease, now(), until, for_worker, taken, for_ms);
    RETURN;
  END IF;
  RETURN QUERY
  SELECT promoted, next_due_ms, x.id, NULL::text, NULL::text, NULL::text, NULL::text, NULL::integer, NULL::timestamptz, NULL::integer,
    NULL::integer, x.lease_no, NULL::timestamptz, NULL::timestamptz, NULL::bigint, NULL::text, NULL::integer, NULL::text, NULL::text,
    NULL::text, true, x.suspect
  FROM ${flyway:defaultSchema}.take_apart(
    taken, suspected, new_lease, for_worker, for_ms, small_bytes, room_bytes, suspects_at_most) AS x;
END
$$;
COMMENT ON FUNCTION take_tickets IS 'Claims up to at_most tickets of these kinds (from_queues empty: of all queues) for for_ms milliseconds. behind_ids as in claim_tickets. Whole rows come of what has at most small_bytes; of the rest (apart) only who it is, for claimed_ticket: as many as start within room_bytes. Of suspects it takes suspects_at_most, 0 or 1, under a lease of its own.';

-- As before, and says when.
CREATE OR REPLACE FUNCTION renew_leases(of_worker text, lease_nos bigint[], for_ms bigint)
RETURNS TABLE (id bigint, renewed boolean, revoked bigint[])
LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET lock_timeout = '250ms'
AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
  WITH alive AS (
    UPDATE ${flyway:defaultSchema}.workers w SET heartbeat_at = now() WHERE w.id = of_worker
  ), unlocked AS MATERIALIZED (
    SELECT l.id FROM ${flyway:defaultSchema}.leases l
    WHERE l.id = ANY (lease_nos) AND l.worker_id = of_worker
    ORDER BY l.id
    FOR NO KEY UPDATE SKIP LOCKED
  ), renewed AS (
    UPDATE ${flyway:defaultSchema}.leases l
    SET expires_at = now() + renew_leases.for_ms * interval '1 millisecond', renewed_at = now()
    FROM unlocked u
    WHERE l.id = ANY (ARRAY[u.id])
    RETURNING l.id, l.revoked
  )
  SELECT l.id, r.id IS NOT NULL AS renewed, COALESCE(r.revoked, l.revoked) AS revoked
  FROM ${flyway:defaultSchema}.leases l LEFT JOIN renewed r ON r.id = l.id
  WHERE l.id = ANY (lease_nos) AND l.worker_id = of_worker;
END
$$;

CREATE FUNCTION measured_bytes(document jsonb) RETURNS bigint
LANGUAGE plpgsql IMMUTABLE STRICT SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
BEGIN
  RETURN expanded_bytes(document, 33554432);
EXCEPTION WHEN OTHERS THEN
  RETURN 2147483647;
END
$$;
COMMENT ON FUNCTION measured_bytes IS 'As expanded_bytes; very much for a document that cannot be read.';

-- The rest of a claim in which not all tickets are small and without suspicion: leases what may run, puts back what may not yet.
CREATE FUNCTION take_apart(
  taken bigint[], suspected bigint, new_lease bigint, for_worker text, for_ms bigint, small_bytes integer, room_bytes bigint,
  suspects_at_most integer)
RETURNS TABLE (id bigint, lease_no bigint, suspect boolean)
LANGUAGE plpgsql SET search_path = ${flyway:defaultSchema}, pg_temp
  SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off SET lock_timeout = '250ms'
AS $$
#variable_conflict use_column
DECLARE
  until timestamptz := now() + for_ms * interval '1 millisecond';
  own_lease bigint;
  large bigint[];
  waiting bigint[];
  put_back bigint[];
BEGIN
  waiting := ARRAY(
    SELECT t.id FROM unnest(taken) WITH ORDINALITY AS t (id, place) JOIN ticket_base b ON b.id = ANY (ARRAY[t.id])
    WHERE b.crash_count > 0 ORDER BY t.place);
  IF suspected IS NULL AND suspects_at_most > 0 THEN
    suspected := waiting[1];
    waiting := waiting[2:];
  END IF;
  IF suspected IS NOT NULL THEN
    own_lease := nextval('lease_no_seq');
    INSERT INTO leases (id, claimed_at, expires_at, worker_id, ids, for_ms, suspect)
    VALUES (own_lease, now(), until, for_worker, ARRAY[suspected], for_ms, true);
    id := suspected;
    lease_no := own_lease;
    suspect := true;
    RETURN NEXT;
  END IF;
  WITH sized AS (
    SELECT t.id, t.place, GREATEST(COALESCE(b.payload_bytes, measured_bytes(b.payload)), 1)::numeric AS bytes,
      b.payload_bytes <= small_bytes AND b.guidance_count = 0 AND (b.title IS NULL OR octet_length(b.title) <= small_bytes)
        AND (d.id IS NULL OR pg_column_size(d.definition) <= small_bytes) AS small
    FROM unnest(taken) WITH ORDINALITY AS t (id, place)
    JOIN ticket_base b ON b.id = ANY (ARRAY[t.id])
    LEFT JOIN designs d ON d.id = b.design_id
    WHERE b.crash_count = 0
  ), placed AS (
    SELECT s.id, s.place, COALESCE(sum(s.bytes) OVER (ORDER BY s.place ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS before
    FROM sized s WHERE s.small IS NOT TRUE
  )
  SELECT array_agg(p.id ORDER BY p.place) FILTER (WHERE p.before < room_bytes),
    array_agg(p.id) FILTER (WHERE p.before >= room_bytes)
  INTO large, put_back FROM placed p;
  INSERT INTO suspects (priority, created_at, id, queue, kind)
  SELECT b.priority, b.created_at, b.id, b.queue, b.kind FROM ticket_base b WHERE b.id = ANY (waiting);
  INSERT INTO ready (priority, created_at, id, queue, kind)
  SELECT b.priority, b.created_at, b.id, b.queue, b.kind FROM ticket_base b WHERE b.id = ANY (put_back);
  taken := ARRAY(
    SELECT t.id FROM unnest(taken) AS t (id)
    WHERE t.id <> ALL (waiting) AND t.id IS DISTINCT FROM suspected AND t.id <> ALL (COALESCE(put_back, '{}')));
  IF cardinality(taken) > 0 THEN
    INSERT INTO leases (id, claimed_at, expires_at, worker_id, ids, for_ms) VALUES (new_lease, now(), until, for_worker, taken, for_ms);
    RETURN QUERY SELECT u.id, new_lease, false FROM unnest(large) AS u (id);
  END IF;
END
$$;
COMMENT ON FUNCTION take_apart IS 'The part of take_tickets for what is large, of unknown size or suspect.';

CREATE FUNCTION claimed_ticket(ticket_id bigint, under_lease bigint, most_bytes bigint)
RETURNS TABLE (
  promoted bigint, next_due_ms double precision, id bigint, queue text, kind text, title text, payload text, priority integer,
  created_at timestamptz, attempt_count integer, retry_count integer, lease_no bigint, claimed_at timestamptz, expires_at timestamptz,
  design_id bigint, design_name text, design_version integer, design_kind text, definition text, guidance text)
LANGUAGE plpgsql SET search_path = ${flyway:defaultSchema}, pg_temp SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off
AS $$
#variable_conflict use_column
DECLARE
  b ticket_base;
  l leases;
  d designs;
  reading text;
  bytes bigint;
BEGIN
  SELECT * INTO l FROM leases WHERE leases.id = under_lease;
  SELECT * INTO b FROM ticket_base WHERE ticket_base.id = ticket_id AND ticket_base.fence < under_lease AND ticket_base.state = 'ready';
  IF l.id IS NULL OR b.id IS NULL THEN
    RETURN;
  END IF;
  SELECT * INTO d FROM designs WHERE designs.id = b.design_id;
  BEGIN
    reading := 'payload';
    bytes := COALESCE(b.payload_bytes, expanded_bytes(b.payload, most_bytes));
    IF bytes > most_bytes THEN
      RAISE EXCEPTION 'it has % bytes or more as text, and % are allowed (payload.max-expanded-bytes)', bytes, most_bytes
        USING ERRCODE = 'HF422';
    END IF;
    payload := b.payload::text;
    reading := 'title';
    IF octet_length(b.title) > most_bytes THEN
      RAISE EXCEPTION 'it has % bytes, and % are allowed (payload.max-expanded-bytes)', octet_length(b.title), most_bytes
        USING ERRCODE = 'HF422';
    END IF;
    title := b.title;
    reading := 'design';
    IF d.id IS NOT NULL AND expanded_bytes(d.definition, most_bytes) > most_bytes THEN
      RAISE EXCEPTION 'it has % bytes or more as text, and % are allowed (payload.max-expanded-bytes)', expanded_bytes(d.definition, most_bytes), most_bytes
        USING ERRCODE = 'HF422';
    END IF;
    definition := d.definition::text;
    reading := 'guidance';
    IF b.guidance_count > 0 THEN
      SELECT jsonb_agg(jsonb_build_object('text', g.guidance, 'author', g.author, 'source', g.source, 'givenAt', g.created_at) ORDER BY g.id)::text
      INTO guidance FROM ticket_guidance g WHERE g.ticket_id = b.id;
    END IF;
  EXCEPTION WHEN OTHERS THEN
    RAISE EXCEPTION 'its % cannot be read: %', reading, SQLERRM USING ERRCODE = SQLSTATE;
  END;
  id := b.id;
  queue := b.queue;
  kind := b.kind;
  priority := b.priority;
  created_at := b.created_at;
  attempt_count := b.attempt_count;
  retry_count := COALESCE(b.retry_count, 0);
  lease_no := l.id;
  claimed_at := l.claimed_at;
  expires_at := l.expires_at;
  design_id := d.id;
  design_name := d.name;
  design_version := d.version;
  design_kind := d.kind;
  RETURN NEXT;
END
$$;
COMMENT ON FUNCTION claimed_ticket IS 'A claimed ticket with all that its worker needs, read by itself; nothing if the claim is over. What cannot be read, or has more than most_bytes as text, is an error that names the column.';

-- As before, and among the suspects.
CREATE OR REPLACE FUNCTION make_unclaimable(t ticket_base) RETURNS boolean
LANGUAGE plpgsql SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
BEGIN
  DELETE FROM ready r
  WHERE r.queue = t.queue AND r.kind = t.kind AND ~r.priority = ~t.priority AND r.created_at = t.created_at AND r.id = t.id;
  IF FOUND THEN
    RETURN true;
  END IF;
  DELETE FROM deferred d WHERE d.run_at = t.retry_after AND d.id = t.id;
  IF FOUND THEN
    RETURN true;
  END IF;
  -- It may have been promoted, or put aside, between two statements.
  DELETE FROM ready r
  WHERE r.queue = t.queue AND r.kind = t.kind AND ~r.priority = ~t.priority AND r.created_at = t.created_at AND r.id = t.id;
  IF FOUND THEN
    RETURN true;
  END IF;
  DELETE FROM suspects s WHERE s.id = t.id;
  RETURN FOUND;
END
$$;

CREATE OR REPLACE VIEW queue_health AS
SELECT q.name AS queue, q.paused_at IS NOT NULL AS paused, q.paused_by,
  r.n + s.n AS ready, LEAST(r.oldest, s.oldest) AS oldest_ready_at,
  COALESCE(d.retrying, 0) AS retrying, COALESCE(d.scheduled, 0) AS scheduled, d.next_at AS next_due_at,
  COALESCE(p.n, 0) AS in_progress, COALESCE(h.n, 0) AS on_hold, COALESCE(d.waiting_for_provider, 0) AS waiting_for_provider
FROM queues q
CROSS JOIN LATERAL (SELECT count(*) AS n, min(r.created_at) AS oldest FROM ready r WHERE r.queue = q.name) r
CROSS JOIN LATERAL (SELECT count(*) AS n, min(s.created_at) AS oldest FROM suspects s WHERE s.queue = q.name) s
LEFT JOIN (
  SELECT d.queue, count(*) FILTER (WHERE w.ticket_id IS NULL AND b.retry_count > 0) AS retrying,
    count(*) FILTER (WHERE w.ticket_id IS NULL AND COALESCE(b.retry_count, 0) = 0) AS scheduled,
    count(w.ticket_id) AS waiting_for_provider, min(d.run_at) AS next_at
  FROM deferred d JOIN ticket_base b ON b.id = d.id
  LEFT JOIN ticket_waits w ON w.ticket_id = d.id AND w.kind = 'provider' AND w.lease_no = b.fence
  GROUP BY d.queue
) d ON d.queue = q.name
LEFT JOIN (
  SELECT b.queue, count(*) AS n
  FROM leases l CROSS JOIN LATERAL unnest(l.ids) AS u(ticket_id)
  -- The LIMIT keeps a planner that overrates the leases from reading all tickets.
  CROSS JOIN LATERAL (SELECT * FROM ticket_base b WHERE b.id = u.ticket_id LIMIT 1) b
  WHERE b.state = 'ready' AND l.id > b.fence GROUP BY b.queue
) p ON p.queue = q.name
LEFT JOIN (SELECT b.queue, count(*) AS n FROM ticket_base b WHERE b.held_at IS NOT NULL GROUP BY b.queue) h ON h.queue = q.name
ORDER BY q.name;

REVOKE EXECUTE ON FUNCTION take_tickets, take_apart, claimed_ticket, measured_bytes FROM PUBLIC;

DO $$
DECLARE
  s text := quote_ident('${flyway:defaultSchema}');
BEGIN
  IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'holdfast_worker') THEN
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %s.suspects TO holdfast_worker', s);
    EXECUTE format('GRANT EXECUTE ON FUNCTION %1$s.take_tickets, %1$s.take_apart, %1$s.claimed_ticket, %1$s.measured_bytes TO holdfast_worker', s);
  END IF;
END
$$;
