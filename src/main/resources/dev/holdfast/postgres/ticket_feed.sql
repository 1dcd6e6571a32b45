-- What happened since a moment ago, from the tables' ends: created tickets, decisions, claims, finished attempts, events of
--   agents' sessions.
-- Parameters: tickets, activity, leases, sessions: ids after which to read; since: finished_at after which to read;
--   ticket: one ticket or NULL for all; limit: rows of each kind at most.
-- Indexes: the primary keys, and the BRIN on ticket_attempts.finished_at.
-- Trap: events of one session that were written in two batches may bear times that run backwards; their ids do not.
-- Trap: a claim whose attempt finished since is gone from leases; the attempt's own row tells of it.
SELECT e.source, e.no, e.ticket_id, e.at, e.event, e.actor, e.details
FROM (
  (SELECT 'created' AS source, b.id AS no, b.id AS ticket_id, b.created_at AS at, 'created' AS event, NULL::text AS actor,
     jsonb_build_object('queue', b.queue, 'kind', b.kind)::text AS details, 0 AS rank
   FROM holdfast.ticket_base b
   WHERE b.id > :tickets AND (CAST(:ticket AS bigint) IS NULL OR b.id = :ticket)
   ORDER BY b.id LIMIT :limit)
  UNION ALL
  (SELECT 'activity', y.id, COALESCE(y.ticket_id, 0), y.created_at, y.action, y.actor,
     (holdfast.with_retry_time(y.action, y.details, y.created_at) || COALESCE(f.facts, '{}'))::text, 4
   FROM holdfast.ticket_activity y
   LEFT JOIN LATERAL (
     SELECT holdfast.error_facts(a.rule, a.fingerprint, a.error_title, a.error) AS facts
     FROM holdfast.ticket_attempts a
     WHERE y.action = 'retry_decision' AND a.ticket_id = y.ticket_id
       AND a.lease_no = CASE WHEN jsonb_typeof(y.details->'leaseNo') = 'number' THEN (y.details->'leaseNo')::bigint END
   ) f ON true
   WHERE y.id > :activity AND (CAST(:ticket AS bigint) IS NULL OR y.ticket_id = :ticket)
   ORDER BY y.id LIMIT :limit)
  UNION ALL
  (SELECT 'session', v.id, v.ticket_id, max(v.at) OVER (PARTITION BY v.ticket_id ORDER BY v.id), v.event, NULL, v.details::text, 2
   FROM (
     SELECT * FROM holdfast.session_events x
     WHERE x.id > :sessions AND (CAST(:ticket AS bigint) IS NULL OR x.ticket_id = :ticket)
     ORDER BY x.id LIMIT :limit) v)
  UNION ALL
  (SELECT 'claimed', l.id, u.ticket_id, l.claimed_at, 'claimed', l.worker_id, jsonb_build_object('leaseNo', l.id)::text, 1
   FROM holdfast.leases l CROSS JOIN LATERAL unnest(l.ids) AS u(ticket_id)
   WHERE l.id > :leases AND (CAST(:ticket AS bigint) IS NULL OR u.ticket_id = :ticket)
   ORDER BY l.id LIMIT :limit)
  UNION ALL
  (SELECT 'claimed', a.lease_no, a.ticket_id, a.started_at, 'claimed', a.worker_id, jsonb_build_object('leaseNo', a.lease_no)::text, 1
   FROM holdfast.ticket_attempts a
   WHERE a.finished_at > :since AND a.lease_no > :leases AND (CAST(:ticket AS bigint) IS NULL OR a.ticket_id = :ticket)
   ORDER BY a.finished_at LIMIT :limit)
  UNION ALL
  (SELECT 'finished', a.lease_no, a.ticket_id, a.finished_at, a.outcome, a.worker_id,
     (jsonb_strip_nulls(jsonb_build_object('attempt', a.attempt, 'category', a.category, 'retryAfter', (
         SELECT b.retry_after FROM holdfast.ticket_base b
         WHERE a.outcome = 'deferred' AND b.id = a.ticket_id AND b.fence = a.lease_no)))
       || holdfast.error_facts(a.rule, a.fingerprint, a.error_title, a.error))::text, 3
   FROM holdfast.ticket_attempts a
   WHERE a.finished_at > :since AND (CAST(:ticket AS bigint) IS NULL OR a.ticket_id = :ticket)
   ORDER BY a.finished_at LIMIT :limit)
) e
ORDER BY e.at, e.ticket_id, e.rank, e.no
