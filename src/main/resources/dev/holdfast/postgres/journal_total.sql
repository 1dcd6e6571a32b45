-- What all sessions of a ticket have used; what cannot be read, and more tokens than any provider has, is
-- no reason to fail. Parameter: :ticket. Index: the primary key.
SELECT s.rows, p.answers, LEAST(p.input, 1e15)::bigint AS input, LEAST(p.cache_read, 1e15)::bigint AS cache_read,
  LEAST(p.cache_write, 1e15)::bigint AS cache_write, LEAST(p.output, 1e15)::bigint AS output, p.cost_usd
FROM (SELECT count(*) AS rows FROM holdfast.session_journal j WHERE j.ticket_id = :ticket) s
CROSS JOIN (
  SELECT count(*) FILTER (WHERE j.kind IN ('answered', 'compacted') OR j.kind = 'discarded' AND j.entry->'unanswered' IS DISTINCT FROM 'true'
      OR j.kind = 'step_finished' AND u.input + u.cache_read + u.cache_write + u.output > 0 AND j.entry->>'step' !~ '/unanswered-[0-9]+$') AS answers,
    COALESCE(sum(u.input), 0) AS input, COALESCE(sum(u.cache_read), 0) AS cache_read, COALESCE(sum(u.cache_write), 0) AS cache_write,
    COALESCE(sum(u.output), 0) AS output, sum(u.cost_usd) AS cost_usd
  FROM holdfast.session_journal j
  CROSS JOIN LATERAL (
    SELECT jsonb_path_query_first(j.entry, '$.usage.input ? (@.type() == "number")')::numeric AS input,
      jsonb_path_query_first(j.entry, '$.usage.cacheRead ? (@.type() == "number")')::numeric AS cache_read,
      jsonb_path_query_first(j.entry, '$.usage.cacheWrite ? (@.type() == "number")')::numeric AS cache_write,
      jsonb_path_query_first(j.entry, '$.usage.output ? (@.type() == "number")')::numeric AS output,
      jsonb_path_query_first(j.entry, '$.costUsd ? (@.type() == "number")')::numeric AS cost_usd
  ) u
  WHERE j.ticket_id = :ticket AND j.kind IN ('answered', 'discarded', 'compacted', 'step_finished')
    AND (j.kind <> 'compacted' OR j.entry->'summarised' = 'true')
) p
