-- How a ticket comes in, and where it then stands. Whatever makes a ticket claimable ends here, whatever way it came: INSERT, COPY, function,
-- worker. Each is filed under ready, deferred or held, or, where nobody works it, under none.
--
-- Flyway runs this file after all versioned ones: again with each version of the schema (now ${version}), and whenever it changes.

CREATE OR REPLACE FUNCTION latest_design(design text) RETURNS designs
LANGUAGE plpgsql STABLE SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
DECLARE
  d designs;
BEGIN
  SELECT * INTO d FROM designs WHERE name = latest_design.design ORDER BY version DESC LIMIT 1;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'there is no design "%"', left(design, 100)
      USING ERRCODE = 'HF404', HINT = 'holdfast design put NAME --file FILE makes one';
  END IF;
  RETURN d;
END
$$;
COMMENT ON FUNCTION latest_design IS 'The latest version of a design; HF404 if there is none.';

CREATE OR REPLACE FUNCTION kind_of_new_ticket(wanted_kind text, d designs) RETURNS text
LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  IF COALESCE(wanted_kind, d.kind) IS NULL THEN
    RAISE EXCEPTION 'a ticket needs a design or a kind' USING ERRCODE = 'HF422';
  END IF;
  IF wanted_kind <> d.kind THEN
    RAISE EXCEPTION 'design "%" is of the kind "%", not "%"', d.name, d.kind, left(wanted_kind, 100)
      USING ERRCODE = 'HF422', HINT = 'Leave the kind out.';
  END IF;
  RETURN COALESCE(d.kind, wanted_kind);
END
$$;
COMMENT ON FUNCTION kind_of_new_ticket IS 'The kind a ticket gets from what was asked for and from its design; HF422 if they contradict each other.';

CREATE OR REPLACE FUNCTION know_lane(queue text, kind text) RETURNS void
LANGUAGE plpgsql SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
BEGIN
  IF EXISTS (SELECT FROM lanes l WHERE l.queue = know_lane.queue AND l.kind = know_lane.kind) THEN
    RETURN;
  END IF;
  PERFORM require_queue_name(queue);
  IF kind IS NULL OR kind !~ '^[A-Za-z0-9][A-Za-z0-9._:/-]{0,99}$' THEN
    RAISE EXCEPTION '"%" is not the name of a kind', COALESCE(left(kind, 100), 'NULL')
      USING ERRCODE = 'HF422', HINT = 'Take 1 to 100 letters, digits and . _ : / -, the first a letter or digit.';
  END IF;
  INSERT INTO queues (name) VALUES (know_lane.queue) ON CONFLICT DO NOTHING;
  INSERT INTO lanes (queue, kind) VALUES (know_lane.queue, know_lane.kind) ON CONFLICT DO NOTHING;
END
$$;
COMMENT ON FUNCTION know_lane IS 'Makes the queue and its lane for a kind if they are new; refuses bad names.';

CREATE OR REPLACE FUNCTION wake_workers(woken_queues text[]) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  -- A NOTIFY serialises commits, so it is sent only if somebody sleeps; polling finds the ticket anyway. PostgreSQL itself
  -- sends equal notifications of one transaction once.
  IF EXISTS (SELECT FROM ${flyway:defaultSchema}.workers WHERE wants_wakeup) THEN
    PERFORM pg_notify('${flyway:defaultSchema}_ready', q) FROM unnest(woken_queues) AS q;
  END IF;
END
$$;
COMMENT ON FUNCTION wake_workers IS 'NOTIFY ${flyway:defaultSchema}_ready with the queue''s name, at most once per transaction and queue, if some worker wants one.';

-- What nobody has measured is measured here: COPY brings in payloads whose size is not known.
-- Trap: for an array of one the planner would make a plan at each call, which takes ten times as long as the call.
CREATE OR REPLACE FUNCTION file_tickets(ids bigint[]) RETURNS void
LANGUAGE plpgsql SET search_path = ${flyway:defaultSchema}, pg_temp SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off AS $$
DECLARE
  usual bigint;
  odd bigint[];
  measured bigint[];
  lined bigint[] := '{}';
  limited boolean := EXISTS (SELECT FROM claim_limits);
