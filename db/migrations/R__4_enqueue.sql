-- How a ticket comes in, whatever way: INSERT, COPY, function, worker. Graphs are in R__4_graphs.sql.
--
-- Flyway runs this file after all versioned ones: again with each version of the schema (now ${version}), and whenever it changes.

CREATE OR REPLACE FUNCTION latest_design(design text) RETURNS designs
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

CREATE OR REPLACE FUNCTION kind_of_new_ticket(wanted_kind text, d designs) RETURNS text
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

-- The arguments from "after" on came later, and a function with one argument more is another function.
DROP FUNCTION IF EXISTS enqueue_any_ticket(text, jsonb, text, text, text, integer, timestamptz, text, numeric);
DROP FUNCTION IF EXISTS enqueue_ticket(text, jsonb, text, text, text, integer, timestamptz, text, numeric);
DROP FUNCTION IF EXISTS enqueue_any_ticket(text, jsonb, text, text, text, integer, timestamptz, text, numeric, bigint[]);
DROP FUNCTION IF EXISTS enqueue_ticket(text, jsonb, text, text, text, integer, timestamptz, text, numeric, bigint[]);
DROP FUNCTION IF EXISTS enqueue_any_ticket(text, jsonb, text, text, text, integer, timestamptz, text, numeric, bigint[], timestamptz);
DROP FUNCTION IF EXISTS enqueue_ticket(text, jsonb, text, text, text, integer, timestamptz, text, numeric, bigint[], timestamptz);
DROP FUNCTION IF EXISTS produce_ticket(text, jsonb, text, text, text, integer, timestamptz, text, numeric);
DROP FUNCTION IF EXISTS enqueue_any_ticket(text, jsonb, text, text, text, integer, timestamptz, text, numeric, bigint[], timestamptz, text, text, text, text);
DROP FUNCTION IF EXISTS enqueue_ticket(text, jsonb, text, text, text, integer, timestamptz, text, numeric, bigint[], timestamptz, text, text, text, text);
DROP FUNCTION IF EXISTS enqueue_any_ticket(text, jsonb, text, text, text, integer, timestamptz, text, numeric, bigint[], timestamptz, text, text, text, text, text[], text);
DROP FUNCTION IF EXISTS enqueue_ticket(text, jsonb, text, text, text, integer, timestamptz, text, numeric, bigint[], timestamptz, text, text, text, text, text[], text);

CREATE OR REPLACE FUNCTION set_deadline(ticket_id bigint, run_at timestamptz, expires_at timestamptz) RETURNS void
LANGUAGE plpgsql SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
BEGIN
  IF NOT isfinite(expires_at) OR expires_at <= now() THEN
    RAISE EXCEPTION 'expires_at must be in the future, not %', expires_at
      USING ERRCODE = 'HF422', HINT = 'Leave it out for a ticket that does not expire.';
  ELSIF expires_at <= run_at THEN
    RAISE EXCEPTION 'a ticket that may start at % cannot expire at %', run_at, expires_at
      USING ERRCODE = 'HF422', HINT = 'Let it expire later, or start earlier.';
  END IF;
  INSERT INTO ticket_deadlines (ticket_id, expires_at) VALUES (set_deadline.ticket_id, set_deadline.expires_at);
END
$$;
COMMENT ON FUNCTION set_deadline IS 'Lets a ticket that this transaction has inserted expire; HF422 if that is before it may start.';

CREATE OR REPLACE FUNCTION require_key(what text, key text) RETURNS void
LANGUAGE plpgsql IMMUTABLE SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
BEGIN
  IF btrim(key, E' \t\r\n') = '' THEN
    RAISE EXCEPTION 'the % must not be empty', what USING ERRCODE = 'HF422', HINT = 'Leave it out for a ticket without one.';
  ELSIF key ~ '[[:cntrl:]]' THEN
    RAISE EXCEPTION 'the % has a control character', what USING ERRCODE = 'HF422', HINT = 'Leave it out of the key.';
  ELSIF octet_length(key) > 500 THEN
    RAISE EXCEPTION 'the % has % bytes, and 500 are allowed', what, octet_length(key)
      USING ERRCODE = 'HF422', HINT = 'Take a short name, or a hash of a long one.';
  END IF;
