-- What the console and the API need beside the tickets themselves: who looks after a ticket, the undo of a release, the edit of a
-- payload, actions on what one has seen and no later state of it, keys that make a request count once, the key that signs logins, and
-- how far the webhook has told of holds.
-- Earlier binaries: they read nothing of this; a release of theirs can be undone as well.

CREATE TABLE ticket_assignments (
  ticket_id   bigint PRIMARY KEY,
  assignee    text NOT NULL CONSTRAINT assignee_is_a_name CHECK (btrim(assignee) <> '' AND length(assignee) <= 100),
  assigned_at timestamptz NOT NULL DEFAULT now(),
  assigned_by text NOT NULL
);
CREATE INDEX ticket_assignments_by_person ON ticket_assignments (assignee, ticket_id);
COMMENT ON TABLE ticket_assignments IS 'Which person looks after a ticket: assign_ticket(id, assignee, actor). For people only: no worker looks at it. Goes with its ticket.';

CREATE TABLE released_holds (
  ticket_id        bigint PRIMARY KEY,
  released_at      timestamptz NOT NULL DEFAULT now(),
  held_at          timestamptz NOT NULL,
  completed_at     timestamptz,
  retry_after      timestamptz,
  guidance_id      bigint,
  started_over_seq bigint,
  retry_count      integer,
  attempt_count    integer NOT NULL,
  crash_count      integer NOT NULL,
  same_error_count integer NOT NULL,
  retry_counts     jsonb,
  hold_reason      text,
  hold_actions     text[]
) WITH (fillfactor = 70);
COMMENT ON TABLE released_holds IS 'The last hold of each ticket that was released, as it was, so that unrelease_ticket can restore it. Goes with its ticket.';
COMMENT ON COLUMN released_holds.guidance_id IS 'The guidance that came with the release.';
COMMENT ON COLUMN released_holds.started_over_seq IS 'The entry of session_journal that let the session begin anew, where the release asked for that.';

-- Only a statement that sets held_at comes here: none that a worker runs for a finished attempt without a hold does.
CREATE FUNCTION keep_released_hold() RETURNS trigger
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
CREATE TRIGGER keep_released_hold AFTER UPDATE OF held_at ON ticket_base FOR EACH ROW
  WHEN (OLD.held_at IS NOT NULL AND NEW.held_at IS NULL AND NEW.state = 'ready') EXECUTE FUNCTION keep_released_hold();

CREATE FUNCTION forget_people() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = ${flyway:defaultSchema}, pg_temp SET enable_seqscan = off SET enable_bitmapscan = off
AS $$
BEGIN
  DELETE FROM ticket_assignments WHERE ticket_id = ANY (ARRAY(SELECT id FROM gone));
  DELETE FROM released_holds WHERE ticket_id = ANY (ARRAY(SELECT id FROM gone));
  RETURN NULL;
END
$$;
COMMENT ON FUNCTION forget_people IS 'A deleted ticket takes its assignment and its last hold with it.';
CREATE TRIGGER forget_people AFTER DELETE ON ticket_base
  REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION forget_people();

CREATE FUNCTION assign_ticket(id bigint, assignee text, actor text) RETURNS text
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

CREATE FUNCTION unrelease_ticket(id bigint, actor text) RETURNS text
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

CREATE FUNCTION edit_payload(id bigint, actor text, payload jsonb) RETURNS text
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
    PERFORM log_activity(t.id, 'payload_edited', actor, jsonb_build_object(
      'before', CASE WHEN length(t.payload::text) <= 65536 THEN t.payload END,
      'bytesBefore', octet_length(t.payload::text), 'bytesAfter', octet_length(edit_payload.payload::text)));
    UPDATE ticket_base b SET payload = edit_payload.payload, updated_at = now() WHERE b.id = t.id;
  END IF;
  RETURN t.state;
END
$$;
COMMENT ON FUNCTION edit_payload IS 'Changes the payload of a held ticket, before its release: SELECT ${flyway:defaultSchema}.edit_payload(17, ''ann'', ''{"to": "bob"}''). The payload from before is in ticket_activity, if it has at most 64 KiB.';

CREATE FUNCTION ticket_version(lease_no bigint, updated_at timestamptz) RETURNS text
LANGUAGE sql STABLE SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
  SELECT lease_no || '-' || (extract(epoch FROM updated_at) * 1000000)::bigint
