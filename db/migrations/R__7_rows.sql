-- Plain SQL on the view `tickets`: INSERT enqueues, UPDATE does what the functions for people do, DELETE takes finished tickets.
--
-- Flyway runs this file after all versioned ones: again with each version of the schema (now ${version}), and whenever it changes.

CREATE OR REPLACE FUNCTION keep_ids_ahead(explicit_id bigint) RETURNS void
LANGUAGE plpgsql SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
DECLARE
  last_id bigint;
BEGIN
  -- The ids that follow it must never run out, and be whole numbers in JSON for everybody.
  IF explicit_id NOT BETWEEN 1 AND 1000000000000000 THEN
    RAISE EXCEPTION 'a ticket''s id is a number from 1 to 1000000000000000, not %', explicit_id
      USING ERRCODE = 'HF422', HINT = 'Leave it out, and the database gives one; unique_key keeps a name or number of your own.';
  END IF;
  EXECUTE format('SELECT last_value FROM %s', pg_get_serial_sequence('ticket_base', 'id')) INTO last_id;
  IF explicit_id > last_id THEN
    PERFORM setval(pg_get_serial_sequence('ticket_base', 'id'), explicit_id);
  END IF;
END
$$;
COMMENT ON FUNCTION keep_ids_ahead IS 'Lets the ids that follow start behind one that was given explicitly; HF422 for one that leaves them no room.';

CREATE OR REPLACE FUNCTION require_readable(title text, error text, hold_reason text, result jsonb) RETURNS void
LANGUAGE plpgsql STABLE SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
BEGIN
  PERFORM require_length('title', title, 10000), require_length('error', error), require_length('hold_reason', hold_reason);
  IF result IS NOT NULL THEN
    PERFORM accepted_bytes('result', result);
  END IF;
END
$$;
COMMENT ON FUNCTION require_readable IS 'Refuses with HF422 what would be too long for whoever looks at the ticket.';

-- Not among the rules of ticket_base: a row that older versions took must stay one that people can hold, release and cancel.
CREATE OR REPLACE FUNCTION require_history(rejection_count integer, error_category text) RETURNS void
LANGUAGE plpgsql IMMUTABLE SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
BEGIN
  IF rejection_count < 0 THEN
    RAISE EXCEPTION 'rejection_count must be 0 or more, not %', rejection_count USING ERRCODE = 'HF422';
  ELSIF error_category NOT IN ('transient', 'api_error', 'code_error', 'system_error', 'unknown') THEN
    RAISE EXCEPTION '"%" is not a category; there are transient, api_error, code_error, system_error, unknown', left(error_category, 60)
      USING ERRCODE = 'HF422', HINT = 'Leave it out for a ticket without an error.';
  END IF;
END
$$;
COMMENT ON FUNCTION require_history IS 'Refuses with HF422 what no attempt or review of a ticket can have left in it.';

CREATE OR REPLACE FUNCTION known_design(design_id bigint) RETURNS designs
LANGUAGE plpgsql STABLE SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
DECLARE
  d designs;
BEGIN
  SELECT * INTO d FROM designs WHERE designs.id = known_design.design_id;
  IF NOT FOUND AND design_id IS NOT NULL THEN
    RAISE EXCEPTION 'there is no design with the id %', design_id
      USING ERRCODE = 'HF404', HINT = 'SELECT id, name, version FROM designs shows them; enqueue_ticket takes a name.';
  END IF;
  RETURN d;
END
$$;
COMMENT ON FUNCTION known_design IS 'A version of a design; HF404 if there is none with the id, NULL for NULL.';