END
$$;
COMMENT ON FUNCTION require_key IS 'Refuses an empty or long concurrency or fairness key with HF422.';

CREATE OR REPLACE FUNCTION words_interval(words text) RETURNS interval
LANGUAGE plpgsql IMMUTABLE SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
DECLARE
  parts text[] := regexp_match(words, E'^\\s*([0-9]{1,10})\\s*(ms|s|m|h|d)\\s*$');
  unit interval := CASE parts[2] WHEN 'ms' THEN interval '1 ms' WHEN 's' THEN interval '1 s' WHEN 'm' THEN interval '1 min'
    WHEN 'h' THEN interval '1 h' WHEN 'd' THEN interval '24 h' END;
BEGIN
  -- No time is so long before now that PostgreSQL cannot tell it.
  RETURN CASE WHEN parts[1]::bigint * EXTRACT(epoch FROM unit) <= 36500 * 86400.0 THEN parts[1]::bigint * unit END;
END
$$;
COMMENT ON FUNCTION words_interval IS 'How long 500ms, 90s, 5m, 2h or 7d is, up to 36500d; NULL for anything else. A day has 24 hours.';

CREATE OR REPLACE FUNCTION design_expiry(d designs) RETURNS interval
LANGUAGE sql IMMUTABLE SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
  SELECT words_interval(d.definition->>'expires')
$$;
COMMENT ON FUNCTION design_expiry IS 'After what time a ticket of the design expires if nobody says when; NULL for never. Counted from when it may start.';

CREATE OR REPLACE FUNCTION require_uniqueness(key text, unique_for text, on_duplicate text) RETURNS void
LANGUAGE plpgsql IMMUTABLE SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
BEGIN
  IF key IS NULL AND (unique_for IS NOT NULL OR on_duplicate IS NOT NULL) THEN
    RAISE EXCEPTION 'unique_for and on_duplicate need a unique_key' USING ERRCODE = 'HF422';
  ELSIF btrim(key, E' \t\r\n') = '' THEN
    RAISE EXCEPTION 'the unique_key must not be empty' USING ERRCODE = 'HF422', HINT = 'Leave it out for a ticket without one.';
  ELSIF length(key) > 500 THEN
    RAISE EXCEPTION 'the unique_key has % characters, and 500 are allowed', length(key)
      USING ERRCODE = 'HF422', HINT = 'Take a short name, or a hash of a long one.';
  ELSIF unique_for IS NOT NULL AND (unique_for IN ('open', 'ever') OR words_interval(unique_for) > interval '0') IS NOT TRUE THEN
    RAISE EXCEPTION 'unique_for is open, ever, or a time as 2h of at most 36500d, not "%"', left(unique_for, 100)
      USING ERRCODE = 'HF422', HINT = 'Leave it out, and the key is taken as long as its ticket is kept.';
  ELSIF on_duplicate NOT IN ('keep', 'replace', 'refuse') THEN
    RAISE EXCEPTION 'on_duplicate is keep, replace or refuse, not "%"', left(on_duplicate, 100) USING ERRCODE = 'HF422';
  END IF;
END
$$;
COMMENT ON FUNCTION require_uniqueness IS 'Refuses with HF422 an empty or long unique key, and what says nothing about how long it holds and what becomes of a second ticket.';

-- The ticket stays locked, so that nobody claims it while its payload is replaced.
DROP FUNCTION IF EXISTS holder_of_key(text, text, text, jsonb, timestamptz);
CREATE OR REPLACE FUNCTION holder_of_key(
  key text, unique_for text, on_duplicate text, new_payload jsonb, new_run_at timestamptz, new_end timestamptz) RETURNS bigint
LANGUAGE plpgsql SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
DECLARE
  t ticket_base;
  holder bigint;
  passes_on boolean := false;
