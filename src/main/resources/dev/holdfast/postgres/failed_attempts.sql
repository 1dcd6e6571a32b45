-- The attempts of a ticket that failed since its session last started over, oldest first, with what each has called. Parameter: :ticket.
-- Indexes: primary keys.
SELECT a.attempt, a.lease_no, COALESCE(a.category, 'unknown') AS category, COALESCE(a.error, '') AS error,
  COALESCE((
    SELECT string_agg(t.tool || ' ' || t.calls || CASE t.calls WHEN 1 THEN ' time' ELSE ' times' END
      || CASE WHEN t.failed > 0 THEN ' (' || t.failed || ' failed)' ELSE '' END, ', ' ORDER BY t.calls DESC, t.tool)
    FROM (
      SELECT j.entry->'reply'->'call'->>'name' AS tool, count(*) AS calls,
        count(*) FILTER (WHERE j.entry->'reply'->>'outcome' <> 'OK') AS failed
      FROM holdfast.session_journal j
      WHERE j.ticket_id = :ticket AND j.lease_no = a.lease_no AND j.kind = 'tool_finished'
      GROUP BY tool
    ) t), '') AS tools
FROM holdfast.ticket_attempts a
WHERE a.ticket_id = :ticket AND a.outcome = 'failed'
  AND a.lease_no > COALESCE((
    SELECT max(o.lease_no) FROM holdfast.session_journal o WHERE o.ticket_id = :ticket AND o.kind = 'started_over'), 0)
ORDER BY a.lease_no
