-- Workflows: tickets that wait for their own steps. A workflow's handler runs as a short attempt whenever a step has ended
-- (docs/adr/0030-workflows.md).
--
-- Flyway runs this file after all versioned ones: again with each version of the schema (now ${version}), and whenever it changes.

-- The caller has locked the workflows' rows, so that the last two tickets of a step, finished at once, do not both see the other one open.
CREATE OR REPLACE FUNCTION go_on_with_workflows(of_workflows bigint[], steps text[]) RETURNS void
LANGUAGE plpgsql SET search_path = ${flyway:defaultSchema}, pg_temp SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off AS $$
DECLARE
  e record;
  woken bigint[] := '{}';
  parked bigint[];
BEGIN
  FOR e IN
    SELECT DISTINCT u.id, u.step FROM unnest(of_workflows, steps) AS u (id, step)
    JOIN workflows w ON w.ticket_id = u.id ORDER BY u.id, u.step
  LOOP
    PERFORM let_items_go(e.id, e.step);
    IF NOT EXISTS (SELECT FROM ticket_dependencies d WHERE d.ticket_id = e.id AND d.name = e.step AND d.ended_at IS NULL) THEN
      woken := woken || e.id;
    END IF;
  END LOOP;
  parked := ARRAY(SELECT w.ticket_id FROM workflows w WHERE w.ticket_id = ANY (woken) AND w.parked);
  UPDATE workflows w SET parked = false, news = NOT w.parked WHERE w.ticket_id = ANY (woken);
  parked := ARRAY(SELECT b.id FROM ticket_base b WHERE b.id = ANY (parked) AND b.state = 'ready' AND b.assignee_type = 'agent');
  IF cardinality(parked) > 0 THEN
    PERFORM file_tickets(parked);
  END IF;
END
$$;
COMMENT ON FUNCTION go_on_with_workflows IS 'Files those of the tickets that are workflows, have a step that has just ended and wait; lets the next items of steps of limited breadth go. steps: in which step of each something has ended.';

DROP FUNCTION IF EXISTS let_items_go(bigint, text, integer);
CREATE OR REPLACE FUNCTION let_items_go(workflow bigint, step text) RETURNS void
LANGUAGE plpgsql SET search_path = ${flyway:defaultSchema}, pg_temp SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off AS $$
DECLARE
  breadth integer;
  taken integer;
  next bigint[];
BEGIN
  -- Mostly none waits.
  IF NOT EXISTS (SELECT FROM ticket_dependencies d WHERE d.ticket_id = workflow AND d.name = step AND d.queued) THEN
    RETURN;
  END IF;
  SELECT (g.definition->'steps'->step->>'breadth')::integer INTO breadth FROM ticket_base b JOIN designs g ON g.id = b.design_id WHERE b.id = workflow;
  SELECT count(*) INTO taken FROM ticket_dependencies d
  WHERE d.ticket_id = workflow AND d.name = step AND d.item >= 0 AND d.ended_at IS NULL AND d.queued IS NULL;
  next := ARRAY(
    SELECT d.after_id FROM ticket_dependencies d
    WHERE d.ticket_id = workflow AND d.name = step AND d.queued ORDER BY d.item
    LIMIT CASE WHEN breadth > taken THEN breadth - taken WHEN breadth IS NOT NULL THEN 0 END);
  IF cardinality(next) = 0 THEN
    RETURN;
  END IF;
  PERFORM FROM ticket_base b WHERE b.id = ANY (next) ORDER BY b.id FOR NO KEY UPDATE;
  UPDATE ticket_dependencies d SET queued = NULL WHERE d.ticket_id = workflow AND d.after_id = ANY (next);
  PERFORM start_expiry(next);
  next := ARRAY(
    SELECT b.id FROM ticket_base b
    WHERE b.id = ANY (next) AND b.state = 'ready' AND b.assignee_type = 'agent' AND NOT is_waiting(b.id));
  IF cardinality(next) > 0 THEN
    PERFORM file_tickets(next);
  END IF;
END
$$;
COMMENT ON FUNCTION let_items_go IS 'Files the next items of a step of limited breadth, as many as places are free. One that a person holds has had its turn. The caller has locked the workflow.';

CREATE OR REPLACE FUNCTION start_expiry(items bigint[]) RETURNS void
LANGUAGE plpgsql SET search_path = ${flyway:defaultSchema}, pg_temp SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off AS $$
BEGIN
  WITH ending AS (
    UPDATE ticket_base b SET expires_at = now() + design_expiry(d) FROM designs d
    WHERE b.id = ANY (items) AND d.id = b.design_id AND design_expiry(d) IS NOT NULL AND b.expires_at IS NULL AND b.state = 'ready'
    RETURNING b.id, b.expires_at
  )
  INSERT INTO ticket_deadlines (ticket_id, expires_at) SELECT e.id, e.expires_at FROM ending e;