BEGIN
  SELECT * INTO t FROM ticket_base b WHERE b.unique_key = key FOR UPDATE;
  IF t.id IS NOT NULL THEN
    passes_on := CASE unique_for WHEN 'open' THEN t.state IN ('done', 'cancelled') WHEN 'ever' THEN false
      ELSE COALESCE(t.created_at <= now() - words_interval(unique_for), false) END;
    -- One that has started is left to run with what it has. Trap: not in one expression, or it is made unclaimable where nobody asked for it.
    IF NOT passes_on AND on_duplicate = 'replace' THEN
      passes_on := t.state NOT IN ('ready', 'on_hold') OR t.attempt_count > 0;
      IF t.state = 'ready' AND NOT passes_on THEN
        -- An older snapshot would not see that it waits no more, and somebody may have claimed it since.
        IF current_setting('transaction_isolation') <> 'read committed' AND is_waiting(t.id) THEN
          RAISE EXCEPTION 'ticket % cannot be replaced in a transaction of isolation level %: it waits for others',
            t.id, current_setting('transaction_isolation') USING ERRCODE = 'HF422', HINT = 'BEGIN ISOLATION LEVEL READ COMMITTED';
        END IF;
        passes_on := NOT make_unclaimable(t);
      END IF;
    END IF;
  END IF;
  IF passes_on THEN
    UPDATE ticket_base b SET unique_key = NULL, updated_at = now() WHERE b.id = t.id;
    PERFORM log_activity(t.id, 'key_passed_on', 'system', jsonb_build_object('uniqueKey', key));
    RETURN NULL;
  END IF;
  holder := COALESCE(t.id, (SELECT k.ticket_id FROM spent_keys k WHERE k.unique_key = key AND unique_for = 'ever'));
  IF holder IS NOT NULL AND on_duplicate = 'refuse' THEN
    RAISE EXCEPTION 'ticket % has the unique key "%" already', holder, left(key, 100)
      USING ERRCODE = 'HF409', HINT = 'Take another key, or leave on_duplicate out to be given that ticket.';
  ELSIF t.id IS NOT NULL AND on_duplicate = 'replace' THEN
    UPDATE ticket_base b SET payload = new_payload, retry_after = CASE WHEN b.state = 'ready' THEN new_run_at END, expires_at = new_end, updated_at = now()
    WHERE b.id = t.id RETURNING * INTO t;
    DELETE FROM ticket_deadlines x WHERE x.ticket_id = t.id;
    IF new_end IS NOT NULL THEN
      PERFORM set_deadline(t.id, new_run_at, new_end);
    END IF;
    PERFORM make_claimable(t);
    PERFORM log_activity(t.id, 'replaced', 'system', jsonb_build_object('uniqueKey', key, 'runAt', new_run_at));
  END IF;
  RETURN holder;
END
$$;
COMMENT ON FUNCTION holder_of_key IS 'The ticket that has a unique key, as unique_for and on_duplicate say; NULL where a new one may have it, which an old one has then given up.';

-- A payload that is too long is refused before it is written.
CREATE OR REPLACE FUNCTION enqueue_any_ticket(
  kind text, payload jsonb, queue text, title text, design text, priority integer, run_at timestamptz, unique_key text,
  max_cost_usd numeric, after bigint[] DEFAULT NULL, expires_at timestamptz DEFAULT NULL, concurrency_key text DEFAULT NULL,
  fairness_key text DEFAULT NULL, unique_for text DEFAULT NULL, on_duplicate text DEFAULT NULL, after_names text[] DEFAULT NULL,
  on_cancelled text DEFAULT NULL, batch_id bigint DEFAULT NULL, after_batch bigint DEFAULT NULL) RETURNS bigint
LANGUAGE plpgsql SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
#variable_conflict use_column
DECLARE
  d designs;
  kind_name text;
  found_id bigint;
  ends_at timestamptz;
  waits boolean;
  bytes integer := accepted_bytes('payload', COALESCE(enqueue_any_ticket.payload, '{}'));
