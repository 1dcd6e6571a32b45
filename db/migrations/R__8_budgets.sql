-- Budgets: money is reserved before a call and settled after it; people raise and remove them.
--
-- Flyway runs this file after all versioned ones: again with each version of the schema (now ${version}), and whenever it changes.

-- One statement for the caller: the rows are locked in one order, and all of them have room or nothing is reserved.
CREATE OR REPLACE FUNCTION reserve_budget(of_scopes text[], worst_usd numeric, of_ticket bigint, of_lease bigint)
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

CREATE OR REPLACE FUNCTION settle_budget(of_reservation bigint, cost_usd numeric) RETURNS void
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

CREATE OR REPLACE FUNCTION book_lost_reservations() RETURNS bigint
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

-- Locked: a call that is just being settled is waited for, and one that comes after meets the new budget.
CREATE OR REPLACE FUNCTION reserved_before(of_scope text) RETURNS numeric
LANGUAGE sql SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
  SELECT COALESCE(sum(r.usd), 0) FROM (
    SELECT x.usd FROM budget_reservations x
    WHERE of_scope = ANY (x.scopes) AND NOT EXISTS (SELECT FROM budgets b WHERE b.scope = of_scope) ORDER BY x.id FOR UPDATE OF x) r
$$;
COMMENT ON FUNCTION reserved_before IS 'What calls on their way have reserved of a budget that was removed meanwhile; nothing of one that is there.';

CREATE OR REPLACE FUNCTION configure_budget(of_scope text, of_period text, usd numeric, by_worker text) RETURNS void
LANGUAGE plpgsql SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
BEGIN
  -- Waits for a person who is removing it, whose calls on their way are then to be counted anew.
  PERFORM FROM budgets b WHERE b.scope = of_scope FOR UPDATE;
  INSERT INTO budgets AS b (scope, per, limit_usd, reserved_usd, configured_usd, configured_per, changed_by)
  VALUES (of_scope, of_period, usd, reserved_before(of_scope), usd, of_period, by_worker)
  ON CONFLICT (scope) DO UPDATE
  SET limit_usd = usd, configured_usd = usd, per = of_period, configured_per = of_period, changed_by = by_worker, changed_at = clock_timestamp()
  WHERE b.configured_usd IS DISTINCT FROM usd OR b.configured_per <> of_period;
  IF FOUND THEN
    PERFORM pg_notify('${flyway:defaultSchema}_providers', '');
  ELSE
    -- A budget from before the period was kept.
    UPDATE budgets b SET configured_per = of_period WHERE b.scope = of_scope AND b.configured_per IS NULL;
  END IF;
END
$$;
COMMENT ON FUNCTION configure_budget IS 'What a worker''s configuration says of a budget. What a person has set since stays until the configuration says something else.';

-- A person who raises or removes a budget waits for the worker that is just looking for tickets to release, and then releases them.
CREATE OR REPLACE FUNCTION raise_budget(scope text, usd numeric, actor text, per text DEFAULT NULL) RETURNS bigint
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
  IF raise_budget.per NOT IN ('day', 'total') THEN
    RAISE EXCEPTION 'a budget is per day or total, not per %', left(raise_budget.per, 100) USING ERRCODE = 'HF422';
  END IF;
  IF raise_budget.scope ~ '^ticket:[0-9]{1,18}$' THEN
    of_ticket := substr(raise_budget.scope, 8)::bigint;
    PERFORM require_cost_limit((locked_ticket(of_ticket)).kind, usd);
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
  -- Nothing here knows the keys, but what they are stored by.
  IF raise_budget.scope LIKE 'key:%' AND raise_budget.scope !~ '^key:.+/([0-9a-f]{12}|none)$'
    AND NOT EXISTS (SELECT FROM budgets b WHERE b.scope = raise_budget.scope) THEN
    RAISE EXCEPTION '"%" is the scope of no key', left(raise_budget.scope, 100)
      USING ERRCODE = 'HF422', HINT = 'It is key:PROVIDER/KEY_ID, where KEY_ID is the start of the key''s SHA-256 in 12 hex digits, or none; holdfast budgets raise takes key:PROVIDER/key-1, too.';
  END IF;
  -- One that the configuration names may be there before its design.
  IF raise_budget.scope LIKE 'design:%' AND NOT EXISTS (SELECT FROM budgets b WHERE b.scope = raise_budget.scope) THEN
    PERFORM latest_design(substr(raise_budget.scope, 8));
  END IF;
  -- Before anything is changed: a worker that looks just now would make release_waiting return at once, and this say that it released none.
  PERFORM pg_advisory_xact_lock(hashtext('${flyway:defaultSchema}.release_waiting'));
  INSERT INTO budgets AS b (scope, per, limit_usd, reserved_usd, changed_by)
  VALUES (raise_budget.scope, COALESCE(raise_budget.per, 'day'), usd, reserved_before(raise_budget.scope), raise_budget.actor)
  ON CONFLICT (scope) DO UPDATE
  SET limit_usd = usd, per = COALESCE(raise_budget.per, b.per), changed_by = raise_budget.actor, changed_at = clock_timestamp();
  PERFORM log_activity(NULL, 'budget_raised', raise_budget.actor, jsonb_build_object('scope', raise_budget.scope, 'toUsd', usd));
  PERFORM pg_notify('${flyway:defaultSchema}_providers', '');
  RETURN release_waiting(raise_budget.actor, 2147483647);
