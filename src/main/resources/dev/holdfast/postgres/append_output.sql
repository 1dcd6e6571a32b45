-- Adds pieces of what programs print, and drops what has more than 64 KiB behind it. Parameters, arrays of one length: :tickets, :leases,
-- :streams, :froms, :tos, :pieces, :texts; one piece of each chunk.
-- Only the attempt that runs under its lease may, and one that has ended otherwise than by the loss of its lease: its last piece may come after
-- its result.
-- Indexes: primary keys.
WITH input AS MATERIALIZED (
  SELECT i.ticket_id, i.lease_no, i.stream, i.from_byte, i.to_byte, i.pieces, i.text
  FROM unnest(CAST(:tickets AS bigint[]), CAST(:leases AS bigint[]), CAST(:streams AS text[]), CAST(:froms AS bigint[]),
    CAST(:tos AS bigint[]), CAST(:pieces AS integer[]), CAST(:texts AS text[]))
    AS i (ticket_id, lease_no, stream, from_byte, to_byte, pieces, text)
  CROSS JOIN LATERAL (SELECT b.state, b.fence FROM holdfast.ticket_base b WHERE b.id = i.ticket_id LIMIT 1) b
  WHERE (b.state = 'ready' AND b.fence < i.lease_no
      AND EXISTS (SELECT FROM holdfast.leases l WHERE l.id = i.lease_no AND i.ticket_id = ANY (l.ids)))
    OR EXISTS (
      SELECT FROM holdfast.ticket_attempts a
      WHERE a.ticket_id = i.ticket_id AND a.lease_no = i.lease_no AND a.outcome <> 'crashed')
), dropped AS (
  DELETE FROM holdfast.attempt_output o USING input i
  WHERE o.ticket_id = i.ticket_id AND o.lease_no = i.lease_no AND o.stream = i.stream AND o.to_byte <= i.to_byte - 65536
    AND o.from_byte < i.from_byte
)
INSERT INTO holdfast.attempt_output AS o (ticket_id, lease_no, stream, from_byte, to_byte, pieces, text)
SELECT i.ticket_id, i.lease_no, i.stream, i.from_byte, i.to_byte, i.pieces, i.text FROM input i
ORDER BY i.ticket_id, i.lease_no, i.stream, i.from_byte
ON CONFLICT (ticket_id, lease_no, stream, from_byte) DO UPDATE
SET text = o.text || EXCLUDED.text, to_byte = EXCLUDED.to_byte, pieces = EXCLUDED.pieces, written_at = now()
WHERE o.pieces = EXCLUDED.pieces - 1
