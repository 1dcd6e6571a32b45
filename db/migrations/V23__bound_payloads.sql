-- How long a payload is as text is bounded where it enters, and kept beside it: ninety KB of {"a": [1e131071, ...]} are more than one GB of
-- text, which nobody can read (docs/adr/0018-poison-tickets.md).
-- Earlier binaries: they work on. What they copy in is measured when it is filed, which costs an update.

ALTER TABLE ticket_base ADD COLUMN payload_bytes integer;
COMMENT ON COLUMN ticket_base.payload_bytes IS 'How many bytes payload::text has, or a little more; NULL where nobody measured it. Whatever is not known to be small is read alone.';

CREATE TABLE entry_limits (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  payload_max_expanded_bytes bigint NOT NULL
);
COMMENT ON TABLE entry_limits IS 'What may come in, for whoever brings it. Each worker that starts writes its configuration here.';
COMMENT ON COLUMN entry_limits.payload_max_expanded_bytes IS 'payload.max-expanded-bytes: the longest payload or definition, as text of jsonb.';
INSERT INTO entry_limits VALUES (true, 16777216);

-- A number of twelve bytes can have 147,000 digits as text. So the text of a long document is made only after the numbers were added up
-- one by one; up to 8,000 bytes it cannot get longer than a hundred megabytes.
CREATE FUNCTION expanded_bytes(document jsonb, most bigint) RETURNS bigint
LANGUAGE plpgsql IMMUTABLE STRICT SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
DECLARE
  bytes bigint := 0;
  digits integer;
BEGIN
  IF pg_column_compression(document) IS NULL AND pg_column_size(document) <= 8000 THEN
    RETURN octet_length(document::text);
  END IF;
  -- Numbers of usual size cannot grow much; zero can: 0e-16383.
  FOR digits IN
    SELECT octet_length(n::text)
    FROM jsonb_path_query(document, 'strict $.** ? (@ > 1e30 || @ < -1e30 || (@ < 1e-30 && @ > -1e-30))') AS n
  LOOP
    bytes := bytes + digits;
    IF bytes > most THEN
      RETURN bytes;
    END IF;
  END LOOP;
  RETURN octet_length(document::text);
END
$$;
COMMENT ON FUNCTION expanded_bytes IS 'How many bytes a document has as text; where its long numbers alone have more than most, only that.';

CREATE FUNCTION accepted_bytes(what text, document jsonb) RETURNS integer
LANGUAGE plpgsql STABLE SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
DECLARE
  most bigint := (SELECT payload_max_expanded_bytes FROM entry_limits WHERE only_row);
  bytes bigint := expanded_bytes(document, most);
BEGIN
  IF bytes > most THEN
    RAISE EXCEPTION 'the % is % bytes or more as text, more than %: a number such as 1e100000 has all its digits there', what, bytes, most
      USING ERRCODE = 'HF422',
        HINT = 'Write such numbers as strings, put large data elsewhere and its address here, or raise payload.max-expanded-bytes.';
  END IF;
  RETURN bytes;
END
$$;
COMMENT ON FUNCTION accepted_bytes IS 'How long a document is as text; HF422 if it is longer than may come in.';

CREATE FUNCTION measure_payload() RETURNS trigger
LANGUAGE plpgsql SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
BEGIN
  IF NEW.payload IS DISTINCT FROM OLD.payload THEN
    NEW.payload_bytes := ${flyway:defaultSchema}.accepted_bytes('payload', NEW.payload);
  END IF;
  RETURN NEW;
END
$$;
COMMENT ON FUNCTION measure_payload IS 'A payload that is changed is measured again.';
CREATE TRIGGER measure_payload BEFORE UPDATE OF payload ON ticket_base FOR EACH ROW EXECUTE FUNCTION measure_payload();
-- Restored or replicated rows too: a measure that is not true is worse than none.
ALTER TABLE ticket_base ENABLE ALWAYS TRIGGER measure_payload;

CREATE FUNCTION measure_definition() RETURNS trigger
LANGUAGE plpgsql SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
BEGIN
  PERFORM ${flyway:defaultSchema}.accepted_bytes('definition', NEW.definition);
  RETURN NEW;
END
$$;
COMMENT ON FUNCTION measure_definition IS 'Refuses a design that is too long as text.';
CREATE TRIGGER measure_definition BEFORE INSERT ON designs FOR EACH ROW EXECUTE FUNCTION measure_definition();

-- As before, but what nobody has measured is measured.
CREATE OR REPLACE FUNCTION file_tickets(ids bigint[]) RETURNS void
LANGUAGE plpgsql SET search_path = ${flyway:defaultSchema}, pg_temp SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off AS $$
DECLARE
  usual bigint;
  odd bigint[];
  measured bigint[];
