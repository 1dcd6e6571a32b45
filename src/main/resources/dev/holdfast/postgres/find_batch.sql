-- A batch and how far it is. Parameter: :id. Primary key; counting, where it is due, reads the index ticket_of_batch.
SELECT p.batch_id AS id, p.title, p.created_at, p.created_by, p.closed_at, p.cancelled_at, p.ended_at, p.total, p.ready, p.in_progress,
  p.on_hold, p.needs_review, p.done, p.cancelled, p.deleted, p.counted_at,
  ceil(1000 * EXTRACT(epoch FROM p.time_left))::bigint AS time_left_ms, p.next_count_at
FROM holdfast.batch_progress(:id) p
