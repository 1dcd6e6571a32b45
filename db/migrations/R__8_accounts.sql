-- Accounts of model providers and budgets: who must not be called before when, what may still be spent, which tickets wait for one of these.
-- A call asks nothing here in the common case: workers keep a copy of provider_cooldowns, and reserve money only where a budget is set.
--
-- Flyway runs this file after all versioned ones: again with each version of the schema (now ${version}), and whenever it changes.

CREATE OR REPLACE VIEW known_waits AS
SELECT w.ticket_id, b.queue, b.state, w.kind, w.scopes, w.words AS waits_for, w.since, b.retry_after, w.needed_usd, w.lease_no
FROM ticket_waits w JOIN ticket_base b ON b.id = w.ticket_id AND b.fence = w.lease_no
WHERE CASE w.kind
  WHEN 'provider' THEN b.state = 'ready' AND b.retry_after > now()
    AND NOT EXISTS (SELECT FROM leases l WHERE l.id > b.fence AND b.id = ANY (l.ids))
  WHEN 'account' THEN b.state = 'on_hold' AND b.hold_reason LIKE 'account_unavailable:%'
  WHEN 'outage' THEN b.state = 'on_hold' AND b.hold_reason LIKE 'provider_unavailable:%'
  WHEN 'budget' THEN b.state = 'on_hold' AND b.hold_reason LIKE 'budget_exceeded:%'
  ELSE false
END
UNION ALL
SELECT f.ticket_id, b.queue, b.state, 'dependency' COLLATE "C", p.scopes, p.words, b.created_at, b.retry_after, NULL::numeric, b.fence
FROM (SELECT DISTINCT d.ticket_id FROM ticket_dependencies d WHERE d.ended_at IS NULL) f
JOIN ticket_base b ON b.id = f.ticket_id AND b.state = 'ready'
CROSS JOIN LATERAL (
  SELECT array_agg('ticket/' || d.after_id ORDER BY d.after_id) AS scopes,
    array_to_string((array_agg(format('#%s', d.after_id) || CASE x.state
      WHEN 'on_hold' THEN to_char(x.held_at AT TIME ZONE 'UTC', '", on hold since "YYYY-MM-DD HH24:MI:SS"Z"')
      WHEN 'needs_review' THEN ', in review'
      ELSE '' END ORDER BY x.held_at, d.after_id))[1:3], '; ')
    || CASE WHEN count(*) > 3 THEN format('; %s more', count(*) - 3) ELSE '' END AS words
  FROM ticket_dependencies d JOIN ticket_base x ON x.id = d.after_id
  WHERE d.ticket_id = f.ticket_id AND d.ended_at IS NULL
) p
UNION ALL
SELECT f.ticket_id, b.queue, b.state, 'dependency' COLLATE "C", ARRAY['batch/' || f.batch_id], format('batch %s', f.batch_id), b.created_at,
  b.retry_after, NULL::numeric, b.fence
FROM batch_followers f JOIN ticket_base b ON b.id = f.ticket_id AND b.state = 'ready'
WHERE f.ended_at IS NULL;
COMMENT ON VIEW known_waits IS 'The part of waiting_tickets without those that stand in line, of which there may be a million: who asks for one kind of wait asks here.';

-- Versions before 13 made it with another collation, which CREATE OR REPLACE cannot change. What reads it is made again below.
DO $$
BEGIN
  IF EXISTS (
    SELECT FROM pg_attribute a
    WHERE a.attrelid = to_regclass('waiting_tickets') AND a.attname = 'scopes' AND a.attcollation <> 'pg_catalog."C"'::regcollation
  ) THEN
    DROP VIEW IF EXISTS budget_status, provider_status, waiting_tickets;
  END IF;
END
$$;

CREATE OR REPLACE VIEW waiting_tickets AS
SELECT * FROM known_waits
UNION ALL
SELECT w.id, w.queue, 'ready' COLLATE "C", 'limit' COLLATE "C", ARRAY[split_part(l.words, ',', 1)], 'the limit of ' || l.words, w.created_at,
  NULL::timestamptz, NULL::numeric, 0::bigint
