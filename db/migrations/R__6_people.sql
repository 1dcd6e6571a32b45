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
  IF guidance IS NULL OR btrim(guidance) = '' THEN
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
  t := locked_ticket(release_ticket.id);
  IF t.kind = 'workflow' AND t.state IN ('ready', 'on_hold') THEN
    steps := release_steps(t, actor, guidance, keep_retries, fresh);
  END IF;
  IF steps > 0 AND t.state = 'ready' THEN
    PERFORM log_activity(t.id, 'released', actor, jsonb_build_object('guidance', guidance, 'steps', steps));
    RETURN t.state;
  ELSIF t.state <> 'on_hold' THEN
    PERFORM refuse_action(t, 'release');
  END IF;
  PERFORM require_allowed(t, CASE WHEN btrim(COALESCE(guidance, '')) = '' THEN 'release' ELSE 'release_with_guidance' END);
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
      AND (jsonb_typeof(answer_ticket.answer) <> 'string' OR btrim(answer_ticket.answer #>> '{}') = '') THEN
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
LANGUAGE plpgsql SECURITY DEFINER SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
BEGIN
  INSERT INTO released_holds AS h (ticket_id, held_at, completed_at, retry_after, guidance_id, started_over_seq, retry_count, attempt_count,
    crash_count, same_error_count, retry_counts, hold_reason, hold_actions)
  VALUES (OLD.id, OLD.held_at, OLD.completed_at, OLD.retry_after,
    -- Written by this very transaction, that is: the release has locked the ticket.
    (SELECT max(g.id) FROM ticket_guidance g WHERE g.ticket_id = OLD.id AND g.created_at >= now()),
    (SELECT max(j.seq) FROM session_journal j WHERE j.ticket_id = OLD.id AND j.kind = 'started_over' AND j.written_at >= now()),
    OLD.retry_count, OLD.attempt_count, OLD.crash_count, OLD.same_error_count, OLD.retry_counts, OLD.hold_reason, OLD.hold_actions)
  ON CONFLICT (ticket_id) DO UPDATE SET
    released_at = EXCLUDED.released_at, held_at = EXCLUDED.held_at, completed_at = EXCLUDED.completed_at,
    retry_after = EXCLUDED.retry_after, guidance_id = EXCLUDED.guidance_id, started_over_seq = EXCLUDED.started_over_seq, retry_count = EXCLUDED.retry_count,
    attempt_count = EXCLUDED.attempt_count, crash_count = EXCLUDED.crash_count, same_error_count = EXCLUDED.same_error_count,
    retry_counts = EXCLUDED.retry_counts, hold_reason = EXCLUDED.hold_reason, hold_actions = EXCLUDED.hold_actions;
  RETURN NULL;
END
$$;
COMMENT ON FUNCTION keep_released_hold IS 'Keeps a hold that is being released, for the undo.';

CREATE OR REPLACE FUNCTION unrelease_ticket(id bigint, actor text) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
DECLARE
  t ticket_base;
  h released_holds;
BEGIN
  PERFORM require_words('actor', actor);
  t := locked_ticket(unrelease_ticket.id);
  SELECT * INTO h FROM released_holds r
  WHERE r.ticket_id = t.id AND r.attempt_count = t.attempt_count AND r.released_at > now() - interval '60 seconds';
  IF t.state <> 'ready' OR NOT FOUND OR NOT make_unclaimable(t) THEN
    PERFORM refuse_action(t, 'undo the release of');
  END IF;
  DELETE FROM ticket_guidance g WHERE g.id = h.guidance_id AND g.ticket_id = t.id;
  DELETE FROM session_journal j WHERE j.ticket_id = t.id AND j.seq = h.started_over_seq AND j.kind = 'started_over';
  PERFORM log_activity(t.id, 'release_undone', actor, jsonb_build_object('holdReason', h.hold_reason));
  UPDATE ticket_base b
  SET state = 'on_hold', held_at = h.held_at, hold_reason = h.hold_reason, hold_actions = h.hold_actions,
      completed_at = h.completed_at, retry_after = h.retry_after, retry_count = h.retry_count, retry_counts = h.retry_counts,
      crash_count = h.crash_count, same_error_count = h.same_error_count,
      guidance_count = (SELECT count(*) FROM ticket_guidance g WHERE g.ticket_id = t.id), updated_at = now()
  WHERE b.id = t.id;
  DELETE FROM released_holds r WHERE r.ticket_id = t.id;
  RETURN 'on_hold';
END
$$;
COMMENT ON FUNCTION unrelease_ticket IS 'Undoes a release of the last 60 seconds, as if it had not been, where no worker has claimed the ticket yet: its hold, its retry counts and its guidance are those from before. SQLSTATE HF409 where it is too late.';

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
  IF t.state <> 'ready' THEN
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
CREATE OR REPLACE FUNCTION tell_followers(cancelled bigint, actor text) RETURNS void
LANGUAGE plpgsql SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
DECLARE
  why text := format('dependency_cancelled: #%s, which it waits for, was cancelled by %s; release it to run it all the same', cancelled, actor);
  d ticket_dependencies;
  t ticket_base;
  holds boolean;
BEGIN
  FOR d IN
    SELECT x.* FROM ticket_dependencies x WHERE x.after_id = cancelled AND x.ended_at IS NULL ORDER BY x.ticket_id
  LOOP
    SELECT * INTO t FROM ticket_base b WHERE b.id = d.ticket_id FOR UPDATE;
    PERFORM FROM ticket_dependencies x WHERE x.ticket_id = d.ticket_id AND x.after_id = cancelled AND x.ended_at IS NULL;
    CONTINUE WHEN NOT FOUND OR t.id IS NULL;
    holds := d.on_cancelled IS NULL AND t.state IN ('ready', 'on_hold');
    IF holds THEN
      PERFORM end_work(t, actor);
    END IF;
    UPDATE ticket_dependencies x SET ended_at = now(), queued = NULL WHERE x.ticket_id = d.ticket_id AND x.after_id = cancelled;
    IF d.item >= 0 AND d.queued IS NULL THEN
      PERFORM let_items_go(d.ticket_id, d.name, 1);
    END IF;
    IF d.on_cancelled = 'run' THEN
      PERFORM file_followers(ARRAY[t.id], ARRAY[d.name]);
    ELSIF d.on_cancelled = 'cancel' AND t.state IN ('ready', 'on_hold') THEN
      PERFORM cancel_ticket(t.id, actor, CASE WHEN EXISTS (SELECT FROM workflows w WHERE w.ticket_id = t.id)
        THEN format('#%s of its step %s was cancelled', cancelled, d.name) ELSE format('#%s, which it waits for, was cancelled', cancelled) END);
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
END
$$;
COMMENT ON FUNCTION tell_followers IS 'Holds the tickets that wait for one that a person cancels, or cancels or runs them where that was said when they were enqueued. They no longer wait for it, so that a release runs them.';

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
BEGIN
  PERFORM require_words('actor', actor), require_length('reason', reason);
  PERFORM lock_what_goes(cancel_ticket.id);
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
  PERFORM tell_followers(t.id, actor);
  IF t.kind = 'workflow' THEN
    PERFORM cancel_steps(t, actor);
  END IF;
  RETURN 'cancelled';
END
$$;
COMMENT ON FUNCTION cancel_ticket IS 'Ends a ticket for good, on a person''s word only. A running attempt is stopped and its result refused. Tickets that wait for it go on hold.';

CREATE OR REPLACE FUNCTION deliver_repair(t ticket_base) RETURNS bigint
LANGUAGE plpgsql SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
DECLARE
  delivery bigint;
BEGIN
  IF t.kind <> 'repair' OR COALESCE(t.result->>'on_approve', 'none') NOT IN ('merge', 'push') OR t.result->>'commit' IS NULL THEN
    RETURN NULL;
  END IF;
  INSERT INTO ticket_base (filed, design_id, kind, queue, priority, title, payload)
  VALUES (true, t.design_id, t.kind, t.queue, t.priority, format('%s of #%s', t.result->>'on_approve', t.id),
    jsonb_build_object('deliver', jsonb_build_object('ticket', t.id, 'base_commit', t.result->'base_commit', 'commit', t.result->'commit')))
  RETURNING id INTO delivery;
  PERFORM file_tickets(ARRAY[delivery]);
  RETURN delivery;
END
$$;
COMMENT ON FUNCTION deliver_repair IS 'Adds the ticket that brings the result of an approved repair to where its design says, and returns its id; null where nothing is to be brought anywhere. A worker has the repository, the person who approves need not.';

CREATE OR REPLACE FUNCTION approve_ticket(id bigint, actor text) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
DECLARE
  t ticket_base;
BEGIN
  PERFORM require_words('actor', actor);
  t := locked_ticket(approve_ticket.id);
  IF t.state <> 'needs_review' THEN
    PERFORM refuse_action(t, 'approve');
  END IF;
  PERFORM log_activity(t.id, 'approved', actor, jsonb_build_object('delivery', deliver_repair(t)));
  UPDATE ticket_base b SET state = 'done', updated_at = now() WHERE b.id = t.id;
  PERFORM free_followers(ARRAY[t.id]);
  RETURN 'done';
END
$$;
COMMENT ON FUNCTION approve_ticket IS 'Accepts the result of a ticket in needs_review: it is done. A repair whose design says so gets a ticket that merges or pushes it.';

CREATE OR REPLACE FUNCTION reject_ticket(id bigint, actor text, feedback text DEFAULT NULL) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
DECLARE
  t ticket_base;
BEGIN
  PERFORM require_words('actor', actor), require_length('feedback', feedback);
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

CREATE OR REPLACE FUNCTION assign_ticket(id bigint, assignee text, actor text) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
DECLARE
  t ticket_base;
  person text := NULLIF(btrim(assign_ticket.assignee), '');
BEGIN
  PERFORM require_words('actor', actor);
  t := locked_ticket(assign_ticket.id);
  IF length(person) > 100 THEN
    RAISE EXCEPTION 'the name of an assignee is at most 100 characters long' USING ERRCODE = 'HF422';
  END IF;
  IF person IS NULL THEN
    DELETE FROM ticket_assignments a WHERE a.ticket_id = t.id;
  ELSE
    INSERT INTO ticket_assignments AS a (ticket_id, assignee, assigned_by) VALUES (t.id, person, actor)
    ON CONFLICT (ticket_id) DO UPDATE
    SET assignee = EXCLUDED.assignee, assigned_at = EXCLUDED.assigned_at, assigned_by = EXCLUDED.assigned_by;
  END IF;
  PERFORM log_activity(t.id, CASE WHEN person IS NULL THEN 'unassigned' ELSE 'assigned' END, actor,
    jsonb_build_object('assignee', person));
  RETURN (SELECT v.state FROM tickets v WHERE v.id = t.id);
END
$$;
COMMENT ON FUNCTION assign_ticket IS 'Says which person looks after a ticket, in any state; NULL or '''' is nobody any more. Returns the state, which it does not change.';

CREATE OR REPLACE FUNCTION forget_people() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = ${flyway:defaultSchema}, pg_temp SET enable_seqscan = off SET enable_bitmapscan = off
AS $$
BEGIN
  DELETE FROM ticket_assignments WHERE ticket_id = ANY (ARRAY(SELECT id FROM gone));
  DELETE FROM released_holds WHERE ticket_id = ANY (ARRAY(SELECT id FROM gone));
  DELETE FROM ticket_dependencies WHERE ticket_id = ANY (ARRAY(SELECT id FROM gone));
  DELETE FROM batch_followers WHERE ticket_id = ANY (ARRAY(SELECT id FROM gone));
  DELETE FROM ticket_parents WHERE ticket_id = ANY (ARRAY(SELECT id FROM gone));
  DELETE FROM workflows WHERE ticket_id = ANY (ARRAY(SELECT id FROM gone));
  RETURN NULL;
END
$$;
COMMENT ON FUNCTION forget_people IS 'A deleted ticket takes its assignment, its last hold and what it waited for with it.';

CREATE OR REPLACE FUNCTION edit_payload(id bigint, actor text, payload jsonb) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
DECLARE
  t ticket_base;
BEGIN
  PERFORM require_words('actor', actor);
  IF edit_payload.payload IS NULL THEN
    RAISE EXCEPTION 'the payload must not be empty' USING ERRCODE = 'HF422';
  END IF;
  t := locked_ticket(edit_payload.id);
  IF t.state <> 'on_hold' THEN
    PERFORM refuse_action(t, 'edit the payload of');
  END IF;
  IF t.payload IS DISTINCT FROM edit_payload.payload THEN
    PERFORM accepted_bytes('payload', edit_payload.payload);
    PERFORM log_activity(t.id, 'payload_edited', actor, jsonb_build_object(
      'before', CASE WHEN measured_bytes(t.payload) <= 65536 THEN t.payload END,
      'bytesBefore', measured_bytes(t.payload), 'bytesAfter', octet_length(edit_payload.payload::text)));
    UPDATE ticket_base b SET payload = edit_payload.payload, updated_at = now() WHERE b.id = t.id;
  END IF;
  RETURN t.state;
END
$$;
COMMENT ON FUNCTION edit_payload IS 'Changes the payload of a held ticket, before its release: SELECT ${flyway:defaultSchema}.edit_payload(17, ''ann'', ''{"to": "bob"}''). The payload from before is in ticket_activity, if it has at most 64 KiB.';

CREATE OR REPLACE FUNCTION use_design(id bigint, actor text, version integer DEFAULT NULL) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
DECLARE
  t ticket_base;
  d designs;
  wanted designs;
BEGIN
  PERFORM require_words('actor', actor);
  t := locked_ticket(use_design.id);
  IF t.state <> 'on_hold' THEN
    PERFORM refuse_action(t, 'change the design of');
  END IF;
  SELECT * INTO d FROM designs WHERE designs.id = t.design_id;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'ticket % has no design, only the kind %', t.id, t.kind USING ERRCODE = 'HF409', DETAIL = t.state;
  ELSIF t.kind = 'workflow' THEN
    RAISE EXCEPTION 'ticket % is a workflow: it keeps its steps', t.id
      USING ERRCODE = 'HF409', DETAIL = t.state, HINT = 'Its next steps get the latest version of their own designs; a step on hold can use another version, too.';
  END IF;
  SELECT * INTO wanted FROM designs x
  WHERE x.name = d.name AND (use_design.version IS NULL OR x.version = use_design.version) ORDER BY x.version DESC LIMIT 1;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'there is no version % of the design "%"', use_design.version, d.name
      USING ERRCODE = 'HF404', HINT = format('holdfast design show %s shows the latest one', d.name);
  ELSIF wanted.kind <> t.kind THEN
    RAISE EXCEPTION 'version % of the design "%" is of kind %, ticket % of kind %', wanted.version, d.name, wanted.kind, t.id, t.kind
      USING ERRCODE = 'HF409', DETAIL = t.state, HINT = 'Cancel the ticket and enqueue another one.';
  ELSIF wanted.id <> t.design_id THEN
    PERFORM log_activity(t.id, 'design_changed', actor,
      jsonb_build_object('design', d.name, 'before', d.version, 'version', wanted.version));
    UPDATE ticket_base b SET design_id = wanted.id, updated_at = now() WHERE b.id = t.id;
  END IF;
  RETURN t.state;
END
$$;
COMMENT ON FUNCTION use_design IS 'Lets the next attempts of a held ticket use the latest version of its design, or the one that is named: SELECT ${flyway:defaultSchema}.use_design(17, ''ann''). It stays on hold. SQLSTATE HF409 for a workflow, for a ticket without a design, and where the version is of another kind.';

CREATE OR REPLACE FUNCTION pause_queue(queue text, actor text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
BEGIN
  PERFORM require_words('actor', actor);
  PERFORM require_queue_name(queue);
  IF NOT EXISTS (SELECT FROM queues q WHERE q.name = pause_queue.queue)
    AND NOT EXISTS (SELECT FROM workers w WHERE w.state <> 'stopped' AND pause_queue.queue = ANY (w.queues)) THEN
    RAISE EXCEPTION 'there is no queue "%"', left(pause_queue.queue, 100)
      USING ERRCODE = 'HF404', HINT = 'A queue begins with its first ticket, or with a worker that names it; holdfast stats shows the queues.';
  END IF;
  INSERT INTO queues (name, paused_at, paused_by) VALUES (pause_queue.queue, now(), pause_queue.actor)
  ON CONFLICT (name) DO UPDATE SET paused_at = COALESCE(queues.paused_at, now()), paused_by = COALESCE(queues.paused_by, pause_queue.actor);
  PERFORM log_activity(NULL, 'queue_paused', actor, jsonb_build_object('queue', pause_queue.queue));
END
$$;
COMMENT ON FUNCTION pause_queue IS 'Stops claims from a queue until resume_queue; running tickets go on. Survives restarts. SQLSTATE HF404 where no ticket was ever in the queue and no worker names it.';

CREATE OR REPLACE FUNCTION resume_queue(queue text, actor text) RETURNS void
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

CREATE OR REPLACE FUNCTION ticket_version(lease_no bigint, updated_at timestamptz) RETURNS text
LANGUAGE sql STABLE SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
  SELECT lease_no || '-' || (extract(epoch FROM updated_at) * 1000000)::bigint
$$;
COMMENT ON FUNCTION ticket_version IS 'Changes whenever a ticket does: its ETag. Of the columns lease_no and updated_at of tickets.';

CREATE OR REPLACE FUNCTION require_version(id bigint, version text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
DECLARE
  t ticket_base;
  shown tickets;
  last_action ticket_activity;
BEGIN
  t := locked_ticket(require_version.id);
  SELECT * INTO shown FROM tickets v WHERE v.id = t.id;
  IF ticket_version(shown.lease_no, shown.updated_at) = require_version.version THEN
    RETURN;
  END IF;
  SELECT * INTO last_action FROM ticket_activity a WHERE a.ticket_id = t.id ORDER BY a.id DESC LIMIT 1;
  RAISE EXCEPTION 'ticket % has changed since you looked: it is %', t.id, shown.state ||
    CASE WHEN last_action.id IS NULL THEN '' ELSE format('; %s was the last to act on it (%s at %s)', last_action.actor,
      last_action.action, to_char(last_action.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS"Z"')) END
    USING ERRCODE = 'HF412', DETAIL = shown.state;
END
$$;
COMMENT ON FUNCTION require_version IS 'Locks a ticket for the rest of the transaction; SQLSTATE HF412 if it is no longer as it was when ticket_version said this of it.';

CREATE OR REPLACE FUNCTION take_request_key(key text, request_hash text) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
#variable_conflict use_column
DECLARE
  k request_keys;
BEGIN
  DELETE FROM request_keys WHERE key IN (
    SELECT r.key FROM request_keys r WHERE r.created_at < now() - interval '24 hours' ORDER BY r.created_at LIMIT 20
    FOR UPDATE SKIP LOCKED);
  LOOP
    INSERT INTO request_keys AS r (key, request_hash) VALUES (take_request_key.key, take_request_key.request_hash)
    ON CONFLICT DO NOTHING;
    IF FOUND THEN
      RETURN NULL;
    END IF;
    SELECT * INTO k FROM request_keys r WHERE r.key = take_request_key.key;
    IF FOUND THEN
      EXIT;
    END IF;
  END LOOP;
  IF k.request_hash <> take_request_key.request_hash THEN
    RAISE EXCEPTION 'this Idempotency-Key was used for another request' USING ERRCODE = 'HF422', HINT = 'Send a new key.';
  END IF;
  RETURN k.ticket_id;
END
$$;
COMMENT ON FUNCTION take_request_key IS 'NULL where the key is new, else the ticket that was made under it; waits for whoever is about to make it.';

CREATE OR REPLACE FUNCTION keep_request_ticket(key text, ticket_id bigint) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
BEGIN
  UPDATE request_keys r SET ticket_id = keep_request_ticket.ticket_id WHERE r.key = keep_request_ticket.key;
END
$$;
COMMENT ON FUNCTION keep_request_ticket IS 'Notes the ticket made under a key that take_request_key found new.';

CREATE OR REPLACE FUNCTION find_request(key text, request_hash text) RETURNS SETOF request_keys
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
DECLARE
  k request_keys;
BEGIN
  SELECT * INTO k FROM request_keys r WHERE r.key = find_request.key AND r.created_at > now() - interval '24 hours';
  IF NOT FOUND THEN
    RETURN;
  ELSIF k.request_hash <> find_request.request_hash THEN
    RAISE EXCEPTION 'this Idempotency-Key was used for another request' USING ERRCODE = 'HF422', HINT = 'Send a new key.';
  END IF;
  RETURN NEXT k;
END
$$;
COMMENT ON FUNCTION find_request IS 'What became of the request under a key; no row where it was not done.';

CREATE OR REPLACE FUNCTION keep_request_answer(key text, etag text, answer text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
BEGIN
  UPDATE request_keys r SET etag = keep_request_answer.etag, answer = keep_request_answer.answer
  WHERE r.key = keep_request_answer.key AND r.answer IS NULL;
END
$$;
COMMENT ON FUNCTION keep_request_answer IS 'Keeps the answer to a request that was done under a key.';

CREATE OR REPLACE FUNCTION web_key() RETURNS text
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
  SELECT secret FROM web_keys WHERE id = 1
$$;
COMMENT ON FUNCTION web_key IS 'The secret of web_keys.';

SELECT grant_roles();
