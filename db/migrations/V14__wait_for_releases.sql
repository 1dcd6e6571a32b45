-- A person who raises or removes a budget waits for the worker that is just looking for tickets to release, and then releases them.
-- Earlier binaries: they work on; both functions take and return what they did.

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
  -- Before anything is changed: a worker that looks just now would make release_waiting return at once, and this say that it released none.
  PERFORM pg_advisory_xact_lock(hashtext('${flyway:defaultSchema}.release_waiting'));
  INSERT INTO budgets AS b (scope, per, limit_usd, changed_by)
  VALUES (raise_budget.scope, COALESCE(raise_budget.per, 'day'), usd, raise_budget.actor)
  ON CONFLICT (scope) DO UPDATE
  SET limit_usd = usd, per = COALESCE(raise_budget.per, b.per), changed_by = raise_budget.actor, changed_at = clock_timestamp();
  PERFORM log_activity(NULL, 'budget_raised', raise_budget.actor, jsonb_build_object('scope', raise_budget.scope, 'toUsd', usd));
  PERFORM pg_notify('${flyway:defaultSchema}_providers', '');
  RETURN release_waiting(raise_budget.actor, 2147483647);
END
$$;

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
