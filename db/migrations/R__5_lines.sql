-- Tickets that wait their turn: those with a key or under a limit (docs/adr/0029-limits.md). They are `ready`, but stand in in_line, where an
-- ordinary claim never looks. take_tickets asks take_from_lines for them, and puts in line what it meets in `ready` and should stand there.
--
-- Whoever takes tickets of a lane has its row of line_gates locked, and the rows of limit_gates of the limits that count them: so what
-- runs under a limit is counted and added to by one claim at a time. Nobody waits for a gate; what is locked is left for some
-- milliseconds later.
--
-- Flyway runs this file after all versioned ones: again with each version of the schema (now ${version}), and whenever it changes.

CREATE OR REPLACE FUNCTION stands_in_line(b ticket_base) RETURNS boolean
LANGUAGE sql STABLE SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
  SELECT b.concurrency_key IS NOT NULL OR b.fairness_key IS NOT NULL
    OR EXISTS (SELECT FROM claim_limits x WHERE x.queue = b.queue)
    OR b.design_id IS NOT NULL AND EXISTS (SELECT FROM designs d JOIN claim_limits x ON x.design = d.name WHERE d.id = b.design_id)
$$;
COMMENT ON FUNCTION stands_in_line IS 'Whether a claimable ticket stands in in_line instead of ready: it has a key, or a limit counts it.';

CREATE OR REPLACE FUNCTION know_line(queue text, kind text) RETURNS void
LANGUAGE sql SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
  INSERT INTO line_gates (queue, kind)
  SELECT know_line.queue, know_line.kind
  WHERE NOT EXISTS (SELECT FROM line_gates g WHERE g.queue = know_line.queue AND g.kind = know_line.kind)
  ON CONFLICT DO NOTHING
$$;
COMMENT ON FUNCTION know_line IS 'Makes the gate of a lane whose tickets may stand in line. Also for one that stands elsewhere now, with a key: where there is no gate at all, claims do not ask.';

-- Without a search_path, so that it becomes a part of the statement that calls it.
CREATE OR REPLACE FUNCTION turn_group(fairness_key text, concurrency_key text, design text) RETURNS text
LANGUAGE sql IMMUTABLE AS $$
  SELECT COALESCE('f' || fairness_key, 'c' || concurrency_key, '-') || chr(1) || COALESCE(concurrency_key, '') || chr(1) || COALESCE(design, '')
$$;
COMMENT ON FUNCTION turn_group IS 'As in in_line.turn_group.';

CREATE OR REPLACE FUNCTION line_up(ids bigint[]) RETURNS void
LANGUAGE plpgsql SET search_path = ${flyway:defaultSchema}, pg_temp SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off AS $$
DECLARE
  lined bigint;
BEGIN
  FOR again IN 1..2 LOOP
    INSERT INTO in_line (priority, created_at, id, line, turn_group, concurrency_key, design)
    SELECT b.priority, b.created_at, b.id, g.line, turn_group(b.fairness_key, b.concurrency_key, d.name), COALESCE(b.concurrency_key, ''),
      COALESCE(d.name, '')
    FROM unnest(ids) AS u (id)
    JOIN ticket_base b ON b.id = ANY (ARRAY[u.id])
    JOIN line_gates g ON g.queue = b.queue AND g.kind = b.kind
    LEFT JOIN designs d ON d.id = b.design_id
    ON CONFLICT DO NOTHING;
    GET DIAGNOSTICS lined = ROW_COUNT;
    EXIT WHEN again = 2 OR lined = cardinality(ids);
    PERFORM know_line(n.queue, n.kind)
    FROM (SELECT DISTINCT b.queue, b.kind FROM ticket_base b WHERE b.id = ANY (ids) ORDER BY b.queue, b.kind) n;
  END LOOP;
END
$$;
COMMENT ON FUNCTION line_up IS 'Puts claimable tickets in line that stand nowhere else.';

CREATE OR REPLACE FUNCTION line_up_some(met bigint[]) RETURNS bigint[]
LANGUAGE plpgsql SET search_path = ${flyway:defaultSchema}, pg_temp SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off AS $$
DECLARE
  limited boolean := EXISTS (SELECT FROM claim_limits);
  lined bigint[];