END
$$;
COMMENT ON FUNCTION start_expiry IS 'The expiry that the design gives, counted from now, for tickets of a step whose turn has come.';

-- A design that is its own step, directly or not, would never end; and whoever cancels a workflow goes down through all that are in it.
CREATE OR REPLACE FUNCTION require_few_levels(above ticket_base, design text) RETURNS void
LANGUAGE plpgsql SET search_path = ${flyway:defaultSchema}, pg_temp SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off AS $$
DECLARE
  most CONSTANT integer := 20;
  levels integer;
BEGIN
  WITH RECURSIVE up (id, levels) AS (
    SELECT above.id, (above.kind = 'workflow')::integer
    UNION
    SELECT d.ticket_id, u.levels + 1 FROM up u
    JOIN ticket_dependencies d ON d.after_id = u.id AND d.name IS NOT NULL
    JOIN workflows w ON w.ticket_id = d.ticket_id
    WHERE u.levels < most
  )
  SELECT max(u.levels) INTO levels FROM up u;
  IF levels >= most THEN
    RAISE EXCEPTION 'the workflow "%" would be within % others, one in the other, and fewer are allowed', design, levels
      USING ERRCODE = 'HF422', HINT = 'A design that is a step of its own, directly or not, needs a condition (when) that ends it.';
  END IF;
END
$$;
COMMENT ON FUNCTION require_few_levels IS 'HF422 where a workflow that is added by a ticket would be within 20 others.';

-- steps: [{"step", "design" or "kind", "payloads": [...], "items": true for a list, "places": [...] if they are not all of it from 0 on, "breadth", "title" or "titles": [...],
-- "queue", "priority", "on_cancelled": run or cancel}]. All tickets of a step are inserted by one statement.
CREATE OR REPLACE FUNCTION add_children(parent ticket_base, steps jsonb) RETURNS bigint[]
LANGUAGE plpgsql SET search_path = ${flyway:defaultSchema}, pg_temp SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off AS $$
DECLARE
  s jsonb;
  d designs;
  kind_name text;
  title text;
  ids bigint[];
  added bigint[] := '{}';
BEGIN
  FOR s IN SELECT x.value FROM jsonb_array_elements(steps) AS x LOOP
    d := NULL;
    IF s ? 'design' THEN
      d := latest_design(s->>'design');
    END IF;
    kind_name := kind_of_new_ticket(s->>'kind', d);
    IF kind_name = 'workflow' THEN
      PERFORM require_few_levels(parent, s->>'design');
    END IF;
    title := shorten(COALESCE(s->>'title', parent.title || ': ' || (s->>'step'), s->>'step', parent.title), 1000);
    PERFORM know_lane(COALESCE(s->>'queue', parent.queue), kind_name);
    WITH item AS MATERIALIZED (
      SELECT nextval(pg_get_serial_sequence('ticket_base', 'id')) AS id, p.value AS payload, p.place, NULLIF(p.place > (s->>'breadth')::integer, false) AS queued
      FROM (SELECT * FROM jsonb_array_elements(s->'payloads') WITH ORDINALITY AS p (value, place) ORDER BY place) p
    ), made AS (
      INSERT INTO ticket_base (filed, id, design_id, kind, payload, payload_bytes, queue, title, priority, concurrency_key, fairness_key)
      SELECT true, i.id, d.id, kind_name, i.payload, accepted_bytes('payload', i.payload), COALESCE(s->>'queue', parent.queue),
        CASE WHEN s ? 'titles' THEN shorten(s->'titles'->>(i.place - 1)::integer, 1000)
          WHEN (s->>'items')::boolean THEN title || ' ' || i.place ELSE title END, COALESCE((s->>'priority')::integer, parent.priority),
        parent.concurrency_key, parent.fairness_key
      FROM item i
    ), owned AS (
      INSERT INTO ticket_parents (ticket_id, parent_id) SELECT i.id, parent.id FROM item i
    ), waited AS (
      INSERT INTO ticket_dependencies (ticket_id, after_id, name, item, on_cancelled, queued)
      SELECT parent.id, i.id, s->>'step',
        CASE WHEN s ? 'places' THEN (s->'places'->>(i.place - 1)::integer)::integer WHEN (s->>'items')::boolean THEN i.place - 1 END, s->>'on_cancelled', i.queued
      FROM item i WHERE s ? 'step'
    )
    SELECT array_agg(i.id ORDER BY i.place) INTO ids FROM item i;
    added := added || ids;
    IF s ? 'breadth' THEN
      ids := ids[:(s->>'breadth')::integer];
    END IF;
    IF ids IS NOT NULL THEN
      IF design_expiry(d) IS NOT NULL THEN
        PERFORM start_expiry(ids);
      END IF;
      PERFORM file_tickets(ids);
    END IF;
  END LOOP;
  RETURN added;
