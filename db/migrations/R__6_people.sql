-- What people may do with tickets and queues, by whatever way: SQL, CLI, HTTP, console. Each action is logged in ticket_activity.
--
-- Locks are taken in one order everywhere: the ticket's row, then ready and deferred, then the lease. A claim takes no lock
-- on the ticket's row, so make_unclaimable waits for it on its row of `ready` and finds the new lease afterwards.
--
-- Flyway runs this file after all versioned ones: again with each version of the schema (now ${version}), and whenever it changes.

CREATE OR REPLACE FUNCTION acting_person() RETURNS text
LANGUAGE sql STABLE SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
  SELECT COALESCE(NULLIF(current_setting('holdfast.actor', true), ''), session_user::text)
$$;
COMMENT ON FUNCTION acting_person IS 'Who an UPDATE of tickets is logged as: SET holdfast.actor = ''ann'', or else the database user.';

-- A setting is anybody's word. Only who may speak for people is believed: a worker, and whoever may act as the owner. Called as the owner.
CREATE OR REPLACE FUNCTION acting_channel() RETURNS text
LANGUAGE sql STABLE SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
  SELECT CASE
    WHEN c.said IS NULL THEN me.name
    WHEN right(c.said, length(me.name)) = me.name THEN c.said
    WHEN pg_has_role(session_user, current_user, 'USAGE') OR pg_has_role(session_user, to_regrole('holdfast_worker'), 'USAGE') THEN c.said
    ELSE left(c.said, 100) || ', ' || me.name
  END
  FROM NULLIF(current_setting('holdfast.channel', true), '') AS c (said), concat('sql: ', session_user) AS me (name)
$$;
COMMENT ON FUNCTION acting_channel IS 'How a person came, as ticket_activity.channel has it.';

CREATE OR REPLACE FUNCTION log_activity(ticket_id bigint, action text, actor text, details jsonb DEFAULT '{}') RETURNS void
LANGUAGE plpgsql SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
BEGIN
  PERFORM accepted_bytes('record of what was done', log_activity.details);
  INSERT INTO ticket_activity (ticket_id, action, actor, details, channel)
  VALUES (log_activity.ticket_id, log_activity.action, log_activity.actor, jsonb_strip_nulls(log_activity.details),
    CASE WHEN log_activity.actor <> 'system' THEN acting_channel() END);
END
$$;
COMMENT ON FUNCTION log_activity IS 'Adds a row to ticket_activity.';

CREATE OR REPLACE FUNCTION note_enqueued(id bigint, actor text) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
BEGIN
  PERFORM require_words('actor', actor);
  -- created_at is the time of the transaction that made it, down to the microsecond.
  IF NOT EXISTS (SELECT FROM ticket_base b WHERE b.id = note_enqueued.id AND b.created_at = now()) THEN
    RETURN false;
  END IF;
  PERFORM log_activity(note_enqueued.id, 'enqueued', actor);
  RETURN true;
END
$$;
COMMENT ON FUNCTION note_enqueued IS 'Logs who enqueued a ticket, if this transaction did; whether it did.';

CREATE OR REPLACE FUNCTION running_lease(ticket_id bigint, fence bigint) RETURNS SETOF leases
LANGUAGE sql STABLE SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
  SELECT l.* FROM leases l WHERE l.id > running_lease.fence AND running_lease.ticket_id = ANY (l.ids)
$$;
COMMENT ON FUNCTION running_lease IS 'The lease under which a ticket is in progress, if it is.';

CREATE OR REPLACE FUNCTION locked_ticket(ticket_id bigint) RETURNS ticket_base
LANGUAGE plpgsql SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
DECLARE
  t ticket_base;
BEGIN
  -- An older snapshot would not see who waits for the ticket by now, and nobody would ever tell them.
  IF current_setting('transaction_isolation') <> 'read committed' THEN
    RAISE EXCEPTION 'ticket % cannot be acted on in a transaction of isolation level %', ticket_id, current_setting('transaction_isolation')
      USING ERRCODE = 'HF422', HINT = 'BEGIN ISOLATION LEVEL READ COMMITTED';
  END IF;
  SELECT * INTO t FROM ticket_base b WHERE b.id = locked_ticket.ticket_id FOR UPDATE;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'there is no ticket %', COALESCE(ticket_id::text, 'NULL')
      USING ERRCODE = 'HF404', HINT = 'holdfast list shows the tickets';
  END IF;
  RETURN t;