BEGIN
  IF enqueue_any_ticket.design IS NOT NULL THEN
    d := latest_design(enqueue_any_ticket.design);
  END IF;
  kind_name := kind_of_new_ticket(enqueue_any_ticket.kind, d);
  IF octet_length(enqueue_any_ticket.title) > 10000 THEN
    PERFORM require_length('title', enqueue_any_ticket.title, 10000);
  END IF;
  IF enqueue_any_ticket.max_cost_usd IS NOT NULL THEN
    PERFORM require_cost_limit(kind_name, enqueue_any_ticket.max_cost_usd);
    IF enqueue_any_ticket.max_cost_usd NOT BETWEEN 0 AND 1000000000 THEN
      RAISE EXCEPTION 'max_cost_usd must be from 0 to 1000000000, not %', enqueue_any_ticket.max_cost_usd USING ERRCODE = 'HF422';
    END IF;
  END IF;
  IF enqueue_any_ticket.run_at IS NOT NULL THEN
    PERFORM require_start('run_at', enqueue_any_ticket.run_at);
  END IF;
  IF enqueue_any_ticket.after_names IS NOT NULL OR enqueue_any_ticket.on_cancelled IS NOT NULL THEN
    PERFORM require_predecessors(COALESCE(enqueue_any_ticket.after, '{}'), enqueue_any_ticket.after_names, enqueue_any_ticket.on_cancelled);
  END IF;
  PERFORM require_key('concurrency_key', enqueue_any_ticket.concurrency_key), require_key('fairness_key', enqueue_any_ticket.fairness_key),
    require_uniqueness(enqueue_any_ticket.unique_key, enqueue_any_ticket.unique_for, enqueue_any_ticket.on_duplicate);
  IF enqueue_any_ticket.batch_id IS NOT NULL THEN
    PERFORM join_batch(enqueue_any_ticket.batch_id);
  END IF;
  ends_at := COALESCE(enqueue_any_ticket.expires_at, GREATEST(now(), enqueue_any_ticket.run_at) + design_expiry(d));
  LOOP
    IF enqueue_any_ticket.unique_for IS NOT NULL OR enqueue_any_ticket.on_duplicate IS NOT NULL THEN
      found_id := holder_of_key(enqueue_any_ticket.unique_key, enqueue_any_ticket.unique_for, enqueue_any_ticket.on_duplicate,
        COALESCE(enqueue_any_ticket.payload, '{}'), enqueue_any_ticket.run_at, ends_at);
      IF found_id IS NOT NULL THEN
        RETURN found_id;
      END IF;
    END IF;
    INSERT INTO ticket_base AS b (filed, design_id, kind, payload, payload_bytes, queue, title, priority, retry_after, unique_key,
      max_cost_usd, expires_at, concurrency_key, fairness_key, batch_id)
    VALUES (true, d.id, kind_name, COALESCE(enqueue_any_ticket.payload, '{}'), bytes,
      COALESCE(enqueue_any_ticket.queue, 'default'), enqueue_any_ticket.title, COALESCE(enqueue_any_ticket.priority, 0),
      enqueue_any_ticket.run_at, enqueue_any_ticket.unique_key, enqueue_any_ticket.max_cost_usd, ends_at,
      enqueue_any_ticket.concurrency_key, enqueue_any_ticket.fairness_key, enqueue_any_ticket.batch_id)
    ON CONFLICT (unique_key) WHERE unique_key IS NOT NULL DO NOTHING
    RETURNING b.id INTO found_id;
    IF found_id IS NOT NULL THEN
      IF ends_at IS NOT NULL THEN
        PERFORM set_deadline(found_id, enqueue_any_ticket.run_at, ends_at);
      END IF;
      IF enqueue_any_ticket.unique_for = 'ever' THEN
        INSERT INTO spent_keys (unique_key, ticket_id) VALUES (enqueue_any_ticket.unique_key, found_id)
        ON CONFLICT (unique_key) DO UPDATE SET ticket_id = EXCLUDED.ticket_id;
      END IF;
      waits := enqueue_any_ticket.after_batch IS NOT NULL AND wait_for_batch(found_id, enqueue_any_ticket.after_batch);
      IF enqueue_any_ticket.after IS NOT NULL THEN
        waits := wait_for_tickets(found_id, enqueue_any_ticket.after, enqueue_any_ticket.after_names, enqueue_any_ticket.on_cancelled);
      END IF;
      IF NOT waits THEN
        PERFORM file_tickets(ARRAY[found_id]);
      ELSE
        PERFORM require_rules(b), know_lane(b.queue, b.kind) FROM ticket_base b WHERE b.id = found_id;
      END IF;
      RETURN found_id;
    END IF;
    -- Somebody was faster; the next round decides anew.
    CONTINUE WHEN enqueue_any_ticket.unique_for IS NOT NULL OR enqueue_any_ticket.on_duplicate IS NOT NULL;
    -- The ticket with this key; unless it was deleted since the INSERT met it, then the next round inserts.
    SELECT b.id INTO found_id FROM ticket_base b WHERE b.unique_key = enqueue_any_ticket.unique_key;
    IF found_id IS NOT NULL THEN
      RETURN found_id;
    END IF;
  END LOOP;