END
$$;
COMMENT ON FUNCTION add_children IS 'Adds tickets of which another one, whose row the caller has locked, is the parent; those with a step are steps of it, for which it waits.';

-- The fence is looked at on the locked row, so that what is added is added once: a second call under the same lease finds it used.
CREATE OR REPLACE FUNCTION running_ticket(ticket_id bigint, under_lease bigint) RETURNS ticket_base
LANGUAGE plpgsql SET search_path = ${flyway:defaultSchema}, pg_temp SET enable_seqscan = off SET enable_bitmapscan = off AS $$
DECLARE
  t ticket_base;
BEGIN
  SELECT * INTO t FROM ticket_base b
  WHERE b.id = running_ticket.ticket_id AND b.state = 'ready' AND b.fence < under_lease
    AND EXISTS (SELECT FROM leases l WHERE l.id = under_lease)
  FOR UPDATE;
  RETURN t;
END
$$;
COMMENT ON FUNCTION running_ticket IS 'The row of a ticket that is in progress under this lease, locked; NULL if it no longer is.';

CREATE OR REPLACE FUNCTION advance_workflow(ticket_id bigint, under_lease bigint, plan jsonb) RETURNS boolean
LANGUAGE plpgsql SET search_path = ${flyway:defaultSchema}, pg_temp SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off
  SET lock_timeout = '250ms' AS $$
DECLARE
  t ticket_base := running_ticket(advance_workflow.ticket_id, under_lease);
  lacking text[];
  waits boolean;
BEGIN
  IF t.id IS NULL THEN
    RETURN false;
  END IF;
  UPDATE ticket_base b
  SET fence = under_lease, started_at = l.claimed_at, updated_at = now(), retry_after = NULL, attempt_count = b.attempt_count + 1,
      same_error_count = 0, error = NULL, error_title = NULL, error_category = NULL, error_fingerprint = NULL
  FROM leases l WHERE l.id = under_lease AND b.id = t.id
  RETURNING b.* INTO t;
  INSERT INTO ticket_attempts (ticket_id, lease_no, started_at, finished_at, attempt, outcome, worker_id)
  SELECT t.id, l.id, l.claimed_at, now(), t.attempt_count, 'advanced', l.worker_id FROM leases l WHERE l.id = under_lease;
  INSERT INTO workflows AS w (ticket_id, skipped) VALUES (t.id, ARRAY(SELECT jsonb_array_elements_text(plan->'skipped')))
  ON CONFLICT ON CONSTRAINT workflows_pkey DO UPDATE SET skipped = EXCLUDED.skipped;
  -- What waited for a success only has not ended for the workflow itself before its review has. One that was rejected may succeed again just now.
  PERFORM FROM ticket_base b WHERE b.state NOT IN ('done', 'cancelled') AND b.id IN (
    SELECT d.after_id FROM ticket_dependencies d
    WHERE d.ticket_id = t.id AND (d.ended_at IS NOT NULL AND d.on_success
      OR d.ended_at IS NULL AND d.on_success IS NULL AND d.name IN (SELECT jsonb_array_elements_text(plan->'success')))) ORDER BY b.id FOR SHARE;
  PERFORM add_children(t, plan->'steps');
  -- Until the last one of a step has succeeded, nobody waits for the reviews of the others, nor has one of them a place in its breadth.
  lacking := ARRAY(
    SELECT DISTINCT d.name FROM ticket_dependencies d JOIN ticket_base b ON b.id = d.after_id
    WHERE d.ticket_id = t.id AND d.name IN (SELECT jsonb_array_elements_text(plan->'success')) AND b.state NOT IN ('done', 'cancelled', 'needs_review'));
  UPDATE ticket_dependencies d SET ended_at = NULL, on_success = NULL
  FROM ticket_base b
  WHERE d.ticket_id = t.id AND d.ended_at IS NOT NULL AND d.on_success AND b.id = d.after_id AND b.state NOT IN ('done', 'cancelled')
    AND NOT (b.state = 'needs_review' AND d.name = ANY (lacking));
  UPDATE ticket_dependencies d SET ended_at = now(), on_success = true
  FROM ticket_base b
  WHERE d.ticket_id = t.id AND d.ended_at IS NULL AND d.name = ANY (lacking) AND b.id = d.after_id AND b.state = 'needs_review';
  UPDATE ticket_dependencies d SET on_success = true
  WHERE d.ticket_id = t.id AND d.ended_at IS NULL AND d.name IN (SELECT jsonb_array_elements_text(plan->'success'))
    AND NOT EXISTS (SELECT FROM ticket_base b WHERE b.id = d.after_id AND b.state = 'needs_review');
  SELECT NOT w.news AND EXISTS (SELECT FROM ticket_dependencies d WHERE d.ticket_id = t.id AND d.ended_at IS NULL)
    -- It may have come since the plan was made, from one that nobody waited for just then.
    AND NOT EXISTS (
      SELECT FROM ticket_dependencies d JOIN ticket_base b ON b.id = d.after_id
      WHERE d.ticket_id = t.id AND d.ended_at IS NULL AND d.name IN (SELECT jsonb_array_elements_text(plan->'success'))
        AND plan ? 'succeeded' AND NOT plan->'succeeded' ? d.name
      GROUP BY d.name HAVING bool_and(b.state = 'needs_review')) INTO waits
  FROM workflows w WHERE w.ticket_id = t.id;
  UPDATE workflows w SET parked = waits, news = false WHERE w.ticket_id = t.id;
  PERFORM make_claimable(t);
  RETURN true;