BEGIN
  IF limited THEN
    -- As stands_in_line(b), but each queue and design is looked for once: mostly there is one for hundreds of tickets.
    WITH seen AS MATERIALIZED (
      SELECT b.id, b.queue, b.design_id, b.concurrency_key IS NOT NULL OR b.fairness_key IS NOT NULL AS keyed
      FROM unnest(met) AS u (id) JOIN ticket_base b ON b.id = ANY (ARRAY[u.id])
    )
    SELECT array_agg(s.id) INTO lined FROM seen s
    WHERE s.keyed
      OR s.queue = ANY (ARRAY(
        SELECT x.queue FROM (SELECT DISTINCT n.queue FROM seen n) q JOIN claim_limits x ON x.queue = ANY (ARRAY[q.queue])))
      OR s.design_id = ANY (ARRAY(
        SELECT d.id FROM (SELECT DISTINCT n.design_id FROM seen n WHERE n.design_id IS NOT NULL) q
        JOIN designs d ON d.id = ANY (ARRAY[q.design_id]) JOIN claim_limits x ON x.design = ANY (ARRAY[d.name])));
  ELSE
    SELECT array_agg(b.id) INTO lined FROM unnest(met) AS u (id) JOIN ticket_base b ON b.id = ANY (ARRAY[u.id])
    WHERE b.concurrency_key IS NOT NULL OR b.fairness_key IS NOT NULL;
  END IF;
  IF lined IS NOT NULL THEN
    PERFORM line_up(lined);
  END IF;
  RETURN lined;
END
$$;
COMMENT ON FUNCTION line_up_some IS 'Puts those of the tickets in line that should stand there, and returns them. The caller has taken all of them from ready.';

-- Without a search_path, so that it becomes a part of the statement that calls it.
CREATE OR REPLACE FUNCTION tokens_left(x claim_limits, full_at timestamptz) RETURNS double precision
LANGUAGE sql STABLE AS $$
  SELECT x.burst - GREATEST(extract(epoch FROM GREATEST(full_at, now()) - now()), 0)::double precision
    * x.rate / extract(epoch FROM x.per)::double precision + 1e-6
$$;
COMMENT ON FUNCTION tokens_left IS 'How many tickets may start under a rate now, with fractions; full_at as in limit_gates.';

-- Places are counted where they are taken, not in a counter that can drift.
CREATE OR REPLACE FUNCTION open_places(x claim_limits) RETURNS bigint
LANGUAGE plpgsql STABLE SET search_path = ${flyway:defaultSchema}, pg_temp SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off AS $$
DECLARE
  open bigint := 1000000000;
BEGIN
  IF x.concurrent IS NOT NULL THEN
    open := x.concurrent - CASE WHEN x.queue IS NOT NULL THEN (SELECT count(*) FROM line_slots s WHERE s.queue = x.queue)
      ELSE (SELECT count(*) FROM line_slots s WHERE s.design = x.design AND s.design <> '') END;
  END IF;
  IF x.rate IS NOT NULL THEN
    open := LEAST(open, floor(tokens_left(x, (SELECT g.full_at FROM limit_gates g WHERE g.scope = x.scope)))::bigint);
  END IF;
  RETURN GREATEST(open, 0);
END
$$;
COMMENT ON FUNCTION open_places IS 'How many more tickets a limit lets start now, keys left aside.';

CREATE OR REPLACE FUNCTION open_for_key(x claim_limits, key text) RETURNS bigint
LANGUAGE sql STABLE SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
  SELECT CASE WHEN x.per_key IS NOT NULL AND key <> '' THEN GREATEST(x.per_key - CASE WHEN x.queue IS NOT NULL
    THEN (SELECT count(*) FROM line_slots s WHERE s.queue = x.queue AND s.concurrency_key = key)
    ELSE (SELECT count(*) FROM line_slots s WHERE s.design = x.design AND s.design <> '' AND s.concurrency_key = key) END, 0) END
$$;
COMMENT ON FUNCTION open_for_key IS 'How many more tickets with a concurrency key a limit lets start now; NULL where it does not count them by key.';

CREATE OR REPLACE FUNCTION take_place(suspected bigint, under_lease bigint) RETURNS boolean
LANGUAGE plpgsql SET search_path = ${flyway:defaultSchema}, pg_temp SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off AS $$
DECLARE
  x claim_limits;
  b ticket_base;
  of_design text;
  counted boolean := false;
BEGIN
  -- An earlier version let it keep its place while it waited.
  IF EXISTS (SELECT FROM line_slots s WHERE s.ticket_id = suspected) THEN
    RETURN true;
  END IF;
  SELECT * INTO b FROM ticket_base t WHERE t.id = suspected;
  of_design := COALESCE((SELECT d.name FROM designs d WHERE d.id = b.design_id), '');
  FOR x IN
    SELECT * FROM claim_limits c WHERE (c.queue = b.queue OR c.design = of_design) AND num_nonnulls(c.concurrent, c.per_key) > 0 ORDER BY c.scope
  LOOP
    PERFORM FROM limit_gates g WHERE g.scope = x.scope FOR UPDATE SKIP LOCKED;
    IF NOT FOUND OR open_for_key(x, COALESCE(b.concurrency_key, '')) = 0 OR x.concurrent <= (
        SELECT count(*) FROM line_slots s WHERE s.queue = x.queue OR s.design = x.design AND s.design <> '') THEN
      RETURN false;
    END IF;
    counted := true;
  END LOOP;
  INSERT INTO line_slots (ticket_id, lease_no, queue, concurrency_key, design)
  SELECT b.id, under_lease, b.queue, COALESCE(b.concurrency_key, ''), of_design WHERE counted;
  RETURN true;