END
$$;
COMMENT ON FUNCTION enqueue_any_ticket IS 'What enqueue_ticket does for a ticket with a design, a key, a start time, a cost limit, predecessors, an end, keys or a batch, or the first of its lane.';

-- Most tickets are of a kind and a queue that had one before, and are to run at once: those cost two INSERTs with a look in each.
-- The payload is measured: of a short one the text is made at once, a longer one goes the long way.
-- Trap: it runs with its owner's rights and, because setting one costs as much as a statement before PostgreSQL 17, with the search path
-- of its caller. So whatever it names, operators too, is named with its schema.
CREATE OR REPLACE FUNCTION enqueue_ticket(
  kind text DEFAULT NULL, payload jsonb DEFAULT '{}', queue text DEFAULT 'default', title text DEFAULT NULL,
  design text DEFAULT NULL, priority integer DEFAULT 0, run_at timestamptz DEFAULT NULL, unique_key text DEFAULT NULL,
  max_cost_usd numeric DEFAULT NULL, after bigint[] DEFAULT NULL, expires_at timestamptz DEFAULT NULL, concurrency_key text DEFAULT NULL,
  fairness_key text DEFAULT NULL, unique_for text DEFAULT NULL, on_duplicate text DEFAULT NULL, after_names text[] DEFAULT NULL,
  on_cancelled text DEFAULT NULL, batch_id bigint DEFAULT NULL, after_batch bigint DEFAULT NULL) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER AS $$
#variable_conflict use_column
DECLARE
  new_id bigint;
  somebody_sleeps boolean;
  bytes integer := CASE
    WHEN enqueue_ticket.payload IS NULL THEN 2
    WHEN pg_catalog.pg_column_size(enqueue_ticket.payload) OPERATOR(pg_catalog.<=) 2000
      AND pg_catalog.pg_column_compression(enqueue_ticket.payload) IS NULL
    THEN pg_catalog.octet_length(enqueue_ticket.payload::pg_catalog.text)
  END;
BEGIN
  IF bytes OPERATOR(pg_catalog.<=) 65536 AND (pg_catalog.octet_length(enqueue_ticket.title) OPERATOR(pg_catalog.<=) 10000) IS NOT FALSE
    -- One call, for each part of an expression is prepared anew in each transaction. The last four arguments say nothing without a key or a
    -- predecessor; the long way tells so.
    AND pg_catalog.num_nonnulls(enqueue_ticket.design, enqueue_ticket.run_at, enqueue_ticket.unique_key, enqueue_ticket.max_cost_usd,
      enqueue_ticket.after, enqueue_ticket.expires_at, enqueue_ticket.concurrency_key, enqueue_ticket.fairness_key,
      enqueue_ticket.batch_id, enqueue_ticket.after_batch, enqueue_ticket.unique_for, enqueue_ticket.on_duplicate,
      enqueue_ticket.after_names, enqueue_ticket.on_cancelled) OPERATOR(pg_catalog.=) 0
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
    enqueue_ticket.priority, enqueue_ticket.run_at, enqueue_ticket.unique_key, enqueue_ticket.max_cost_usd,
    enqueue_ticket.after, enqueue_ticket.expires_at, enqueue_ticket.concurrency_key, enqueue_ticket.fairness_key,
    enqueue_ticket.unique_for, enqueue_ticket.on_duplicate, enqueue_ticket.after_names, enqueue_ticket.on_cancelled,
    enqueue_ticket.batch_id, enqueue_ticket.after_batch);
