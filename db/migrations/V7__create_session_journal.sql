-- What an agent's session leaves behind: its journal, its events for the live stream, and people's orders to end a waiting retry.
-- Tickets of other kinds have no row here; only a DELETE of a ticket does more than before.
-- Earlier binaries: they work on and read nothing of this. Their release_ticket call of four arguments finds the function of five.

CREATE TABLE session_journal (
  ticket_id  bigint NOT NULL,
  seq        bigint NOT NULL CHECK (seq > 0),
  lease_no   bigint NOT NULL,
  written_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  kind       text COLLATE "C" NOT NULL,
  entry      jsonb NOT NULL,
  PRIMARY KEY (ticket_id, seq)
) WITH (autovacuum_vacuum_insert_scale_factor = 0.1);
COMMENT ON TABLE session_journal IS 'Every finished step of an agent''s sessions, in order: what was said, answered, done. The next attempt goes on behind the last one. Append-only; goes with its ticket.';
COMMENT ON COLUMN session_journal.seq IS 'Counts the steps of a ticket from 1.';
COMMENT ON COLUMN session_journal.lease_no IS 'The attempt that wrote it; only the lease under which the ticket is in progress may.';
COMMENT ON COLUMN session_journal.kind IS 'said, answered, discarded, turn_failed, tool_finished, compacted or ended; started_over where a person had the session begin anew: what stands before it is for the record only.';
COMMENT ON COLUMN session_journal.entry IS 'The step. U+FDD0 and four hexadecimal digits stand for a character that PostgreSQL cannot store: NUL or half a surrogate pair.';

CREATE TABLE session_events (
  id        bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  ticket_id bigint NOT NULL,
  lease_no  bigint NOT NULL,
  at        timestamptz NOT NULL DEFAULT clock_timestamp(),
  event     text COLLATE "C" NOT NULL,
  details   jsonb NOT NULL
) WITH (autovacuum_vacuum_insert_scale_factor = 0.1);
CREATE INDEX session_events_by_ticket ON session_events (ticket_id, id);
COMMENT ON TABLE session_events IS 'What happens in agents'' sessions, for those who watch: turns, model calls, tools, retries, warnings. No pieces of texts. A worker under pressure drops the oldest unwritten ones; session_journal is the record. Goes with its ticket.';

CREATE TABLE retry_aborts (
  ticket_id    bigint PRIMARY KEY,
  lease_no     bigint NOT NULL,
  requested_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  requested_by text NOT NULL
);
COMMENT ON TABLE retry_aborts IS 'Orders to end the retry that a running session waits in. Its worker takes an order away; one that finds no retry waiting is void after 15 seconds.';

-- The only way to delete rows of the three tables above that is needed: whoever deletes a ticket, and however.
CREATE FUNCTION forget_sessions() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = ${flyway:defaultSchema}, pg_temp SET enable_seqscan = off SET enable_bitmapscan = off
AS $$
BEGIN
  DELETE FROM session_journal WHERE ticket_id = ANY (ARRAY(SELECT id FROM gone));
  DELETE FROM session_events WHERE ticket_id = ANY (ARRAY(SELECT id FROM gone));
  DELETE FROM retry_aborts WHERE ticket_id = ANY (ARRAY(SELECT id FROM gone));
  RETURN NULL;
END
$$;
COMMENT ON FUNCTION forget_sessions IS 'A deleted ticket takes its journal, its events and its orders with it.';
CREATE TRIGGER forget_sessions AFTER DELETE ON ticket_base
  REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION forget_sessions();

CREATE FUNCTION abort_retry(id bigint, actor text) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
DECLARE
  t ticket_base;
  running_lease_no bigint;
BEGIN
  PERFORM require_words('actor', actor);
  t := locked_ticket(abort_retry.id);
  SELECT l.id INTO running_lease_no FROM running_lease(t.id, t.fence) l WHERE t.state = 'ready';
  IF NOT FOUND THEN
    PERFORM refuse_action(t, 'end a retry of');
  END IF;
  INSERT INTO retry_aborts AS r (ticket_id, lease_no, requested_by) VALUES (t.id, running_lease_no, actor)
  ON CONFLICT (ticket_id) DO UPDATE
  SET lease_no = EXCLUDED.lease_no, requested_at = EXCLUDED.requested_at, requested_by = EXCLUDED.requested_by;
  PERFORM log_activity(t.id, 'retry_abort_ordered', actor);
  RETURN 'in_progress';
