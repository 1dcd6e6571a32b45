-- Batches: tickets that came together, how far they are, when all have ended, and what a person does with them as a whole.
-- A worker's completions know nothing of batches: whether one has ended is looked for (advance_batches), and its tickets are counted when
-- somebody asks. Both read the index ticket_of_batch.
--
-- Flyway runs this file after all versioned ones: again with each version of the schema (now ${version}), and whenever it changes.

CREATE OR REPLACE FUNCTION locked_batch(batch_id bigint) RETURNS batches
LANGUAGE plpgsql SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
DECLARE
  b batches;
BEGIN
  SELECT * INTO b FROM batches x WHERE x.id = locked_batch.batch_id FOR UPDATE;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'there is no batch %', COALESCE(batch_id::text, 'NULL')
      USING ERRCODE = 'HF404', HINT = 'holdfast batch list shows them';
  END IF;
  RETURN b;
END
$$;
COMMENT ON FUNCTION locked_batch IS 'A batch''s row, locked until the end of the transaction; HF404 if there is none.';

CREATE OR REPLACE FUNCTION open_batch(actor text, title text DEFAULT NULL) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
DECLARE
  new_id bigint;
BEGIN
  PERFORM require_words('actor', actor);
  IF length(open_batch.title) > 1000 THEN
    RAISE EXCEPTION 'the title of a batch is at most 1000 characters long' USING ERRCODE = 'HF422';
  END IF;
  INSERT INTO batches AS b (title, created_by) VALUES (words_or_null(open_batch.title), open_batch.actor) RETURNING b.id INTO new_id;
  RETURN new_id;
END
$$;
COMMENT ON FUNCTION open_batch IS 'Begins a batch and returns its id, for enqueue_ticket(batch_id => ...). It takes tickets until close_batch.';

-- The batch stays locked against its end until the caller's transaction ends: who closes it waits for the tickets that are on their way.
CREATE OR REPLACE FUNCTION join_batch(batch_id bigint) RETURNS void
LANGUAGE plpgsql SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
DECLARE
  b batches;
BEGIN
  SELECT * INTO b FROM batches x WHERE x.id = join_batch.batch_id FOR KEY SHARE;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'there is no batch %', batch_id USING ERRCODE = 'HF404', HINT = 'open_batch(actor) begins one.';
  ELSIF b.closed_at IS NOT NULL THEN
    RAISE EXCEPTION 'batch % is closed; it takes no further tickets', batch_id
      USING ERRCODE = 'HF409', DETAIL = 'closed', HINT = 'open_batch(actor) begins another one.';
  END IF;
END
$$;
COMMENT ON FUNCTION join_batch IS 'Refuses a ticket for a batch that is not there (HF404) or is closed (HF409).';

CREATE OR REPLACE FUNCTION close_batch(id bigint, actor text) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = ${flyway:defaultSchema}, pg_temp SET enable_seqscan = off AS $$
DECLARE
  b batches;
  n bigint;
BEGIN
  PERFORM require_words('actor', actor);
  b := locked_batch(close_batch.id);
  IF b.closed_at IS NOT NULL THEN
    RETURN b.total;
  -- An older snapshot would not see the tickets that others have brought since. One's own batch has none of others.
  ELSIF current_setting('transaction_isolation') <> 'read committed' AND b.created_at <> now() THEN
    RAISE EXCEPTION 'batch % cannot be closed in a transaction of isolation level %', b.id, current_setting('transaction_isolation')
      USING ERRCODE = 'HF422', HINT = 'BEGIN ISOLATION LEVEL READ COMMITTED';
  END IF;
  SELECT count(*) + b.settled_done + b.settled_cancelled INTO n FROM ticket_base t WHERE t.batch_id = b.id;
  UPDATE batches x SET closed_at = now(), total = n, look_at = now() WHERE x.id = b.id;
  RETURN n;
END
$$;
COMMENT ON FUNCTION close_batch IS 'From now on the batch takes no tickets: it ends when all it has are done or cancelled, and tickets may wait for it. Returns how many it has.';

