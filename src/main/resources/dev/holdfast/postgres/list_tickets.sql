-- :state, :queue, :kind, :design, :category, :fingerprint (whole, or its first 8 characters or more), :text (a pattern of LIKE), :from, :until, :assignee
--   (NULL takes all), :before (NULL is the first page), :limit.
-- The ids of a page of tickets, for ticket_summaries.sql. Walks the primary key backwards and stops at the limit. States with statements of their own: in_progress, on_hold.
SELECT t.id
FROM holdfast.tickets t
WHERE t.id < COALESCE(:before::bigint, 9223372036854775807)
  AND (:state::text IS NULL OR t.state = :state::text)
  AND (:queue::text IS NULL OR t.queue = :queue::text)
  AND (:kind::text IS NULL OR t.kind = :kind::text)
  AND (:design::text IS NULL OR t.design_id IN (SELECT d.id FROM holdfast.designs d WHERE d.name = :design::text))
  AND (:text::text IS NULL OR t.title ILIKE :text OR t.unique_key ILIKE :text)
  AND (:from::timestamptz IS NULL OR t.created_at >= :from)
  AND (:until::timestamptz IS NULL OR t.created_at < :until)
  AND (:assignee::text IS NULL OR t.id IN (SELECT p.ticket_id FROM holdfast.ticket_assignments p WHERE p.assignee = :assignee::text))
  AND (:category::text IS NULL OR t.error_category = :category::text)
  AND (:fingerprint::text IS NULL OR t.error_fingerprint = :fingerprint::text
    OR (length(:fingerprint::text) >= 8 AND starts_with(t.error_fingerprint, :fingerprint::text)))
ORDER BY t.id DESC
LIMIT :limit
