-- What people and programs read and write: `tickets`, and views that answer an operator's questions.
-- Earlier binaries: none.

CREATE VIEW tickets AS
SELECT
  b.id, b.queue, b.kind, b.design_id, b.title, b.payload,
  CASE WHEN l.id IS NULL THEN b.state ELSE 'in_progress' END AS state,
  b.assignee_type, b.priority, b.retry_count, b.rejection_count, b.retry_after, b.retry_strategy,
  b.error, b.error_category, b.error_fingerprint, b.hold_reason,
  l.worker_id, COALESCE(l.id, b.fence) AS lease_no, l.expires_at AS lease_expires_at,
  b.unique_key, b.result, b.created_at, GREATEST(b.updated_at, l.claimed_at) AS updated_at,
  COALESCE(l.claimed_at, b.started_at) AS started_at, b.completed_at,
  b.attempt_count, b.crash_count, b.same_error_count, b.held_at, b.hold_actions AS allowed_actions, b.max_cost_usd
FROM ticket_base b
LEFT JOIN (
  SELECT l.id, l.worker_id, l.claimed_at, l.expires_at, u.ticket_id
  FROM leases l CROSS JOIN LATERAL unnest(l.ids) AS u(ticket_id)
) l ON l.ticket_id = b.id AND l.id > b.fence AND b.state = 'ready';

ALTER VIEW tickets ALTER COLUMN queue SET DEFAULT 'default';
ALTER VIEW tickets ALTER COLUMN state SET DEFAULT 'ready';
ALTER VIEW tickets ALTER COLUMN payload SET DEFAULT '{}';
ALTER VIEW tickets ALTER COLUMN assignee_type SET DEFAULT 'agent';
ALTER VIEW tickets ALTER COLUMN priority SET DEFAULT 0;
ALTER VIEW tickets ALTER COLUMN retry_count SET DEFAULT 0;
ALTER VIEW tickets ALTER COLUMN rejection_count SET DEFAULT 0;