END
$$;
COMMENT ON FUNCTION locked_ticket IS 'A ticket''s row, locked until the end of the transaction; HF404 if there is none, HF422 outside of READ COMMITTED.';

-- "exactly one wins, the other is told who did": the last person's action on the ticket is part of the refusal.
CREATE OR REPLACE FUNCTION refuse_action(t ticket_base, action text) RETURNS void
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

-- Of an order on several tickets, one may have changed another: a workflow takes its steps with it.
CREATE OR REPLACE FUNCTION done_in_order(ticket_id bigint, action text, actor text, at timestamptz) RETURNS boolean
LANGUAGE sql STABLE SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
  SELECT done_in_order.at = now() OR EXISTS (
    SELECT FROM ticket_activity a
    WHERE a.ticket_id = done_in_order.ticket_id AND a.action = done_in_order.action AND a.actor = done_in_order.actor
      AND a.created_at >= NULLIF(current_setting('holdfast.order_began', true), '')::timestamptz)
$$;
COMMENT ON FUNCTION done_in_order IS 'Whether what is wanted was done to a ticket, whose row the caller has locked, by this very transaction, or by the same person since the order began that this transaction is part of. at: when the ticket came into its state.';

-- Each hold is looked up: a join would read all holds that were released lately, for each ticket of an order.
CREATE OR REPLACE FUNCTION released_in_order(t ticket_base) RETURNS boolean
LANGUAGE sql STABLE SET search_path = ${flyway:defaultSchema}, pg_temp SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off AS $$
  SELECT EXISTS (
      SELECT FROM released_holds r
      WHERE r.ticket_id = t.id AND (r.release_key = NULLIF(current_setting('holdfast.release_key', true), '') OR t.state = 'ready' AND r.released_at = now()))
    OR t.kind = 'workflow' AND t.state = 'ready' AND EXISTS (
      SELECT FROM ticket_dependencies d
      CROSS JOIN LATERAL (SELECT h.release_key, h.released_at FROM released_holds h WHERE h.ticket_id = d.after_id OFFSET 0) r
      WHERE d.ticket_id = t.id AND d.name IS NOT NULL
        AND (r.release_key = NULLIF(current_setting('holdfast.release_key', true), '') OR r.released_at = now()))
$$;
COMMENT ON FUNCTION released_in_order IS 'Whether a ticket, or a step of a workflow that was not on hold itself, was released by this very transaction or under its release_key.';

CREATE OR REPLACE FUNCTION require_allowed(t ticket_base, action text) RETURNS void
LANGUAGE plpgsql SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
BEGIN
  IF t.state = 'on_hold' AND NOT action = ANY (t.hold_actions) THEN
    RAISE EXCEPTION 'this hold of ticket % does not allow %', t.id, action
      USING ERRCODE = 'HF409', DETAIL = t.state, HINT = 'It allows ' || array_to_string(t.hold_actions, ', ') || '.';
  END IF;
END
$$;
COMMENT ON FUNCTION require_allowed IS 'Enforces the allowed_actions that a hold names.';

CREATE OR REPLACE FUNCTION give_guidance(ticket_id bigint, author text, source text, guidance text) RETURNS void
LANGUAGE plpgsql SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
BEGIN
  IF is_blank(guidance) THEN
    RETURN;
  END IF;
  PERFORM require_length('guidance', guidance);
  INSERT INTO ticket_guidance (ticket_id, author, source, guidance)
  VALUES (give_guidance.ticket_id, give_guidance.author, give_guidance.source, give_guidance.guidance);
  UPDATE ticket_base b SET guidance_count = b.guidance_count + 1 WHERE b.id = give_guidance.ticket_id;
END
$$;
COMMENT ON FUNCTION give_guidance IS 'Keeps a person''s words for the next attempts.';

CREATE OR REPLACE FUNCTION start_over(t ticket_base) RETURNS void
LANGUAGE plpgsql SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
BEGIN
  UPDATE tool_approvals a SET voided_at = now() WHERE a.ticket_id = t.id AND a.voided_at IS NULL;
  INSERT INTO session_journal (ticket_id, seq, lease_no, kind, entry)
  SELECT t.id, max(j.seq) + 1, t.fence, 'started_over', '{"entry": "started_over"}'
  FROM session_journal j WHERE j.ticket_id = t.id
  HAVING count(*) > 0;
