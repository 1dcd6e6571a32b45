-- Who acts is recorded with the way they came; who authored a design is the database's word; producers enqueue what they were granted; the
-- key that signs logins is shown to nobody, whatever is granted; the answer to a request that counts once is kept with its key.
-- Earlier binaries: they work on. What people do through them has no channel but the database user.

ALTER TABLE ticket_activity ADD COLUMN channel text;
COMMENT ON COLUMN ticket_activity.channel IS 'How a person came: api, console, cli, mcp, or sql: and the database user; NULL for what the system decided.';

CREATE OR REPLACE FUNCTION log_activity(ticket_id bigint, action text, actor text, details jsonb DEFAULT '{}') RETURNS void
LANGUAGE plpgsql SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
BEGIN
  INSERT INTO ticket_activity (ticket_id, action, actor, details, channel)
  VALUES (log_activity.ticket_id, log_activity.action, log_activity.actor, jsonb_strip_nulls(log_activity.details),
    CASE WHEN log_activity.actor <> 'system'
      THEN COALESCE(NULLIF(current_setting('holdfast.channel', true), ''), 'sql: ' || session_user) END);
END
$$;

CREATE FUNCTION name_design_author() RETURNS trigger
LANGUAGE plpgsql SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
BEGIN
  -- Owner and workers speak for people, whom they have asked for a name; everybody else is who they logged in as.
  IF NOT pg_has_role(current_user, (SELECT c.relowner FROM pg_class c WHERE c.oid = 'designs'::regclass), 'USAGE')
    AND NOT COALESCE(pg_has_role(current_user, to_regrole('holdfast_worker'), 'USAGE'), false)
  THEN
    NEW.created_by := session_user;
  END IF;
  RETURN NEW;
END
$$;
COMMENT ON FUNCTION name_design_author IS 'designs.created_by is the database user, unless the schema''s owner or a worker stores the design for somebody.';
CREATE TRIGGER name_design_author BEFORE INSERT ON designs FOR EACH ROW EXECUTE FUNCTION name_design_author();

CREATE TABLE producer_grants (
  id      bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  grantee name NOT NULL,
  queue   text NOT NULL,
  kind    text,
  design  text,
  CONSTRAINT kind_or_design CHECK ((kind IS NULL) <> (design IS NULL)),
  UNIQUE NULLS NOT DISTINCT (grantee, queue, kind, design)
);
COMMENT ON TABLE producer_grants IS 'What members of holdfast_producer may enqueue with produce_ticket: each row one queue and one kind or design. INSERT INTO ${flyway:defaultSchema}.producer_grants (grantee, queue, design) VALUES (''shop'', ''mail'', ''welcome''). Only the owner of the schema writes it.';
COMMENT ON COLUMN producer_grants.grantee IS 'A database user, or a role that users are members of.';
COMMENT ON COLUMN producer_grants.kind IS 'For tickets without a design.';

CREATE FUNCTION produce_ticket(
  kind text DEFAULT NULL, payload jsonb DEFAULT '{}', queue text DEFAULT 'default', title text DEFAULT NULL,
  design text DEFAULT NULL, priority integer DEFAULT 0, run_at timestamptz DEFAULT NULL, unique_key text DEFAULT NULL,
  max_cost_usd numeric DEFAULT NULL) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
DECLARE
  -- Inside, current_user is the owner; after SET ROLE the setting tells who called.
  caller name := CASE WHEN current_setting('role') = 'none' THEN session_user ELSE current_setting('role') END;
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
  RETURN enqueue_ticket(kind => produce_ticket.kind, payload => produce_ticket.payload, queue => produce_ticket.queue,
    title => produce_ticket.title, design => produce_ticket.design, priority => produce_ticket.priority,
    run_at => produce_ticket.run_at, unique_key => produce_ticket.unique_key, max_cost_usd => produce_ticket.max_cost_usd);
END
$$;
COMMENT ON FUNCTION produce_ticket IS 'enqueue_ticket for members of holdfast_producer: refuses what no row of producer_grants allows them.';

-- A GRANT on all tables of the schema must not give the key away: who is not the owner sees no row of it. web_key() runs as the owner.
ALTER TABLE web_keys ENABLE ROW LEVEL SECURITY;

ALTER TABLE request_keys ADD COLUMN etag text, ADD COLUMN answer text;
COMMENT ON TABLE request_keys IS 'Idempotency-Key of POSTs to the API: the same request under the same key is done once and answered alike, for 24 hours.';
COMMENT ON COLUMN request_keys.answer IS 'The body of the answer; NULL where the server ended between the deed and its answer.';

CREATE FUNCTION find_request(key text, request_hash text) RETURNS SETOF request_keys
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

CREATE FUNCTION keep_request_answer(key text, etag text, answer text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
BEGIN
  UPDATE request_keys r SET etag = keep_request_answer.etag, answer = keep_request_answer.answer
  WHERE r.key = keep_request_answer.key AND r.answer IS NULL;
END
$$;
COMMENT ON FUNCTION keep_request_answer IS 'Keeps the answer to a request that was done under a key.';

REVOKE EXECUTE ON FUNCTION name_design_author, produce_ticket, find_request, keep_request_answer FROM PUBLIC;
