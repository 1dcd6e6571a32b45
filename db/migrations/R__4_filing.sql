-- Where a ticket stands. Whatever makes a ticket claimable ends here. Each is filed under ready, deferred or held, or, where nobody works it,
-- under none. Followers wait for others, and are filed when those have ended.
--
-- Flyway runs this file after all versioned ones: again with each version of the schema (now ${version}), and whenever it changes.

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

CREATE OR REPLACE FUNCTION require_queue(queue text) RETURNS void
LANGUAGE plpgsql STABLE SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
BEGIN
  IF queue IS DISTINCT FROM 'default' AND NOT EXISTS (SELECT FROM queues q WHERE q.name = require_queue.queue)
    AND NOT EXISTS (SELECT FROM workers w WHERE w.state <> 'stopped' AND require_queue.queue = ANY (w.queues)) THEN
    RAISE EXCEPTION 'there is no queue "%"', left(queue, 100)
      USING ERRCODE = 'HF404', HINT = 'A queue begins with its first ticket, or with a worker that names it; holdfast stats shows the queues.';
  END IF;
END
$$;
COMMENT ON FUNCTION require_queue IS 'Refuses with HF404 the name of a queue that never had a ticket and that no worker names, for it is most likely misspelt; default is always there.';

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

CREATE OR REPLACE FUNCTION wake_workers_for(ids bigint[]) RETURNS void
LANGUAGE plpgsql SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
BEGIN
  IF EXISTS (SELECT FROM workers WHERE wants_wakeup) THEN
    PERFORM wake_workers(ARRAY(
      SELECT DISTINCT b.queue FROM ticket_base b
      WHERE b.id = ANY (ids) AND b.state = 'ready' AND b.assignee_type = 'agent' AND (b.retry_after IS NULL OR b.retry_after <= now())));
  END IF;
END
$$;
COMMENT ON FUNCTION wake_workers_for IS 'wake_workers for the queues of those of these tickets that an agent can take now.';

CREATE OR REPLACE FUNCTION is_claimable_without_keys(b ticket_base) RETURNS boolean
LANGUAGE sql STABLE AS $$
  SELECT b.state = 'ready' AND b.assignee_type = 'agent' AND (b.retry_after IS NULL OR b.retry_after <= now())
    AND b.payload_bytes IS NOT NULL AND ${flyway:defaultSchema}.broken_rule(b) IS NULL
    AND b.concurrency_key IS NULL AND b.fairness_key IS NULL
$$;
COMMENT ON FUNCTION is_claimable_without_keys IS 'Whether an agent can take this ticket now, unless its lane is unknown or a limit of its queue or design makes it stand in line.';

-- What nobody has measured is measured here: COPY brings in payloads whose size is not known.
-- Each statement sees what is committed by then: a limit may be set or removed between two of them, or a lane made. So what is filed is looked for
-- where it stands, and never concluded from what the statement before must have met. LIMIT keeps those looks to the index.
-- Trap: for an array of one the planner would make a plan at each call, which takes ten times as long as the call.
CREATE OR REPLACE FUNCTION file_tickets(ids bigint[]) RETURNS void
LANGUAGE plpgsql SET search_path = ${flyway:defaultSchema}, pg_temp SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off AS $$
DECLARE
  usual bigint;
  odd bigint[];
  measured bigint[];
  lined bigint[] := '{}';
  late bigint[];
  limited boolean := EXISTS (SELECT FROM claim_limits);
