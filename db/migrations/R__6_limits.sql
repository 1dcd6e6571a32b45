-- What people set and see of limits (docs/adr/0029-limits.md): set_limit, remove_limit, set_weight, and the views of lines and limits.
-- The claims that keep them are in R__5_lines.sql.
--
-- Flyway runs this file after all versioned ones: again with each version of the schema (now ${version}), and whenever it changes.

CREATE OR REPLACE FUNCTION limit_scope(scope text) RETURNS text[]
LANGUAGE plpgsql STABLE SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
DECLARE
  parts text[] := regexp_match(scope, '^(queue|design):(.+)$');
BEGIN
  IF parts IS NULL THEN
    RAISE EXCEPTION '"%" is not what a limit can be for', COALESCE(left(scope, 100), 'NULL')
      USING ERRCODE = 'HF422', HINT = 'Write queue:NAME or design:NAME.';
  ELSIF parts[1] = 'queue' THEN
    PERFORM require_queue(parts[2]);
  ELSIF parts[1] = 'design' THEN
    PERFORM latest_design(parts[2]);
  END IF;
  RETURN parts;
END
$$;
COMMENT ON FUNCTION limit_scope IS 'The two parts of queue:NAME or design:NAME; HF422 for anything else, HF404 where there is none of that name.';

-- 0 is refused: who wants nothing to run pauses the queue, and sees that it is paused.
CREATE OR REPLACE FUNCTION require_limit(what text, n bigint) RETURNS void
LANGUAGE plpgsql IMMUTABLE SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
BEGIN
  IF n < 1 OR n > 1000000 THEN
    RAISE EXCEPTION '% is from 1 to 1000000, not %', what, n
      USING ERRCODE = 'HF422', HINT = CASE WHEN n = 0 THEN 'To let nothing run, pause the queue: holdfast pause QUEUE, or pause_queue(queue, actor).'
        ELSE 'Leave it out for no such limit.' END;
  END IF;
END
$$;
COMMENT ON FUNCTION require_limit IS 'Refuses a number that cannot be a limit with HF422.';

CREATE OR REPLACE FUNCTION set_limit(
  scope text, actor text, concurrent integer DEFAULT NULL, per_key integer DEFAULT NULL, rate integer DEFAULT NULL, per interval DEFAULT NULL,
  burst integer DEFAULT NULL) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
#variable_conflict use_column
DECLARE
  parts text[];
  tokens integer;
