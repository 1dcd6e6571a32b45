-- What a worker calls for tickets that failed is a function too, as for those that succeeded (V3, V13): its statements are planned once
-- per connection, its settings come with it, and what many tickets share is sent and parsed once (docs/adr/0008-engine-speed.md).
-- Earlier binaries: they work on, with the statements that they bring.

-- Looked at with every batch of failures, so only those that matter are in it.
CREATE INDEX queues_with_retry_settings ON queues (name) WHERE retry IS NOT NULL;

-- Stores decisions on failures (A26, A33): ticket, attempt, activity (A60) and the place in the queue together, and wakes workers if
-- some of the tickets are ready at once.
-- ticket_ids, lease_nos and decision_nos are of one length; the other arrays have one element for each decision, counted from 1.
-- unseen: the decisions were made without a look at the tickets, so they hold only for those that have never failed and have no retry
-- settings of their own, of a design or of their queue. The last error counts only together with its fingerprint.
-- Always one row: when all this happened, without a ticket; then one for each ticket that was not stored.
-- The leases are not locked: see store_successes. Tickets are locked in the order of their ids, as everybody does.
-- Traps: decisions are joined by hash, whatever the planner believes of the arrays' lengths: a nested loop over 500 decisions for 500
-- tickets takes longer than all the rest. `= ANY (ARRAY[i.id])` can neither hash nor merge, so it stays the primary key.
CREATE FUNCTION store_failures(
  unseen boolean, ticket_ids bigint[], lease_nos bigint[], decision_nos integer[],
  outcomes text[], hold_reasons text[], delays_ms bigint[], new_retry_counts integer[], counts_by_category text[],
  new_same_error_counts integer[], new_crash_counts integer[], errors text[], categories text[], fingerprints text[], rules text[],
  http_statuses integer[], strategies text[], activities text[])
RETURNS TABLE (decided_at timestamptz, ticket_id bigint, lease_no bigint)
LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET enable_nestloop = off
  SET enable_mergejoin = off SET jit = off SET lock_timeout = '250ms'
AS $$
#variable_conflict use_column
DECLARE
  own_settings text[] := CASE WHEN unseen THEN ARRAY(SELECT q.name FROM ${flyway:defaultSchema}.queues q WHERE q.retry IS NOT NULL) END;
  stored bigint[];
  stored_leases bigint[];
  at_once text[];