$$;
COMMENT ON FUNCTION ticket_version IS 'Changes whenever a ticket does: its ETag. Of the columns lease_no and updated_at of tickets.';

CREATE FUNCTION require_version(id bigint, version text) RETURNS void
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

CREATE TABLE request_keys (
  key          text COLLATE "C" PRIMARY KEY,
  created_at   timestamptz NOT NULL DEFAULT now(),
  request_hash text NOT NULL,
  ticket_id    bigint
);
CREATE INDEX request_keys_by_time ON request_keys (created_at);
COMMENT ON TABLE request_keys IS 'Idempotency-Key of POST /api/v1/tickets: the same request under the same key makes one ticket, for 24 hours.';
COMMENT ON COLUMN request_keys.key IS 'A hash of the key and of whose it is.';
COMMENT ON COLUMN request_keys.request_hash IS 'Of what was asked: another request under the same key is a mistake.';

CREATE FUNCTION take_request_key(key text, request_hash text) RETURNS bigint
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

CREATE FUNCTION keep_request_ticket(key text, ticket_id bigint) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
BEGIN
  UPDATE request_keys r SET ticket_id = keep_request_ticket.ticket_id WHERE r.key = keep_request_ticket.key;
END
$$;
COMMENT ON FUNCTION keep_request_ticket IS 'Notes the ticket made under a key that take_request_key found new.';

CREATE FUNCTION note_enqueued(id bigint, actor text) RETURNS boolean
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

CREATE TABLE web_keys (
  id         integer PRIMARY KEY CHECK (id = 1),
  created_at timestamptz NOT NULL DEFAULT now(),
  secret     text NOT NULL
);
COMMENT ON TABLE web_keys IS 'The key that signs the login cookies of all consoles on this database. A new secret logs everybody out.';
-- Two random UUIDs have 244 random bits; there is no other source of randomness without an extension.
INSERT INTO web_keys (id, secret)
VALUES (1, encode(sha256(convert_to(gen_random_uuid()::text || gen_random_uuid()::text, 'UTF8')), 'hex'));

CREATE FUNCTION web_key() RETURNS text
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
  SELECT secret FROM web_keys WHERE id = 1
$$;
COMMENT ON FUNCTION web_key IS 'The secret of web_keys.';

CREATE TABLE webhook_cursors (
  name        text COLLATE "C" PRIMARY KEY,
  activity_id bigint NOT NULL,
  held_by     text,
  held_until  timestamptz,
  updated_at  timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE webhook_cursors IS 'How far each webhook has told of holds. One process at a time tells: the one that holds the row''s lease.';
COMMENT ON COLUMN webhook_cursors.name IS 'A hash of the webhook''s address.';
COMMENT ON COLUMN webhook_cursors.activity_id IS 'Everything in ticket_activity up to here was told, or was nothing to tell.';
COMMENT ON COLUMN webhook_cursors.held_until IS 'Another process may take over from then on.';

REVOKE EXECUTE ON FUNCTION keep_released_hold, forget_people, assign_ticket, unrelease_ticket, edit_payload, ticket_version, require_version,
  take_request_key, keep_request_ticket, note_enqueued, web_key FROM PUBLIC;

DO $$
DECLARE
  s text := quote_ident('${flyway:defaultSchema}');
  seen text := format('%1$s.ticket_assignments, %1$s.released_holds, %1$s.webhook_cursors', s);
  acts text := format('%1$s.assign_ticket, %1$s.unrelease_ticket, %1$s.edit_payload, %1$s.ticket_version, %1$s.require_version, '
    '%1$s.take_request_key, %1$s.keep_request_ticket, %1$s.note_enqueued, %1$s.web_key', s);
BEGIN
  IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'holdfast_viewer') THEN
    EXECUTE format('GRANT SELECT ON %s TO holdfast_viewer', seen);
    EXECUTE format('GRANT EXECUTE ON FUNCTION %s.ticket_version TO holdfast_viewer', s);
  END IF;
  IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'holdfast_operator') THEN
    EXECUTE format('GRANT SELECT ON %s TO holdfast_operator', seen);
    EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO holdfast_operator', acts);
  END IF;
  IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'holdfast_worker') THEN
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %s, %s.request_keys TO holdfast_worker', seen, s);
    EXECUTE format('GRANT EXECUTE ON FUNCTION %s, %s.keep_released_hold, %s.forget_people TO holdfast_worker', acts, s, s);
  END IF;
END
$$;
