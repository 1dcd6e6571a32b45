-- What a worker stores of the attempts that have ended: successes and failures. What the head of R__5_engine.sql says of functions holds here, too.
--
-- Flyway runs this file after all versioned ones: again with each version of the schema (now ${version}), and whenever it changes.

-- Stores successes: ticket and attempt row together, only under a lease that is there and newer than the ticket's fence.
-- The arrays are of one length. Tickets are locked in the order of their ids, as everybody does. Returns what was not stored, which is
-- mostly nothing: telling of each ticket that was would cost as much as its place in the index.
-- The lease is not locked: whatever ends a ticket's stay under it raises the fence, which is checked again on the locked row.
-- Traps: one access path only; `= ANY (ARRAY[i.id])` can neither hash nor merge, so it stays the primary key.
CREATE OR REPLACE FUNCTION store_successes(ticket_ids bigint[], lease_nos bigint[], new_states text[], json_results text[], closed bigint[])
RETURNS TABLE (ticket_id bigint, lease_no bigint)
LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET lock_timeout = '250ms'
AS $$
#variable_conflict use_column
DECLARE
  stored bigint;
BEGIN
  IF cardinality(ticket_ids) > 0 THEN
    WITH held AS MATERIALIZED (
      SELECT l.id, l.claimed_at, l.worker_id FROM ${flyway:defaultSchema}.leases l WHERE l.id = ANY (lease_nos)
    ), input AS MATERIALIZED (
      SELECT i.id, i.lease_no, i.state, i.result, h.claimed_at, h.worker_id
      FROM unnest(ticket_ids, lease_nos, new_states, json_results) AS i (id, lease_no, state, result)
      JOIN held h ON h.id = i.lease_no
      ORDER BY i.id
    ), finished AS (
      UPDATE ${flyway:defaultSchema}.ticket_base b
      SET fence = i.lease_no, state = CASE i.state WHEN 'approved' THEN 'done' ELSE i.state END, result = i.result::jsonb, started_at = i.claimed_at, completed_at = now(),
          updated_at = now(), retry_after = NULL, attempt_count = b.attempt_count + 1, same_error_count = 0,
          error = NULL, error_title = NULL, error_category = NULL, error_fingerprint = NULL
      FROM input i
      WHERE b.id = ANY (ARRAY[i.id]) AND b.state = 'ready' AND b.fence < i.lease_no
      RETURNING b.id, b.fence, b.attempt_count, b.result, i.claimed_at, i.worker_id, i.state
    ), ruled AS (
      INSERT INTO ${flyway:defaultSchema}.ticket_activity (ticket_id, action, actor, channel, details)
      SELECT f.id, 'approved', 'rule', 'rule', '{"rule": "sample"}' FROM finished f WHERE f.state = 'approved'
    )
    INSERT INTO ${flyway:defaultSchema}.ticket_attempts (ticket_id, lease_no, started_at, finished_at, attempt, outcome, worker_id, result)
    SELECT id, fence, claimed_at, now(), attempt_count, 'succeeded', worker_id, result FROM finished;
    GET DIAGNOSTICS stored = ROW_COUNT;
    IF stored < cardinality(ticket_ids) THEN
      RETURN QUERY
      SELECT i.id, i.lease_no FROM unnest(ticket_ids, lease_nos) AS i (id, lease_no)
      LEFT JOIN LATERAL (
        SELECT a.outcome FROM ${flyway:defaultSchema}.ticket_attempts a WHERE a.ticket_id = i.id AND a.lease_no = i.lease_no LIMIT 1
      ) a ON true
      WHERE a.outcome IS DISTINCT FROM 'succeeded';
    END IF;
    PERFORM ${flyway:defaultSchema}.free_slots(ticket_ids, lease_nos);
    -- A statement of its own: it sees the rows of those who enqueued a follower while the UPDATE waited for them.
    IF EXISTS (SELECT FROM ${flyway:defaultSchema}.ticket_dependencies d WHERE d.after_id = ANY (ticket_ids) AND d.ended_at IS NULL)
    THEN
      PERFORM ${flyway:defaultSchema}.free_followers(ticket_ids, stored = cardinality(ticket_ids) AND 'needs_review' <> ALL (new_states));
    END IF;
  END IF;
  IF cardinality(closed) > 0 THEN
    RETURN QUERY SELECT NULL::bigint, l.id FROM ${flyway:defaultSchema}.close_leases(closed) AS l (id);
  END IF;
