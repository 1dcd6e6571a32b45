-- ?1 kind, ?2 payload, ?3 queue, ?4 title, ?5 design, ?6 priority, ?7 run_at, ?8 delay in microseconds (if no run_at),
-- ?9 unique_key, ?10 max_cost_usd. Works inside the caller's transaction; the database's clock counts the delay.
SELECT holdfast.enqueue_ticket(?, ?::jsonb, ?, ?, ?, ?, COALESCE(?::timestamptz, now() + ?::bigint * interval '1 microsecond'), ?, ?)