FROM tickets_in_line w CROSS JOIN LATERAL (SELECT limit_words(w.queue, w.design, w.concurrency_key) AS words) l
WHERE l.words IS NOT NULL AND NOT EXISTS (SELECT FROM queues q WHERE q.name = w.queue AND q.paused_at IS NOT NULL)
UNION ALL
SELECT w.id, w.queue, 'ready' COLLATE "C", 'turn' COLLATE "C", ARRAY['queue:' || w.queue], 'its turn', w.created_at,
  NULL::timestamptz, NULL::numeric, 0::bigint
FROM tickets_in_line w
WHERE limit_words(w.queue, w.design, w.concurrency_key) IS NULL AND NOT EXISTS (SELECT FROM queues q WHERE q.name = w.queue AND q.paused_at IS NOT NULL)
UNION ALL
-- Joined with ticket_base so that one is found by its id: ready and deferred are ordered for claims.
SELECT p.id, p.queue, 'ready' COLLATE "C", 'paused' COLLATE "C", ARRAY['queue:' || p.queue],
  format('the queue %s, paused by %s; resume it: holdfast resume %s', p.queue, q.paused_by, p.queue), GREATEST(p.created_at, q.paused_at),
  NULL::timestamptz, NULL::numeric, 0::bigint
FROM (
  SELECT b.id, b.queue, b.created_at FROM ticket_base b
  JOIN ready r ON r.queue = b.queue AND r.kind = b.kind AND ~r.priority = ~b.priority AND r.created_at = b.created_at AND r.id = b.id
  UNION ALL
  SELECT b.id, b.queue, b.created_at FROM ticket_base b JOIN deferred d ON d.run_at = b.retry_after AND d.id = b.id WHERE d.run_at <= now()
  UNION ALL
  SELECT w.id, w.queue, w.created_at FROM tickets_in_line w
  UNION ALL
  SELECT s.id, s.queue, s.created_at FROM suspects s
) p JOIN queues q ON q.name = p.queue AND q.paused_at IS NOT NULL
UNION ALL
SELECT d.after_id, b.queue, b.state, 'turn' COLLATE "C", ARRAY['ticket/' || d.ticket_id], format('its turn in the step %s of #%s', d.name, d.ticket_id),
  b.created_at, b.retry_after, NULL::numeric, b.fence
FROM ticket_dependencies d JOIN ticket_base b ON b.id = d.after_id AND b.state = 'ready'
WHERE d.queued AND d.ended_at IS NULL;
COMMENT ON VIEW waiting_tickets IS 'Tickets that wait for a provider (deferred, no retry used), for the end of an outage, for an account to be mended, for a budget to have room (all on hold), for other tickets to be done or a batch to end (dependency; those on hold are named first), for their queue to be resumed (paused), for a limit (set_limit) or only for their turn: among those with keys, or in a step of limited breadth.';

-- Of the rows and not of known_waits: a ticket that tries just now still waits, or an outage would come and go with each try.
CREATE OR REPLACE VIEW awaited_providers AS
SELECT split_part(s.scope, '/', 1) AS provider, w.ticket_id, s.scope
FROM ticket_waits w JOIN ticket_base b ON b.id = w.ticket_id AND b.fence = w.lease_no CROSS JOIN LATERAL unnest(w.scopes) AS s (scope)
WHERE CASE b.state
  WHEN 'ready' THEN w.kind IN ('provider', 'trial')
  WHEN 'on_hold' THEN w.kind = 'outage' AND b.hold_reason LIKE 'provider_unavailable:%'
  ELSE false
END;
COMMENT ON VIEW awaited_providers IS 'The providers whose answer some ticket waits for: it was put off, is held for an outage or tries just now. A ticket waits for all the keys that it may use.';

CREATE OR REPLACE VIEW provider_status AS
SELECT c.provider, c.key_id, c.model,
  CASE
    WHEN c.until = 'infinity' THEN 'unavailable'
    WHEN c.until > now() THEN 'cooling'
    WHEN c.probe_until > now() THEN 'probing'
    ELSE 'half_open'
  END AS state,
  c.reason, c.detail, c.http_status, c.since, NULLIF(c.until, 'infinity') AS until, c.rounds, c.reported_by, c.probe_by,
  (SELECT count(*) FROM known_waits w WHERE c.provider || '/' || c.key_id || '/' || c.model = ANY (w.scopes) AND w.kind = 'provider') AS waiting,
  (SELECT count(*) FROM known_waits w WHERE c.provider || '/' || c.key_id || '/' || c.model = ANY (w.scopes) AND w.kind = 'account') AS held
