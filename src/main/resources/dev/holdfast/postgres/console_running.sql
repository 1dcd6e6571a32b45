-- A page of tickets in progress, newest first. Parameters as in console_held.sql.
-- Starts from the leases: a ticket is in progress exactly while one that is newer than its fence names it.
-- Trap: only the LATERAL with LIMIT keeps a planner that overrates the leases from reading all tickets.
SELECT t.id, t.title, t.queue, t.kind, t.state, t.error_category, t.error_fingerprint, t.error_title, t.design, t.design_version,
  t.hold_reason, t.held_at, t.retry_after, t.created_at, t.updated_at, t.attempt_count, t.allowed_actions, a.assignee,
  holdfast.ticket_version(t.lease_no, t.updated_at) AS version
FROM holdfast.tickets t
LEFT JOIN holdfast.ticket_assignments a ON a.ticket_id = t.id
WHERE t.state = 'in_progress' AND t.id = ANY (ARRAY(
  SELECT b.id
  FROM holdfast.leases l
  CROSS JOIN LATERAL unnest(l.ids) AS u (ticket_id)
  CROSS JOIN LATERAL (SELECT * FROM holdfast.ticket_base b WHERE b.id = u.ticket_id LIMIT 1) b
  WHERE b.state = 'ready' AND l.id > b.fence
    AND u.ticket_id < COALESCE(:before::bigint, 9223372036854775807)
    AND (:queue::text IS NULL OR b.queue = :queue::text)
    AND (:kind::text IS NULL OR b.kind = :kind::text)
    AND (:category::text IS NULL OR COALESCE(b.error_category, '') = :category::text)
    AND (:fingerprint::text IS NULL OR COALESCE(b.error_fingerprint, '') = :fingerprint::text)
    AND (:text::text IS NULL OR b.title ILIKE :text::text OR lower(b.unique_key) = :key::text)
    AND (:from::timestamptz IS NULL OR b.created_at >= :from::timestamptz)
    AND (:to::timestamptz IS NULL OR b.created_at < :to::timestamptz)
    AND (:assignee::text IS NULL OR EXISTS (
      SELECT FROM holdfast.ticket_assignments y WHERE y.ticket_id = b.id AND y.assignee = :assignee::text))
  ORDER BY b.id DESC
  LIMIT :limit))
ORDER BY t.id DESC
