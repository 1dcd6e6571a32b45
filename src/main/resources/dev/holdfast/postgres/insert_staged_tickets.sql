-- One INSERT for the chunk: the trigger files all of it at once. The first of two equal keys wins.
INSERT INTO holdfast.ticket_base (design_id, kind, payload, queue, title, priority, retry_after, unique_key, max_cost_usd)
SELECT design_id, kind, payload, queue, title, priority, retry_after, unique_key, max_cost_usd
FROM pg_temp.ticket_stage
ORDER BY position
ON CONFLICT (unique_key) WHERE unique_key IS NOT NULL DO NOTHING
