COPY pg_temp.ticket_stage (filed, design_id, kind, payload, payload_bytes, queue, title, priority, retry_after, unique_key, max_cost_usd, expires_at, concurrency_key,
  fairness_key) FROM STDIN
