-- What may come in, and what may become of it: rules for names, retry policies, payloads, rows of ticket_base, designs. They hold for
-- whoever writes; the triggers that call them are in R__9_triggers.sql.
-- Errors carry SQLSTATE HF404 (no such ticket, queue or design), HF409 (not allowed from this state), HF412 (has changed since), HF422 (bad value).
--
-- Flyway runs this file after all versioned ones: again with each version of the schema (now ${version}), and whenever it changes.

CREATE OR REPLACE FUNCTION words_or_null(words text) RETURNS text
LANGUAGE sql IMMUTABLE SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
  SELECT NULLIF(btrim(words, E' \t\r\n'), '')
$$;
COMMENT ON FUNCTION words_or_null IS 'A text without the spaces, tabs and ends of lines around it; NULL where nothing is left.';

CREATE OR REPLACE FUNCTION is_blank(words text) RETURNS boolean
LANGUAGE sql IMMUTABLE SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
  SELECT words_or_null(words) IS NULL
$$;
COMMENT ON FUNCTION is_blank IS 'Whether a text is NULL or has nothing but spaces, tabs and ends of lines.';

CREATE OR REPLACE FUNCTION require_words(what text, words text) RETURNS void
LANGUAGE plpgsql IMMUTABLE SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
BEGIN
  IF is_blank(words) THEN
    RAISE EXCEPTION '% must not be empty', what USING ERRCODE = 'HF422';
  END IF;
  PERFORM require_length(what, words, CASE what WHEN 'actor' THEN 200 ELSE 100000 END);
END
$$;
COMMENT ON FUNCTION require_words IS 'Refuses an empty text with HF422, and one that nobody would read.';

-- A text of 100 MB in one ticket would end the worker that shows it.
CREATE OR REPLACE FUNCTION require_length(what text, words text, most integer DEFAULT 100000) RETURNS void
LANGUAGE plpgsql IMMUTABLE SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
BEGIN
  IF octet_length(words) > most AND length(words) > most THEN
    RAISE EXCEPTION '% is % characters long, and % are allowed', what, length(words), most
      USING ERRCODE = 'HF422', HINT = 'Say it shorter, or put it elsewhere and its address here.';
  END IF;
END
$$;
COMMENT ON FUNCTION require_length IS 'Refuses a text with more characters than that with HF422.';

CREATE OR REPLACE FUNCTION require_start(what text, start timestamptz) RETURNS void
LANGUAGE plpgsql IMMUTABLE SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
BEGIN
  IF NOT isfinite(start) THEN
    RAISE EXCEPTION '% must be a time, not %', what, start
      USING ERRCODE = 'HF422', HINT = 'Leave it out for a ticket that may start at once; hold one that is to wait for a person.';
  END IF;
END
$$;
COMMENT ON FUNCTION require_start IS 'Refuses infinity as the time at which a ticket may start with HF422.';

CREATE OR REPLACE FUNCTION require_cost_limit(kind text, usd numeric) RETURNS void
LANGUAGE plpgsql IMMUTABLE SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
BEGIN
  IF usd IS NOT NULL AND kind = 'workflow' THEN
    RAISE EXCEPTION 'a workflow has no limit of cost: its steps are tickets of their own'
      USING ERRCODE = 'HF422', HINT = 'Set limits.max_cost_usd in the designs of its steps.';
  END IF;
END
$$;
COMMENT ON FUNCTION require_cost_limit IS 'Refuses a limit of cost with HF422 where nothing would keep it.';

CREATE OR REPLACE FUNCTION require_time(what text, at timestamptz) RETURNS void
LANGUAGE plpgsql IMMUTABLE SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
BEGIN
  IF NOT isfinite(at) THEN
    RAISE EXCEPTION '% must be a time, not %', what, at USING ERRCODE = 'HF422', HINT = 'Leave it out where it is not known.';
  END IF;
END
$$;
COMMENT ON FUNCTION require_time IS 'Refuses infinity as a time of a ticket with HF422.';

CREATE OR REPLACE FUNCTION require_queue_name(queue text) RETURNS void
LANGUAGE plpgsql IMMUTABLE SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
BEGIN
  IF queue IS NULL OR queue !~ '^[A-Za-z0-9][A-Za-z0-9._:-]{0,62}$' THEN
    RAISE EXCEPTION '"%" is not a queue name', COALESCE(left(queue, 100), 'NULL')
      USING ERRCODE = 'HF422', HINT = 'Take 1 to 63 letters, digits and . _ : -, the first a letter or digit.';
  END IF;
END
$$;
COMMENT ON FUNCTION require_queue_name IS 'Refuses a bad queue name with HF422.';

