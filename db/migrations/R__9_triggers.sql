-- Which rows run which functions, and the one default that needs a function. They stand apart from the functions because CREATE TRIGGER
-- locks its table against writers for a moment: a change of a function must not do that.
--
-- Flyway runs this file after all versioned ones: again with each version of the schema (now ${version}), and whenever it changes.

CREATE OR REPLACE TRIGGER check_retry BEFORE INSERT OR UPDATE OF definition ON designs FOR EACH ROW WHEN (NEW.definition ? 'retry') EXECUTE FUNCTION check_retry_of_design();
CREATE OR REPLACE TRIGGER keep_designs BEFORE DELETE OR UPDATE OF id OR TRUNCATE ON designs FOR EACH STATEMENT EXECUTE FUNCTION keep_designs();
CREATE OR REPLACE TRIGGER measure_definition BEFORE INSERT ON designs FOR EACH ROW EXECUTE FUNCTION measure_definition();
CREATE OR REPLACE TRIGGER name_design_author BEFORE INSERT ON designs FOR EACH ROW EXECUTE FUNCTION name_design_author();
CREATE OR REPLACE TRIGGER refuse_design_change BEFORE UPDATE ON designs FOR EACH ROW EXECUTE FUNCTION refuse_design_change();

CREATE OR REPLACE TRIGGER check_retry BEFORE INSERT OR UPDATE OF retry ON queues FOR EACH ROW WHEN (NEW.retry IS NOT NULL) EXECUTE FUNCTION check_retry_of_queue();

CREATE OR REPLACE TRIGGER file_held_at_delete AFTER DELETE ON ticket_base FOR EACH ROW
  WHEN (OLD.held_at IS NOT NULL) EXECUTE FUNCTION file_held_ticket();
-- A statement that finishes a ticket sets its error too, but neither held_at nor where the ticket is.
CREATE OR REPLACE TRIGGER file_held_at_update AFTER UPDATE OF held_at, queue, kind ON ticket_base FOR EACH ROW
  WHEN (OLD.held_at IS DISTINCT FROM NEW.held_at
    OR (NEW.held_at IS NOT NULL AND (OLD.queue, OLD.kind, OLD.error_category, OLD.error_fingerprint)
      IS DISTINCT FROM (NEW.queue, NEW.kind, NEW.error_category, NEW.error_fingerprint)))
  EXECUTE FUNCTION file_held_ticket();
CREATE OR REPLACE TRIGGER forget_held AFTER TRUNCATE ON ticket_base FOR EACH STATEMENT EXECUTE FUNCTION forget_held();
CREATE OR REPLACE TRIGGER forget_people AFTER DELETE ON ticket_base
  REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION forget_people();
CREATE OR REPLACE TRIGGER forget_sessions AFTER DELETE ON ticket_base
  REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION forget_sessions();
CREATE OR REPLACE TRIGGER forget_waits AFTER DELETE ON ticket_base
  REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION forget_waits();
-- Only a statement that sets held_at comes here: none that a worker runs for a finished attempt without a hold does.
CREATE OR REPLACE TRIGGER keep_released_hold AFTER UPDATE OF held_at ON ticket_base FOR EACH ROW
  WHEN (OLD.held_at IS NOT NULL AND NEW.held_at IS NULL AND NEW.state = 'ready') EXECUTE FUNCTION keep_released_hold();
CREATE OR REPLACE TRIGGER measure_payload BEFORE UPDATE OF payload ON ticket_base FOR EACH ROW EXECUTE FUNCTION measure_payload();
-- Restored or replicated rows too: a measure that is not true is worse than none.
ALTER TABLE ticket_base ENABLE ALWAYS TRIGGER measure_payload;
CREATE OR REPLACE TRIGGER refuse_broken_rule AFTER UPDATE OF assignee_type, retry_count, max_cost_usd ON ticket_base FOR EACH ROW
  WHEN (NEW.assignee_type NOT IN ('agent', 'human') OR NEW.retry_count < 0 OR NEW.max_cost_usd NOT BETWEEN 0 AND 1000000000)
  EXECUTE FUNCTION refuse_broken_rule();
CREATE OR REPLACE TRIGGER refuse_transition AFTER UPDATE OF state, held_at ON ticket_base FOR EACH ROW
  WHEN (OLD.state <> 'ready' OR NEW.held_at IS NOT NULL OR NEW.state NOT IN ('ready', 'needs_review', 'done'))
  EXECUTE FUNCTION refuse_transition();

CREATE OR REPLACE TRIGGER delete_ticket INSTEAD OF DELETE ON tickets FOR EACH ROW EXECUTE FUNCTION delete_ticket();
CREATE OR REPLACE TRIGGER insert_ticket INSTEAD OF INSERT ON tickets FOR EACH ROW EXECUTE FUNCTION insert_ticket();
CREATE OR REPLACE TRIGGER update_ticket INSTEAD OF UPDATE ON tickets FOR EACH ROW EXECUTE FUNCTION update_ticket();

DO $$
BEGIN
  IF NOT EXISTS (SELECT FROM pg_attribute WHERE attrelid = 'ticket_base'::regclass AND attname = 'filed' AND atthasdef) THEN
    ALTER TABLE ticket_base ALTER COLUMN filed SET DEFAULT refuse_unfiled_ticket();
  END IF;
END
$$;

CREATE OR REPLACE TRIGGER tell_end_of_outage AFTER DELETE ON provider_cooldowns FOR EACH ROW
  WHEN (OLD.told_at IS NOT NULL) EXECUTE FUNCTION tell_end_of_outage();

-- Whoever publishes all tables (change data capture, a move to another server) has each DELETE refused by a table without a primary key that does
-- not say so. A key's own is left as it is, and so is what somebody has set. It costs WAL only where wal_level is logical.
DO $$
DECLARE
  keyless regclass;
BEGIN
  FOR keyless IN
    SELECT c.oid FROM pg_class c
    WHERE c.oid IN ('ready'::regclass, 'deferred'::regclass, 'in_line'::regclass) AND c.relreplident = 'd'
  LOOP
    EXECUTE format('ALTER TABLE %s REPLICA IDENTITY FULL', keyless);
  END LOOP;
END
$$;