CREATE OR REPLACE FUNCTION enqueue_batch(tickets jsonb, actor text, title text DEFAULT NULL) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
DECLARE
  new_id bigint;
  e record;
BEGIN
  IF tickets IS NULL OR jsonb_typeof(tickets) <> 'array' THEN
    RAISE EXCEPTION 'tickets must be a JSON array of objects'
      USING ERRCODE = 'HF422', HINT = 'As in ''[{"design": "hello", "payload": {"n": 1}}]''.';
  END IF;
  new_id := open_batch(actor, title);
  -- Tickets that wait for each other are a graph. Others may be any number.
  IF EXISTS (SELECT FROM jsonb_array_elements(tickets) AS x WHERE x.value ? 'name' OR jsonb_path_exists(x.value, 'strict $.after[*] ? (@.type() == "string")', silent => true)) THEN
    PERFORM FROM enqueue_tickets(tickets, new_id);
  ELSE
    FOR e IN SELECT x.value AS ticket, x.ordinality AS n FROM jsonb_array_elements(tickets) WITH ORDINALITY AS x LOOP
      PERFORM require_graph_ticket(e.ticket, e.n);
      PERFORM enqueue_graph_ticket(e.ticket, e.n, p.after, p.names, new_id)
      FROM (SELECT array_agg(g.existing) AS after, array_agg(g.given) AS names FROM graph_predecessors(e.ticket) AS g) p;
    END LOOP;
  END IF;
  PERFORM close_batch(new_id, actor);
  RETURN new_id;
END
$$;
COMMENT ON FUNCTION enqueue_batch IS 'Adds many tickets as one closed batch and returns its id: SELECT ${flyway:defaultSchema}.enqueue_batch(''[{"design": "hello", "payload": {"n": 1}}]'', ''ann''). All are added, or none; those whose unique_key exists are skipped. Each has what a ticket of enqueue_tickets has; where one has a name, they are 10,000 at most.';

-- Only a closed batch can be waited for: so no ticket of it can come later and wait for its own follower.
CREATE OR REPLACE FUNCTION wait_for_batch(ticket_id bigint, batch_id bigint) RETURNS boolean
LANGUAGE plpgsql SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
DECLARE
  b batches;
BEGIN
  SELECT * INTO b FROM batches x WHERE x.id = wait_for_batch.batch_id FOR KEY SHARE;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'there is no batch % to wait for', wait_for_batch.batch_id
      USING ERRCODE = 'HF404', HINT = 'holdfast batch list shows them';
  ELSIF b.closed_at IS NULL THEN
    RAISE EXCEPTION 'batch % still takes tickets; nothing can wait for it yet', b.id
      USING ERRCODE = 'HF409', DETAIL = 'open', HINT = 'close_batch(id, actor) first.';
  ELSIF b.cancelled_at IS NOT NULL THEN
    RAISE EXCEPTION 'batch % is cancelled; nothing can wait for it', b.id USING ERRCODE = 'HF422';
  END IF;
  INSERT INTO batch_followers (ticket_id, batch_id, ended_at) VALUES (wait_for_batch.ticket_id, b.id, b.ended_at);
  RETURN b.ended_at IS NULL;
END
$$;
COMMENT ON FUNCTION wait_for_batch IS 'Lets a ticket that this transaction has inserted and not filed wait for a batch, and says whether it has to.';

CREATE OR REPLACE FUNCTION hold_follower(follower bigint, why text, details jsonb) RETURNS void
LANGUAGE plpgsql SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
BEGIN
  -- One that a person holds already stays so, with one reason more.
  UPDATE ticket_base b
  SET state = 'on_hold', held_at = COALESCE(b.held_at, now()), hold_reason = concat_ws('; ', why, b.hold_reason),
      hold_actions = '{release,release_with_guidance,cancel}', updated_at = now()
  WHERE b.id = follower AND b.state IN ('ready', 'on_hold');
  IF FOUND THEN
    PERFORM log_activity(follower, 'held', 'system', jsonb_build_object('reason', why, 'holdCause', 'dependency_cancelled') || details);
  END IF;
