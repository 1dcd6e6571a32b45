-- A page of another table's rows, and what each would be as a ticket. import_preview.sql or import_take.sql follows.
-- It ends with all rows of its last id, so that rows that share an id are seen together.
-- $source, $start, $policy_problem, $payload_problem and the $taken of the preview are put in by PostgresTicketImport. Parameters: :after, the last id of the
-- page before; :limit; :keys, :kinds, :designs, what becomes of the tickets of each of its designs; :running, what becomes of those in
-- progress: ready, or NULL to leave them.
-- A dry run needs no schema: what is asked of a function of Holdfast's stands in a $ that PostgresTicketImport can leave out.
-- Trap: times without zone are read in the session's zone, so the caller sets UTC.
WITH page AS MATERIALIZED (
  SELECT to_jsonb(s) AS o, s.id::text AS source_id, row_number() OVER (ORDER BY s.id) AS place
  FROM $source s $start
  ORDER BY s.id FETCH FIRST :limit ROWS WITH TIES
), design AS (
  SELECT * FROM unnest(:keys::text[], :kinds::text[], :designs::bigint[]) AS d (key, kind, design_id)
), known AS (
  SELECT
    p.o, p.source_id, p.place, count(*) OVER (PARTITION BY p.source_id) AS same_id,
    p.o->>'state' AS old_state, COALESCE(p.o->>'design_id', '') AS design_key, d.design_id,
    COALESCE(NULLIF(p.o->>'queue', ''), 'default') AS queue,
    CASE WHEN p.o->>'retry_strategy' <> '' THEN p.o->'retry_strategy' END AS retry_strategy,
    -- A kind for those without a design is for those that have none of their own, either.
    COALESCE(CASE WHEN d.design_id IS NULL AND p.o->>'design_id' IS NULL AND p.o->>'kind' ~ '^[A-Za-z0-9][A-Za-z0-9._:/-]{0,99}$'
      THEN p.o->>'kind' END, d.kind) AS kind,
    CASE
      WHEN p.o->>'state' IN ('ready', 'needs_review', 'on_hold', 'done', 'cancelled') THEN p.o->>'state'
      WHEN p.o->>'state' = 'in_progress' THEN :running::text
      ELSE 'on_hold' -- a person knows what it means
    END AS new_state
  FROM page p LEFT JOIN design d ON d.key = COALESCE(p.o->>'design_id', '')
), drafted AS (
  SELECT
    k.*,
    CASE
      WHEN k.same_id > 1 THEN 'same_id'
      WHEN k.new_state IS NULL THEN 'in_progress'
      WHEN COALESCE(k.o->>'retry_count', '0') !~ E'^\\d{1,9}(\\.0+)?$'
        OR COALESCE(k.o->>'rejection_count', '0') !~ E'^\\d{1,9}(\\.0+)?$' THEN 'count'
      WHEN k.queue !~ '^[A-Za-z0-9][A-Za-z0-9._:-]{0,62}$' THEN 'queue'
      WHEN k.retry_strategy IS NOT NULL
        AND (jsonb_typeof(k.retry_strategy) <> 'object' OR $policy_problem IS NOT NULL) THEN 'retry_strategy'
      WHEN concat_ws(' ', k.o->>'created_at', k.o->>'updated_at', k.o->>'started_at', k.o->>'completed_at', k.o->>'retry_after')
        LIKE '%infinity%' THEN 'time'
      WHEN k.kind IS NULL THEN 'design'
    END AS flaw,
    CASE
      WHEN jsonb_typeof(k.o->'payload') = 'object' THEN k.o->'payload'
      -- An agent's task is payload.prompt.
      ELSE jsonb_strip_nulls(jsonb_build_object('prompt',
          NULLIF(concat_ws(E'\n\n', NULLIF(k.o->>'title', ''), NULLIF(k.o->>'description', '')), '')))
        || jsonb_strip_nulls(k.o - ARRAY['id', 'title', 'description', 'state', 'design_id', 'kind', 'queue', 'assignee_type',
          'priority', 'retry_count', 'rejection_count', 'retry_after', 'retry_strategy', 'error', 'hold_reason', 'result', 'vm_id', 'created_at', 'updated_at',
          'started_at', 'completed_at'])
    END AS payload,
    CASE
      WHEN k.old_state = 'on_hold' AND btrim(k.o->>'hold_reason', E' \t\r\n') <> '' THEN k.o->>'hold_reason'
      WHEN k.old_state = 'on_hold' THEN 'on hold before it was taken over'
      ELSE format('Its state before it was taken over is not known here: %s', COALESCE(k.old_state, 'NULL'))
    END AS hold_reason,
    CASE WHEN k.o->'assignee_type' IS NULL THEN 'agent' WHEN k.o->>'assignee_type' IN ('agent', 'human') THEN k.o->>'assignee_type' END
      AS assignee_type,
    CASE
      WHEN k.o->>'priority' ~ E'^-?\\d{1,9}$' THEN (k.o->>'priority')::integer
      ELSE CASE lower(k.o->>'priority') WHEN 'critical' THEN 20 WHEN 'urgent' THEN 20 WHEN 'high' THEN 10 WHEN 'low' THEN -10 ELSE 0 END
    END AS priority
  FROM known k
), mapped AS (
  SELECT d.*, COALESCE(d.flaw, CASE WHEN $payload_problem THEN 'payload' END) AS problem FROM drafted d
)
