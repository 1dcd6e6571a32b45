-- What happens beside a ticket's own row, and what people may do. Every write to `ticket_base` that makes a ticket
-- claimable ends here, whatever way it came in: INSERT, COPY, function, worker.
-- Errors carry SQLSTATE HF404 (no such ticket, queue or design), HF409 (not allowed from this state), HF422 (bad value).
--
-- Locks are taken in one order everywhere: the ticket's row, then ready and deferred, then the lease. A claim takes no lock
-- on the ticket's row, so make_unclaimable waits for it on its row of `ready` and finds the new lease afterwards.
-- Earlier binaries: none.

CREATE FUNCTION require_words(what text, words text) RETURNS void
LANGUAGE plpgsql IMMUTABLE SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
BEGIN
  IF words IS NULL OR btrim(words) = '' THEN
    RAISE EXCEPTION '% must not be empty', what USING ERRCODE = 'HF422';
  END IF;
END
$$;
COMMENT ON FUNCTION require_words IS 'Refuses an empty text with HF422.';

CREATE FUNCTION require_queue_name(queue text) RETURNS void
LANGUAGE plpgsql IMMUTABLE SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
BEGIN
  IF queue IS NULL OR queue !~ '^[A-Za-z0-9][A-Za-z0-9._:-]{0,62}$' THEN
    RAISE EXCEPTION '"%" is not a queue name', COALESCE(left(queue, 100), 'NULL')
      USING ERRCODE = 'HF422', HINT = 'Take 1 to 63 letters, digits and . _ : -, the first a letter or digit.';
  END IF;
END
$$;
COMMENT ON FUNCTION require_queue_name IS 'Refuses a bad queue name with HF422.';

CREATE FUNCTION know_lane(queue text, kind text) RETURNS void
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

CREATE FUNCTION wake_workers(woken_queues text[]) RETURNS void
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

CREATE FUNCTION make_claimable(t ticket_base) RETURNS void
LANGUAGE plpgsql SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
BEGIN
  IF t.state <> 'ready' OR t.assignee_type IS DISTINCT FROM 'agent' THEN
    RETURN;
  END IF;
  PERFORM know_lane(t.queue, t.kind);
  IF t.retry_after > now() THEN
    INSERT INTO deferred (run_at, created_at, id, priority, queue, kind)
    VALUES (t.retry_after, t.created_at, t.id, t.priority, t.queue, t.kind);
  ELSE
    INSERT INTO ready (priority, created_at, id, queue, kind)
    VALUES (t.priority, t.created_at, t.id, t.queue, t.kind);
    PERFORM wake_workers(ARRAY[t.queue]);
  END IF;
END
$$;
COMMENT ON FUNCTION make_claimable IS 'Files a ready ticket for agents under ready or deferred. The only place beside the insert trigger that does.';

CREATE FUNCTION make_unclaimable(t ticket_base) RETURNS boolean
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
  -- It may have been promoted between the two statements.
  DELETE FROM ready r
  WHERE r.queue = t.queue AND r.kind = t.kind AND ~r.priority = ~t.priority AND r.created_at = t.created_at AND r.id = t.id;
  RETURN FOUND;
END
$$;
COMMENT ON FUNCTION make_unclaimable IS 'True if the ticket, whose row the caller has locked, stood in ready or deferred: nobody has claimed it, and nobody can any more.';

-- Runs at every enqueue: few and simple statements, and no search_path of its own, which before PostgreSQL 17 costs as much as a statement.
CREATE FUNCTION file_inserted_tickets() RETURNS trigger
LANGUAGE plpgsql AS $$
DECLARE
  new_lane record;
  ready_count bigint;