END
$$;
COMMENT ON FUNCTION hold_follower IS 'Holds a ticket because the batch that it waits for was cancelled.';

-- The three statements of free_followers (docs/adr/0025): close the own rows, lock the followers by id, look for rows that are open.
CREATE OR REPLACE FUNCTION free_batch_followers(b batches) RETURNS void
LANGUAGE plpgsql SET search_path = ${flyway:defaultSchema}, pg_temp SET enable_seqscan = off AS $$
DECLARE
  followers bigint[];
  follower bigint;
  why text := format('dependency_cancelled: batch %s, which it waits for, was cancelled; release it to run it all the same', b.id);
BEGIN
  WITH ended AS (
    UPDATE batch_followers f SET ended_at = now() WHERE f.batch_id = b.id AND f.ended_at IS NULL RETURNING f.ticket_id
  )
  SELECT array_agg(e.ticket_id ORDER BY e.ticket_id) INTO followers FROM ended e;
  IF followers IS NULL THEN
    RETURN;
  ELSIF b.cancelled_at IS NULL THEN
    PERFORM file_freed(followers);
    RETURN;
  END IF;
  FOREACH follower IN ARRAY followers LOOP
    PERFORM hold_follower(follower, why, jsonb_build_object('cancelledBatch', b.id));
  END LOOP;
END
$$;
COMMENT ON FUNCTION free_batch_followers IS 'Files the tickets that waited for a batch that has ended, or holds them where a person cancelled it.';

-- The last ticket is asked first: while it is open, nothing is walked over. What has ended never changes again, so each ticket is walked over once.
CREATE OR REPLACE FUNCTION advance_batch(b batches, most integer DEFAULT 10000) RETURNS void
LANGUAGE plpgsql SET search_path = ${flyway:defaultSchema}, pg_temp SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off AS $$
DECLARE
  page record;
  wait interval := LEAST(interval '10 seconds', GREATEST(interval '1 second', (now() - b.closed_at) / 20));
BEGIN
  IF EXISTS (SELECT FROM (SELECT t.state FROM ticket_base t WHERE t.batch_id = b.id ORDER BY t.batch_id DESC, t.id DESC LIMIT 1) l
      WHERE l.state NOT IN ('done', 'cancelled')) THEN
    UPDATE batches x SET look_at = now() + wait WHERE x.id = b.id;
    RETURN;
  END IF;
  WITH p AS MATERIALIZED (
    SELECT t.id, t.state FROM ticket_base t WHERE t.batch_id = b.id AND t.id >= b.settled_below ORDER BY t.batch_id, t.id LIMIT most
  ), o AS MATERIALIZED (
    SELECT min(p.id) AS id FROM p WHERE p.state NOT IN ('done', 'cancelled')
  )
  SELECT (SELECT o.id FROM o) AS first_open, max(p.id) AS last, count(*) AS n,
    count(*) FILTER (WHERE p.state = 'done' AND (o.id IS NULL OR p.id < o.id)) AS done,
    count(*) FILTER (WHERE p.state = 'cancelled' AND (o.id IS NULL OR p.id < o.id)) AS cancelled
  INTO page FROM o LEFT JOIN p ON true;
  page.n := CASE WHEN page.last IS NULL THEN 0 ELSE page.n END;
  UPDATE batches x SET
    settled_below = COALESCE(page.first_open, page.last + 1, x.settled_below),
    settled_done = x.settled_done + page.done, settled_cancelled = x.settled_cancelled + page.cancelled,
    counts = counts_without(x.counts, page.done, page.cancelled),
    look_at = now() + CASE WHEN page.first_open IS NULL THEN interval '0' ELSE wait END,
    ended_at = CASE WHEN page.first_open IS NULL AND page.n < most THEN now() END
  WHERE x.id = b.id
  RETURNING * INTO b;
  IF b.ended_at IS NOT NULL THEN
    PERFORM free_batch_followers(b);
  END IF;
