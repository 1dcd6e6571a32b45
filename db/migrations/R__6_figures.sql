-- Counts the figures of the home page. Workers call roll_up_figures every few seconds.
--
-- Flyway runs this file after all versioned ones: again with each version of the schema (now ${version}), and whenever it changes.

-- A row is stamped before it is committed. Whoever writes one holds this lock until then; whom the caller may not look at is not waited for.
CREATE OR REPLACE FUNCTION figures_settled(lag interval) RETURNS timestamptz
LANGUAGE sql SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
  SELECT LEAST(clock_timestamp() - lag, (
    SELECT min(a.xact_start) FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid
    WHERE l.locktype = 'relation' AND l.mode = 'RowExclusiveLock' AND a.datname = current_database()
      AND l.relation IN ('ticket_attempts'::regclass, 'ticket_activity'::regclass, 'session_journal'::regclass)))
$$;
COMMENT ON FUNCTION figures_settled IS 'Up to when no attempt, activity or answer of a model can appear any more: lag ago, or when the oldest transaction began that writes some.';

-- The tables' newest pages by BRIN; ticket_base by its primary key.
CREATE OR REPLACE FUNCTION count_ticket_figures(from_time timestamptz, to_time timestamptz) RETURNS void
LANGUAGE sql SET search_path = ${flyway:defaultSchema}, pg_temp SET enable_seqscan = off SET jit = off AS $$
  INSERT INTO ticket_figures AS f (span_minutes, starts_at, queue, design, event, category, n)
  SELECT s.minutes, date_bin(s.minutes * interval '1 minute', e.minute, '2000-01-01 00:00Z'), e.queue, e.design, e.event, e.category, sum(e.n)
  FROM (
    SELECT date_bin('1 minute', h.at, '2000-01-01 00:00Z') AS minute, b.queue, COALESCE(d.name, '') AS design, h.event, h.category, count(*) AS n
    FROM (
      SELECT a.ticket_id, a.finished_at AS at, a.outcome AS event, COALESCE(a.category, '') AS category
      FROM ticket_attempts a WHERE a.finished_at >= from_time AND a.finished_at < to_time
      UNION ALL
      SELECT y.ticket_id, y.created_at, CASE y.action WHEN 'released' THEN 'released' ELSE 'held' END, ''
      FROM ticket_activity y
      WHERE y.created_at >= from_time AND y.created_at < to_time
        AND (y.action IN ('held', 'released') OR y.actor = 'system' AND y.details->>'holdReason' IS NOT NULL)
    ) h
    JOIN ticket_base b ON b.id = h.ticket_id
    LEFT JOIN designs d ON d.id = b.design_id
    GROUP BY 1, 2, 3, 4, 5
  ) e
  CROSS JOIN (VALUES (1), (15), (120)) AS s (minutes)
  GROUP BY 1, 2, 3, 4, 5, 6
  ON CONFLICT (span_minutes, starts_at, event, category, queue, design) DO UPDATE SET n = f.n + EXCLUDED.n
$$;
COMMENT ON FUNCTION count_ticket_figures IS 'Adds to ticket_figures what happened from the first time on and before the second. For roll_up_figures, which sees to it that nothing is counted twice.';