END
$$;
COMMENT ON FUNCTION advance_workflow IS 'Ends an attempt of a workflow that waits for its steps: adds the steps that begin now, and lets it wait, or files it where a step has ended meanwhile. False, and nothing is changed, if it no longer runs under this lease. plan: {"steps": as for add_children, "skipped": names, "success": names of steps for which a success is enough, "succeeded": which steps have had one}.';

-- What the next steps use is read first, then the results of other steps, the smallest first: those are only for the result of the whole.
DROP FUNCTION IF EXISTS workflow_tickets(bigint);
CREATE OR REPLACE FUNCTION workflow_tickets(ticket_id bigint, uses jsonb DEFAULT NULL)
RETURNS TABLE (step text, item integer, id bigint, state text, result text, accepted boolean, left_out bigint)
LANGUAGE plpgsql STABLE SET search_path = ${flyway:defaultSchema}, pg_temp SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off AS $$
#variable_conflict use_column
DECLARE
  used text[];
  bytes numeric;
  unread jsonb;
BEGIN
  IF uses IS NOT NULL THEN
    used := ARRAY(
      SELECT n.value FROM jsonb_each(uses) AS s CROSS JOIN jsonb_array_elements_text(s.value) AS n
      WHERE NOT EXISTS (SELECT FROM ticket_dependencies d WHERE d.ticket_id = workflow_tickets.ticket_id AND d.name = s.key));
  END IF;
  SELECT sum(r.bytes) FILTER (WHERE r.used), jsonb_object_agg(r.step, r.bytes) FILTER (WHERE NOT r.used AND r.bytes_up_to > 33554432) INTO bytes, unread
  FROM (
    SELECT m.step, m.used, m.bytes, sum(m.bytes) OVER (ORDER BY m.used DESC, m.bytes, m.step) AS bytes_up_to
    FROM (
      SELECT COALESCE(d.name, '') AS step, used IS NULL OR COALESCE(d.name, '') = ANY (used) AS used, sum(measured_bytes(b.result)) AS bytes
      FROM ticket_dependencies d JOIN ticket_base b ON b.id = d.after_id
      WHERE d.ticket_id = workflow_tickets.ticket_id AND b.result IS NOT NULL
      GROUP BY COALESCE(d.name, '')
    ) m
  ) r;
  IF bytes > 33554432 THEN
    RAISE EXCEPTION 'the results that its next steps use have % bytes, and 33554432 are allowed', bytes
      USING ERRCODE = 'HF422', HINT = 'Let steps write large results elsewhere and say where.';
  END IF;
  RETURN QUERY
  SELECT d.name, d.item, b.id, b.state, CASE WHEN unread->COALESCE(d.name, '') IS NULL THEN b.result::text END,
    b.state = 'cancelled' AND EXISTS (
      SELECT FROM ticket_activity a
      WHERE a.ticket_id = workflow_tickets.ticket_id AND a.created_at >= b.completed_at
        AND (a.action = 'released' OR a.action = 'replayed' AND a.details ? 'of')),
    COALESCE((unread->>COALESCE(d.name, ''))::bigint, 0)
  FROM ticket_dependencies d JOIN ticket_base b ON b.id = d.after_id
  WHERE d.ticket_id = workflow_tickets.ticket_id ORDER BY d.name, d.item;
END
$$;
COMMENT ON FUNCTION workflow_tickets IS 'The tickets of a workflow''s steps with their results, as its handler reads them. uses: by step, those whose results it uses; NULL: all are used. accepted: it was cancelled, and the workflow released since, or made by a replay. left_out: the bytes of the results of its step, where no next step uses them and they are not among the 32 MiB that are read; 0 otherwise. HF422 if those that are used are too long.';

