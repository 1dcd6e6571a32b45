-- What all workers know of the providers of models: who must not be called before when, whose account is out of order, what may still be
-- spent; and which tickets wait for one of these.
-- A call asks nothing here in the common case: workers keep a copy of provider_cooldowns, and reserve money only where a budget is set.
-- Earlier binaries: they work on, heed nothing of this, and read the new outcome 'deferred' as text like any other.

CREATE TABLE provider_cooldowns (
  provider    text COLLATE "C" NOT NULL,
  key_id      text COLLATE "C" NOT NULL DEFAULT '',
  model       text COLLATE "C" NOT NULL DEFAULT '',
  until       timestamptz,
  reason      text COLLATE "C" NOT NULL
    CONSTRAINT known_reason CHECK (reason IN ('rate_limit', 'overloaded', 'outage', 'usage_limit', 'auth', 'quota')),
  detail      text NOT NULL DEFAULT '',
  http_status integer,
  since       timestamptz NOT NULL DEFAULT clock_timestamp(),
  reported_by text NOT NULL,
  last_ticket bigint,
  failures    integer NOT NULL DEFAULT 0 CHECK (failures >= 0),
  rounds      integer NOT NULL DEFAULT 0 CHECK (rounds >= 0),
  length_ms   bigint NOT NULL DEFAULT 0,
  probe_by    text,
  probe_until timestamptz,
  PRIMARY KEY (provider, key_id, model)
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500);
COMMENT ON TABLE provider_cooldowns IS 'Providers and accounts that nobody in the cluster should call before a time. A row goes with the first answer of its account after that time; holdfast providers shows them, holdfast providers mend NAME deletes them.';
COMMENT ON COLUMN provider_cooldowns.provider IS 'Its name in the configuration.';
COMMENT ON COLUMN provider_cooldowns.key_id IS 'Which of its keys: the start of the key''s SHA-256, never the key. Empty: the provider as a whole, whatever the key.';
COMMENT ON COLUMN provider_cooldowns.model IS 'Empty: all its models.';
COMMENT ON COLUMN provider_cooldowns.until IS 'Nobody calls before; infinity: until a person mends it. Past: one caller tries whether it is over. NULL: none, only signs of an outage so far.';
COMMENT ON COLUMN provider_cooldowns.reason IS 'rate_limit, overloaded, outage, usage_limit: passes by itself. auth (the key is refused), quota (its money is used up): a person''s.';
COMMENT ON COLUMN provider_cooldowns.detail IS 'The provider''s own words, shortened.';
COMMENT ON COLUMN provider_cooldowns.failures IS 'Signs of an outage in a row; an answer ends the row, and the count with it.';
COMMENT ON COLUMN provider_cooldowns.rounds IS 'Cool-downs in a row without an answer between them: each is twice as long as the one before, up to cooldown.max-delay.';
COMMENT ON COLUMN provider_cooldowns.length_ms IS 'How long the present one is in all; the starts after its end are spread by a part of it.';
COMMENT ON COLUMN provider_cooldowns.probe_by IS 'The worker whose call tries whether it is over.';
COMMENT ON COLUMN provider_cooldowns.probe_until IS 'When that try is taken for lost and another caller may.';

CREATE TABLE budgets (
  scope          text COLLATE "C" PRIMARY KEY
    CONSTRAINT known_scope CHECK (scope = 'day' OR scope ~ '^(design|key):.+$'),
  per            text COLLATE "C" NOT NULL CONSTRAINT known_period CHECK (per IN ('day', 'total')),
  limit_usd      numeric NOT NULL CONSTRAINT limit_is_an_amount CHECK (limit_usd BETWEEN 0 AND 1000000000),
  configured_usd numeric,
  day            date NOT NULL DEFAULT (clock_timestamp() AT TIME ZONE 'UTC')::date,
  spent_usd      numeric NOT NULL DEFAULT 0 CHECK (spent_usd >= 0),
  reserved_usd   numeric NOT NULL DEFAULT 0 CHECK (reserved_usd >= 0),
  changed_by     text NOT NULL,
  changed_at     timestamptz NOT NULL DEFAULT clock_timestamp()
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500);
COMMENT ON TABLE budgets IS 'What calls of models may cost in all, over all workers. A call''s worst cost is reserved before it is sent, its true cost booked after; holdfast budgets shows them, holdfast budgets raise changes them. Without a row nothing is counted.';
COMMENT ON COLUMN budgets.scope IS 'day: all calls. design:NAME: those of a design''s tickets. key:PROVIDER/KEY_ID: those of one key.';
COMMENT ON COLUMN budgets.per IS 'day: the spending starts anew at midnight UTC by the database''s clock; total: never.';
COMMENT ON COLUMN budgets.limit_usd IS 'What spent_usd and reserved_usd together may not exceed.';
COMMENT ON COLUMN budgets.configured_usd IS 'What the configuration says; limit_usd follows it when it changes, and keeps what a person has set until then.';
COMMENT ON COLUMN budgets.day IS 'The day that spent_usd is of.';

