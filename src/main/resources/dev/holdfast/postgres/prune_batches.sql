-- Deletes batches that ended as long ago as done tickets are kept and have no ticket any more, and releases in steps of that age. :ms is above 0.
-- Index: ticket_of_batch; batches and releases are few and read whole.
WITH releases AS (
  DELETE FROM holdfast.releases r WHERE r.ended_at < now() - :ms * interval '1 millisecond' RETURNING r.id
), tickets AS (
  DELETE FROM holdfast.release_tickets w WHERE w.release_id = ANY (ARRAY(SELECT id FROM releases))
)
DELETE FROM holdfast.batches b
WHERE b.ended_at < now() - :ms * interval '1 millisecond'
  AND NOT EXISTS (SELECT FROM holdfast.ticket_base t WHERE t.batch_id = b.id)
  AND NOT EXISTS (SELECT FROM holdfast.batch_followers f WHERE f.batch_id = b.id AND f.ended_at IS NULL)