END
$$;
COMMENT ON FUNCTION take_place IS 'Gives a suspect that starts its place under the limits that count it, whose gates it locks; false where none is free, or another claim has a gate.';

CREATE OR REPLACE FUNCTION refused_in_line(tids tid[]) RETURNS bigint[]
LANGUAGE plpgsql SET search_path = ${flyway:defaultSchema}, pg_temp SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off AS $$
DECLARE
  ticket bigint;
  refused bigint[] := '{}';
BEGIN
  FOR place IN 1..COALESCE(cardinality(tids), 0) LOOP
    SELECT w.id INTO ticket FROM in_line w WHERE w.ctid = tids[place];
    BEGIN
      DELETE FROM in_line w WHERE w.ctid = tids[place];
      RAISE EXCEPTION 'undone' USING ERRCODE = 'HF000';
    EXCEPTION
      WHEN SQLSTATE 'HF000' THEN
        NULL;
      WHEN OTHERS OR query_canceled OR assert_failure THEN
        RAISE WARNING 'ticket % cannot be claimed: % (SQLSTATE %)', ticket, SQLERRM, SQLSTATE;
        refused := refused || ticket;
    END;
  END LOOP;
  RETURN refused;
END
$$;
COMMENT ON FUNCTION refused_in_line IS 'Which of these rows of in_line the database does not let go; changes nothing.';

-- Takes up to `most` tickets of one line and priority, in turns over their keys, as far as limits let it, and counts them as running under the
-- lease. It walks over the groups of tickets in which no limit sees a difference, from where the last walk of this priority ended: one turn for
-- each, and as many rounds as there is room, with longer turns in each. A turn that a claim had no room for is gone on with by the next: else
-- weights would mean nothing to a busy worker, which claims one ticket at a time. again_ms: when to ask again, if anything is known.
DROP FUNCTION IF EXISTS take_turns(integer, integer, bigint, bigint);
CREATE OR REPLACE FUNCTION take_turns(
  of_line integer, of_priority integer, most bigint, under_lease bigint, one_by_one boolean, OUT ids bigint[], OUT again_ms double precision)
LANGUAGE plpgsql SET search_path = ${flyway:defaultSchema}, pg_temp SET plan_cache_mode = force_generic_plan
  SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off
AS $$
#variable_conflict use_column
DECLARE
  rank integer := ~of_priority;
  g line_gates;
  ql claim_limits; -- of the queue
  q_slots boolean;
  design_limits boolean := EXISTS (SELECT FROM claim_limits x WHERE x.design IS NOT NULL);
  weights boolean := EXISTS (SELECT FROM fairness_weights);
  expiring boolean := EXISTS (SELECT FROM ticket_deadlines e WHERE e.expires_at <= now());
  careful boolean := expiring OR one_by_one; -- the first of a group may be expired or refused, or somebody has it locked
  plain boolean := NOT (careful OR weights OR design_limits); -- a turn is one ticket, and each group has a turn of its own
  refused bigint[] := '{}'; -- what the database does not let go
  refused_before bigint := 0;
  locked text[] := '{}'; -- designs whose gates this claim has
  closed text[] := '{}'; -- and those that another one has
  asked text[];
  each text;
  room bigint := most;
  quota bigint := 1;
  going_on text; -- the key whose turn the last claim began
  used_before bigint; -- what that key had of it
  used bigint;
  pos text; -- the walk goes on behind this group
  start text;
  until text; -- the last group of this part of the round; NULL: the last one there is
  chunk bigint;
  walked bigint := 0;
  groups bigint;
  last_group text;
  last_taken text; -- the key of the last ticket taken
  last_weight bigint;
  of_last bigint; -- how many were taken of it
  shared boolean;
  in_round bigint := 0;
  tids tid[];
  moved bigint[];
  moved_designs text[];
