-- What a worker keeps of accounts and budgets: two small tables, read whole. Times are counted from now.
-- One key of several is no outage while the others work on: then nothing waits.
SELECT c.provider, c.key_id, c.model, c.reason, c.detail, c.length_ms, NULL AS budget,
  COALESCE(c.until = 'infinity', false) AS needs_person,
  -- Before PostgreSQL 17 nothing can be subtracted from an infinite time.
  CASE WHEN c.until < 'infinity' THEN extract(epoch FROM c.until - clock_timestamp())::double precision * 1000 END AS left_ms,
  extract(epoch FROM c.probe_until - clock_timestamp())::double precision * 1000 AS probe_left_ms,
  CASE WHEN c.key_id = '' OR EXISTS (SELECT FROM holdfast.awaited_providers a WHERE a.provider = c.provider)
    THEN extract(epoch FROM holdfast.outage_of(c))::double precision * 1000 END AS outage_ms
FROM holdfast.provider_cooldowns c
UNION ALL
SELECT NULL, NULL, NULL, NULL, NULL, NULL, b.scope, NULL, NULL, NULL, NULL
FROM holdfast.budgets b