FROM provider_cooldowns c WHERE c.until IS NOT NULL;
COMMENT ON VIEW provider_status IS 'Providers and accounts that are not called now: cooling, half_open (the next caller tries), probing (one tries), unavailable (a person has to mend it); with the tickets that wait.';

CREATE OR REPLACE VIEW budget_status AS
SELECT b.scope, b.per, b.limit_usd,
  CASE WHEN b.per = 'day' AND b.day < (now() AT TIME ZONE 'UTC')::date THEN 0 ELSE b.spent_usd END AS spent_usd,
  b.reserved_usd, b.configured_usd, b.changed_by, b.changed_at,
  (SELECT count(*) FROM known_waits w WHERE w.kind = 'budget' AND b.scope = ANY (w.scopes)) AS held
FROM budgets b;
COMMENT ON VIEW budget_status IS 'Each budget with what is spent of it and what calls on their way have reserved, and how many tickets it holds.';

-- How long an account has not answered, as far as anybody has tried: after a cool-down's end that nobody tested nothing is known.
CREATE OR REPLACE FUNCTION outage_of(c provider_cooldowns) RETURNS interval
LANGUAGE sql STABLE SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
  SELECT CASE WHEN c.rounds > 0 AND isfinite(c.until) THEN LEAST(clock_timestamp(), c.until) - c.since END
$$;
COMMENT ON FUNCTION outage_of IS 'For how long an account has given no answer; NULL where it is open, or a person has to mend it.';

CREATE OR REPLACE FUNCTION account_is_unavailable(of_scope text) RETURNS boolean
LANGUAGE sql STABLE SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
  SELECT EXISTS (
    SELECT FROM provider_cooldowns c WHERE c.until = 'infinity' AND c.provider || '/' || c.key_id || '/' || c.model = of_scope)
$$;
COMMENT ON FUNCTION account_is_unavailable IS 'Whether a scope of the shape PROVIDER/KEY_ID/MODEL waits for a person.';

CREATE OR REPLACE FUNCTION budget_has_room(of_scope text, needed numeric) RETURNS boolean
LANGUAGE sql STABLE SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
  SELECT NOT EXISTS (
    SELECT FROM budgets b WHERE b.scope = of_scope
      AND CASE WHEN b.per = 'day' AND b.day < (clock_timestamp() AT TIME ZONE 'UTC')::date THEN 0 ELSE b.spent_usd END
        + b.reserved_usd + needed > b.limit_usd)
$$;
COMMENT ON FUNCTION budget_has_room IS 'Whether a call of that cost would be let through.';

-- A failure that says something of the account and not of the request. One row, one lock, whoever reports first.
-- hint_ms: what the provider asks to wait. weak: a sign of an outage that the request itself may have caused (a plain 500): it counts
-- only where the one before it was another ticket's, so that one poisoned request closes nothing.
CREATE OR REPLACE FUNCTION report_provider_failure(
  of_provider text, of_key text, of_model text, why text, words text, status integer, hint_ms bigint, of_ticket bigint, by_worker text,
  weak boolean, base_ms bigint, max_ms bigint, max_hint_ms bigint, outage_after integer) RETURNS boolean
LANGUAGE plpgsql SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
DECLARE
  c provider_cooldowns;
  at timestamptz;
  ms bigint;
  fresh boolean;
