, noted AS (
  INSERT INTO holdfast.imported_tickets (source, source_id, ticket_id)
  SELECT :source, w.source_id, nextval(pg_get_serial_sequence('holdfast.ticket_base', 'id'))
  FROM (
    SELECT m.source_id FROM mapped m
    WHERE m.problem IS NULL
      AND NOT EXISTS (SELECT FROM holdfast.imported_tickets i WHERE i.source = :source AND i.source_id = m.source_id)
    ORDER BY m.place
  ) w
  ON CONFLICT DO NOTHING
  RETURNING source_id, ticket_id
), added AS (
  INSERT INTO holdfast.ticket_base (filed, id, design_id, queue, kind, title, payload, state, held_at, hold_actions, hold_reason,
    assignee_type, priority, retry_count, rejection_count, retry_after, retry_strategy, error, result, created_at, updated_at,
    started_at, completed_at)
  SELECT true, n.ticket_id, m.design_id, m.queue, m.kind, m.o->>'title', m.payload, m.new_state,
    CASE WHEN m.new_state = 'on_hold' THEN COALESCE((m.o->>'updated_at')::timestamptz, now()) END,
    CASE WHEN m.new_state = 'on_hold' THEN '{release,release_with_guidance,cancel}'::text[] END,
    CASE WHEN m.new_state = 'on_hold' THEN m.hold_reason END,
    m.assignee_type, m.priority, COALESCE((m.o->>'retry_count')::numeric::integer, 0),
    COALESCE((m.o->>'rejection_count')::numeric::integer, 0),
    CASE WHEN m.old_state <> 'in_progress' THEN (m.o->>'retry_after')::timestamptz END,
    m.retry_strategy, m.o->>'error', NULLIF(m.o->'result', 'null'),
    COALESCE((m.o->>'created_at')::timestamptz, now()),
    COALESCE((m.o->>'updated_at')::timestamptz, (m.o->>'created_at')::timestamptz, now()),
    (m.o->>'started_at')::timestamptz, (m.o->>'completed_at')::timestamptz
  FROM noted n JOIN mapped m USING (source_id)
), logged AS (
  INSERT INTO holdfast.ticket_activity (ticket_id, action, actor, details)
  SELECT n.ticket_id, 'imported', :actor, jsonb_strip_nulls(jsonb_build_object(
    'source', :source::text, 'sourceId', m.source_id, 'state', m.old_state, 'vmId', m.o->>'vm_id'))
  FROM noted n JOIN mapped m USING (source_id)
)
SELECT m.source_id, m.old_state, m.new_state, m.design_key, m.kind, m.problem, n.ticket_id, n.ticket_id IS NULL AND (m.problem IS NULL
    OR EXISTS (SELECT FROM holdfast.imported_tickets i WHERE i.source = :source AND i.source_id = m.source_id)) AS taken_before
FROM mapped m LEFT JOIN noted n USING (source_id)
ORDER BY m.place
