-- enqueue_ticket files a usual ticket itself. Until now a trigger filed whatever came into ticket_base, and a foreign key looked at each
-- row: with the search path of its own, a fifth of what a single enqueue cost the server (docs/adr/0008-engine-speed.md).
-- Nothing can come in unfiled all the same: a row of ticket_base must say that it is filed, and an INSERT that does not is refused.
-- Earlier binaries: they work on, but tickets that they add many at once (COPY) are refused, with words, until they are replaced.

CREATE FUNCTION refuse_unfiled_ticket() RETURNS boolean
LANGUAGE plpgsql SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
BEGIN
  RAISE EXCEPTION 'a row of ticket_base must say that it is filed, or no worker would see the ticket'
    USING ERRCODE = 'HF409', HINT = 'INSERT INTO ${flyway:defaultSchema}.tickets or call ${flyway:defaultSchema}.enqueue_ticket instead; a program that does this itself is older than the database: upgrade it.';
END
$$;
COMMENT ON FUNCTION refuse_unfiled_ticket IS 'The default of ticket_base.filed: refuses an INSERT that leaves it out.';

ALTER TABLE ticket_base ADD COLUMN filed boolean NOT NULL DEFAULT true;
ALTER TABLE ticket_base ALTER COLUMN filed SET DEFAULT refuse_unfiled_ticket();
COMMENT ON COLUMN ticket_base.filed IS 'Always true. Who inserts a row says so, and files the ticket in the same transaction, with file_tickets or as enqueue_ticket does.';

CREATE FUNCTION file_tickets(ids bigint[]) RETURNS void
LANGUAGE plpgsql SET search_path = ${flyway:defaultSchema}, pg_temp SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off AS $$
DECLARE
  usual bigint;
  odd bigint[];
BEGIN
  -- Mostly all of them are ready for agents, in lanes that are known. = ANY (ARRAY[u.id]) keeps to the primary key (V13).
  INSERT INTO ready (priority, created_at, id, queue, kind)
  SELECT b.priority, b.created_at, b.id, b.queue, b.kind
  FROM unnest(ids) AS u (id)
  JOIN ticket_base b ON b.id = ANY (ARRAY[u.id])
  JOIN lanes l ON l.queue = b.queue AND l.kind = b.kind
  WHERE b.state = 'ready' AND b.assignee_type = 'agent' AND (b.retry_after IS NULL OR b.retry_after <= now())
    AND broken_rule(b) IS NULL;
  GET DIAGNOSTICS usual = ROW_COUNT;
  IF usual < cardinality(ids) THEN
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
COMMENT ON FUNCTION file_tickets IS 'Files new tickets, in the transaction that inserted them: each under ready, deferred, held or nothing, in a lane that is known from then on. Refuses those that break a rule.';

CREATE FUNCTION file_copied_tickets(after_id bigint) RETURNS bigint
LANGUAGE plpgsql SET search_path = ${flyway:defaultSchema}, pg_temp SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off AS $$
DECLARE
  copied bigint[] := ARRAY(
    SELECT b.id FROM ticket_base b WHERE b.id > after_id AND b.xmin = pg_current_xact_id()::xid);
BEGIN
  PERFORM file_tickets(copied);
  RETURN cardinality(copied);
END
$$;
COMMENT ON FUNCTION file_copied_tickets IS 'Files what this transaction copied in since the sequence of the ids was at after_id, and says how many those are: COPY tells no ids.';

DROP TRIGGER file_inserted_tickets ON ticket_base;
DROP FUNCTION file_inserted_tickets();
COMMENT ON FUNCTION make_claimable IS 'Files a ready ticket for agents under ready or deferred, when it comes back; new ones are filed by enqueue_ticket and file_tickets.';

CREATE FUNCTION enqueue_any_ticket(
  kind text, payload jsonb, queue text, title text, design text, priority integer, run_at timestamptz, unique_key text,
  max_cost_usd numeric) RETURNS bigint
LANGUAGE plpgsql SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
#variable_conflict use_column
DECLARE
  d designs;
  kind_name text;
  found_id bigint;
