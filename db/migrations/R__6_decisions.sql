-- What people decide of results, payloads, designs and queues. What the head of R__6_people.sql says of its functions holds here, too.
--
-- Flyway runs this file after all versioned ones: again with each version of the schema (now ${version}), and whenever it changes.

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
  PERFORM free_followers(ARRAY[t.id], false);
  RETURN 'done';
END
$$;
COMMENT ON FUNCTION approve_ticket IS 'Accepts the result of a ticket in needs_review: it is done. A repair whose design says so gets a ticket that merges or pushes it.';

CREATE OR REPLACE FUNCTION reject_ticket(id bigint, actor text, feedback text DEFAULT NULL) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
DECLARE
  t ticket_base;
BEGIN
  PERFORM require_words('actor', actor);
  IF feedback IS NOT NULL THEN
    PERFORM require_words('feedback', feedback);
  END IF;
  t := locked_ticket(reject_ticket.id);
  IF t.state <> 'needs_review' THEN
    PERFORM refuse_action(t, 'reject');
  END IF;
  PERFORM log_activity(t.id, 'rejected', actor, jsonb_build_object('feedback', feedback));
  -- By it their workers know a result that was rejected from one that was never stored.
  PERFORM give_guidance(t.id, actor, 'reject',
    COALESCE(feedback, CASE WHEN t.kind IN ('agent', 'repair') THEN 'Rejected, without a reason.' END));
  UPDATE ticket_base b
  SET state = 'ready', rejection_count = b.rejection_count + 1, retry_count = 0, retry_counts = NULL, same_error_count = 0,
      crash_count = 0, completed_at = NULL, retry_after = NULL, updated_at = now()
  WHERE b.id = t.id
  RETURNING * INTO t;
  PERFORM make_claimable(t);
  RETURN t.state;
END
$$;
COMMENT ON FUNCTION reject_ticket IS 'Sends the result of a ticket in needs_review back to work; the feedback becomes guidance for the next attempt. It may be left out, but not be empty.';

CREATE OR REPLACE FUNCTION assign_ticket(id bigint, assignee text, actor text) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
DECLARE
  t ticket_base;
  person text := words_or_null(assign_ticket.assignee);
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
  -- A change as any other: what was seen of the ticket before is old.
  UPDATE ticket_base b SET updated_at = now() WHERE b.id = t.id;
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
  -- A statement of its own: who had the batch until now may have counted them (advance_batch).
  PERFORM FROM batches b WHERE b.id = ANY (ARRAY(SELECT DISTINCT x.batch_id FROM gone x WHERE x.batch_id IS NOT NULL)) ORDER BY b.id FOR NO KEY UPDATE;
  IF FOUND THEN
    UPDATE batches b SET
      settled_done = b.settled_done + g.done, settled_cancelled = b.settled_cancelled + g.cancelled,
      counts = counts_without(b.counts, g.done, g.cancelled)
    FROM (
      SELECT x.batch_id, count(*) FILTER (WHERE x.state = 'done') AS done, count(*) FILTER (WHERE x.state = 'cancelled') AS cancelled
      FROM gone x JOIN batches y ON y.id = x.batch_id AND x.id >= y.settled_below GROUP BY x.batch_id
    ) g
    WHERE b.id = g.batch_id;
  END IF;
  DELETE FROM ticket_assignments WHERE ticket_id = ANY (ARRAY(SELECT id FROM gone));
  DELETE FROM released_holds WHERE ticket_id = ANY (ARRAY(SELECT id FROM gone));
  DELETE FROM ticket_dependencies WHERE ticket_id = ANY (ARRAY(SELECT id FROM gone));
  DELETE FROM batch_followers WHERE ticket_id = ANY (ARRAY(SELECT id FROM gone));
  DELETE FROM ticket_parents WHERE ticket_id = ANY (ARRAY(SELECT id FROM gone));
  DELETE FROM workflows WHERE ticket_id = ANY (ARRAY(SELECT id FROM gone));
  RETURN NULL;
END
$$;
COMMENT ON FUNCTION forget_people IS 'A deleted ticket takes its assignment, its last hold and what it waited for with it, and stays counted in its batch.';

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
  lost text;