BEGIN
  ids := '{}';
  SELECT * INTO g FROM line_gates x WHERE x.line = of_line FOR UPDATE SKIP LOCKED;
  IF NOT FOUND THEN
    again_ms := 3;
    RETURN;
  END IF;
  SELECT * INTO ql FROM claim_limits x WHERE x.queue = g.queue;
  q_slots := ql.concurrent IS NOT NULL OR ql.per_key IS NOT NULL;
  IF ql.scope IS NOT NULL THEN
    PERFORM FROM limit_gates x WHERE x.scope = ql.scope FOR UPDATE SKIP LOCKED;
    IF NOT FOUND THEN
      again_ms := 3;
      RETURN;
    END IF;
    room := LEAST(room, open_places(ql));
  END IF;
  start := COALESCE(g.turns -> of_priority::text ->> 0, g.last_group);
  used_before := COALESCE((g.turns -> of_priority::text ->> 1)::bigint, 0);
  used := used_before;
  IF used > 0 THEN
    going_on := start;
  END IF;
  pos := start;
  WHILE room > 0 LOOP
    -- Mostly all groups of the first walk have a free place.
    chunk := LEAST(CASE WHEN walked = 0 THEN room ELSE 2 * room END + 8, 2000);
    IF plain AND quota = 1 THEN
      -- Mostly whose turn it is can be seen in passing. The walk ends where two groups have one turn between them, or may have one key.
      WITH RECURSIVE n AS (
        (SELECT w.turn_group, split_part(w.turn_group, chr(1), 1) AS turn_key, w.concurrency_key, w.ctid AS tid, 1 AS no, false AS shared
         FROM in_line w
         WHERE w.line = of_line AND ~w.priority = rank AND w.turn_group > pos AND (until IS NULL OR w.turn_group <= until)
         ORDER BY w.turn_group, w.created_at, w.id LIMIT 1)
        UNION ALL
        SELECT m.turn_group, m.turn_key, m.concurrency_key, m.tid, n.no + 1,
          m.turn_key = n.turn_key OR ql.per_key IS NOT NULL AND m.concurrency_key <> '' AND m.turn_key >= 'f'
        FROM n CROSS JOIN LATERAL (
          SELECT w.turn_group, split_part(w.turn_group, chr(1), 1) AS turn_key, w.concurrency_key, w.ctid AS tid FROM in_line w
          WHERE w.line = of_line AND ~w.priority = rank AND w.turn_group > n.turn_group AND (until IS NULL OR w.turn_group <= until)
          ORDER BY w.turn_group, w.created_at, w.id LIMIT 1) m
        WHERE n.no < chunk AND NOT n.shared
      ), open AS (
        SELECT n.tid, n.turn_key FROM n
        WHERE ql.per_key IS NULL OR n.concurrency_key = '' OR ql.per_key > (
          SELECT count(*) FROM line_slots s WHERE s.queue = g.queue AND s.concurrency_key = n.concurrency_key)
        LIMIT room
      )
      SELECT x.groups, x.last_group, x.shared, y.tids, y.last_taken, 1, 1 INTO groups, last_group, shared, tids, last_taken, last_weight, of_last
      FROM (SELECT count(*) AS groups, (array_agg(n.turn_group))[count(*)] AS last_group, bool_or(n.shared) AS shared FROM n) x,
        (SELECT array_agg(o.tid) AS tids, (array_agg(o.turn_key))[count(*)] AS last_taken FROM open o) y; -- as the walk is ordered
      IF shared THEN
        plain := false;
        CONTINUE;
      END IF;
    ELSE
      WITH RECURSIVE n AS (
        (SELECT w.turn_group, w.concurrency_key, w.design, w.created_at, w.id, w.ctid AS tid, 1 AS no FROM in_line w
         WHERE w.line = of_line AND ~w.priority = rank AND w.turn_group > pos
         ORDER BY w.turn_group, w.created_at, w.id LIMIT 1)
        UNION ALL
        SELECT m.turn_group, m.concurrency_key, m.design, m.created_at, m.id, m.tid, n.no + 1
        FROM n CROSS JOIN LATERAL (
          SELECT w.turn_group, w.concurrency_key, w.design, w.created_at, w.id, w.ctid AS tid FROM in_line w
          WHERE w.line = of_line AND ~w.priority = rank AND w.turn_group > n.turn_group
          ORDER BY w.turn_group, w.created_at, w.id LIMIT 1) m
        WHERE n.no < chunk
      ), part AS MATERIALIZED (
        SELECT n.*, split_part(n.turn_group, chr(1), 1) AS turn_key FROM n WHERE until IS NULL OR n.turn_group <= until
      ), limited AS MATERIALIZED (
        SELECT x.design, x.per_key, CASE WHEN x.design = ANY (closed) THEN 0 ELSE open_places(x) END AS places FROM claim_limits x
        WHERE design_limits AND x.design = ANY (ARRAY(SELECT DISTINCT p.design FROM part p))
      ), open AS MATERIALIZED (
        SELECT p.*, l.places AS of_design,
          f.weight, LEAST(quota * f.weight - CASE WHEN p.turn_key = going_on THEN used % f.weight ELSE 0 END, room) AS turn,
          CASE WHEN ql.per_key IS NOT NULL AND p.concurrency_key <> '' THEN ql.per_key - (
            SELECT count(*) FROM line_slots s WHERE s.queue = g.queue AND s.concurrency_key = p.concurrency_key) END AS q_key,
          CASE WHEN l.per_key IS NOT NULL AND p.concurrency_key <> '' THEN l.per_key - (
            SELECT count(*) FROM line_slots s WHERE s.design = p.design AND s.design <> '' AND s.concurrency_key = p.concurrency_key) END AS d_key
        FROM part p LEFT JOIN limited l ON l.design = p.design
        CROSS JOIN LATERAL (SELECT CASE WHEN weights
          THEN COALESCE((SELECT f.weight FROM fairness_weights f WHERE f.fairness_key = substr(p.turn_key, 2)), 1) ELSE 1 END AS weight) f
      ), candidates AS (
        -- The first of each group is known from the walk.
        SELECT o.no, o.turn_key, o.concurrency_key, o.design, o.weight, o.turn, o.q_key, o.of_design, o.d_key, o.tid, o.id, o.created_at FROM open o
        WHERE NOT careful AND LEAST(o.turn, o.q_key, o.of_design, o.d_key) > 0
        UNION ALL
        SELECT o.no, o.turn_key, o.concurrency_key, o.design, o.weight, o.turn, o.q_key, o.of_design, o.d_key, t.tid, t.id, t.created_at FROM open o
        CROSS JOIN LATERAL (
          SELECT w.ctid AS tid, w.id, w.created_at FROM in_line w
          WHERE w.line = of_line AND ~w.priority = rank AND w.turn_group = o.turn_group AND (w.created_at, w.id) >= (o.created_at, o.id)
            AND (careful OR w.id <> o.id) AND w.id <> ALL (refused)
            AND (NOT expiring OR NOT EXISTS (SELECT FROM ticket_deadlines e WHERE e.ticket_id = w.id AND e.expires_at <= now()))
          ORDER BY w.created_at, w.id
          LIMIT GREATEST(LEAST(o.turn, o.q_key, o.of_design, o.d_key) - CASE WHEN careful THEN 0 ELSE 1 END, 0)
          FOR UPDATE SKIP LOCKED
        ) t
        WHERE careful OR LEAST(o.turn, o.q_key, o.of_design, o.d_key) > 1
      ), turns AS MATERIALIZED (
        SELECT c.*, row_number() OVER (PARTITION BY c.turn_key ORDER BY c.created_at, c.id) AS of_turn FROM candidates c
      ), turned AS MATERIALIZED (
        -- Places are counted of these only: one whose turn it is not must not use any up. The first of these always starts.
        SELECT t.*, row_number() OVER (PARTITION BY t.concurrency_key ORDER BY t.no) AS of_key_no FROM turns t WHERE t.of_turn <= t.turn
      ), ranked AS (
        -- Mostly no design has a limit, and nothing is sorted by designs.
        SELECT t.*, NULL::bigint AS of_design_no, NULL::bigint AS of_both_no FROM turned t WHERE t.of_design IS NULL
        UNION ALL
        SELECT t.*, row_number() OVER (PARTITION BY t.design ORDER BY t.no), row_number() OVER (PARTITION BY t.design, t.concurrency_key ORDER BY t.no)
        FROM turned t WHERE t.of_design IS NOT NULL
      ), taken AS (
        SELECT r.* FROM ranked r
        WHERE (r.of_design IS NULL OR r.of_design_no <= r.of_design)
          AND (r.q_key IS NULL OR r.of_key_no <= r.q_key) AND (r.d_key IS NULL OR r.of_both_no <= r.d_key)
        ORDER BY r.no, r.created_at, r.id
        LIMIT room
      )
      SELECT (SELECT count(*) FROM part), (SELECT p.turn_group FROM part p ORDER BY p.no DESC LIMIT 1),
        array_agg(t.tid), (array_agg(t.turn_key))[count(*)], (array_agg(t.weight))[count(*)], -- as taken is ordered
        (SELECT count(*) FROM taken x WHERE x.turn_key = (SELECT y.turn_key FROM taken y ORDER BY y.no DESC LIMIT 1)),
        array_agg(DISTINCT t.design) FILTER (WHERE t.of_design IS NOT NULL AND t.design <> ALL (locked))
      INTO groups, last_group, tids, last_taken, last_weight, of_last, asked
      FROM taken t;
    END IF;
    walked := walked + groups;

    -- Designs with limits: their gates first, then the same look once more.
    IF asked IS NOT NULL THEN
      FOREACH each IN ARRAY asked LOOP
        PERFORM FROM limit_gates x WHERE x.scope = 'design:' || each FOR UPDATE SKIP LOCKED;
        IF FOUND THEN
          locked := locked || each;
        ELSE
          closed := closed || each;
          again_ms := 3;
        END IF;
      END LOOP;
      CONTINUE;
    END IF;

    IF one_by_one THEN
      -- The same claim was refused just now: what is refused stays in line, and the others do not wait for it.
      refused_before := cardinality(refused);
      refused := refused || refused_in_line(tids);
      CONTINUE WHEN cardinality(refused) > refused_before;
    END IF;

    moved := NULL;
    IF tids IS NOT NULL THEN
      WITH gone AS (
        DELETE FROM in_line w WHERE w.ctid = ANY (ARRAY(SELECT x.ctid FROM in_line x WHERE x.ctid = ANY (tids) FOR UPDATE SKIP LOCKED))
        RETURNING w.id, w.concurrency_key, w.design
      ), counted AS (
        INSERT INTO line_slots (ticket_id, lease_no, queue, concurrency_key, design)
        SELECT d.id, under_lease, g.queue, d.concurrency_key, d.design FROM gone d
        WHERE q_slots OR design_limits AND EXISTS (
          SELECT FROM claim_limits x WHERE x.design = d.design AND (x.concurrent IS NOT NULL OR x.per_key IS NOT NULL))
      )
      SELECT array_agg(d.id), array_agg(d.design) INTO moved, moved_designs FROM gone d;
      IF moved IS NOT NULL THEN
        ids := ids || moved;
        room := room - cardinality(moved);
        in_round := in_round + cardinality(moved);
        IF ql.rate IS NOT NULL THEN
          PERFORM use_tokens(ql, cardinality(moved));
        END IF;
        IF design_limits THEN
          PERFORM use_tokens(x, (SELECT count(*) FROM unnest(moved_designs) AS d (design) WHERE d.design = x.design))
          FROM claim_limits x WHERE x.design = ANY (moved_designs) AND x.rate IS NOT NULL;
        END IF;
      END IF;
    END IF;
    IF NOT careful AND cardinality(moved) IS DISTINCT FROM cardinality(tids) THEN
      careful := true;
      plain := false;
      CONTINUE;
    END IF;
    IF room <= 0 AND last_taken IS NOT NULL THEN
      used := (of_last + CASE WHEN last_taken = going_on THEN used ELSE 0 END) % last_weight;
      pos := last_taken || CASE WHEN used = 0 THEN chr(2) ELSE '' END; -- behind all groups of that key, or before them
      EXIT;
    END IF;
    IF groups > 0 THEN
      pos := last_group;
    END IF;
    IF groups = chunk THEN
      IF walked > 3000 THEN
        -- Not at once: thousands of keys may be busy for hours. Who ends an attempt wakes workers before.
        again_ms := LEAST(again_ms, 100);
        used := 0;
        EXIT;
      END IF;
    ELSIF until IS NULL THEN
      pos := '';
      until := start;
    ELSE
      -- Once around. Longer turns for those who have more, if anybody had any.
      pos := start;
      until := NULL;
      EXIT WHEN in_round = 0;
      -- After some rounds with one ticket each it would overflow.
      quota := LEAST(GREATEST(quota * room / (in_round + used), 1), most);
      in_round := 0;
      going_on := NULL;
      used := 0;
    END IF;
  END LOOP;
  IF pos <> start OR used <> used_before THEN
    -- Some priorities are enough: who uses a hundred of them goes on where the last claim of any ended.
    UPDATE line_gates x SET last_group = pos, turns = jsonb_build_object(of_priority::text, jsonb_build_array(pos, used))
      || CASE WHEN (SELECT count(*) FROM jsonb_object_keys(x.turns - of_priority::text)) < 15 THEN x.turns - of_priority::text ELSE '{}' END
    WHERE x.line = of_line;
  END IF;
  -- When the next token comes, of the queue or of a design.
  IF ql.rate IS NOT NULL OR design_limits THEN
    again_ms := LEAST(again_ms, (
      SELECT min((1 - tokens_left(x, l.full_at)) * extract(epoch FROM x.per)::double precision * 1000 / x.rate)
      FROM claim_limits x JOIN limit_gates l ON l.scope = x.scope
      WHERE x.rate IS NOT NULL AND (x.queue = g.queue OR x.design IS NOT NULL) AND tokens_left(x, l.full_at) < 1));
  END IF;
