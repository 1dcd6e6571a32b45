-- :queue, :kind, :design, :category, :fingerprint (whole, or its first 8 characters or more), :text (a pattern of LIKE), :from, :until, :assignee
--   (NULL takes all), :before (NULL is the first page), :limit.
-- The ids of a page of held tickets. Expects the partial index ticket_held: few tickets wait for a person, however many there are.
SELECT b.id
FROM holdfast.ticket_base b
WHERE b.held_at IS NOT NULL
  AND b.id < COALESCE(:before::bigint, 9223372036854775807)
  AND (:queue::text IS NULL OR b.queue = :queue::text)
  AND (:kind::text IS NULL OR b.kind = :kind::text)
  AND (:design::text IS NULL OR b.design_id IN (SELECT d.id FROM holdfast.designs d WHERE d.name = :design::text))
  AND (:text::text IS NULL OR b.title ILIKE :text OR b.unique_key ILIKE :text)
  AND (:from::timestamptz IS NULL OR b.created_at >= :from)
  AND (:until::timestamptz IS NULL OR b.created_at < :until)
  AND (:assignee::text IS NULL OR b.id IN (SELECT p.ticket_id FROM holdfast.ticket_assignments p WHERE p.assignee = :assignee::text))
  AND (:category::text IS NULL OR b.error_category = :category::text)
  AND (:fingerprint::text IS NULL OR b.error_fingerprint = :fingerprint::text
    OR (length(:fingerprint::text) >= 8 AND starts_with(b.error_fingerprint, :fingerprint::text)))
ORDER BY b.id DESC
LIMIT :limit
