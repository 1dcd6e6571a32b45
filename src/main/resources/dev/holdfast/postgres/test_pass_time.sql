-- For tests: what waits for a time waits :micros microseconds less. Returns how many tickets waited.
WITH passed AS MATERIALIZED (
  SELECT :micros * interval '1 microsecond' AS time
), due AS (
  UPDATE holdfast.deferred d SET run_at = d.run_at - p.time FROM passed p RETURNING 1
), tickets AS (
  UPDATE holdfast.ticket_base b SET retry_after = b.retry_after - p.time FROM passed p WHERE b.retry_after IS NOT NULL RETURNING 1
), deadlines AS (
  UPDATE holdfast.ticket_deadlines d SET expires_at = d.expires_at - p.time FROM passed p RETURNING 1
), cooldowns AS (
  UPDATE holdfast.provider_cooldowns c SET until = c.until - p.time, since = c.since - p.time FROM passed p WHERE isfinite(c.until) RETURNING 1
), limits AS (
  UPDATE holdfast.limit_gates g SET full_at = g.full_at - p.time FROM passed p WHERE isfinite(g.full_at) RETURNING 1
)
SELECT count(*) FROM due