END
$$;
COMMENT ON FUNCTION take_turns IS 'Takes tickets of a line and a priority for a claim. again_ms says when to ask again, where a gate was locked, a walk too long or a rate used up.';

CREATE OR REPLACE FUNCTION use_tokens(x claim_limits, n bigint) RETURNS void
LANGUAGE plpgsql SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
BEGIN
  IF x.rate IS NOT NULL AND n > 0 THEN
    UPDATE limit_gates g SET full_at = GREATEST(g.full_at, now()) + n * x.per / x.rate WHERE g.scope = x.scope;
  END IF;
END
$$;
COMMENT ON FUNCTION use_tokens IS 'Takes tokens from the bucket of a rate, whose gate the caller has locked.';

-- What stands in line goes before, beside or behind what stands in ready, by priority; of equal ones each gets half of a claim. One claim in
-- ten begins with any priority of those with fairness keys, so that low ones grow old but not for ever.
DROP FUNCTION IF EXISTS take_from_lines(text[], text[], bigint, bigint, boolean);
CREATE OR REPLACE FUNCTION take_from_lines(
  of_kinds text[], from_queues text[], most bigint, under_lease bigint, before_ready boolean, one_by_one boolean,
  OUT ids bigint[], OUT again_ms double precision)
LANGUAGE plpgsql SET search_path = ${flyway:defaultSchema}, pg_temp SET plan_cache_mode = force_generic_plan
  SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off
