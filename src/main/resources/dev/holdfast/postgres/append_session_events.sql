-- Adds events of sessions, in order; those of tickets that are gone are left out.
-- Parameters, arrays of one length: :tickets, :leases, :ages_ms (how long ago each happened), :events, :details (JSON texts).
-- Index: the primary key of ticket_base.
INSERT INTO holdfast.session_events (ticket_id, lease_no, at, event, details)
SELECT e.ticket_id, e.lease_no, statement_timestamp() - e.age_ms * interval '1 millisecond', e.event, e.details::jsonb
FROM unnest(CAST(:tickets AS bigint[]), CAST(:leases AS bigint[]), CAST(:ages_ms AS bigint[]), CAST(:events AS text[]),
  CAST(:details AS text[])) WITH ORDINALITY AS e(ticket_id, lease_no, age_ms, event, details, no)
WHERE EXISTS (SELECT FROM holdfast.ticket_base b WHERE b.id = e.ticket_id)
ORDER BY e.no
