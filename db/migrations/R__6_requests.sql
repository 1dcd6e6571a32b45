-- Requests of the API: what one was seen as before, keys that let it count once, and the secret of logins.
--
-- Flyway runs this file after all versioned ones: again with each version of the schema (now ${version}), and whenever it changes.

CREATE OR REPLACE FUNCTION ticket_version(lease_no bigint, updated_at timestamptz) RETURNS text
LANGUAGE sql STABLE SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
  SELECT lease_no || '-' || (extract(epoch FROM updated_at) * 1000000)::bigint
$$;
COMMENT ON FUNCTION ticket_version IS 'Changes whenever a ticket does: its ETag. Of the columns lease_no and updated_at of tickets.';

DROP FUNCTION IF EXISTS require_version(bigint, text);
CREATE OR REPLACE FUNCTION require_version(id bigint, version text, actor text DEFAULT NULL) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
DECLARE
  t ticket_base;
  shown tickets;
  last_action ticket_activity;
  last_actor text;
BEGIN
  t := locked_ticket(require_version.id);
  SELECT * INTO shown FROM tickets v WHERE v.id = t.id;
  IF ticket_version(shown.lease_no, shown.updated_at) = require_version.version THEN
    RETURN;
  END IF;
  SELECT * INTO last_action FROM ticket_activity a WHERE a.ticket_id = t.id ORDER BY a.id DESC LIMIT 1;
  -- Of an order on several tickets, one may have changed another: a workflow takes its steps with it, and is held when one is cancelled.
  SELECT a.actor INTO last_actor FROM ticket_activity a
  WHERE a.ticket_id = (last_action.details->>'cancelled')::bigint AND a.action = 'cancelled' ORDER BY a.id DESC LIMIT 1;
  IF COALESCE(last_actor, last_action.actor) = require_version.actor
      AND last_action.created_at >= NULLIF(current_setting('holdfast.order_began', true), '')::timestamptz THEN
    RETURN;
  END IF;
  RAISE EXCEPTION 'ticket % has changed since you looked: it is %', t.id, shown.state ||
    CASE WHEN last_action.id IS NULL THEN '' ELSE format('; %s was the last to act on it (%s at %s)', last_action.actor,
      last_action.action, to_char(last_action.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS"Z"')) END
    USING ERRCODE = 'HF412', DETAIL = shown.state;
END
$$;
COMMENT ON FUNCTION require_version IS 'Locks a ticket for the rest of the transaction; SQLSTATE HF412 if it is no longer as it was when ticket_version said this of it, unless actor was the last to act on it, in the order on several tickets that this transaction is part of.';

CREATE OR REPLACE FUNCTION take_request_key(key text, request_hash text) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
#variable_conflict use_column
DECLARE
  k request_keys;
BEGIN
  -- The key itself first: those that are taken away with it are the oldest 20, and it may not be among them.
  DELETE FROM request_keys r WHERE r.key = take_request_key.key AND r.created_at <= now() - interval '24 hours';
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

SELECT grant_roles(only_new => true);
