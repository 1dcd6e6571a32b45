-- What runs now, by worker and time. Parameter: :limit. Starts from the leases, see console_running.sql.
SELECT l.worker_id, b.id, b.title, l.claimed_at
FROM holdfast.leases l
CROSS JOIN LATERAL unnest(l.ids) AS u (ticket_id)
CROSS JOIN LATERAL (SELECT * FROM holdfast.ticket_base b WHERE b.id = u.ticket_id LIMIT 1) b
WHERE b.state = 'ready' AND l.id > b.fence
ORDER BY l.worker_id, l.claimed_at, b.id
LIMIT :limit