BEGIN
  -- Mostly all of them are ready for agents, in lanes that are known, and no limit is for them. = ANY (ARRAY[u.id]) keeps to the primary key, as in
  -- store_successes. Trap: stands_in_line(b) for each would cost as much as the rest.
  INSERT INTO ready (priority, created_at, id, queue, kind)
  SELECT b.priority, b.created_at, b.id, b.queue, b.kind
  FROM unnest(ids) AS u (id)
  JOIN ticket_base b ON b.id = ANY (ARRAY[u.id])
  JOIN lanes l ON l.queue = b.queue AND l.kind = b.kind
  WHERE b.state = 'ready' AND b.assignee_type = 'agent' AND (b.retry_after IS NULL OR b.retry_after <= now())
    AND b.payload_bytes IS NOT NULL AND broken_rule(b) IS NULL
    AND b.concurrency_key IS NULL AND b.fairness_key IS NULL
    AND NOT (limited AND EXISTS (SELECT FROM claim_limits x WHERE x.queue = b.queue))
    AND NOT (limited AND EXISTS (SELECT FROM designs d JOIN claim_limits x ON x.design = d.name WHERE d.id = b.design_id));
  GET DIAGNOSTICS usual = ROW_COUNT;
  IF usual < cardinality(ids) THEN
    WITH m AS (
      UPDATE ticket_base b SET payload_bytes = accepted_bytes('payload', b.payload)
      WHERE b.id = ANY (ids) AND b.payload_bytes IS NULL
      RETURNING b.id
    )
    SELECT array_agg(m.id) INTO measured FROM m;
    IF measured IS NOT NULL THEN
      PERFORM file_tickets(measured);
      ids := ARRAY(SELECT u.id FROM unnest(ids) AS u (id) WHERE u.id <> ALL (measured));
    END IF;
    -- Those with a key or under a limit are many at a time, too.
    lined := ARRAY(
      SELECT b.id
      FROM unnest(ids) AS u (id)
      JOIN ticket_base b ON b.id = ANY (ARRAY[u.id])
      JOIN lanes l ON l.queue = b.queue AND l.kind = b.kind
      WHERE b.state = 'ready' AND b.assignee_type = 'agent' AND (b.retry_after IS NULL OR b.retry_after <= now()) AND broken_rule(b) IS NULL
        AND (b.concurrency_key IS NOT NULL OR b.fairness_key IS NOT NULL
          OR EXISTS (SELECT FROM claim_limits x WHERE x.queue = b.queue)
          OR EXISTS (SELECT FROM designs d JOIN claim_limits x ON x.design = d.name WHERE d.id = b.design_id)));
    IF cardinality(lined) > 0 THEN
      PERFORM line_up(lined);
    END IF;
  END IF;
  IF usual + cardinality(lined) < cardinality(ids) THEN
    odd := ARRAY(
      SELECT b.id FROM unnest(ids) AS u (id)
      JOIN ticket_base b ON b.id = ANY (ARRAY[u.id])
      LEFT JOIN lanes l ON l.queue = b.queue AND l.kind = b.kind
      WHERE l.queue IS NULL OR b.state <> 'ready' OR b.assignee_type IS DISTINCT FROM 'agent' OR b.retry_after > now()
        OR broken_rule(b) IS NOT NULL);
    PERFORM require_rules(b) FROM ticket_base b WHERE b.id = ANY (odd);
    PERFORM know_lane(n.queue, n.kind)
    FROM (SELECT DISTINCT b.queue, b.kind FROM ticket_base b WHERE b.id = ANY (odd) ORDER BY b.queue, b.kind) n;
    INSERT INTO ready (priority, created_at, id, queue, kind)
    SELECT b.priority, b.created_at, b.id, b.queue, b.kind FROM ticket_base b
    WHERE b.id = ANY (odd) AND b.state = 'ready' AND b.assignee_type = 'agent' AND (b.retry_after IS NULL OR b.retry_after <= now())
      AND NOT stands_in_line(b);
    PERFORM line_up(array_agg(b.id)) FROM ticket_base b
    WHERE b.id = ANY (odd) AND b.state = 'ready' AND b.assignee_type = 'agent' AND (b.retry_after IS NULL OR b.retry_after <= now())
      AND stands_in_line(b)
    HAVING count(*) > 0;
    PERFORM know_line(n.queue, n.kind)
    FROM (SELECT DISTINCT b.queue, b.kind FROM ticket_base b
      WHERE b.id = ANY (odd) AND (b.concurrency_key IS NOT NULL OR b.fairness_key IS NOT NULL) ORDER BY b.queue, b.kind) n;
    INSERT INTO deferred (run_at, created_at, id, priority, queue, kind)
    SELECT b.retry_after, b.created_at, b.id, b.priority, b.queue, b.kind FROM ticket_base b
    WHERE b.id = ANY (odd) AND b.state = 'ready' AND b.assignee_type = 'agent' AND b.retry_after > now();
    INSERT INTO held (id, held_at, queue, kind, category, fingerprint)
    SELECT b.id, b.held_at, b.queue, b.kind, COALESCE(b.error_category, ''), COALESCE(b.error_fingerprint, '') FROM ticket_base b
    WHERE b.id = ANY (odd) AND b.held_at IS NOT NULL;
  END IF;
  IF EXISTS (SELECT FROM workers WHERE wants_wakeup) THEN
    PERFORM wake_workers(ARRAY(
      SELECT DISTINCT b.queue FROM ticket_base b
      WHERE b.id = ANY (ids) AND b.state = 'ready' AND b.assignee_type = 'agent' AND (b.retry_after IS NULL OR b.retry_after <= now())));
  END IF;
END
$$;
COMMENT ON FUNCTION file_tickets IS 'Files new tickets, in the transaction that inserted them: each under ready, deferred, held or nothing, in a lane that is known from then on. Refuses those that break a rule.';

CREATE OR REPLACE FUNCTION file_new_tickets(ids bigint[]) RETURNS void
LANGUAGE plpgsql SET search_path = ${flyway:defaultSchema}, pg_temp SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off AS $$
BEGIN
  INSERT INTO ticket_deadlines (ticket_id, expires_at)
  SELECT b.id, b.expires_at FROM unnest(ids) AS u (id) JOIN ticket_base b ON b.id = ANY (ARRAY[u.id])
  WHERE b.expires_at IS NOT NULL AND b.state = 'ready';
  PERFORM file_tickets(ids);
END
$$;
COMMENT ON FUNCTION file_new_tickets IS 'file_tickets for those that were just inserted: they may expire, too.';

CREATE OR REPLACE FUNCTION file_copied_tickets(after_id bigint) RETURNS bigint
LANGUAGE plpgsql SET search_path = ${flyway:defaultSchema}, pg_temp SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off AS $$
DECLARE
  copied bigint[] := ARRAY(
    SELECT b.id FROM ticket_base b WHERE b.id > after_id AND b.xmin = pg_current_xact_id()::xid);
BEGIN
  PERFORM file_new_tickets(copied);
  RETURN cardinality(copied);
END
$$;
COMMENT ON FUNCTION file_copied_tickets IS 'Files what this transaction copied in since the sequence of the ids was at after_id, and says how many those are: COPY tells no ids.';

-- The predecessors stay locked until the caller's transaction ends, against a change of state only. So whoever finishes one either is seen
-- here as finished, or waits and then sees the rows of this transaction. They are locked in the order of their ids, as everybody does.
DROP FUNCTION IF EXISTS wait_for_tickets(bigint, bigint[]);
CREATE OR REPLACE FUNCTION wait_for_tickets(ticket_id bigint, after bigint[], names text[], on_cancelled text) RETURNS boolean
LANGUAGE plpgsql SET search_path = ${flyway:defaultSchema}, pg_temp SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off AS $$
DECLARE
  bad bigint;
  success_is_enough boolean;
BEGIN
  PERFORM require_predecessors(after, names, on_cancelled);
  PERFORM FROM ticket_base b WHERE b.id = ANY (after) ORDER BY b.id FOR SHARE;
  -- A statement of its own sees what those have committed for whom the lock has waited. Each is looked up: a plan that was made while the table
  -- was empty would read all of it.
  SELECT u.id INTO bad FROM unnest(after) AS u (id)
  LEFT JOIN LATERAL (SELECT true AS is_there FROM ticket_base b WHERE b.id = u.id LIMIT 1) b ON true
  WHERE u.id = wait_for_tickets.ticket_id OR b.is_there IS NULL ORDER BY u.id LIMIT 1;
  IF FOUND THEN
    RAISE EXCEPTION 'there is no ticket % to wait for', bad
      USING ERRCODE = 'HF404', HINT = 'If it was done and retention has deleted it since, leave it out.';
  END IF;
  SELECT b.id INTO bad FROM ticket_base b
  WHERE b.id = ANY (after) AND b.state = 'cancelled' AND wait_for_tickets.on_cancelled IS DISTINCT FROM 'run' ORDER BY b.id LIMIT 1;
  IF FOUND THEN
    RAISE EXCEPTION 'ticket % is cancelled; nothing can wait for it', bad
      USING ERRCODE = 'HF422', HINT = 'Leave it out, wait for the ticket that took its place, or say on_cancelled => ''run''.';
  END IF;
  SELECT d.definition->>'after' = 'success' INTO success_is_enough
  FROM ticket_base b JOIN designs d ON d.id = b.design_id WHERE b.id = wait_for_tickets.ticket_id;
  INSERT INTO ticket_dependencies (ticket_id, after_id, ended_at, name, on_success, on_cancelled)
  SELECT DISTINCT ON (b.id) wait_for_tickets.ticket_id, b.id,
    CASE WHEN b.state IN ('done', 'cancelled') OR (b.state = 'needs_review' AND success_is_enough) THEN now() END,
    u.name, NULLIF(success_is_enough, false), NULLIF(wait_for_tickets.on_cancelled, 'hold')
  FROM unnest(after, names) AS u (id, name)
  CROSS JOIN LATERAL (SELECT b.id, b.state FROM ticket_base b WHERE b.id = u.id LIMIT 1) b
  ORDER BY b.id, u.name;
  IF names IS NOT NULL THEN
    UPDATE ticket_base b SET follows = true WHERE b.id = wait_for_tickets.ticket_id;
  END IF;
  RETURN is_waiting(wait_for_tickets.ticket_id);
