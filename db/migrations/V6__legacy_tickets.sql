-- Brings the rows of a `tickets` table from before Holdfast over. It may lack the retry columns, and its times
-- may be TIMESTAMP without zone, which are read as UTC. The old table stays as legacy_tickets; drop it when content.
-- Old workers that still write to it must be stopped first: they do not know leases.
DO $$
DECLARE
  naive_column text;
BEGIN
  IF to_regclass('legacy_tickets') IS NULL THEN
    RETURN;
  END IF;
  ALTER TABLE legacy_tickets ADD COLUMN IF NOT EXISTS retry_after timestamptz;
  ALTER TABLE legacy_tickets ADD COLUMN IF NOT EXISTS retry_strategy jsonb;
  FOR naive_column IN
    SELECT column_name FROM information_schema.columns
    WHERE table_schema = '${flyway:defaultSchema}' AND table_name = 'legacy_tickets' AND data_type = 'timestamp without time zone'
  LOOP
    EXECUTE format('ALTER TABLE legacy_tickets ALTER COLUMN %1$I TYPE timestamptz USING %1$I AT TIME ZONE ''UTC''', naive_column);
  END LOOP;
  COMMENT ON TABLE legacy_tickets IS 'The table tickets from before Holdfast. Its rows were brought over; drop it when content.';
  -- Numbers stay ids, and the ids that are given to the others start behind them.
  PERFORM setval(pg_get_serial_sequence('ticket_base', 'id'), GREATEST(1, (
    SELECT max((o->>'id')::bigint) FROM (SELECT to_jsonb(l) AS o FROM legacy_tickets l) old WHERE o->>'id' ~ '^[1-9]\d{0,17}$')));
  INSERT INTO ticket_base (filed, id, unique_key, queue, kind, title, payload, state, held_at, hold_actions, hold_reason, assignee_type, priority,
    retry_count, rejection_count, retry_after, retry_strategy, error, result, created_at, updated_at, started_at, completed_at)
  SELECT
    true,
    CASE WHEN id ~ '^[1-9]\d{0,17}$' THEN id::bigint ELSE nextval(pg_get_serial_sequence('ticket_base', 'id')) END,
    -- An id that is not a number becomes the unique key.
    CASE WHEN id !~ '^[1-9]\d{0,17}$' THEN id END,
    CASE WHEN o->>'queue' ~ '^[A-Za-z0-9][A-Za-z0-9._:-]{0,62}$' THEN o->>'queue' ELSE 'default' END,
    CASE WHEN o->>'kind' ~ '^[A-Za-z0-9][A-Za-z0-9._:/-]{0,99}$' THEN o->>'kind' ELSE 'legacy' END,
    o->>'title',
    CASE WHEN jsonb_typeof(o->'payload') = 'object' THEN o->'payload' ELSE jsonb_build_object('legacy', o) END,
    new_state,
    CASE WHEN new_state = 'on_hold' THEN COALESCE((o->>'updated_at')::timestamptz, now()) END,
    CASE WHEN new_state = 'on_hold' THEN '{release,release_with_guidance,cancel}'::text[] END,
    CASE
      WHEN new_state <> 'on_hold' THEN NULL
      WHEN o->>'state' = 'on_hold' THEN COALESCE(o->>'hold_reason', 'on hold before Holdfast')
      ELSE format('Its state before Holdfast is not known here: %s', COALESCE(o->>'state', 'NULL'))
    END,
    CASE WHEN NOT o ? 'assignee_type' THEN 'agent' WHEN o->>'assignee_type' IN ('agent', 'human') THEN o->>'assignee_type' END,
    CASE WHEN o->>'priority' ~ '^-?\d{1,9}$' THEN (o->>'priority')::integer ELSE 0 END,
    GREATEST((o->>'retry_count')::numeric::integer, 0), GREATEST(COALESCE((o->>'rejection_count')::numeric::integer, 0), 0),
    (o->>'retry_after')::timestamptz, NULLIF(o->'retry_strategy', 'null'), o->>'error', NULLIF(o->'result', 'null'),
    COALESCE((o->>'created_at')::timestamptz, now()),
    COALESCE((o->>'updated_at')::timestamptz, (o->>'created_at')::timestamptz, now()),
    (o->>'started_at')::timestamptz, (o->>'completed_at')::timestamptz
  FROM (
    SELECT o, o->>'id' AS id,
      CASE
        WHEN o->>'state' IN ('ready', 'needs_review', 'on_hold', 'done', 'cancelled') THEN o->>'state'
        WHEN o->>'state' = 'in_progress' THEN 'ready' -- what ran has no lease here: it is worked again
        ELSE 'on_hold' -- a person knows what it means
      END AS new_state
    FROM (SELECT to_jsonb(l) AS o FROM legacy_tickets l) legacy
  ) old
  ORDER BY o->>'created_at', o->>'id';
  -- Filed by plain statements: the functions that do it otherwise come after all versioned files.
  INSERT INTO queues (name) SELECT DISTINCT queue FROM ticket_base;
  INSERT INTO lanes (queue, kind) SELECT DISTINCT queue, kind FROM ticket_base;
  INSERT INTO ready (priority, created_at, id, queue, kind)
  SELECT priority, created_at, id, queue, kind FROM ticket_base
  WHERE state = 'ready' AND assignee_type = 'agent' AND (retry_after IS NULL OR retry_after <= now());
  INSERT INTO deferred (run_at, created_at, id, priority, queue, kind)
  SELECT retry_after, created_at, id, priority, queue, kind FROM ticket_base
  WHERE state = 'ready' AND assignee_type = 'agent' AND retry_after > now();
  INSERT INTO held (id, held_at, queue, kind, category, fingerprint)
  SELECT id, held_at, queue, kind, '', '' FROM ticket_base WHERE held_at IS NOT NULL;
END
$$;
