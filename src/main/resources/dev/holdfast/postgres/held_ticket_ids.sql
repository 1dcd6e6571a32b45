-- Ids of held tickets for an action on all that match, in order. Parameters as in list_tickets.sql, and :after, :seen (held by then;
-- NULL takes all), :limit.
-- Indexes: held_by_error for a group, else the primary key of held.
SELECT h.id
FROM holdfast.held h
CROSS JOIN LATERAL (
  SELECT b.title, b.unique_key, b.created_at, b.design_id, b.batch_id FROM holdfast.ticket_base b WHERE b.id = h.id LIMIT 1) b
WHERE h.id > :after AND (:seen::timestamptz IS NULL OR h.held_at <= :seen::timestamptz)
  AND (:queue::text IS NULL OR h.queue = :queue::text)
  AND (:kind::text IS NULL OR h.kind = :kind::text)
  AND (:design::text IS NULL OR b.design_id IN (SELECT d.id FROM holdfast.designs d WHERE d.name = :design::text))
  AND (:category::text IS NULL OR h.category = :category::text)
  AND (:fingerprint::text IS NULL OR h.fingerprint = :fingerprint::text)
  AND (:prefix::text IS NULL OR starts_with(h.fingerprint, :prefix::text))
  AND (:text::text IS NULL OR b.title ILIKE :text::text OR b.unique_key ILIKE :text::text)
  AND (:from::timestamptz IS NULL OR b.created_at >= :from::timestamptz)
  AND (:until::timestamptz IS NULL OR b.created_at < :until::timestamptz)
  AND (:assignee::text IS NULL OR h.id IN (SELECT p.ticket_id FROM holdfast.ticket_assignments p WHERE p.assignee = :assignee::text))
  AND (:batch::bigint IS NULL OR b.batch_id = :batch::bigint)
ORDER BY h.id
LIMIT :limit
