-- What people may do about retries beside ending one that a session waits in: switch them off and on for one ticket, and have a ticket
-- that waits for its retry or for a provider tried now. And what they are told of one: when it comes.
-- Tickets of other kinds have no row here; only a DELETE of a ticket does more than before.
-- Earlier binaries: they work on, and retry as they are configured whatever the switch says; their abort_retry finds this function.

CREATE TABLE auto_retry_switches (
  ticket_id  bigint PRIMARY KEY,
  enabled    boolean NOT NULL,
  changed_by text NOT NULL,
  changed_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
COMMENT ON TABLE auto_retry_switches IS 'Tickets whose sessions retry, or do not, because a person says so: it counts before the design and the configuration, on every worker, until it is switched again. Goes with its ticket.';

CREATE OR REPLACE FUNCTION forget_sessions() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = ${flyway:defaultSchema}, pg_temp SET enable_seqscan = off SET enable_bitmapscan = off
AS $$
BEGIN
  DELETE FROM session_journal WHERE ticket_id = ANY (ARRAY(SELECT id FROM gone));
  DELETE FROM session_events WHERE ticket_id = ANY (ARRAY(SELECT id FROM gone));
  DELETE FROM retry_aborts WHERE ticket_id = ANY (ARRAY(SELECT id FROM gone));
  DELETE FROM tool_approvals WHERE ticket_id = ANY (ARRAY(SELECT id FROM gone));
  DELETE FROM auto_retry_switches WHERE ticket_id = ANY (ARRAY(SELECT id FROM gone));
  RETURN NULL;
END
$$;
COMMENT ON FUNCTION forget_sessions IS 'A deleted ticket takes its journal, its events, its orders and its switch with it.';

CREATE FUNCTION set_auto_retry(id bigint, actor text, enabled boolean) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
DECLARE
  t ticket_base;
BEGIN
  PERFORM require_words('actor', actor);
  IF enabled IS NULL THEN
    RAISE EXCEPTION 'enabled must be true or false' USING ERRCODE = 'HF422';
  END IF;
  t := locked_ticket(set_auto_retry.id);
  IF t.state IN ('done', 'cancelled') THEN
    PERFORM refuse_action(t, 'switch the auto-retry of');
  END IF;
  INSERT INTO auto_retry_switches AS s (ticket_id, enabled, changed_by) VALUES (t.id, set_auto_retry.enabled, actor)
  ON CONFLICT (ticket_id) DO UPDATE SET enabled = EXCLUDED.enabled, changed_by = EXCLUDED.changed_by, changed_at = EXCLUDED.changed_at;
  PERFORM log_activity(t.id, 'auto_retry_switched', actor, jsonb_build_object('enabled', set_auto_retry.enabled));
  RETURN (SELECT v.state FROM tickets v WHERE v.id = t.id);
END
$$;
COMMENT ON FUNCTION set_auto_retry IS 'Switches the retries of an agent''s session off or on for one ticket, also while it runs: SELECT ${flyway:defaultSchema}.set_auto_retry(17, ''ann'', false). A retry that waits then ends within a second; the ticket''s own retries go on. Returns the ticket''s state. SQLSTATE HF409 where the ticket is done or cancelled.';

-- A person means the wait that they see. What the ticket waits for is opened for one call, whoever makes it: if the provider still fails,
-- its cool-down begins anew. Cool-downs are locked before tickets, as mend_provider does.
CREATE OR REPLACE FUNCTION abort_retry(id bigint, actor text) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
DECLARE
  t ticket_base;
  running_lease_no bigint;
  opened text[];
BEGIN
  PERFORM require_words('actor', actor);
  WITH open_again AS (
    UPDATE provider_cooldowns c SET until = clock_timestamp()
    FROM waiting_tickets w
    WHERE w.ticket_id = abort_retry.id AND w.kind = 'provider' AND c.until > clock_timestamp() AND c.until < 'infinity'
      AND c.provider || '/' || c.key_id || '/' || c.model = ANY (w.scopes)
    RETURNING c.provider || '/' || c.key_id || '/' || c.model AS scope)
  SELECT array_agg(o.scope) INTO opened FROM open_again o;
  t := locked_ticket(abort_retry.id);
  SELECT l.id INTO running_lease_no FROM running_lease(t.id, t.fence) l WHERE t.state = 'ready';
  IF FOUND THEN
    INSERT INTO retry_aborts AS r (ticket_id, lease_no, requested_by) VALUES (t.id, running_lease_no, actor)
    ON CONFLICT (ticket_id) DO UPDATE
    SET lease_no = EXCLUDED.lease_no, requested_at = EXCLUDED.requested_at, requested_by = EXCLUDED.requested_by;
    PERFORM log_activity(t.id, 'retry_abort_ordered', actor);
    RETURN 'in_progress';
  END IF;
  IF t.state <> 'ready' OR t.attempt_count = 0 OR t.retry_after IS NULL OR t.retry_after <= clock_timestamp() OR NOT make_unclaimable(t) THEN
    PERFORM refuse_action(t, 'end a retry of');
  END IF;
  PERFORM log_activity(t.id, 'tried_now', actor,
    jsonb_strip_nulls(jsonb_build_object('retryAfter', t.retry_after, 'opened', to_jsonb(opened))));
  UPDATE ticket_base b SET retry_after = NULL, updated_at = now() WHERE b.id = t.id RETURNING * INTO t;
  PERFORM make_claimable(t);
  IF opened IS NOT NULL THEN
    PERFORM pg_notify('${flyway:defaultSchema}_providers', '');
  END IF;
  RETURN t.state;
END
$$;
COMMENT ON FUNCTION abort_retry IS 'Ends the wait that a ticket is in: SELECT ${flyway:defaultSchema}.abort_retry(17, ''ann''). in_progress: the retry of its running session is to end; its worker looks for such orders while it waits, and where nothing waits the order is void after 15 seconds. ready: it waited for its own retry or for a provider, and is tried now; one call may be made before the provider''s cool-down is over. SQLSTATE HF409 where it waits for neither.';

-- A30: whoever is told of a retry is told when it comes. A decision is stored in the transaction that makes the ticket wait, so its time is
-- known from its delay; of a deferral the ticket itself knows it, until it is claimed again.
CREATE FUNCTION with_retry_time(action text, details jsonb, decided_at timestamptz) RETURNS jsonb
LANGUAGE sql STABLE SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
  SELECT CASE
    WHEN action = 'retry_decision' AND details @> '{"shouldRetry": true}' AND jsonb_typeof(details->'nextDelayMs') = 'number'
    THEN details || jsonb_build_object('retryAfter', to_char(
      (decided_at + (details->>'nextDelayMs')::bigint * interval '1 millisecond') AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))
    ELSE details
  END
$$;
COMMENT ON FUNCTION with_retry_time IS 'The details of an activity; of a decision to retry with retryAfter, the time of the retry.';

CREATE OR REPLACE VIEW ticket_timeline AS
SELECT b.id AS ticket_id, b.created_at AS at, 'created' AS event, NULL::text AS actor, jsonb_strip_nulls(jsonb_build_object('queue', b.queue, 'kind', b.kind)) AS details
FROM ticket_base b
UNION ALL
SELECT a.ticket_id, a.started_at, 'claimed', a.worker_id, jsonb_build_object('attempt', a.attempt, 'leaseNo', a.lease_no)
FROM ticket_attempts a
UNION ALL
SELECT a.ticket_id, a.finished_at, a.outcome, a.worker_id, jsonb_strip_nulls(jsonb_build_object('attempt', a.attempt, 'category', a.category,
  'rule', a.rule, 'fingerprint', a.fingerprint, 'error', shorten(a.error, 500), 'retryAfter', (
    SELECT b.retry_after FROM ticket_base b WHERE a.outcome = 'deferred' AND b.id = a.ticket_id AND b.fence = a.lease_no)))
FROM ticket_attempts a
UNION ALL
SELECT u.ticket_id, l.claimed_at, 'claimed', l.worker_id, jsonb_build_object('leaseNo', l.id)
FROM leases l CROSS JOIN LATERAL unnest(l.ids) AS u(ticket_id) JOIN ticket_base b ON b.id = u.ticket_id AND b.state = 'ready' AND l.id > b.fence
UNION ALL
SELECT y.ticket_id, y.created_at, y.action, y.actor, with_retry_time(y.action, y.details, y.created_at)
FROM ticket_activity y WHERE y.ticket_id IS NOT NULL;

-- with_retry_time stays everybody's: who may read ticket_timeline needs it.
REVOKE EXECUTE ON FUNCTION set_auto_retry FROM PUBLIC;

DO $$
DECLARE
  s text := quote_ident('${flyway:defaultSchema}');
BEGIN
  IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'holdfast_viewer') THEN
    EXECUTE format('GRANT SELECT ON %s.auto_retry_switches TO holdfast_viewer', s);
  END IF;
  IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'holdfast_operator') THEN
    EXECUTE format('GRANT SELECT ON %s.auto_retry_switches TO holdfast_operator', s);
    EXECUTE format('GRANT EXECUTE ON FUNCTION %1$s.set_auto_retry TO holdfast_operator', s);
  END IF;
  IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'holdfast_worker') THEN
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %s.auto_retry_switches TO holdfast_worker', s);
    EXECUTE format('GRANT EXECUTE ON FUNCTION %1$s.set_auto_retry TO holdfast_worker', s);
  END IF;
END
$$;
