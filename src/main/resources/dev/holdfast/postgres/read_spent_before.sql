-- What the sessions and runs of a ticket have used that were given up, as a session itself counts it; what cannot be read counts as no tokens and no
-- money. Parameter: :ticket. Index: the primary key.
SELECT count(*) FILTER (WHERE u.unanswered IS NULL) AS answers, COALESCE(sum(u.input), 0)::bigint AS input,
  COALESCE(sum(u.cache_read), 0)::bigint AS cache_read, COALESCE(sum(u.cache_write), 0)::bigint AS cache_write,
  COALESCE(sum(u.output), 0)::bigint AS output, COALESCE(sum(u.cost_usd), 0) AS cost_usd
FROM holdfast.session_journal j
CROSS JOIN LATERAL (
  SELECT jsonb_path_query_first(j.entry, '$.unanswered ? (@ == true)') AS unanswered,
    jsonb_path_query_first(j.entry, '$.usage.input ? (@.type() == "number")')::numeric AS input,
    jsonb_path_query_first(j.entry, '$.usage.cacheRead ? (@.type() == "number")')::numeric AS cache_read,
    jsonb_path_query_first(j.entry, '$.usage.cacheWrite ? (@.type() == "number")')::numeric AS cache_write,
    jsonb_path_query_first(j.entry, '$.usage.output ? (@.type() == "number")')::numeric AS output,
    jsonb_path_query_first(j.entry, '$.costUsd ? (@.type() == "number")')::numeric AS cost_usd
) u
WHERE j.ticket_id = :ticket
  AND j.seq < (SELECT max(o.seq) FROM holdfast.session_journal o WHERE o.ticket_id = :ticket AND o.kind = 'started_over')
  AND (j.kind IN ('answered', 'discarded', 'step_finished') OR j.kind = 'compacted' AND j.entry->'summarised' = 'true')
