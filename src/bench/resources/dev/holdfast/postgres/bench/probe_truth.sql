-- Tickets that are finished under their own fence with exactly one attempt row, attempts in all, leases and ready rows left.
SELECT
  (SELECT count(*) FROM holdfast_bench.probe_ticket t
   JOIN holdfast_bench.probe_attempt a ON a.ticket_id = t.id AND a.lease_no = t.fence WHERE t.state = 1),
  (SELECT count(*) FROM holdfast_bench.probe_attempt),
  (SELECT count(*) FROM holdfast_bench.probe_lease),
  (SELECT count(*) FROM holdfast_bench.probe_ready)
