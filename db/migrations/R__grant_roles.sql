-- The five group roles and what each may do: GRANT holdfast_operator TO ann. Flyway runs this file again whenever it changes; anybody
-- who owns the schema may do so at any time: SELECT holdfast.grant_roles(). That is also the way where the migrating user lacked
-- CREATEROLE and somebody made the roles later, and after GRANTs of V5 were run again by hand.
-- A migration that adds tables or functions for people calls grant_roles() at its end, or grants them itself.
-- Earlier binaries: they need nothing that this takes away, unless they store designs as holdfast_operator: grant holdfast_designer.
CREATE OR REPLACE FUNCTION grant_roles() RETURNS void
LANGUAGE plpgsql SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
DECLARE
  s text := quote_ident('${flyway:defaultSchema}');
  for_people text[] := ARRAY['enqueue_ticket', 'produce_ticket', 'release_ticket', 'hold_ticket', 'cancel_ticket', 'approve_ticket',
    'reject_ticket', 'answer_ticket', 'pause_queue', 'resume_queue', 'acting_person', 'latest_design', 'abort_retry', 'set_auto_retry', 'mend_provider',
    'raise_budget', 'remove_budget', 'decide_tool_call', 'assign_ticket', 'unrelease_ticket', 'edit_payload', 'ticket_version',
    'require_version', 'take_request_key', 'keep_request_ticket', 'find_request', 'keep_request_answer', 'note_enqueued', 'web_key'];
  role_name text;
  found text;
BEGIN
  FOREACH role_name IN ARRAY ARRAY['holdfast_viewer', 'holdfast_producer', 'holdfast_designer', 'holdfast_operator', 'holdfast_worker'] LOOP
    BEGIN
      IF to_regrole(role_name) IS NULL THEN
        EXECUTE format('CREATE ROLE %I NOLOGIN', role_name);
      END IF;
    EXCEPTION
      WHEN insufficient_privilege THEN
        RAISE NOTICE 'role % was not made: the migrating user lacks CREATEROLE', role_name;
      WHEN duplicate_object OR unique_violation THEN
        NULL; -- another database of this cluster was migrated at the same moment
    END;
    IF to_regrole(role_name) IS NOT NULL THEN
      EXECUTE format('GRANT USAGE ON SCHEMA %s TO %I', s, role_name);
    END IF;
  END LOOP;

  -- What views call of anyone who reads them. All other functions are not everybody's: the migration that makes one says so.
  FOR found IN
    SELECT p.oid::regprocedure::text FROM pg_proc p
    WHERE p.pronamespace = '${flyway:defaultSchema}'::regnamespace AND p.proname = ANY (ARRAY['shorten', 'with_retry_time'])
  LOOP
    EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO PUBLIC', found);
  END LOOP;

  FOREACH role_name IN ARRAY ARRAY['holdfast_viewer', 'holdfast_designer', 'holdfast_operator'] LOOP
    IF to_regrole(role_name) IS NOT NULL THEN
      EXECUTE format('GRANT SELECT ON ALL TABLES IN SCHEMA %s TO %I', s, role_name);
      EXECUTE format('REVOKE ALL ON %s.web_keys, %s.request_keys FROM %I', s, s, role_name);
      EXECUTE format('GRANT EXECUTE ON FUNCTION %s.ticket_version TO %I', s, role_name);
    END IF;
  END LOOP;
  IF to_regrole('holdfast_producer') IS NOT NULL THEN
    EXECUTE format('GRANT EXECUTE ON FUNCTION %s.produce_ticket TO holdfast_producer', s);
  END IF;
  IF to_regrole('holdfast_designer') IS NOT NULL THEN
    EXECUTE format('GRANT INSERT ON %s.designs TO holdfast_designer', s);
    EXECUTE format('GRANT EXECUTE ON FUNCTION %1$s.latest_design, %1$s.acting_person, %1$s.accepted_bytes, %1$s.expanded_bytes, '
      '%1$s.measure_definition TO holdfast_designer', s);
  END IF;
  IF to_regrole('holdfast_operator') IS NOT NULL THEN
    EXECUTE format('REVOKE INSERT ON %s.designs FROM holdfast_operator', s);
    EXECUTE format('GRANT INSERT, UPDATE ON %s.tickets TO holdfast_operator', s);
    FOR found IN
      SELECT p.oid::regprocedure::text FROM pg_proc p
      WHERE p.pronamespace = '${flyway:defaultSchema}'::regnamespace AND p.proname = ANY (for_people)
    LOOP
      EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO holdfast_operator', found);
    END LOOP;
  END IF;
  IF to_regrole('holdfast_worker') IS NOT NULL THEN
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA %s TO holdfast_worker', s);
    EXECUTE format('REVOKE ALL ON %1$s.web_keys FROM holdfast_worker', s);
    EXECUTE format('REVOKE INSERT, UPDATE, DELETE ON %1$s.flyway_schema_history, %1$s.producer_grants FROM holdfast_worker', s);
    EXECUTE format('GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA %s TO holdfast_worker', s);
    EXECUTE format('GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA %s TO holdfast_worker', s);
    EXECUTE format('REVOKE EXECUTE ON FUNCTION %s.grant_roles FROM holdfast_worker', s);
  END IF;
END
$$;
COMMENT ON FUNCTION grant_roles IS 'Makes the group roles where they are missing and gives each what it may do; harmless when repeated. For the owner of the schema.';
REVOKE EXECUTE ON FUNCTION grant_roles FROM PUBLIC;
SELECT grant_roles();