COMMENT ON VIEW tickets IS 'One row per ticket: the truth, whoever looks. INSERT enqueues (in your own transaction). UPDATE of state does what release_ticket, hold_ticket, cancel_ticket, approve_ticket and reject_ticket do, is logged in ticket_activity and wakes a worker; a transition the state machine does not know is refused. DELETE takes finished tickets only. It joins ticket_base (what is stored) with leases (what runs now).';
COMMENT ON COLUMN tickets.id IS 'Given by the database; never used again.';
COMMENT ON COLUMN tickets.design_id IS 'The version of the design it was enqueued with (designs.id); NULL for a ticket of a kind alone.';
COMMENT ON COLUMN tickets.title IS 'For people.';
COMMENT ON COLUMN tickets.payload IS 'The task, as the handler is given it; an object as a rule.';
COMMENT ON COLUMN tickets.rejection_count IS 'How often its result was rejected at review.';
COMMENT ON COLUMN tickets.created_at IS 'When it was enqueued; the older of two equal priorities goes first.';
COMMENT ON COLUMN tickets.updated_at IS 'When it last changed, claims included.';
COMMENT ON COLUMN tickets.started_at IS 'When its latest attempt was claimed; NULL if it never ran.';
COMMENT ON COLUMN tickets.completed_at IS 'When it ended or stopped: succeeded, cancelled, or held with its retries used up.';
COMMENT ON COLUMN tickets.crash_count IS 'How often its lease expired since it was enqueued or last released: a ticket that kills its workers ends on hold.';
COMMENT ON COLUMN tickets.same_error_count IS 'How many attempts in a row failed with this error_fingerprint (retry.same-error-limit).';
COMMENT ON COLUMN tickets.held_at IS 'Since when it waits for a person; NULL unless on_hold.';
COMMENT ON COLUMN tickets.queue IS 'A name; made on first use. Pause it with pause_queue.';
COMMENT ON COLUMN tickets.kind IS 'Which handler works it: command, agent, repair, or one of your own. Taken from the design if there is one.';
COMMENT ON COLUMN tickets.state IS 'ready -claim-> in_progress -success-> needs_review -approve-> done. A failure goes back to ready (with retry_after) or to on_hold for a person. cancelled only on a person''s word.';
COMMENT ON COLUMN tickets.assignee_type IS 'agent: workers claim it. human or NULL: nobody does.';
COMMENT ON COLUMN tickets.priority IS 'Higher is sooner; then the older created_at first.';
COMMENT ON COLUMN tickets.retry_count IS 'Retries used since it was enqueued or last released. Giving back at a worker''s shutdown uses none.';
COMMENT ON COLUMN tickets.retry_after IS 'Not claimed before this time (the database''s clock). Also the start time of a delayed ticket.';
COMMENT ON COLUMN tickets.retry_strategy IS 'Overrides for this ticket under "categories", "max_delay", "jitter", "same_error_limit"; beside them the last decision: errorCategory, maxRetries, backoffType, nextDelayMs, attemptsRemaining.';
COMMENT ON COLUMN tickets.error IS 'The last error, whole.';
COMMENT ON COLUMN tickets.error_category IS 'transient, api_error, code_error, system_error or unknown.';
COMMENT ON COLUMN tickets.error_fingerprint IS 'Equal for equal errors; see error_groups.';
COMMENT ON COLUMN tickets.hold_reason IS 'Why it waits for a person: ''Max retries exceeded: <category>'', or what else stopped it.';
COMMENT ON COLUMN tickets.worker_id IS 'Who runs it now; NULL unless in_progress.';
COMMENT ON COLUMN tickets.lease_no IS 'Grows at every claim. A result under an older number is refused.';
COMMENT ON COLUMN tickets.lease_expires_at IS 'If the worker does not renew the lease by then, the ticket is rescued.';
COMMENT ON COLUMN tickets.unique_key IS 'At most one kept ticket has it.';
COMMENT ON COLUMN tickets.result IS 'What the handler returned.';
COMMENT ON COLUMN tickets.attempt_count IS 'Finished executions, never reset; rows of ticket_attempts.';
COMMENT ON COLUMN tickets.allowed_actions IS 'What a person may do with a held ticket.';
COMMENT ON COLUMN tickets.max_cost_usd IS 'What the ticket may cost in model calls, in US dollars; NULL is the design''s or no limit.';

CREATE FUNCTION acting_person() RETURNS text
LANGUAGE sql STABLE SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
  SELECT COALESCE(NULLIF(current_setting('holdfast.actor', true), ''), session_user::text)
$$;
COMMENT ON FUNCTION acting_person IS 'Who an UPDATE of tickets is logged as: SET holdfast.actor = ''ann'', or else the database user.';

CREATE FUNCTION keep_ids_ahead(explicit_id bigint) RETURNS void
LANGUAGE plpgsql SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
DECLARE
  last_id bigint;
BEGIN
  EXECUTE format('SELECT last_value FROM %s', pg_get_serial_sequence('ticket_base', 'id')) INTO last_id;
  IF explicit_id > last_id THEN
    PERFORM setval(pg_get_serial_sequence('ticket_base', 'id'), explicit_id);
  END IF;
END
$$;
COMMENT ON FUNCTION keep_ids_ahead IS 'Lets the ids that follow start behind one that was given explicitly.';

CREATE FUNCTION insert_ticket() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
DECLARE
  d designs;