END
$$;
COMMENT ON FUNCTION store_successes IS 'Stores successes (new_states: needs_review, done, or approved, which is done and approved by the rule of its design) and returns those that could not be stored; then closes leases, and returns those that close_leases returns without a ticket_id.';

-- Before, each decision carried its error.
DROP FUNCTION IF EXISTS store_failures(boolean, bigint[], bigint[], integer[], text[], text[], bigint[], integer[], text[], integer[],
  integer[], text[], text[], text[], text[], integer[], text[], text[]);

-- Stores decisions on failures: ticket, attempt, activity and the place in the queue together, and wakes workers if
-- some of the tickets are ready at once.
-- ticket_ids, lease_nos, decision_nos and failure_nos are of one length. outcomes to activities have one element for each decision, errors to
-- http_statuses one for each failure; both are counted from 1. So a document that many tickets share is read once, whatever their errors.
-- unseen: the decisions were made without a look at the tickets, so they hold only for those that have never failed and have no retry
-- settings of their own, of a design or of their queue. The last error counts only together with its fingerprint.
-- Always one row: when all this happened, without a ticket; then one for each ticket that was not stored.
-- The leases are not locked: see store_successes. Tickets are locked in the order of their ids, as everybody does.
-- Traps: decisions and failures are joined by hash, whatever the planner believes of the arrays' lengths: a nested loop over 500 decisions for 500
-- tickets takes longer than all the rest. `= ANY (ARRAY[i.id])` can neither hash nor merge, so it stays the primary key.
CREATE OR REPLACE FUNCTION store_failures(
  unseen boolean, ticket_ids bigint[], lease_nos bigint[], decision_nos integer[], failure_nos integer[],
  outcomes text[], hold_reasons text[], delays_ms bigint[], new_retry_counts integer[], counts_by_category text[],
  new_same_error_counts integer[], new_crash_counts integer[], strategies text[], activities text[],
  errors text[], titles text[], categories text[], fingerprints text[], rules text[], http_statuses integer[])
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
      d.crash_count, d.outcome, d.hold_reason,
      d.counts::jsonb AS counts, d.strategy::jsonb AS strategy, d.activity::jsonb AS activity
    FROM unnest(outcomes, hold_reasons, delays_ms, new_retry_counts, counts_by_category, new_same_error_counts, new_crash_counts,
      strategies, activities)
    WITH ORDINALITY AS d (outcome, hold_reason, delay_ms, retry_count, counts, same_error_count, crash_count, strategy, activity, no)
  ), failure AS MATERIALIZED (
    SELECT f.*
    FROM unnest(errors, titles, categories, fingerprints, rules, http_statuses)
    WITH ORDINALITY AS f (error, title, category, fingerprint, rule, http_status, failure_no)
  ), input AS MATERIALIZED (
    SELECT i.id, i.lease_no, l.claimed_at, l.worker_id, d.*, f.*
    FROM unnest(ticket_ids, lease_nos, decision_nos, failure_nos) AS i (id, lease_no, no, failure_no)
    JOIN lease l ON l.id = i.lease_no
    JOIN decision d ON d.no = i.no
    JOIN failure f ON f.failure_no = i.failure_no
    ORDER BY i.id
  ), decided AS (
    UPDATE ${flyway:defaultSchema}.ticket_base b
    SET fence = i.lease_no, state = CASE WHEN i.hold THEN 'on_hold' ELSE 'ready' END,
        retry_count = i.retry_count, retry_counts = i.counts, same_error_count = i.same_error_count,
        crash_count = i.crash_count, attempt_count = b.attempt_count + 1,
        -- A hold writes no retry_after.
        retry_after = CASE WHEN i.hold THEN b.retry_after ELSE now() + i.delay END,
        retry_strategy = CASE WHEN jsonb_typeof(b.retry_strategy) = 'object' THEN b.retry_strategy || i.strategy ELSE i.strategy END,
        error = i.error, error_title = i.title, error_category = i.category, error_fingerprint = i.fingerprint,
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
      i.fingerprint, i.error, b.error_title, i.http_status, i.activity
  ), attempted AS (
    INSERT INTO ${flyway:defaultSchema}.ticket_attempts
      (ticket_id, lease_no, started_at, finished_at, attempt, http_status, outcome, worker_id, category, rule, fingerprint, error,
      error_title)
    SELECT id, fence, claimed_at, now(), attempt_count, http_status, outcome, worker_id, category, rule, fingerprint, error, error_title
    FROM decided
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
  PERFORM ${flyway:defaultSchema}.free_slots(ticket_ids, lease_nos);
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

SELECT grant_roles(only_new => true);