BEGIN
  PERFORM require_words('actor', actor);
  parts := limit_scope(scope);
  PERFORM require_limit('concurrent', set_limit.concurrent), require_limit('per_key', set_limit.per_key),
    require_limit('rate', set_limit.rate), require_limit('burst', set_limit.burst);
  IF num_nonnulls(set_limit.concurrent, set_limit.per_key, set_limit.rate) = 0 THEN
    RAISE EXCEPTION 'a limit needs concurrent, per_key or rate' USING ERRCODE = 'HF422', HINT = 'remove_limit(scope, actor) takes one away.';
  ELSIF (set_limit.rate IS NULL) <> (set_limit.per IS NULL) THEN
    RAISE EXCEPTION 'rate and per go together' USING ERRCODE = 'HF422', HINT = 'As in rate => 100, per => ''1 minute''.';
  ELSIF set_limit.burst IS NOT NULL AND set_limit.rate IS NULL THEN
    RAISE EXCEPTION 'burst goes with a rate' USING ERRCODE = 'HF422';
  ELSIF set_limit.per < interval '1 ms' OR set_limit.per > interval '366 days' THEN
    RAISE EXCEPTION 'per is from 1 ms to 366 days, not %', set_limit.per USING ERRCODE = 'HF422';
  END IF;
  INSERT INTO limit_gates (scope) VALUES (set_limit.scope) ON CONFLICT DO NOTHING;
  tokens := CASE WHEN set_limit.rate IS NOT NULL
    THEN COALESCE(set_limit.burst, GREATEST(1, ceil(set_limit.rate * 0.2 / extract(epoch FROM set_limit.per)))::integer) END;
  -- Not DO UPDATE: it waits for another one who sets the same limit for the first time by one of the table's keys only, and breaks at the others.
  LOOP
    UPDATE claim_limits x
    SET concurrent = set_limit.concurrent, per_key = set_limit.per_key, rate = set_limit.rate, per = set_limit.per, burst = tokens,
      set_at = now(), set_by = set_limit.actor
    WHERE x.scope = set_limit.scope;
    EXIT WHEN FOUND;
    INSERT INTO claim_limits (scope, queue, design, concurrent, per_key, rate, per, burst, set_by)
    VALUES (set_limit.scope, CASE parts[1] WHEN 'queue' THEN parts[2] END, CASE parts[1] WHEN 'design' THEN parts[2] END, set_limit.concurrent,
      set_limit.per_key, set_limit.rate, set_limit.per, tokens, set_limit.actor)
    ON CONFLICT DO NOTHING;
    EXIT WHEN FOUND;
  END LOOP;
  -- A bucket holds no more than one burst, and so no more is owed to it than that, whatever the rate was before.
  UPDATE limit_gates g SET full_at = LEAST(g.full_at, now() + x.burst * x.per / x.rate)
  FROM claim_limits x WHERE g.scope = set_limit.scope AND x.scope = g.scope AND x.rate IS NOT NULL;
  -- What runs already counts too.
  IF set_limit.concurrent IS NOT NULL OR set_limit.per_key IS NOT NULL THEN
    INSERT INTO line_slots (ticket_id, lease_no, queue, concurrency_key, design)
    SELECT b.id, l.id, b.queue, COALESCE(b.concurrency_key, ''), COALESCE(d.name, '')
    FROM leases l CROSS JOIN LATERAL unnest(l.ids) AS u (id)
    CROSS JOIN LATERAL (SELECT * FROM ticket_base b WHERE b.id = u.id LIMIT 1) b
    LEFT JOIN designs d ON d.id = b.design_id
    WHERE b.state = 'ready' AND b.fence < l.id AND (parts[1] = 'queue' AND b.queue = parts[2] OR parts[1] = 'design' AND d.name = parts[2])
    ON CONFLICT DO NOTHING;
  END IF;
  PERFORM log_activity(NULL, 'limit_set', actor, jsonb_build_object('scope', set_limit.scope, 'concurrent', set_limit.concurrent,
    'perKey', set_limit.per_key, 'rate', set_limit.rate, 'per', set_limit.per::text, 'burst', set_limit.burst));
  PERFORM wake_lines();
END
$$;
COMMENT ON FUNCTION set_limit IS 'How many tickets of a queue or a design may run at once over all workers (concurrent), with the same concurrency_key (per_key), and start in a time (rate in per; burst at once after a pause): SELECT ${flyway:defaultSchema}.set_limit(''queue:default'', ''ann'', concurrent => 3, rate => 100, per => ''1 minute''). Replaces the limit that was there. Holds from now on, also for what waits already; what runs is left to run and counts. Tickets over it wait as ready; waiting_tickets says for what.';

