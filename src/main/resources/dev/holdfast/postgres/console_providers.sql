-- Providers that cool down or are out of order, those that need a person first. No parameters: few rows at any time.
SELECT c.provider, c.key_id, c.model, CASE WHEN isfinite(c.until) THEN c.until END AS until,
  COALESCE(NOT isfinite(c.until), false) AS needs_person, c.reason, c.detail, c.http_status, c.since, c.reported_by,
  (SELECT count(*) FROM holdfast.waiting_tickets w
   WHERE w.kind IN ('provider', 'account')
     AND EXISTS (SELECT FROM unnest(w.scopes) AS s (scope) WHERE split_part(s.scope, '/', 1) = c.provider)) AS waiting
FROM holdfast.provider_cooldowns c
ORDER BY needs_person DESC, c.provider, c.key_id, c.model
