-- One INSERT for the chunk, filed at once. The first of two equal keys wins. Returns how many are new.
WITH added AS (
  INSERT INTO holdfast.ticket_base (filed, design_id, kind, payload, payload_bytes, queue, title, priority, retry_after, unique_key, max_cost_usd, expires_at, concurrency_key,
  fairness_key)
  SELECT filed, design_id, kind, payload, payload_bytes, queue, title, priority, retry_after, unique_key, max_cost_usd,
    expires_at, concurrency_key, fairness_key
  FROM pg_temp.ticket_stage
  ORDER BY position
  ON CONFLICT (unique_key) WHERE unique_key IS NOT NULL DO NOTHING
  RETURNING id
), ids AS MATERIALIZED (
  SELECT array_agg(id) AS all_of_them FROM added
)
SELECT COALESCE(cardinality(all_of_them), 0), holdfast.file_new_tickets(all_of_them) FROM ids