CREATE OR REPLACE FUNCTION insert_ticket() RETURNS trigger
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
  IF num_nonnulls(NEW.parent_id, NEW.worker_id, NEW.lease_expires_at, NEW.error_title, NULLIF(NEW.lease_no, 0), NULLIF(NEW.attempt_count, 0),
      NULLIF(NEW.crash_count, 0), NULLIF(NEW.same_error_count, 0)) > 0 THEN
    RAISE EXCEPTION '% of a ticket cannot be set by hand', (
        SELECT string_agg(e.key, ', ' ORDER BY e.key) FROM jsonb_each(to_jsonb(NEW)) AS e
        WHERE e.value NOT IN ('null', '0') AND e.key IN ('parent_id', 'worker_id', 'lease_expires_at', 'error_title', 'lease_no', 'attempt_count',
          'crash_count', 'same_error_count'))
      USING ERRCODE = 'HF422', HINT = 'Leave it out: it is kept by Holdfast.';
  END IF;
  IF NEW.design IS NOT NULL AND NEW.design_id IS NULL THEN
    SELECT x.id INTO NEW.design_id FROM designs x
    WHERE x.name = NEW.design AND (NEW.design_version IS NULL OR x.version = NEW.design_version) ORDER BY x.version DESC LIMIT 1;
    IF NOT FOUND THEN
      RAISE EXCEPTION 'there is no design "%"%', left(NEW.design, 100), COALESCE(' of version ' || NEW.design_version, '')
        USING ERRCODE = 'HF404', HINT = 'SELECT name, version FROM designs shows them.';
    END IF;
  END IF;
  d := known_design(NEW.design_id);
  IF NEW.retry_after IS NOT NULL THEN
    PERFORM require_start('retry_after', NEW.retry_after);
  END IF;
  IF NEW.retry_strategy IS NOT NULL THEN
    PERFORM require_retry_policy(NEW.retry_strategy, 'retry_strategy');
  END IF;
  PERFORM require_key('concurrency_key', NEW.concurrency_key), require_key('fairness_key', NEW.fairness_key),
    require_uniqueness(NEW.unique_key, NULL, NULL), require_readable(NEW.title, NEW.error, NEW.hold_reason, NEW.result),
    require_history(NEW.rejection_count, NEW.error_category);
  NEW.kind := kind_of_new_ticket(NEW.kind, d);
  IF NEW.state = 'ready' THEN
    PERFORM require_cost_limit(NEW.kind, NEW.max_cost_usd);
    NEW.expires_at := COALESCE(NEW.expires_at, GREATEST(now(), NEW.retry_after) + design_expiry(d));
  END IF;
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
  IF NEW.state IN ('needs_review', 'done', 'cancelled') THEN
    NEW.completed_at := COALESCE(NEW.completed_at, now());
  END IF;
  NEW.hold_reason := CASE WHEN NOT is_blank(NEW.hold_reason) THEN NEW.hold_reason END;
  IF NEW.state = 'on_hold' THEN
    NEW.held_at := COALESCE(NEW.held_at, now());
    NEW.hold_reason := COALESCE(NEW.hold_reason, 'held by ' || acting_person());
    IF (NEW.allowed_actions && '{release,release_with_guidance,cancel}') IS NOT TRUE THEN
      NEW.allowed_actions := '{release,release_with_guidance,cancel}'; -- nobody could end it
    END IF;
  ELSE
    NEW.held_at := NULL;
    NEW.allowed_actions := NULL;
  END IF;
  PERFORM require_time('created_at', NEW.created_at), require_time('updated_at', NEW.updated_at),
    require_time('started_at', NEW.started_at), require_time('completed_at', NEW.completed_at), require_time('held_at', NEW.held_at);
  IF NEW.batch_id IS NOT NULL THEN
    PERFORM join_batch(NEW.batch_id);
  END IF;
  INSERT INTO ticket_base (filed, id, queue, kind, design_id, title, payload, state, assignee_type, priority, retry_count,
    rejection_count, retry_after, retry_strategy, error, error_category, error_fingerprint, hold_reason, unique_key, result,
    created_at, updated_at, started_at, completed_at, held_at, hold_actions, max_cost_usd, expires_at, concurrency_key, fairness_key,
    batch_id)
  VALUES (true, NEW.id, NEW.queue, NEW.kind, NEW.design_id, NEW.title, NEW.payload, NEW.state, NEW.assignee_type, NEW.priority,
    NEW.retry_count, NEW.rejection_count, NEW.retry_after, NEW.retry_strategy, NEW.error, NEW.error_category,
    NEW.error_fingerprint, NEW.hold_reason, NEW.unique_key, NEW.result, NEW.created_at, NEW.updated_at, NEW.started_at,
    NEW.completed_at, NEW.held_at, NEW.allowed_actions, NEW.max_cost_usd, NEW.expires_at, NEW.concurrency_key, NEW.fairness_key,
    NEW.batch_id);
  PERFORM file_new_tickets(ARRAY[NEW.id]);
  NEW.lease_no := 0;
  NEW.attempt_count := 0;
  NEW.crash_count := 0;
  NEW.same_error_count := 0;
  NEW.worker_id := NULL;
  NEW.lease_expires_at := NULL;
  NEW.error_title := error_name(NULL, NEW.error);
  NEW.design := d.name;
  NEW.design_version := d.version;
  NEW.parent_id := NULL;
  RETURN NEW;
