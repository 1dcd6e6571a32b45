-- An outage is told once and has an end: a ticket that was put off for too long without one answer of its providers is held, and released
-- by itself when one of them answers again.
-- Earlier binaries: they work on and neither tell nor hold; a worker of this version does it for them.

ALTER TABLE provider_cooldowns ADD COLUMN told_at timestamptz;
COMMENT ON COLUMN provider_cooldowns.told_at IS 'When people were told that it has not answered for cooldown.notice-after; once in an outage, whatever the number of workers.';

ALTER TABLE ticket_waits DROP CONSTRAINT known_kind;
ALTER TABLE ticket_waits ADD CONSTRAINT known_kind CHECK (kind IN ('provider', 'account', 'budget', 'outage', 'trial'));
COMMENT ON COLUMN ticket_waits.kind IS 'provider: deferred until a cool-down ends. account: held until an account is mended. budget: held until a budget has room. outage: held until a provider answers again. trial: let go of an outage to see whether it does.';

CREATE OR REPLACE VIEW waiting_tickets AS
SELECT w.ticket_id, b.queue, b.state, w.kind, w.scopes, w.words AS waits_for, w.since, b.retry_after, w.needed_usd, w.lease_no
FROM ticket_waits w JOIN ticket_base b ON b.id = w.ticket_id AND b.fence = w.lease_no
WHERE CASE w.kind
  WHEN 'provider' THEN b.state = 'ready' AND b.retry_after > now()
    AND NOT EXISTS (SELECT FROM leases l WHERE l.id > b.fence AND b.id = ANY (l.ids))
  WHEN 'account' THEN b.state = 'on_hold' AND b.hold_reason LIKE 'account_unavailable:%'
  WHEN 'outage' THEN b.state = 'on_hold' AND b.hold_reason LIKE 'provider_unavailable:%'
  WHEN 'budget' THEN b.state = 'on_hold' AND b.hold_reason LIKE 'budget_exceeded:%'
  ELSE false
END;
COMMENT ON VIEW waiting_tickets IS 'Tickets that wait for a provider (deferred, no retry used), for the end of an outage, for an account to be mended, or for a budget to have room (all on hold).';

-- How long an account has not answered, as far as anybody has tried: after a cool-down's end that nobody tested nothing is known.
CREATE FUNCTION outage_of(c provider_cooldowns) RETURNS interval
LANGUAGE sql STABLE SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
  SELECT CASE WHEN c.rounds > 0 AND isfinite(c.until) THEN LEAST(clock_timestamp(), c.until) - c.since END
$$;
COMMENT ON FUNCTION outage_of IS 'For how long an account has given no answer; NULL where it is open, or a person has to mend it.';