CREATE TABLE budget_reservations (
  id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  ticket_id  bigint NOT NULL,
  lease_no   bigint NOT NULL,
  scopes     text[] NOT NULL,
  usd        numeric NOT NULL CHECK (usd >= 0),
  made_at    timestamptz NOT NULL DEFAULT clock_timestamp()
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500);
COMMENT ON TABLE budget_reservations IS 'Calls that are on their way, with what they may cost at worst. One that outlives its lease was possibly billed: it is booked as spent, whole.';

CREATE TABLE ticket_waits (
  ticket_id  bigint PRIMARY KEY,
  lease_no   bigint NOT NULL,
  kind       text COLLATE "C" NOT NULL CONSTRAINT known_kind CHECK (kind IN ('provider', 'account', 'budget')),
  scopes     text[] NOT NULL,
  needed_usd numeric,
  words      text NOT NULL,
  since      timestamptz NOT NULL DEFAULT clock_timestamp()
) WITH (fillfactor = 70);
COMMENT ON TABLE ticket_waits IS 'What tickets last waited for besides their turn. Read waiting_tickets: it leaves out those that wait no more.';
COMMENT ON COLUMN ticket_waits.kind IS 'provider: deferred until a cool-down ends. account: held until an account is mended. budget: held until a budget has room.';
COMMENT ON COLUMN ticket_waits.scopes IS 'PROVIDER/KEY_ID/MODEL of accounts, any one of which lets it go on; or the budget without room.';
COMMENT ON COLUMN ticket_waits.needed_usd IS 'What its next call may cost at worst.';

ALTER TABLE ticket_attempts DROP CONSTRAINT known_outcome;
ALTER TABLE ticket_attempts ADD CONSTRAINT known_outcome
  CHECK (outcome IN ('succeeded', 'failed', 'crashed', 'given_back', 'revoked', 'deferred')) NOT VALID;
COMMENT ON COLUMN ticket_attempts.outcome IS 'succeeded, failed, crashed (its lease expired), given_back (its worker was stopped; uses up no retry), deferred (it waits for a provider; uses up no retry), revoked (a person cancelled or held the ticket).';

CREATE FUNCTION forget_waits() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = ${flyway:defaultSchema}, pg_temp SET enable_seqscan = off SET enable_bitmapscan = off
AS $$
BEGIN
  DELETE FROM ticket_waits WHERE ticket_id = ANY (ARRAY(SELECT id FROM gone));
  RETURN NULL;
END
$$;
COMMENT ON FUNCTION forget_waits IS 'A deleted ticket waits for nothing.';
CREATE TRIGGER forget_waits AFTER DELETE ON ticket_base
  REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION forget_waits();