BEGIN
  -- Mostly all of them are ready for agents, in lanes that are known, and no limit is for them. = ANY (ARRAY[u.id]) keeps to the primary key, as in
  -- store_successes. Trap: stands_in_line(b) for each would cost as much as the rest.
  INSERT INTO ready (priority, created_at, id, queue, kind)
  SELECT b.priority, b.created_at, b.id, b.queue, b.kind
  FROM unnest(ids) AS u (id)
  JOIN ticket_base b ON b.id = ANY (ARRAY[u.id])
  JOIN lanes l ON l.queue = b.queue AND l.kind = b.kind
  WHERE is_claimable_without_keys(b)
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
      ids := ARRAY(SELECT unnest(ids) EXCEPT SELECT unnest(measured));
    END IF;
    -- Those with a key or under a limit are many at a time, too.
    lined := ARRAY(
      SELECT b.id
      FROM unnest(ids) AS u (id)
      JOIN ticket_base b ON b.id = ANY (ARRAY[u.id])
      JOIN lanes l ON l.queue = b.queue AND l.kind = b.kind
      WHERE b.state = 'ready' AND b.assignee_type = 'agent' AND (b.retry_after IS NULL OR b.retry_after <= now()) AND broken_rule(b) IS NULL
        AND (b.concurrency_key IS NOT NULL OR b.fairness_key IS NOT NULL
          OR (EXISTS (SELECT FROM claim_limits x WHERE x.queue = b.queue)
            OR EXISTS (SELECT FROM designs d JOIN claim_limits x ON x.design = d.name WHERE d.id = b.design_id))
          AND (SELECT true FROM ready r
            WHERE r.queue = b.queue AND r.kind = b.kind AND ~r.priority = ~b.priority AND r.created_at = b.created_at AND r.id = b.id LIMIT 1) IS NULL));
    IF cardinality(lined) > 0 THEN
      PERFORM line_up(lined);
    END IF;
  END IF;
  IF usual + cardinality(lined) < cardinality(ids) THEN
    odd := ARRAY(
      SELECT b.id FROM (SELECT unnest(ids) EXCEPT SELECT unnest(lined)) AS u (id)
      JOIN ticket_base b ON b.id = ANY (ARRAY[u.id])
      WHERE (SELECT true FROM ready r
        WHERE r.queue = b.queue AND r.kind = b.kind AND ~r.priority = ~b.priority AND r.created_at = b.created_at AND r.id = b.id LIMIT 1) IS NULL);
    PERFORM require_rules(b) FROM ticket_base b WHERE b.id = ANY (odd);
    PERFORM know_lane(n.queue, n.kind)
    FROM (SELECT DISTINCT b.queue, b.kind FROM ticket_base b WHERE b.id = ANY (odd) ORDER BY b.queue, b.kind) n;
    late := ARRAY(
      SELECT b.id FROM ticket_base b
      WHERE b.id = ANY (odd) AND b.state = 'ready' AND b.assignee_type = 'agent' AND (b.retry_after IS NULL OR b.retry_after <= now())
        AND stands_in_line(b));
    INSERT INTO ready (priority, created_at, id, queue, kind)
    SELECT b.priority, b.created_at, b.id, b.queue, b.kind FROM ticket_base b
    WHERE b.id = ANY (ARRAY(SELECT unnest(odd) EXCEPT SELECT unnest(late))) AND b.state = 'ready' AND b.assignee_type = 'agent'
      AND (b.retry_after IS NULL OR b.retry_after <= now());
    IF cardinality(late) > 0 THEN
      PERFORM line_up(late);
    END IF;
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
  PERFORM wake_workers_for(ids);
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

-- What is written after a savepoint, or in a block that catches errors, has a number of its own, which is higher than the transaction's. A row that is
-- seen although that number is in progress is the caller's own.
CREATE OR REPLACE FUNCTION is_of_savepoint(written_by xid) RETURNS boolean
LANGUAGE plpgsql SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
DECLARE
  whole CONSTANT bigint := 4294967296;
  top bigint := pg_current_xact_id()::text::bigint;
  distance bigint := (written_by::text::bigint - top % whole + whole) % whole;
BEGIN
  RETURN distance > 0 AND distance < whole / 2 AND pg_xact_status((top + distance)::text::xid8) = 'in progress';
END
$$;
COMMENT ON FUNCTION is_of_savepoint IS 'Whether the caller''s transaction wrote a row that the caller sees, whose xmin this is, after a savepoint.';

-- Mostly all of them are ready for agents, in lanes that are known, and no limit is anywhere. Those are filed as the table has them: to look each up
-- by its id once more takes a fifth of the time.
CREATE OR REPLACE FUNCTION file_copied_tickets(after_id bigint) RETURNS bigint
LANGUAGE plpgsql SET search_path = ${flyway:defaultSchema}, pg_temp SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off AS $$
DECLARE
  copied bigint[];
  some_expire boolean;
  usual bigint[];
