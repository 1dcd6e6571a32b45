-- Deletes finished tickets that are past their time, with all that belongs to them. Parameters: :done_ms and :cancelled_ms (0 = keep), :limit.
WITH old AS MATERIALIZED (
  SELECT b.id FROM holdfast.ticket_base b
  WHERE (b.state = 'done' AND :done_ms > 0 AND b.completed_at < now() - :done_ms * interval '1 millisecond')
     OR (b.state = 'cancelled' AND :cancelled_ms > 0 AND b.completed_at < now() - :cancelled_ms * interval '1 millisecond')
  ORDER BY b.id
  LIMIT :limit
  FOR UPDATE SKIP LOCKED
), attempts AS (
  DELETE FROM holdfast.ticket_attempts a WHERE a.ticket_id = ANY (ARRAY(SELECT id FROM old))
), guidance AS (
  DELETE FROM holdfast.ticket_guidance g WHERE g.ticket_id = ANY (ARRAY(SELECT id FROM old))
), activity AS (
  DELETE FROM holdfast.ticket_activity y WHERE y.ticket_id = ANY (ARRAY(SELECT id FROM old))
)
DELETE FROM holdfast.ticket_base b WHERE b.id = ANY (ARRAY(SELECT id FROM old))
