-- Never emptied at commit but dropped, so that it leaves nothing on a connection that a pooler shares. It may be there of an earlier call in the
-- caller's transaction.
CREATE TEMPORARY TABLE IF NOT EXISTS ticket_stage (
  filed boolean, design_id bigint, kind text, payload jsonb, payload_bytes integer, queue text, title text, priority integer, retry_after timestamptz,
  unique_key text, max_cost_usd numeric, expires_at timestamptz, concurrency_key text, fairness_key text, batch_id bigint, position bigint GENERATED ALWAYS AS IDENTITY
) ON COMMIT DROP