END
$$;
COMMENT ON FUNCTION wait_for_tickets IS 'Lets a ticket that this transaction has inserted and not filed wait for others, and says whether it has to: those that are done need no wait. HF404 for one that is not there, HF422 for one that is cancelled.';

CREATE OR REPLACE FUNCTION require_predecessors(after bigint[], names text[], on_cancelled text) RETURNS void
LANGUAGE plpgsql IMMUTABLE SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
DECLARE
  bad text;
BEGIN
  IF cardinality(after) > 10000 THEN
    RAISE EXCEPTION 'a ticket may wait for 10000 others at most, not for %', cardinality(after)
      USING ERRCODE = 'HF422', HINT = 'Let some tickets in between wait for 10000 each, and this one for them.';
  ELSIF array_position(after, NULL) IS NOT NULL THEN
    RAISE EXCEPTION 'after must not contain NULL' USING ERRCODE = 'HF422', HINT = 'Give ids of tickets, as in ARRAY[17, 18].';
  ELSIF cardinality(names) <> cardinality(after) THEN
    RAISE EXCEPTION 'after has % ids and after_names % names', cardinality(after), cardinality(names)
      USING ERRCODE = 'HF422', HINT = 'Give one name for each id, in the same order; NULL for one without.';
  ELSIF on_cancelled NOT IN ('hold', 'cancel', 'run') THEN
    RAISE EXCEPTION 'on_cancelled cannot be "%"', left(on_cancelled, 100) USING ERRCODE = 'HF422', HINT = 'Take hold, cancel or run.';
  END IF;
  SELECT u.name INTO bad FROM unnest(names) AS u (name) WHERE u.name !~ '^[A-Za-z_][A-Za-z0-9_]{0,62}$' LIMIT 1;
  IF FOUND THEN
    RAISE EXCEPTION '"%" cannot name a ticket', left(bad, 100)
      USING ERRCODE = 'HF422', HINT = 'Take 1 to 63 letters, digits and _, the first no digit.';
  ELSIF cardinality(after) < 2 THEN
    RETURN;
  END IF;
  SELECT u.name INTO bad FROM unnest(after, names) AS u (id, name) WHERE u.name IS NOT NULL GROUP BY u.name HAVING count(DISTINCT u.id) > 1 LIMIT 1;
  IF FOUND THEN
    RAISE EXCEPTION 'two tickets of after have the name "%"', bad USING ERRCODE = 'HF422';
  END IF;
  SELECT u.id::text INTO bad FROM unnest(after, names) AS u (id, name) WHERE u.name IS NOT NULL GROUP BY u.id HAVING count(DISTINCT u.name) > 1 LIMIT 1;
  IF FOUND THEN
    RAISE EXCEPTION 'ticket % has two names in after', bad USING ERRCODE = 'HF422', HINT = 'Its result is given under one.';
  END IF;
END
$$;
COMMENT ON FUNCTION require_predecessors IS 'Refuses with HF422 what no ticket can wait for, whichever tickets there are.';

-- A workflow that has news is filed whatever steps are open. An item behind its step's breadth has a row of its workflow's that says so.
-- COALESCE keeps to the primary key: a plan from the first day would read all that is open of ticket_dependencies_open.
CREATE OR REPLACE FUNCTION is_waiting(ticket_id bigint) RETURNS boolean
LANGUAGE sql STABLE SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
  SELECT EXISTS (SELECT FROM ticket_dependencies d WHERE d.ticket_id = is_waiting.ticket_id AND COALESCE(d.ended_at, 'infinity') = 'infinity')
      AND COALESCE((SELECT w.parked FROM workflows w WHERE w.ticket_id = is_waiting.ticket_id), true)
    OR EXISTS (SELECT FROM ticket_dependencies d WHERE d.after_id = is_waiting.ticket_id AND d.ended_at IS NULL AND d.queued)
    OR EXISTS (SELECT FROM batch_followers f WHERE f.ticket_id = is_waiting.ticket_id AND f.ended_at IS NULL)
$$;
COMMENT ON FUNCTION is_waiting IS 'Whether a ticket waits for another one that is not done, or for a batch that has not ended.';

CREATE OR REPLACE FUNCTION file_freed(followers bigint[]) RETURNS void
LANGUAGE plpgsql SET search_path = ${flyway:defaultSchema}, pg_temp SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off AS $$
BEGIN
  PERFORM FROM ticket_base b WHERE b.id = ANY (followers) ORDER BY b.id FOR NO KEY UPDATE;
  followers := ARRAY(
    SELECT b.id FROM ticket_base b
    WHERE b.id = ANY (followers) AND b.state = 'ready' AND b.assignee_type = 'agent' AND NOT is_waiting(b.id));
  IF cardinality(followers) > 0 THEN
    PERFORM file_tickets(followers);
  END IF;
END
$$;
COMMENT ON FUNCTION file_freed IS 'Files those of these tickets that wait for nothing any more; the caller has closed what they waited for.';

-- Two transactions may finish the last two predecessors at once. Each closes its own row, then locks the follower, then looks, in a
-- statement of its own, for rows that are open: the second one sees what the first has committed.
CREATE OR REPLACE FUNCTION free_followers(finished bigint[]) RETURNS void
LANGUAGE plpgsql SET search_path = ${flyway:defaultSchema}, pg_temp SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off AS $$
DECLARE
  followers bigint[];
  names text[];
BEGIN
  -- Trap: a plan that was made while the tables were empty would go through all rows that are waited for, once for each of these tickets. So LIMIT and
  -- OFFSET keep the order, and rows are taken by ctid.
  WITH open AS MATERIALIZED (
    SELECT d.tid
    FROM unnest(finished) AS u (id)
    CROSS JOIN LATERAL (SELECT b.id, b.state FROM ticket_base b WHERE b.id = u.id LIMIT 1) b
    CROSS JOIN LATERAL (
      SELECT d.ctid AS tid, d.on_success FROM ticket_dependencies d WHERE d.after_id = b.id AND d.ended_at IS NULL OFFSET 0) d
    WHERE b.state = 'done' OR b.state = 'needs_review' AND d.on_success
  ), ended AS (
    UPDATE ticket_dependencies d SET ended_at = now()
    WHERE d.ctid = ANY (ARRAY(SELECT o.tid FROM open o)) AND d.ended_at IS NULL
    RETURNING d.ticket_id, d.name
  )
  SELECT array_agg(e.ticket_id), array_agg(e.name) INTO followers, names FROM ended e;
  IF followers IS NOT NULL THEN
    PERFORM file_followers(followers, names);
  END IF;
