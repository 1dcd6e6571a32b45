-- A page of tickets in any state, newest first, from the :window newest below :before. Parameters as in console_held.sql, and :state.
-- Walks the primary key backwards, stops at :limit, and at the window's end where few match: states change with every attempt, so
-- no index knows them.
SELECT t.id, t.title, t.queue, t.kind, t.state, t.error_category, t.error_fingerprint, t.error_title, t.design, t.design_version,
  t.hold_reason, t.held_at, t.retry_after, t.created_at, t.updated_at, t.attempt_count, t.allowed_actions, a.assignee,
  holdfast.ticket_version(t.lease_no, t.updated_at) AS version
FROM (
  SELECT * FROM holdfast.tickets v
  WHERE v.id < COALESCE(:before::bigint, 9223372036854775807)
  ORDER BY v.id DESC LIMIT :window) t
LEFT JOIN holdfast.ticket_assignments a ON a.ticket_id = t.id
WHERE (:state::text IS NULL OR t.state = :state::text)
  AND (:queue::text IS NULL OR t.queue = :queue::text)
  AND (:kind::text IS NULL OR t.kind = :kind::text)
  AND (:category::text IS NULL OR COALESCE(t.error_category, '') = :category::text)
  AND (:fingerprint::text IS NULL OR COALESCE(t.error_fingerprint, '') = :fingerprint::text)
  AND (:text::text IS NULL OR t.title ILIKE :text::text OR lower(t.unique_key) = :key::text)
  AND (:from::timestamptz IS NULL OR t.created_at >= :from::timestamptz)
  AND (:to::timestamptz IS NULL OR t.created_at < :to::timestamptz)
  AND (:assignee::text IS NULL OR a.assignee = :assignee::text)
ORDER BY t.id DESC
LIMIT :limit
