-- The ids of a page of held tickets, newest first. Parameters as in list_tickets.sql; :window: how many of those that an index finds
-- are looked at.
-- Indexes: held_by_error for a group, else the primary key of held backwards.
SELECT h.id
FROM (
  SELECT x.id FROM holdfast.held x
  WHERE x.id < COALESCE(:before::bigint, 9223372036854775807)
    AND (:queue::text IS NULL OR x.queue = :queue::text)
    AND (:kind::text IS NULL OR x.kind = :kind::text)
    AND (:category::text IS NULL OR x.category = :category::text)
    AND (:fingerprint::text IS NULL OR x.fingerprint = :fingerprint::text)
    AND (:prefix::text IS NULL OR starts_with(x.fingerprint, :prefix::text))
  ORDER BY x.id DESC
  LIMIT :window::bigint) h
CROSS JOIN LATERAL (
  SELECT b.title, b.unique_key, b.created_at, b.design_id, b.batch_id FROM holdfast.ticket_base b WHERE b.id = h.id LIMIT 1) b
WHERE (:design::text IS NULL OR b.design_id IN (SELECT d.id FROM holdfast.designs d WHERE d.name = :design::text))
  AND (:text::text IS NULL OR b.title ILIKE :text::text OR b.unique_key ILIKE :text::text)
  AND (:from::timestamptz IS NULL OR b.created_at >= :from::timestamptz)
  AND (:until::timestamptz IS NULL OR b.created_at < :until::timestamptz)
  AND (:assignee::text IS NULL OR h.id IN (SELECT p.ticket_id FROM holdfast.ticket_assignments p WHERE p.assignee = :assignee::text))
  AND (:batch::bigint IS NULL OR b.batch_id = :batch::bigint)
ORDER BY h.id DESC
LIMIT :limit