BEGIN
  INSERT INTO provider_cooldowns (provider, key_id, model, reason, reported_by) VALUES (of_provider, of_key, of_model, why, by_worker)
  ON CONFLICT DO NOTHING;
  SELECT * INTO c FROM provider_cooldowns p WHERE p.provider = of_provider AND p.key_id = of_key AND p.model = of_model FOR UPDATE;
  IF NOT FOUND THEN
    RETURN false; -- mended this very moment
  END IF;
  at := clock_timestamp();
  IF c.until = 'infinity' THEN
    RETURN false;
  END IF;
  IF weak AND c.failures > 0 AND c.last_ticket = of_ticket THEN
    PERFORM end_provider_probe(of_provider, of_key, of_model, by_worker);
    RETURN false;
  END IF;
  -- What fails while it cools was sent before and tells nothing new, but for a longer wait asked for.
  fresh := c.until IS NULL OR c.until <= at;
  IF why IN ('auth', 'quota') AND hint_ms IS NULL THEN
    UPDATE provider_cooldowns p
    SET until = 'infinity', reason = why, detail = words, http_status = status, since = at, reported_by = by_worker, last_ticket = of_ticket,
        probe_by = NULL, probe_until = NULL
    WHERE p.provider = of_provider AND p.key_id = of_key AND p.model = of_model;
    PERFORM log_activity(NULL, 'provider_unavailable', 'system', jsonb_build_object('provider', of_provider,
      'keyId', NULLIF(of_key, ''), 'model', NULLIF(of_model, ''), 'reason', why, 'detail', words, 'workerId', by_worker));
    PERFORM pg_notify('${flyway:defaultSchema}_providers', '');
    RETURN true;
  END IF;
  IF why = 'outage' AND fresh AND c.rounds = 0 AND c.failures + 1 < outage_after THEN
    UPDATE provider_cooldowns p SET failures = c.failures + 1, last_ticket = of_ticket, detail = words, http_status = status
    WHERE p.provider = of_provider AND p.key_id = of_key AND p.model = of_model;
    PERFORM pg_notify('${flyway:defaultSchema}_providers', '');
    RETURN false;
  END IF;
  ms := LEAST(max_ms, base_ms * (1::bigint << LEAST(CASE WHEN fresh THEN c.rounds ELSE GREATEST(c.rounds - 1, 0) END, 30)));
  ms := CASE
    WHEN hint_ms IS NULL THEN ms
    WHEN c.rounds = 0 OR NOT fresh THEN LEAST(hint_ms, max_hint_ms)
    ELSE GREATEST(ms, LEAST(hint_ms, max_hint_ms))
  END;
  IF NOT fresh AND at + ms * interval '1 millisecond' <= c.until THEN
    RETURN false; -- a later, shorter one never shortens it
  END IF;
  UPDATE provider_cooldowns p
  SET until = at + ms * interval '1 millisecond', length_ms = ms, reason = why, detail = words, http_status = status, last_ticket = of_ticket,
      reported_by = by_worker, failures = c.failures + 1, rounds = c.rounds + fresh::integer,
      since = CASE WHEN c.rounds = 0 THEN at ELSE c.since END, probe_by = NULL, probe_until = NULL
  WHERE p.provider = of_provider AND p.key_id = of_key AND p.model = of_model;
  PERFORM pg_notify('${flyway:defaultSchema}_providers', '');
  RETURN fresh AND c.rounds = 0;
END
$$;
COMMENT ON FUNCTION report_provider_failure IS 'Starts or lengthens the cool-down of an account, by the database''s clock. True where it was open before: the one time to tell people.';

CREATE OR REPLACE FUNCTION take_provider_probe(of_provider text, of_key text, of_model text, by_worker text, for_ms bigint)
RETURNS TABLE (answer text, wait_ms double precision)
LANGUAGE plpgsql SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
DECLARE
  c provider_cooldowns;
  at timestamptz;
BEGIN
  SELECT * INTO c FROM provider_cooldowns p WHERE p.provider = of_provider AND p.key_id = of_key AND p.model = of_model FOR UPDATE;
  at := clock_timestamp();
  IF NOT FOUND OR c.until IS NULL THEN
    RETURN QUERY SELECT 'open'::text, 0::double precision;
  ELSIF c.until = 'infinity' THEN
    RETURN QUERY SELECT 'unavailable'::text, 0::double precision;
  ELSIF c.until > at THEN
    RETURN QUERY SELECT 'cooling'::text, extract(epoch FROM c.until - at)::double precision * 1000;
  ELSIF c.probe_until > at THEN
    RETURN QUERY SELECT 'busy'::text, extract(epoch FROM c.probe_until - at)::double precision * 1000;
  ELSE
    UPDATE provider_cooldowns p SET probe_by = by_worker, probe_until = at + for_ms * interval '1 millisecond'
    WHERE p.provider = of_provider AND p.key_id = of_key AND p.model = of_model;
    PERFORM pg_notify('${flyway:defaultSchema}_providers', '');
    RETURN QUERY SELECT 'probe'::text, 0::double precision;
  END IF;
END
$$;
COMMENT ON FUNCTION take_provider_probe IS 'After a cool-down''s end: probe where the caller is the one who tries, else how long to wait.';