BEGIN
  NEW.state := COALESCE(NEW.state, 'ready');
  IF NEW.state = 'in_progress' THEN
    RAISE EXCEPTION 'a ticket becomes in_progress only by a claim; insert it as ready' USING ERRCODE = 'HF409';
  ELSIF NEW.state NOT IN ('ready', 'needs_review', 'on_hold', 'done', 'cancelled') THEN
    RAISE EXCEPTION 'there is no state "%"', left(NEW.state, 100)
      USING ERRCODE = 'HF422', HINT = 'Insert a ticket as ready; the states are in COMMENT ON COLUMN tickets.state.';
  END IF;
  IF NEW.design_id IS NOT NULL THEN
    SELECT * INTO d FROM designs WHERE designs.id = NEW.design_id;
    IF NOT FOUND THEN
      RAISE EXCEPTION 'there is no design with the id %', NEW.design_id
        USING ERRCODE = 'HF404', HINT = 'SELECT id, name, version FROM designs shows them; enqueue_ticket takes a name.';
    END IF;
  END IF;
  NEW.kind := kind_of_new_ticket(NEW.kind, d);
  IF NEW.id IS NULL THEN
    NEW.id := nextval(pg_get_serial_sequence('ticket_base', 'id'));
  ELSE
    PERFORM keep_ids_ahead(NEW.id);
  END IF;
  NEW.queue := COALESCE(NEW.queue, 'default');
  NEW.payload := COALESCE(NEW.payload, '{}');
  NEW.priority := COALESCE(NEW.priority, 0);
  NEW.rejection_count := COALESCE(NEW.rejection_count, 0);
  NEW.created_at := COALESCE(NEW.created_at, now());
  NEW.updated_at := COALESCE(NEW.updated_at, NEW.created_at);
  IF NEW.state = 'on_hold' THEN
    NEW.held_at := COALESCE(NEW.held_at, now());
    NEW.hold_reason := COALESCE(NEW.hold_reason, 'held by ' || acting_person());
    NEW.allowed_actions := COALESCE(NEW.allowed_actions, '{release,release_with_guidance,cancel}');
  ELSE
    NEW.held_at := NULL;
    NEW.allowed_actions := NULL;
  END IF;
  INSERT INTO ticket_base (id, queue, kind, design_id, title, payload, state, assignee_type, priority, retry_count,
    rejection_count, retry_after, retry_strategy, error, error_category, error_fingerprint, hold_reason, unique_key, result,
    created_at, updated_at, started_at, completed_at, held_at, hold_actions, max_cost_usd)
  VALUES (NEW.id, NEW.queue, NEW.kind, NEW.design_id, NEW.title, NEW.payload, NEW.state, NEW.assignee_type, NEW.priority,
    NEW.retry_count, NEW.rejection_count, NEW.retry_after, NEW.retry_strategy, NEW.error, NEW.error_category,
    NEW.error_fingerprint, NEW.hold_reason, NEW.unique_key, NEW.result, NEW.created_at, NEW.updated_at, NEW.started_at,
    NEW.completed_at, NEW.held_at, NEW.allowed_actions, NEW.max_cost_usd);
  NEW.lease_no := 0;
  NEW.attempt_count := 0;
  NEW.crash_count := 0;
  NEW.same_error_count := 0;
  NEW.worker_id := NULL;
  NEW.lease_expires_at := NULL;
  RETURN NEW;
END
$$;
COMMENT ON FUNCTION insert_ticket IS 'INSERT INTO tickets: fills what is left out and refuses what contradicts itself.';
CREATE TRIGGER insert_ticket INSTEAD OF INSERT ON tickets FOR EACH ROW EXECUTE FUNCTION insert_ticket();

CREATE FUNCTION change_ticket_state(ticket tickets, wanted text, reason text) RETURNS void
LANGUAGE plpgsql SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
BEGIN
  CASE
    WHEN ticket.state = 'on_hold' AND wanted = 'ready' THEN PERFORM release_ticket(ticket.id, acting_person());
    WHEN ticket.state = 'needs_review' AND wanted = 'ready' THEN PERFORM reject_ticket(ticket.id, acting_person());
    WHEN ticket.state = 'needs_review' AND wanted = 'done' THEN PERFORM approve_ticket(ticket.id, acting_person());
    WHEN ticket.state IN ('ready', 'in_progress') AND wanted = 'on_hold' THEN
      PERFORM hold_ticket(ticket.id, acting_person(), COALESCE(NULLIF(btrim(reason), ''), 'held by ' || acting_person()));
    WHEN ticket.state NOT IN ('done', 'cancelled') AND wanted = 'cancelled' THEN
      PERFORM cancel_ticket(ticket.id, acting_person(), reason);
    ELSE
      RAISE EXCEPTION 'ticket % is %; it cannot become %', ticket.id, ticket.state, COALESCE(left(wanted, 100), 'NULL')
        USING ERRCODE = 'HF409', DETAIL = ticket.state, HINT = 'The transitions are in COMMENT ON COLUMN tickets.state.';
  END CASE;