END
$$;
COMMENT ON FUNCTION free_followers IS 'Files the tickets that waited for the last time: those of these tickets that are done, in the transaction that finishes them.';

CREATE OR REPLACE FUNCTION file_followers(followers bigint[], names text[]) RETURNS void
LANGUAGE plpgsql SET search_path = ${flyway:defaultSchema}, pg_temp SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off AS $$
DECLARE
  claimable bigint[];
  next bigint[];
  workflow_ids bigint[] := '{}';
BEGIN
  -- All are locked, those that are not ready, too: whoever releases one sees it wait until this transaction ends. MATERIALIZED, or only the ready
  -- ones would be locked.
  WITH locked AS MATERIALIZED (
    SELECT b.id, b.state, b.assignee_type FROM ticket_base b WHERE b.id = ANY (followers) ORDER BY b.id FOR NO KEY UPDATE
  )
  SELECT array_agg(l.id) INTO claimable FROM locked l WHERE l.state = 'ready' AND l.assignee_type = 'agent';
  IF EXISTS (SELECT FROM workflows) THEN
    workflow_ids := ARRAY(SELECT w.ticket_id FROM workflows w WHERE w.ticket_id = ANY (followers));
    IF cardinality(workflow_ids) > 0 THEN
      PERFORM go_on_with_workflows(followers, names);
    END IF;
  END IF;
  -- As is_waiting, a call of which for each would cost more than the rest; LIMIT keeps to the indexes.
  next := ARRAY(
    SELECT c.id
    FROM unnest(claimable) AS c (id)
    WHERE c.id <> ALL (workflow_ids)
      AND (SELECT true FROM ticket_dependencies d WHERE d.ticket_id = c.id AND d.ended_at IS NULL LIMIT 1) IS NULL
      AND (SELECT true FROM ticket_dependencies d WHERE d.after_id = c.id AND d.ended_at IS NULL AND d.queued LIMIT 1) IS NULL
      AND (SELECT true FROM batch_followers w WHERE w.ticket_id = c.id AND w.ended_at IS NULL LIMIT 1) IS NULL);
  IF cardinality(next) > 0 THEN
    PERFORM file_tickets(next);
  END IF;
END
$$;
COMMENT ON FUNCTION file_followers IS 'Files those of these tickets that wait no more. names: what each has just waited for is called there.';

-- The arguments from "after" on came later, and a function with one argument more is another function.
DROP FUNCTION IF EXISTS enqueue_any_ticket(text, jsonb, text, text, text, integer, timestamptz, text, numeric);
DROP FUNCTION IF EXISTS enqueue_ticket(text, jsonb, text, text, text, integer, timestamptz, text, numeric);
DROP FUNCTION IF EXISTS enqueue_any_ticket(text, jsonb, text, text, text, integer, timestamptz, text, numeric, bigint[]);
DROP FUNCTION IF EXISTS enqueue_ticket(text, jsonb, text, text, text, integer, timestamptz, text, numeric, bigint[]);
DROP FUNCTION IF EXISTS enqueue_any_ticket(text, jsonb, text, text, text, integer, timestamptz, text, numeric, bigint[], timestamptz);
DROP FUNCTION IF EXISTS enqueue_ticket(text, jsonb, text, text, text, integer, timestamptz, text, numeric, bigint[], timestamptz);
DROP FUNCTION IF EXISTS produce_ticket(text, jsonb, text, text, text, integer, timestamptz, text, numeric);
DROP FUNCTION IF EXISTS enqueue_any_ticket(text, jsonb, text, text, text, integer, timestamptz, text, numeric, bigint[], timestamptz, text, text, text, text);
DROP FUNCTION IF EXISTS enqueue_ticket(text, jsonb, text, text, text, integer, timestamptz, text, numeric, bigint[], timestamptz, text, text, text, text);
DROP FUNCTION IF EXISTS enqueue_any_ticket(text, jsonb, text, text, text, integer, timestamptz, text, numeric, bigint[], timestamptz, text, text, text, text, text[], text);
DROP FUNCTION IF EXISTS enqueue_ticket(text, jsonb, text, text, text, integer, timestamptz, text, numeric, bigint[], timestamptz, text, text, text, text, text[], text);

CREATE OR REPLACE FUNCTION set_deadline(ticket_id bigint, run_at timestamptz, expires_at timestamptz) RETURNS void
LANGUAGE plpgsql SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
BEGIN
  IF NOT isfinite(expires_at) OR expires_at <= now() THEN
    RAISE EXCEPTION 'expires_at must be in the future, not %', expires_at
      USING ERRCODE = 'HF422', HINT = 'Leave it out for a ticket that does not expire.';
  ELSIF expires_at <= run_at THEN
    RAISE EXCEPTION 'a ticket that may start at % cannot expire at %', run_at, expires_at
      USING ERRCODE = 'HF422', HINT = 'Let it expire later, or start earlier.';
  END IF;
  INSERT INTO ticket_deadlines (ticket_id, expires_at) VALUES (set_deadline.ticket_id, set_deadline.expires_at);
END
$$;
COMMENT ON FUNCTION set_deadline IS 'Lets a ticket that this transaction has inserted expire; HF422 if that is before it may start.';

CREATE OR REPLACE FUNCTION require_key(what text, key text) RETURNS void
LANGUAGE plpgsql IMMUTABLE SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
BEGIN
  IF key = '' THEN
    RAISE EXCEPTION 'the % must not be empty', what USING ERRCODE = 'HF422', HINT = 'Leave it out for a ticket without one.';
  ELSIF key ~ '[[:cntrl:]]' THEN
    RAISE EXCEPTION 'the % has a control character', what USING ERRCODE = 'HF422', HINT = 'Leave it out of the key.';
  ELSIF octet_length(key) > 500 THEN
    RAISE EXCEPTION 'the % has % bytes, and 500 are allowed', what, octet_length(key)
      USING ERRCODE = 'HF422', HINT = 'Take a short name, or a hash of a long one.';
  END IF;
END
$$;
COMMENT ON FUNCTION require_key IS 'Refuses an empty or long concurrency or fairness key with HF422.';

CREATE OR REPLACE FUNCTION words_interval(words text) RETURNS interval
LANGUAGE plpgsql IMMUTABLE SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
DECLARE
  parts text[] := regexp_match(words, '^\s*([0-9]{1,10})\s*(ms|s|m|h|d)\s*$');