END
$$;
COMMENT ON FUNCTION enqueue_ticket IS 'Adds a ticket inside the caller''s transaction and returns its id: SELECT ${flyway:defaultSchema}.enqueue_ticket(design => ''hello'', payload => ''{"n": 1}''). No worker claims it before all tickets of after are done and the batch after_batch has ended, or from expires_at on; the results of those that after_names names are in its document. A limit may count it by its concurrency_key (set_limit); those of equal priority are claimed in turns over their fairness_keys. With a unique_key that a kept ticket already has, that ticket''s id is returned and nothing is added; unique_for (open, ever, or a time as 2h) and on_duplicate (keep, replace, refuse) say otherwise.';

CREATE OR REPLACE FUNCTION require_traceparent(traceparent text) RETURNS void
LANGUAGE plpgsql IMMUTABLE SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
BEGIN
  IF traceparent IS NULL OR traceparent !~ '^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$' OR traceparent ~ '^00-(0{32}|[0-9a-f]{32}-0{16})' THEN
    RAISE EXCEPTION '"%" is no traceparent', COALESCE(left(traceparent, 60), 'NULL')
      USING ERRCODE = 'HF422', HINT = 'It reads 00-<32 hex digits>-<16 hex digits>-01, as W3C Trace Context has it.';
  END IF;
END
$$;
COMMENT ON FUNCTION require_traceparent IS 'Refuses what is no traceparent (HF422).';

-- A function of its own, around enqueue_ticket, so that who sends no traces pays nothing for it.
CREATE OR REPLACE FUNCTION trace_ticket(ticket_id bigint, traceparent text) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
#variable_conflict use_variable
BEGIN
  PERFORM require_traceparent(traceparent);
  IF NOT EXISTS (SELECT FROM ticket_base b WHERE b.id = ticket_id) THEN
    RAISE EXCEPTION 'there is no ticket %', ticket_id USING ERRCODE = 'HF404';
  END IF;
  INSERT INTO ticket_traces VALUES (ticket_id, traceparent) ON CONFLICT DO NOTHING;
  RETURN ticket_id;
END
$$;
COMMENT ON FUNCTION trace_ticket IS 'Says under which trace a ticket was enqueued, and returns its id: SELECT ${flyway:defaultSchema}.trace_ticket(${flyway:defaultSchema}.enqueue_ticket(design => ''hello''), ''00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01''). The first one counts.';

CREATE OR REPLACE FUNCTION trace_batch(batch_id bigint, traceparent text) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = ${flyway:defaultSchema}, pg_temp SET enable_seqscan = off AS $$
#variable_conflict use_variable
DECLARE
  n bigint;
BEGIN
  PERFORM require_traceparent(traceparent);
  INSERT INTO ticket_traces SELECT b.id, traceparent FROM ticket_base b WHERE b.batch_id = trace_batch.batch_id ON CONFLICT DO NOTHING;
  GET DIAGNOSTICS n = ROW_COUNT;
  RETURN n;
END
$$;
COMMENT ON FUNCTION trace_batch IS 'Says under which trace all tickets of a batch were enqueued, of those that have none yet; returns how many.';

CREATE OR REPLACE FUNCTION trace_copied_tickets(after_id bigint, traceparent text) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = ${flyway:defaultSchema}, pg_temp SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off AS $$
#variable_conflict use_variable
DECLARE
  n bigint;
BEGIN
  PERFORM require_traceparent(traceparent);
  INSERT INTO ticket_traces SELECT b.id, traceparent FROM ticket_base b
  WHERE b.id > after_id AND (b.xmin = pg_current_xact_id()::xid OR is_of_savepoint(b.xmin)) ON CONFLICT DO NOTHING;
  GET DIAGNOSTICS n = ROW_COUNT;
  RETURN n;