END
$$;
COMMENT ON FUNCTION advance_batch IS 'Looks whether a closed batch, whose row the caller has locked, has ended, in pages of its tickets; and then frees those that wait for it.';

CREATE OR REPLACE FUNCTION advance_batches(at_most integer DEFAULT 20) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = ${flyway:defaultSchema}, pg_temp SET enable_seqscan = off AS $$
DECLARE
  b batches;
  n bigint := 0;
BEGIN
  FOR b IN
    -- No look is put off for a minute: of one that is, the server's clock was ahead and has been set back.
    SELECT * FROM batches x
    WHERE x.closed_at IS NOT NULL AND x.ended_at IS NULL AND (x.look_at <= now() OR x.look_at > now() + interval '1 minute')
    ORDER BY x.look_at LIMIT at_most FOR UPDATE SKIP LOCKED
  LOOP
    BEGIN
      PERFORM advance_batch(b);
    EXCEPTION WHEN OTHERS OR query_canceled OR assert_failure THEN
      -- Tried again later, and meanwhile others have their turn.
      UPDATE batches x SET look_at = clock_timestamp() + interval '10 seconds' WHERE x.id = b.id;
      RAISE WARNING 'batch % was not looked at: %', b.id, SQLERRM;
    END;
    n := n + 1;
  END LOOP;
  RETURN n;
END
$$;
COMMENT ON FUNCTION advance_batches IS 'Looks at the batches that are due, and says at how many. Workers call it now and then; one looks at a batch at a time.';

CREATE OR REPLACE FUNCTION count_batch(b batches) RETURNS jsonb
LANGUAGE sql STABLE SET search_path = ${flyway:defaultSchema}, pg_temp SET enable_seqscan = off SET jit = off AS $$
  SELECT jsonb_build_object('present', count(*), 'ready', count(*) FILTER (WHERE t.state = 'ready'),
    'on_hold', count(*) FILTER (WHERE t.state = 'on_hold'), 'needs_review', count(*) FILTER (WHERE t.state = 'needs_review'),
    'done', count(*) FILTER (WHERE t.state = 'done'), 'cancelled', count(*) FILTER (WHERE t.state = 'cancelled'),
    'in_progress', (
      SELECT count(*) FROM leases l CROSS JOIN LATERAL unnest(l.ids) AS u (id)
      -- The LIMIT keeps a planner that overrates the leases from reading all tickets.
      CROSS JOIN LATERAL (SELECT * FROM ticket_base r WHERE r.id = u.id LIMIT 1) r
      WHERE r.batch_id = b.id AND r.state = 'ready' AND l.id > r.fence))
  FROM ticket_base t WHERE t.batch_id = b.id AND t.id >= b.settled_below
$$;
COMMENT ON FUNCTION count_batch IS 'The tickets of a batch from settled_below on, by state; ready counts those in progress, too.';

CREATE OR REPLACE FUNCTION counts_without(counts jsonb, done bigint, cancelled bigint) RETURNS jsonb
LANGUAGE sql IMMUTABLE SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
  SELECT counts || jsonb_build_object('present', (counts->>'present')::bigint - done - cancelled,
    'done', (counts->>'done')::bigint - done, 'cancelled', (counts->>'cancelled')::bigint - cancelled)
$$;
COMMENT ON FUNCTION counts_without IS 'The counts of a batch when so many tickets come to settled_done and settled_cancelled, which are added to them.';

CREATE OR REPLACE FUNCTION recount_batch(b batches) RETURNS batches
LANGUAGE plpgsql SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
DECLARE
  began timestamptz := clock_timestamp();
BEGIN
  b.base_finished := CASE
    WHEN b.base_at IS NULL THEN 0
    WHEN b.base_at > began - interval '2 minutes' OR b.counted_at IS NULL THEN b.base_finished
    ELSE finished_of_batch(b) END;
  b.base_at := CASE WHEN b.base_at IS NULL THEN b.created_at WHEN b.base_at > began - interval '2 minutes' THEN b.base_at ELSE b.counted_at END;
  b.counts := count_batch(b);
  b.counted_at := clock_timestamp();
  b.count_took := b.counted_at - began;
  RETURN b;
