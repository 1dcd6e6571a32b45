COPY pg_temp.ticket_stage (filed, design_id, kind, payload, queue, title, priority, retry_after, unique_key, max_cost_usd) FROM STDIN