-- Providers say what they like: no answer may stop the count, with more tokens than a bigint has or a name too long for an index.
CREATE OR REPLACE FUNCTION count_model_figures(from_time timestamptz, to_time timestamptz) RETURNS void
LANGUAGE sql SET search_path = ${flyway:defaultSchema}, pg_temp SET enable_seqscan = off SET jit = off AS $$
  INSERT INTO model_figures AS f (span_minutes, starts_at, provider, model, design, answers, tokens_in, tokens_out, cost_usd)
  SELECT s.minutes, date_bin(s.minutes * interval '1 minute', j.written_at, '2000-01-01 00:00Z'),
    left(COALESCE(j.entry->'target'->>'provider', ''), 200), left(COALESCE(j.entry->'target'->>'model', ''), 200), COALESCE(d.name, ''),
    count(*) FILTER (WHERE j.kind <> 'step_finished' AND j.entry->'unanswered' IS DISTINCT FROM 'true'),
    sum(LEAST(COALESCE((j.entry->'usage'->>'input')::numeric + (j.entry->'usage'->>'cacheRead')::numeric
      + (j.entry->'usage'->>'cacheWrite')::numeric, 0), 1e12)),
    sum(LEAST(COALESCE((j.entry->'usage'->>'output')::numeric, 0), 1e12)), sum((j.entry->>'costUsd')::numeric)
  FROM (
    SELECT x.ticket_id, x.written_at, x.kind, x.entry FROM session_journal x
    WHERE x.kind IN ('answered', 'discarded', 'compacted') AND x.written_at >= from_time AND x.written_at < to_time
      AND (x.kind <> 'compacted' OR x.entry->'summarised' = 'true')
    UNION ALL
    SELECT x.ticket_id, x.written_at, x.kind, x.entry FROM session_journal x
    WHERE x.kind = 'step_finished' AND x.written_at >= from_time AND x.written_at < to_time
      AND ((x.entry->'usage'->>'input')::bigint > 0 OR (x.entry->'usage'->>'output')::bigint > 0)
  ) j
  JOIN ticket_base b ON b.id = j.ticket_id
  LEFT JOIN designs d ON d.id = b.design_id
  CROSS JOIN (VALUES (1), (15), (120)) AS s (minutes)
  GROUP BY 1, 2, 3, 4, 5
  ON CONFLICT (span_minutes, starts_at, provider, model, design) DO UPDATE
  SET answers = f.answers + EXCLUDED.answers, tokens_in = f.tokens_in + EXCLUDED.tokens_in, tokens_out = f.tokens_out + EXCLUDED.tokens_out,
    cost_usd = CASE WHEN f.cost_usd IS NULL THEN EXCLUDED.cost_usd ELSE f.cost_usd + COALESCE(EXCLUDED.cost_usd, 0) END
$$;
COMMENT ON COLUMN model_figures.provider IS 'Empty, as model, where an older version wrote the journal, which did not name one of summaries and of steps of repairs.';
COMMENT ON COLUMN model_figures.answers IS 'Answers that came, useless ones and summaries included; those in steps of repairs are not counted, and none of a call that was cut or broken off.';
COMMENT ON FUNCTION count_model_figures IS 'Adds to model_figures what models answered from the first time on and before the second. For roll_up_figures.';

CREATE OR REPLACE FUNCTION prune_figures() RETURNS void
LANGUAGE sql SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
  DELETE FROM ticket_figures f USING (VALUES (1, interval '3 hours'), (15, '3 days'), (120, '90 days')) AS k (minutes, kept)
  WHERE f.span_minutes = k.minutes AND f.starts_at < now() - k.kept;
  DELETE FROM model_figures f USING (VALUES (1, interval '3 hours'), (15, '3 days'), (120, '90 days')) AS k (minutes, kept)
  WHERE f.span_minutes = k.minutes AND f.starts_at < now() - k.kept;
$$;
COMMENT ON FUNCTION prune_figures IS 'Deletes figures that are past their time: those by minute after 3 hours, by 15 minutes after 3 days, by 2 hours after 90 days.';

CREATE OR REPLACE FUNCTION roll_up_figures(lag interval DEFAULT '5 seconds') RETURNS interval
LANGUAGE plpgsql SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
DECLARE
  began timestamptz := clock_timestamp();
  c figures_cursor;
  from_time timestamptz;
  settled timestamptz;
  to_time timestamptz;
  took interval;
  pause interval;
