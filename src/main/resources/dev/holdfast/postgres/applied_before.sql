-- Which of these attempts were stored by an earlier try whose answer got lost, and what was decided then.
-- Parameters: :ids, :leases (one length).
SELECT a.ticket_id, a.lease_no, a.outcome, a.finished_at, y.details::text AS decision
FROM unnest(:ids::bigint[], :leases::bigint[]) AS i (id, lease_no)
CROSS JOIN LATERAL (
  SELECT * FROM holdfast.ticket_attempts a WHERE a.ticket_id = i.id AND a.lease_no = i.lease_no LIMIT 1
) a
LEFT JOIN LATERAL (
  SELECT y.details FROM holdfast.ticket_activity y
  WHERE y.ticket_id = i.id AND y.action = 'retry_decision' AND y.details -> 'leaseNo' = to_jsonb(i.lease_no)
  LIMIT 1
) y ON a.outcome = 'failed'
