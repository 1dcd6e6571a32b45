-- Releases in steps: a few tickets first, and more when those came through. A release is rows that any worker takes on (advance_releases), one
-- worker at a time: it survives restarts, and each step is one transaction.
--
-- Flyway runs this file after all versioned ones: again with each version of the schema (now ${version}), and whenever it changes.

CREATE OR REPLACE FUNCTION locked_release(release_id bigint) RETURNS releases
LANGUAGE plpgsql SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
DECLARE
  r releases;
BEGIN
  SELECT * INTO r FROM releases x WHERE x.id = locked_release.release_id FOR UPDATE;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'there is no release %', COALESCE(release_id::text, 'NULL')
      USING ERRCODE = 'HF404', HINT = 'holdfast release list shows them';
  END IF;
  RETURN r;
END
$$;
COMMENT ON FUNCTION locked_release IS 'A release''s row, locked until the end of the transaction; HF404 if there is none.';

CREATE OR REPLACE FUNCTION require_steps(canary integer, ramp integer[]) RETURNS integer[]
LANGUAGE plpgsql IMMUTABLE SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
DECLARE
  steps integer[] := canary || ramp;
BEGIN
  IF canary IS NULL OR canary NOT BETWEEN 1 AND 1000000 THEN
    RAISE EXCEPTION 'the canary must be from 1 to 1000000 tickets, not %', COALESCE(canary::text, 'NULL') USING ERRCODE = 'HF422';
  ELSIF ramp IS NULL OR cardinality(ramp) > 100 OR array_position(ramp, NULL) IS NOT NULL OR 0 > ANY (ramp) OR 1000000 < ANY (ramp) THEN
    RAISE EXCEPTION 'ramp must be at most 100 numbers of tickets from 1 to 1000000, as in ARRAY[10, 50, 0]; 0 is all that are left'
      USING ERRCODE = 'HF422';
  ELSIF array_position(steps, 0) < cardinality(steps) THEN
    RAISE EXCEPTION 'no step can come after all tickets' USING ERRCODE = 'HF422', HINT = 'Put the 0 last, as in ARRAY[10, 50, 0].';
  END IF;
  RETURN steps;
END
$$;
COMMENT ON FUNCTION require_steps IS 'The steps of a release from its canary and its ramp; HF422 says what is wrong.';

CREATE OR REPLACE FUNCTION choose_held(release_id bigint, ids bigint[], fingerprint text, category text, batch_id bigint) RETURNS bigint
LANGUAGE plpgsql SET search_path = ${flyway:defaultSchema}, pg_temp SET enable_seqscan = off AS $$
DECLARE
  n bigint;
BEGIN
  -- Those that wait for others on hold come last, whoever is waited for first: a step that releases only them would wait for a later one. Tickets wait
  -- for older ones.
  INSERT INTO release_tickets (release_id, n, ticket_id, fingerprint)
  SELECT choose_held.release_id, row_number() OVER (ORDER BY w.waits, CASE WHEN NOT w.waits THEN h.held_at END, h.id), h.id,
    NULLIF(h.fingerprint, '')
  FROM held h
  CROSS JOIN LATERAL (
    SELECT EXISTS (
        SELECT FROM ticket_dependencies d JOIN held p ON p.id = d.after_id
        WHERE d.ticket_id = h.id AND d.ended_at IS NULL)
      OR EXISTS (SELECT FROM ticket_dependencies d WHERE d.after_id = h.id AND d.ended_at IS NULL AND d.queued) AS waits
    OFFSET 0) w -- looked at once for each, not once for each place that names it
  WHERE (choose_held.ids IS NULL OR h.id = ANY (choose_held.ids))
    AND (choose_held.fingerprint IS NULL OR starts_with(h.fingerprint, choose_held.fingerprint))
    AND (choose_held.category IS NULL OR h.category = choose_held.category)
    AND (choose_held.batch_id IS NULL OR h.id IN (SELECT b.id FROM ticket_base b WHERE b.batch_id = choose_held.batch_id));
  GET DIAGNOSTICS n = ROW_COUNT;
  RETURN n;
END
$$;
COMMENT ON FUNCTION choose_held IS 'Writes down which held tickets a release is about, and says how many.';