-- A failure that says something of the account and not of the request. One row, one lock, whoever reports first.
-- hint_ms: what the provider asks to wait. weak: a sign of an outage that the request itself may have caused (a plain 500): it counts
-- only where the one before it was another ticket's, so that one poisoned request closes nothing.
CREATE FUNCTION report_provider_failure(
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

CREATE FUNCTION take_provider_probe(of_provider text, of_key text, of_model text, by_worker text, for_ms bigint)
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

CREATE FUNCTION end_provider_probe(of_provider text, of_key text, of_model text, by_worker text) RETURNS void
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

CREATE FUNCTION report_provider_answer(of_provider text, of_key text, of_model text) RETURNS boolean
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

-- One statement for the caller: the rows are locked in one order, and all of them have room or nothing is reserved.
CREATE FUNCTION reserve_budget(of_scopes text[], worst_usd numeric, of_ticket bigint, of_lease bigint)
RETURNS TABLE (reservation bigint, refused_by text, spent numeric, reserved numeric, limited_to numeric)
LANGUAGE plpgsql SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
DECLARE
  b budgets;
  today date;
  found_scopes text[] := '{}';
BEGIN
  FOR b IN SELECT * FROM budgets x WHERE x.scope = ANY (of_scopes) ORDER BY x.scope FOR UPDATE LOOP
    today := (clock_timestamp() AT TIME ZONE 'UTC')::date;
    IF b.per = 'day' AND b.day < today THEN
      UPDATE budgets x SET day = today, spent_usd = 0 WHERE x.scope = b.scope;
      b.spent_usd := 0;
    END IF;
    IF b.spent_usd + b.reserved_usd + worst_usd > b.limit_usd THEN
      RETURN QUERY SELECT NULL::bigint, b.scope, b.spent_usd, b.reserved_usd, b.limit_usd;
      RETURN;
    END IF;
    found_scopes := found_scopes || b.scope;
  END LOOP;
  UPDATE budgets x SET reserved_usd = x.reserved_usd + worst_usd WHERE x.scope = ANY (found_scopes);
  INSERT INTO budget_reservations AS r (ticket_id, lease_no, scopes, usd) VALUES (of_ticket, of_lease, found_scopes, worst_usd)
  RETURNING r.id INTO reservation;
  RETURN NEXT;
END
$$;
COMMENT ON FUNCTION reserve_budget IS 'Reserves the worst cost of a call in all its budgets, or says which one has no room.';

CREATE FUNCTION settle_budget(of_reservation bigint, cost_usd numeric) RETURNS void
LANGUAGE plpgsql SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
DECLARE
  r budget_reservations;
  today date;
BEGIN
  DELETE FROM budget_reservations x WHERE x.id = of_reservation RETURNING * INTO r;
  IF NOT FOUND THEN
    RETURN; -- booked at its worst already
  END IF;
  PERFORM FROM budgets x WHERE x.scope = ANY (r.scopes) ORDER BY x.scope FOR UPDATE;
  today := (clock_timestamp() AT TIME ZONE 'UTC')::date;
  UPDATE budgets x SET reserved_usd = GREATEST(0, x.reserved_usd - r.usd),
    day = CASE WHEN x.per = 'day' THEN GREATEST(x.day, today) ELSE x.day END,
    spent_usd = CASE WHEN x.per = 'day' AND x.day < today THEN 0 ELSE x.spent_usd END + cost_usd
  WHERE x.scope = ANY (r.scopes);
END
$$;
COMMENT ON FUNCTION settle_budget IS 'Books what a call has cost in the place of its reservation.';

CREATE FUNCTION book_lost_reservations() RETURNS bigint
LANGUAGE plpgsql SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
DECLARE
  r record;
  n bigint := 0;
BEGIN
  FOR r IN
    SELECT b.id, b.usd FROM budget_reservations b
    WHERE NOT EXISTS (SELECT FROM leases l WHERE l.id = b.lease_no AND l.expires_at > clock_timestamp())
    ORDER BY b.id LIMIT 1000 FOR UPDATE SKIP LOCKED
  LOOP
    PERFORM settle_budget(r.id, r.usd);
    n := n + 1;
  END LOOP;
  RETURN n;
END
$$;
COMMENT ON FUNCTION book_lost_reservations IS 'A call whose worker died was possibly billed: its reservation is booked as spent.';

CREATE FUNCTION budget_has_room(of_scope text, needed numeric) RETURNS boolean
LANGUAGE sql STABLE SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
  SELECT NOT EXISTS (
    SELECT FROM budgets b WHERE b.scope = of_scope
      AND CASE WHEN b.per = 'day' AND b.day < (clock_timestamp() AT TIME ZONE 'UTC')::date THEN 0 ELSE b.spent_usd END
        + b.reserved_usd + needed > b.limit_usd)
$$;
COMMENT ON FUNCTION budget_has_room IS 'Whether a call of that cost would be let through.';

CREATE FUNCTION account_is_unavailable(of_scope text) RETURNS boolean
LANGUAGE sql STABLE SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
  SELECT EXISTS (
    SELECT FROM provider_cooldowns c WHERE c.until = 'infinity' AND c.provider || '/' || c.key_id || '/' || c.model = of_scope)
$$;
COMMENT ON FUNCTION account_is_unavailable IS 'Whether a scope of the shape PROVIDER/KEY_ID/MODEL waits for a person.';

CREATE VIEW waiting_tickets AS
SELECT w.ticket_id, b.queue, b.state, w.kind, w.scopes, w.words AS waits_for, w.since, b.retry_after, w.needed_usd, w.lease_no
FROM ticket_waits w JOIN ticket_base b ON b.id = w.ticket_id AND b.fence = w.lease_no
WHERE CASE w.kind
  WHEN 'provider' THEN b.state = 'ready' AND b.retry_after > now()
    AND NOT EXISTS (SELECT FROM leases l WHERE l.id > b.fence AND b.id = ANY (l.ids))
  WHEN 'account' THEN b.state = 'on_hold' AND b.hold_reason LIKE 'account_unavailable:%'
  ELSE b.state = 'on_hold' AND b.hold_reason LIKE 'budget_exceeded:%'
END;
COMMENT ON VIEW waiting_tickets IS 'Tickets that wait for a provider (deferred, no retry used), for an account to be mended, or for a budget to have room (both on hold).';

-- Lets go what waits for accounts that are open again and for budgets that have room again. Cheap where nothing waits.
CREATE FUNCTION release_waiting(actor text, at_most integer DEFAULT 1000) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
DECLARE
  w record;
  n bigint := 0;
BEGIN
  IF NOT EXISTS (SELECT FROM ticket_waits) OR NOT pg_try_advisory_xact_lock(hashtext('${flyway:defaultSchema}.release_waiting')) THEN
    RETURN 0;
  END IF;
  FOR w IN
    SELECT t.ticket_id FROM waiting_tickets t
    WHERE (t.kind = 'account' AND EXISTS (SELECT FROM unnest(t.scopes) AS s WHERE NOT account_is_unavailable(s)))
       OR (t.kind = 'budget' AND NOT EXISTS (SELECT FROM unnest(t.scopes) AS s WHERE NOT budget_has_room(s, COALESCE(t.needed_usd, 0))))
    ORDER BY t.ticket_id LIMIT at_most
  LOOP
    BEGIN
      PERFORM release_ticket(w.ticket_id, release_waiting.actor);
      n := n + 1;
    EXCEPTION WHEN SQLSTATE 'HF404' OR SQLSTATE 'HF409' THEN
      NULL; -- somebody else was first
    END;
  END LOOP;
  DELETE FROM ticket_waits x
  WHERE x.ticket_id IN (
    SELECT y.ticket_id FROM ticket_waits y JOIN ticket_base b ON b.id = y.ticket_id
    WHERE b.fence > y.lease_no OR (b.fence = y.lease_no AND (b.state IN ('done', 'cancelled', 'needs_review')
      OR (b.state = 'ready' AND (y.kind <> 'provider' OR b.retry_after IS NULL))))
    LIMIT at_most);
  RETURN n;
END
$$;
COMMENT ON FUNCTION release_waiting IS 'Releases held tickets whose account or budget is open again; workers call it now and then.';

CREATE FUNCTION mend_provider(provider text, actor text, key_id text DEFAULT NULL) RETURNS TABLE (mended bigint, released bigint, woken bigint)
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
    SELECT x.ticket_id, x.kind FROM waiting_tickets x
    WHERE x.kind IN ('account', 'provider')
      AND EXISTS (
        SELECT FROM unnest(x.scopes) AS s
        WHERE split_part(s, '/', 1) = mend_provider.provider
          AND (mend_provider.key_id IS NULL OR split_part(s, '/', 2) = mend_provider.key_id))
    ORDER BY x.ticket_id
  LOOP
    BEGIN
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

CREATE FUNCTION configure_budget(of_scope text, of_period text, usd numeric, by_worker text) RETURNS void
LANGUAGE plpgsql SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
BEGIN
  INSERT INTO budgets AS b (scope, per, limit_usd, configured_usd, changed_by)
  VALUES (of_scope, of_period, usd, usd, by_worker)
  ON CONFLICT (scope) DO UPDATE
  SET limit_usd = usd, configured_usd = usd, per = of_period, changed_by = by_worker, changed_at = clock_timestamp()
  WHERE b.configured_usd IS DISTINCT FROM usd OR b.per <> of_period;
  IF FOUND THEN
    PERFORM pg_notify('${flyway:defaultSchema}_providers', '');
  END IF;
END
$$;
COMMENT ON FUNCTION configure_budget IS 'What a worker''s configuration says of a budget. What a person has set since stays until the configuration says something else.';

CREATE FUNCTION raise_budget(scope text, usd numeric, actor text, per text DEFAULT NULL) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
#variable_conflict use_column
DECLARE
  of_ticket bigint;
BEGIN
  PERFORM require_words('scope', raise_budget.scope);
  PERFORM require_words('actor', raise_budget.actor);
  IF usd IS NULL OR usd < 0 OR usd > 1000000000 OR usd = 'NaN' THEN
    RAISE EXCEPTION 'a budget is an amount of USD from 0 to 1000000000, not %', COALESCE(usd::text, 'NULL') USING ERRCODE = 'HF422';
  END IF;
  IF raise_budget.scope ~ '^ticket:[0-9]{1,18}$' THEN
    of_ticket := substr(raise_budget.scope, 8)::bigint;
    PERFORM locked_ticket(of_ticket);
    UPDATE ticket_base b SET max_cost_usd = usd, updated_at = now() WHERE b.id = of_ticket;
    PERFORM log_activity(of_ticket, 'budget_raised', raise_budget.actor, jsonb_build_object('toUsd', usd));
    IF EXISTS (SELECT FROM ticket_base b WHERE b.id = of_ticket AND b.state = 'on_hold' AND b.hold_reason LIKE 'budget_exceeded: ticket:%') THEN
      PERFORM release_ticket(of_ticket, raise_budget.actor);
      RETURN 1;
    END IF;
    RETURN 0;
  END IF;
  IF raise_budget.scope <> 'day' AND raise_budget.scope !~ '^(design|key):.+$' THEN
    RAISE EXCEPTION '"%" is not the scope of a budget', left(raise_budget.scope, 100)
      USING ERRCODE = 'HF422', HINT = 'Scopes are day, design:NAME, key:PROVIDER/KEY_ID and ticket:ID; holdfast budgets shows them.';
  END IF;
  INSERT INTO budgets AS b (scope, per, limit_usd, changed_by)
  VALUES (raise_budget.scope, COALESCE(raise_budget.per, 'day'), usd, raise_budget.actor)
  ON CONFLICT (scope) DO UPDATE
  SET limit_usd = usd, per = COALESCE(raise_budget.per, b.per), changed_by = raise_budget.actor, changed_at = clock_timestamp();
  PERFORM log_activity(NULL, 'budget_raised', raise_budget.actor, jsonb_build_object('scope', raise_budget.scope, 'toUsd', usd));
  PERFORM pg_notify('${flyway:defaultSchema}_providers', '');
  RETURN release_waiting(raise_budget.actor, 2147483647);
END
$$;
COMMENT ON FUNCTION raise_budget IS 'Sets a budget, makes it where there is none, and releases the tickets that it held: SELECT ${flyway:defaultSchema}.raise_budget(''day'', 100, ''ann''). Scopes: day, design:NAME, key:PROVIDER/KEY_ID, ticket:ID. Returns how many were released.';

CREATE FUNCTION remove_budget(scope text, actor text) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
#variable_conflict use_column
BEGIN
  PERFORM require_words('actor', remove_budget.actor);
  DELETE FROM budgets b WHERE b.scope = remove_budget.scope;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'there is no budget "%"', left(remove_budget.scope, 100)
      USING ERRCODE = 'HF404', HINT = 'holdfast budgets shows them';
  END IF;
  PERFORM log_activity(NULL, 'budget_removed', remove_budget.actor, jsonb_build_object('scope', remove_budget.scope));
  PERFORM pg_notify('${flyway:defaultSchema}_providers', '');
  RETURN release_waiting(remove_budget.actor, 2147483647);
END
$$;
COMMENT ON FUNCTION remove_budget IS 'Takes a budget away, with what was spent of it, and releases the tickets that it held. One that is configured comes back with the next start of a worker.';

CREATE VIEW provider_status AS
SELECT c.provider, c.key_id, c.model,
  CASE
    WHEN c.until = 'infinity' THEN 'unavailable'
    WHEN c.until > now() THEN 'cooling'
    WHEN c.probe_until > now() THEN 'probing'
    ELSE 'half_open'
  END AS state,
  c.reason, c.detail, c.http_status, c.since, NULLIF(c.until, 'infinity') AS until, c.rounds, c.reported_by, c.probe_by,
  (SELECT count(*) FROM waiting_tickets w WHERE c.provider || '/' || c.key_id || '/' || c.model = ANY (w.scopes) AND w.kind = 'provider') AS waiting,
  (SELECT count(*) FROM waiting_tickets w WHERE c.provider || '/' || c.key_id || '/' || c.model = ANY (w.scopes) AND w.kind = 'account') AS held
FROM provider_cooldowns c WHERE c.until IS NOT NULL;
COMMENT ON VIEW provider_status IS 'Providers and accounts that are not called now: cooling, half_open (the next caller tries), probing (one tries), unavailable (a person has to mend it); with the tickets that wait.';

CREATE VIEW budget_status AS
SELECT b.scope, b.per, b.limit_usd,
  CASE WHEN b.per = 'day' AND b.day < (now() AT TIME ZONE 'UTC')::date THEN 0 ELSE b.spent_usd END AS spent_usd,
  b.reserved_usd, b.configured_usd, b.changed_by, b.changed_at,
  (SELECT count(*) FROM waiting_tickets w WHERE w.kind = 'budget' AND b.scope = ANY (w.scopes)) AS held
FROM budgets b;
COMMENT ON VIEW budget_status IS 'Each budget with what is spent of it and what calls on their way have reserved, and how many tickets it holds.';

CREATE OR REPLACE VIEW queue_health AS
SELECT q.name AS queue, q.paused_at IS NOT NULL AS paused, q.paused_by,
  r.n AS ready, r.oldest AS oldest_ready_at,
  COALESCE(d.retrying, 0) AS retrying, COALESCE(d.scheduled, 0) AS scheduled, d.next_at AS next_due_at,
  COALESCE(p.n, 0) AS in_progress, COALESCE(h.n, 0) AS on_hold, COALESCE(d.waiting_for_provider, 0) AS waiting_for_provider
FROM queues q
CROSS JOIN LATERAL (SELECT count(*) AS n, min(r.created_at) AS oldest FROM ready r WHERE r.queue = q.name) r
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
LEFT JOIN (SELECT b.queue, count(*) AS n FROM ticket_base b WHERE b.held_at IS NOT NULL GROUP BY b.queue) h ON h.queue = q.name
ORDER BY q.name;
COMMENT ON VIEW queue_health IS 'Each queue''s wait as what it is: ready and never started, retrying after a failure, scheduled for later, waiting for a provider''s cool-down, running, waiting for a person.';

REVOKE EXECUTE ON FUNCTION forget_waits, report_provider_failure, take_provider_probe, end_provider_probe, report_provider_answer,
  reserve_budget, settle_budget, book_lost_reservations, budget_has_room, account_is_unavailable, release_waiting, mend_provider,
  configure_budget, raise_budget, remove_budget FROM PUBLIC;

DO $$
DECLARE
  s text := quote_ident('${flyway:defaultSchema}');
  tables text := format('%1$s.provider_cooldowns, %1$s.budgets, %1$s.budget_reservations, %1$s.ticket_waits', s);
  views text := format('%1$s.waiting_tickets, %1$s.provider_status, %1$s.budget_status', s);
BEGIN
  IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'holdfast_viewer') THEN
    EXECUTE format('GRANT SELECT ON %s, %s TO holdfast_viewer', tables, views);
  END IF;
  IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'holdfast_operator') THEN
    EXECUTE format('GRANT SELECT ON %s, %s TO holdfast_operator', tables, views);
    EXECUTE format('GRANT EXECUTE ON FUNCTION %1$s.mend_provider, %1$s.raise_budget, %1$s.remove_budget TO holdfast_operator', s);
  END IF;
  IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'holdfast_worker') THEN
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %s TO holdfast_worker', tables);
    EXECUTE format('GRANT SELECT ON %s TO holdfast_worker', views);
    EXECUTE format('GRANT USAGE ON ALL SEQUENCES IN SCHEMA %s TO holdfast_worker', s);
    EXECUTE format('GRANT EXECUTE ON FUNCTION %1$s.forget_waits, %1$s.report_provider_failure, %1$s.take_provider_probe, '
      '%1$s.end_provider_probe, %1$s.report_provider_answer, %1$s.reserve_budget, %1$s.settle_budget, %1$s.book_lost_reservations, '
      '%1$s.budget_has_room, %1$s.account_is_unavailable, %1$s.release_waiting, %1$s.mend_provider, %1$s.configure_budget, '
      '%1$s.raise_budget, %1$s.remove_budget TO holdfast_worker', s);
  END IF;
END
$$;