END
$$;
COMMENT ON FUNCTION trace_copied_tickets IS 'Says under which trace this transaction has enqueued what is new since the sequence of the ids was at after_id, of those tickets that have none yet; returns how many.';

DROP FUNCTION IF EXISTS produce_ticket(text, jsonb, text, text, text, integer, timestamptz, text, numeric, timestamptz, text, text);
CREATE OR REPLACE FUNCTION foreign_ticket(caller name, ids bigint[]) RETURNS text
LANGUAGE sql STABLE SET search_path = ${flyway:defaultSchema}, pg_temp SET enable_seqscan = off SET enable_bitmapscan = off AS $$
  SELECT COALESCE(u.id::text, 'NULL') FROM unnest(ids) AS u (id)
  WHERE NOT EXISTS (
    SELECT FROM ticket_base b LEFT JOIN designs d ON d.id = b.design_id
    JOIN producer_grants g ON g.queue = b.queue AND (g.design = d.name OR g.design IS NULL AND d.id IS NULL AND g.kind = b.kind)
    WHERE b.id = u.id AND pg_has_role(caller, to_regrole(quote_ident(g.grantee)), 'MEMBER'))
  LIMIT 1
$$;
COMMENT ON FUNCTION foreign_ticket IS 'One of these tickets that a producer could not have enqueued, whether or not it is there; NULL if none.';

CREATE OR REPLACE FUNCTION produce_ticket(
  kind text DEFAULT NULL, payload jsonb DEFAULT '{}', queue text DEFAULT 'default', title text DEFAULT NULL,
  design text DEFAULT NULL, priority integer DEFAULT 0, run_at timestamptz DEFAULT NULL, unique_key text DEFAULT NULL,
  max_cost_usd numeric DEFAULT NULL, expires_at timestamptz DEFAULT NULL, concurrency_key text DEFAULT NULL,
  fairness_key text DEFAULT NULL, after bigint[] DEFAULT NULL) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
DECLARE
  -- Inside, current_user is the owner; after SET ROLE the setting tells who called.
  caller name := CASE WHEN current_setting('role') = 'none' THEN session_user ELSE current_setting('role') END;
  foreign_id text;
  produced bigint;
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
  -- The tickets of others are not locked, nor is told whether there are any.
  foreign_id := foreign_ticket(caller, produce_ticket.after);
  IF foreign_id IS NOT NULL THEN
    RAISE EXCEPTION '% may not wait for ticket %', caller, foreign_id
      USING ERRCODE = '42501', HINT = 'It waits only for tickets of the queues and designs that it may enqueue.';
  END IF;
  produced := enqueue_ticket(kind => produce_ticket.kind, payload => produce_ticket.payload, queue => produce_ticket.queue,
    title => produce_ticket.title, design => produce_ticket.design, priority => produce_ticket.priority,
    run_at => produce_ticket.run_at, unique_key => produce_ticket.unique_key, max_cost_usd => produce_ticket.max_cost_usd,
    expires_at => produce_ticket.expires_at, concurrency_key => produce_ticket.concurrency_key, fairness_key => produce_ticket.fairness_key,
    after => produce_ticket.after);
  -- Keys are one space for all: the ticket that has this one may be somebody else's.
  IF produce_ticket.unique_key IS NOT NULL AND foreign_ticket(caller, ARRAY[produced]) IS NOT NULL THEN
    RAISE EXCEPTION '% may not use the unique key "%": a ticket of others has it', caller, shorten(produce_ticket.unique_key, 100)
      USING ERRCODE = '42501', HINT = 'Begin keys with a word of your own, such as the name of the queue.';
  END IF;
  RETURN produced;
END
$$;
COMMENT ON FUNCTION produce_ticket IS 'enqueue_ticket for members of holdfast_producer: refuses what no row of producer_grants allows them.';