BEGIN
  -- Mostly all of them are ready for agents, in lanes that are known. = ANY (ARRAY[u.id]) keeps to the primary key (V13).
  INSERT INTO ready (priority, created_at, id, queue, kind)
  SELECT b.priority, b.created_at, b.id, b.queue, b.kind
  FROM unnest(ids) AS u (id)
  JOIN ticket_base b ON b.id = ANY (ARRAY[u.id])
  JOIN lanes l ON l.queue = b.queue AND l.kind = b.kind
  WHERE b.state = 'ready' AND b.assignee_type = 'agent' AND (b.retry_after IS NULL OR b.retry_after <= now())
    AND b.payload_bytes IS NOT NULL AND broken_rule(b) IS NULL;
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
    WHERE b.id = ANY (odd) AND b.state = 'ready' AND b.assignee_type = 'agent' AND (b.retry_after IS NULL OR b.retry_after <= now());
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

-- As before, but the payload is measured: of a short one the text is made at once, a longer one goes the long way.
CREATE OR REPLACE FUNCTION enqueue_ticket(
  kind text DEFAULT NULL, payload jsonb DEFAULT '{}', queue text DEFAULT 'default', title text DEFAULT NULL,
  design text DEFAULT NULL, priority integer DEFAULT 0, run_at timestamptz DEFAULT NULL, unique_key text DEFAULT NULL,
  max_cost_usd numeric DEFAULT NULL) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER AS $$
#variable_conflict use_column
DECLARE
  new_id bigint;
  somebody_sleeps boolean;
  bytes integer := CASE
    WHEN enqueue_ticket.payload IS NULL THEN 2
    WHEN pg_catalog.pg_column_size(enqueue_ticket.payload) OPERATOR(pg_catalog.<=) 2000
      AND pg_catalog.pg_column_compression(enqueue_ticket.payload) IS NULL
    THEN pg_catalog.octet_length(enqueue_ticket.payload::text)
  END;
BEGIN
  IF bytes OPERATOR(pg_catalog.<=) 65536 AND enqueue_ticket.design IS NULL AND enqueue_ticket.run_at IS NULL
    AND enqueue_ticket.unique_key IS NULL AND enqueue_ticket.max_cost_usd IS NULL
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
    enqueue_ticket.priority, enqueue_ticket.run_at, enqueue_ticket.unique_key, enqueue_ticket.max_cost_usd);
END
$$;

-- As before, but a payload that is too long is refused before it is written.
CREATE OR REPLACE FUNCTION enqueue_any_ticket(
  kind text, payload jsonb, queue text, title text, design text, priority integer, run_at timestamptz, unique_key text,
  max_cost_usd numeric) RETURNS bigint
LANGUAGE plpgsql SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
#variable_conflict use_column
DECLARE
  d designs;
  kind_name text;
  found_id bigint;
  bytes integer := accepted_bytes('payload', COALESCE(enqueue_any_ticket.payload, '{}'));
BEGIN
  IF enqueue_any_ticket.design IS NOT NULL THEN
    d := latest_design(enqueue_any_ticket.design);
  END IF;
  kind_name := kind_of_new_ticket(enqueue_any_ticket.kind, d);
  LOOP
    INSERT INTO ticket_base AS b (filed, design_id, kind, payload, payload_bytes, queue, title, priority, retry_after, unique_key, max_cost_usd)
    VALUES (true, d.id, kind_name, COALESCE(enqueue_any_ticket.payload, '{}'), bytes,
      COALESCE(enqueue_any_ticket.queue, 'default'), enqueue_any_ticket.title, COALESCE(enqueue_any_ticket.priority, 0),
      enqueue_any_ticket.run_at, enqueue_any_ticket.unique_key, enqueue_any_ticket.max_cost_usd)
    ON CONFLICT (unique_key) WHERE unique_key IS NOT NULL DO NOTHING
    RETURNING b.id INTO found_id;
    IF found_id IS NOT NULL THEN
      PERFORM file_tickets(ARRAY[found_id]);
      RETURN found_id;
    END IF;
    -- The ticket with this key; unless it was deleted since the INSERT met it, then the next round inserts.
    SELECT b.id INTO found_id FROM ticket_base b WHERE b.unique_key = enqueue_any_ticket.unique_key;
    IF found_id IS NOT NULL THEN
      RETURN found_id;
    END IF;
  END LOOP;
END
$$;

REVOKE EXECUTE ON FUNCTION expanded_bytes, accepted_bytes, measure_payload, measure_definition FROM PUBLIC;

DO $$
DECLARE
  s text := quote_ident('${flyway:defaultSchema}');
BEGIN
  IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'holdfast_worker') THEN
    EXECUTE format('GRANT SELECT, UPDATE ON %s.entry_limits TO holdfast_worker', s);
    EXECUTE format('GRANT EXECUTE ON FUNCTION %1$s.expanded_bytes, %1$s.accepted_bytes, %1$s.measure_payload, %1$s.measure_definition '
      'TO holdfast_worker', s);
  END IF;
  -- Operators edit payloads and put designs, each with their own rights.
  IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'holdfast_operator') THEN
    EXECUTE format('GRANT SELECT ON %s.entry_limits TO holdfast_operator', s);
    EXECUTE format('GRANT EXECUTE ON FUNCTION %1$s.expanded_bytes, %1$s.accepted_bytes TO holdfast_operator', s);
  END IF;
END
$$;
