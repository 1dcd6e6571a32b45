-- Three group roles with least rights: GRANT holdfast_operator TO ann. Roles belong to the whole cluster, so they may exist
-- already; a migrating user without CREATEROLE gets a notice and can be helped later by re-running the GRANTs below.
-- Earlier binaries: none.
DO $$
DECLARE
  role_name text;
BEGIN
  FOREACH role_name IN ARRAY ARRAY['holdfast_viewer', 'holdfast_operator', 'holdfast_worker'] LOOP
    BEGIN
      IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = role_name) THEN
        EXECUTE format('CREATE ROLE %I NOLOGIN', role_name);
      END IF;
    EXCEPTION
      WHEN insufficient_privilege THEN
        RAISE NOTICE 'role % was not made: the migrating user lacks CREATEROLE', role_name;
      WHEN duplicate_object OR unique_violation THEN
        NULL; -- another database of this cluster was migrated at the same moment
    END;
  END LOOP;
END
$$;

-- PostgreSQL lets everybody execute a new function: a later migration that makes one revokes that again.
REVOKE EXECUTE ON ALL FUNCTIONS IN SCHEMA ${flyway:defaultSchema} FROM PUBLIC;

DO $$
DECLARE
  s text := quote_ident('${flyway:defaultSchema}');
BEGIN
  IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'holdfast_viewer') THEN
    EXECUTE format('GRANT USAGE ON SCHEMA %s TO holdfast_viewer', s);
    EXECUTE format('GRANT SELECT ON ALL TABLES IN SCHEMA %s TO holdfast_viewer', s);
  END IF;
  IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'holdfast_operator') THEN
    EXECUTE format('GRANT USAGE ON SCHEMA %s TO holdfast_operator', s);
    EXECUTE format('GRANT SELECT ON ALL TABLES IN SCHEMA %s TO holdfast_operator', s);
    EXECUTE format('GRANT INSERT, UPDATE ON %s.tickets TO holdfast_operator', s);
    EXECUTE format('GRANT INSERT ON %s.designs TO holdfast_operator', s);
    EXECUTE format('GRANT EXECUTE ON FUNCTION %1$s.enqueue_ticket, %1$s.release_ticket, %1$s.hold_ticket, %1$s.cancel_ticket, '
      '%1$s.approve_ticket, %1$s.reject_ticket, %1$s.pause_queue, %1$s.resume_queue, %1$s.acting_person, %1$s.latest_design TO holdfast_operator', s);
  END IF;
  IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'holdfast_worker') THEN
    EXECUTE format('GRANT USAGE ON SCHEMA %s TO holdfast_worker', s);
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA %s TO holdfast_worker', s);
    EXECUTE format('GRANT USAGE ON ALL SEQUENCES IN SCHEMA %s TO holdfast_worker', s);
    EXECUTE format('GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA %s TO holdfast_worker', s);
    EXECUTE format('REVOKE INSERT, UPDATE, DELETE ON %s.flyway_schema_history FROM holdfast_worker', s);
  END IF;
END
$$;
