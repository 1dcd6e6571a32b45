-- The steps of all sessions of a ticket, in order, from one on. Parameters: :ticket, :after, :rows. Index: the primary key.
SELECT j.seq, j.lease_no, j.written_at, j.kind, j.entry::text AS entry
FROM holdfast.session_journal j
WHERE j.ticket_id = :ticket AND j.seq > :after
ORDER BY j.seq
LIMIT :rows