END
$$;
COMMENT ON FUNCTION abort_retry IS 'Ends the retry that the session of a running ticket waits in: SELECT ${flyway:defaultSchema}.abort_retry(17, ''ann''). Its worker looks for such orders while it waits; where nothing waits the order is void after 15 seconds. SQLSTATE HF409 where the ticket is not in progress.';

CREATE FUNCTION start_over(t ticket_base) RETURNS void
LANGUAGE plpgsql SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
BEGIN
  INSERT INTO session_journal (ticket_id, seq, lease_no, kind, entry)
  SELECT t.id, max(j.seq) + 1, t.fence, 'started_over', '{"entry": "started_over"}'
  FROM session_journal j WHERE j.ticket_id = t.id
  HAVING count(*) > 0;
END
$$;
COMMENT ON FUNCTION start_over IS 'Lets the next session of a ticket, whose row the caller has locked, begin with an empty conversation; the old one stays for the record.';

DROP FUNCTION release_ticket(bigint, text, text, boolean);
CREATE FUNCTION release_ticket(
  id bigint, actor text, guidance text DEFAULT NULL, keep_retries boolean DEFAULT false, fresh boolean DEFAULT false) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
DECLARE
  t ticket_base;
BEGIN
  PERFORM require_words('actor', actor);
  t := locked_ticket(release_ticket.id);
  IF t.state <> 'on_hold' THEN
    PERFORM refuse_action(t, 'release');
  END IF;
  PERFORM require_allowed(t, CASE WHEN btrim(COALESCE(guidance, '')) = '' THEN 'release' ELSE 'release_with_guidance' END);
  PERFORM log_activity(t.id, 'released', actor,
    jsonb_build_object('guidance', guidance, 'keepRetries', COALESCE(keep_retries, false), 'holdReason', t.hold_reason,
      'fresh', NULLIF(fresh, false)));
  PERFORM give_guidance(t.id, actor, 'release', guidance);
  IF fresh THEN
    PERFORM start_over(t);
  END IF;
  UPDATE ticket_base b
  SET state = 'ready', held_at = NULL, hold_reason = NULL, hold_actions = NULL, completed_at = NULL, retry_after = NULL,
      retry_count = CASE WHEN keep_retries THEN b.retry_count ELSE 0 END,
      retry_counts = CASE WHEN keep_retries THEN b.retry_counts END,
      same_error_count = 0, crash_count = 0, updated_at = now()
  WHERE b.id = t.id
  RETURNING * INTO t;
  PERFORM make_claimable(t);
  RETURN t.state;
END
$$;
COMMENT ON FUNCTION release_ticket IS 'Sends a held ticket back to work: SELECT ${flyway:defaultSchema}.release_ticket(17, ''ann'', ''the file is in /data now''). The next attempt is given the guidance. Retries start anew unless keep_retries (A56); an agent goes on with its conversation unless fresh. Exactly one of two callers wins; the other gets SQLSTATE HF409 and is told who did.';

REVOKE EXECUTE ON FUNCTION forget_sessions, abort_retry, start_over, release_ticket FROM PUBLIC;

DO $$
DECLARE
  s text := quote_ident('${flyway:defaultSchema}');
  tables text := format('%1$s.session_journal, %1$s.session_events, %1$s.retry_aborts', s);
BEGIN
  IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'holdfast_viewer') THEN
    EXECUTE format('GRANT SELECT ON %s TO holdfast_viewer', tables);
  END IF;
  IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'holdfast_operator') THEN
    EXECUTE format('GRANT SELECT ON %s TO holdfast_operator', tables);
    EXECUTE format('GRANT EXECUTE ON FUNCTION %1$s.abort_retry, %1$s.release_ticket TO holdfast_operator', s);
  END IF;
  IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'holdfast_worker') THEN
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %s TO holdfast_worker', tables);
    EXECUTE format('GRANT USAGE ON ALL SEQUENCES IN SCHEMA %s TO holdfast_worker', s);
    EXECUTE format('GRANT EXECUTE ON FUNCTION %1$s.abort_retry, %1$s.start_over, %1$s.release_ticket, %1$s.forget_sessions '
      'TO holdfast_worker', s);
  END IF;
END
$$;