BEGIN
  RETURN parts[1]::bigint * CASE parts[2] WHEN 'ms' THEN interval '1 ms' WHEN 's' THEN interval '1 s' WHEN 'm' THEN interval '1 min'
    WHEN 'h' THEN interval '1 h' WHEN 'd' THEN interval '24 h' END;
END
$$;
COMMENT ON FUNCTION words_interval IS 'How long 500ms, 90s, 5m, 2h or 7d is; NULL for anything else. A day has 24 hours.';

CREATE OR REPLACE FUNCTION design_expiry(d designs) RETURNS interval
LANGUAGE sql IMMUTABLE SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
  SELECT words_interval(d.definition->>'expires')
$$;
COMMENT ON FUNCTION design_expiry IS 'After what time a ticket of the design expires if nobody says when; NULL for never. Counted from when it may start.';

CREATE OR REPLACE FUNCTION require_uniqueness(key text, unique_for text, on_duplicate text) RETURNS void
LANGUAGE plpgsql IMMUTABLE SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
BEGIN
  IF key IS NULL AND (unique_for IS NOT NULL OR on_duplicate IS NOT NULL) THEN
    RAISE EXCEPTION 'unique_for and on_duplicate need a unique_key' USING ERRCODE = 'HF422';
  ELSIF length(key) > 500 THEN
    RAISE EXCEPTION 'the unique_key has % characters, and 500 are allowed', length(key)
      USING ERRCODE = 'HF422', HINT = 'Take a short name, or a hash of a long one.';
  ELSIF unique_for IS NOT NULL AND (unique_for IN ('open', 'ever') OR words_interval(unique_for) > interval '0') IS NOT TRUE THEN
    RAISE EXCEPTION 'unique_for is open, ever, or a time as 2h, not "%"', left(unique_for, 100)
      USING ERRCODE = 'HF422', HINT = 'Leave it out, and the key is taken as long as its ticket is kept.';
  ELSIF on_duplicate NOT IN ('keep', 'replace', 'refuse') THEN
    RAISE EXCEPTION 'on_duplicate is keep, replace or refuse, not "%"', left(on_duplicate, 100) USING ERRCODE = 'HF422';
  END IF;
END
$$;
COMMENT ON FUNCTION require_uniqueness IS 'Refuses with HF422 what says nothing about how long a unique key holds and what becomes of a second ticket.';

-- The ticket stays locked, so that nobody claims it while its payload is replaced.
CREATE OR REPLACE FUNCTION holder_of_key(key text, unique_for text, on_duplicate text, new_payload jsonb, new_run_at timestamptz) RETURNS bigint
LANGUAGE plpgsql SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
DECLARE
  t ticket_base;
  holder bigint;
  passes_on boolean := false;
BEGIN
  SELECT * INTO t FROM ticket_base b WHERE b.unique_key = key FOR UPDATE;
  IF t.id IS NOT NULL THEN
    passes_on := CASE unique_for WHEN 'open' THEN t.state IN ('done', 'cancelled') WHEN 'ever' THEN false
      ELSE COALESCE(t.created_at <= now() - words_interval(unique_for), false) END;
    -- One that has started is left to run with what it has. Trap: not in one expression, or it is made unclaimable where nobody asked for it.
    IF NOT passes_on AND on_duplicate = 'replace' THEN
      passes_on := t.state <> 'ready' OR t.attempt_count > 0;
      IF NOT passes_on THEN
        passes_on := NOT make_unclaimable(t);
      END IF;
    END IF;
  END IF;
  IF passes_on THEN
    UPDATE ticket_base b SET unique_key = NULL, updated_at = now() WHERE b.id = t.id;
    PERFORM log_activity(t.id, 'key_passed_on', 'system', jsonb_build_object('uniqueKey', key));
    RETURN NULL;
  END IF;
  holder := COALESCE(t.id, (SELECT k.ticket_id FROM spent_keys k WHERE k.unique_key = key AND unique_for = 'ever'));
  IF holder IS NOT NULL AND on_duplicate = 'refuse' THEN
    RAISE EXCEPTION 'ticket % has the unique key "%" already', holder, left(key, 100)
      USING ERRCODE = 'HF409', HINT = 'Take another key, or leave on_duplicate out to be given that ticket.';
  ELSIF t.id IS NOT NULL AND on_duplicate = 'replace' THEN
    UPDATE ticket_base b SET payload = new_payload, retry_after = new_run_at, updated_at = now() WHERE b.id = t.id RETURNING * INTO t;
    PERFORM make_claimable(t);
    PERFORM log_activity(t.id, 'replaced', 'system', jsonb_build_object('uniqueKey', key, 'runAt', new_run_at));
  END IF;
  RETURN holder;
END
$$;
COMMENT ON FUNCTION holder_of_key IS 'The ticket that has a unique key, as unique_for and on_duplicate say; NULL where a new one may have it, which an old one has then given up.';

-- A payload that is too long is refused before it is written.
CREATE OR REPLACE FUNCTION enqueue_any_ticket(
  kind text, payload jsonb, queue text, title text, design text, priority integer, run_at timestamptz, unique_key text,
  max_cost_usd numeric, after bigint[] DEFAULT NULL, expires_at timestamptz DEFAULT NULL, concurrency_key text DEFAULT NULL,
  fairness_key text DEFAULT NULL, unique_for text DEFAULT NULL, on_duplicate text DEFAULT NULL, after_names text[] DEFAULT NULL,
  on_cancelled text DEFAULT NULL, batch_id bigint DEFAULT NULL, after_batch bigint DEFAULT NULL) RETURNS bigint
LANGUAGE plpgsql SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
#variable_conflict use_column
DECLARE
  d designs;
  kind_name text;
  found_id bigint;
  ends_at timestamptz;
  waits boolean;
  bytes integer := accepted_bytes('payload', COALESCE(enqueue_any_ticket.payload, '{}'));