BEGIN
  WITH lease AS MATERIALIZED (
    SELECT l.id, l.claimed_at, l.worker_id FROM ${flyway:defaultSchema}.leases l WHERE l.id = ANY (lease_nos)
  ), decision AS MATERIALIZED (
    SELECT
      d.no, d.hold_reason IS NOT NULL AS hold, d.delay_ms * interval '1 millisecond' AS delay, d.retry_count, d.same_error_count,
      d.crash_count, d.http_status, d.outcome, d.category, d.fingerprint, d.rule, d.hold_reason, d.error,
      d.counts::jsonb AS counts, d.strategy::jsonb AS strategy, d.activity::jsonb AS activity
    FROM unnest(outcomes, hold_reasons, delays_ms, new_retry_counts, counts_by_category, new_same_error_counts, new_crash_counts, errors,
      categories, fingerprints, rules, http_statuses, strategies, activities)
    WITH ORDINALITY AS d (outcome, hold_reason, delay_ms, retry_count, counts, same_error_count, crash_count, error,
      category, fingerprint, rule, http_status, strategy, activity, no)
  ), input AS MATERIALIZED (
    SELECT i.id, i.lease_no, l.claimed_at, l.worker_id, d.*
    FROM unnest(ticket_ids, lease_nos, decision_nos) AS i (id, lease_no, no)
    JOIN lease l ON l.id = i.lease_no
    JOIN decision d ON d.no = i.no
    ORDER BY i.id
  ), decided AS (
    UPDATE ${flyway:defaultSchema}.ticket_base b
    SET fence = i.lease_no, state = CASE WHEN i.hold THEN 'on_hold' ELSE 'ready' END,
        retry_count = i.retry_count, retry_counts = i.counts, same_error_count = i.same_error_count,
        crash_count = i.crash_count, attempt_count = b.attempt_count + 1,
        -- A hold writes no retry_after (A21).
        retry_after = CASE WHEN i.hold THEN b.retry_after ELSE now() + i.delay END,
        retry_strategy = CASE WHEN jsonb_typeof(b.retry_strategy) = 'object' THEN b.retry_strategy || i.strategy ELSE i.strategy END,
        error = i.error, error_category = i.category, error_fingerprint = i.fingerprint,
        hold_reason = i.hold_reason, held_at = CASE WHEN i.hold THEN now() END,
        hold_actions = CASE WHEN i.hold THEN '{release,release_with_guidance,cancel}'::text[] END,
        completed_at = CASE WHEN i.hold THEN now() END,
        started_at = i.claimed_at, updated_at = now()
    FROM input i
    WHERE b.id = ANY (ARRAY[i.id]) AND b.state = 'ready' AND b.fence < i.lease_no
      AND (NOT unseen OR (
        COALESCE(b.retry_count, 0) = 0 AND b.retry_counts IS NULL AND b.crash_count = 0 AND b.error_fingerprint IS NULL
        AND b.retry_strategy IS NULL AND b.design_id IS NULL AND b.queue <> ALL (own_settings)))
    RETURNING b.id, b.fence, b.priority, b.created_at, b.retry_after, b.attempt_count, b.queue, b.kind,
      b.state = 'ready' AND b.assignee_type = 'agent' AS claimable, i.claimed_at, i.worker_id, i.outcome, i.category, i.rule,
      i.fingerprint, i.error, i.http_status, i.activity
  ), attempted AS (
    INSERT INTO ${flyway:defaultSchema}.ticket_attempts
      (ticket_id, lease_no, started_at, finished_at, attempt, http_status, outcome, worker_id, category, rule, fingerprint, error)
    SELECT id, fence, claimed_at, now(), attempt_count, http_status, outcome, worker_id, category, rule, fingerprint, error FROM decided
  ), logged AS (
    INSERT INTO ${flyway:defaultSchema}.ticket_activity (ticket_id, action, actor, details)
    SELECT id, 'retry_decision', 'system', activity FROM decided
  ), now_ready AS (
    INSERT INTO ${flyway:defaultSchema}.ready (priority, created_at, id, queue, kind)
    SELECT priority, created_at, id, queue, kind FROM decided WHERE claimable AND retry_after <= now()
  ), later AS (
    INSERT INTO ${flyway:defaultSchema}.deferred (run_at, created_at, id, priority, queue, kind)
    SELECT retry_after, created_at, id, priority, queue, kind FROM decided WHERE claimable AND retry_after > now()
  )
  SELECT
    array_agg(d.id), array_agg(d.fence),
    ARRAY(SELECT DISTINCT r.queue FROM decided r WHERE r.claimable AND r.retry_after <= now())
  INTO stored, stored_leases, at_once
  FROM decided d;
  IF cardinality(at_once) > 0 THEN
    PERFORM ${flyway:defaultSchema}.wake_workers(at_once);
  END IF;
  RETURN QUERY SELECT now(), NULL::bigint, NULL::bigint;
  IF stored IS NULL OR cardinality(stored) < cardinality(ticket_ids) THEN
    RETURN QUERY
    SELECT now(), i.id, i.lease_no FROM unnest(ticket_ids, lease_nos) AS i (id, lease_no)
    EXCEPT
    SELECT now(), s.id, s.lease_no FROM unnest(stored, stored_leases) AS s (id, lease_no);
  END IF;
END
$$;
COMMENT ON FUNCTION store_failures IS 'Stores decisions on failures and returns when, and which tickets were not stored: those that are no longer in progress under their lease, and, if the decisions were made unseen, those of which something is known.';

REVOKE EXECUTE ON FUNCTION store_failures FROM PUBLIC;

DO $$
BEGIN
  IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'holdfast_worker') THEN
    EXECUTE format('GRANT EXECUTE ON FUNCTION %I.store_failures TO holdfast_worker', '${flyway:defaultSchema}');
  END IF;
END
$$;