END
$$;
COMMENT ON FUNCTION recount_batch IS 'The row of a batch with its tickets counted anew.';

CREATE OR REPLACE FUNCTION finished_of_batch(b batches) RETURNS bigint
LANGUAGE sql IMMUTABLE SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
  SELECT COALESCE(b.total, (b.counts->>'present')::bigint + b.settled_done + b.settled_cancelled) - (b.counts->>'ready')::bigint
$$;
COMMENT ON FUNCTION finished_of_batch IS 'How many tickets of a batch wait for no worker, as last counted.';

DROP FUNCTION IF EXISTS batch_progress(bigint);
CREATE OR REPLACE FUNCTION batch_progress(id bigint) RETURNS TABLE (
  batch_id bigint, title text, created_at timestamptz, created_by text, closed_at timestamptz, cancelled_at timestamptz, ended_at timestamptz,
  total bigint, ready bigint, in_progress bigint, on_hold bigint, needs_review bigint, done bigint, cancelled bigint, deleted bigint,
  counted_at timestamptz, time_left interval, next_count_at timestamptz)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
#variable_conflict use_column
DECLARE
  b batches;
  lockable boolean := current_setting('transaction_read_only') = 'off';
BEGIN
  SELECT * INTO b FROM batches x WHERE x.id = batch_progress.id;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'there is no batch %', COALESCE(batch_progress.id::text, 'NULL')
      USING ERRCODE = 'HF404', HINT = 'holdfast batch list shows them';
  END IF;
  IF b.counted_at IS NULL OR b.counted_at < LEAST(b.ended_at, clock_timestamp() - GREATEST(interval '500 milliseconds', b.count_took * 20))
      OR b.counted_at > clock_timestamp() + interval '1 minute' THEN
    IF lockable THEN
      SELECT * INTO b FROM batches x WHERE x.id = batch_progress.id FOR NO KEY UPDATE SKIP LOCKED;
      lockable := FOUND;
    END IF;
    IF NOT lockable THEN
      SELECT * INTO b FROM batches x WHERE x.id = batch_progress.id;
    END IF;
    IF lockable OR b.counted_at IS NULL THEN
      b := recount_batch(b);
    END IF;
    IF lockable THEN
      UPDATE batches x SET counts = b.counts, counted_at = b.counted_at, count_took = b.count_took, base_at = b.base_at, base_finished = b.base_finished
      WHERE x.id = b.id;
    END IF;
  END IF;
  RETURN QUERY SELECT * FROM shown_batch(b);
END
$$;
COMMENT ON FUNCTION batch_progress IS 'How far a batch is: SELECT * FROM ${flyway:defaultSchema}.batch_progress(7). Counted when asked, at most every half second and never more than a twentieth of the time; counted_at says when. time_left is foretold from the rate of the last minutes.';

CREATE OR REPLACE FUNCTION shown_batch(b batches) RETURNS TABLE (
  batch_id bigint, title text, created_at timestamptz, created_by text, closed_at timestamptz, cancelled_at timestamptz, ended_at timestamptz,
  total bigint, ready bigint, in_progress bigint, on_hold bigint, needs_review bigint, done bigint, cancelled bigint, deleted bigint,
  counted_at timestamptz, time_left interval, next_count_at timestamptz)
LANGUAGE sql STABLE SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
  SELECT b.id, b.title, b.created_at, b.created_by, b.closed_at, b.cancelled_at, b.ended_at, n.total,
    GREATEST(0, n.ready - n.running), n.running, (b.counts->>'on_hold')::bigint, (b.counts->>'needs_review')::bigint,
    b.settled_done + (b.counts->>'done')::bigint, b.settled_cancelled + (b.counts->>'cancelled')::bigint,
    GREATEST(0, n.total - b.settled_done - b.settled_cancelled - (b.counts->>'present')::bigint),
    b.counted_at,
    CASE WHEN n.ready > 0 AND finished_of_batch(b) > b.base_finished AND b.counted_at > b.base_at
      THEN (b.counted_at - b.base_at) * (n.ready::double precision / (finished_of_batch(b) - b.base_finished)) END,
    b.counted_at + GREATEST(interval '500 milliseconds', b.count_took * 20)
  FROM (SELECT COALESCE(b.total, (b.counts->>'present')::bigint + b.settled_done + b.settled_cancelled) AS total,
    (b.counts->>'ready')::bigint AS ready, LEAST((b.counts->>'in_progress')::bigint, (b.counts->>'ready')::bigint) AS running) n