END
$$;
COMMENT ON FUNCTION raise_budget IS 'Sets a budget, makes it where there is none, and releases the tickets that it held: SELECT ${flyway:defaultSchema}.raise_budget(''day'', 100, ''ann''). Scopes: day, design:NAME, key:PROVIDER/KEY_ID, ticket:ID. Returns how many were released.';

CREATE OR REPLACE FUNCTION remove_budget(scope text, actor text) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
#variable_conflict use_column
BEGIN
  PERFORM require_words('actor', remove_budget.actor);
  PERFORM pg_advisory_xact_lock(hashtext('${flyway:defaultSchema}.release_waiting'));
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

-- Calls write nothing for this: whoever tells of budgets looks at them, and keeps in webhook_cursors (noted:budget:SCOPE) what was told: 1 for
-- eight tenths, 2 for used up. Less than was told is told anew when it comes again: after a new day, or a higher limit.
-- What waits without an amount wants the price of its model, not the budget's money.
CREATE OR REPLACE FUNCTION note_budgets() RETURNS bigint
LANGUAGE plpgsql SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
DECLARE
  b record;
  noted bigint := 0;
BEGIN
  IF NOT EXISTS (SELECT FROM budgets) OR NOT pg_try_advisory_xact_lock(hashtext('${flyway:defaultSchema}.note_budgets')) THEN
    RETURN 0;
  END IF;
  FOR b IN
    SELECT s.scope, s.per, s.limit_usd, s.spent_usd, COALESCE(c.activity_id, 0) AS told,
      CASE
        WHEN s.limit_usd > 0 AND s.spent_usd >= s.limit_usd
          OR EXISTS (SELECT FROM known_waits w WHERE w.kind = 'budget' AND w.needed_usd IS NOT NULL AND s.scope = ANY (w.scopes)) THEN 2
        WHEN s.limit_usd > 0 AND s.spent_usd >= 0.8 * s.limit_usd THEN 1
        ELSE 0
      END AS level
    FROM budget_status s LEFT JOIN webhook_cursors c ON c.name = 'noted:budget:' || s.scope
    ORDER BY s.scope
  LOOP
    CONTINUE WHEN b.level = b.told;
    INSERT INTO webhook_cursors AS c (name, activity_id) VALUES ('noted:budget:' || b.scope, b.level)
    ON CONFLICT (name) DO UPDATE SET activity_id = EXCLUDED.activity_id, updated_at = now();
    CONTINUE WHEN b.level < b.told;
    PERFORM log_activity(NULL, CASE b.level WHEN 2 THEN 'budget_used_up' ELSE 'budget_nearly_used_up' END, 'system',
      jsonb_build_object('scope', b.scope, 'per', b.per, 'limitUsd', b.limit_usd, 'spentUsd', b.spent_usd));
    noted := noted + 1;
  END LOOP;
  RETURN noted;
END
$$;
COMMENT ON FUNCTION note_budgets IS 'Makes a row of ticket_activity for each budget of which eight tenths are spent (budget_nearly_used_up), or which holds tickets or is spent (budget_used_up), once until it has room again; returns how many. For those who tell people.';

COMMENT ON COLUMN webhook_cursors.activity_id IS 'Everything in ticket_activity up to here was told, or was nothing to tell. Of noted:budget:SCOPE: what was noted of the budget, 0 that there is room, 1 nearly used up, 2 used up. Of noted:reviews and noted:digest: nothing.';

SELECT grant_roles(only_new => true);