BEGIN
  IF enqueue_any_ticket.design IS NOT NULL THEN
    d := latest_design(enqueue_any_ticket.design);
  END IF;
  kind_name := kind_of_new_ticket(enqueue_any_ticket.kind, d);
  IF octet_length(enqueue_any_ticket.title) > 10000 THEN
    PERFORM require_length('title', enqueue_any_ticket.title, 10000);
  END IF;
  IF enqueue_any_ticket.after_names IS NOT NULL OR enqueue_any_ticket.on_cancelled IS NOT NULL THEN
    PERFORM require_predecessors(COALESCE(enqueue_any_ticket.after, '{}'), enqueue_any_ticket.after_names, enqueue_any_ticket.on_cancelled);
  END IF;
  PERFORM require_key('concurrency_key', enqueue_any_ticket.concurrency_key), require_key('fairness_key', enqueue_any_ticket.fairness_key),
    require_uniqueness(enqueue_any_ticket.unique_key, enqueue_any_ticket.unique_for, enqueue_any_ticket.on_duplicate);
  IF enqueue_any_ticket.batch_id IS NOT NULL THEN
    PERFORM join_batch(enqueue_any_ticket.batch_id);
  END IF;
  ends_at := COALESCE(enqueue_any_ticket.expires_at, GREATEST(now(), enqueue_any_ticket.run_at) + design_expiry(d));
  LOOP
    IF enqueue_any_ticket.unique_for IS NOT NULL OR enqueue_any_ticket.on_duplicate IS NOT NULL THEN
      found_id := holder_of_key(enqueue_any_ticket.unique_key, enqueue_any_ticket.unique_for, enqueue_any_ticket.on_duplicate,
        COALESCE(enqueue_any_ticket.payload, '{}'), enqueue_any_ticket.run_at);
      IF found_id IS NOT NULL THEN
        RETURN found_id;
      END IF;
    END IF;
    INSERT INTO ticket_base AS b (filed, design_id, kind, payload, payload_bytes, queue, title, priority, retry_after, unique_key,
      max_cost_usd, expires_at, concurrency_key, fairness_key, batch_id)
    VALUES (true, d.id, kind_name, COALESCE(enqueue_any_ticket.payload, '{}'), bytes,
      COALESCE(enqueue_any_ticket.queue, 'default'), enqueue_any_ticket.title, COALESCE(enqueue_any_ticket.priority, 0),
      enqueue_any_ticket.run_at, enqueue_any_ticket.unique_key, enqueue_any_ticket.max_cost_usd, ends_at,
      enqueue_any_ticket.concurrency_key, enqueue_any_ticket.fairness_key, enqueue_any_ticket.batch_id)
    ON CONFLICT (unique_key) WHERE unique_key IS NOT NULL DO NOTHING
    RETURNING b.id INTO found_id;
    IF found_id IS NOT NULL THEN
      IF ends_at IS NOT NULL THEN
        PERFORM set_deadline(found_id, enqueue_any_ticket.run_at, ends_at);
      END IF;
      IF enqueue_any_ticket.unique_for = 'ever' THEN
        INSERT INTO spent_keys (unique_key, ticket_id) VALUES (enqueue_any_ticket.unique_key, found_id)
        ON CONFLICT (unique_key) DO UPDATE SET ticket_id = EXCLUDED.ticket_id;
      END IF;
      waits := enqueue_any_ticket.after_batch IS NOT NULL AND wait_for_batch(found_id, enqueue_any_ticket.after_batch);
      IF enqueue_any_ticket.after IS NOT NULL THEN
        waits := wait_for_tickets(found_id, enqueue_any_ticket.after, enqueue_any_ticket.after_names, enqueue_any_ticket.on_cancelled);
      END IF;
      IF NOT waits THEN
        PERFORM file_tickets(ARRAY[found_id]);
      ELSE
        PERFORM require_rules(b), know_lane(b.queue, b.kind) FROM ticket_base b WHERE b.id = found_id;
      END IF;
      RETURN found_id;
    END IF;
    -- Somebody was faster; the next round decides anew.
    CONTINUE WHEN enqueue_any_ticket.unique_for IS NOT NULL OR enqueue_any_ticket.on_duplicate IS NOT NULL;
    -- The ticket with this key; unless it was deleted since the INSERT met it, then the next round inserts.
    SELECT b.id INTO found_id FROM ticket_base b WHERE b.unique_key = enqueue_any_ticket.unique_key;
    IF found_id IS NOT NULL THEN
      RETURN found_id;
    END IF;
  END LOOP;
END
$$;
COMMENT ON FUNCTION enqueue_any_ticket IS 'What enqueue_ticket does for a ticket with a design, a key, a start time, a cost limit, predecessors, an end, keys or a batch, or the first of its lane.';

-- Most tickets are of a kind and a queue that had one before, and are to run at once: those cost two INSERTs with a look in each.
-- The payload is measured: of a short one the text is made at once, a longer one goes the long way.
-- Trap: it runs with its owner's rights and, because setting one costs as much as a statement before PostgreSQL 17, with the search path
-- of its caller. So whatever it names, operators too, is named with its schema.
CREATE OR REPLACE FUNCTION enqueue_ticket(
  kind text DEFAULT NULL, payload jsonb DEFAULT '{}', queue text DEFAULT 'default', title text DEFAULT NULL,
  design text DEFAULT NULL, priority integer DEFAULT 0, run_at timestamptz DEFAULT NULL, unique_key text DEFAULT NULL,
  max_cost_usd numeric DEFAULT NULL, after bigint[] DEFAULT NULL, expires_at timestamptz DEFAULT NULL, concurrency_key text DEFAULT NULL,
  fairness_key text DEFAULT NULL, unique_for text DEFAULT NULL, on_duplicate text DEFAULT NULL, after_names text[] DEFAULT NULL,
  on_cancelled text DEFAULT NULL, batch_id bigint DEFAULT NULL, after_batch bigint DEFAULT NULL) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER AS $$
#variable_conflict use_column
DECLARE
  new_id bigint;
  somebody_sleeps boolean;
  bytes integer := CASE
    WHEN enqueue_ticket.payload IS NULL THEN 2
    WHEN pg_catalog.pg_column_size(enqueue_ticket.payload) OPERATOR(pg_catalog.<=) 2000
      AND pg_catalog.pg_column_compression(enqueue_ticket.payload) IS NULL
    THEN pg_catalog.octet_length(enqueue_ticket.payload::pg_catalog.text)
  END;