CREATE OR REPLACE FUNCTION end_provider_probe(of_provider text, of_key text, of_model text, by_worker text) RETURNS void
LANGUAGE plpgsql SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
BEGIN
  UPDATE provider_cooldowns p SET probe_by = NULL, probe_until = NULL
  WHERE p.provider = of_provider AND p.key_id = of_key AND p.model = of_model AND p.probe_by = by_worker;
  IF FOUND THEN
    PERFORM pg_notify('${flyway:defaultSchema}_providers', '');
  END IF;
END
$$;
COMMENT ON FUNCTION end_provider_probe IS 'The try told nothing of the account, or was broken off: somebody else may.';

CREATE OR REPLACE FUNCTION report_provider_answer(of_provider text, of_key text, of_model text) RETURNS boolean
LANGUAGE plpgsql SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
BEGIN
  DELETE FROM provider_cooldowns p
  WHERE p.provider = of_provider AND p.key_id = of_key AND p.model = of_model AND (p.until IS NULL OR p.until <= clock_timestamp());
  IF FOUND THEN
    PERFORM pg_notify('${flyway:defaultSchema}_providers', '');
  END IF;
  RETURN FOUND;
END
$$;
COMMENT ON FUNCTION report_provider_answer IS 'An answer came: the account is open again. What still cools stays: that answer was on its way before.';

CREATE OR REPLACE FUNCTION tell_end_of_outage() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM provider_cooldowns c WHERE c.provider = OLD.provider AND c.told_at IS NOT NULL) THEN
    PERFORM log_activity(NULL, 'provider_outage_over', 'system', jsonb_build_object('provider', OLD.provider, 'since', OLD.since,
      'reason', OLD.reason, 'detail', OLD.detail));
  END IF;
  RETURN NULL;
END
$$;
COMMENT ON FUNCTION tell_end_of_outage IS 'Notes in ticket_activity that a provider whose outage people were told of answers again, or was mended.';

