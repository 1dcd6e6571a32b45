-- The newest steps of all sessions of a ticket, the newest first; '' for one of more bytes than are asked for. Parameters: :ticket, :bytes, :rows.
-- Index: the primary key.
SELECT j.seq, j.lease_no, j.written_at, j.kind, CASE WHEN octet_length(j.entry::text) <= :bytes THEN j.entry::text ELSE '' END AS entry
FROM holdfast.session_journal j
WHERE j.ticket_id = :ticket
ORDER BY j.seq DESC
LIMIT :rows