$$;
COMMENT ON FUNCTION shown_batch IS 'What batch_progress shows of a batch that is counted.';

CREATE OR REPLACE FUNCTION hold_batch(id bigint, actor text, reason text, at_most integer DEFAULT NULL) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = ${flyway:defaultSchema}, pg_temp SET enable_seqscan = off AS $$
DECLARE
  t ticket_base;
  n bigint := 0;
BEGIN
  PERFORM require_words('actor', actor);
  PERFORM require_words('reason', reason);
  PERFORM locked_batch(hold_batch.id);
  PERFORM lock_steps(w.id) FROM (
    SELECT b.id FROM ticket_base b
    WHERE b.batch_id = hold_batch.id AND b.state = 'ready' AND b.kind = 'workflow' ORDER BY b.batch_id, b.id LIMIT at_most) w;
  FOR t IN
    SELECT * FROM ticket_base b WHERE b.batch_id = hold_batch.id AND b.state = 'ready' ORDER BY b.batch_id, b.id LIMIT at_most FOR UPDATE
  LOOP
    PERFORM hold_ticket(t.id, actor, reason);
    n := n + 1;
  END LOOP;
  RETURN n;
END
$$;
COMMENT ON FUNCTION hold_batch IS 'Puts the tickets of a batch on hold that wait or run, and says how many. at_most: in portions, until it answers 0.';

CREATE OR REPLACE FUNCTION cancel_batch(id bigint, actor text, reason text DEFAULT NULL, at_most integer DEFAULT NULL) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = ${flyway:defaultSchema}, pg_temp SET enable_seqscan = off AS $$
DECLARE
  ticket bigint;
  tickets bigint[];
BEGIN
  PERFORM close_batch(cancel_batch.id, actor);
  UPDATE batches x SET cancelled_at = now(), look_at = now() WHERE x.id = cancel_batch.id AND x.cancelled_at IS NULL AND x.ended_at IS NULL;
  PERFORM lock_what_goes(w.id) FROM (
    SELECT b.id FROM ticket_base b
    WHERE b.batch_id = cancel_batch.id AND b.state NOT IN ('done', 'cancelled') AND b.kind = 'workflow' ORDER BY b.batch_id, b.id LIMIT at_most) w;
  -- All are locked before the first is cancelled. Trap: a loop over the locking query itself would leave out those further on that a cancellation
  -- has changed by then, for PostgreSQL passes over rows that the transaction has changed since the query began.
  tickets := ARRAY(
    SELECT b.id FROM ticket_base b
    WHERE b.batch_id = cancel_batch.id AND b.state NOT IN ('done', 'cancelled') AND (b.state <> 'on_hold' OR 'cancel' = ANY (b.hold_actions))
    ORDER BY b.batch_id, b.id LIMIT at_most FOR UPDATE);
  FOREACH ticket IN ARRAY tickets LOOP
    -- One before it may have taken it along: a ticket of the batch that it waits for.
    IF EXISTS (SELECT FROM ticket_base b WHERE b.id = ticket AND b.state NOT IN ('done', 'cancelled')) THEN
      PERFORM cancel_ticket(ticket, actor, reason);
    END IF;
  END LOOP;
  RETURN cardinality(tickets);
END
$$;
COMMENT ON FUNCTION cancel_batch IS 'Cancels all tickets of a batch that are not done, and says how many; it takes no further ones. Tickets that wait for the batch go on hold. at_most: in portions, until it answers 0.';

SELECT grant_roles(only_new => true);