CREATE OR REPLACE FUNCTION make_claimable(t ticket_base) RETURNS void
LANGUAGE plpgsql SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
BEGIN
  IF t.state <> 'ready' OR t.assignee_type IS DISTINCT FROM 'agent' THEN
    RETURN;
  END IF;
  PERFORM know_lane(t.queue, t.kind);
  IF is_waiting(t.id) THEN
    RETURN; -- free_followers files it
  END IF;
  IF t.retry_after > now() THEN
    INSERT INTO deferred (run_at, created_at, id, priority, queue, kind)
    VALUES (t.retry_after, t.created_at, t.id, t.priority, t.queue, t.kind);
  ELSE
    IF stands_in_line(t) THEN
      PERFORM line_up(ARRAY[t.id]);
    ELSE
      INSERT INTO ready (priority, created_at, id, queue, kind)
      VALUES (t.priority, t.created_at, t.id, t.queue, t.kind);
    END IF;
    PERFORM wake_workers(ARRAY[t.queue]);
  END IF;
END
$$;
COMMENT ON FUNCTION make_claimable IS 'Files a ready ticket for agents under ready, in_line or deferred, when it comes back and waits for no other one; new ones are filed by enqueue_ticket and file_tickets.';

CREATE OR REPLACE FUNCTION make_unclaimable(t ticket_base) RETURNS boolean
LANGUAGE plpgsql SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
BEGIN
  -- It may be promoted, put in line, or put aside between two statements: so twice.
  FOR round IN 1..2 LOOP
    DELETE FROM ready r
    WHERE r.queue = t.queue AND r.kind = t.kind AND ~r.priority = ~t.priority AND r.created_at = t.created_at AND r.id = t.id;
    IF FOUND THEN
      RETURN true;
    END IF;
    DELETE FROM deferred d WHERE d.run_at = t.retry_after AND d.id = t.id;
    IF FOUND THEN
      RETURN true;
    END IF;
    DELETE FROM in_line w
    WHERE w.line = (SELECT g.line FROM line_gates g WHERE g.queue = t.queue AND g.kind = t.kind) AND ~w.priority = ~t.priority
      AND w.turn_group = turn_group(t.fairness_key, t.concurrency_key, (SELECT d.name FROM designs d WHERE d.id = t.design_id))
      AND w.created_at = t.created_at AND w.id = t.id;
    IF FOUND THEN
      RETURN true;
    END IF;
    DELETE FROM suspects s WHERE s.id = t.id;
    IF FOUND THEN
      DELETE FROM line_slots x WHERE x.ticket_id = t.id; -- it kept its place under a limit
      IF FOUND THEN
        PERFORM wake_lines();
      END IF;
      RETURN true;
    END IF;
  END LOOP;
  IF NOT is_waiting(t.id) THEN
    RETURN false;
  END IF;
  -- From now on the end of a step does not file it by itself.
  UPDATE workflows w SET parked = false WHERE w.ticket_id = t.id;
  RETURN true;
END
$$;
COMMENT ON FUNCTION make_unclaimable IS 'True if the ticket, whose row the caller has locked, stood in ready, in_line or deferred, or waits for another one: nobody has claimed it, and nobody can any more.';

-- One statement may hold or release thousands: a plan that was made while nothing was held would read all of held for each.
CREATE OR REPLACE FUNCTION file_held_ticket() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = ${flyway:defaultSchema}, pg_temp SET enable_seqscan = off AS $$
BEGIN
  IF TG_OP <> 'INSERT' THEN
    DELETE FROM held h WHERE h.id = OLD.id;
  END IF;
  IF TG_OP <> 'DELETE' AND NEW.held_at IS NOT NULL THEN
    INSERT INTO held (id, held_at, queue, kind, category, fingerprint)
    VALUES (NEW.id, NEW.held_at, NEW.queue, NEW.kind, COALESCE(NEW.error_category, ''), COALESCE(NEW.error_fingerprint, ''));
  END IF;
  RETURN NULL;
END
$$;
COMMENT ON FUNCTION file_held_ticket IS 'Keeps held in step with ticket_base.held_at.';

CREATE OR REPLACE FUNCTION forget_held() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
BEGIN
  TRUNCATE held;
  RETURN NULL;
END
$$;
COMMENT ON FUNCTION forget_held IS 'Where all tickets go, none is held.';

SELECT grant_roles(only_new => true);
