-- What a worker calls for every ticket: claim, heartbeat, the end of a lease; results are in R__5_results.sql. They are functions so that a call is one round
-- trip and one transaction by itself, with its settings: plans that keep to the indexes whatever the planner believes of the tables' sizes
-- (a plan made while the tables were empty would scan them whole until some ANALYZE), and no long wait for a lock that a person holds.
-- Their statements are planned once per connection. What each costs, and what was tried, is in docs/adr/0008-engine-speed.md.
-- They name the schema instead of a search_path, which before PostgreSQL 17 costs as much as the claim itself.
--
-- Flyway runs this file after all versioned ones: again with each version of the schema (now ${version}), and whenever it changes.

-- After a refusal, when nobody knows yet of which ticket.
CREATE OR REPLACE FUNCTION promote_singly() RETURNS bigint
LANGUAGE plpgsql SET search_path = ${flyway:defaultSchema}, pg_temp SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off AS $$
DECLARE
  d deferred;
  promoted bigint := 0;
BEGIN
  FOR d IN SELECT * FROM deferred x WHERE x.run_at <= now() ORDER BY x.run_at, x.id LIMIT 1000 FOR UPDATE SKIP LOCKED LOOP
    BEGIN
      DELETE FROM deferred x WHERE x.id = d.id AND x.run_at = d.run_at;
      INSERT INTO ready (priority, created_at, id, queue, kind) VALUES (d.priority, d.created_at, d.id, d.queue, d.kind);
      promoted := promoted + 1;
    EXCEPTION WHEN OTHERS OR query_canceled OR assert_failure THEN
      RAISE WARNING 'ticket % cannot be claimed: % (SQLSTATE %)', d.id, SQLERRM, SQLSTATE;
    END;
  END LOOP;
  RETURN promoted;
END
$$;
COMMENT ON FUNCTION promote_singly IS 'Makes deferred tickets ready whose time has come, past those that the database does not let go; returns how many.';

-- Claims up to at_most ready tickets for a worker under one new lease, and promotes deferred tickets that came due before.
-- Always one row at least: the first two columns say what was promoted and what is due next; the rest is null without a ticket.
-- No content can fail it: it brings with it only what is known to be small. What is large or unknown the worker reads afterwards, one by
-- one, under the lease (claimed_ticket). A ticket whose worker died runs alone (docs/adr/0018-poison-tickets.md).
-- Several small statements instead of one large: what an idle worker mostly runs is the few of them that find nothing to do, and each
-- costs what it touches. All of them are one transaction with the caller's call, and each sees what those before it did.
-- Indexes: deferred_by_time, ready_in_claim_order (one scan per lane, in claim order), primary keys. Lines: R__5_lines.sql.
-- Traps: `id IN (SELECT ... LIMIT)` plans as a scan of the whole table, so rows are taken by ctid, which the row locks make safe; the
-- LATERAL with LIMIT keeps to the indexes. The rows are filtered before anything is made text; nothing else here reads a column that
-- somebody filled. The few suspects are scanned whole, which seems so costly without jit = off that PostgreSQL compiles the plan anew in every
-- claim: 30 ms of a machine with nothing else to do.
DROP FUNCTION IF EXISTS take_tickets(text[], text[], integer, text, bigint, bigint[], integer, bigint, integer);
CREATE OR REPLACE FUNCTION take_tickets(
  of_kinds text[], from_queues text[], at_most integer, for_worker text, for_ms bigint, behind_ids bigint[],
  small_bytes integer, room_bytes bigint, suspects_at_most integer)
RETURNS TABLE (
  promoted bigint, next_due_ms double precision, id bigint, queue text, kind text, title text, payload text, priority integer,
  created_at timestamptz, attempt_count integer, retry_count integer, lease_no bigint, claimed_at timestamptz, expires_at timestamptz,
  design_id bigint, design_name text, design_version integer, design_kind text, definition text, guidance text,
  apart boolean, suspect boolean, retry boolean)
LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off
  SET lock_timeout = '250ms'
AS $$
#variable_conflict use_column
DECLARE
  next_due timestamptz;
  again_ms double precision;
  tids tid[];
  taken bigint[];
  met bigint[];
  lined bigint[];
  whole bigint;
  suspected bigint;
  candidate bigint;
  its_queue text;
  its_group text;
  full_groups text[] := '{}';
  room integer := at_most;
  limits_in_use boolean;
  any_suspects boolean;
  new_lease bigint;
  until timestamptz := now() + for_ms * interval '1 millisecond';
BEGIN
  -- One look for all that is mostly not there, for each statement costs a claim: what is due next, limits and keys, suspects.
  SELECT
    -- Before PostgreSQL 17 an infinite time cannot be subtracted from.
    CASE WHEN cardinality(behind_ids) = 0 THEN (
      SELECT d.run_at FROM ${flyway:defaultSchema}.deferred d WHERE d.run_at < 'infinity' ORDER BY d.run_at, d.id LIMIT 1) END,
    EXISTS (SELECT FROM ${flyway:defaultSchema}.line_gates) OR EXISTS (SELECT FROM ${flyway:defaultSchema}.claim_limits),
    suspects_at_most > 0 AND EXISTS (SELECT FROM ${flyway:defaultSchema}.suspects)
  INTO next_due, limits_in_use, any_suspects;
  IF limits_in_use THEN
    new_lease := nextval('${flyway:defaultSchema}.lease_no_seq');
  END IF;

  IF next_due <= now() THEN
    IF small_bytes < 0 THEN
      promoted := ${flyway:defaultSchema}.promote_singly();
    ELSE
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
    END IF;
    SELECT d.run_at INTO next_due FROM ${flyway:defaultSchema}.deferred d WHERE d.run_at < 'infinity' ORDER BY d.run_at, d.id LIMIT 1;
  END IF;
  next_due_ms := extract(epoch FROM next_due - now())::double precision * 1000;
  promoted := COALESCE(promoted, 0);

  IF any_suspects THEN
    FOR candidate, its_queue, its_group IN
      SELECT s.id, s.queue, s.queue || chr(1) || COALESCE(b.design_id::text, '') || chr(1)
        || CASE WHEN EXISTS (SELECT FROM ${flyway:defaultSchema}.claim_limits x WHERE x.per_key IS NOT NULL) THEN COALESCE(b.concurrency_key, '') ELSE '' END
      FROM ${flyway:defaultSchema}.suspects s
      JOIN ${flyway:defaultSchema}.queues q ON q.name = s.queue AND q.paused_at IS NULL
      CROSS JOIN LATERAL (SELECT b.fence, b.design_id, b.concurrency_key FROM ${flyway:defaultSchema}.ticket_base b WHERE b.id = s.id LIMIT 1) b
      WHERE s.kind = ANY (of_kinds) AND (cardinality(from_queues) = 0 OR s.queue = ANY (from_queues))
      -- Whose last attempt began longest ago comes first: one that is put off again and again takes turns with the others.
      ORDER BY s.priority DESC, b.fence, s.created_at, s.id
      LIMIT CASE WHEN small_bytes < 0 THEN 100 END
    LOOP
      -- Those in which no limit sees a difference are asked for once: thousands may stand before the first that may start.
      CONTINUE WHEN its_group = ANY (full_groups);
      BEGIN
        PERFORM FROM ${flyway:defaultSchema}.suspects s
        WHERE s.id = candidate AND s.queue = its_queue FOR UPDATE SKIP LOCKED;
        CONTINUE WHEN NOT FOUND;
        IF limits_in_use AND NOT ${flyway:defaultSchema}.take_place(candidate, new_lease) THEN
          full_groups := full_groups || its_group;
          EXIT WHEN cardinality(full_groups) = 100;
          CONTINUE;
        END IF;
        DELETE FROM ${flyway:defaultSchema}.suspects s WHERE s.id = candidate;
        suspected := candidate;
        EXIT;
      EXCEPTION WHEN OTHERS OR query_canceled OR assert_failure THEN
        IF small_bytes >= 0 THEN
          RAISE;
        END IF;
        RAISE WARNING 'ticket % cannot be claimed: % (SQLSTATE %)', candidate, SQLERRM, SQLSTATE;
      END;
    END LOOP;
  END IF;

  room := room - (suspected IS NOT NULL)::integer;
  IF limits_in_use AND room > 0 THEN
    SELECT NULLIF(x.ids, '{}'), x.again_ms INTO taken, again_ms
    FROM ${flyway:defaultSchema}.take_from_lines(of_kinds, from_queues, room, new_lease, true, small_bytes < 0) AS x;
    room := room - COALESCE(cardinality(taken), 0);
  END IF;
  -- Once, unless what is found has to be put in line.
  FOR again IN 1..4 LOOP
    EXIT WHEN room = 0;
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
        LIMIT room
        FOR UPDATE SKIP LOCKED
      ) r
      WHERE n.kind = ANY (of_kinds) AND (cardinality(from_queues) = 0 OR n.queue = ANY (from_queues))
      ORDER BY r.priority DESC, r.created_at, r.id
      LIMIT room
    )
    SELECT array_agg(p.tid), array_agg(p.id) INTO tids, met FROM picked p;
    -- What has expired stays where it is until hold_expired takes it. One look into an index, and mostly no more.
    IF met IS NOT NULL AND EXISTS (SELECT FROM ${flyway:defaultSchema}.ticket_deadlines e WHERE e.expires_at <= now()) THEN
      SELECT array_agg(u.tid), array_agg(u.id) INTO tids, met FROM unnest(tids, met) AS u (tid, id)
      WHERE NOT EXISTS (SELECT FROM ${flyway:defaultSchema}.ticket_deadlines e WHERE e.ticket_id = u.id AND e.expires_at <= now());
    END IF;
    EXIT WHEN met IS NULL;
    IF small_bytes < 0 THEN
      -- The same claim was refused just now. One by one, whoever is refused stays where it is, and the others do not wait for it.
      FOR place IN 1..cardinality(met) LOOP
        BEGIN
          DELETE FROM ${flyway:defaultSchema}.ready r WHERE r.ctid = tids[place];
        EXCEPTION WHEN OTHERS OR query_canceled OR assert_failure THEN
          RAISE WARNING 'ticket % cannot be claimed: % (SQLSTATE %)', met[place], SQLERRM, SQLSTATE;
          met[place] := NULL;
        END;
      END LOOP;
      met := array_remove(met, NULL);
      EXIT WHEN cardinality(met) = 0;
    ELSE
      DELETE FROM ${flyway:defaultSchema}.ready r WHERE r.ctid = ANY (tids);
    END IF;
    IF NOT limits_in_use THEN
      taken := met;
      EXIT;
    END IF;
    lined := ${flyway:defaultSchema}.line_up_some(met);
    IF lined IS NULL THEN
      taken := taken || met;
      room := room - cardinality(met);
      EXIT;
    END IF;
    met := ARRAY(SELECT u.id FROM unnest(met) WITH ORDINALITY AS u (id, place) WHERE u.id <> ALL (lined) ORDER BY u.place);
    taken := taken || met;
    room := room - cardinality(met);
    again_ms := 0;
  END LOOP;
  IF limits_in_use AND room > 0 THEN
    SELECT taken || x.ids, LEAST(again_ms, x.again_ms) INTO taken, again_ms
    FROM ${flyway:defaultSchema}.take_from_lines(of_kinds, from_queues, room, new_lease, false, small_bytes < 0) AS x;
  END IF;
  next_due_ms := LEAST(next_due_ms, again_ms);
  taken := NULLIF(taken, '{}');
  IF taken IS NULL AND suspected IS NULL THEN
    RETURN NEXT;
    RETURN;
  END IF;

  new_lease := COALESCE(new_lease, nextval('${flyway:defaultSchema}.lease_no_seq'));
  IF taken IS NOT NULL THEN
    RETURN QUERY
    SELECT
      promoted, next_due_ms,
      b.id, b.queue, b.kind, b.title, b.payload::text, b.priority, b.created_at, b.attempt_count, COALESCE(b.retry_count, 0),
      new_lease, now(), until,
      d.id, d.name, d.version, d.kind, d.definition::text, NULL::text, false, false,
      b.same_error_count > 0
    FROM unnest(taken) WITH ORDINALITY AS t (id, place)
    CROSS JOIN LATERAL (SELECT * FROM ${flyway:defaultSchema}.ticket_base b WHERE b.id = t.id LIMIT 1) b
    LEFT JOIN LATERAL (SELECT * FROM ${flyway:defaultSchema}.designs d WHERE d.id = b.design_id LIMIT 1) d ON true
    WHERE b.payload_bytes <= small_bytes AND b.crash_count = 0 AND b.guidance_count = 0 AND b.follows IS NULL AND b.fence < new_lease
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
    NULL::text, true, x.suspect, NULL::boolean
  FROM ${flyway:defaultSchema}.take_apart(
    taken, suspected, new_lease, for_worker, for_ms, small_bytes, room_bytes, suspects_at_most) AS x;