CREATE OR REPLACE FUNCTION start_release(
  actor text, canary integer, ramp integer[] DEFAULT '{0}', guidance text DEFAULT NULL, ids bigint[] DEFAULT NULL, fingerprint text DEFAULT NULL,
  category text DEFAULT NULL, batch_id bigint DEFAULT NULL, keep_retries boolean DEFAULT false, fresh boolean DEFAULT false) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
#variable_conflict use_column
DECLARE
  r releases;
BEGIN
  PERFORM require_words('actor', actor), require_length('guidance', start_release.guidance);
  IF num_nonnulls(start_release.ids, start_release.fingerprint, start_release.category, start_release.batch_id) = 0 THEN
    RAISE EXCEPTION 'which tickets? ids, fingerprint, category or batch_id is missing' USING ERRCODE = 'HF422';
  ELSIF length(start_release.fingerprint) < 8 THEN
    RAISE EXCEPTION 'a fingerprint needs 8 characters at least' USING ERRCODE = 'HF422';
  ELSIF start_release.batch_id IS NOT NULL THEN
    PERFORM FROM batches x WHERE x.id = start_release.batch_id;
    IF NOT FOUND THEN
      RAISE EXCEPTION 'there is no batch %', start_release.batch_id USING ERRCODE = 'HF404', HINT = 'holdfast batch list shows them';
    END IF;
  END IF;
  INSERT INTO releases AS x (created_by, channel, selection, steps, guidance, keep_retries, fresh, total)
  VALUES (start_release.actor, acting_channel(),
    jsonb_strip_nulls(jsonb_build_object('ids', to_jsonb(start_release.ids), 'fingerprint', start_release.fingerprint,
      'category', start_release.category, 'batch_id', start_release.batch_id)),
    require_steps(start_release.canary, start_release.ramp), words_or_null(start_release.guidance),
    COALESCE(start_release.keep_retries, false), COALESCE(start_release.fresh, false), 0)
  RETURNING * INTO r;
  r.total := choose_held(r.id, start_release.ids, start_release.fingerprint, start_release.category, start_release.batch_id);
  IF r.total = 0 THEN
    RAISE EXCEPTION 'no held ticket matches' USING ERRCODE = 'HF404', HINT = 'holdfast stats shows the groups of errors';
  END IF;
  UPDATE releases x SET total = r.total WHERE x.id = r.id;
  PERFORM log_activity(NULL, 'release_started', actor, jsonb_build_object('release', r.id, 'tickets', r.total, 'steps', to_jsonb(r.steps)));
  PERFORM advance_release(r);
  RETURN r.id;
END
$$;
COMMENT ON FUNCTION start_release IS 'Releases held tickets in steps and returns the id of the release: SELECT ${flyway:defaultSchema}.start_release(''ann'', 3, ''{10,50,0}'', ''the file is back'', fingerprint => ''3f2a9c1b'') releases 3, and when those came through 10, then 50, then all that are left (0). It stops by itself when the same error comes back; what it has not released by then stays on hold. release_status(id) says how far it is.';