CREATE OR REPLACE FUNCTION seconds_of(duration text) RETURNS numeric
LANGUAGE sql IMMUTABLE SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
  SELECT m[1]::numeric * CASE m[2] WHEN 'ms' THEN 0.001 WHEN 's' THEN 1 WHEN 'm' THEN 60 WHEN 'h' THEN 3600 ELSE 86400 END
  FROM regexp_match(duration, '^ *([0-9]{1,10}) *(ms|s|m|h|d) *$') AS m
$$;
COMMENT ON FUNCTION seconds_of IS 'The seconds of a duration such as 500ms, 30s, 5m, 2h, 7d; NULL where it is none.';

-- What is misspelt is refused where it is written, instead of being left out where it counts. Policies that are stored already are read.
-- Shape and ranges are those of RetryOverridesParser: it leaves out the whole policy where one value is none.
CREATE OR REPLACE FUNCTION retry_policy_problem(policy jsonb) RETURNS text
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
    ELSIF name = 'max_delay' AND seconds_of(e.word) > 2592000 THEN
      RETURN format('%s: %s is longer than 30d', e.key, left(e.value::text, 60));
    ELSIF name = 'max_delay' AND seconds_of(e.word) IS NOT NULL OR name IN ('same_error_limit', 'crash_limit') AND e.word ~ '^(1000|[0-9]{1,3})$'
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
      ELSIF name = 'base_delay' AND seconds_of(c.word) > 604800 THEN
        RETURN format('categories.%s.%s: %s is longer than 7d', e.key, c.key, left(c.value::text, 60));
      ELSIF name = 'max_retries' AND c.word !~ '^(1000|[0-9]{1,3})$' OR name = 'base_delay' AND seconds_of(c.word) IS NULL
        OR name = 'backoff' AND replace(lower(c.word), '-', '_') NOT IN ('none', 'linear', 'exponential') THEN
        RETURN format('categories.%s.%s cannot be %s', e.key, c.key, left(c.value::text, 60));
      END IF;
    END LOOP;
  END LOOP;
  RETURN NULL;
END
$$;
COMMENT ON FUNCTION retry_policy_problem IS 'What is wrong with a retry policy, as in queues.retry; NULL where nothing is.';

CREATE OR REPLACE FUNCTION require_retry_policy(policy jsonb, place text) RETURNS void
LANGUAGE plpgsql STABLE SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
DECLARE
  problem text;
BEGIN
  IF policy IS NULL OR policy = 'null' THEN
    RETURN;
  END IF;
  PERFORM accepted_bytes(place, policy);
  problem := retry_policy_problem(policy);
  IF problem IS NOT NULL THEN
    RAISE EXCEPTION '%: %', place, problem
      USING ERRCODE = 'HF422', HINT = 'Write it as in {"categories": {"transient": {"max_retries": 5, "base_delay": "1m", "backoff": "linear"}}}.';
  END IF;
END
$$;
COMMENT ON FUNCTION require_retry_policy IS 'Refuses a bad retry policy with HF422 and says what is wrong.';

CREATE OR REPLACE FUNCTION check_retry_of_queue() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
BEGIN
  PERFORM require_retry_policy(NEW.retry, 'retry');
  RETURN NEW;
END
$$;
COMMENT ON FUNCTION check_retry_of_queue IS 'Refuses queues with a bad retry policy.';

CREATE OR REPLACE FUNCTION check_retry_of_design() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
BEGIN
  PERFORM require_retry_policy(NEW.definition->'retry', 'retry of design ' || NEW.name);
  RETURN NEW;
END
$$;
COMMENT ON FUNCTION check_retry_of_design IS 'Refuses designs with a bad retry policy.';

-- Ninety KB of {"a": [1e131071, ...]} are more than one GB of text, which nobody can read (docs/adr/0018-poison-tickets.md).
-- A number of twelve bytes can have 147,000 digits as text. So the text of a long document is made only after the numbers were added up
-- one by one; up to 8,000 bytes it cannot get longer than a hundred megabytes.
CREATE OR REPLACE FUNCTION expanded_bytes(document jsonb, most bigint) RETURNS bigint
LANGUAGE plpgsql IMMUTABLE STRICT SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
DECLARE
  bytes bigint := 0;
  digits integer;
BEGIN
  IF pg_column_compression(document) IS NULL AND pg_column_size(document) <= 8000 THEN
    RETURN octet_length(document::text);
  END IF;
  -- Numbers of usual size cannot grow much; zero can: 0e-16383.
  FOR digits IN
    SELECT octet_length(n::text)
    FROM jsonb_path_query(document, 'strict $.** ? (@ > 1e30 || @ < -1e30 || (@ < 1e-30 && @ > -1e-30))') AS n
  LOOP
    bytes := bytes + digits;
    IF bytes > most THEN
      RETURN bytes;
    END IF;
  END LOOP;
  RETURN octet_length(document::text);
END
$$;
COMMENT ON FUNCTION expanded_bytes IS 'How many bytes a document has as text; where its long numbers alone have more than most, only that.';

