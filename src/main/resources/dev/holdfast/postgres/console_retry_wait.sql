-- The retry that a running ticket's session waits in, if the last thing it told of is the beginning of one. Parameter: :id.
-- Index: session_events_by_ticket, backwards.
SELECT (e.details->>'attempt')::integer AS attempt, (e.details->>'maxAttempts')::integer AS max_attempts,
  e.at + (e.details->>'delayMs')::bigint * interval '1 millisecond' AS until, COALESCE(e.details->>'errorMessage', '') AS error
FROM (
  SELECT v.event, v.at, v.lease_no, v.details
  FROM holdfast.session_events v
  WHERE v.ticket_id = :id AND v.event IN ('auto_retry_start', 'auto_retry_end', 'auto_retry_deferred', 'turn_started')
  ORDER BY v.id DESC LIMIT 1) e
JOIN holdfast.tickets t ON t.id = :id AND t.state = 'in_progress' AND t.lease_no = e.lease_no
WHERE e.event = 'auto_retry_start'
