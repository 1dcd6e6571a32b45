-- The ids of a page of tickets in any state, newest first. Parameters, NULL takes all: :state, :queue, :kind, :design, :category and
-- :fingerprint ('' for tickets without an error), :prefix (of the fingerprint), :text (a pattern of ILIKE), :from, :until, :assignee, :batch;
-- :before (NULL is the first page), :limit, and :window: how many tickets are looked at, NULL for all.
-- Walks the primary key backwards, stops at :limit, and at the window's end where few match: states change with every attempt, so
-- no index knows them. States with statements of their own: in_progress, on_hold.
SELECT t.id
FROM (
  SELECT * FROM holdfast.tickets v
  WHERE v.id < COALESCE(:before::bigint, 9223372036854775807)
  ORDER BY v.id DESC LIMIT :window::bigint) t
WHERE (:state::text IS NULL OR t.state = :state::text)
  AND (:queue::text IS NULL OR t.queue = :queue::text)
  AND (:kind::text IS NULL OR t.kind = :kind::text)
  AND (:design::text IS NULL OR t.design_id IN (SELECT d.id FROM holdfast.designs d WHERE d.name = :design::text))
  AND (:category::text IS NULL OR COALESCE(t.error_category, '') = :category::text)
  AND (:fingerprint::text IS NULL OR COALESCE(t.error_fingerprint, '') = :fingerprint::text)
  AND (:prefix::text IS NULL OR starts_with(t.error_fingerprint, :prefix::text))
  AND (:text::text IS NULL OR t.title ILIKE :text::text OR t.unique_key ILIKE :text::text)
  AND (:from::timestamptz IS NULL OR t.created_at >= :from::timestamptz)
  AND (:until::timestamptz IS NULL OR t.created_at < :until::timestamptz)
  AND (:assignee::text IS NULL OR t.id IN (SELECT p.ticket_id FROM holdfast.ticket_assignments p WHERE p.assignee = :assignee::text))
  AND (:batch::bigint IS NULL OR t.batch_id = :batch::bigint)
ORDER BY t.id DESC
LIMIT :limit