-- Whoever finishes a step locks it, then its workflow: so does whoever holds, releases or replays the workflow.
-- Here and below: where a success is enough, what is in review, or was rejected there, is not waited for until the workflow goes on, but is as open.
CREATE OR REPLACE FUNCTION lock_steps(workflow bigint) RETURNS void
LANGUAGE plpgsql SET search_path = ${flyway:defaultSchema}, pg_temp SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off AS $$
BEGIN
  IF EXISTS (SELECT FROM workflows w WHERE w.ticket_id = workflow) THEN
    PERFORM FROM ticket_base b
    WHERE b.id IN (SELECT d.after_id FROM ticket_dependencies d WHERE d.ticket_id = workflow AND (d.ended_at IS NULL OR d.on_success)) ORDER BY b.id FOR UPDATE;
  END IF;
END
$$;
COMMENT ON FUNCTION lock_steps IS 'Locks the open steps of a workflow.';

-- A step may say that its end by a person is that of its workflow, which may be a step itself: so all that goes is known and locked first, the deepest
-- first, as those who finish it do.
CREATE OR REPLACE FUNCTION lock_what_goes(ticket_id bigint) RETURNS void
LANGUAGE plpgsql SET search_path = ${flyway:defaultSchema}, pg_temp SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM workflows w WHERE w.ticket_id = lock_what_goes.ticket_id) AND NOT EXISTS (
      SELECT FROM ticket_dependencies d JOIN workflows w ON w.ticket_id = d.ticket_id
      WHERE d.after_id = lock_what_goes.ticket_id AND (d.ended_at IS NULL OR d.on_success) AND d.on_cancelled = 'cancel') THEN
    RETURN;
  END IF;
  PERFORM FROM ticket_base b JOIN (
    WITH RECURSIVE up (id) AS (
      SELECT lock_what_goes.ticket_id
      UNION
      SELECT d.ticket_id FROM up u
      JOIN ticket_dependencies d ON d.after_id = u.id AND (d.ended_at IS NULL OR d.on_success) AND d.on_cancelled = 'cancel'
      JOIN workflows w ON w.ticket_id = d.ticket_id
    ), down (id, depth) AS (
      SELECT u.id, 0 FROM up u
      UNION
      SELECT d.after_id, x.depth + 1 FROM down x
      -- Each is looked up: where few workflows have most rows, a join would compare each step with each open row of the table.
      CROSS JOIN LATERAL (
        SELECT s.after_id FROM ticket_dependencies s
        WHERE s.ticket_id = x.id AND (s.ended_at IS NULL OR s.on_success) AND EXISTS (SELECT FROM workflows w WHERE w.ticket_id = x.id)
        OFFSET 0) d
    )
    SELECT x.id, max(x.depth) AS depth FROM down x GROUP BY x.id
  ) o ON o.id = b.id
  ORDER BY o.depth DESC, b.id FOR UPDATE OF b;
END
$$;
COMMENT ON FUNCTION lock_what_goes IS 'Locks what is cancelled with a ticket: the open steps of a workflow, and the workflow of a step that says so with its other steps.';

-- What a job adds is a child of it, and whoever waits for the job waits for what it adds: as rows of its followers without a name, in a
-- workflow as part of the step.
CREATE OR REPLACE FUNCTION add_tickets_of_job(ticket_id bigint, under_lease bigint, steps jsonb) RETURNS boolean
LANGUAGE plpgsql SET search_path = ${flyway:defaultSchema}, pg_temp SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off
  SET lock_timeout = '250ms' AS $$
DECLARE
  t ticket_base := running_ticket(add_tickets_of_job.ticket_id, under_lease);
  allowed jsonb;
  wanted text;
  added bigint[];
BEGIN
  IF t.id IS NULL THEN
    RETURN false;
  END IF;
  -- Only a handler in Java works a ticket of another kind without a design: that is the code of whoever runs the worker.
  IF t.design_id IS NOT NULL OR t.kind IN ('command', 'agent') THEN
    SELECT COALESCE(d.definition->'may_enqueue', '[]') INTO allowed FROM designs d WHERE d.id = t.design_id;
    SELECT s.value->>'design' INTO wanted FROM jsonb_array_elements(steps) AS s
    WHERE NOT COALESCE(allowed, '[]') ? COALESCE(s.value->>'design', '') LIMIT 1;
    IF FOUND THEN
      RAISE EXCEPTION '% allow it to enqueue "%"', CASE WHEN t.design_id IS NULL THEN 'it has no design that would' ELSE 'its design does not' END,
        left(COALESCE(wanted, 'NULL'), 100)
        USING ERRCODE = 'HF422', HINT = 'Its may_enqueue is ' || left(COALESCE(allowed, '[]')::text, 500) || '.';
    END IF;
  END IF;
  added := add_children(t, steps);
  INSERT INTO ticket_dependencies (ticket_id, after_id, name, item, on_success, on_cancelled)
  SELECT d.ticket_id, u.id, CASE WHEN w.ticket_id IS NOT NULL THEN d.name END, -1, d.on_success, d.on_cancelled
  FROM ticket_dependencies d LEFT JOIN workflows w ON w.ticket_id = d.ticket_id CROSS JOIN unnest(added) AS u (id)
  WHERE d.after_id = t.id AND (d.ended_at IS NULL OR d.on_success AND w.ticket_id IS NOT NULL);
  RETURN true;