BEGIN
  SELECT COALESCE(array_agg(b.id), '{}'), bool_or(b.expires_at IS NOT NULL) INTO copied, some_expire
  FROM ticket_base b WHERE b.id > after_id AND (b.xmin = pg_current_xact_id()::xid OR is_of_savepoint(b.xmin));
  IF some_expire THEN
    PERFORM file_new_tickets(copied);
  ELSIF EXISTS (SELECT FROM claim_limits) THEN
    PERFORM file_tickets(copied);
  ELSE
    WITH filed AS (
      INSERT INTO ready (priority, created_at, id, queue, kind)
      SELECT b.priority, b.created_at, b.id, b.queue, b.kind
      FROM ticket_base b JOIN lanes l ON l.queue = b.queue AND l.kind = b.kind
      WHERE b.id > after_id AND (b.xmin = pg_current_xact_id()::xid OR is_of_savepoint(b.xmin)) AND is_claimable_without_keys(b)
      RETURNING id
    )
    SELECT COALESCE(array_agg(f.id), '{}') INTO usual FROM filed f;
    IF cardinality(usual) < cardinality(copied) THEN
      PERFORM file_tickets(ARRAY(SELECT unnest(copied) EXCEPT SELECT unnest(usual) ORDER BY 1));
    END IF;
    PERFORM wake_workers_for(usual);
  END IF;
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
  -- The names of a workflow are those of its steps.
  IF names IS NOT NULL AND EXISTS (SELECT FROM ticket_base b WHERE b.id = wait_for_tickets.ticket_id AND b.kind = 'workflow') THEN
    names := NULL;
  END IF;
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
  ELSIF array_ndims(after) > 1 OR array_ndims(names) > 1 THEN
    RAISE EXCEPTION 'after and after_names must be plain lists' USING ERRCODE = 'HF422', HINT = 'Give ids of tickets, as in ARRAY[17, 18].';
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
-- Trap: where one workflow has most rows, = takes a row to be found at once by any scan, and reads all where there is none; BETWEEN keeps to the primary
-- key. OFFSET 0 keeps away from the index of what is queued, which is read whole.
CREATE OR REPLACE FUNCTION is_waiting(ticket_id bigint) RETURNS boolean
LANGUAGE sql STABLE SET search_path = ${flyway:defaultSchema}, pg_temp SET enable_seqscan = off SET enable_bitmapscan = off AS $$
  SELECT EXISTS (
      SELECT FROM ticket_dependencies d WHERE d.ticket_id BETWEEN is_waiting.ticket_id AND is_waiting.ticket_id AND d.ended_at IS NULL)
      AND COALESCE((SELECT w.parked FROM workflows w WHERE w.ticket_id = is_waiting.ticket_id), true)
    OR EXISTS (
      SELECT FROM (SELECT d.queued FROM ticket_dependencies d WHERE d.after_id = is_waiting.ticket_id AND d.ended_at IS NULL OFFSET 0) q
      WHERE q.queued)
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
DROP FUNCTION IF EXISTS free_followers(bigint[]);
CREATE OR REPLACE FUNCTION free_followers(finished bigint[], all_done boolean) RETURNS void
LANGUAGE plpgsql SET search_path = ${flyway:defaultSchema}, pg_temp SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off AS $$
DECLARE
  followers bigint[];
  names text[];
BEGIN
  -- Trap: a plan that was made while the tables were empty would go through all rows that are waited for, once for each of these tickets. So LIMIT and
  -- OFFSET keep the order, and rows are taken by ctid.
  WITH open AS MATERIALIZED (
    SELECT d.tid
    FROM unnest(finished) AS u (id)
    CROSS JOIN LATERAL (
      SELECT d.ctid AS tid, d.on_success FROM ticket_dependencies d WHERE d.after_id = u.id AND d.ended_at IS NULL OFFSET 0) d
    WHERE all_done OR (SELECT b.state = 'done' OR b.state = 'needs_review' AND d.on_success FROM ticket_base b WHERE b.id = u.id LIMIT 1)
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
COMMENT ON FUNCTION free_followers IS 'Files the tickets that waited for the last time: those of these tickets that are done, in the transaction that finishes them. all_done: the caller knows that all are, which saves a look at each.';

CREATE OR REPLACE FUNCTION file_followers(followers bigint[], names text[]) RETURNS void
LANGUAGE plpgsql SET search_path = ${flyway:defaultSchema}, pg_temp SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off AS $$
DECLARE
  claimable bigint[];
  next bigint[];
  workflow_ids bigint[] := '{}';
  -- Mostly there is none, and then nobody is asked.
  queued boolean := EXISTS (SELECT FROM ticket_dependencies d WHERE d.queued);
  batches boolean := EXISTS (SELECT FROM batch_followers);
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
      AND NOT (queued AND (SELECT true FROM ticket_dependencies d WHERE d.after_id = c.id AND d.ended_at IS NULL AND d.queued LIMIT 1) IS NOT NULL)
      AND NOT (batches AND (SELECT true FROM batch_followers w WHERE w.ticket_id = c.id AND w.ended_at IS NULL LIMIT 1) IS NOT NULL));
  IF cardinality(next) > 0 THEN
    PERFORM file_tickets(next);
  END IF;
END
$$;
COMMENT ON FUNCTION file_followers IS 'Files those of these tickets that wait no more. names: what each has just waited for is called there.';

SELECT grant_roles(only_new => true);
