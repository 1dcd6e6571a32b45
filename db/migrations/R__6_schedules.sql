-- What people may do with schedules, by whatever way: SQL, CLI, HTTP. Each action is logged in ticket_activity. Which time comes next only a
-- worker knows: cron's language is read there. So next_at and next_runs are left NULL for it, unless the caller has worked them out:
-- it counts from updated_at.
--
-- Flyway runs this file after all versioned ones: again with each version of the schema (now ${version}), and whenever it changes.

CREATE OR REPLACE FUNCTION locked_schedule(name text) RETURNS schedules
LANGUAGE plpgsql SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
DECLARE
  s schedules;
BEGIN
  SELECT * INTO s FROM schedules x WHERE x.name = locked_schedule.name FOR UPDATE;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'there is no schedule "%"', COALESCE(left(name, 100), 'NULL')
      USING ERRCODE = 'HF404', HINT = 'holdfast schedule list shows them';
  END IF;
  RETURN s;
END
$$;
COMMENT ON FUNCTION locked_schedule IS 'A schedule''s row, locked until the end of the transaction; HF404 if there is none.';

-- The argument "next_runs" came later, and a function with one argument more is another function. Earlier binaries give the others by their places.
DROP FUNCTION IF EXISTS put_schedule(text, text, text, interval, text, text, text, jsonb, text, text, integer, text, text, timestamptz);
CREATE OR REPLACE FUNCTION put_schedule(
  name text, actor text, cron text DEFAULT NULL, every interval DEFAULT NULL, zone text DEFAULT 'UTC', design text DEFAULT NULL,
  kind text DEFAULT NULL, payload jsonb DEFAULT '{}', queue text DEFAULT 'default', title text DEFAULT NULL, priority integer DEFAULT 0,
  catch_up text DEFAULT 'last', overlap text DEFAULT 'allow', next_at timestamptz DEFAULT NULL, next_runs timestamptz[] DEFAULT NULL) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
#variable_conflict use_column
DECLARE
  d designs;
BEGIN
  PERFORM require_words('actor', actor), require_length('title', put_schedule.title, 10000);
  PERFORM require_queue_name(put_schedule.queue);
  IF put_schedule.name IS NULL OR put_schedule.name !~ '^[A-Za-z0-9][A-Za-z0-9._:-]{0,99}$' THEN
    RAISE EXCEPTION '"%" is not the name of a schedule', COALESCE(left(put_schedule.name, 100), 'NULL')
      USING ERRCODE = 'HF422', HINT = 'Take 1 to 100 letters, digits and . _ : -, the first a letter or digit.';
  END IF;
  IF (put_schedule.cron IS NULL) = (put_schedule.every IS NULL) THEN
    RAISE EXCEPTION 'a schedule needs either cron or every' USING ERRCODE = 'HF422';
  END IF;
  IF length(put_schedule.cron) > 200 THEN
    RAISE EXCEPTION 'the cron expression is too long' USING ERRCODE = 'HF422';
  END IF;
  IF put_schedule.every < interval '1 second' OR put_schedule.every > interval '10 years' THEN
    RAISE EXCEPTION 'every must be from 1 second to 10 years, not %', put_schedule.every USING ERRCODE = 'HF422';
  END IF;
  IF extract(year FROM put_schedule.every) <> 0 OR extract(month FROM put_schedule.every) <> 0 THEN
    RAISE EXCEPTION 'months and years are not equally long' USING ERRCODE = 'HF422', HINT = 'Take cron, as in 0 3 1 * *.';
  END IF;
  PERFORM require_time('next_at', put_schedule.next_at);
  PERFORM require_time('next_runs', u.at) FROM unnest(put_schedule.next_runs) AS u (at);
  IF put_schedule.catch_up IS NULL OR put_schedule.catch_up NOT IN ('none', 'last', 'all') THEN
    RAISE EXCEPTION 'catch_up is none, last or all' USING ERRCODE = 'HF422';
  END IF;
  IF put_schedule.overlap IS NULL OR put_schedule.overlap NOT IN ('allow', 'skip', 'queue') THEN
    RAISE EXCEPTION 'overlap is allow, skip or queue' USING ERRCODE = 'HF422';
  END IF;
  IF put_schedule.design IS NOT NULL THEN
    d := latest_design(put_schedule.design);
  END IF;
  PERFORM know_lane(put_schedule.queue, kind_of_new_ticket(put_schedule.kind, d));
  PERFORM accepted_bytes('payload', COALESCE(put_schedule.payload, '{}'));
  INSERT INTO schedules AS s (name, cron, every, zone, design, kind, title, payload, queue, priority, catch_up, overlap, next_at, next_runs,
    updated_by)
  VALUES (put_schedule.name, put_schedule.cron, put_schedule.every, COALESCE(put_schedule.zone, 'UTC'), put_schedule.design,
    put_schedule.kind, put_schedule.title, COALESCE(put_schedule.payload, '{}'), put_schedule.queue, COALESCE(put_schedule.priority, 0),
    put_schedule.catch_up, put_schedule.overlap,
    -- In seconds: with days it would depend on the session's time zone.
    COALESCE(put_schedule.next_at, date_trunc('second', now()) + extract(epoch FROM put_schedule.every) * interval '1 second'),
    put_schedule.next_runs, put_schedule.actor)
  ON CONFLICT (name) DO UPDATE SET
    cron = excluded.cron, every = excluded.every, zone = excluded.zone, design = excluded.design, kind = excluded.kind,
    title = excluded.title, payload = excluded.payload, queue = excluded.queue, priority = excluded.priority,
    catch_up = excluded.catch_up, overlap = excluded.overlap, next_at = excluded.next_at, next_runs = excluded.next_runs,
    anchor_at = date_trunc('second', now()), problem = NULL, updated_at = now(), updated_by = excluded.updated_by;
  PERFORM log_activity(NULL, 'schedule_put', actor, jsonb_build_object('schedule', put_schedule.name));
