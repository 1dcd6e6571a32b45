-- The ids of a page of running tickets, newest first. Parameters as in list_tickets.sql.
-- Starts from the leases: a ticket is in progress exactly while one that is newer than its fence names it.
-- Trap: only the LATERAL with LIMIT keeps a planner that overrates the leases from reading all tickets.
SELECT b.id
FROM holdfast.leases l
CROSS JOIN LATERAL unnest(l.ids) AS u (ticket_id)
CROSS JOIN LATERAL (SELECT * FROM holdfast.ticket_base b WHERE b.id = u.ticket_id LIMIT 1) b
WHERE b.state = 'ready' AND l.id > b.fence
  AND u.ticket_id < COALESCE(:before::bigint, 9223372036854775807)
  AND (:queue::text IS NULL OR b.queue = :queue::text)
  AND (:kind::text IS NULL OR b.kind = :kind::text)
  AND (:design::text IS NULL OR b.design_id IN (SELECT d.id FROM holdfast.designs d WHERE d.name = :design::text))
  AND (:category::text IS NULL OR COALESCE(b.error_category, '') = :category::text)
  AND (:fingerprint::text IS NULL OR COALESCE(b.error_fingerprint, '') = :fingerprint::text)
  AND (:prefix::text IS NULL OR starts_with(b.error_fingerprint, :prefix::text))
  AND (:text::text IS NULL OR b.title ILIKE :text::text OR b.unique_key ILIKE :text::text)
  AND (:from::timestamptz IS NULL OR b.created_at >= :from::timestamptz)
  AND (:until::timestamptz IS NULL OR b.created_at < :until::timestamptz)
  AND (:assignee::text IS NULL OR b.id IN (SELECT p.ticket_id FROM holdfast.ticket_assignments p WHERE p.assignee = :assignee::text))
  AND (:batch::bigint IS NULL OR b.batch_id = :batch::bigint)
ORDER BY b.id DESC
LIMIT :limit
