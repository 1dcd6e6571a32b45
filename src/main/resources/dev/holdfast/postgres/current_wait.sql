-- What a ticket waits for now, and until when: the retry of its session, if the last thing that one told of is the beginning of a wait;
-- its own retry; or a provider. No row where it waits for none of these. Parameter: :id.
-- The reason of its own retry is what its error is called, for the error may be very long.
-- Index: session_events_by_ticket, backwards; primary keys.
WITH wait AS (
  SELECT 'SESSION_RETRY' AS kind, e.at + (e.details->>'delayMs')::bigint * interval '1 millisecond' AS until,
    COALESCE(e.details->>'errorMessage', '') AS reason, (e.details->>'attempt')::integer AS attempt,
    (e.details->>'maxAttempts')::integer AS max_attempts
  FROM (
    SELECT v.event, v.at, v.lease_no, v.details
    FROM holdfast.session_events v
    WHERE v.ticket_id = :id AND v.event IN ('auto_retry_start', 'auto_retry_end', 'auto_retry_deferred', 'turn_started')
    ORDER BY v.id DESC LIMIT 1) e
  JOIN holdfast.tickets t ON t.id = :id AND t.state = 'in_progress' AND t.lease_no = e.lease_no
  WHERE e.event = 'auto_retry_start'
  UNION ALL
  SELECT CASE WHEN w.ticket_id IS NULL THEN 'TICKET_RETRY' ELSE 'PROVIDER' END, t.retry_after, COALESCE(w.waits_for, t.error_title, ''),
    CASE WHEN w.ticket_id IS NULL THEN t.retry_count END,
    CASE WHEN w.ticket_id IS NULL AND jsonb_typeof(t.retry_strategy->'maxRetries') = 'number'
      THEN (t.retry_strategy->>'maxRetries')::integer END
  FROM holdfast.tickets t
  LEFT JOIN holdfast.known_waits w ON w.ticket_id = t.id AND w.kind = 'provider'
  WHERE t.id = :id AND t.state = 'ready' AND t.attempt_count > 0 AND t.retry_after > clock_timestamp()
    AND COALESCE(t.assignee_type, 'agent') = 'agent'
)
SELECT kind, until, GREATEST(0, extract(epoch FROM until - clock_timestamp()) * 1000)::bigint AS left_ms, reason, attempt, max_attempts
FROM wait
