-- What models have answered in the last 7 days, by provider. No parameters: walks the figures of 2 hours by their primary key.
SELECT f.provider, f.model, sum(f.answers)::bigint AS answers, LEAST(sum(f.tokens_in + f.tokens_out), 9e18)::bigint AS tokens,
  sum(f.cost_usd) AS cost_usd
FROM holdfast.model_figures f
WHERE f.span_minutes = 120 AND f.starts_at > now() - interval '7 days' AND f.provider <> ''
GROUP BY 1, 2
ORDER BY 1, 5 DESC NULLS LAST, 3 DESC
LIMIT 200