END
$$;
COMMENT ON FUNCTION change_ticket_state IS 'UPDATE of tickets.state: calls the function for people that makes the same change.';

CREATE FUNCTION changed_columns(old_ticket tickets, new_ticket tickets) RETURNS jsonb
LANGUAGE plpgsql IMMUTABLE SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
DECLARE
  changes jsonb;
  kept text;
BEGIN
  SELECT COALESCE(jsonb_object_agg(n.key, n.value), '{}') INTO changes
  FROM jsonb_each(to_jsonb(new_ticket)) n JOIN jsonb_each(to_jsonb(old_ticket)) o USING (key)
  WHERE n.value IS DISTINCT FROM o.value AND n.key NOT IN ('state', 'updated_at');
  SELECT string_agg(key, ', ' ORDER BY key) INTO kept FROM jsonb_object_keys(changes) AS key
  WHERE key IN ('id', 'lease_no', 'worker_id', 'lease_expires_at', 'attempt_count', 'crash_count', 'same_error_count',
    'held_at', 'allowed_actions');
  IF kept IS NOT NULL THEN
    RAISE EXCEPTION '% of a ticket cannot be set by hand', kept
      USING ERRCODE = 'HF422', HINT = 'Change state instead: release, hold, cancel, approve or reject the ticket.';
  END IF;
  RETURN changes;
END
$$;
COMMENT ON FUNCTION changed_columns IS 'What an UPDATE of tickets sets beside state, without what was only read before; refuses the columns that are kept by Holdfast.';

-- Only what the UPDATE itself changes is written: the ticket may have moved on since the UPDATE read it.
CREATE FUNCTION edit_ticket(ticket_id bigint, changes jsonb) RETURNS void
LANGUAGE plpgsql SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
DECLARE
  t ticket_base := locked_ticket(ticket_id);
  refile boolean := false;
BEGIN
  IF changes ?| '{queue,kind,priority,created_at,retry_after,assignee_type}' AND t.state = 'ready' THEN
    refile := make_unclaimable(t) OR NOT EXISTS (SELECT FROM running_lease(t.id, t.fence));
  END IF;
  t := jsonb_populate_record(t, changes);
  IF changes ?| '{queue,kind}' THEN
    PERFORM know_lane(t.queue, t.kind);
  END IF;
  UPDATE ticket_base b SET
    queue = t.queue, kind = t.kind, design_id = t.design_id, title = t.title, payload = t.payload,
    assignee_type = t.assignee_type, priority = t.priority, unique_key = t.unique_key, result = t.result,
    created_at = t.created_at, started_at = t.started_at, completed_at = t.completed_at, max_cost_usd = t.max_cost_usd,
    rejection_count = t.rejection_count, retry_count = t.retry_count, retry_after = t.retry_after,
    retry_strategy = t.retry_strategy, error = t.error, error_category = t.error_category,
    error_fingerprint = t.error_fingerprint, hold_reason = t.hold_reason, updated_at = now()
  WHERE b.id = t.id;
  IF refile THEN
    PERFORM make_claimable(t);
  END IF;
END
$$;
COMMENT ON FUNCTION edit_ticket IS 'UPDATE of columns of tickets other than state; a waiting ticket is filed anew.';

CREATE FUNCTION updated_ticket(shown tickets, state_changed boolean) RETURNS tickets
LANGUAGE plpgsql STABLE SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
DECLARE
  stored jsonb;
BEGIN
  SELECT to_jsonb(b) || jsonb_build_object('allowed_actions', b.hold_actions) INTO stored FROM ticket_base b WHERE b.id = shown.id;
  IF state_changed THEN
    -- Nobody runs a ticket whose state a person has just changed.
    RETURN jsonb_populate_record(shown,
      stored || jsonb_build_object('lease_no', stored->'fence', 'worker_id', NULL, 'lease_expires_at', NULL));
  END IF;
  RETURN jsonb_populate_record(shown, stored - '{state,started_at}'::text[]);