CREATE OR REPLACE FUNCTION stop_release(id bigint, actor text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
DECLARE
  r releases;
BEGIN
  PERFORM require_words('actor', actor);
  r := locked_release(stop_release.id);
  IF r.ended_at IS NOT NULL THEN
    RAISE EXCEPTION 'release % has ended: it is %', r.id, concat_ws(': ', r.outcome, r.reason) USING ERRCODE = 'HF409', DETAIL = r.outcome;
  END IF;
  PERFORM end_release(r, 'stopped', 'stopped by ' || stop_release.actor, stop_release.actor);
END
$$;
COMMENT ON FUNCTION stop_release IS 'Stops a release in steps: it releases nothing more. What it has released goes on.';

CREATE OR REPLACE FUNCTION end_release(r releases, outcome text, reason text, actor text) RETURNS void
LANGUAGE plpgsql SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
BEGIN
  UPDATE releases x SET ended_at = now(), outcome = end_release.outcome, reason = end_release.reason WHERE x.id = r.id;
  PERFORM log_activity(NULL, 'release_' || end_release.outcome, actor, jsonb_build_object('release', r.id, 'reason', end_release.reason));
END
$$;
COMMENT ON FUNCTION end_release IS 'Ends a release, whose row the caller has locked.';

DROP FUNCTION IF EXISTS wait_of_held(text[], text);
-- In plpgsql, for the view is made after it.
CREATE OR REPLACE FUNCTION wait_of_held(b ticket_base) RETURNS text
LANGUAGE plpgsql STABLE SET search_path = ${flyway:defaultSchema}, pg_temp SET enable_seqscan = off AS $$
BEGIN
  RETURN CASE
    WHEN b.hold_actions && ARRAY['answer', 'approve_call'] THEN 'answer'
    WHEN EXISTS (SELECT FROM known_waits w WHERE w.ticket_id = b.id AND w.kind IN ('account', 'outage', 'budget')) THEN 'provider'
  END;
END
$$;
COMMENT ON FUNCTION wait_of_held IS 'What a ticket on hold waits for where its hold is no error: answer of a person, to a question or an approval; provider, or a budget. NULL otherwise.';

-- Any failed attempt counts, also one that a retry has made good since: so what is seen does not hang on when one looks.
CREATE OR REPLACE FUNCTION outcome_of_released(w release_tickets) RETURNS text
LANGUAGE sql STABLE SET search_path = ${flyway:defaultSchema}, pg_temp SET enable_seqscan = off AS $$
  SELECT CASE
    WHEN EXISTS (SELECT FROM ticket_attempts a
      WHERE a.ticket_id = w.ticket_id AND a.lease_no > w.fence AND a.outcome IN ('failed', 'crashed') AND a.fingerprint = w.fingerprint)
    THEN 'same_error'
    ELSE COALESCE((SELECT CASE b.state
        WHEN 'needs_review' THEN 'succeeded' WHEN 'done' THEN 'succeeded' WHEN 'cancelled' THEN 'ended'
        WHEN 'on_hold' THEN CASE WHEN wait_of_held(b) IS NULL THEN 'other_error' ELSE 'open' END
        ELSE 'open' END
      FROM ticket_base b WHERE b.id = w.ticket_id), 'ended')
  END
$$;
COMMENT ON FUNCTION outcome_of_released IS 'What became of a ticket since its release: an outcome of release_tickets, or open.';

CREATE OR REPLACE FUNCTION held_by_person(w release_tickets) RETURNS boolean
LANGUAGE sql STABLE SET search_path = ${flyway:defaultSchema}, pg_temp SET enable_seqscan = off AS $$
  SELECT EXISTS (SELECT FROM ticket_base b WHERE b.id = w.ticket_id)
    AND NOT EXISTS (SELECT FROM ticket_attempts a WHERE a.ticket_id = w.ticket_id AND a.lease_no > w.fence AND a.outcome IN ('failed', 'crashed'))
    AND NOT EXISTS (SELECT FROM ticket_activity a
      WHERE a.ticket_id = w.ticket_id AND a.action = 'held' AND a.actor = 'system' AND a.created_at >= w.released_at)
$$;
COMMENT ON FUNCTION held_by_person IS 'Of a ticket that is on hold for another reason since its release: whether a person holds it or has taken its release back, for no attempt has failed.';

CREATE OR REPLACE FUNCTION look_at_released(r releases) RETURNS void
LANGUAGE plpgsql SET search_path = ${flyway:defaultSchema}, pg_temp SET enable_seqscan = off AS $$
BEGIN
  WITH seen AS MATERIALIZED (
    SELECT w.n, outcome_of_released(w) AS outcome FROM release_tickets w
    WHERE w.release_id = r.id AND w.released_at IS NOT NULL AND w.outcome IS NULL
      -- Of those no attempt of which has ended since: cheap to tell, and most of them while a release of many is at work.
      AND NOT EXISTS (SELECT FROM ticket_base b WHERE b.id = w.ticket_id AND b.state = 'ready' AND b.fence = w.fence LIMIT 1)
  )
  UPDATE release_tickets w SET outcome = seen.outcome FROM seen
  WHERE w.release_id = r.id AND w.n = seen.n AND seen.outcome <> 'open';
END
$$;
COMMENT ON FUNCTION look_at_released IS 'Notes what has become of the tickets that a release has released.';

CREATE OR REPLACE FUNCTION release_some(r releases, most integer) RETURNS integer
LANGUAGE plpgsql SET search_path = ${flyway:defaultSchema}, pg_temp SET enable_seqscan = off AS $$
DECLARE
  w release_tickets;
  t ticket_base;
  action text := CASE WHEN r.guidance IS NULL THEN 'release' ELSE 'release_with_guidance' END;
  released integer := 0;
  looked integer := 0;
BEGIN
  PERFORM set_config('holdfast.channel', COALESCE(r.channel, ''), true);
  FOR w IN
    -- By id, as everybody locks tickets.
    SELECT * FROM (
      SELECT x.* FROM release_tickets x WHERE x.release_id = r.id AND x.released_at IS NULL AND x.outcome IS NULL ORDER BY x.n LIMIT most
    ) y ORDER BY y.ticket_id
  LOOP
    looked := looked + 1;
    PERFORM lock_steps(w.ticket_id);
    SELECT * INTO t FROM ticket_base b WHERE b.id = w.ticket_id FOR UPDATE;
    -- One that was released since, and is on hold again, is held for what nobody has chosen it for. An undo leaves no row.
    IF NOT FOUND OR t.state <> 'on_hold' OR NOT action = ANY (t.hold_actions)
      OR EXISTS (SELECT FROM released_holds h WHERE h.ticket_id = t.id AND h.released_at > r.created_at) THEN
      UPDATE release_tickets x SET outcome = 'skipped', step = r.step WHERE x.release_id = r.id AND x.n = w.n;
      CONTINUE;
    END IF;
    PERFORM release_ticket(t.id, r.created_by, r.guidance, r.keep_retries, r.fresh);
    UPDATE release_tickets x SET released_at = now(), step = r.step, fence = t.fence WHERE x.release_id = r.id AND x.n = w.n;
    released := released + 1;
  END LOOP;
  -- Who was skipped takes no place of the step.
  RETURN CASE WHEN looked = 0 THEN -1 ELSE released END;
END
$$;
COMMENT ON FUNCTION release_some IS 'Releases the next tickets of a release and says how many; -1 where none are left.';

CREATE OR REPLACE FUNCTION advance_release(r releases, portion integer DEFAULT 200) RETURNS void
LANGUAGE plpgsql SET search_path = ${flyway:defaultSchema}, pg_temp SET enable_seqscan = off AS $$
DECLARE
  began timestamptz := clock_timestamp();
  bad release_tickets;
  step record;
  released integer;
BEGIN
  PERFORM look_at_released(r);
  SELECT * INTO bad FROM release_tickets w WHERE w.release_id = r.id AND w.outcome = 'same_error' ORDER BY w.n LIMIT 1;
  IF FOUND THEN
    PERFORM end_release(r, 'stopped', format('the same error came back: #%s failed with %s again', bad.ticket_id, bad.fingerprint), 'system');
    RETURN;
  END IF;
  IF r.step_left = 0 THEN
    SELECT count(*) FILTER (WHERE w.outcome IS NULL) AS open, count(*) FILTER (WHERE w.outcome = 'succeeded') AS good,
      count(*) FILTER (WHERE w.outcome = 'other_error') AS bad,
      count(*) FILTER (WHERE w.outcome IS NOT DISTINCT FROM 'other_error' AND held_by_person(w)) AS held
    INTO step FROM release_tickets w WHERE w.release_id = r.id AND w.step = r.step AND w.outcome IS DISTINCT FROM 'skipped';
    IF step.open > 0 THEN
      -- A look at many costs more: at most a twentieth of the time goes into looking, but one that was slow by chance is not waited for long.
      UPDATE releases x SET reason = NULL,
        look_at = clock_timestamp() + LEAST(GREATEST(interval '1 second', (clock_timestamp() - began) * 20), interval '10 seconds')
      WHERE x.id = r.id;
      RETURN;
    ELSIF step.bad > 0 AND step.good = 0 THEN
      PERFORM end_release(r, 'stopped', format('no ticket of step %s came through: %s', r.step, concat_ws(', ',
        NULLIF(step.bad - step.held, 0) || ' on hold with another error', NULLIF(step.held, 0) || ' held by a person or taken back')), 'system');
      RETURN;
    ELSIF r.step = cardinality(r.steps)
      OR NOT EXISTS (SELECT FROM release_tickets w WHERE w.release_id = r.id AND w.released_at IS NULL AND w.outcome IS NULL) THEN
      PERFORM end_release(r, 'completed', NULL, 'system');
      RETURN;
    END IF;
    r.step := r.step + 1;
    r.step_left := NULL;
  END IF;
  r.step_left := COALESCE(r.step_left, NULLIF(r.steps[r.step], 0), 2000000000);
  released := release_some(r, LEAST(r.step_left, portion));
  UPDATE releases x SET step = r.step, step_left = CASE WHEN released < 0 THEN 0 ELSE r.step_left - released END, look_at = now(), reason = NULL
  WHERE x.id = r.id;
END
$$;
COMMENT ON FUNCTION advance_release IS 'Takes a release, whose row the caller has locked, a bit on: notes outcomes, stops it, waits, or releases some more tickets.';

CREATE OR REPLACE FUNCTION advance_releases() RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = ${flyway:defaultSchema}, pg_temp SET enable_seqscan = off AS $$
DECLARE
  r releases;
BEGIN
  -- No look is put off for a minute: of one that is, the server's clock was ahead and has been set back.
  SELECT * INTO r FROM releases x WHERE x.ended_at IS NULL AND (x.look_at <= now() OR x.look_at > now() + interval '1 minute')
  ORDER BY x.look_at LIMIT 1 FOR UPDATE SKIP LOCKED;
  IF NOT FOUND THEN
    RETURN 0;
  END IF;
  BEGIN
    PERFORM advance_release(r);
  EXCEPTION WHEN OTHERS OR query_canceled OR assert_failure THEN
    -- Tried again later, and meanwhile others have their turn.
    UPDATE releases x SET look_at = clock_timestamp() + interval '10 seconds', reason = 'tried again soon: ' || left(SQLERRM, 500) WHERE x.id = r.id;
  END;
  RETURN 1;
END
$$;
COMMENT ON FUNCTION advance_releases IS 'Takes one release that is due a bit on, and says whether there was one. Workers call it now and then; one looks at a release at a time.';

DROP FUNCTION IF EXISTS release_status(bigint, integer, bigint);
CREATE OR REPLACE FUNCTION release_status(id bigint DEFAULT NULL, at_most integer DEFAULT 20, before bigint DEFAULT NULL) RETURNS TABLE (
  release_id bigint, created_at timestamptz, created_by text, selection jsonb, steps integer[], guidance text, step integer, total bigint,
  released bigint, waiting bigint, for_answer bigint, for_provider bigint, succeeded bigint, same_error bigint, other_error bigint, held bigint, ended bigint,
  skipped bigint, state text, reason text, ended_at timestamptz)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = ${flyway:defaultSchema}, pg_temp SET enable_seqscan = off AS $$
  SELECT r.id, r.created_at, r.created_by, r.selection, r.steps, r.guidance, r.step, r.total, c.released, c.waiting, c.for_answer,
    c.for_provider, c.succeeded, c.same_error, c.other_error, c.held, c.ended, c.skipped, COALESCE(r.outcome, 'running'), r.reason, r.ended_at
  FROM (
    SELECT * FROM releases x
    WHERE (release_status.id IS NULL OR x.id = release_status.id) AND (release_status.before IS NULL OR x.id < release_status.before)
    ORDER BY x.id DESC LIMIT at_most
  ) r
  CROSS JOIN LATERAL (
    -- Trap: NULL AND f() calls f(), here for each ticket that has no outcome yet.
    SELECT count(w.released_at) AS released, count(*) FILTER (WHERE o.held = 'nothing') AS waiting, count(*) FILTER (WHERE o.held = 'answer') AS for_answer,
      count(*) FILTER (WHERE o.held = 'provider') AS for_provider,
      count(*) FILTER (WHERE w.outcome = 'succeeded') AS succeeded, count(*) FILTER (WHERE w.outcome = 'same_error') AS same_error,
      count(*) FILTER (WHERE w.outcome IS NOT DISTINCT FROM 'other_error' AND NOT held_by_person(w)) AS other_error,
      count(*) FILTER (WHERE w.outcome IS NOT DISTINCT FROM 'other_error' AND held_by_person(w)) AS held,
      count(*) FILTER (WHERE w.outcome = 'ended') AS ended, count(*) FILTER (WHERE w.outcome = 'skipped') AS skipped
    FROM release_tickets w
    CROSS JOIN LATERAL (
      SELECT CASE WHEN w.released_at IS NOT NULL AND w.outcome IS NULL THEN COALESCE(
        (SELECT wait_of_held(b) FROM ticket_base b WHERE b.id = w.ticket_id AND b.held_at IS NOT NULL), 'nothing') END AS held
    ) o
    WHERE w.release_id = r.id
  ) c
  ORDER BY r.id DESC
$$;
COMMENT ON FUNCTION release_status IS 'How far releases in steps are, the newest first: SELECT * FROM ${flyway:defaultSchema}.release_status(4), or all of them without an id.';

SELECT grant_roles(only_new => true);
