-- Deletes finished tickets that are past their time, with all that belongs to them, of the next :page tickets behind the id :after.
-- Parameters: :done_ms and :cancelled_ms (0 = keep), :limit of what is deleted. Answers how many those are, the last id that was looked at
-- (null behind the last ticket) and whether any that was looked at is old enough to be past its time.
-- Index: the primary key, from :after on; ticket_parents and ticket_dependencies_given. What tells that a ticket is finished has no index, or every completion would write to it.
WITH page AS MATERIALIZED (
  SELECT b.id, b.created_at FROM holdfast.ticket_base b WHERE b.id > :after ORDER BY b.id LIMIT :page
), old AS MATERIALIZED (
  -- Of a ticket that was taken over from another table, completed_at may not be known.
  SELECT b.id FROM holdfast.ticket_base b
  WHERE b.id > :after AND b.id <= (SELECT max(id) FROM page)
    AND ((b.state = 'done' AND :done_ms > 0 AND COALESCE(b.completed_at, b.updated_at) < now() - :done_ms * interval '1 millisecond')
      OR (b.state = 'cancelled' AND :cancelled_ms > 0 AND COALESCE(b.completed_at, b.updated_at) < now() - :cancelled_ms * interval '1 millisecond'))
    -- A result that waited for its review is kept from its approval on.
    AND NOT EXISTS (
      SELECT FROM holdfast.ticket_activity v
      WHERE v.ticket_id = b.id AND b.state = 'done' AND v.action = 'approved'
        AND v.created_at >= now() - :done_ms * interval '1 millisecond')
    -- A workflow needs the results of its steps as long as it is there: it may be worked again from a later step on. They go after it.
    AND NOT EXISTS (
      SELECT FROM holdfast.ticket_parents p JOIN holdfast.ticket_base w ON w.id = p.parent_id
      WHERE p.ticket_id = b.id AND w.kind = 'workflow')
    -- So does a ticket that is to be given this one's result.
    AND NOT EXISTS (
      SELECT FROM holdfast.ticket_dependencies d
      CROSS JOIN LATERAL (SELECT x.state FROM holdfast.ticket_base x WHERE x.id = d.ticket_id LIMIT 1) f
      WHERE d.after_id = b.id AND d.name IS NOT NULL AND d.item IS NULL AND f.state NOT IN ('done', 'cancelled'))
  ORDER BY b.id
  LIMIT :limit
  FOR UPDATE SKIP LOCKED
), unneeded AS MATERIALIZED (
  -- Somebody may have enqueued a follower between the look of this statement and its lock. needed_by looks anew.
  SELECT o.id FROM old o WHERE holdfast.needed_by(o.id) IS NULL
), attempts AS (
  DELETE FROM holdfast.ticket_attempts a WHERE a.ticket_id = ANY (ARRAY(SELECT id FROM unneeded))
), guidance AS (
  DELETE FROM holdfast.ticket_guidance g WHERE g.ticket_id = ANY (ARRAY(SELECT id FROM unneeded))
), activity AS (
  DELETE FROM holdfast.ticket_activity y WHERE y.ticket_id = ANY (ARRAY(SELECT id FROM unneeded))
), deleted AS (
  DELETE FROM holdfast.ticket_base b WHERE b.id = ANY (ARRAY(SELECT id FROM unneeded))
)
SELECT
  (SELECT count(*) FROM unneeded) AS deleted,
  (SELECT max(id) FROM page) AS last,
  COALESCE((SELECT min(created_at) FROM page)
    < now() - LEAST(NULLIF(:done_ms, 0), NULLIF(:cancelled_ms, 0)) * interval '1 millisecond', false) AS aged
