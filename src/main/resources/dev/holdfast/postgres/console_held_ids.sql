-- Ids of held tickets for an action on all that match, in order. Parameters as in console_held.sql, and :after, :seen (held by then), :limit.
-- Indexes: held_by_error for a group, else the primary key of held.
SELECT h.id
FROM holdfast.held h
CROSS JOIN LATERAL (SELECT b.title, b.unique_key, b.created_at FROM holdfast.ticket_base b WHERE b.id = h.id LIMIT 1) b
WHERE h.id > :after AND h.held_at <= :seen
  AND (:queue::text IS NULL OR h.queue = :queue::text)
  AND (:kind::text IS NULL OR h.kind = :kind::text)
  AND (:category::text IS NULL OR h.category = :category::text)
  AND (:fingerprint::text IS NULL OR h.fingerprint = :fingerprint::text)
  AND (:text::text IS NULL OR b.title ILIKE :text::text OR lower(b.unique_key) = :key::text)
  AND (:from::timestamptz IS NULL OR b.created_at >= :from::timestamptz)
  AND (:to::timestamptz IS NULL OR b.created_at < :to::timestamptz)
  AND (:assignee::text IS NULL OR EXISTS (
    SELECT FROM holdfast.ticket_assignments a WHERE a.ticket_id = h.id AND a.assignee = :assignee::text))
ORDER BY h.id
LIMIT :limit
