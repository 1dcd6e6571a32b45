-- Providers and accounts that are not called now, those that need a person first, and those that have shown signs of an outage
-- (suspected). No parameters: few rows at any time. Waiting are all that wait for the provider, whatever the account.
SELECT c.provider, c.key_id, c.model, COALESCE(s.state, 'suspected') AS state, c.reason, c.detail, c.http_status, c.since, s.until,
  c.rounds, c.reported_by, c.probe_by,
  (SELECT count(*) FROM holdfast.known_waits w
   WHERE w.kind IN ('provider', 'account')
     AND EXISTS (SELECT FROM unnest(w.scopes) AS x (scope) WHERE split_part(x.scope, '/', 1) = c.provider)) AS waiting,
  COALESCE(s.held, 0) AS held
FROM holdfast.provider_cooldowns c
LEFT JOIN holdfast.provider_status s USING (provider, key_id, model)
ORDER BY COALESCE(s.state = 'unavailable', false) DESC, c.provider, c.key_id, c.model
