-- Graphs: tickets that wait for each other by name, enqueued together.
--
-- Flyway runs this file after all versioned ones: again with each version of the schema (now ${version}), and whenever it changes.

-- The tickets are known by their places in the array, for looking a name up costs more than an index: names become places once, then all is
-- arrays, of what waits by whom it waits for (froms, tos) and of what is waited for by who waits (waits, origins, existing, given). Each is enqueued when all that it waits for have been, so that their ids are known; what is left then waits in a circle.
DROP FUNCTION IF EXISTS enqueue_tickets(jsonb);
CREATE OR REPLACE FUNCTION enqueue_tickets(tickets jsonb, batch_id bigint DEFAULT NULL) RETURNS TABLE (name text, id bigint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = ${flyway:defaultSchema}, pg_temp SET jit = off AS $$
#variable_conflict use_column
DECLARE
  n integer;
  node jsonb[];
  names text[];
  ids bigint[];
  open integer[];
  e record;
  todo integer[] := '{}';
  at integer := 1;
  i integer;
  j integer;
  froms integer[];
  tos integer[];
  firsts integer[];
  lasts integer[];
  waits integer[];
  origins integer[];
  existing bigint[];
  given text[];
  nexts integer[];
  after bigint[];
  after_names text[];
BEGIN
  IF tickets IS NULL OR jsonb_typeof(tickets) <> 'array' THEN
    RAISE EXCEPTION 'the tickets must be a JSON array' USING ERRCODE = 'HF422',
      HINT = 'As in [{"name": "a", "kind": "command"}, {"name": "b", "kind": "command", "after": ["a"]}].';
  END IF;
  n := jsonb_array_length(tickets);
  IF n > 10000 THEN
    RAISE EXCEPTION 'at most 10000 tickets are enqueued as one graph, not %', n USING ERRCODE = 'HF422', HINT = 'Enqueue parts of it, and let them wait for ids.';
  END IF;
  SELECT array_agg(t.value ORDER BY t.ordinality), array_agg(t.value->>'name' ORDER BY t.ordinality) INTO node, names
  FROM jsonb_array_elements(tickets) WITH ORDINALITY AS t;
  PERFORM require_graph_ticket(u.t, u.place) FROM unnest(node) WITH ORDINALITY AS u (t, place);
  SELECT u.name INTO e FROM unnest(names) AS u (name) WHERE u.name IS NOT NULL GROUP BY u.name HAVING count(*) > 1 LIMIT 1;
  IF FOUND THEN
    RAISE EXCEPTION 'two tickets have the name "%"', e.name USING ERRCODE = 'HF422';
  END IF;
  SELECT u.place, w.wanted INTO e
  FROM unnest(node) WITH ORDINALITY AS u (t, place) CROSS JOIN LATERAL graph_predecessors(u.t) AS w
  WHERE w.wanted IS NOT NULL AND NOT EXISTS (SELECT FROM unnest(names) AS p (name) WHERE p.name = w.wanted) LIMIT 1;
  IF FOUND THEN
    RAISE EXCEPTION '% waits for "%", and no ticket here has that name', graph_place(node[e.place], e.place), left(e.wanted, 100)
      USING ERRCODE = 'HF404', HINT = 'Give the ids of tickets that are there already as numbers.';
  END IF;
  SELECT array_agg(x.t), array_agg(x.f), array_agg(x.existing), array_agg(x.given) INTO waits, origins, existing, given
  FROM (
    SELECT DISTINCT u.place::integer AS t, COALESCE(p.place::integer, 0) AS f, w.existing, w.given
    FROM unnest(node) WITH ORDINALITY AS u (t, place) CROSS JOIN LATERAL graph_predecessors(u.t) AS w
    LEFT JOIN unnest(names) WITH ORDINALITY AS p (name, place) ON p.name = w.wanted
    ORDER BY 1, 2, 3, 4
  ) x;
  SELECT array_agg(x.f), array_agg(x.t) INTO froms, tos
  FROM (SELECT u.f, u.t FROM unnest(origins, waits) AS u (f, t) WHERE u.f > 0 ORDER BY u.f, u.t) x;
  open := array_fill(0, ARRAY[n]);
  ids := array_fill(NULL::bigint, ARRAY[n]);
  firsts := array_fill(0, ARRAY[n]);
  lasts := array_fill(-1, ARRAY[n]);
  FOR i IN 1 .. COALESCE(cardinality(froms), 0) LOOP
    open[tos[i]] := open[tos[i]] + 1;
    IF lasts[froms[i]] = -1 THEN
      firsts[froms[i]] := i;
    END IF;
    lasts[froms[i]] := i;
  END LOOP;
  FOR i IN 1 .. n LOOP
    IF open[i] = 0 THEN
      todo := todo || i;
    END IF;
  END LOOP;
  WHILE at <= cardinality(todo) LOOP
    i := todo[at];
    at := at + 1;
    FOR j IN firsts[i] .. lasts[i] LOOP
      open[tos[j]] := open[tos[j]] - 1;
      IF open[tos[j]] = 0 THEN
        todo := todo || tos[j];
      END IF;
    END LOOP;
  END LOOP;
  IF cardinality(todo) < n THEN
    RAISE EXCEPTION 'these tickets wait for each other in a circle: %', graph_circle(names, froms, tos, open)
      USING ERRCODE = 'HF422', HINT = 'Take one "after" out of the circle.';
  END IF;
  nexts := array_fill(NULL::integer, ARRAY[n]);
  FOR j IN REVERSE COALESCE(cardinality(waits), 0) .. 1 LOOP
    nexts[waits[j]] := j;
  END LOOP;
  FOREACH i IN ARRAY todo LOOP
    after := NULL;
    after_names := NULL;
    j := nexts[i];
    WHILE waits[j] = i LOOP
      after := array_append(after, COALESCE(existing[j], ids[origins[j]]));
      after_names := array_append(after_names, given[j]);
      j := j + 1;
    END LOOP;
    ids[i] := enqueue_graph_ticket(node[i], i, after, after_names, enqueue_tickets.batch_id);
  END LOOP;
  RETURN QUERY SELECT u.name, u.id FROM unnest(names, ids) AS u (name, id);
END
$$;
COMMENT ON FUNCTION enqueue_tickets IS 'Adds tickets that wait for each other by name, inside the caller''s transaction, all or none, and returns their ids in the same order: SELECT * FROM ${flyway:defaultSchema}.enqueue_tickets(''[{"name": "fetch", "kind": "command"}, {"kind": "command", "after": ["fetch", 17]}]''). Each has the keys of enqueue_ticket''s arguments, and name. A name in "after" is one of these tickets, whose result the follower is given; a number is the id of any other one, {"clean": 18} that of one whose result it is given, too. With batch_id they join an open batch. HF422 names the circle where they wait in one.';

CREATE OR REPLACE FUNCTION graph_place(t jsonb, place bigint) RETURNS text
LANGUAGE sql IMMUTABLE SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
  SELECT COALESCE('ticket "' || (t->>'name') || '"', 'ticket ' || place || ' of the list')
$$;
COMMENT ON FUNCTION graph_place IS 'What a ticket of enqueue_tickets is called in an error.';

CREATE OR REPLACE FUNCTION list_of_after(t jsonb) RETURNS jsonb
LANGUAGE sql IMMUTABLE SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
  SELECT CASE jsonb_typeof(t->'after') WHEN 'array' THEN t->'after' WHEN 'object' THEN jsonb_build_array(t->'after') END
$$;
COMMENT ON FUNCTION list_of_after IS 'What a ticket of enqueue_tickets waits for as a list: names, ids, and objects of ids by name.';

CREATE OR REPLACE FUNCTION require_graph_ticket(t jsonb, place bigint) RETURNS void
LANGUAGE plpgsql IMMUTABLE SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
DECLARE
  known CONSTANT text[] := '{after,after_batch,batch_id,concurrency_key,delay_ms,design,expires_at,expires_in_ms,fairness_key,kind,max_cost_usd,name,on_cancelled,on_duplicate,payload,priority,queue,run_at,title,unique_for,unique_key}';
  bad text;
BEGIN
  IF jsonb_typeof(t) <> 'object' THEN
    RAISE EXCEPTION 'ticket % of the list is no JSON object', place USING ERRCODE = 'HF422';
  END IF;
  SELECT key INTO bad FROM jsonb_object_keys(t) AS key WHERE key <> ALL (known) LIMIT 1;
  IF FOUND THEN
    RAISE EXCEPTION '% has the unknown key "%"', graph_place(t, place), left(bad, 100)
      USING ERRCODE = 'HF422', HINT = 'Known are ' || array_to_string(known, ', ') || '.';
  ELSIF t->>'name' !~ '^[A-Za-z_][A-Za-z0-9_]{0,62}$' THEN
    RAISE EXCEPTION '"%" cannot name a ticket', left(t->>'name', 100)
      USING ERRCODE = 'HF422', HINT = 'Take 1 to 63 letters, digits and _, the first no digit.';
  ELSIF jsonb_typeof(t->'after') NOT IN ('array', 'object', 'null') THEN
    RAISE EXCEPTION '% has an "after" that is no list', graph_place(t, place) USING ERRCODE = 'HF422', HINT = 'As in ["fetch", 17].';
  ELSIF jsonb_typeof(t->'after') = 'array' AND jsonb_array_length(t->'after') > 10000 THEN
    RAISE EXCEPTION 'a ticket may wait for 10000 others at most, not for %', jsonb_array_length(t->'after')
      USING ERRCODE = 'HF422', HINT = 'Let some tickets in between wait for 10000 each, and this one for them.';
  END IF;
  SELECT w.value::text INTO bad FROM jsonb_array_elements(list_of_after(t)) AS w
  WHERE jsonb_typeof(w.value) <> 'string' AND w.value::text !~ '^[0-9]{1,18}$'
    AND (jsonb_typeof(w.value) <> 'object'
      OR EXISTS (SELECT FROM jsonb_each(CASE WHEN jsonb_typeof(w.value) = 'object' THEN w.value END) AS e WHERE e.value::text !~ '^[0-9]{1,18}$')) LIMIT 1;
  IF FOUND THEN
    RAISE EXCEPTION '% cannot wait for %', graph_place(t, place), left(bad, 100)
      USING ERRCODE = 'HF422', HINT = 'Give the names of tickets of this list, or the ids of others, as in ["fetch", 17, {"clean": 18}].';
  ELSIF t->'after' ? (t->>'name') THEN
    RAISE EXCEPTION '% waits for itself', graph_place(t, place) USING ERRCODE = 'HF422', HINT = 'Take its name out of its "after".';
  END IF;
END
$$;
COMMENT ON FUNCTION require_graph_ticket IS 'Refuses with HF422 what cannot be a ticket of enqueue_tickets.';

DROP FUNCTION IF EXISTS graph_predecessors(jsonb);
CREATE OR REPLACE FUNCTION graph_predecessors(t jsonb) RETURNS TABLE (wanted text, existing bigint, given text)
LANGUAGE sql IMMUTABLE SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
  SELECT CASE WHEN jsonb_typeof(w.value) = 'string' THEN w.value #>> '{}' END,
    CASE WHEN jsonb_typeof(w.value) = 'number' THEN (w.value #>> '{}')::bigint ELSE o.id END,
    CASE WHEN jsonb_typeof(w.value) = 'string' THEN w.value #>> '{}' ELSE o.name END
  FROM jsonb_array_elements(list_of_after(t)) AS w
  LEFT JOIN LATERAL (SELECT e.key, (e.value #>> '{}')::bigint FROM jsonb_each(CASE WHEN jsonb_typeof(w.value) = 'object' THEN w.value END) AS e) AS o (name, id) ON true
  WHERE jsonb_typeof(w.value) <> 'object' OR o.id IS NOT NULL
$$;
COMMENT ON FUNCTION graph_predecessors IS 'What a ticket of enqueue_tickets waits for: a name, or the id of a ticket that is there; and under which name it is given its result.';

CREATE OR REPLACE FUNCTION graph_circle(names text[], froms integer[], tos integer[], open integer[]) RETURNS text
LANGUAGE plpgsql IMMUTABLE SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
DECLARE
  at integer := (SELECT u.place FROM unnest(open) WITH ORDINALITY AS u (n, place) WHERE u.n > 0 ORDER BY u.place LIMIT 1);
  path integer[] := '{}';
BEGIN
  -- Each that is left waits for another one that is left: going on that way comes back.
  WHILE at <> ALL (path) LOOP
    path := path || at;
    at := (SELECT u.f FROM unnest(froms, tos) AS u (f, t) WHERE u.t = at AND open[u.f] > 0 ORDER BY u.f LIMIT 1);
  END LOOP;
  path := path[array_position(path, at):] || at;
  RETURN CASE WHEN cardinality(path) <= 12
    THEN (SELECT string_agg(names[u.p], ' after ' ORDER BY u.place) FROM unnest(path) WITH ORDINALITY AS u (p, place))
    ELSE (SELECT string_agg(names[u.p], ' after ' ORDER BY u.place) FROM unnest(path[:12]) WITH ORDINALITY AS u (p, place))
      || format(' and %s more', cardinality(path) - 12) END;
END
$$;
COMMENT ON FUNCTION graph_circle IS 'One circle of a graph in words: open has how many predecessors of each are left.';

DROP FUNCTION IF EXISTS enqueue_graph_ticket(jsonb, integer, text[], bigint[]);
DROP FUNCTION IF EXISTS enqueue_graph_ticket(jsonb, integer, text[], bigint[], bigint);
CREATE OR REPLACE FUNCTION enqueue_graph_ticket(t jsonb, place bigint, after bigint[], after_names text[], batch_id bigint) RETURNS bigint
LANGUAGE plpgsql SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
DECLARE
  run_at timestamptz;
  expires_at timestamptz;
  detail text;
  hint text;
BEGIN
  IF enqueue_graph_ticket.batch_id IS NOT NULL AND t->>'batch_id' IS NOT NULL THEN
    RAISE EXCEPTION 'it names a batch, and all of these are one' USING ERRCODE = 'HF422', HINT = 'Leave its batch_id out.';
  END IF;
  -- What has a key may be there twice. Under two names it is refused: its result is given under one.
  IF cardinality(after) > 1 THEN
    SELECT array_agg(w.id), array_agg(w.name) INTO after, after_names
    FROM (
      SELECT x.id, x.name, count(x.name) OVER (PARTITION BY x.id) AS named
      FROM (SELECT DISTINCT u.id, u.name FROM unnest(after, after_names) AS u (id, name)) x
    ) w
    WHERE w.name IS NOT NULL OR w.named = 0;
  END IF;
  run_at := COALESCE((t->>'run_at')::timestamptz, now() + (t->>'delay_ms')::bigint * interval '1 millisecond');
  expires_at := COALESCE((t->>'expires_at')::timestamptz, now() + (t->>'expires_in_ms')::bigint * interval '1 millisecond');
  RETURN enqueue_any_ticket(t->>'kind', t->'payload', t->>'queue', t->>'title', t->>'design', (t->>'priority')::integer, run_at,
    t->>'unique_key', (t->>'max_cost_usd')::numeric, after, expires_at, t->>'concurrency_key', t->>'fairness_key', t->>'unique_for',
    t->>'on_duplicate',
    CASE WHEN array_remove(after_names, NULL) <> '{}' THEN after_names END, t->>'on_cancelled',
    COALESCE(enqueue_graph_ticket.batch_id, (t->>'batch_id')::bigint), (t->>'after_batch')::bigint);
EXCEPTION
  WHEN data_exception THEN
    RAISE EXCEPTION '%: %', graph_place(t, place), SQLERRM USING ERRCODE = 'HF422';
  WHEN SQLSTATE 'HF422' OR SQLSTATE 'HF404' OR SQLSTATE 'HF409' THEN
    GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
    RAISE EXCEPTION '%: %', graph_place(t, place), SQLERRM USING ERRCODE = SQLSTATE, DETAIL = detail, HINT = hint;
END
$$;
COMMENT ON FUNCTION enqueue_graph_ticket IS 'Adds one ticket of enqueue_tickets or enqueue_batch, all of whose predecessors have their ids.';

SELECT grant_roles(only_new => true);