BEGIN
  IF enqueue_any_ticket.design IS NOT NULL THEN
    d := latest_design(enqueue_any_ticket.design);
  END IF;
  kind_name := kind_of_new_ticket(enqueue_any_ticket.kind, d);
  LOOP
    INSERT INTO ticket_base AS b (filed, design_id, kind, payload, queue, title, priority, retry_after, unique_key, max_cost_usd)
    VALUES (true, d.id, kind_name, COALESCE(enqueue_any_ticket.payload, '{}'),
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
COMMENT ON FUNCTION enqueue_any_ticket IS 'What enqueue_ticket does for a ticket with a design, a key, a start time or a cost limit, or the first of its lane.';

-- Most tickets are of a kind and a queue that had one before, and are to run at once: those cost two INSERTs with a look in each.
-- Trap: it runs with its owner's rights and, because setting one costs as much as a statement before PostgreSQL 17, with the search path
-- of its caller. So whatever it names, operators too, is named with its schema.
CREATE OR REPLACE FUNCTION enqueue_ticket(
  kind text DEFAULT NULL, payload jsonb DEFAULT '{}', queue text DEFAULT 'default', title text DEFAULT NULL,
  design text DEFAULT NULL, priority integer DEFAULT 0, run_at timestamptz DEFAULT NULL, unique_key text DEFAULT NULL,
  max_cost_usd numeric DEFAULT NULL) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER AS $$
#variable_conflict use_column
DECLARE
  new_id bigint;
  somebody_sleeps boolean;
BEGIN
  IF enqueue_ticket.design IS NULL AND enqueue_ticket.run_at IS NULL AND enqueue_ticket.unique_key IS NULL
    AND enqueue_ticket.max_cost_usd IS NULL
  THEN
    INSERT INTO ${flyway:defaultSchema}.ticket_base AS b (filed, kind, payload, queue, title, priority)
    SELECT true, l.kind, COALESCE(enqueue_ticket.payload, '{}'), l.queue, enqueue_ticket.title, COALESCE(enqueue_ticket.priority, 0)
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

-- As before, but they file what they insert.
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
  INSERT INTO ticket_base (filed, id, queue, kind, design_id, title, payload, state, assignee_type, priority, retry_count,
    rejection_count, retry_after, retry_strategy, error, error_category, error_fingerprint, hold_reason, unique_key, result,
    created_at, updated_at, started_at, completed_at, held_at, hold_actions, max_cost_usd)
  VALUES (true, NEW.id, NEW.queue, NEW.kind, NEW.design_id, NEW.title, NEW.payload, NEW.state, NEW.assignee_type, NEW.priority,
    NEW.retry_count, NEW.rejection_count, NEW.retry_after, NEW.retry_strategy, NEW.error, NEW.error_category,
    NEW.error_fingerprint, NEW.hold_reason, NEW.unique_key, NEW.result, NEW.created_at, NEW.updated_at, NEW.started_at,
    NEW.completed_at, NEW.held_at, NEW.allowed_actions, NEW.max_cost_usd);
  PERFORM file_tickets(ARRAY[NEW.id]);
  NEW.lease_no := 0;
  NEW.attempt_count := 0;
  NEW.crash_count := 0;
  NEW.same_error_count := 0;
  NEW.worker_id := NULL;
  NEW.lease_expires_at := NULL;
  RETURN NEW;
END
$$;
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

-- A design that was once there stays: that is what the foreign key was for, and it cost every enqueue a look.
CREATE FUNCTION keep_designs() RETURNS trigger
LANGUAGE plpgsql SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
BEGIN
  RAISE EXCEPTION 'versions of designs are kept: tickets refer to them'
    USING ERRCODE = 'HF409', HINT = 'Add a new version; new tickets are given that.';
END
$$;
COMMENT ON FUNCTION keep_designs IS 'Refuses to delete a version of a design, or to give it another id.';
CREATE TRIGGER keep_designs BEFORE DELETE OR UPDATE OF id OR TRUNCATE ON designs FOR EACH STATEMENT EXECUTE FUNCTION keep_designs();
ALTER TABLE ticket_base DROP CONSTRAINT ticket_base_design_id_fkey;
COMMENT ON COLUMN ticket_base.design_id IS 'designs.id, which is never deleted: the functions that insert a ticket have looked it up.';

-- Every enqueue looks for its lane. A table that was never analyzed is taken for one of ten pages and read by its index, which takes
-- longer than the one page that it mostly is; autovacuum would leave it alone until fifty lanes have come.
ALTER TABLE lanes SET (
  autovacuum_analyze_threshold = 0, autovacuum_vacuum_insert_threshold = 0, autovacuum_vacuum_insert_scale_factor = 0.1);

REVOKE EXECUTE ON FUNCTION file_tickets, file_copied_tickets, enqueue_any_ticket, refuse_unfiled_ticket, keep_designs FROM PUBLIC;

DO $$
DECLARE
  s text := quote_ident('${flyway:defaultSchema}');
BEGIN
  IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'holdfast_worker') THEN
    EXECUTE format('GRANT SELECT ON SEQUENCE %s.ticket_base_id_seq TO holdfast_worker', s);
    EXECUTE format('GRANT EXECUTE ON FUNCTION %1$s.file_tickets, %1$s.file_copied_tickets, %1$s.enqueue_any_ticket, '
      '%1$s.refuse_unfiled_ticket, %1$s.keep_designs TO holdfast_worker', s);
  END IF;
END
$$;