END
$$;
COMMENT ON FUNCTION insert_ticket IS 'INSERT INTO tickets: fills what is left out and refuses what contradicts itself.';

CREATE OR REPLACE FUNCTION change_ticket_state(ticket tickets, wanted text, reason text) RETURNS void
LANGUAGE plpgsql SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
DECLARE
  given text := words_or_null(reason);
BEGIN
  CASE
    WHEN ticket.state = 'on_hold' AND wanted = 'ready' THEN PERFORM release_ticket(ticket.id, acting_person());
    WHEN ticket.state = 'needs_review' AND wanted = 'ready' THEN PERFORM reject_ticket(ticket.id, acting_person());
    WHEN ticket.state = 'needs_review' AND wanted = 'done' THEN PERFORM approve_ticket(ticket.id, acting_person());
    WHEN ticket.state IN ('ready', 'in_progress') AND wanted = 'on_hold' THEN
      PERFORM hold_ticket(ticket.id, acting_person(), COALESCE(given, 'held by ' || acting_person()));
    WHEN ticket.state NOT IN ('done', 'cancelled') AND wanted = 'cancelled' THEN
      PERFORM cancel_ticket(ticket.id, acting_person(), given);
    ELSE
      RAISE EXCEPTION 'ticket % is %; it cannot become %', ticket.id, ticket.state, COALESCE(left(wanted, 100), 'NULL')
        USING ERRCODE = 'HF409', DETAIL = ticket.state, HINT = 'The transitions are in COMMENT ON COLUMN tickets.state.';
  END CASE;
END
$$;
COMMENT ON FUNCTION change_ticket_state IS 'UPDATE of tickets.state: calls the function for people that makes the same change.';

CREATE OR REPLACE FUNCTION changed_columns(old_ticket tickets, new_ticket tickets) RETURNS jsonb
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
    'held_at', 'allowed_actions', 'error_title', 'design', 'design_version', 'expires_at', 'parent_id', 'batch_id');
  IF kept IS NOT NULL THEN
    RAISE EXCEPTION '% of a ticket cannot be set by hand', kept
      USING ERRCODE = 'HF422', HINT = 'Change state instead: release, hold, cancel, approve or reject the ticket.';
  END IF;
  RETURN changes;
END
$$;
COMMENT ON FUNCTION changed_columns IS 'What an UPDATE of tickets sets beside state, without what was only read before; refuses the columns that are kept by Holdfast.';

-- Only what the UPDATE itself changes is written: the ticket may have moved on since the UPDATE read it.
CREATE OR REPLACE FUNCTION edit_ticket(ticket_id bigint, changes jsonb) RETURNS void
LANGUAGE plpgsql SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
DECLARE
  t ticket_base := locked_ticket(ticket_id);
  d designs;
  refile boolean := false;