END
$$;
COMMENT ON FUNCTION start_over IS 'Lets the next session of a ticket, whose row the caller has locked, begin with an empty conversation; the old one stays for the record.';

CREATE OR REPLACE FUNCTION release_ticket(
  id bigint, actor text, guidance text DEFAULT NULL, keep_retries boolean DEFAULT false, fresh boolean DEFAULT false) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
DECLARE
  t ticket_base;
  steps integer := 0;
BEGIN
  PERFORM require_words('actor', actor), require_length('guidance', guidance);
  PERFORM lock_steps(release_ticket.id);
  t := locked_ticket(release_ticket.id);
  IF t.kind = 'workflow' AND t.state IN ('ready', 'on_hold') THEN
    steps := release_steps(t, actor, guidance, keep_retries, fresh);
  END IF;
  IF steps > 0 AND t.state = 'ready' THEN
    PERFORM log_activity(t.id, 'released', actor, jsonb_build_object('guidance', guidance, 'steps', steps, 'releasedAt', now()));
    RETURN t.state;
  ELSIF released_in_order(t) THEN
    RETURN t.state;
  ELSIF t.state <> 'on_hold' THEN
    PERFORM refuse_action(t, 'release');
  END IF;
  PERFORM require_allowed(t, CASE WHEN is_blank(guidance) THEN 'release' ELSE 'release_with_guidance' END);
  PERFORM log_activity(t.id, 'released', actor,
    jsonb_build_object('guidance', guidance, 'keepRetries', COALESCE(keep_retries, false), 'holdReason', t.hold_reason,
      'fresh', NULLIF(fresh, false)));
  PERFORM give_guidance(t.id, actor, 'release', guidance);
  IF fresh THEN
    PERFORM start_over(t);
  END IF;
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
COMMENT ON FUNCTION release_ticket IS 'Sends a held ticket back to work: SELECT ${flyway:defaultSchema}.release_ticket(17, ''ann'', ''the file is in /data now''). The next attempt is given the guidance. Retries start anew unless keep_retries; an agent goes on with its conversation unless fresh. Exactly one of two callers wins; the other gets SQLSTATE HF409 and is told who did.';

CREATE OR REPLACE FUNCTION asked_question(ticket_id bigint) RETURNS jsonb
LANGUAGE sql STABLE SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
  SELECT (SELECT a.details->'question' FROM ticket_activity a
    WHERE a.ticket_id = b.id AND a.action = 'held' AND a.actor = 'system' AND a.details ? 'question' ORDER BY a.id DESC LIMIT 1)
  FROM ticket_base b WHERE b.id = asked_question.ticket_id AND b.state = 'on_hold' AND 'answer' = ANY (b.hold_actions)
$$;
COMMENT ON FUNCTION asked_question IS 'The question that a held ticket waits with, as {"ask", "choices", "schema"}; NULL where it asks nothing.';

CREATE OR REPLACE FUNCTION answer_ticket(id bigint, actor text, answer jsonb) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
DECLARE
  t ticket_base;
  question jsonb;
