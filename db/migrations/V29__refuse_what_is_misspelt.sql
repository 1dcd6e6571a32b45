-- What is misspelt is refused where it is written, instead of being left out where it counts: retry policies of queues, designs and tickets,
-- and queues to pause. Policies that are stored already are read as before. A ticket inserted as ended has a time of its end.
-- Earlier binaries: nothing changes for them.

-- The shape is that of RetryOverridesParser; what is inside durations and numbers it says more exactly when it reads them.
CREATE FUNCTION retry_policy_problem(policy jsonb) RETURNS text
LANGUAGE plpgsql IMMUTABLE SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
DECLARE
  e record;
  c record;
  name text;
BEGIN
  IF jsonb_typeof(policy) <> 'object' THEN
    RETURN format('it is %s, not an object', jsonb_typeof(policy));
  END IF;
  FOR e IN SELECT key, value, value #>> '{}' AS word, jsonb_typeof(value) AS type FROM jsonb_each(policy) WHERE jsonb_typeof(value) <> 'null' LOOP
    name := replace(e.key, '-', '_');
    IF e.key IN ('errorCategory', 'maxRetries', 'backoffType', 'nextDelayMs', 'attemptsRemaining') THEN
      CONTINUE; -- a decision left it there
    ELSIF name = 'categories' THEN
      IF e.type <> 'object' THEN
        RETURN 'categories is not an object';
      END IF;
    ELSIF name = 'max_delay' AND e.word ~ '^ *[0-9]{1,10} *(ms|s|m|h|d) *$' OR name IN ('same_error_limit', 'crash_limit') AND e.word ~ '^(1000|[0-9]{1,3})$'
      OR name = 'jitter' AND e.word ~ '^(0?[.][0-9]+|0|1([.]0+)?)$' OR name = 'counting' AND replace(lower(e.word), '-', '_') IN ('shared', 'per_category') THEN
      CONTINUE;
    ELSIF name IN ('max_delay', 'same_error_limit', 'crash_limit', 'jitter', 'counting') THEN
      RETURN format('%s cannot be %s', e.key, left(e.value::text, 60));
    ELSE
      RETURN format('unknown key "%s"; known are categories, counting, crash_limit, jitter, max_delay, same_error_limit', left(e.key, 60));
    END IF;
  END LOOP;
  FOR e IN SELECT key, value FROM jsonb_each(COALESCE(NULLIF(policy->'categories', 'null'), '{}')) LOOP
    IF replace(e.key, '-', '_') NOT IN ('transient', 'api_error', 'code_error', 'system_error', 'unknown') THEN
      RETURN format('"%s" is not a category; there are transient, api_error, code_error, system_error, unknown', left(e.key, 60));
    ELSIF jsonb_typeof(e.value) <> 'object' THEN
      RETURN format('categories.%s is not an object', e.key);
    END IF;
    FOR c IN SELECT key, value, value #>> '{}' AS word FROM jsonb_each(e.value) WHERE jsonb_typeof(value) <> 'null' LOOP
      name := replace(c.key, '-', '_');
      IF name NOT IN ('max_retries', 'backoff', 'base_delay') THEN
        RETURN format('unknown key "%s" in categories.%s; known are backoff, base_delay, max_retries', left(c.key, 60), e.key);
      ELSIF name = 'max_retries' AND c.word !~ '^(1000|[0-9]{1,3})$' OR name = 'base_delay' AND c.word !~ '^ *[0-9]{1,10} *(ms|s|m|h|d) *$'
        OR name = 'backoff' AND replace(lower(c.word), '-', '_') NOT IN ('none', 'linear', 'exponential') THEN
        RETURN format('categories.%s.%s cannot be %s', e.key, c.key, left(c.value::text, 60));
      END IF;
    END LOOP;
  END LOOP;
  RETURN NULL;
END
$$;
COMMENT ON FUNCTION retry_policy_problem IS 'What is wrong with a retry policy, as in queues.retry; NULL where nothing is.';

CREATE FUNCTION require_retry_policy(policy jsonb, place text) RETURNS void
LANGUAGE plpgsql IMMUTABLE SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
DECLARE
  problem text;
