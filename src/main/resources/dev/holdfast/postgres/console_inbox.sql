-- Held tickets grouped by error, the largest group first, with the newest ticket of each. Parameters: :queue, :category, :assignee
-- (NULL takes all), :offset, :limit.
-- One walk over the narrow table held; the wide rows are read for the groups of this page only.
WITH counted AS (
  SELECT h.fingerprint, h.category, LEAST(24, floor(date_part('epoch', now() - h.held_at) / 3600))::integer AS hours_ago,
    count(*) AS n, min(h.held_at) AS oldest, max(h.held_at) AS newest, max(h.id) AS newest_id
  FROM holdfast.held h
  WHERE (:queue::text IS NULL OR h.queue = :queue::text)
    AND (:category::text IS NULL OR h.category = :category::text)
    AND (:assignee::text IS NULL
      OR h.id IN (SELECT a.ticket_id FROM holdfast.ticket_assignments a WHERE a.assignee = :assignee::text))
  GROUP BY 1, 2, 3
), groups AS (
  SELECT fingerprint, category, sum(n)::bigint AS tickets, min(oldest) AS oldest, max(newest) AS newest,
    max(newest_id) AS sample_id, array_agg(hours_ago) AS hours, array_agg(n) AS counts,
    count(*) OVER () AS group_count, sum(sum(n)) OVER ()::bigint AS ticket_count
  FROM counted
  GROUP BY fingerprint, category
  ORDER BY tickets DESC, oldest, fingerprint, category
  LIMIT :limit OFFSET :offset
)
SELECT g.fingerprint, g.category, g.tickets, g.oldest, g.newest, g.hours, g.counts, g.group_count, g.ticket_count,
  holdfast.error_name(b.error_title, b.error) AS error_title, b.hold_reason
FROM groups g
LEFT JOIN LATERAL (SELECT t.error, t.error_title, t.hold_reason FROM holdfast.ticket_base t WHERE t.id = g.sample_id LIMIT 1) b ON true
ORDER BY g.tickets DESC, g.oldest, g.fingerprint, g.category