END
$$;
COMMENT ON FUNCTION updated_ticket IS 'The row that UPDATE tickets ... RETURNING shows: what is there now, without asking every lease again.';

CREATE FUNCTION update_ticket() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
DECLARE
  changes jsonb := changed_columns(OLD, NEW);
  state_changed boolean := NEW.state IS DISTINCT FROM OLD.state;
BEGIN
  IF state_changed THEN
    PERFORM change_ticket_state(OLD, NEW.state, CASE WHEN changes ? 'hold_reason' THEN NEW.hold_reason END);
    IF NEW.state IN ('on_hold', 'cancelled') THEN
      changes := changes - 'hold_reason'; -- it was the reason that is logged
    END IF;
  END IF;
  IF changes <> '{}' THEN
    PERFORM edit_ticket(OLD.id, changes);
    PERFORM log_activity(OLD.id, 'edited', acting_person(),
      jsonb_build_object('columns', (SELECT jsonb_agg(key ORDER BY key) FROM jsonb_object_keys(changes) AS key)));
  END IF;
  NEW := updated_ticket(NEW, state_changed);
  RETURN NEW;
END
$$;
COMMENT ON FUNCTION update_ticket IS 'UPDATE tickets: state through the functions for people, other columns as given, all logged.';
CREATE TRIGGER update_ticket INSTEAD OF UPDATE ON tickets FOR EACH ROW EXECUTE FUNCTION update_ticket();

CREATE FUNCTION delete_ticket() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
BEGIN
  IF OLD.state NOT IN ('done', 'cancelled') THEN
    RAISE EXCEPTION 'ticket % is %; only done and cancelled tickets can be deleted', OLD.id, OLD.state
      USING ERRCODE = 'HF409', HINT = 'SELECT cancel_ticket(id, actor, reason) ends it first.';
  END IF;
  DELETE FROM ticket_attempts WHERE ticket_id = OLD.id;
  DELETE FROM ticket_guidance WHERE ticket_id = OLD.id;
  DELETE FROM ticket_activity WHERE ticket_id = OLD.id;
  DELETE FROM ticket_base WHERE id = OLD.id;
  RETURN OLD;
END
$$;
COMMENT ON FUNCTION delete_ticket IS 'DELETE FROM tickets: a finished ticket goes with all its history.';
CREATE TRIGGER delete_ticket INSTEAD OF DELETE ON tickets FOR EACH ROW EXECUTE FUNCTION delete_ticket();

CREATE VIEW on_hold_tickets AS
SELECT b.id, b.queue, b.kind, b.title, b.held_at, now() - b.held_at AS held_for, b.hold_reason, b.error_category,
  b.error_fingerprint, left(b.error, 500) AS error, b.attempt_count AS attempts, b.retry_count, b.rejection_count,
  b.hold_actions AS allowed_actions,
  (SELECT g.guidance FROM ticket_guidance g WHERE g.ticket_id = b.id ORDER BY g.id DESC LIMIT 1) AS last_guidance
FROM ticket_base b
WHERE b.held_at IS NOT NULL
ORDER BY b.held_at, b.id;
COMMENT ON VIEW on_hold_tickets IS 'What waits for a person, the longest first. SELECT ${flyway:defaultSchema}.release_ticket(id, ''you'', ''guidance'') sends one back.';

CREATE VIEW error_groups AS
SELECT b.error_fingerprint, b.error_category, count(*) AS tickets, min(b.held_at) AS oldest, max(b.held_at) AS newest,
  (array_agg(left(b.error, 500) ORDER BY b.held_at DESC))[1] AS last_error,
  (array_agg(b.id ORDER BY b.held_at DESC))[1:10] AS sample_ids
FROM ticket_base b
WHERE b.held_at IS NOT NULL
GROUP BY b.error_fingerprint, b.error_category
ORDER BY count(*) DESC, min(b.held_at);
COMMENT ON VIEW error_groups IS 'Held tickets by error: equal errors have one fingerprint, so one release by fingerprint mends them all.';