AS $$
#variable_conflict use_column
DECLARE
  top integer; -- the highest priority in ready
  looked boolean := false;
  aged boolean := before_ready AND random() < 0.1;
  half bigint := most / 2 + (random() < 0.5 AND most % 2 = 1)::integer;
  room bigint := most;
  used_up text[]; -- queues whose rates have no token now: a look at each of their lines would cost more than all of this
  n record;
  t record;
BEGIN
  ids := '{}';
  SELECT COALESCE(array_agg(x.queue), '{}'),
    min((1 - tokens_left(x, l.full_at)) * extract(epoch FROM x.per)::double precision * 1000 / x.rate)
  INTO used_up, again_ms
  FROM claim_limits x JOIN limit_gates l ON l.scope = x.scope
  WHERE x.queue IS NOT NULL AND x.rate IS NOT NULL AND tokens_left(x, l.full_at) < 1
    AND (cardinality(from_queues) = 0 OR x.queue = ANY (from_queues));
  FOR n IN
    WITH RECURSIVE lines AS (
      SELECT g.line, w.priority FROM line_gates g
      JOIN queues q ON q.name = g.queue AND q.paused_at IS NULL
      CROSS JOIN LATERAL (SELECT w.priority FROM in_line w WHERE w.line = g.line ORDER BY ~w.priority LIMIT 1) w
      WHERE g.kind = ANY (of_kinds) AND (cardinality(from_queues) = 0 OR g.queue = ANY (from_queues)) AND g.queue <> ALL (used_up)
      UNION ALL
      SELECT l.line, w.priority FROM lines l CROSS JOIN LATERAL (
        SELECT w.priority FROM in_line w WHERE w.line = l.line AND ~w.priority > ~l.priority ORDER BY ~w.priority LIMIT 1) w
    )
    SELECT l.line, l.priority, f.fair FROM lines l CROSS JOIN LATERAL (
      SELECT aged AND EXISTS (
        SELECT FROM in_line w WHERE w.line = l.line AND ~w.priority = ~l.priority AND w.turn_group >= 'f' AND w.turn_group < 'g') AS fair) f
    ORDER BY CASE WHEN f.fair THEN random() ELSE 2 END, ~l.priority, random()
  LOOP
    IF before_ready AND NOT looked THEN
      -- Not before it is asked for: this passes what was taken from ready since the last vacuum.
      SELECT max(r.priority) INTO top
      FROM lanes l JOIN queues q ON q.name = l.queue AND q.paused_at IS NULL
      CROSS JOIN LATERAL (
        SELECT r.priority FROM ready r WHERE r.queue = l.queue AND r.kind = l.kind ORDER BY ~r.priority, r.created_at, r.id LIMIT 1) r
      WHERE l.kind = ANY (of_kinds) AND (cardinality(from_queues) = 0 OR l.queue = ANY (from_queues));
      looked := true;
    END IF;
    EXIT WHEN room <= 0 OR n.priority < top AND NOT n.fair;
    SELECT * INTO t FROM take_turns(n.line, n.priority,
      CASE WHEN n.priority > top OR top IS NULL THEN room ELSE LEAST(room, half) END, under_lease, one_by_one);
    ids := ids || t.ids;
    room := room - cardinality(t.ids);
    IF n.priority <= top THEN
      half := half - cardinality(t.ids);
    END IF;
    again_ms := LEAST(again_ms, t.again_ms);
  END LOOP;
