-- What the console's inbox counts: one narrow row per ticket that waits for a person, so that a hundred thousand of them are grouped
-- in the time of one page. The wide rows of ticket_base are touched only for what is shown.
-- No index is added to ticket_base: an attempt's error changes with each failure, and those updates stay HOT.
-- Earlier binaries: the triggers below serve their holds and releases as well; while this migration fills the table they wait.

CREATE TABLE held (
  id          bigint PRIMARY KEY,
  held_at     timestamptz NOT NULL,
  queue       text COLLATE "C" NOT NULL,
  kind        text COLLATE "C" NOT NULL,
  category    text COLLATE "C" NOT NULL,
  fingerprint text COLLATE "C" NOT NULL
) WITH (autovacuum_vacuum_scale_factor = 0.1, autovacuum_analyze_scale_factor = 0.1);
CREATE INDEX held_by_error ON held (fingerprint, category, id);
COMMENT ON TABLE held IS 'The tickets that wait for a person, apart from all others so that they can be counted by error at once. Kept by triggers; do not write it by hand. Read on_hold_tickets and error_groups.';
COMMENT ON COLUMN held.category IS 'As tickets.error_category; empty where the ticket has no error.';
COMMENT ON COLUMN held.fingerprint IS 'As tickets.error_fingerprint; empty where the ticket has no error.';

CREATE FUNCTION file_held_ticket() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
BEGIN
  IF TG_OP <> 'INSERT' THEN
    DELETE FROM held h WHERE h.id = OLD.id;
  END IF;
  IF TG_OP <> 'DELETE' AND NEW.held_at IS NOT NULL THEN
    INSERT INTO held (id, held_at, queue, kind, category, fingerprint)
    VALUES (NEW.id, NEW.held_at, NEW.queue, NEW.kind, COALESCE(NEW.error_category, ''), COALESCE(NEW.error_fingerprint, ''));
  END IF;
  RETURN NULL;
END
$$;
COMMENT ON FUNCTION file_held_ticket IS 'Keeps held in step with ticket_base.held_at.';

CREATE TRIGGER file_held_at_insert AFTER INSERT ON ticket_base FOR EACH ROW
  WHEN (NEW.held_at IS NOT NULL) EXECUTE FUNCTION file_held_ticket();
CREATE TRIGGER file_held_at_update AFTER UPDATE OF held_at, queue, kind, error_category, error_fingerprint ON ticket_base FOR EACH ROW
  WHEN (OLD.held_at IS DISTINCT FROM NEW.held_at
    OR (NEW.held_at IS NOT NULL AND (OLD.queue, OLD.kind, OLD.error_category, OLD.error_fingerprint)
      IS DISTINCT FROM (NEW.queue, NEW.kind, NEW.error_category, NEW.error_fingerprint)))
  EXECUTE FUNCTION file_held_ticket();
CREATE TRIGGER file_held_at_delete AFTER DELETE ON ticket_base FOR EACH ROW
  WHEN (OLD.held_at IS NOT NULL) EXECUTE FUNCTION file_held_ticket();

CREATE FUNCTION forget_held() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
BEGIN
  TRUNCATE held;
  RETURN NULL;
END
$$;
COMMENT ON FUNCTION forget_held IS 'Where all tickets go, none is held.';
CREATE TRIGGER forget_held AFTER TRUNCATE ON ticket_base FOR EACH STATEMENT EXECUTE FUNCTION forget_held();

INSERT INTO held (id, held_at, queue, kind, category, fingerprint)
SELECT id, held_at, queue, kind, COALESCE(error_category, ''), COALESCE(error_fingerprint, '')
FROM ticket_base WHERE held_at IS NOT NULL;

CREATE OR REPLACE VIEW error_groups AS
SELECT NULLIF(g.fingerprint, '') AS error_fingerprint, NULLIF(g.category, '') AS error_category, g.tickets, g.oldest, g.newest,
  (SELECT left(b.error, 500) FROM ticket_base b WHERE b.id = g.sample_ids[1]) AS last_error,
  g.sample_ids
FROM (
  SELECT h.fingerprint, h.category, count(*) AS tickets, min(h.held_at) AS oldest, max(h.held_at) AS newest,
    (array_agg(h.id ORDER BY h.held_at DESC, h.id DESC))[1:10] AS sample_ids
  FROM held h
  GROUP BY h.fingerprint, h.category
) g
ORDER BY g.tickets DESC, g.oldest;

REVOKE EXECUTE ON FUNCTION file_held_ticket, forget_held FROM PUBLIC;

DO $$
DECLARE
  s text := quote_ident('${flyway:defaultSchema}');
BEGIN
  IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'holdfast_viewer') THEN
    EXECUTE format('GRANT SELECT ON %s.held TO holdfast_viewer', s);
  END IF;
  IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'holdfast_operator') THEN
    EXECUTE format('GRANT SELECT ON %s.held TO holdfast_operator', s);
  END IF;
  IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'holdfast_worker') THEN
    EXECUTE format('GRANT SELECT ON %s.held TO holdfast_worker', s);
    EXECUTE format('GRANT EXECUTE ON FUNCTION %1$s.file_held_ticket, %1$s.forget_held TO holdfast_worker', s);
  END IF;
END
$$;