BEGIN
  IF EXISTS (
    SELECT FROM added a WHERE NOT EXISTS (SELECT FROM ${flyway:defaultSchema}.lanes l WHERE l.queue = a.queue AND l.kind = a.kind))
  THEN
    FOR new_lane IN SELECT DISTINCT a.queue, a.kind FROM added a ORDER BY a.queue, a.kind LOOP
      PERFORM ${flyway:defaultSchema}.know_lane(new_lane.queue, new_lane.kind);
    END LOOP;
  END IF;
  INSERT INTO ${flyway:defaultSchema}.ready (priority, created_at, id, queue, kind)
  SELECT priority, created_at, id, queue, kind FROM added
  WHERE state = 'ready' AND assignee_type = 'agent' AND (retry_after IS NULL OR retry_after <= now());
  GET DIAGNOSTICS ready_count = ROW_COUNT;
  INSERT INTO ${flyway:defaultSchema}.deferred (run_at, created_at, id, priority, queue, kind)
  SELECT retry_after, created_at, id, priority, queue, kind FROM added
  WHERE state = 'ready' AND assignee_type = 'agent' AND retry_after > now();
  IF ready_count > 0 AND EXISTS (SELECT FROM ${flyway:defaultSchema}.workers WHERE wants_wakeup) THEN
    PERFORM ${flyway:defaultSchema}.wake_workers(ARRAY(
      SELECT DISTINCT queue FROM added
      WHERE state = 'ready' AND assignee_type = 'agent' AND (retry_after IS NULL OR retry_after <= now())));
  END IF;
  RETURN NULL;
END
$$;
COMMENT ON FUNCTION file_inserted_tickets IS 'Files all tickets of one INSERT or COPY into ticket_base at once.';
CREATE TRIGGER file_inserted_tickets AFTER INSERT ON ticket_base
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION file_inserted_tickets();

-- Finished is finished, whoever asks: the same table of transitions as dev.holdfast.ticket.Transition.
CREATE FUNCTION refuse_transition() RETURNS trigger
LANGUAGE plpgsql SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
BEGIN
  RAISE EXCEPTION 'ticket % is %; it cannot become %', OLD.id, OLD.state, NEW.state USING ERRCODE = 'HF409';
END
$$;
COMMENT ON FUNCTION refuse_transition IS 'The last guard of the state machine, below every function.';
CREATE TRIGGER refuse_transition BEFORE UPDATE OF state ON ticket_base FOR EACH ROW
  WHEN (OLD.state <> NEW.state AND (
    OLD.state IN ('done', 'cancelled')
    OR (OLD.state = 'on_hold' AND NEW.state NOT IN ('ready', 'cancelled'))
    OR (OLD.state = 'needs_review' AND NEW.state NOT IN ('done', 'ready', 'cancelled'))))
  EXECUTE FUNCTION refuse_transition();

CREATE FUNCTION refuse_design_change() RETURNS trigger
LANGUAGE plpgsql SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
BEGIN
  RAISE EXCEPTION 'design % version % is never changed in place; put a new version', OLD.name, OLD.version
    USING ERRCODE = 'HF409', HINT = 'holdfast design put NAME --file FILE';
END
$$;
COMMENT ON FUNCTION refuse_design_change IS 'Versions of a design are added, never changed.';
CREATE TRIGGER refuse_design_change BEFORE UPDATE ON designs FOR EACH ROW EXECUTE FUNCTION refuse_design_change();

CREATE FUNCTION running_lease(ticket_id bigint, fence bigint) RETURNS SETOF leases
LANGUAGE sql STABLE SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
  SELECT l.* FROM leases l WHERE l.id > running_lease.fence AND running_lease.ticket_id = ANY (l.ids)
$$;
COMMENT ON FUNCTION running_lease IS 'The lease under which a ticket is in progress, if it is.';

CREATE FUNCTION locked_ticket(ticket_id bigint) RETURNS ticket_base
LANGUAGE plpgsql SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
DECLARE
  t ticket_base;
BEGIN
  SELECT * INTO t FROM ticket_base b WHERE b.id = locked_ticket.ticket_id FOR UPDATE;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'there is no ticket %', COALESCE(ticket_id::text, 'NULL')
      USING ERRCODE = 'HF404', HINT = 'holdfast list shows the tickets';
  END IF;
  RETURN t;
END
$$;
COMMENT ON FUNCTION locked_ticket IS 'A ticket''s row, locked until the end of the transaction; HF404 if there is none.';

-- "exactly one wins, the other is told who did": the last person's action on the ticket is part of the refusal.
CREATE FUNCTION refuse_action(t ticket_base, action text) RETURNS void
LANGUAGE plpgsql SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
DECLARE
  last_action ticket_activity;
  shown_state text;