BEGIN
  PERFORM require_key('concurrency_key', changes->>'concurrency_key'), require_key('fairness_key', changes->>'fairness_key'),
    require_uniqueness(changes->>'unique_key', NULL, NULL), require_readable(changes->>'title', changes->>'error', changes->>'hold_reason', changes->'result'),
    require_history((changes->>'rejection_count')::integer, changes->>'error_category'),
    require_start('retry_after', (changes->>'retry_after')::timestamptz),
    require_time('created_at', (changes->>'created_at')::timestamptz), require_time('started_at', (changes->>'started_at')::timestamptz),
    require_time('completed_at', (changes->>'completed_at')::timestamptz);
  IF changes ?| '{queue,kind,priority,created_at,retry_after,assignee_type,design_id,concurrency_key,fairness_key}' AND t.state = 'ready' THEN
    refile := make_unclaimable(t) OR NOT EXISTS (SELECT FROM running_lease(t.id, t.fence));
  END IF;
  t := jsonb_populate_record(t, changes);
  IF changes ? 'max_cost_usd' THEN
    PERFORM require_cost_limit(t.kind, t.max_cost_usd);
  END IF;
  IF changes ?| '{design_id,kind}' THEN
    d := known_design(t.design_id);
    IF t.kind <> d.kind THEN
      RAISE EXCEPTION 'design "%" is of the kind "%", not "%"', d.name, d.kind, left(t.kind, 100)
        USING ERRCODE = 'HF422', HINT = 'Set design_id and kind in one UPDATE.';
    END IF;
  END IF;
  IF changes ?| '{queue,kind}' THEN
    PERFORM know_lane(t.queue, t.kind);
  END IF;
  UPDATE ticket_base b SET
    queue = t.queue, kind = t.kind, design_id = t.design_id, title = t.title, payload = t.payload,
    assignee_type = t.assignee_type, priority = t.priority, unique_key = t.unique_key, result = t.result,
    created_at = t.created_at, started_at = t.started_at,
    -- Retention never takes what has none.
    completed_at = CASE WHEN b.state IN ('needs_review', 'done', 'cancelled') THEN COALESCE(t.completed_at, b.completed_at, now()) ELSE t.completed_at END,
    max_cost_usd = t.max_cost_usd,
    rejection_count = t.rejection_count, retry_count = t.retry_count, retry_after = t.retry_after,
    retry_strategy = t.retry_strategy, error = t.error,
    error_title = CASE WHEN b.error IS NOT DISTINCT FROM t.error THEN b.error_title END, error_category = t.error_category,
    error_fingerprint = t.error_fingerprint, concurrency_key = t.concurrency_key, fairness_key = t.fairness_key,
    hold_reason = CASE WHEN NOT is_blank(t.hold_reason) THEN t.hold_reason WHEN b.state = 'on_hold' THEN b.hold_reason END,
    updated_at = now()
  WHERE b.id = t.id;
  IF refile THEN
    PERFORM make_claimable(t);
  END IF;
END
$$;
COMMENT ON FUNCTION edit_ticket IS 'UPDATE of columns of tickets other than state; a waiting ticket is filed anew.';

CREATE OR REPLACE FUNCTION updated_ticket(shown tickets, state_changed boolean) RETURNS tickets
LANGUAGE plpgsql STABLE SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
DECLARE
  stored jsonb;
BEGIN
  SELECT to_jsonb(b) || jsonb_build_object('allowed_actions', b.hold_actions, 'design', d.name, 'design_version', d.version) INTO stored
  FROM ticket_base b LEFT JOIN designs d ON d.id = b.design_id WHERE b.id = shown.id;
  IF state_changed THEN
    -- Nobody runs a ticket whose state a person has just changed.
    RETURN jsonb_populate_record(shown,
      stored || jsonb_build_object('lease_no', stored->'fence', 'worker_id', NULL, 'lease_expires_at', NULL));
  END IF;
  RETURN jsonb_populate_record(shown, stored - '{state,started_at}'::text[]);
END
$$;
COMMENT ON FUNCTION updated_ticket IS 'The row that UPDATE tickets ... RETURNING shows: what is there now, without asking every lease again.';

-- Workers claim and finish between the look of an UPDATE and its turn at the row. A table would look again whether its WHERE still holds.
CREATE OR REPLACE FUNCTION state_to_change(shown tickets, wanted text) RETURNS text
LANGUAGE plpgsql SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
DECLARE
  t ticket_base;
  present text;
