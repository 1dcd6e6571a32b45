-- Tickets that no worker has started in time and that nobody has held yet, the longest first. Parameter: :limit.
SELECT x.ticket_id FROM holdfast.ticket_deadlines x WHERE x.expires_at <= now() ORDER BY x.expires_at, x.ticket_id LIMIT :limit