CREATE VIEW queue_health AS
SELECT q.name AS queue, q.paused_at IS NOT NULL AS paused, q.paused_by,
  r.n AS ready, r.oldest AS oldest_ready_at,
  COALESCE(d.retrying, 0) AS retrying, COALESCE(d.scheduled, 0) AS scheduled, d.next_at AS next_due_at,
  COALESCE(p.n, 0) AS in_progress, COALESCE(h.n, 0) AS on_hold
FROM queues q
CROSS JOIN LATERAL (SELECT count(*) AS n, min(r.created_at) AS oldest FROM ready r WHERE r.queue = q.name) r
LEFT JOIN (
  SELECT d.queue, count(*) FILTER (WHERE b.retry_count > 0) AS retrying, count(*) FILTER (WHERE COALESCE(b.retry_count, 0) = 0) AS scheduled, min(d.run_at) AS next_at
  FROM deferred d JOIN ticket_base b ON b.id = d.id GROUP BY d.queue
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
COMMENT ON VIEW queue_health IS 'Each queue''s wait as what it is: ready and never started, retrying after a failure, scheduled for later, running, waiting for a person.';

CREATE VIEW retry_outcomes AS
SELECT previous_category AS category, count(*) AS retries_finished, count(*) FILTER (WHERE outcome = 'succeeded') AS succeeded,
  round(100.0 * count(*) FILTER (WHERE outcome = 'succeeded') / count(*), 2) AS success_percent
FROM (
  SELECT ticket_id, started_at, outcome,
    lag(category) OVER attempts_of_ticket AS previous_category, lag(finished_at) OVER attempts_of_ticket AS previous_end
  FROM ticket_attempts WHERE outcome IN ('succeeded', 'failed', 'crashed')
  WINDOW attempts_of_ticket AS (PARTITION BY ticket_id ORDER BY lease_no)
) finished
WHERE previous_category IS NOT NULL
  -- An attempt after a release is a person's doing, not a retry.
  AND NOT EXISTS (
    SELECT FROM ticket_activity a
    WHERE a.ticket_id = finished.ticket_id AND a.action = 'released'
      AND a.created_at BETWEEN finished.previous_end AND finished.started_at)
GROUP BY previous_category
ORDER BY previous_category;
COMMENT ON VIEW retry_outcomes IS 'How many retries succeed, by the category of the failure they followed (A65).';

CREATE VIEW ticket_timeline AS
SELECT b.id AS ticket_id, b.created_at AS at, 'created' AS event, NULL::text AS actor, jsonb_strip_nulls(jsonb_build_object('queue', b.queue, 'kind', b.kind)) AS details
FROM ticket_base b
UNION ALL
SELECT a.ticket_id, a.started_at, 'claimed', a.worker_id, jsonb_build_object('attempt', a.attempt, 'leaseNo', a.lease_no)
FROM ticket_attempts a
UNION ALL
SELECT a.ticket_id, a.finished_at, a.outcome, a.worker_id, jsonb_strip_nulls(jsonb_build_object('attempt', a.attempt, 'category', a.category,
  'rule', a.rule, 'fingerprint', a.fingerprint, 'error', left(a.error, 500)))
FROM ticket_attempts a
UNION ALL
SELECT u.ticket_id, l.claimed_at, 'claimed', l.worker_id, jsonb_build_object('leaseNo', l.id)
FROM leases l CROSS JOIN LATERAL unnest(l.ids) AS u(ticket_id) JOIN ticket_base b ON b.id = u.ticket_id AND b.state = 'ready' AND l.id > b.fence
UNION ALL
SELECT y.ticket_id, y.created_at, y.action, y.actor, y.details
FROM ticket_activity y WHERE y.ticket_id IS NOT NULL;
COMMENT ON VIEW ticket_timeline IS 'Everything that happened to a ticket: SELECT * FROM ${flyway:defaultSchema}.ticket_timeline WHERE ticket_id = 17 ORDER BY at.';
