-- A page of held tickets, newest first. Parameters, NULL takes all: :queue, :kind, :category, :fingerprint, :text (a pattern for
-- ILIKE), :key, :assignee, :from, :to, :before; :limit, and :window: how many of those that an index finds are looked at.
-- Indexes: held_by_error for a group, else the primary key of held backwards.
SELECT t.id, t.title, t.queue, t.kind, t.state, t.error_category, t.error_fingerprint, t.error_title, t.design, t.design_version,
  t.hold_reason, t.held_at, t.retry_after, t.created_at, t.updated_at, t.attempt_count, t.allowed_actions, a.assignee,
  holdfast.ticket_version(t.lease_no, t.updated_at) AS version
FROM holdfast.tickets t
LEFT JOIN holdfast.ticket_assignments a ON a.ticket_id = t.id
WHERE t.id = ANY (ARRAY(
  SELECT h.id
  FROM (
    SELECT x.id FROM holdfast.held x
    WHERE x.id < COALESCE(:before::bigint, 9223372036854775807)
      AND (:queue::text IS NULL OR x.queue = :queue::text)
      AND (:kind::text IS NULL OR x.kind = :kind::text)
      AND (:category::text IS NULL OR x.category = :category::text)
      AND (:fingerprint::text IS NULL OR x.fingerprint = :fingerprint::text)
    ORDER BY x.id DESC
    LIMIT :window) h
  CROSS JOIN LATERAL (SELECT b.title, b.unique_key, b.created_at FROM holdfast.ticket_base b WHERE b.id = h.id LIMIT 1) b
  WHERE (:text::text IS NULL OR b.title ILIKE :text::text OR lower(b.unique_key) = :key::text)
    AND (:from::timestamptz IS NULL OR b.created_at >= :from::timestamptz)
    AND (:to::timestamptz IS NULL OR b.created_at < :to::timestamptz)
    AND (:assignee::text IS NULL OR EXISTS (
      SELECT FROM holdfast.ticket_assignments y WHERE y.ticket_id = h.id AND y.assignee = :assignee::text))
  ORDER BY h.id DESC
  LIMIT :limit))
ORDER BY t.id DESC