END
$$;
COMMENT ON FUNCTION take_from_lines IS 'Takes up to most tickets from the lines that a worker may claim of; before_ready: only what should go before those in ready, and a share beside them; one_by_one: after a refusal, past what is refused.';

CREATE OR REPLACE FUNCTION wake_lines() RETURNS void
LANGUAGE plpgsql SET search_path = ${flyway:defaultSchema}, pg_temp SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off AS $$
BEGIN
  IF EXISTS (SELECT FROM workers WHERE wants_wakeup) THEN
    PERFORM wake_workers(ARRAY(
      SELECT DISTINCT g.queue FROM line_gates g
      WHERE EXISTS (SELECT FROM in_line w WHERE w.line = g.line)));
  END IF;
END
$$;
COMMENT ON FUNCTION wake_lines IS 'Wakes workers for the queues in which tickets stand in line.';

-- In the transaction that ends the attempts. A finish that came too late frees nothing of the attempt that runs now: that has another lease.
CREATE OR REPLACE FUNCTION free_slots(ticket_ids bigint[], lease_nos bigint[]) RETURNS void
LANGUAGE plpgsql SET search_path = ${flyway:defaultSchema}, pg_temp SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off AS $$
BEGIN
  -- Mostly nobody has a limit. Where somebody has, the look into line_slots would pass all places that were given back since the last vacuum.
  IF NOT EXISTS (SELECT FROM claim_limits) AND NOT EXISTS (SELECT FROM line_slots) THEN
    RETURN;
  END IF;
  DELETE FROM line_slots s USING unnest(free_slots.ticket_ids, free_slots.lease_nos) AS i (id, lease_no)
  WHERE s.ticket_id = ANY (ARRAY[i.id]) AND s.lease_no = i.lease_no;
  IF FOUND THEN
    PERFORM wake_lines();
  END IF;