BEGIN
  IF policy IS NULL OR policy = 'null' THEN
    RETURN;
  END IF;
  problem := retry_policy_problem(policy);
  IF problem IS NOT NULL THEN
    RAISE EXCEPTION '%: %', place, problem
      USING ERRCODE = 'HF422', HINT = 'Write it as in {"categories": {"transient": {"max_retries": 5, "base_delay": "1m", "backoff": "linear"}}}.';
  END IF;
END
$$;
COMMENT ON FUNCTION require_retry_policy IS 'Refuses a bad retry policy with HF422 and says what is wrong.';

CREATE FUNCTION check_retry_of_queue() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
BEGIN
  PERFORM require_retry_policy(NEW.retry, 'retry');
  RETURN NEW;
END
$$;
COMMENT ON FUNCTION check_retry_of_queue IS 'Refuses queues with a bad retry policy.';
CREATE TRIGGER check_retry BEFORE INSERT OR UPDATE OF retry ON queues FOR EACH ROW WHEN (NEW.retry IS NOT NULL) EXECUTE FUNCTION check_retry_of_queue();

CREATE FUNCTION check_retry_of_design() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
BEGIN
  PERFORM require_retry_policy(NEW.definition->'retry', 'retry of design ' || NEW.name);
  RETURN NEW;
END
$$;
COMMENT ON FUNCTION check_retry_of_design IS 'Refuses designs with a bad retry policy.';
CREATE TRIGGER check_retry BEFORE INSERT OR UPDATE OF definition ON designs FOR EACH ROW WHEN (NEW.definition ? 'retry') EXECUTE FUNCTION check_retry_of_design();

CREATE OR REPLACE FUNCTION insert_ticket() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
DECLARE
  d designs;
BEGIN
  NEW.state := COALESCE(NEW.state, 'ready');
  IF NEW.state = 'in_progress' THEN
    RAISE EXCEPTION 'a ticket becomes in_progress only by a claim; insert it as ready' USING ERRCODE = 'HF409';
  ELSIF NEW.state NOT IN ('ready', 'needs_review', 'on_hold', 'done', 'cancelled') THEN
    RAISE EXCEPTION 'there is no state "%"', left(NEW.state, 100)
      USING ERRCODE = 'HF422', HINT = 'Insert a ticket as ready; the states are in COMMENT ON COLUMN tickets.state.';
  END IF;
  IF NEW.design_id IS NOT NULL THEN
    SELECT * INTO d FROM designs WHERE designs.id = NEW.design_id;
    IF NOT FOUND THEN
      RAISE EXCEPTION 'there is no design with the id %', NEW.design_id
        USING ERRCODE = 'HF404', HINT = 'SELECT id, name, version FROM designs shows them; enqueue_ticket takes a name.';
    END IF;
  END IF;
  IF NEW.retry_strategy IS NOT NULL THEN
    PERFORM require_retry_policy(NEW.retry_strategy, 'retry_strategy');
  END IF;
  NEW.kind := kind_of_new_ticket(NEW.kind, d);
  IF NEW.id IS NULL THEN
    NEW.id := nextval(pg_get_serial_sequence('ticket_base', 'id'));
  ELSE
    PERFORM keep_ids_ahead(NEW.id);
  END IF;
  NEW.queue := COALESCE(NEW.queue, 'default');
  NEW.payload := COALESCE(NEW.payload, '{}');
  NEW.priority := COALESCE(NEW.priority, 0);
  NEW.rejection_count := COALESCE(NEW.rejection_count, 0);
  NEW.created_at := COALESCE(NEW.created_at, now());
  NEW.updated_at := COALESCE(NEW.updated_at, NEW.created_at);
  IF NEW.state IN ('needs_review', 'done', 'cancelled') THEN
    NEW.completed_at := COALESCE(NEW.completed_at, now());
  END IF;
  IF NEW.state = 'on_hold' THEN
    NEW.held_at := COALESCE(NEW.held_at, now());
    NEW.hold_reason := COALESCE(NEW.hold_reason, 'held by ' || acting_person());
    NEW.allowed_actions := COALESCE(NEW.allowed_actions, '{release,release_with_guidance,cancel}');
  ELSE
    NEW.held_at := NULL;
    NEW.allowed_actions := NULL;
  END IF;
  INSERT INTO ticket_base (filed, id, queue, kind, design_id, title, payload, state, assignee_type, priority, retry_count,
    rejection_count, retry_after, retry_strategy, error, error_category, error_fingerprint, hold_reason, unique_key, result,
    created_at, updated_at, started_at, completed_at, held_at, hold_actions, max_cost_usd)
  VALUES (true, NEW.id, NEW.queue, NEW.kind, NEW.design_id, NEW.title, NEW.payload, NEW.state, NEW.assignee_type, NEW.priority,
    NEW.retry_count, NEW.rejection_count, NEW.retry_after, NEW.retry_strategy, NEW.error, NEW.error_category,
    NEW.error_fingerprint, NEW.hold_reason, NEW.unique_key, NEW.result, NEW.created_at, NEW.updated_at, NEW.started_at,
    NEW.completed_at, NEW.held_at, NEW.allowed_actions, NEW.max_cost_usd);
  PERFORM file_tickets(ARRAY[NEW.id]);
  NEW.lease_no := 0;
  NEW.attempt_count := 0;
  NEW.crash_count := 0;
  NEW.same_error_count := 0;
  NEW.worker_id := NULL;
  NEW.lease_expires_at := NULL;
  RETURN NEW;