BEGIN
  SELECT state INTO shown_state FROM tickets WHERE id = t.id;
  SELECT * INTO last_action FROM ticket_activity a
  WHERE a.ticket_id = t.id AND a.actor <> 'system' ORDER BY a.id DESC LIMIT 1;
  IF FOUND THEN
    RAISE EXCEPTION 'cannot % ticket %: it is %; % was the last to act on it (% at %)', action, t.id, shown_state,
      last_action.actor, last_action.action, to_char(last_action.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS"Z"')
      USING ERRCODE = 'HF409', DETAIL = shown_state;
  END IF;
  RAISE EXCEPTION 'cannot % ticket %: it is %', action, t.id, shown_state USING ERRCODE = 'HF409', DETAIL = shown_state;
END
$$;
COMMENT ON FUNCTION refuse_action IS 'Says why an action is not possible now, and who acted last.';

CREATE FUNCTION require_allowed(t ticket_base, action text) RETURNS void
LANGUAGE plpgsql SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
BEGIN
  IF t.state = 'on_hold' AND NOT action = ANY (t.hold_actions) THEN
    RAISE EXCEPTION 'this hold of ticket % does not allow %', t.id, action
      USING ERRCODE = 'HF409', DETAIL = t.state, HINT = 'It allows ' || array_to_string(t.hold_actions, ', ') || '.';
  END IF;
END
$$;
COMMENT ON FUNCTION require_allowed IS 'Enforces the allowed_actions that a hold names.';

CREATE FUNCTION log_activity(ticket_id bigint, action text, actor text, details jsonb DEFAULT '{}') RETURNS void
LANGUAGE plpgsql SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
BEGIN
  INSERT INTO ticket_activity (ticket_id, action, actor, details)
  VALUES (log_activity.ticket_id, log_activity.action, log_activity.actor, jsonb_strip_nulls(log_activity.details));
END
$$;
COMMENT ON FUNCTION log_activity IS 'Adds a row to ticket_activity.';

CREATE FUNCTION give_guidance(ticket_id bigint, author text, source text, guidance text) RETURNS void
LANGUAGE plpgsql SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
BEGIN
  IF guidance IS NULL OR btrim(guidance) = '' THEN
    RETURN;
  END IF;
  INSERT INTO ticket_guidance (ticket_id, author, source, guidance)
  VALUES (give_guidance.ticket_id, give_guidance.author, give_guidance.source, give_guidance.guidance);
  UPDATE ticket_base b SET guidance_count = b.guidance_count + 1 WHERE b.id = give_guidance.ticket_id;
END
$$;
COMMENT ON FUNCTION give_guidance IS 'Keeps a person''s words for the next attempts.';

CREATE FUNCTION release_ticket(id bigint, actor text, guidance text DEFAULT NULL, keep_retries boolean DEFAULT false) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
DECLARE
  t ticket_base;
BEGIN
  PERFORM require_words('actor', actor);
  t := locked_ticket(release_ticket.id);
  IF t.state <> 'on_hold' THEN
    PERFORM refuse_action(t, 'release');
  END IF;
  PERFORM require_allowed(t, CASE WHEN btrim(COALESCE(guidance, '')) = '' THEN 'release' ELSE 'release_with_guidance' END);
  PERFORM log_activity(t.id, 'released', actor,
    jsonb_build_object('guidance', guidance, 'keepRetries', COALESCE(keep_retries, false), 'holdReason', t.hold_reason));
  PERFORM give_guidance(t.id, actor, 'release', guidance);
  UPDATE ticket_base b
  SET state = 'ready', held_at = NULL, hold_reason = NULL, hold_actions = NULL, completed_at = NULL, retry_after = NULL,
      retry_count = CASE WHEN keep_retries THEN b.retry_count ELSE 0 END,
      retry_counts = CASE WHEN keep_retries THEN b.retry_counts END,
      same_error_count = 0, crash_count = 0, updated_at = now()
  WHERE b.id = t.id
  RETURNING * INTO t;
  PERFORM make_claimable(t);
  RETURN t.state;
END
$$;
COMMENT ON FUNCTION release_ticket IS 'Sends a held ticket back to work: SELECT ${flyway:defaultSchema}.release_ticket(17, ''ann'', ''the file is in /data now''). The next attempt is given the guidance. Retries start anew unless keep_retries (A56). Exactly one of two callers wins; the other gets SQLSTATE HF409 and is told who did.';

CREATE FUNCTION revoke_lease(t ticket_base, actor text) RETURNS bigint
LANGUAGE plpgsql SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
DECLARE
  l leases;
BEGIN
  SELECT * INTO l FROM running_lease(t.id, t.fence);
  IF NOT FOUND THEN
    RETURN NULL;
  END IF;
  UPDATE leases SET revoked = revoked || t.id WHERE leases.id = l.id;
  INSERT INTO ticket_attempts (ticket_id, lease_no, started_at, finished_at, attempt, outcome, worker_id, error)
  VALUES (t.id, l.id, l.claimed_at, now(), t.attempt_count + 1, 'revoked', l.worker_id, 'revoked by ' || actor);
  PERFORM pg_notify('${flyway:defaultSchema}_revoked', '');
  RETURN l.id;
END
$$;
COMMENT ON FUNCTION revoke_lease IS 'Ends what runs under a ticket''s lease, if it runs: its result will be refused, and its worker told to stop it.';

CREATE FUNCTION end_work(t ticket_base, actor text) RETURNS void
LANGUAGE plpgsql SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
DECLARE
  revoked_lease bigint;
BEGIN
  IF t.state <> 'ready' OR make_unclaimable(t) THEN
    RETURN;
  END IF;
  revoked_lease := revoke_lease(t, actor);
  IF revoked_lease IS NOT NULL THEN
    UPDATE ticket_base b SET fence = revoked_lease, attempt_count = t.attempt_count + 1 WHERE b.id = t.id;
  END IF;
END
$$;
COMMENT ON FUNCTION end_work IS 'Takes a ticket, whose row the caller has locked, away from the workers, whether it waits or runs.';

CREATE FUNCTION hold_ticket(id bigint, actor text, reason text) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
DECLARE
  t ticket_base;
BEGIN
  PERFORM require_words('actor', actor);
  PERFORM require_words('reason', reason);
  t := locked_ticket(hold_ticket.id);
  IF t.state <> 'ready' THEN
    PERFORM refuse_action(t, 'hold');
  END IF;
  PERFORM end_work(t, actor);
  PERFORM log_activity(t.id, 'held', actor, jsonb_build_object('reason', reason));
  UPDATE ticket_base b
  SET state = 'on_hold', held_at = now(), hold_reason = reason, hold_actions = '{release,release_with_guidance,cancel}',
      retry_after = NULL, updated_at = now()
  WHERE b.id = t.id;
  RETURN 'on_hold';
END
$$;
COMMENT ON FUNCTION hold_ticket IS 'Parks a ready or running ticket for a person; a running attempt is stopped and its result refused.';

CREATE FUNCTION cancel_ticket(id bigint, actor text, reason text DEFAULT NULL) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
DECLARE
  t ticket_base;
BEGIN
  PERFORM require_words('actor', actor);
  t := locked_ticket(cancel_ticket.id);
  IF t.state IN ('done', 'cancelled') THEN
    PERFORM refuse_action(t, 'cancel');
  END IF;
  PERFORM require_allowed(t, 'cancel');
  PERFORM end_work(t, actor);
  PERFORM log_activity(t.id, 'cancelled', actor, jsonb_build_object('reason', reason, 'holdReason', t.hold_reason));
  UPDATE ticket_base b
  SET state = 'cancelled', held_at = NULL, hold_reason = NULL, hold_actions = NULL, retry_after = NULL,
      completed_at = now(), updated_at = now()
  WHERE b.id = t.id;
  RETURN 'cancelled';
END
$$;
COMMENT ON FUNCTION cancel_ticket IS 'Ends a ticket for good, on a person''s word only (A58). A running attempt is stopped and its result refused.';

CREATE FUNCTION approve_ticket(id bigint, actor text) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
DECLARE
  t ticket_base;
BEGIN
  PERFORM require_words('actor', actor);
  t := locked_ticket(approve_ticket.id);
  IF t.state <> 'needs_review' THEN
    PERFORM refuse_action(t, 'approve');
  END IF;
  PERFORM log_activity(t.id, 'approved', actor);
  UPDATE ticket_base b SET state = 'done', updated_at = now() WHERE b.id = t.id;
  RETURN 'done';
END
$$;
COMMENT ON FUNCTION approve_ticket IS 'Accepts the result of a ticket in needs_review: it is done.';

CREATE FUNCTION reject_ticket(id bigint, actor text, feedback text DEFAULT NULL) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
DECLARE
  t ticket_base;
BEGIN
  PERFORM require_words('actor', actor);
  t := locked_ticket(reject_ticket.id);
  IF t.state <> 'needs_review' THEN
    PERFORM refuse_action(t, 'reject');
  END IF;
  PERFORM log_activity(t.id, 'rejected', actor, jsonb_build_object('feedback', feedback));
  PERFORM give_guidance(t.id, actor, 'reject', feedback);
  UPDATE ticket_base b
  SET state = 'ready', rejection_count = b.rejection_count + 1, retry_count = 0, retry_counts = NULL, same_error_count = 0,
      crash_count = 0, completed_at = NULL, retry_after = NULL, updated_at = now()
  WHERE b.id = t.id
  RETURNING * INTO t;
  PERFORM make_claimable(t);
  RETURN t.state;
END
$$;
COMMENT ON FUNCTION reject_ticket IS 'Sends the result of a ticket in needs_review back to work; the feedback becomes guidance for the next attempt.';

CREATE FUNCTION pause_queue(queue text, actor text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
BEGIN
  PERFORM require_words('actor', actor);
  PERFORM require_queue_name(queue);
  INSERT INTO queues (name, paused_at, paused_by) VALUES (pause_queue.queue, now(), pause_queue.actor)
  ON CONFLICT (name) DO UPDATE SET paused_at = COALESCE(queues.paused_at, now()), paused_by = COALESCE(queues.paused_by, pause_queue.actor);
  PERFORM log_activity(NULL, 'queue_paused', actor, jsonb_build_object('queue', pause_queue.queue));
END
$$;
COMMENT ON FUNCTION pause_queue IS 'Stops claims from a queue until resume_queue; running tickets go on. Survives restarts.';

CREATE FUNCTION resume_queue(queue text, actor text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
BEGIN
  PERFORM require_words('actor', actor);
  UPDATE queues q SET paused_at = NULL, paused_by = NULL WHERE q.name = resume_queue.queue;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'there is no queue "%"', left(resume_queue.queue, 100)
      USING ERRCODE = 'HF404', HINT = 'holdfast stats shows the queues';
  END IF;
  PERFORM log_activity(NULL, 'queue_resumed', actor, jsonb_build_object('queue', resume_queue.queue));
  PERFORM wake_workers(ARRAY[resume_queue.queue]);
END
$$;
COMMENT ON FUNCTION resume_queue IS 'Ends a pause.';

CREATE FUNCTION latest_design(design text) RETURNS designs
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

CREATE FUNCTION kind_of_new_ticket(wanted_kind text, d designs) RETURNS text
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

CREATE FUNCTION enqueue_ticket(
  kind text DEFAULT NULL, payload jsonb DEFAULT '{}', queue text DEFAULT 'default', title text DEFAULT NULL,
  design text DEFAULT NULL, priority integer DEFAULT 0, run_at timestamptz DEFAULT NULL, unique_key text DEFAULT NULL,
  max_cost_usd numeric DEFAULT NULL) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
#variable_conflict use_column
DECLARE
  d designs;
  found_id bigint;
BEGIN
  IF enqueue_ticket.design IS NOT NULL THEN
    d := latest_design(enqueue_ticket.design);
  END IF;
  LOOP
    INSERT INTO ticket_base AS b (design_id, kind, payload, queue, title, priority, retry_after, unique_key, max_cost_usd)
    VALUES (d.id, kind_of_new_ticket(enqueue_ticket.kind, d), COALESCE(enqueue_ticket.payload, '{}'),
      COALESCE(enqueue_ticket.queue, 'default'), enqueue_ticket.title, COALESCE(enqueue_ticket.priority, 0),
      enqueue_ticket.run_at, enqueue_ticket.unique_key, enqueue_ticket.max_cost_usd)
    ON CONFLICT (unique_key) WHERE unique_key IS NOT NULL DO NOTHING
    RETURNING b.id INTO found_id;
    IF found_id IS NULL THEN
      -- The ticket with this key; unless it was deleted since the INSERT met it, then the next round inserts.
      SELECT b.id INTO found_id FROM ticket_base b WHERE b.unique_key = enqueue_ticket.unique_key;
    END IF;
    IF found_id IS NOT NULL THEN
      RETURN found_id;
    END IF;
  END LOOP;
END
$$;
COMMENT ON FUNCTION enqueue_ticket IS 'Adds a ticket inside the caller''s transaction and returns its id: SELECT ${flyway:defaultSchema}.enqueue_ticket(design => ''hello'', payload => ''{"n": 1}''). With a unique_key that a kept ticket already has, that ticket''s id is returned and nothing is added.';
