-- The steps of a ticket's session, in order, since it last started over. Parameter: :ticket. Index: the primary key.
SELECT j.seq, j.lease_no, j.written_at, j.kind, j.entry::text AS entry
FROM holdfast.session_journal j
WHERE j.ticket_id = :ticket AND j.seq > COALESCE((
  SELECT max(o.seq) FROM holdfast.session_journal o WHERE o.ticket_id = :ticket AND o.kind = 'started_over'), 0)
ORDER BY j.seq