END
$$;

CREATE OR REPLACE FUNCTION update_ticket() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
DECLARE
  changes jsonb := changed_columns(OLD, NEW);
  state_changed boolean := NEW.state IS DISTINCT FROM OLD.state;
BEGIN
  IF changes ? 'retry_strategy' THEN
    PERFORM require_retry_policy(NEW.retry_strategy, 'retry_strategy');
  END IF;
  IF state_changed THEN
    PERFORM change_ticket_state(OLD, NEW.state, CASE WHEN changes ? 'hold_reason' THEN NEW.hold_reason END);
    IF NEW.state IN ('on_hold', 'cancelled') THEN
      changes := changes - 'hold_reason'; -- it was the reason that is logged
    END IF;
  END IF;
  IF changes <> '{}' THEN
    PERFORM edit_ticket(OLD.id, changes);
    PERFORM log_activity(OLD.id, 'edited', acting_person(),
      jsonb_build_object('columns', (SELECT jsonb_agg(key ORDER BY key) FROM jsonb_object_keys(changes) AS key)));
  END IF;
  NEW := updated_ticket(NEW, state_changed);
  RETURN NEW;
END
$$;

CREATE OR REPLACE FUNCTION pause_queue(queue text, actor text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
BEGIN
  PERFORM require_words('actor', actor);
  PERFORM require_queue_name(queue);
  IF NOT EXISTS (SELECT FROM queues q WHERE q.name = pause_queue.queue)
    AND NOT EXISTS (SELECT FROM workers w WHERE w.state <> 'stopped' AND pause_queue.queue = ANY (w.queues)) THEN
    RAISE EXCEPTION 'there is no queue "%"', left(pause_queue.queue, 100)
      USING ERRCODE = 'HF404', HINT = 'A queue begins with its first ticket, or with a worker that names it; holdfast stats shows the queues.';
  END IF;
  INSERT INTO queues (name, paused_at, paused_by) VALUES (pause_queue.queue, now(), pause_queue.actor)
  ON CONFLICT (name) DO UPDATE SET paused_at = COALESCE(queues.paused_at, now()), paused_by = COALESCE(queues.paused_by, pause_queue.actor);
  PERFORM log_activity(NULL, 'queue_paused', actor, jsonb_build_object('queue', pause_queue.queue));
END
$$;
COMMENT ON FUNCTION pause_queue IS 'Stops claims from a queue until resume_queue; running tickets go on. Survives restarts. SQLSTATE HF404 where no ticket was ever in the queue and no worker names it.';

REVOKE EXECUTE ON FUNCTION retry_policy_problem, require_retry_policy, check_retry_of_queue, check_retry_of_design FROM PUBLIC;