BEGIN
  PERFORM require_words('actor', actor);
  t := locked_ticket(answer_ticket.id);
  IF t.state <> 'on_hold' THEN
    PERFORM refuse_action(t, 'answer');
  END IF;
  question := asked_question(t.id);
  IF question IS NULL THEN
    RAISE EXCEPTION 'ticket % asks nothing', t.id
      USING ERRCODE = 'HF409', DETAIL = t.state, HINT = 'It allows ' || array_to_string(t.hold_actions, ', ') || '.';
  ELSIF answer_ticket.answer IS NULL THEN
    RAISE EXCEPTION 'the answer is missing' USING ERRCODE = 'HF422', HINT = 'Give it as JSON: ''"red"''.';
  ELSIF expanded_bytes(answer_ticket.answer, 65536) > 65536 THEN
    RAISE EXCEPTION 'the answer has % bytes or more, and 65536 are allowed', expanded_bytes(answer_ticket.answer, 65536)
      USING ERRCODE = 'HF422', HINT = 'Write it to a file and answer with its name.';
  ELSIF question ? 'choices' AND NOT EXISTS (
      SELECT FROM jsonb_array_elements(question->'choices') AS c (choice) WHERE c.choice = answer_ticket.answer) THEN
    RAISE EXCEPTION 'the answer must be one of %', shorten((SELECT string_agg(c.choice::text, ', ' ORDER BY c.n)
        FROM jsonb_array_elements(question->'choices') WITH ORDINALITY AS c (choice, n)), 1000)
      USING ERRCODE = 'HF422';
  ELSIF NOT question ?| ARRAY['choices', 'schema']
      AND (jsonb_typeof(answer_ticket.answer) <> 'string' OR is_blank(answer_ticket.answer #>> '{}')) THEN
    RAISE EXCEPTION 'the answer must be a text that is not blank' USING ERRCODE = 'HF422', HINT = 'As JSON it stands in quotes: ''"red"''.';
  END IF;
  PERFORM log_activity(t.id, 'answered', actor,
    jsonb_build_object('question', question->>'ask', 'answer', answer_ticket.answer));
  INSERT INTO ticket_guidance (ticket_id, author, source, guidance, question, answer)
  VALUES (t.id, answer_ticket.actor, 'answer',
    COALESCE(NULLIF(CASE WHEN jsonb_typeof(answer_ticket.answer) = 'string' THEN answer_ticket.answer #>> '{}' END, ''), answer_ticket.answer::text),
    question->>'ask', answer_ticket.answer);
  UPDATE ticket_base b
  SET state = 'ready', held_at = NULL, hold_reason = NULL, hold_actions = NULL, retry_after = NULL, crash_count = 0,
      guidance_count = b.guidance_count + 1, updated_at = now()
  WHERE b.id = t.id
  RETURNING * INTO t;
  PERFORM make_claimable(t);
  RETURN t.state;
END
$$;
COMMENT ON FUNCTION answer_ticket IS 'Answers the question of a held ticket and sends it back to work: SELECT ${flyway:defaultSchema}.answer_ticket(17, ''ann'', ''"red"''). The next attempt is given the answer with its type; no retry is used up. The answer is JSON: one of the choices of asked_question(17), or a text; what a question''s schema asks is checked by holdfast answer, the API and the console, not here. SQLSTATE HF422 for another answer, HF409 where the ticket asks nothing. Exactly one of two callers wins; the other is told who did.';

CREATE OR REPLACE FUNCTION keep_released_hold() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = ${flyway:defaultSchema}, pg_temp SET enable_seqscan = off AS $$
BEGIN
  INSERT INTO released_holds AS h (ticket_id, held_at, completed_at, retry_after, guidance_id, started_over_seq, retry_count, attempt_count,
    crash_count, same_error_count, retry_counts, hold_reason, hold_actions, release_key)
  VALUES (OLD.id, OLD.held_at, OLD.completed_at, OLD.retry_after,
    -- Written by this very transaction, that is: the release has locked the ticket.
    (SELECT max(g.id) FROM (SELECT x.id FROM ticket_guidance x WHERE x.ticket_id = OLD.id AND x.created_at >= now() OFFSET 0) g),
    (SELECT max(j.seq) FROM session_journal j WHERE j.ticket_id = OLD.id AND j.kind = 'started_over' AND j.written_at >= now()),
    OLD.retry_count, OLD.attempt_count, OLD.crash_count, OLD.same_error_count, OLD.retry_counts, OLD.hold_reason, OLD.hold_actions,
    NULLIF(current_setting('holdfast.release_key', true), ''))
  ON CONFLICT (ticket_id) DO UPDATE SET
    released_at = EXCLUDED.released_at, held_at = EXCLUDED.held_at, completed_at = EXCLUDED.completed_at,
    retry_after = EXCLUDED.retry_after, guidance_id = EXCLUDED.guidance_id, started_over_seq = EXCLUDED.started_over_seq, retry_count = EXCLUDED.retry_count,
    attempt_count = EXCLUDED.attempt_count, crash_count = EXCLUDED.crash_count, same_error_count = EXCLUDED.same_error_count,
    retry_counts = EXCLUDED.retry_counts, hold_reason = EXCLUDED.hold_reason, hold_actions = EXCLUDED.hold_actions,
    release_key = EXCLUDED.release_key;
  RETURN NULL;
END
$$;
COMMENT ON FUNCTION keep_released_hold IS 'Keeps a hold that is being released, for the undo.';

CREATE OR REPLACE FUNCTION restore_hold(t ticket_base, h released_holds, actor text) RETURNS boolean
LANGUAGE plpgsql SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
BEGIN
  IF t.state <> 'ready' OR h.attempt_count <> t.attempt_count OR NOT make_unclaimable(t) THEN
    RETURN false;
  END IF;
  DELETE FROM ticket_guidance g WHERE g.id = h.guidance_id AND g.ticket_id = t.id;
  DELETE FROM session_journal j WHERE j.ticket_id = t.id AND j.seq = h.started_over_seq AND j.kind = 'started_over';
  UPDATE tool_approvals a SET voided_at = NULL WHERE a.ticket_id = t.id AND a.voided_at = h.released_at;
  PERFORM log_activity(t.id, 'release_undone', actor, jsonb_build_object('holdReason', h.hold_reason));
  UPDATE ticket_base b
  SET state = 'on_hold', held_at = h.held_at, hold_reason = h.hold_reason, hold_actions = h.hold_actions,
      completed_at = h.completed_at, retry_after = h.retry_after, retry_count = h.retry_count, retry_counts = h.retry_counts,
      crash_count = h.crash_count, same_error_count = h.same_error_count,
      guidance_count = (SELECT count(*) FROM ticket_guidance g WHERE g.ticket_id = t.id), updated_at = now()
  WHERE b.id = t.id;
  DELETE FROM released_holds r WHERE r.ticket_id = t.id;
  RETURN true;
END
$$;
COMMENT ON FUNCTION restore_hold IS 'Puts a ticket, whose row the caller has locked, back into the hold that was released; false where a worker has claimed it since, or it is not ready.';

DROP FUNCTION IF EXISTS restore_steps(ticket_base, timestamptz, text);
CREATE OR REPLACE FUNCTION restored_steps(t ticket_base, released_at timestamptz, actor text) RETURNS integer
LANGUAGE plpgsql SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
DECLARE
  step ticket_base;
  h released_holds;
  n integer := 0;
BEGIN
  FOR step IN
    SELECT b.* FROM ticket_dependencies d JOIN ticket_base b ON b.id = d.after_id
    WHERE d.ticket_id = t.id AND d.name IS NOT NULL AND (d.ended_at IS NULL OR d.on_success) ORDER BY b.id FOR UPDATE OF b
  LOOP
    SELECT * INTO h FROM released_holds r WHERE r.ticket_id = step.id AND r.released_at = restored_steps.released_at;
    IF FOUND AND restore_hold(step, h, actor) THEN
      n := n + 1;
    END IF;
    IF step.kind = 'workflow' THEN
      n := n + restored_steps(step, restored_steps.released_at, actor);
    END IF;
  END LOOP;
  RETURN n;
END
$$;
COMMENT ON FUNCTION restored_steps IS 'Puts back on hold what was released with a workflow, in the same transaction, and is still ready; says how many.';

CREATE OR REPLACE FUNCTION released_with_steps(workflow bigint) RETURNS timestamptz
LANGUAGE sql STABLE SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
  SELECT max((a.details->>'releasedAt')::timestamptz) FROM ticket_activity a
  WHERE a.ticket_id = released_with_steps.workflow AND a.action = 'released' AND a.created_at > now() - interval '60 seconds'
$$;
COMMENT ON FUNCTION released_with_steps IS 'When a workflow that was not on hold itself was released last with its steps, if that can be undone.';

CREATE OR REPLACE FUNCTION unrelease_ticket(id bigint, actor text) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
DECLARE
  t ticket_base;
  h released_holds;
  steps integer;
BEGIN
  PERFORM require_words('actor', actor);
  PERFORM lock_steps(unrelease_ticket.id);
  t := locked_ticket(unrelease_ticket.id);
  IF t.kind = 'workflow' AND t.state = 'ready' THEN
    steps := restored_steps(t, released_with_steps(t.id), actor);
    IF steps > 0 THEN
      PERFORM log_activity(t.id, 'release_undone', actor, jsonb_build_object('steps', steps));
      RETURN t.state;
    END IF;
  END IF;
  SELECT * INTO h FROM released_holds r WHERE r.ticket_id = t.id AND r.released_at > now() - interval '60 seconds';
  IF NOT FOUND OR NOT restore_hold(t, h, actor) THEN
    PERFORM refuse_action(t, 'undo the release of');
  END IF;
  IF t.kind = 'workflow' THEN
    PERFORM restored_steps(t, h.released_at, actor);
  END IF;
  RETURN 'on_hold';
END
$$;
COMMENT ON FUNCTION unrelease_ticket IS 'Undoes a release of the last 60 seconds, as if it had not been, where no worker has claimed the ticket yet: its hold, its retry counts and its guidance are those from before. Of a workflow that was not on hold itself, its steps. SQLSTATE HF409 where it is too late.';

CREATE OR REPLACE FUNCTION undo_release(release_key text, actor text, at_most integer DEFAULT NULL, within interval DEFAULT '60 seconds')
  RETURNS TABLE (ticket_id bigint, state text, taken_back boolean)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = ${flyway:defaultSchema}, pg_temp SET enable_seqscan = off AS $$
#variable_conflict use_column
DECLARE
  last_at timestamptz := (SELECT max(r.released_at) FROM released_holds r WHERE r.release_key = undo_release.release_key);
  t ticket_base;
  h released_holds;
  chosen integer;
  undone integer := 0;
BEGIN
  PERFORM require_words('actor', actor);
  IF last_at <= now() - within THEN
    RAISE EXCEPTION 'too late to undo the release: its last ticket was released at %',
      to_char(last_at AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS"Z"')
      USING ERRCODE = 'HF409', HINT = 'hold_ticket holds what is still ready.';
  END IF;
  -- Where somebody else has just taken back all that were chosen, there may be more behind them.
  LOOP
    chosen := 0;
    FOR t IN
      -- Those that were released last come last: the time that is given counts from them. By id, as everybody locks tickets.
      SELECT b.* FROM (
        SELECT r.ticket_id FROM released_holds r WHERE r.release_key = undo_release.release_key ORDER BY r.released_at LIMIT at_most
      ) r JOIN ticket_base b ON b.id = r.ticket_id ORDER BY b.id FOR UPDATE OF b
    LOOP
      chosen := chosen + 1;
      -- Whoever was faster may have taken it back already, or released it anew.
      SELECT * INTO h FROM released_holds r WHERE r.ticket_id = t.id AND r.release_key = undo_release.release_key;
      CONTINUE WHEN NOT FOUND;
      ticket_id := t.id;
      taken_back := restore_hold(t, h, actor);
      IF NOT taken_back THEN
        UPDATE released_holds r SET release_key = NULL WHERE r.ticket_id = t.id;
      END IF;
      state := (SELECT x.state FROM tickets x WHERE x.id = t.id);
      undone := undone + 1;
      RETURN NEXT;
    END LOOP;
    EXIT WHEN undone > 0 OR chosen = 0;
  END LOOP;
END
$$;
COMMENT ON FUNCTION undo_release IS 'Undoes the release of many tickets, whose key the one who released them was told, up to 60 seconds after its last ticket: each as unrelease_ticket does. Tickets that a worker has claimed since, or somebody has changed, are left alone and named with taken_back = false. at_most: in portions, until it answers no row. SQLSTATE HF409 where it is too late.';

CREATE OR REPLACE FUNCTION revoke_lease(t ticket_base, actor text) RETURNS bigint
LANGUAGE plpgsql SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
DECLARE
  l leases;
BEGIN
  SELECT * INTO l FROM running_lease(t.id, t.fence);
  IF NOT FOUND THEN
    RETURN NULL;
  END IF;
  UPDATE leases SET revoked = revoked || t.id WHERE leases.id = l.id;
  PERFORM free_slots(ARRAY[t.id], ARRAY[l.id]);
  INSERT INTO ticket_attempts (ticket_id, lease_no, started_at, finished_at, attempt, outcome, worker_id, error)
  VALUES (t.id, l.id, l.claimed_at, now(), t.attempt_count + 1, 'revoked', l.worker_id, 'revoked by ' || actor);
  PERFORM pg_notify('${flyway:defaultSchema}_revoked', '');
  RETURN l.id;
END
$$;
COMMENT ON FUNCTION revoke_lease IS 'Ends what runs under a ticket''s lease, if it runs: its result will be refused, and its worker told to stop it.';

CREATE OR REPLACE FUNCTION end_work(t ticket_base, actor text) RETURNS void
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

CREATE OR REPLACE FUNCTION hold_ticket(id bigint, actor text, reason text) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
DECLARE
  t ticket_base;
  steps integer;
BEGIN
  PERFORM require_words('actor', actor);
  PERFORM require_words('reason', reason);
  PERFORM lock_steps(hold_ticket.id);
  t := locked_ticket(hold_ticket.id);
  IF t.state = 'on_hold' AND done_in_order(t.id, 'held', actor, t.held_at) THEN
    RETURN t.state;
  ELSIF t.state <> 'ready' THEN
    PERFORM refuse_action(t, 'hold');
  END IF;
  PERFORM end_work(t, actor);
  IF t.kind = 'workflow' THEN
    steps := NULLIF(hold_steps(t, actor, reason), 0);
  END IF;
  PERFORM log_activity(t.id, 'held', actor, jsonb_strip_nulls(jsonb_build_object('reason', reason, 'steps', steps)));
  UPDATE ticket_base b
  SET state = 'on_hold', held_at = now(), hold_reason = reason, hold_actions = '{release,release_with_guidance,cancel}',
      retry_after = NULL, updated_at = now()
  WHERE b.id = t.id;
  RETURN 'on_hold';
END
$$;
COMMENT ON FUNCTION hold_ticket IS 'Parks a ready or running ticket for a person; a running attempt is stopped and its result refused. With a workflow go those of its steps'' tickets that wait; one that runs is left to run.';

DROP FUNCTION IF EXISTS hold_followers(bigint, text);
DROP FUNCTION IF EXISTS tell_followers(bigint, text);
CREATE OR REPLACE FUNCTION end_for_good(t ticket_base, actor text, reason text) RETURNS void
LANGUAGE plpgsql SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
BEGIN
  PERFORM require_allowed(t, 'cancel');
  PERFORM end_work(t, actor);
  PERFORM log_activity(t.id, 'cancelled', actor, jsonb_build_object('reason', reason, 'holdReason', t.hold_reason));
  UPDATE ticket_base b
  SET state = 'cancelled', held_at = NULL, hold_reason = NULL, hold_actions = NULL, retry_after = NULL,
      completed_at = now(), updated_at = now()
  WHERE b.id = t.id;
END
$$;
COMMENT ON FUNCTION end_for_good IS 'Cancels a ticket, whose row the caller has locked. What waits for it and its steps are the caller''s business.';

CREATE OR REPLACE FUNCTION reach_followers(cancelled bigint, actor text) RETURNS bigint[]
LANGUAGE plpgsql SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
DECLARE
  gone bigint[] := '{}';
  why text := format('dependency_cancelled: #%s, which it waits for, was cancelled by %s; release it to run it all the same', cancelled, actor);
  d ticket_dependencies;
  t ticket_base;
  holds boolean;
BEGIN
  FOR d IN
    SELECT x.* FROM ticket_dependencies x
    WHERE x.after_id = cancelled AND (x.ended_at IS NULL OR x.on_success AND EXISTS (SELECT FROM workflows w WHERE w.ticket_id = x.ticket_id))
    ORDER BY x.ticket_id
  LOOP
    SELECT * INTO t FROM ticket_base b WHERE b.id = d.ticket_id FOR UPDATE;
    PERFORM FROM ticket_dependencies x
    WHERE x.ticket_id = d.ticket_id AND x.after_id = cancelled AND (x.ended_at IS NULL OR x.on_success AND d.ended_at IS NOT NULL
      AND t.state IN ('ready', 'on_hold'));
    CONTINUE WHEN NOT FOUND OR t.id IS NULL;
    holds := d.on_cancelled IS NULL AND t.state IN ('ready', 'on_hold');
    IF holds THEN
      PERFORM end_work(t, actor);
    END IF;
    UPDATE ticket_dependencies x SET ended_at = now(), queued = NULL WHERE x.ticket_id = d.ticket_id AND x.after_id = cancelled;
    IF d.item >= 0 AND d.queued IS NULL THEN
      PERFORM let_items_go(d.ticket_id, d.name);
    END IF;
    IF d.on_cancelled = 'run' THEN
      PERFORM file_followers(ARRAY[t.id], ARRAY[d.name]);
    ELSIF d.on_cancelled = 'cancel' AND t.state IN ('ready', 'on_hold') THEN
      PERFORM lock_what_goes(t.id);
      PERFORM end_for_good(t, actor, CASE WHEN EXISTS (SELECT FROM workflows w WHERE w.ticket_id = t.id)
        THEN format('#%s of its step %s was cancelled', cancelled, d.name) ELSE format('#%s, which it waits for, was cancelled', cancelled) END);
      gone := gone || t.id;
    ELSIF holds THEN
      -- One that a person holds already stays so, with one reason more.
      UPDATE ticket_base b
      SET state = 'on_hold', held_at = COALESCE(b.held_at, now()), hold_reason = concat_ws('; ', why, b.hold_reason),
          hold_actions = '{release,release_with_guidance,cancel}', updated_at = now()
      WHERE b.id = t.id;
      PERFORM log_activity(t.id, 'held', 'system',
        jsonb_build_object('reason', why, 'holdCause', 'dependency_cancelled', 'cancelled', cancelled));
    END IF;
  END LOOP;
  RETURN gone;
END
$$;
COMMENT ON FUNCTION reach_followers IS 'Holds the tickets that wait for one that a person cancels, or cancels or runs them where that was said when they were enqueued; returns those that it cancelled, whose own followers it does not reach. They no longer wait for it, so that a release runs them.';

-- A row whose ticket somebody has locked is left for the next call. Others are dropped with their time, whatever their tickets do by then.
DROP FUNCTION IF EXISTS hold_expired(integer);
CREATE OR REPLACE FUNCTION hold_expired(at_most integer DEFAULT 1000, of_ticket bigint DEFAULT NULL) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = ${flyway:defaultSchema}, pg_temp SET enable_seqscan = off AS $$
DECLARE
  e ticket_deadlines;
  t ticket_base;
  why text;
  n bigint := 0;
BEGIN
  FOR e IN
    SELECT x.* FROM ticket_deadlines x
    WHERE x.expires_at <= now() AND (of_ticket IS NULL OR x.ticket_id = of_ticket)
    ORDER BY x.expires_at, x.ticket_id LIMIT at_most FOR UPDATE SKIP LOCKED
  LOOP
    SELECT * INTO t FROM ticket_base b WHERE b.id = e.ticket_id FOR UPDATE SKIP LOCKED;
    CONTINUE WHEN NOT FOUND AND EXISTS (SELECT FROM ticket_base b WHERE b.id = e.ticket_id);
    DELETE FROM ticket_deadlines x WHERE x.ticket_id = e.ticket_id;
    CONTINUE WHEN t.id IS NULL OR t.state <> 'ready' OR t.started_at IS NOT NULL OR NOT make_unclaimable(t);
    why := format('expired: no worker started it before %s; release it to run it all the same',
      to_char(e.expires_at AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS"Z"'));
    PERFORM log_activity(t.id, 'held', 'system', jsonb_build_object('reason', why, 'holdCause', 'expired', 'expiresAt', e.expires_at));
    UPDATE ticket_base b
    SET state = 'on_hold', held_at = now(), hold_reason = why, hold_actions = '{release,release_with_guidance,cancel}',
        retry_after = NULL, updated_at = now()
    WHERE b.id = t.id;
    n := n + 1;
  END LOOP;
  RETURN n;
END
$$;
COMMENT ON FUNCTION hold_expired IS 'Holds the tickets that no worker has started before their expires_at, and says how many; with of_ticket only that one. Workers call it now and then.';

CREATE OR REPLACE FUNCTION cancel_ticket(id bigint, actor text, reason text DEFAULT NULL) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
DECLARE
  t ticket_base;
  gone bigint[] := ARRAY[cancel_ticket.id];
  nth integer := 1;
BEGIN
  PERFORM require_words('actor', actor);
  IF reason IS NOT NULL THEN
    PERFORM require_words('reason', reason);
  END IF;
  PERFORM lock_what_goes(cancel_ticket.id);
  t := locked_ticket(cancel_ticket.id);
  IF t.state = 'cancelled' AND done_in_order(t.id, 'cancelled', actor, t.completed_at) THEN
    RETURN t.state;
  ELSIF t.state IN ('done', 'cancelled') THEN
    PERFORM refuse_action(t, 'cancel');
  END IF;
  PERFORM end_for_good(t, actor, reason);
  -- One after the other, not each within the one before: a chain may be longer than the server's stack is deep.
  WHILE nth <= cardinality(gone) LOOP
    SELECT * INTO t FROM ticket_base b WHERE b.id = gone[nth];
    gone := gone || reach_followers(t.id, actor);
    IF t.kind = 'workflow' THEN
      PERFORM cancel_steps(t, actor);
    END IF;
    nth := nth + 1;
  END LOOP;
  RETURN 'cancelled';
END
$$;
COMMENT ON FUNCTION cancel_ticket IS 'Ends a ticket for good, on a person''s word only. A running attempt is stopped and its result refused. Tickets that wait for it go on hold.';

SELECT grant_roles(only_new => true);