BEGIN
  IF bytes OPERATOR(pg_catalog.<=) 65536 AND (pg_catalog.octet_length(enqueue_ticket.title) OPERATOR(pg_catalog.<=) 10000) IS NOT FALSE
    AND enqueue_ticket.design IS NULL AND enqueue_ticket.run_at IS NULL
    AND enqueue_ticket.unique_key IS NULL AND enqueue_ticket.max_cost_usd IS NULL
    AND enqueue_ticket.after IS NULL AND enqueue_ticket.expires_at IS NULL
    AND enqueue_ticket.concurrency_key IS NULL AND enqueue_ticket.fairness_key IS NULL
    AND enqueue_ticket.batch_id IS NULL AND enqueue_ticket.after_batch IS NULL
    -- They say nothing without a key or a predecessor, which is told there.
    AND enqueue_ticket.unique_for IS NULL AND enqueue_ticket.on_duplicate IS NULL
    AND enqueue_ticket.after_names IS NULL AND enqueue_ticket.on_cancelled IS NULL
  THEN
    INSERT INTO ${flyway:defaultSchema}.ticket_base AS b (filed, kind, payload, payload_bytes, queue, title, priority)
    SELECT true, l.kind, COALESCE(enqueue_ticket.payload, '{}'), bytes, l.queue, enqueue_ticket.title, COALESCE(enqueue_ticket.priority, 0)
    FROM ${flyway:defaultSchema}.lanes l
    WHERE l.queue OPERATOR(pg_catalog.=) COALESCE(enqueue_ticket.queue, 'default') AND l.kind OPERATOR(pg_catalog.=) enqueue_ticket.kind
    RETURNING b.id INTO new_id;
    IF new_id IS NOT NULL THEN
      INSERT INTO ${flyway:defaultSchema}.ready (priority, created_at, id, queue, kind)
      VALUES (COALESCE(enqueue_ticket.priority, 0), pg_catalog.now(), new_id, COALESCE(enqueue_ticket.queue, 'default'), enqueue_ticket.kind)
      RETURNING EXISTS (SELECT FROM ${flyway:defaultSchema}.workers w WHERE w.wants_wakeup) INTO somebody_sleeps;
      IF somebody_sleeps THEN
        PERFORM pg_catalog.pg_notify('${flyway:defaultSchema}_ready', COALESCE(enqueue_ticket.queue, 'default'));
      END IF;
      RETURN new_id;
    END IF;
  END IF;
  RETURN ${flyway:defaultSchema}.enqueue_any_ticket(
    enqueue_ticket.kind, enqueue_ticket.payload, enqueue_ticket.queue, enqueue_ticket.title, enqueue_ticket.design,
    enqueue_ticket.priority, enqueue_ticket.run_at, enqueue_ticket.unique_key, enqueue_ticket.max_cost_usd,
    enqueue_ticket.after, enqueue_ticket.expires_at, enqueue_ticket.concurrency_key, enqueue_ticket.fairness_key,
    enqueue_ticket.unique_for, enqueue_ticket.on_duplicate, enqueue_ticket.after_names, enqueue_ticket.on_cancelled,
    enqueue_ticket.batch_id, enqueue_ticket.after_batch);
END
$$;
COMMENT ON FUNCTION enqueue_ticket IS 'Adds a ticket inside the caller''s transaction and returns its id: SELECT ${flyway:defaultSchema}.enqueue_ticket(design => ''hello'', payload => ''{"n": 1}''). No worker claims it before all tickets of after are done and the batch after_batch has ended, or from expires_at on; the results of those that after_names names are in its document. A limit may count it by its concurrency_key (set_limit); those of equal priority are claimed in turns over their fairness_keys. With a unique_key that a kept ticket already has, that ticket''s id is returned and nothing is added; unique_for (open, ever, or a time as 2h) and on_duplicate (keep, replace, refuse) say otherwise.';

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
  -- What has a key may be there under two names.
  IF cardinality(after) > 1 THEN
    SELECT array_agg(w.id), array_agg(w.name) INTO after, after_names
    FROM (SELECT DISTINCT ON (x.id) x.id, x.name FROM unnest(after, after_names) AS x (id, name) ORDER BY x.id, x.name) w;
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

CREATE OR REPLACE FUNCTION require_traceparent(traceparent text) RETURNS void
LANGUAGE plpgsql IMMUTABLE SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
BEGIN
  IF traceparent IS NULL OR traceparent !~ '^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$' OR traceparent ~ '^00-(0{32}|[0-9a-f]{32}-0{16})' THEN
    RAISE EXCEPTION '"%" is no traceparent', COALESCE(left(traceparent, 60), 'NULL')
      USING ERRCODE = 'HF422', HINT = 'It reads 00-<32 hex digits>-<16 hex digits>-01, as W3C Trace Context has it.';
  END IF;
END
$$;
COMMENT ON FUNCTION require_traceparent IS 'Refuses what is no traceparent (HF422).';

-- A function of its own, around enqueue_ticket, so that who sends no traces pays nothing for it.
CREATE OR REPLACE FUNCTION trace_ticket(ticket_id bigint, traceparent text) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
#variable_conflict use_variable
BEGIN
  PERFORM require_traceparent(traceparent);
  IF NOT EXISTS (SELECT FROM ticket_base b WHERE b.id = ticket_id) THEN
    RAISE EXCEPTION 'there is no ticket %', ticket_id USING ERRCODE = 'HF404';
  END IF;
  INSERT INTO ticket_traces VALUES (ticket_id, traceparent) ON CONFLICT DO NOTHING;
  RETURN ticket_id;
END
$$;
COMMENT ON FUNCTION trace_ticket IS 'Says under which trace a ticket was enqueued, and returns its id: SELECT ${flyway:defaultSchema}.trace_ticket(${flyway:defaultSchema}.enqueue_ticket(design => ''hello''), ''00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01''). The first one counts.';

CREATE OR REPLACE FUNCTION trace_batch(batch_id bigint, traceparent text) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = ${flyway:defaultSchema}, pg_temp SET enable_seqscan = off AS $$
#variable_conflict use_variable
DECLARE
  n bigint;
BEGIN
  PERFORM require_traceparent(traceparent);
  INSERT INTO ticket_traces SELECT b.id, traceparent FROM ticket_base b WHERE b.batch_id = trace_batch.batch_id ON CONFLICT DO NOTHING;
  GET DIAGNOSTICS n = ROW_COUNT;
  RETURN n;
END
$$;
COMMENT ON FUNCTION trace_batch IS 'Says under which trace all tickets of a batch were enqueued, of those that have none yet; returns how many.';

DROP FUNCTION IF EXISTS produce_ticket(text, jsonb, text, text, text, integer, timestamptz, text, numeric, timestamptz, text, text);
CREATE OR REPLACE FUNCTION foreign_ticket(caller name, ids bigint[]) RETURNS text
LANGUAGE sql STABLE SET search_path = ${flyway:defaultSchema}, pg_temp SET enable_seqscan = off SET enable_bitmapscan = off AS $$
  SELECT COALESCE(u.id::text, 'NULL') FROM unnest(ids) AS u (id)
  WHERE NOT EXISTS (
    SELECT FROM ticket_base b LEFT JOIN designs d ON d.id = b.design_id
    JOIN producer_grants g ON g.queue = b.queue AND (g.design = d.name OR g.design IS NULL AND d.id IS NULL AND g.kind = b.kind)
    WHERE b.id = u.id AND pg_has_role(caller, to_regrole(quote_ident(g.grantee)), 'MEMBER'))
  LIMIT 1
$$;
COMMENT ON FUNCTION foreign_ticket IS 'One of these tickets that a producer could not have enqueued, whether or not it is there; NULL if none.';

CREATE OR REPLACE FUNCTION produce_ticket(
  kind text DEFAULT NULL, payload jsonb DEFAULT '{}', queue text DEFAULT 'default', title text DEFAULT NULL,
  design text DEFAULT NULL, priority integer DEFAULT 0, run_at timestamptz DEFAULT NULL, unique_key text DEFAULT NULL,
  max_cost_usd numeric DEFAULT NULL, expires_at timestamptz DEFAULT NULL, concurrency_key text DEFAULT NULL,
  fairness_key text DEFAULT NULL, after bigint[] DEFAULT NULL) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