-- A level takes 8 bytes in jsonb at least. What has 500 levels no JSON library reads as it comes.
CREATE OR REPLACE FUNCTION is_deep(document jsonb) RETURNS boolean
LANGUAGE sql IMMUTABLE STRICT SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
  SELECT (pg_column_compression(document) IS NOT NULL OR pg_column_size(document) > 4000) AND jsonb_path_exists(document, 'strict $.**{500}')
$$;
COMMENT ON FUNCTION is_deep IS 'Whether a document has more than 500 levels.';

CREATE OR REPLACE FUNCTION accepted_bytes(what text, document jsonb) RETURNS integer
LANGUAGE plpgsql STABLE SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
DECLARE
  most bigint := (SELECT payload_max_expanded_bytes FROM entry_limits WHERE only_row);
  bytes bigint := expanded_bytes(document, most);
BEGIN
  IF bytes > most THEN
    RAISE EXCEPTION 'the % is % bytes or more as text, more than %: a number such as 1e100000 has all its digits there', what, bytes, most
      USING ERRCODE = 'HF422',
        HINT = 'Write such numbers as strings, put large data elsewhere and its address here, or raise payload.max-expanded-bytes.';
  ELSIF is_deep(document) THEN
    RAISE EXCEPTION 'the % has more than 500 levels of arrays and objects', what
      USING ERRCODE = 'HF422', HINT = 'Write what is deeper as a string.';
  END IF;
  RETURN bytes;
END
$$;
COMMENT ON FUNCTION accepted_bytes IS 'How long a document is as text; HF422 if it is longer than may come in.';

CREATE OR REPLACE FUNCTION measured_bytes(document jsonb) RETURNS bigint
LANGUAGE plpgsql IMMUTABLE STRICT SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
BEGIN
  RETURN expanded_bytes(document, 33554432);
EXCEPTION WHEN OTHERS THEN
  RETURN 2147483647;
END
$$;
COMMENT ON FUNCTION measured_bytes IS 'As expanded_bytes; very much for a document that cannot be read.';

-- Who reads a ticket gets what can be read of it: a document that is far too long as text is replaced by words.
CREATE OR REPLACE FUNCTION readable(document jsonb) RETURNS jsonb
LANGUAGE plpgsql IMMUTABLE STRICT SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
BEGIN
  IF ${flyway:defaultSchema}.measured_bytes(document) > 33554432 THEN
    RETURN '{"unreadable": "more than 33554432 bytes when its numbers are written out; see payload.max-expanded-bytes"}';
  ELSIF ${flyway:defaultSchema}.is_deep(document) THEN
    RETURN '{"unreadable": "more than 500 levels of arrays and objects"}';
  END IF;
  RETURN document;
END
$$;
COMMENT ON FUNCTION readable IS 'The document, or words in its place if it has more than 32 MiB as text or more than 500 levels.';

CREATE OR REPLACE FUNCTION measure_payload() RETURNS trigger
LANGUAGE plpgsql SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
BEGIN
  IF NEW.payload IS DISTINCT FROM OLD.payload THEN
    NEW.payload_bytes := ${flyway:defaultSchema}.accepted_bytes('payload', NEW.payload);
  END IF;
  RETURN NEW;
END
$$;
COMMENT ON FUNCTION measure_payload IS 'A payload that is changed is measured again.';

CREATE OR REPLACE FUNCTION measure_definition() RETURNS trigger
LANGUAGE plpgsql SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
BEGIN
  PERFORM ${flyway:defaultSchema}.accepted_bytes('definition', NEW.definition);
  RETURN NEW;
END
$$;
COMMENT ON FUNCTION measure_definition IS 'Refuses a design that is too long as text.';

-- These are rules and no CHECKs: PostgreSQL parses the text of each CHECK, and of the WHEN of each trigger for the columns that are set,
-- anew in every statement, and for one ticket that took longer than its INSERT (docs/adr/0008-engine-speed.md). What a worker does to a
-- ticket cannot break them; whatever else writes ticket_base is looked at once for all rows of a statement.
CREATE OR REPLACE FUNCTION broken_rule(t ticket_base) RETURNS text
LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE
    WHEN t.state NOT IN ('ready', 'needs_review', 'on_hold', 'done', 'cancelled') THEN 'known_state'
    WHEN t.assignee_type NOT IN ('agent', 'human') THEN 'known_assignee_type'
    WHEN t.retry_count < 0 THEN 'retry_count_is_a_count'
    WHEN t.max_cost_usd NOT BETWEEN 0 AND 1000000000 THEN 'max_cost_is_an_amount'
    WHEN (t.state = 'on_hold') <> (t.held_at IS NOT NULL) THEN 'held_tickets_say_why'
  END