END
$$;
COMMENT ON FUNCTION take_tickets IS 'Claims up to at_most tickets of these kinds (from_queues empty: of all queues) for for_ms milliseconds. behind_ids is empty for a full claim, else the last ticket claimed of each lane: then nothing that stands before it in its lane is looked at, and nothing is promoted. Whole rows come of what has at most small_bytes; of the rest (apart) only who it is, for claimed_ticket: as many as start within room_bytes. Of suspects it takes suspects_at_most, 0 or 1, under a lease of its own.';

-- The rest of a claim in which not all tickets are small and without suspicion: leases what may run, puts back what may not yet.
CREATE OR REPLACE FUNCTION take_apart(
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
  each record;
  given record;
  large bigint[];
  waiting bigint[];
  put_back bigint[];
  highest bigint;
BEGIN
  -- A number of a lease that a ticket has had already would let its results be refused, and the ticket be lost with the lease. The numbers that
  -- are drawn here stay drawn when the claim is undone.
  SELECT max(b.fence) INTO highest
  FROM unnest(taken || suspected) AS t (id)
  CROSS JOIN LATERAL (SELECT b.fence FROM ticket_base b WHERE b.id = t.id LIMIT 1) b;
  IF highest >= new_lease THEN
    PERFORM nextval('lease_no_seq') FROM generate_series(new_lease, highest);
    RAISE EXCEPTION 'the sequence lease_no_seq was at %, behind the tickets (a copy of the database without its sequences?); it is moved on to %',
      new_lease, highest;
  END IF;
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
    UPDATE line_slots s SET lease_no = own_lease WHERE s.ticket_id = suspected;
    id := suspected;
    lease_no := own_lease;
    suspect := true;
    RETURN NEXT;
  END IF;
  -- What comes after the last that has room is not measured: it may be a thousand times the room.
  FOR each IN
    SELECT t.id, b.payload_bytes, b.payload, b.follows AND b.kind <> 'workflow' AS takes_results
    FROM unnest(taken) WITH ORDINALITY AS t (id, place)
    JOIN ticket_base b ON b.id = ANY (ARRAY[t.id])
    LEFT JOIN designs d ON d.id = b.design_id
    WHERE b.crash_count = 0
      AND (b.payload_bytes <= small_bytes AND b.guidance_count = 0 AND b.follows IS NULL
        AND (b.title IS NULL OR octet_length(b.title) <= small_bytes)
        AND (d.id IS NULL OR pg_column_size(d.definition) <= small_bytes)) IS NOT TRUE
    ORDER BY t.place
  LOOP
    IF room_bytes <= 0 THEN
      put_back := put_back || each.id;
      CONTINUE;
    END IF;
    large := large || each.id;
    room_bytes := room_bytes - GREATEST(COALESCE(each.payload_bytes, measured_bytes(each.payload)), 1);
    IF each.takes_results THEN
      FOR given IN
        SELECT b.result FROM ticket_dependencies d JOIN ticket_base b ON b.id = d.after_id
        WHERE d.ticket_id = each.id AND d.name IS NOT NULL AND b.result IS NOT NULL
      LOOP
        EXIT WHEN room_bytes <= 0;
        room_bytes := room_bytes - measured_bytes(given.result);
      END LOOP;
    END IF;
  END LOOP;
  INSERT INTO suspects (priority, created_at, id, queue, kind)
  SELECT b.priority, b.created_at, b.id, b.queue, b.kind FROM ticket_base b WHERE b.id = ANY (waiting);
  -- They run one after the other, and hold no place meanwhile: take_place gives each one when it starts.
  DELETE FROM line_slots s WHERE s.ticket_id = ANY (waiting);
  IF FOUND THEN
    PERFORM wake_lines();
  END IF;
  INSERT INTO ready (priority, created_at, id, queue, kind)
  SELECT b.priority, b.created_at, b.id, b.queue, b.kind FROM ticket_base b WHERE b.id = ANY (put_back);
  IF put_back IS NOT NULL THEN
    -- What is put back has used up neither a place nor a token of a rate, whose gate this claim has locked.
    DELETE FROM line_slots s WHERE s.ticket_id = ANY (put_back);
    UPDATE limit_gates g SET full_at = g.full_at - p.n * x.per / x.rate
    FROM claim_limits x CROSS JOIN LATERAL (
      SELECT count(*) AS n FROM ticket_base b LEFT JOIN designs d ON d.id = b.design_id
      WHERE b.id = ANY (put_back) AND (b.queue = x.queue OR d.name = x.design)) p
    WHERE g.scope = x.scope AND x.rate IS NOT NULL AND p.n > 0;
  END IF;
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

DROP FUNCTION IF EXISTS results_for(bigint, bigint);
CREATE OR REPLACE FUNCTION results_for(ticket_id bigint, most_bytes bigint) RETURNS text
LANGUAGE plpgsql STABLE SET search_path = ${flyway:defaultSchema}, pg_temp SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off
AS $$
DECLARE
  each record;
  bytes bigint := 0;
BEGIN
  FOR each IN
    SELECT d.name, d.after_id, b.result FROM ticket_dependencies d JOIN ticket_base b ON b.id = d.after_id
    WHERE d.ticket_id = results_for.ticket_id AND d.name IS NOT NULL
  LOOP
    bytes := bytes + COALESCE(expanded_bytes(each.result, most_bytes), 0);
    IF bytes > most_bytes THEN
      RAISE EXCEPTION 'up to "%" of #% they have % bytes or more as text, and % are allowed (payload.max-expanded-bytes)',
        each.name, each.after_id, bytes, most_bytes USING ERRCODE = 'HF422';
    END IF;
  END LOOP;
  -- jsonb_object_agg looks at the rest of a list for each text in it: 9 s for 100,000 of them. As text, in the order of jsonb.
  RETURN (
    SELECT '{' || string_agg(to_jsonb(d.name)::text || ': ' || COALESCE(b.result::text, 'null'), ', ' ORDER BY octet_length(d.name), d.name COLLATE "C") || '}'
    FROM ticket_dependencies d JOIN ticket_base b ON b.id = d.after_id
    WHERE d.ticket_id = results_for.ticket_id AND d.name IS NOT NULL);
END
$$;
COMMENT ON FUNCTION results_for IS 'The results of the named predecessors of a ticket, by name, as text of a JSON object; HF422 if they have more than most_bytes as text.';

DROP FUNCTION IF EXISTS claimed_ticket(bigint, bigint, bigint);
CREATE OR REPLACE FUNCTION claimed_ticket(ticket_id bigint, under_lease bigint, most_bytes bigint)
RETURNS TABLE (
  promoted bigint, next_due_ms double precision, id bigint, queue text, kind text, title text, payload text, priority integer,
  created_at timestamptz, attempt_count integer, retry_count integer, lease_no bigint, claimed_at timestamptz, expires_at timestamptz,
  design_id bigint, design_name text, design_version integer, design_kind text, definition text, guidance text, results text,
  retry boolean)
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
      SELECT jsonb_agg(jsonb_build_object('text', g.guidance, 'author', g.author, 'source', g.source, 'givenAt', g.created_at,
        'question', g.question, 'answer', g.answer::text) ORDER BY g.id)::text
      INTO guidance FROM ticket_guidance g WHERE g.ticket_id = b.id;
    END IF;
    IF b.follows AND b.kind <> 'workflow' THEN
      reading := 'results of the tickets before it';
      results := results_for(b.id, most_bytes);
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
  -- The last execution failed, and no person has spoken since.
  retry := b.same_error_count > 0;
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

-- Whoever is heard of again has not died: what it lost meanwhile was taken for crashed, and is given back instead. Ids of workers are new at each
-- start. What is held stays held, and what somebody has locked a suspect. BRIN finds the attempts.
CREATE OR REPLACE FUNCTION forgive_crashes(of_worker text, since timestamptz) RETURNS void
LANGUAGE plpgsql SET search_path = ${flyway:defaultSchema}, pg_temp SET plan_cache_mode = force_generic_plan
  SET enable_seqscan = off SET enable_bitmapscan = on SET jit = off SET lock_timeout = '250ms'
AS $$
DECLARE
  innocent bigint[];
  freed text[];
BEGIN
  UPDATE workers w SET blamed = false WHERE w.id = of_worker AND w.blamed;
  WITH lost AS MATERIALIZED (
    SELECT b.id, b.fence
    FROM ticket_attempts a JOIN ticket_base b ON b.id = ANY (ARRAY[a.ticket_id])
    WHERE a.finished_at >= since AND a.worker_id = of_worker AND a.outcome = 'crashed'
      AND b.fence = a.lease_no AND b.state = 'ready' AND b.crash_count > 0
      -- What silences workers again and again is no innocent: of several in a row the first is forgiven.
      AND NOT EXISTS (
        SELECT FROM ticket_attempts e
        WHERE e.ticket_id = ANY (ARRAY[b.id]) AND e.category IS NOT NULL AND e.outcome IN ('crashed', 'given_back')
          AND e.lease_no = (
            SELECT max(f.lease_no) FROM ticket_attempts f WHERE f.ticket_id = ANY (ARRAY[b.id]) AND f.lease_no < b.fence))
    ORDER BY b.id
    FOR NO KEY UPDATE OF b SKIP LOCKED
  ), given_back AS (
    UPDATE ticket_attempts a SET outcome = 'given_back' FROM lost l WHERE a.ticket_id = ANY (ARRAY[l.id]) AND a.lease_no = l.fence
  ), counted AS (
    UPDATE ticket_base b SET crash_count = b.crash_count - 1, updated_at = now() FROM lost l WHERE b.id = ANY (ARRAY[l.id])
    RETURNING b.id, b.crash_count
  )
  SELECT array_agg(c.id) INTO innocent FROM counted c WHERE c.crash_count = 0;
  IF innocent IS NULL THEN
    RETURN;
  END IF;
  -- Those that have to stand in line are put there when they are met: see take_tickets.
  WITH cleared AS (
    DELETE FROM suspects s WHERE s.id = ANY (innocent) RETURNING s.priority, s.created_at, s.id, s.queue, s.kind
  ), without_place AS (
    DELETE FROM line_slots x USING cleared c WHERE x.ticket_id = c.id
  ), now_ready AS (
    INSERT INTO ready (priority, created_at, id, queue, kind) SELECT c.priority, c.created_at, c.id, c.queue, c.kind FROM cleared c
  )
  SELECT array_agg(DISTINCT c.queue) INTO freed FROM cleared c;
  PERFORM wake_workers(freed);
END
$$;
COMMENT ON FUNCTION forgive_crashes IS 'For renew_leases: tickets of a worker that was silent, and lives, were no crashes and are no suspects; not twice in a row.';

-- Renews a worker's leases (a HOT update each), says when, and tells which tickets in them a person revoked.
-- A lease that somebody has locked (a person's open transaction that cancels a ticket in it) must not hold up the others: it is
-- answered as not renewed, while one that is gone is not answered at all.
CREATE OR REPLACE FUNCTION renew_leases(of_worker text, lease_nos bigint[], for_ms bigint)
RETURNS TABLE (id bigint, renewed boolean, revoked bigint[])
LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET lock_timeout = '250ms'
AS $$
#variable_conflict use_column
DECLARE
  heard_before timestamptz := (SELECT w.heartbeat_at FROM ${flyway:defaultSchema}.workers w WHERE w.id = of_worker);
  known integer;
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
  GET DIAGNOSTICS known = ROW_COUNT;
  -- A lease may be gone at the next heartbeat only: who took it had it locked at this one.
  IF heard_before < now() - for_ms * interval '1 millisecond' OR known < cardinality(lease_nos) THEN
    BEGIN
      PERFORM ${flyway:defaultSchema}.forgive_crashes(of_worker, heard_before - for_ms * interval '1 millisecond');
    EXCEPTION WHEN OTHERS THEN
      -- The leases matter more.
      RAISE WARNING 'what worker % lost while it was silent is suspect: % (SQLSTATE %)', of_worker, SQLERRM, SQLSTATE;
    END;
  END IF;
END
$$;
COMMENT ON FUNCTION renew_leases IS 'A worker''s heartbeat: its leases last for_ms milliseconds from now.';

-- Drops leases none of whose tickets is in progress under them any more.
-- A lease that goes too early would lose its tickets, so this does not believe whoever thinks that they are all finished.
-- Returns those that are locked just now (being renewed, or a person's open transaction revokes a ticket in it): to be tried again.
-- Waiting for them would let one person's open transaction hold up the results of everybody else's tickets.
CREATE OR REPLACE FUNCTION close_leases(lease_nos bigint[]) RETURNS SETOF bigint
LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET lock_timeout = '250ms'
AS $$
DECLARE
  free bigint[] := ARRAY(SELECT l.id FROM ${flyway:defaultSchema}.leases l WHERE l.id = ANY (lease_nos) FOR UPDATE SKIP LOCKED);
BEGIN
  DELETE FROM ${flyway:defaultSchema}.leases l
  WHERE l.id = ANY (free)
    AND NOT EXISTS (
      SELECT FROM unnest(l.ids) AS u (id)
      CROSS JOIN LATERAL (SELECT b.state, b.fence FROM ${flyway:defaultSchema}.ticket_base b WHERE b.id = u.id LIMIT 1) b
      WHERE b.state = 'ready' AND b.fence < l.id);
  IF cardinality(free) < cardinality(lease_nos) THEN
    RETURN QUERY SELECT l.id FROM ${flyway:defaultSchema}.leases l WHERE l.id = ANY (lease_nos) AND l.id <> ALL (free);
  END IF;
END
$$;
COMMENT ON FUNCTION close_leases IS 'Drops those of the leases that are finished; returns those that are locked and have to be tried again.';

SELECT grant_roles(only_new => true);
