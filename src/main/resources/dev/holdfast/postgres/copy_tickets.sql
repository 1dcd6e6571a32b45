-- Whoever sends it files the tickets afterwards: file_copied_tickets.
COPY holdfast.ticket_base (filed, design_id, kind, payload, payload_bytes, queue, title, priority, retry_after, unique_key, max_cost_usd, expires_at, concurrency_key,
  fairness_key) FROM STDIN
