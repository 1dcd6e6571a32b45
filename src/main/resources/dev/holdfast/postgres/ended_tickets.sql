-- Which tickets have been done or cancelled for a while. Parameters: :ids and :seconds (one length; when each was made), :age_ms.
-- A result that waited for its review ended with its approval. Index: the primary key, for each of them; ticket_activity_by_ticket.
SELECT i.id, i.second AS created_second
FROM unnest(:ids::bigint[], :seconds::bigint[]) AS i (id, second)
CROSS JOIN LATERAL (SELECT b.state, b.created_at, b.completed_at FROM holdfast.ticket_base b WHERE b.id = i.id LIMIT 1) b
WHERE b.state IN ('done', 'cancelled') AND floor(extract(epoch FROM b.created_at)) = i.second
  AND b.completed_at < now() - :age_ms * interval '1 millisecond'
  AND NOT EXISTS (
    SELECT FROM holdfast.ticket_activity v
    WHERE v.ticket_id = i.id AND b.state = 'done' AND v.action = 'approved' AND v.created_at >= now() - :age_ms * interval '1 millisecond')
