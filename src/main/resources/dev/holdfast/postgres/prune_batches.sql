-- Deletes batches that ended as long ago as done tickets are kept and have no ticket any more, and releases in steps of that age. :ms is above 0.
-- With them go notes of results that came to wait for review, which nobody decided and which belong to no ticket: there may be one for each
-- design every 15 seconds. They are kept for 31 days at least, longer than anybody tries to tell people of them (webhooks.give-up-after).
-- Index: ticket_of_batch; ticket_activity_by_time, as most of what is that old has gone with its tickets; batches and releases are few and
-- read whole.
WITH releases AS (
  DELETE FROM holdfast.releases r WHERE r.ended_at < now() - :ms * interval '1 millisecond' RETURNING r.id
), tickets AS (
  DELETE FROM holdfast.release_tickets w WHERE w.release_id = ANY (ARRAY(SELECT id FROM releases))
), notes AS (
  DELETE FROM holdfast.ticket_activity y
  WHERE y.created_at < now() - GREATEST(:ms * interval '1 millisecond', interval '31 days')
    AND y.ticket_id IS NULL AND y.action = 'results_to_review'
)
DELETE FROM holdfast.batches b
WHERE b.ended_at < now() - :ms * interval '1 millisecond'
  AND NOT EXISTS (SELECT FROM holdfast.ticket_base t WHERE t.batch_id = b.id)
  AND NOT EXISTS (SELECT FROM holdfast.batch_followers f WHERE f.batch_id = b.id AND f.ended_at IS NULL)