CREATE OR REPLACE FUNCTION outage_words(provider text, since timestamptz, reason text, detail text) RETURNS text
LANGUAGE sql STABLE SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
  SELECT provider || ' has not answered since ' || to_char(since AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI "UTC"') || ' (' || reason || ': ' || detail || ')'
$$;
COMMENT ON FUNCTION outage_words IS 'The sentence that says to people that a provider is out, in the log, on the console and in the webhook.';

CREATE OR REPLACE FUNCTION tell_outages(after_ms bigint) RETURNS SETOF text
LANGUAGE plpgsql SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
DECLARE
  o record;
BEGIN
  IF after_ms <= 0 OR NOT EXISTS (SELECT FROM provider_cooldowns c WHERE c.told_at IS NULL AND outage_of(c) >= after_ms * interval '1 millisecond')
      OR NOT pg_try_advisory_xact_lock(hashtext('${flyway:defaultSchema}.tell_outages')) THEN
    RETURN;
  END IF;
  FOR o IN
    SELECT c.provider, min(c.since) AS since, min(c.reason) AS reason, min(c.detail) AS detail
    FROM provider_cooldowns c
    WHERE outage_of(c) >= after_ms * interval '1 millisecond'
      -- One key of several is no outage while the others work on.
      AND (c.key_id = '' OR EXISTS (
        SELECT FROM awaited_providers a WHERE a.provider = c.provider AND a.scope = c.provider || '/' || c.key_id || '/' || c.model))
      AND NOT EXISTS (SELECT FROM provider_cooldowns t WHERE t.provider = c.provider AND t.told_at IS NOT NULL)
    GROUP BY c.provider ORDER BY c.provider
  LOOP
    UPDATE provider_cooldowns c SET told_at = clock_timestamp()
    WHERE c.provider = o.provider AND outage_of(c) >= after_ms * interval '1 millisecond';
    PERFORM log_activity(NULL, 'provider_outage', 'system', jsonb_build_object('provider', o.provider, 'since', o.since, 'reason', o.reason,
      'detail', o.detail));
    RETURN NEXT outage_words(o.provider, o.since, o.reason, o.detail);
  END LOOP;
END
$$;
COMMENT ON FUNCTION tell_outages IS 'Notes in ticket_activity, once in an outage, that a provider has not answered for so long; returns the words for those that are new. Workers call it now and then.';

-- Whoever goes through many tickets has chosen them before: meanwhile a person, or an attempt, may have changed what they wait for.
CREATE OR REPLACE FUNCTION still_waits(ticket_id bigint, kind text) RETURNS boolean
LANGUAGE plpgsql SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
BEGIN
  PERFORM locked_ticket(still_waits.ticket_id);
  RETURN EXISTS (SELECT FROM known_waits w WHERE w.ticket_id = still_waits.ticket_id AND w.kind = still_waits.kind);
END
$$;
COMMENT ON FUNCTION still_waits IS 'Locks a ticket and says whether it has the wait that was seen before.';

CREATE OR REPLACE FUNCTION hold_for_outages(after_ms bigint, at_most integer DEFAULT 1000) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
DECLARE
  w record;
  t ticket_base;
  n bigint := 0;
  reason text;
  again boolean;
BEGIN
  IF after_ms <= 0 OR NOT EXISTS (SELECT FROM provider_cooldowns c WHERE outage_of(c) >= after_ms * interval '1 millisecond')
      OR NOT pg_try_advisory_xact_lock(hashtext('${flyway:defaultSchema}.release_waiting')) THEN
    RETURN 0;
  END IF;
  FOR w IN
    SELECT x.ticket_id, x.waits_for, x.scopes, x.since FROM known_waits x
    WHERE x.kind = 'provider' AND x.since <= clock_timestamp() - after_ms * interval '1 millisecond'
      AND NOT EXISTS (
        SELECT FROM unnest(x.scopes) AS s WHERE NOT EXISTS (
          SELECT FROM provider_cooldowns c
          WHERE c.provider || '/' || c.key_id || '/' || c.model = s AND outage_of(c) >= after_ms * interval '1 millisecond'))
    ORDER BY x.ticket_id LIMIT at_most
  LOOP
    t := locked_ticket(w.ticket_id);
    CONTINUE WHEN NOT still_waits(t.id, 'provider') OR NOT make_unclaimable(t);
    reason := 'provider_unavailable: ' || w.waits_for || '; it goes on by itself when the provider answers again';
    -- It was let go as a trial: people were told of its first hold.
    again := EXISTS (
      SELECT FROM ticket_activity y
      WHERE y.ticket_id = t.id AND y.action = 'held' AND y.details->>'holdCause' = 'provider_unavailable' AND y.created_at >= w.since
        AND y.created_at >= (
          SELECT min(c.since) FROM provider_cooldowns c WHERE c.provider || '/' || c.key_id || '/' || c.model = ANY (w.scopes)));
    PERFORM log_activity(t.id, 'held', 'system', jsonb_build_object('reason', reason, 'holdCause', 'provider_unavailable',
      'again', NULLIF(again, false)));
    UPDATE ticket_base b
    SET state = 'on_hold', held_at = now(), hold_reason = reason, hold_actions = '{release,release_with_guidance,cancel}',
        retry_after = NULL, updated_at = now()
    WHERE b.id = t.id;
    UPDATE ticket_waits y SET kind = 'outage' WHERE y.ticket_id = t.id;
    n := n + 1;
  END LOOP;
  RETURN n;
END
$$;
COMMENT ON FUNCTION hold_for_outages IS 'Holds tickets that were put off for so long while none of their providers gave one answer, and again those that tried in vain; release_waiting lets them go. Workers call it now and then.';

-- No cool-down lasts longer than its length, and no day begins before its midnight: what says so was written while the server's clock was ahead,
-- and would stay until that time comes. A clock that is set back by seconds is none of it.
CREATE OR REPLACE FUNCTION forget_times_ahead() RETURNS void
LANGUAGE plpgsql SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
DECLARE
  at timestamptz := clock_timestamp();
  today date := (at AT TIME ZONE 'UTC')::date;
BEGIN
  UPDATE budgets b SET day = today WHERE b.day > today + 1;
  UPDATE provider_cooldowns c SET until = at, since = LEAST(c.since, at), probe_by = NULL, probe_until = NULL
  WHERE isfinite(c.until) AND c.until > at + c.length_ms * interval '1 millisecond' + interval '1 minute';
  IF FOUND THEN
    PERFORM pg_notify('${flyway:defaultSchema}_providers', '');
  END IF;
END
$$;
COMMENT ON FUNCTION forget_times_ahead IS 'Ends cool-downs and days of budgets that the server''s clock wrote while it was ahead. Workers call it now and then.';

CREATE OR REPLACE FUNCTION end_lost_probes() RETURNS void
LANGUAGE plpgsql SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
BEGIN
  UPDATE provider_cooldowns c SET probe_by = NULL, probe_until = NULL
  WHERE c.probe_until > clock_timestamp()
    AND NOT EXISTS (SELECT FROM leases l WHERE l.worker_id = c.probe_by AND l.expires_at > clock_timestamp());
  IF FOUND THEN
    PERFORM pg_notify('${flyway:defaultSchema}_providers', '');
  END IF;
END
$$;
COMMENT ON FUNCTION end_lost_probes IS 'Nobody waits for the try of a worker that died: without a lease it calls no model. Workers call it now and then.';

-- Lets go what waits for accounts that are open again and for budgets that have room again. Cheap where nothing waits.
-- Trap: the sweep of old waits at its end names the lease that it saw beside the ticket. Where another transaction has replaced the row in the
-- meantime, the ticket waits anew, and its new row must stay.
CREATE OR REPLACE FUNCTION release_waiting(actor text, at_most integer DEFAULT 1000) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
DECLARE
  w record;
  n bigint := 0;
BEGIN
  IF NOT EXISTS (SELECT FROM ticket_waits) OR NOT pg_try_advisory_xact_lock(hashtext('${flyway:defaultSchema}.release_waiting')) THEN
    RETURN 0;
  END IF;
  FOR w IN
    SELECT t.ticket_id, t.kind, false AS trial FROM known_waits t
    WHERE (t.kind = 'account' AND EXISTS (SELECT FROM unnest(t.scopes) AS s WHERE NOT account_is_unavailable(s)))
       -- Without an amount it is not room that is missing, but the model's price.
       OR (t.kind = 'budget' AND t.needed_usd IS NOT NULL AND NOT EXISTS (SELECT FROM unnest(t.scopes) AS s WHERE NOT budget_has_room(s, t.needed_usd)))
       OR (t.kind = 'outage' AND EXISTS (SELECT FROM unnest(t.scopes) AS s WHERE NOT EXISTS (
             SELECT FROM provider_cooldowns c WHERE c.until IS NOT NULL AND c.provider || '/' || c.key_id || '/' || c.model = s)))
    UNION ALL
    -- Held tickets call nobody, so that after a cool-down one of them is let go to see whether the provider answers: the one that has been held
    -- longest, for it may be a ticket's own request that fails. One that nobody claims is waited for a minute. Its wait keeps its beginning,
    -- so that hold_for_outages holds it again as soon as it is put off.
    (SELECT t.ticket_id, t.kind, true FROM known_waits t JOIN ticket_base h ON h.id = t.ticket_id
     WHERE t.kind = 'outage'
       AND NOT EXISTS (SELECT FROM queues q WHERE q.name = t.queue AND q.paused_at IS NOT NULL)
       AND EXISTS (SELECT FROM unnest(t.scopes) AS s JOIN provider_cooldowns c ON c.provider || '/' || c.key_id || '/' || c.model = s
                   WHERE c.until <= clock_timestamp() AND COALESCE(c.probe_until <= clock_timestamp(), true))
       AND NOT EXISTS (SELECT FROM ticket_waits y JOIN ticket_base b ON b.id = y.ticket_id AND b.fence = y.lease_no
                       JOIN released_holds r ON r.ticket_id = y.ticket_id AND r.released_at > now() - interval '1 minute'
                       WHERE y.kind = 'trial' AND b.state = 'ready' AND y.scopes && t.scopes)
     ORDER BY h.held_at, h.id LIMIT 1)
    ORDER BY trial, ticket_id LIMIT at_most
  LOOP
    BEGIN
      CONTINUE WHEN NOT still_waits(w.ticket_id, w.kind);
      PERFORM release_ticket(w.ticket_id, release_waiting.actor, keep_retries => w.trial);
      UPDATE ticket_waits y SET kind = 'trial' WHERE w.trial AND y.ticket_id = w.ticket_id;
      n := n + 1;
    EXCEPTION WHEN SQLSTATE 'HF404' OR SQLSTATE 'HF409' THEN
      NULL; -- somebody else was first
    END;
  END LOOP;
  DELETE FROM ticket_waits x
  WHERE (x.ticket_id, x.lease_no) IN (
    SELECT y.ticket_id, y.lease_no FROM ticket_waits y JOIN ticket_base b ON b.id = y.ticket_id
    WHERE b.fence > y.lease_no OR (b.fence = y.lease_no AND (b.state IN ('done', 'cancelled', 'needs_review')
      OR (b.state = 'ready' AND y.kind <> 'trial' AND (y.kind <> 'provider' OR b.retry_after IS NULL)
        -- An undo of the release would need it again.
        AND NOT EXISTS (SELECT FROM released_holds h WHERE h.ticket_id = y.ticket_id AND h.released_at > now() - interval '60 seconds'))))
    LIMIT at_most);
  RETURN n;
END
$$;
COMMENT ON FUNCTION release_waiting IS 'Releases held tickets whose account or budget is open again, or whose provider answers again; workers call it now and then.';

CREATE OR REPLACE FUNCTION mend_provider(provider text, actor text, key_id text DEFAULT NULL) RETURNS TABLE (mended bigint, released bigint, woken bigint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
#variable_conflict use_column
DECLARE
  w record;
  t ticket_base;
BEGIN
  PERFORM require_words('provider', mend_provider.provider);
  PERFORM require_words('actor', mend_provider.actor);
  DELETE FROM provider_cooldowns c
  WHERE c.provider = mend_provider.provider AND (mend_provider.key_id IS NULL OR c.key_id = mend_provider.key_id);
  GET DIAGNOSTICS mended = ROW_COUNT;
  released := 0;
  woken := 0;
  -- Every one of them at once: a person says that it is mended.
  PERFORM pg_advisory_xact_lock(hashtext('${flyway:defaultSchema}.release_waiting'));
  FOR w IN
    SELECT x.ticket_id, x.kind FROM known_waits x
    WHERE x.kind IN ('account', 'provider')
      AND EXISTS (
        SELECT FROM unnest(x.scopes) AS s
        WHERE split_part(s, '/', 1) = mend_provider.provider
          AND (mend_provider.key_id IS NULL OR split_part(s, '/', 2) = mend_provider.key_id))
    ORDER BY x.ticket_id
  LOOP
    BEGIN
      CONTINUE WHEN NOT still_waits(w.ticket_id, w.kind);
      IF w.kind = 'account' THEN
        PERFORM release_ticket(w.ticket_id, mend_provider.actor);
        released := released + 1;
      ELSE
        t := locked_ticket(w.ticket_id);
        IF make_unclaimable(t) THEN
          UPDATE ticket_base b SET retry_after = NULL, updated_at = now() WHERE b.id = t.id RETURNING * INTO t;
          PERFORM make_claimable(t);
          woken := woken + 1;
        END IF;
      END IF;
      DELETE FROM ticket_waits y WHERE y.ticket_id = w.ticket_id;
    EXCEPTION WHEN SQLSTATE 'HF404' OR SQLSTATE 'HF409' THEN
      NULL; -- somebody else was first
    END;
  END LOOP;
  IF mended + released + woken = 0 THEN
    RAISE EXCEPTION 'nothing of the provider "%" is closed', left(mend_provider.provider, 100)
      USING ERRCODE = 'HF404', HINT = 'holdfast providers shows what is';
  END IF;
  PERFORM log_activity(NULL, 'provider_mended', mend_provider.actor, jsonb_build_object('provider', mend_provider.provider,
    'keyId', mend_provider.key_id, 'released', released, 'woken', woken));
  PERFORM pg_notify('${flyway:defaultSchema}_providers', '');
  RETURN NEXT;
END
$$;
COMMENT ON FUNCTION mend_provider IS 'Opens a provider''s accounts again, or the one of a key, and lets go every ticket that waits for them: SELECT * FROM ${flyway:defaultSchema}.mend_provider(''openai'', ''ann''). HF404 where nothing is closed.';

CREATE OR REPLACE FUNCTION forget_waits() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = ${flyway:defaultSchema}, pg_temp SET enable_seqscan = off SET enable_bitmapscan = off
AS $$
BEGIN
  DELETE FROM ticket_waits WHERE ticket_id = ANY (ARRAY(SELECT id FROM gone));
  RETURN NULL;
END
$$;
COMMENT ON FUNCTION forget_waits IS 'A deleted ticket waits for nothing.';

SELECT grant_roles(only_new => true);