BEGIN
  -- As late as that it is put off only by a clock that was ahead and has been set back.
  SELECT * INTO c FROM figures_cursor x
  WHERE x.next_at <= began OR x.next_at > began + interval '1 minute' + 51 * x.took_ms * interval '1 millisecond' FOR UPDATE SKIP LOCKED;
  IF NOT FOUND THEN
    RETURN interval '15 seconds';
  END IF;
  -- After a long time without a worker what is shown nowhere is not counted; the rest is, a quarter of an hour at a time.
  from_time := CASE WHEN c.counted_until > began + interval '1 minute' THEN began - interval '1 minute'
    ELSE GREATEST(c.counted_until, began - interval '8 days') END;
  settled := figures_settled(lag);
  to_time := LEAST(settled, from_time + interval '15 minutes');
  IF to_time > from_time THEN
    PERFORM count_ticket_figures(from_time, to_time);
    PERFORM count_model_figures(from_time, to_time);
  END IF;
  IF to_time >= settled THEN
    PERFORM prune_figures();
  END IF;
  took := clock_timestamp() - began;
  pause := GREATEST(50 * took, CASE WHEN to_time < settled THEN interval '0' ELSE interval '15 seconds' END);
  UPDATE figures_cursor x
  SET counted_until = GREATEST(from_time, to_time), next_at = began + took + pause, took_ms = 1000 * EXTRACT(epoch FROM took);
  RETURN pause;
END
$$;
COMMENT ON FUNCTION roll_up_figures IS 'Counts on, at most a quarter of an hour, and says after what pause to call again: 15 seconds, less where more waits to be counted, and at least 50 times as long as it took. Where another process counts or has just counted, it does nothing.';

-- Finishes write nothing for this: whoever tells of results looks at the newest attempts, up to where they are counted.
CREATE OR REPLACE FUNCTION note_reviews() RETURNS bigint
LANGUAGE plpgsql SET search_path = ${flyway:defaultSchema}, pg_temp SET enable_seqscan = off SET jit = off AS $$
DECLARE
  until timestamptz := (SELECT c.counted_until FROM figures_cursor c);
  since timestamptz;
  noted bigint := 0;
  r record;
BEGIN
  INSERT INTO webhook_cursors (name, activity_id, updated_at) VALUES ('noted:reviews', 0, until) ON CONFLICT DO NOTHING;
  -- Behind all that is counted is only the time of a clock that was ahead.
  UPDATE webhook_cursors c SET updated_at = until WHERE c.name = 'noted:reviews' AND c.updated_at > until + interval '1 minute';
  SELECT c.updated_at INTO since FROM webhook_cursors c WHERE c.name = 'noted:reviews' AND c.updated_at < until FOR UPDATE SKIP LOCKED;
  IF NOT FOUND THEN
    RETURN 0;
  END IF;
  FOR r IN
    SELECT COALESCE(d.name, '') AS design, count(*) AS n, (array_agg(b.id ORDER BY b.id))[1:50] AS ids
    FROM (SELECT DISTINCT a.ticket_id FROM ticket_attempts a WHERE a.finished_at >= since AND a.finished_at < until AND a.outcome = 'succeeded') s
    JOIN ticket_base b ON b.id = s.ticket_id AND b.state = 'needs_review'
    LEFT JOIN designs d ON d.id = b.design_id
    GROUP BY 1 ORDER BY 1
  LOOP
    PERFORM log_activity(NULL, 'results_to_review', 'system', jsonb_build_object('design', r.design, 'count', r.n, 'ticketIds', to_jsonb(r.ids)));
    noted := noted + 1;
  END LOOP;
  UPDATE webhook_cursors c SET updated_at = until WHERE c.name = 'noted:reviews';
  RETURN noted;
END
$$;
COMMENT ON FUNCTION note_reviews IS 'Makes a row of ticket_activity (results_to_review) for each design of which results have come to wait for review since the last call, some seconds behind as the figures are; returns how many. For those who tell people.';

