-- The held tickets of a batch, the longest held first. Parameter: :id. Index: ticket_of_batch.
SELECT b.id FROM holdfast.ticket_base b WHERE b.batch_id = :id AND b.held_at IS NOT NULL ORDER BY b.held_at, b.id