END
$$;
COMMENT ON FUNCTION put_schedule IS 'Makes a schedule or replaces its settings: SELECT ${flyway:defaultSchema}.put_schedule(''nightly'', ''ann'', cron => ''0 3 * * 1-5'', zone => ''Europe/Berlin'', design => ''report''). A pause stays. HF422 names what is wrong; a bad cron expression or zone is found by a worker and told in schedules.problem.';

CREATE OR REPLACE FUNCTION pause_schedule(name text, actor text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
BEGIN
  PERFORM require_words('actor', actor);
  PERFORM locked_schedule(pause_schedule.name);
  UPDATE schedules s SET paused_at = now(), paused_by = pause_schedule.actor
  WHERE s.name = pause_schedule.name AND s.paused_at IS NULL;
  PERFORM log_activity(NULL, 'schedule_paused', actor, jsonb_build_object('schedule', pause_schedule.name));
END
$$;
COMMENT ON FUNCTION pause_schedule IS 'No ticket comes of it until resume_schedule. Tickets that are there are left alone.';

CREATE OR REPLACE FUNCTION resume_schedule(name text, actor text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
BEGIN
  PERFORM require_words('actor', actor);
  PERFORM locked_schedule(resume_schedule.name);
  -- A person wanted no tickets in the meantime: none is made up for.
  -- A worker counts from updated_at where next_at is NULL.
  UPDATE schedules s SET paused_at = NULL, paused_by = NULL, next_at = CASE WHEN s.next_at > now() THEN s.next_at END,
    next_runs = CASE WHEN s.next_at > now() THEN s.next_runs END, updated_at = now(), updated_by = resume_schedule.actor
  WHERE s.name = resume_schedule.name AND s.paused_at IS NOT NULL;
  PERFORM log_activity(NULL, 'schedule_resumed', actor, jsonb_build_object('schedule', resume_schedule.name));
END
$$;
COMMENT ON FUNCTION resume_schedule IS 'Ends a pause. Times within the pause are not made up for.';

CREATE OR REPLACE FUNCTION run_schedule(name text, actor text) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
DECLARE
  s schedules;
  new_id bigint;
BEGIN
  PERFORM require_words('actor', actor);
  s := locked_schedule(run_schedule.name);
  new_id := enqueue_any_ticket(s.kind, s.payload, s.queue, COALESCE(s.title, s.name), s.design, s.priority, NULL, NULL, NULL);
  UPDATE schedules x SET last_ticket = new_id WHERE x.name = s.name;
  PERFORM log_activity(new_id, 'enqueued', actor, jsonb_build_object('schedule', s.name));
  RETURN new_id;
END
$$;
COMMENT ON FUNCTION run_schedule IS 'Makes one ticket of the schedule now and returns its id, whatever its times, its pause and its overlap say.';

CREATE OR REPLACE FUNCTION delete_schedule(name text, actor text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
BEGIN
  PERFORM require_words('actor', actor);
  PERFORM locked_schedule(delete_schedule.name);
  DELETE FROM schedules s WHERE s.name = delete_schedule.name;
  PERFORM log_activity(NULL, 'schedule_deleted', actor, jsonb_build_object('schedule', delete_schedule.name));
END
$$;
COMMENT ON FUNCTION delete_schedule IS 'Its tickets stay.';

-- For a worker, which has locked the schedule's row: the ticket of one of its times, once however often it is asked for.
CREATE OR REPLACE FUNCTION enqueue_scheduled(s schedules, due timestamptz) RETURNS bigint
LANGUAGE plpgsql SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
DECLARE
  new_id bigint;
BEGIN
  new_id := enqueue_any_ticket(s.kind, s.payload, s.queue, COALESCE(s.title, s.name), s.design, s.priority, NULL,
    'schedule:' || s.name || ':' || to_char(due AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), NULL);
  UPDATE schedules x SET last_at = due, last_ticket = new_id WHERE x.name = s.name;
  RETURN new_id;
END
$$;
COMMENT ON FUNCTION enqueue_scheduled IS 'The ticket of a schedule for one time; its unique_key is schedule:NAME:TIME.';

CREATE OR REPLACE FUNCTION schedule_is_busy(s schedules) RETURNS boolean
LANGUAGE sql STABLE SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
  SELECT EXISTS (SELECT FROM tickets t WHERE t.id = s.last_ticket AND t.state IN ('ready', 'in_progress', 'on_hold'))
$$;
COMMENT ON FUNCTION schedule_is_busy IS 'Whether the last ticket of the schedule has not ended.';

SELECT grant_roles(only_new => true);