CREATE OR REPLACE FUNCTION note_digest(digest_time time, zone text) RETURNS boolean
LANGUAGE plpgsql SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
DECLARE
  today timestamptz := ((now() AT TIME ZONE zone)::date + digest_time) AT TIME ZONE zone;
  due timestamptz := CASE WHEN today <= now() THEN today ELSE ((now() AT TIME ZONE zone)::date - 1 + digest_time) AT TIME ZONE zone END;
BEGIN
  INSERT INTO webhook_cursors (name, activity_id, updated_at) VALUES ('noted:digest', 0, now()) ON CONFLICT DO NOTHING;
  -- The last one is not to come: the clock was ahead.
  UPDATE webhook_cursors c SET updated_at = now() WHERE c.name = 'noted:digest' AND c.updated_at > now() + interval '1 minute';
  UPDATE webhook_cursors c SET updated_at = now() WHERE c.name = 'noted:digest' AND c.updated_at < due;
  IF NOT FOUND THEN
    RETURN false;
  END IF;
  PERFORM log_activity(NULL, 'digest', 'system', jsonb_build_object(
    'onHold', (SELECT count(*) FROM held),
    'inReview', (SELECT count(*) FROM ticket_base b WHERE b.state = 'needs_review'),
    'ready', (SELECT count(*) FROM ready) + (SELECT count(*) FROM deferred),
    'succeeded', (SELECT COALESCE(sum(f.n), 0) FROM ticket_figures f
      WHERE f.span_minutes = 15 AND f.starts_at >= now() - interval '1 day' AND f.event = 'succeeded'),
    'failed', (SELECT COALESCE(sum(f.n), 0) FROM ticket_figures f
      WHERE f.span_minutes = 15 AND f.starts_at >= now() - interval '1 day' AND f.event = 'failed'),
    'costUsd', (SELECT sum(f.cost_usd) FROM model_figures f WHERE f.span_minutes = 15 AND f.starts_at >= now() - interval '1 day')));
  RETURN true;
END
$$;
COMMENT ON FUNCTION note_digest IS 'Makes a row of ticket_activity (digest) if that time of the day has come since the last one: how many tickets wait, and what a day brought. For those who tell people.';

CREATE OR REPLACE VIEW design_health AS
WITH recent AS (
  SELECT t.design_id, t.state FROM ticket_base t ORDER BY t.id DESC LIMIT 20000
), counted AS (
  SELECT r.design_id, count(*) AS tickets, count(*) FILTER (WHERE r.state IN ('done', 'needs_review')) AS succeeded,
    count(*) FILTER (WHERE r.state IN ('on_hold', 'cancelled')) AS held
  FROM recent r WHERE r.design_id IS NOT NULL GROUP BY r.design_id
)
SELECT d.name, (array_agg(d.kind ORDER BY d.version DESC))[1] AS kind, max(d.version) AS version, count(*) AS versions,
  COALESCE(sum(c.tickets), 0)::bigint AS tickets, COALESCE(sum(c.succeeded), 0)::bigint AS succeeded, COALESCE(sum(c.held), 0)::bigint AS held,
  (SELECT sum(f.cost_usd) FROM model_figures f
   WHERE f.span_minutes = 120 AND f.starts_at > now() - interval '7 days' AND f.design = d.name) AS cost_usd
FROM designs d LEFT JOIN counted c ON c.design_id = d.id
GROUP BY d.name
ORDER BY d.name;
COMMENT ON VIEW design_health IS 'Designs with what became of the newest 20,000 tickets, by design, and what models have cost them in the last 7 days.';
COMMENT ON COLUMN design_health.version IS 'The latest.';
COMMENT ON COLUMN design_health.tickets IS 'How many of these tickets have it, in any version.';
COMMENT ON COLUMN design_health.succeeded IS 'Done, or waiting for their review.';
COMMENT ON COLUMN design_health.held IS 'On hold, or cancelled.';
COMMENT ON COLUMN design_health.cost_usd IS 'NULL where nothing had a price.';

SELECT grant_roles(only_new => true);