END
$$;
COMMENT ON FUNCTION add_tickets_of_job IS 'Adds what a running job enqueues, in the transaction that stores its success. False, and nothing is added, if it no longer runs under this lease; HF422 for what its design does not allow.';

CREATE OR REPLACE FUNCTION cancel_steps(t ticket_base, actor text) RETURNS void
LANGUAGE plpgsql SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
DECLARE
  child bigint;
BEGIN
  FOR child IN
    WITH ended AS (
      UPDATE ticket_dependencies d SET ended_at = now(), queued = NULL WHERE d.ticket_id = t.id AND (d.ended_at IS NULL OR d.on_success) RETURNING d.after_id, d.name
    )
    SELECT e.after_id FROM ended e WHERE e.name IS NOT NULL ORDER BY e.after_id
  LOOP
    IF EXISTS (SELECT FROM ticket_base b WHERE b.id = child AND b.state NOT IN ('done', 'cancelled')) THEN
      PERFORM cancel_ticket(child, actor, format('its workflow #%s was cancelled', t.id));
    END IF;
  END LOOP;
END
$$;
COMMENT ON FUNCTION cancel_steps IS 'Cancels the open steps of a workflow that a person cancels.';

-- What runs is left to run: its end is no loss, and no step begins after it.
CREATE OR REPLACE FUNCTION hold_steps(t ticket_base, actor text, reason text) RETURNS integer
LANGUAGE plpgsql SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
DECLARE
  child ticket_base;
  n integer := 0;
BEGIN
  FOR child IN
    SELECT b.* FROM ticket_dependencies d JOIN ticket_base b ON b.id = d.after_id
    WHERE d.ticket_id = t.id AND d.name IS NOT NULL AND (d.ended_at IS NULL OR d.on_success) AND b.state = 'ready' AND b.assignee_type = 'agent'
    ORDER BY b.id
  LOOP
    IF child.kind = 'workflow' THEN
      PERFORM hold_ticket(child.id, actor, format('its workflow #%s is on hold: %s', t.id, reason));
      n := n + 1;
    ELSIF make_unclaimable(child) THEN
      UPDATE ticket_base b
      SET state = 'on_hold', held_at = now(), hold_reason = format('its workflow #%s is on hold: %s', t.id, reason),
          hold_actions = '{release,release_with_guidance,cancel}', retry_after = NULL, updated_at = now()
      WHERE b.id = child.id;
      PERFORM log_activity(child.id, 'held', actor, jsonb_build_object('reason', reason, 'workflow', t.id));
      n := n + 1;
    END IF;
  END LOOP;
  RETURN n;
END
$$;
COMMENT ON FUNCTION hold_steps IS 'Holds the tickets of a workflow''s steps that wait, and says how many. The caller has locked them (lock_steps).';

CREATE OR REPLACE FUNCTION release_steps(t ticket_base, actor text, guidance text, keep_retries boolean, fresh boolean) RETURNS integer
LANGUAGE plpgsql SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
DECLARE
  child ticket_base;
  n integer := 0;
BEGIN
  FOR child IN
    SELECT b.* FROM ticket_dependencies d JOIN ticket_base b ON b.id = d.after_id
    WHERE d.ticket_id = t.id AND d.name IS NOT NULL AND (d.ended_at IS NULL OR d.on_success) AND (b.state = 'ready' AND b.kind = 'workflow' OR b.held_at IS NOT NULL
      AND CASE WHEN is_blank(guidance) THEN 'release' ELSE 'release_with_guidance' END = ANY (b.hold_actions))
    ORDER BY b.id
  LOOP
    IF child.state = 'ready' THEN
      n := n + release_steps(child, actor, guidance, keep_retries, fresh);
    ELSE
      -- One that this order has released before stays on hold.
      n := n + (release_ticket(child.id, actor, guidance, keep_retries, fresh) = 'ready')::integer;
    END IF;
  END LOOP;
  RETURN n;
END
$$;
COMMENT ON FUNCTION release_steps IS 'Releases the steps of a workflow that are on hold, also those of a workflow that is a step, and says how many. Questions wait on for their answers.';

CREATE OR REPLACE FUNCTION steps_from(definition jsonb, step text) RETURNS text[]
LANGUAGE sql STABLE SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
  WITH RECURSIVE later (name) AS (
    SELECT s.key FROM jsonb_each(definition->'steps') AS s WHERE s.key = step
    UNION
    SELECT s.key FROM later l, jsonb_each(definition->'steps') AS s WHERE s.value->'after' ? l.name
  )
  SELECT array_agg(l.name) FROM later l