BEGIN
  -- As cancel_ticket and hold_ticket do before they lock the ticket itself.
  IF wanted = 'cancelled' THEN
    PERFORM lock_what_goes(shown.id);
  ELSIF wanted = 'on_hold' THEN
    PERFORM lock_steps(shown.id);
  END IF;
  SELECT * INTO t FROM ticket_base b WHERE b.id = shown.id FOR UPDATE;
  present := t.state;
  IF t.state = 'ready' THEN
    -- Workers pass over what is locked. Most are found here, by themselves: that is quicker than make_unclaimable, which is called after this again.
    PERFORM FROM ready r
    WHERE r.queue = t.queue AND r.kind = t.kind AND ~r.priority = ~t.priority AND r.created_at = t.created_at AND r.id = t.id
    FOR UPDATE;
    IF NOT FOUND AND NOT (shown.state = 'ready' AND make_unclaimable(t)) AND EXISTS (SELECT FROM running_lease(t.id, t.fence)) THEN
      present := 'in_progress';
    END IF;
  END IF;
  -- What this transaction changed itself is no surprise: the same statement may cancel a ticket and one that waits for it.
  IF present = shown.state OR (t.updated_at = now() AND present NOT IN ('in_progress', wanted)) THEN
    RETURN present;
  END IF;
  RETURN NULL;
END
$$;
COMMENT ON FUNCTION state_to_change IS 'The state of a ticket, then locked and not claimable any more, for an UPDATE that saw it in shown.state; NULL if others have brought it into another one since.';

CREATE OR REPLACE FUNCTION update_ticket() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
DECLARE
  changes jsonb := changed_columns(OLD, NEW);
  state_changed boolean := NEW.state IS DISTINCT FROM OLD.state;
BEGIN
  IF changes ? 'retry_strategy' THEN
    PERFORM require_retry_policy(NEW.retry_strategy, 'retry_strategy');
  END IF;
  IF state_changed THEN
    OLD.state := state_to_change(OLD, NEW.state);
    IF OLD.state IS NULL THEN
      RETURN NULL; -- passed over, and not counted
    END IF;
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

-- Not STABLE: it is to see who came since the caller's statement began, for the caller has locked the ticket in that statement.
CREATE OR REPLACE FUNCTION needed_by(ticket_id bigint) RETURNS bigint
LANGUAGE sql SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
  SELECT x.id FROM (
    SELECT d.ticket_id AS id FROM ticket_dependencies d WHERE d.after_id = needed_by.ticket_id AND d.name IS NOT NULL AND d.item IS NULL
    UNION ALL
    SELECT p.parent_id FROM ticket_parents p WHERE p.ticket_id = needed_by.ticket_id
  ) x JOIN ticket_base b ON b.id = x.id
  WHERE b.state NOT IN ('done', 'cancelled') AND (b.kind = 'workflow' OR b.follows) ORDER BY x.id LIMIT 1
$$;
COMMENT ON FUNCTION needed_by IS 'An open ticket that is to be given the result of this one, or the open workflow that it is a step of; NULL if there is none.';

CREATE OR REPLACE FUNCTION delete_ticket() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
BEGIN
  IF OLD.state NOT IN ('done', 'cancelled') THEN
    RAISE EXCEPTION 'ticket % is %; only done and cancelled tickets can be deleted', OLD.id, OLD.state
      USING ERRCODE = 'HF409', HINT = 'SELECT cancel_ticket(id, actor, reason) ends it first.';
  END IF;
  -- Whoever has just enqueued a ticket that needs its result has it locked, and is seen by the next statement.
  PERFORM FROM ticket_base b WHERE b.id = OLD.id FOR UPDATE;
  IF needed_by(OLD.id) IS NOT NULL THEN
    RAISE EXCEPTION 'ticket % is not deleted: ticket % still needs its result', OLD.id, needed_by(OLD.id)
      USING ERRCODE = 'HF409', HINT = 'It can be deleted when that one is done or cancelled.';
  END IF;
  DELETE FROM ticket_attempts WHERE ticket_id = OLD.id;
  DELETE FROM ticket_guidance WHERE ticket_id = OLD.id;
  DELETE FROM ticket_activity WHERE ticket_id = OLD.id;
  DELETE FROM ticket_base WHERE id = OLD.id;
  RETURN OLD;
END
$$;
COMMENT ON FUNCTION delete_ticket IS 'DELETE FROM tickets: a finished ticket goes with all its history.';

SELECT grant_roles(only_new => true);
