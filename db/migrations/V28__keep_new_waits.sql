-- A ticket that waits anew while old waits are swept keeps its new one. The sweep chose by ticket alone: where another transaction replaced
-- the row at that moment, the new row went, and the ticket seemed to wait for its own retry. Now the lease must be the one it saw, too.
-- Earlier binaries: nothing changes for them.

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
  WHERE (x.ticket_id, x.lease_no) IN (
    SELECT y.ticket_id, y.lease_no FROM ticket_waits y JOIN ticket_base b ON b.id = y.ticket_id
    WHERE b.fence > y.lease_no OR (b.fence = y.lease_no AND (b.state IN ('done', 'cancelled', 'needs_review')
      OR (b.state = 'ready' AND y.kind <> 'trial' AND (y.kind <> 'provider' OR b.retry_after IS NULL))))
    LIMIT at_most);
  RETURN n;
END
$$;