CREATE OR REPLACE FUNCTION remove_limit(scope text, actor text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
BEGIN
  PERFORM require_words('actor', actor);
  DELETE FROM claim_limits x WHERE x.scope = remove_limit.scope;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'there is no limit for "%"', COALESCE(left(scope, 100), 'NULL')
      USING ERRCODE = 'HF404', HINT = 'SELECT * FROM ${flyway:defaultSchema}.limits shows them.';
  END IF;
  PERFORM log_activity(NULL, 'limit_removed', actor, jsonb_build_object('scope', remove_limit.scope));
  PERFORM wake_lines();
END
$$;
COMMENT ON FUNCTION remove_limit IS 'Takes the limit of queue:NAME or design:NAME away; what waited for it may run.';

CREATE OR REPLACE FUNCTION set_weight(fairness_key text, actor text, weight integer) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
#variable_conflict use_column
BEGIN
  PERFORM require_words('actor', actor), require_words('fairness_key', set_weight.fairness_key), require_key('fairness_key', set_weight.fairness_key);
  IF set_weight.weight IS NULL OR set_weight.weight NOT BETWEEN 1 AND 1000 THEN
    RAISE EXCEPTION 'a weight is from 1 to 1000, not %', COALESCE(set_weight.weight::text, 'NULL') USING ERRCODE = 'HF422';
  END IF;
  IF set_weight.weight = 1 THEN
    DELETE FROM fairness_weights f WHERE f.fairness_key = set_weight.fairness_key;
  ELSE
    INSERT INTO fairness_weights (fairness_key, weight, set_by) VALUES (set_weight.fairness_key, set_weight.weight, set_weight.actor)
    ON CONFLICT (fairness_key) DO UPDATE SET weight = EXCLUDED.weight, set_at = EXCLUDED.set_at, set_by = EXCLUDED.set_by;
  END IF;
  PERFORM log_activity(NULL, 'weight_set', actor, jsonb_build_object('fairnessKey', set_weight.fairness_key, 'weight', set_weight.weight));
END
$$;
COMMENT ON FUNCTION set_weight IS 'How many tickets a fairness key has claimed at each of its turns: SELECT ${flyway:defaultSchema}.set_weight(''acme'', ''ann'', 3). 1 is what all have.';

CREATE OR REPLACE FUNCTION limit_words(of_queue text, of_design text, key text) RETURNS text
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
DECLARE
  x claim_limits;
  left_now double precision;
BEGIN
  FOR x IN SELECT * FROM claim_limits c WHERE c.queue = of_queue OR c.design = of_design ORDER BY c.scope LOOP
    IF x.concurrent IS NOT NULL AND x.concurrent <= (SELECT count(*) FROM line_slots s
      WHERE s.queue = x.queue OR s.design = x.design) THEN
      RETURN format('%s, %s at once', x.scope, x.concurrent);
    ELSIF open_for_key(x, COALESCE(key, '')) = 0 THEN
      RETURN format('%s, %s at once of the key %s', x.scope, x.per_key, shorten(key, 100));
    END IF;
    left_now := tokens_left(x, (SELECT g.full_at FROM limit_gates g WHERE g.scope = x.scope));
    IF left_now < 1 THEN
      RETURN format('%s, %s in %s', x.scope, x.rate, x.per);
    END IF;
  END LOOP;
  RETURN NULL;
END
$$;
COMMENT ON FUNCTION limit_words IS 'Which limit lets no ticket of this queue, design and concurrency key start now, in words; NULL if none.';

-- Joined so that it is found from either side: a ticket by its id, and all that stand in line without a look at the others.
CREATE OR REPLACE VIEW tickets_in_line AS
SELECT b.id, b.queue, b.kind, d.name AS design, b.priority, b.created_at, b.concurrency_key, b.fairness_key
FROM in_line w
JOIN ticket_base b ON b.id = w.id AND b.created_at = w.created_at AND ~b.priority = ~w.priority
LEFT JOIN designs d ON d.id = b.design_id
JOIN line_gates g ON g.queue = b.queue AND g.kind = b.kind AND g.line = w.line
WHERE w.turn_group = turn_group(b.fairness_key, b.concurrency_key, d.name);
COMMENT ON VIEW tickets_in_line IS 'Ready tickets that have a key or a limit: workers claim them in turns over their keys, as limits let them. waiting_tickets says for what each waits.';

-- Each table is read once for all limits: once per limit, some hundred limits with a large backlog took longer than a page may wait.
CREATE OR REPLACE VIEW limits AS
WITH running AS MATERIALIZED (
  SELECT s.queue, s.design, count(*) AS n FROM line_slots s GROUP BY s.queue, s.design
), waiting AS MATERIALIZED (
  SELECT l.queue, w.design, sum(w.n) AS n
  FROM (SELECT i.line, i.design, count(*) AS n FROM in_line i GROUP BY i.line, i.design) w JOIN line_gates l ON l.line = w.line
  GROUP BY l.queue, w.design
)
SELECT x.scope, x.concurrent, x.per_key, x.rate, x.per, x.burst,
  (SELECT COALESCE(sum(r.n), 0)::bigint FROM running r WHERE r.queue = x.queue OR r.design = x.design) AS running,
  (SELECT COALESCE(sum(w.n), 0)::bigint FROM waiting w WHERE w.queue = x.queue OR w.design = x.design) AS waiting,
  CASE WHEN x.rate IS NOT NULL THEN floor(GREATEST(tokens_left(x, g.full_at), 0))::bigint END AS may_start_now,
  x.set_at, x.set_by
FROM claim_limits x LEFT JOIN limit_gates g ON g.scope = x.scope
ORDER BY x.scope;
COMMENT ON VIEW limits IS 'The limits, how many tickets run under each (rates alone do not count them) and how many stand in line there. set_limit, remove_limit.';

-- Here and not with the other views: it asks tokens_left. A ticket in line waits for a limit, or for a worker only. Whole limits have the key ''.
-- Each table is read once for all queues: once per queue, a hundred queues with a large backlog took longer than a page may wait.
CREATE OR REPLACE VIEW queue_health AS
WITH used_up AS MATERIALIZED (
  SELECT x.scope, '' AS key FROM claim_limits x LEFT JOIN limit_gates g ON g.scope = x.scope
  WHERE x.concurrent <= (SELECT count(*) FROM line_slots s WHERE s.queue = x.queue OR s.design = x.design)
    OR x.rate IS NOT NULL AND tokens_left(x, g.full_at) < 1
  UNION ALL
  SELECT x.scope, s.concurrency_key FROM claim_limits x JOIN line_slots s ON s.queue = x.queue OR s.design = x.design
  WHERE s.concurrency_key <> '' GROUP BY x.scope, x.per_key, s.concurrency_key HAVING count(*) >= x.per_key
)
SELECT q.name AS queue, q.paused_at IS NOT NULL AS paused, q.paused_by,
  COALESCE(r.n, 0) + COALESCE(s.n, 0) + COALESCE(w.n, 0) AS ready, LEAST(r.oldest, s.oldest, w.oldest) AS oldest_ready_at,
  COALESCE(d.retrying, 0) AS retrying, COALESCE(d.scheduled, 0) AS scheduled, d.next_at AS next_due_at,
  COALESCE(p.n, 0) AS in_progress, COALESCE(h.n, 0) AS on_hold, COALESCE(d.waiting_for_provider, 0) AS waiting_for_provider,
  COALESCE(w.limited, 0) AS waiting_for_limit
FROM queues q
LEFT JOIN (SELECT r.queue, count(*) AS n, min(r.created_at) AS oldest FROM ready r GROUP BY r.queue) r ON r.queue = q.name
LEFT JOIN (SELECT s.queue, count(*) AS n, min(s.created_at) AS oldest FROM suspects s GROUP BY s.queue) s ON s.queue = q.name
LEFT JOIN (
  SELECT g.queue, count(*) AS n, min(w.created_at) AS oldest, count(*) FILTER (
    WHERE ('queue:' || g.queue, '') IN (SELECT u.scope, u.key FROM used_up u)
      OR ('queue:' || g.queue, w.concurrency_key) IN (SELECT u.scope, u.key FROM used_up u)
      OR ('design:' || w.design, '') IN (SELECT u.scope, u.key FROM used_up u)
      OR ('design:' || w.design, w.concurrency_key) IN (SELECT u.scope, u.key FROM used_up u)) AS limited
  FROM line_gates g JOIN in_line w ON w.line = g.line GROUP BY g.queue
) w ON w.queue = q.name
LEFT JOIN (
  SELECT d.queue, count(*) FILTER (WHERE w.ticket_id IS NULL AND b.retry_count > 0) AS retrying,
    count(*) FILTER (WHERE w.ticket_id IS NULL AND COALESCE(b.retry_count, 0) = 0) AS scheduled,
    count(w.ticket_id) AS waiting_for_provider, min(d.run_at) AS next_at
  FROM deferred d JOIN ticket_base b ON b.id = d.id
  LEFT JOIN ticket_waits w ON w.ticket_id = d.id AND w.kind = 'provider' AND w.lease_no = b.fence
  GROUP BY d.queue
) d ON d.queue = q.name
LEFT JOIN (
  SELECT b.queue, count(*) AS n
  FROM leases l CROSS JOIN LATERAL unnest(l.ids) AS u(ticket_id)
  -- The LIMIT keeps a planner that overrates the leases from reading all tickets.
  CROSS JOIN LATERAL (SELECT * FROM ticket_base b WHERE b.id = u.ticket_id LIMIT 1) b
  WHERE b.state = 'ready' AND l.id > b.fence GROUP BY b.queue
) p ON p.queue = q.name
LEFT JOIN (SELECT h.queue, count(*) AS n FROM held h GROUP BY h.queue) h ON h.queue = q.name
ORDER BY q.name;
COMMENT ON VIEW queue_health IS 'Each queue''s wait as what it is: ready and never started, retrying after a failure, scheduled for later, waiting for a provider''s cool-down, running, waiting for a person. waiting_for_limit are those of the ready that no limit lets start now.';

SELECT grant_roles(only_new => true);