END
$$;
COMMENT ON FUNCTION free_slots IS 'Gives back what attempts that end now had of limits, and wakes workers for those who wait for it.';

CREATE OR REPLACE FUNCTION mend_lines() RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = ${flyway:defaultSchema}, pg_temp SET enable_seqscan = off SET enable_bitmapscan = off
  SET jit = off AS $$
DECLARE
  n bigint;
BEGIN
  DELETE FROM line_slots s
  WHERE s.ctid = ANY (ARRAY( -- not by the ticket: another attempt of it may run
    SELECT x.ctid FROM line_slots x
    WHERE NOT EXISTS (SELECT FROM leases l WHERE l.id = x.lease_no AND x.ticket_id = ANY (l.ids))
        AND NOT EXISTS (SELECT FROM suspects p WHERE p.id = x.ticket_id)
      OR NOT EXISTS (SELECT FROM ticket_base b WHERE b.id = x.ticket_id AND b.state = 'ready' AND b.fence < x.lease_no)
    FOR UPDATE SKIP LOCKED));
  GET DIAGNOSTICS n = ROW_COUNT;
  -- What a claim took that was on its way when a limit was set: neither saw the other. Locked, for an attempt that ends meanwhile would leave its place.
  IF EXISTS (SELECT FROM claim_limits x WHERE num_nonnulls(x.concurrent, x.per_key) > 0 AND x.set_at > now() - interval '10 minutes') THEN
    WITH uncounted AS MATERIALIZED (
      SELECT b.id, l.id AS lease_no, b.queue, COALESCE(b.concurrency_key, '') AS key, COALESCE(d.name, '') AS design
      FROM leases l CROSS JOIN LATERAL unnest(l.ids) AS u (id)
      JOIN ticket_base b ON b.id = ANY (ARRAY[u.id])
      LEFT JOIN designs d ON d.id = b.design_id
      WHERE b.state = 'ready' AND b.fence < l.id
        AND EXISTS (SELECT FROM claim_limits x WHERE num_nonnulls(x.concurrent, x.per_key) > 0 AND (x.queue = b.queue OR x.design = d.name))
        AND NOT EXISTS (SELECT FROM line_slots s WHERE s.ticket_id = b.id AND s.lease_no = l.id)
      FOR SHARE OF b SKIP LOCKED
    )
    INSERT INTO line_slots (ticket_id, lease_no, queue, concurrency_key, design)
    SELECT c.id, c.lease_no, c.queue, c.key, c.design FROM uncounted c ON CONFLICT DO NOTHING;
  END IF;
  -- No bucket owes more than a burst. One that does was used while the server's clock was ahead, and nothing would start until that time.
  UPDATE limit_gates g SET full_at = now() FROM claim_limits x
  WHERE x.scope = g.scope AND x.rate IS NOT NULL AND g.full_at > now() + x.burst * x.per / x.rate + interval '1 minute';
  IF n > 0 OR FOUND THEN
    PERFORM wake_lines();
  END IF;
  -- Nor does a lease last longer than it was given for: that of a worker which died while the clock was ahead ends from now on, and one that lives
  -- renews its own.
  UPDATE leases l SET expires_at = now() + COALESCE(l.for_ms, 60000) * interval '1 millisecond'
  WHERE l.id = ANY (ARRAY(
    SELECT x.id FROM leases x WHERE x.expires_at > now() + COALESCE(x.for_ms, 60000) * interval '1 millisecond' + interval '1 minute'
    FOR NO KEY UPDATE SKIP LOCKED));
  RETURN n;
END
$$;
COMMENT ON FUNCTION mend_lines IS 'Drops rows of line_slots whose tickets run no more, says how many, adds those of claims that were on their way when a limit was set, fills buckets of rates that a clock that was ahead has emptied, and shortens leases that it has made too long. Whatever ends an attempt drops them itself; workers call this for what nobody thought of.';

SELECT grant_roles(only_new => true);