BEGIN
  PERFORM require_words('actor', actor);
  t := locked_ticket(use_design.id);
  IF t.state <> 'on_hold' THEN
    PERFORM refuse_action(t, 'change the design of');
  END IF;
  SELECT * INTO d FROM designs WHERE designs.id = t.design_id;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'ticket % has no design, only the kind %', t.id, t.kind USING ERRCODE = 'HF409', DETAIL = t.state;
  END IF;
  SELECT * INTO wanted FROM designs x
  WHERE x.name = d.name AND (use_design.version IS NULL OR x.version = use_design.version) ORDER BY x.version DESC LIMIT 1;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'there is no version % of the design "%"', use_design.version, d.name
      USING ERRCODE = 'HF404', HINT = format('holdfast design show %s shows the latest one', d.name);
  ELSIF wanted.kind <> t.kind THEN
    RAISE EXCEPTION 'version % of the design "%" is of kind %, ticket % of kind %', wanted.version, d.name, wanted.kind, t.id, t.kind
      USING ERRCODE = 'HF409', DETAIL = t.state, HINT = 'Cancel the ticket and enqueue another one.';
  END IF;
  -- The tickets of a step that has begun are known by its name, and as a list or as one: what comes of them must have its place.
  SELECT string_agg(DISTINCT x.name, ', ' ORDER BY x.name) INTO lost FROM ticket_dependencies x
  WHERE t.kind = 'workflow' AND x.ticket_id = t.id AND x.name = ANY (ARRAY(SELECT jsonb_object_keys(d.definition->'steps')))
    AND (wanted.definition->'steps'->x.name ? 'for_each') IS DISTINCT FROM (d.definition->'steps'->x.name ? 'for_each');
  IF lost IS NOT NULL THEN
    RAISE EXCEPTION 'version % of the design "%" has other steps than ticket % has begun: %', wanted.version, d.name, t.id, left(lost, 200)
      USING ERRCODE = 'HF409', DETAIL = t.state,
      HINT = 'A step that has begun must be in the design, with for_each if it had it. Or cancel the ticket and enqueue another one.';
  ELSIF wanted.id <> t.design_id THEN
    PERFORM log_activity(t.id, 'design_changed', actor,
      jsonb_build_object('design', d.name, 'before', d.version, 'version', wanted.version));
    UPDATE ticket_base b SET design_id = wanted.id, updated_at = now() WHERE b.id = t.id;
  END IF;
  RETURN t.state;
END
$$;
COMMENT ON FUNCTION use_design IS 'Lets the next attempts of a held ticket use the latest version of its design, or the one that is named: SELECT ${flyway:defaultSchema}.use_design(17, ''ann''). It stays on hold. SQLSTATE HF409 for a ticket without a design, and where the version is of another kind or lacks a step that the workflow has begun.';

CREATE OR REPLACE FUNCTION pause_queue(queue text, actor text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
BEGIN
  PERFORM require_words('actor', actor);
  PERFORM require_queue_name(queue);
  PERFORM require_queue(queue);
  INSERT INTO queues (name, paused_at, paused_by) VALUES (pause_queue.queue, now(), pause_queue.actor)
  ON CONFLICT (name) DO UPDATE SET paused_at = COALESCE(queues.paused_at, now()), paused_by = COALESCE(queues.paused_by, pause_queue.actor);
  PERFORM log_activity(NULL, 'queue_paused', actor, jsonb_build_object('queue', pause_queue.queue));
END
$$;
COMMENT ON FUNCTION pause_queue IS 'Stops claims from a queue until resume_queue; running tickets go on. Survives restarts. SQLSTATE HF404 where no ticket was ever in the queue and no worker names it, but for the queue default.';

CREATE OR REPLACE FUNCTION resume_queue(queue text, actor text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
BEGIN
  PERFORM require_words('actor', actor);
  UPDATE queues q SET paused_at = NULL, paused_by = NULL WHERE q.name = resume_queue.queue;
  IF NOT FOUND THEN
    PERFORM require_queue(queue);
  END IF;
  PERFORM log_activity(NULL, 'queue_resumed', actor, jsonb_build_object('queue', resume_queue.queue));
  PERFORM wake_workers(ARRAY[resume_queue.queue]);
END
$$;
COMMENT ON FUNCTION resume_queue IS 'Ends a pause.';

SELECT grant_roles(only_new => true);
