-- Adds the next steps of a session, all or none, only while the ticket is in progress under this lease. Parameters: :ticket, :lease, :seq (of
-- the first), :entries (JSON texts), :late. One row: how many of them are there now; -1 where the lease is over.
-- With :late also where a person has taken the ticket from this lease, and no newer one has had it: release_ticket has to wait for this.
-- Whatever ends the stay under a lease raises the fence of the ticket's row, which is locked against that until this commits: what a later
-- lease reads is all there will ever be of this one.
-- None where the step before them is not there: a database that was restored, or promoted without the last commits, has lost it.
-- Equal rows that are there already were written by the same call, whose answer was lost.
-- Indexes: primary keys.
WITH live AS MATERIALIZED (
  SELECT b.id FROM holdfast.ticket_base b
  WHERE b.id = :ticket AND (
    b.state = 'ready' AND b.fence < :lease AND EXISTS (SELECT FROM holdfast.leases l WHERE l.id = :lease AND b.id = ANY (l.ids))
    OR :late AND b.state IN ('on_hold', 'cancelled') AND b.fence = :lease)
  FOR SHARE OF b
), given AS MATERIALIZED (
  SELECT live.id AS ticket_id, :seq + u.no - 1 AS seq, u.entry::jsonb AS entry
  FROM live CROSS JOIN unnest(CAST(:entries AS text[])) WITH ORDINALITY AS u(entry, no)
  WHERE :seq = 1 OR EXISTS (SELECT FROM holdfast.session_journal p WHERE p.ticket_id = live.id AND p.seq = :seq - 1)
), written AS (
  INSERT INTO holdfast.session_journal (ticket_id, seq, lease_no, kind, entry)
  SELECT g.ticket_id, g.seq, :lease, g.entry->>'entry', g.entry FROM given g
  ON CONFLICT (ticket_id, seq) DO NOTHING
  RETURNING seq
)
SELECT CASE WHEN EXISTS (SELECT FROM live) THEN (SELECT count(*) FROM written) + (
  SELECT count(*) FROM given g
  CROSS JOIN LATERAL (
    SELECT FROM holdfast.session_journal j
    WHERE j.ticket_id = g.ticket_id AND j.seq = g.seq AND j.lease_no = :lease AND j.entry = g.entry
    LIMIT 1) same)
ELSE -1 END