DECLARE
  -- Inside, current_user is the owner; after SET ROLE the setting tells who called.
  caller name := CASE WHEN current_setting('role') = 'none' THEN session_user ELSE current_setting('role') END;
  foreign_id text;
  produced bigint;
BEGIN
  IF NOT EXISTS (
    SELECT FROM producer_grants g
    WHERE g.queue = produce_ticket.queue AND g.design IS NOT DISTINCT FROM produce_ticket.design
      AND (g.design IS NOT NULL AND produce_ticket.kind IS NULL OR g.kind = produce_ticket.kind)
      AND pg_has_role(caller, to_regrole(quote_ident(g.grantee)), 'MEMBER'))
  THEN
    RAISE EXCEPTION '% may not enqueue % in queue %', caller,
      CASE WHEN produce_ticket.design IS NULL THEN 'kind ' || COALESCE(produce_ticket.kind, 'NULL') ELSE 'design ' || produce_ticket.design END,
      COALESCE(produce_ticket.queue, 'NULL')
      USING ERRCODE = '42501', HINT = 'The owner of the schema grants it by a row of producer_grants.';
  END IF;
  -- The tickets of others are not locked, nor is told whether there are any.
  foreign_id := foreign_ticket(caller, produce_ticket.after);
  IF foreign_id IS NOT NULL THEN
    RAISE EXCEPTION '% may not wait for ticket %', caller, foreign_id
      USING ERRCODE = '42501', HINT = 'It waits only for tickets of the queues and designs that it may enqueue.';
  END IF;
  produced := enqueue_ticket(kind => produce_ticket.kind, payload => produce_ticket.payload, queue => produce_ticket.queue,
    title => produce_ticket.title, design => produce_ticket.design, priority => produce_ticket.priority,
    run_at => produce_ticket.run_at, unique_key => produce_ticket.unique_key, max_cost_usd => produce_ticket.max_cost_usd,
    expires_at => produce_ticket.expires_at, concurrency_key => produce_ticket.concurrency_key, fairness_key => produce_ticket.fairness_key,
    after => produce_ticket.after);
  -- Keys are one space for all: the ticket that has this one may be somebody else's.
  IF produce_ticket.unique_key IS NOT NULL AND foreign_ticket(caller, ARRAY[produced]) IS NOT NULL THEN
    RAISE EXCEPTION '% may not use the unique key "%": a ticket of others has it', caller, shorten(produce_ticket.unique_key, 100)
      USING ERRCODE = '42501', HINT = 'Begin keys with a word of your own, such as the name of the queue.';
  END IF;
  RETURN produced;
END
$$;
COMMENT ON FUNCTION produce_ticket IS 'enqueue_ticket for members of holdfast_producer: refuses what no row of producer_grants allows them.';

CREATE OR REPLACE FUNCTION make_claimable(t ticket_base) RETURNS void
LANGUAGE plpgsql SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
BEGIN
  IF t.state <> 'ready' OR t.assignee_type IS DISTINCT FROM 'agent' THEN
    RETURN;
  END IF;
  PERFORM know_lane(t.queue, t.kind);
  IF is_waiting(t.id) THEN
    RETURN; -- free_followers files it
  END IF;
  IF t.retry_after > now() THEN
    INSERT INTO deferred (run_at, created_at, id, priority, queue, kind)
    VALUES (t.retry_after, t.created_at, t.id, t.priority, t.queue, t.kind);
  ELSE
    IF stands_in_line(t) THEN
      PERFORM line_up(ARRAY[t.id]);
    ELSE
      INSERT INTO ready (priority, created_at, id, queue, kind)
      VALUES (t.priority, t.created_at, t.id, t.queue, t.kind);
    END IF;
    PERFORM wake_workers(ARRAY[t.queue]);
  END IF;
END
$$;
COMMENT ON FUNCTION make_claimable IS 'Files a ready ticket for agents under ready, in_line or deferred, when it comes back and waits for no other one; new ones are filed by enqueue_ticket and file_tickets.';

CREATE OR REPLACE FUNCTION make_unclaimable(t ticket_base) RETURNS boolean
LANGUAGE plpgsql SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
BEGIN
  -- It may be promoted, put in line, or put aside between two statements: so twice.
  FOR round IN 1..2 LOOP
    DELETE FROM ready r
    WHERE r.queue = t.queue AND r.kind = t.kind AND ~r.priority = ~t.priority AND r.created_at = t.created_at AND r.id = t.id;
    IF FOUND THEN
      RETURN true;
    END IF;
    DELETE FROM deferred d WHERE d.run_at = t.retry_after AND d.id = t.id;
    IF FOUND THEN
      RETURN true;
    END IF;
    DELETE FROM in_line w
    WHERE w.line = (SELECT g.line FROM line_gates g WHERE g.queue = t.queue AND g.kind = t.kind) AND ~w.priority = ~t.priority
      AND w.turn_group = turn_group(t.fairness_key, t.concurrency_key, (SELECT d.name FROM designs d WHERE d.id = t.design_id))
      AND w.created_at = t.created_at AND w.id = t.id;
    IF FOUND THEN
      RETURN true;
    END IF;
    DELETE FROM suspects s WHERE s.id = t.id;
    IF FOUND THEN
      RETURN true;
    END IF;
  END LOOP;
  IF NOT is_waiting(t.id) THEN
    RETURN false;
  END IF;
  -- From now on the end of a step does not file it by itself.
  UPDATE workflows w SET parked = false WHERE w.ticket_id = t.id;
  RETURN true;
END
$$;
COMMENT ON FUNCTION make_unclaimable IS 'True if the ticket, whose row the caller has locked, stood in ready, in_line or deferred, or waits for another one: nobody has claimed it, and nobody can any more.';

CREATE OR REPLACE FUNCTION file_held_ticket() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
BEGIN
  IF TG_OP <> 'INSERT' THEN
    DELETE FROM held h WHERE h.id = OLD.id;
  END IF;
  IF TG_OP <> 'DELETE' AND NEW.held_at IS NOT NULL THEN
    INSERT INTO held (id, held_at, queue, kind, category, fingerprint)
    VALUES (NEW.id, NEW.held_at, NEW.queue, NEW.kind, COALESCE(NEW.error_category, ''), COALESCE(NEW.error_fingerprint, ''));
  END IF;
  RETURN NULL;
END
$$;
COMMENT ON FUNCTION file_held_ticket IS 'Keeps held in step with ticket_base.held_at.';

CREATE OR REPLACE FUNCTION forget_held() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
BEGIN
  TRUNCATE held;
  RETURN NULL;
END
$$;
COMMENT ON FUNCTION forget_held IS 'Where all tickets go, none is held.';

SELECT grant_roles();