$$;
COMMENT ON FUNCTION broken_rule IS 'The rule that a row of ticket_base breaks, by name; null if it keeps them all.';

CREATE OR REPLACE FUNCTION require_rules(t ticket_base) RETURNS void
LANGUAGE plpgsql SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
DECLARE
  broken text := broken_rule(t);
BEGIN
  IF broken IS NOT NULL THEN
    RAISE EXCEPTION 'ticket % violates "%"', t.id, broken
      USING ERRCODE = 'check_violation', CONSTRAINT = broken, TABLE = 'ticket_base', SCHEMA = '${flyway:defaultSchema}';
  END IF;
END
$$;
COMMENT ON FUNCTION require_rules IS 'Refuses a row of ticket_base that breaks a rule, as a CHECK does.';

CREATE OR REPLACE FUNCTION refuse_broken_rule() RETURNS trigger
LANGUAGE plpgsql SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
BEGIN
  PERFORM require_rules(NEW);
  RETURN NULL;
END
$$;
COMMENT ON FUNCTION refuse_broken_rule IS 'Refuses an update that breaks a rule which refuse_transition does not look at.';

-- Finished is finished, whoever asks: the same table of transitions as dev.holdfast.ticket.Transition. It runs after the update: before it,
-- PostgreSQL locks each row first, which writes WAL of its own. The short condition of its trigger lets through what a worker does to most
-- tickets.
CREATE OR REPLACE FUNCTION refuse_transition() RETURNS trigger
LANGUAGE plpgsql SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
BEGIN
  IF OLD.state <> NEW.state AND (
    OLD.state IN ('done', 'cancelled')
    OR (OLD.state = 'on_hold' AND NEW.state NOT IN ('ready', 'cancelled'))
    OR (OLD.state = 'needs_review' AND NEW.state NOT IN ('done', 'ready', 'cancelled')))
  THEN
    RAISE EXCEPTION 'ticket % is %; it cannot become %', OLD.id, OLD.state, NEW.state USING ERRCODE = 'HF409';
  END IF;
  PERFORM require_rules(NEW);
  RETURN NULL;
END
$$;
COMMENT ON FUNCTION refuse_transition IS 'The last guard of the state machine, below every function.';

-- enqueue_ticket files a usual ticket itself, without a trigger (docs/adr/0008-engine-speed.md). Nothing can come in unfiled all the same: a row
-- of ticket_base must say that it is filed, and an INSERT that does not is refused.
CREATE OR REPLACE FUNCTION refuse_unfiled_ticket() RETURNS boolean
LANGUAGE plpgsql SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
BEGIN
  RAISE EXCEPTION 'a row of ticket_base must say that it is filed, or no worker would see the ticket'
    USING ERRCODE = 'HF409', HINT = 'INSERT INTO ${flyway:defaultSchema}.tickets or call ${flyway:defaultSchema}.enqueue_ticket instead; a program that does this itself is older than the database: upgrade it.';
END
$$;
COMMENT ON FUNCTION refuse_unfiled_ticket IS 'The default of ticket_base.filed: refuses an INSERT that leaves it out.';

CREATE OR REPLACE FUNCTION refuse_design_change() RETURNS trigger
LANGUAGE plpgsql SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
BEGIN
  RAISE EXCEPTION 'design % version % is never changed in place; put a new version', OLD.name, OLD.version
    USING ERRCODE = 'HF409', HINT = 'holdfast design put NAME --file FILE';
END
$$;
COMMENT ON FUNCTION refuse_design_change IS 'Versions of a design are added, never changed.';

-- A design that was once there stays: that would be the work of a foreign key, which costs every enqueue a look.
CREATE OR REPLACE FUNCTION keep_designs() RETURNS trigger
LANGUAGE plpgsql SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
BEGIN
  RAISE EXCEPTION 'versions of designs are kept: tickets refer to them'
    USING ERRCODE = 'HF409', HINT = 'Add a new version; new tickets are given that.';
END
$$;
COMMENT ON FUNCTION keep_designs IS 'Refuses to delete a version of a design, or to give it another id.';

CREATE OR REPLACE FUNCTION name_design_author() RETURNS trigger
LANGUAGE plpgsql SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
BEGIN
  -- Owner and workers speak for people, whom they have asked for a name; everybody else is who they logged in as.
  IF NOT pg_has_role(current_user, (SELECT c.relowner FROM pg_class c WHERE c.oid = 'designs'::regclass), 'USAGE')
    AND NOT COALESCE(pg_has_role(current_user, to_regrole('holdfast_worker'), 'USAGE'), false)
  THEN
    NEW.created_by := session_user;
  END IF;
  RETURN NEW;
END
$$;
COMMENT ON FUNCTION name_design_author IS 'designs.created_by is the database user, unless the schema''s owner or a worker stores the design for somebody.';

SELECT grant_roles(only_new => true);