$$;
COMMENT ON FUNCTION steps_from IS 'A step of a workflow''s design and all that wait for it, directly or not; NULL if there is no such step.';

-- What was cancelled before the workflow ended stays so, for a person has decided that; what was cancelled with it is worked again, in its place.
CREATE OR REPLACE FUNCTION keep_steps(t ticket_base, definition jsonb, replayed bigint, again text[]) RETURNS void
LANGUAGE plpgsql SET search_path = ${flyway:defaultSchema}, pg_temp SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off AS $$
DECLARE
  successor ticket_base;
  steps jsonb;
BEGIN
  INSERT INTO ticket_dependencies (ticket_id, after_id, ended_at, name, item, on_cancelled)
  SELECT replayed, x.after_id, now(), x.name, x.item, x.on_cancelled FROM ticket_dependencies x JOIN ticket_base b ON b.id = x.after_id
  WHERE x.ticket_id = t.id AND x.name <> ALL (again) AND (b.state = 'done' OR b.state = 'cancelled' AND b.completed_at < t.completed_at);
  -- The new one needs their results now. What a job has added stays that job's.
  UPDATE ticket_parents p SET parent_id = replayed FROM ticket_dependencies x
  WHERE x.ticket_id = replayed AND x.after_id = p.ticket_id AND x.item IS DISTINCT FROM -1;
  SELECT jsonb_agg(g.step) INTO steps FROM (
    SELECT jsonb_strip_nulls(jsonb_build_object('step', x.name, 'design', o.name, 'kind', CASE WHEN o.name IS NULL THEN b.kind END, 'queue', b.queue,
        'priority', b.priority, 'on_cancelled', x.on_cancelled, 'breadth', CASE WHEN x.item >= 0 THEN keep_steps.definition->'steps'->x.name->'breadth' END))
      || jsonb_build_object('payloads', jsonb_agg(b.payload ORDER BY x.item, b.id), 'places', jsonb_agg(x.item ORDER BY x.item, b.id),
        'titles', jsonb_agg(b.title ORDER BY x.item, b.id)) AS step
    FROM ticket_dependencies x JOIN ticket_base b ON b.id = x.after_id LEFT JOIN designs o ON o.id = b.design_id
    WHERE x.ticket_id = t.id AND x.name <> ALL (again) AND b.state = 'cancelled' AND b.completed_at >= t.completed_at
    GROUP BY x.name, o.name, b.kind, b.queue, b.priority, x.on_cancelled, x.item >= 0
    ORDER BY min(b.id)
  ) g;
  IF steps IS NOT NULL THEN
    SELECT * INTO successor FROM ticket_base b WHERE b.id = replayed;
    PERFORM add_children(successor, steps);
  END IF;
END
$$;
COMMENT ON FUNCTION keep_steps IS 'Gives the workflow that takes the place of an ended one its steps, but for those which are worked again.';

CREATE OR REPLACE FUNCTION replay_ticket(id bigint, actor text, from_step text) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
DECLARE
  t ticket_base;
  d designs;
  again text[];
  child bigint;
  dropped bigint[];
  replayed bigint;
BEGIN
  PERFORM require_words('actor', actor);
  PERFORM lock_steps(replay_ticket.id);
  t := locked_ticket(replay_ticket.id);
  SELECT * INTO d FROM designs WHERE designs.id = t.design_id;
  IF t.kind <> 'workflow' OR d.id IS NULL THEN
    RAISE EXCEPTION 'ticket % is no workflow', t.id USING ERRCODE = 'HF422', HINT = 'Its state is ' || t.state || '; a ticket on hold is released, one in review rejected.';
  END IF;
  again := steps_from(d.definition, from_step);
  IF again IS NULL THEN
    RAISE EXCEPTION 'the workflow % has no step "%"', t.id, left(COALESCE(from_step, 'NULL'), 100)
      USING ERRCODE = 'HF422', HINT = 'It has ' || (SELECT string_agg(key, ', ' ORDER BY key) FROM jsonb_object_keys(d.definition->'steps') AS key) || '.';
  END IF;
  IF t.state IN ('done', 'cancelled') THEN
    INSERT INTO ticket_base (filed, design_id, kind, queue, priority, title, payload, concurrency_key, fairness_key)
    VALUES (true, t.design_id, t.kind, t.queue, t.priority, t.title, t.payload, t.concurrency_key, t.fairness_key) RETURNING ticket_base.id INTO replayed;
    INSERT INTO workflows (ticket_id) VALUES (replayed);
    PERFORM keep_steps(t, d.definition, replayed, again);
    PERFORM log_activity(t.id, 'replayed', actor, jsonb_build_object('from', from_step, 'as', replayed));
    PERFORM log_activity(replayed, 'replayed', actor, jsonb_build_object('from', from_step, 'of', t.id));
    PERFORM file_tickets(ARRAY[replayed]);
    RETURN replayed;
  END IF;
  PERFORM end_work(t, actor);
  PERFORM log_activity(t.id, 'replayed', actor, jsonb_build_object('from', from_step, 'steps', to_jsonb(again)));
  WITH gone AS (
    DELETE FROM ticket_dependencies x WHERE x.ticket_id = t.id AND x.name = ANY (again) RETURNING x.after_id
  )
  SELECT array_agg(g.after_id ORDER BY g.after_id) INTO dropped FROM gone g;
  FOREACH child IN ARRAY COALESCE(dropped, '{}') LOOP
    IF EXISTS (SELECT FROM ticket_base b WHERE b.id = child AND b.state NOT IN ('done', 'cancelled')) THEN
      PERFORM cancel_ticket(child, actor, format('the workflow #%s is replayed from its step %s', t.id, from_step));
    END IF;
  END LOOP;
  UPDATE workflows w SET parked = false, news = false, skipped = ARRAY(SELECT s FROM unnest(w.skipped) AS s WHERE s <> ALL (again))
  WHERE w.ticket_id = t.id;
  UPDATE ticket_base b
  SET state = 'ready', held_at = NULL, hold_reason = NULL, hold_actions = NULL, completed_at = NULL, retry_after = NULL, retry_count = 0,
      retry_counts = NULL, same_error_count = 0, crash_count = 0, updated_at = now()
  WHERE b.id = t.id RETURNING * INTO t;
  PERFORM make_claimable(t);
  RETURN t.id;
