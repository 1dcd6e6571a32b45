-- holdfast migrate --from takes over another table's tickets (A59, A66). Which row became which ticket is kept for good, apart from the
-- tickets, which retention deletes: a second run must not take a row again whose ticket is long done.
-- Earlier binaries: they read nothing of this.

CREATE TABLE imported_tickets (
  source      text COLLATE "C" NOT NULL,
  source_id   text COLLATE "C" NOT NULL,
  ticket_id   bigint NOT NULL,
  imported_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (source, source_id)
);
COMMENT ON TABLE imported_tickets IS 'Which row of another table became which ticket: holdfast migrate --from SCHEMA.TABLE takes each row once. Outlives its tickets; a row that is deleted here is taken again.';
COMMENT ON COLUMN imported_tickets.source IS 'The table, as in public.tickets.';
COMMENT ON COLUMN imported_tickets.source_id IS 'Its id in that table, as text.';

DO $$
DECLARE
  s text := quote_ident('${flyway:defaultSchema}');
  role text;
BEGIN
  FOREACH role IN ARRAY ARRAY['holdfast_viewer', 'holdfast_operator', 'holdfast_worker'] LOOP
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = role) THEN
      EXECUTE format('GRANT SELECT ON %1$s.imported_tickets TO %2$I', s, role);
    END IF;
  END LOOP;
END
$$;
