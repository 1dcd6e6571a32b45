-- What became of the benchmark's tickets, as `tickets` tells it to anybody who looks.
SELECT
  -- finished: at rest, under a fence that is the lease_no of a succeeded attempt
  (SELECT count(*) FROM holdfast_bench.ticket_base b
   JOIN holdfast_bench.ticket_attempts a ON a.ticket_id = b.id AND a.lease_no = b.fence AND a.outcome = 'succeeded'
   WHERE b.state IN ('needs_review', 'done')) AS finished,
  (SELECT count(*) FROM holdfast_bench.ticket_attempts) AS attempts,
  (SELECT COALESCE(sum(attempt_count), 0) FROM holdfast_bench.ticket_base) AS counted,
  (SELECT count(*) FROM holdfast_bench.tickets WHERE state IN ('ready', 'in_progress') AND retry_after IS NULL) AS waiting,
  (SELECT count(*) FROM holdfast_bench.leases) AS leases