END
$$;
COMMENT ON FUNCTION replay_ticket IS 'Works a workflow again from one of its steps on, with the results of the steps that do not wait for it: SELECT ${flyway:defaultSchema}.replay_ticket(17, ''ann'', ''clean''). What is open of those steps is cancelled. A workflow that is done or cancelled stays so, and a new one takes its place. Returns the id of the one that runs.';

CREATE OR REPLACE VIEW workflow_steps AS
SELECT b.id AS workflow_id, s.key AS step,
  CASE
    -- What is skipped at the very end is not stored: a workflow that has ended has begun all else.
    WHEN s.key = ANY (w.skipped) OR c.tickets IS NULL AND b.state IN ('needs_review', 'done') THEN 'skipped'
    WHEN c.tickets IS NULL THEN 'waiting'
    WHEN c.on_hold > 0 THEN 'on_hold'
    WHEN c.in_progress > 0 THEN 'in_progress'
    WHEN c.ready > 0 THEN 'ready'
    WHEN c.needs_review > 0 THEN 'needs_review'
    WHEN c.cancelled > 0 THEN 'cancelled'
    ELSE 'done'
  END AS state,
  COALESCE(s.value->>'design', s.value->>'kind') AS design,
  ARRAY(SELECT jsonb_array_elements_text(COALESCE(s.value->'after', '[]'))) AS after,
  COALESCE(c.tickets, 0) AS tickets, COALESCE(c.done, 0) AS done, COALESCE(c.on_hold, 0) AS on_hold, COALESCE(c.in_progress, 0) AS in_progress,
  c.first_ticket_id, c.first_held_id
FROM ticket_base b
JOIN designs d ON d.id = b.design_id
CROSS JOIN LATERAL jsonb_each(d.definition->'steps') AS s
LEFT JOIN workflows w ON w.ticket_id = b.id
CROSS JOIN LATERAL (
  SELECT NULLIF(count(*), 0) AS tickets, count(*) FILTER (WHERE t.state = 'on_hold') AS on_hold,
    count(*) FILTER (WHERE t.state = 'ready' AND l.running IS NOT NULL) AS in_progress,
    count(*) FILTER (WHERE t.state = 'ready' AND l.running IS NULL) AS ready,
    count(*) FILTER (WHERE t.state = 'needs_review') AS needs_review, count(*) FILTER (WHERE t.state = 'cancelled') AS cancelled,
    count(*) FILTER (WHERE t.state = 'done') AS done, min(t.id) AS first_ticket_id, min(t.id) FILTER (WHERE t.state = 'on_hold') AS first_held_id
  FROM ticket_dependencies x JOIN ticket_base t ON t.id = x.after_id
  LEFT JOIN (SELECT u.id AS running, l.id AS lease_no FROM leases l CROSS JOIN LATERAL unnest(l.ids) AS u (id)) l
    ON l.running = t.id AND l.lease_no > t.fence
  WHERE x.ticket_id = b.id AND x.name = s.key
) c
WHERE b.kind = 'workflow';
COMMENT ON VIEW workflow_steps IS 'One row for each step of each workflow: SELECT * FROM ${flyway:defaultSchema}.workflow_steps WHERE workflow_id = 17. waiting: it has not begun; skipped: its condition said no; else the state of its ticket, or of the tickets of a for_each as a whole.';

SELECT grant_roles(only_new => true);