CREATE FUNCTION tell_outages(after_ms bigint) RETURNS SETOF text
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
        SELECT FROM waiting_tickets w WHERE w.kind = 'provider' AND c.provider || '/' || c.key_id || '/' || c.model = ANY (w.scopes)))
      AND NOT EXISTS (SELECT FROM provider_cooldowns t WHERE t.provider = c.provider AND t.told_at IS NOT NULL)
    GROUP BY c.provider ORDER BY c.provider
  LOOP
    UPDATE provider_cooldowns c SET told_at = clock_timestamp()
    WHERE c.provider = o.provider AND outage_of(c) >= after_ms * interval '1 millisecond';
    PERFORM log_activity(NULL, 'provider_outage', 'system', jsonb_build_object('provider', o.provider, 'since', o.since, 'reason', o.reason,
      'detail', o.detail));
    RETURN NEXT o.provider || ' has not answered since ' || to_char(o.since AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') || ' ('
      || o.reason || ': ' || o.detail || ')';
  END LOOP;
END
$$;
COMMENT ON FUNCTION tell_outages IS 'Notes in ticket_activity, once in an outage, that a provider has not answered for so long; returns the words for those that are new. Workers call it now and then.';

CREATE FUNCTION hold_for_outages(after_ms bigint, at_most integer DEFAULT 1000) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
DECLARE
  w record;
  t ticket_base;
  n bigint := 0;
  reason text;
BEGIN
  IF after_ms <= 0 OR NOT EXISTS (SELECT FROM provider_cooldowns c WHERE outage_of(c) >= after_ms * interval '1 millisecond')
      OR NOT pg_try_advisory_xact_lock(hashtext('${flyway:defaultSchema}.release_waiting')) THEN
    RETURN 0;
  END IF;
  FOR w IN
    SELECT x.ticket_id, x.waits_for FROM waiting_tickets x
    WHERE x.kind = 'provider' AND x.since <= clock_timestamp() - after_ms * interval '1 millisecond'
      AND NOT EXISTS (
        SELECT FROM unnest(x.scopes) AS s WHERE NOT EXISTS (
          SELECT FROM provider_cooldowns c
          WHERE c.provider || '/' || c.key_id || '/' || c.model = s AND outage_of(c) >= after_ms * interval '1 millisecond'))
    ORDER BY x.ticket_id LIMIT at_most
  LOOP
    t := locked_ticket(w.ticket_id);
    CONTINUE WHEN t.state <> 'ready' OR NOT make_unclaimable(t);
    reason := 'provider_unavailable: ' || w.waits_for || '; it goes on by itself when the provider answers again';
    PERFORM log_activity(t.id, 'held', 'system', jsonb_build_object('reason', reason, 'holdCause', 'provider_unavailable'));
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
COMMENT ON FUNCTION hold_for_outages IS 'Holds tickets that were put off for so long while none of their providers gave one answer; release_waiting lets them go. Workers call it now and then.';

-- Lets go what waits for accounts that are open again and for budgets that have room again. Cheap where nothing waits.
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
    SELECT t.ticket_id, false AS trial FROM waiting_tickets t
    WHERE (t.kind = 'account' AND EXISTS (SELECT FROM unnest(t.scopes) AS s WHERE NOT account_is_unavailable(s)))
       OR (t.kind = 'budget' AND NOT EXISTS (SELECT FROM unnest(t.scopes) AS s WHERE NOT budget_has_room(s, COALESCE(t.needed_usd, 0))))
       OR (t.kind = 'outage' AND EXISTS (SELECT FROM unnest(t.scopes) AS s WHERE NOT EXISTS (
             SELECT FROM provider_cooldowns c WHERE c.until IS NOT NULL AND c.provider || '/' || c.key_id || '/' || c.model = s)))
    UNION ALL
    -- Held tickets call nobody, so that after a cool-down one of them is let go to see whether the provider answers.
    (SELECT t.ticket_id, true FROM waiting_tickets t
     WHERE t.kind = 'outage'
       AND EXISTS (SELECT FROM unnest(t.scopes) AS s JOIN provider_cooldowns c ON c.provider || '/' || c.key_id || '/' || c.model = s
                   WHERE c.until <= clock_timestamp() AND COALESCE(c.probe_until <= clock_timestamp(), true))
       AND NOT EXISTS (SELECT FROM ticket_waits y JOIN ticket_base b ON b.id = y.ticket_id AND b.fence = y.lease_no
                       WHERE y.kind = 'trial' AND b.state = 'ready' AND y.scopes && t.scopes)
     ORDER BY t.ticket_id LIMIT 1)
    ORDER BY trial, ticket_id LIMIT at_most
  LOOP
    BEGIN
      PERFORM release_ticket(w.ticket_id, release_waiting.actor, keep_retries => w.trial);
      UPDATE ticket_waits y SET kind = 'trial' WHERE w.trial AND y.ticket_id = w.ticket_id;
      n := n + 1;
    EXCEPTION WHEN SQLSTATE 'HF404' OR SQLSTATE 'HF409' THEN
      NULL; -- somebody else was first
    END;
  END LOOP;
  DELETE FROM ticket_waits x
  WHERE x.ticket_id IN (
    SELECT y.ticket_id FROM ticket_waits y JOIN ticket_base b ON b.id = y.ticket_id
    WHERE b.fence > y.lease_no OR (b.fence = y.lease_no AND (b.state IN ('done', 'cancelled', 'needs_review')
      OR (b.state = 'ready' AND y.kind <> 'trial' AND (y.kind <> 'provider' OR b.retry_after IS NULL))))
    LIMIT at_most);
  RETURN n;
END
$$;
COMMENT ON FUNCTION release_waiting IS 'Releases held tickets whose account or budget is open again, or whose provider answers again; workers call it now and then.';

REVOKE EXECUTE ON FUNCTION outage_of, tell_outages, hold_for_outages FROM PUBLIC;
DO $$
BEGIN
  IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'holdfast_worker') THEN
    EXECUTE format('GRANT EXECUTE ON FUNCTION %1$s.outage_of, %1$s.tell_outages, %1$s.hold_for_outages TO holdfast_worker',
      quote_ident('${flyway:defaultSchema}'));
  END IF;
END
$$;
