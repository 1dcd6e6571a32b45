-- The five group roles and what each may do: GRANT holdfast_operator TO ann. Every repeatable file that makes functions or views ends with a
-- call of this function for what the file made, so that a new one is everybody's at no moment, and granted to those who need it. Whoever
-- owns the schema may call it for everything at any time: SELECT holdfast.grant_roles(). That is also the way where the migrating user
-- lacked CREATEROLE and somebody made the roles later. It takes away before it gives, and names what is secret: repeating it gives nobody more.
--
-- Flyway runs this file after all versioned ones, and before the other repeatable ones: again with each version of the schema (now
-- ${version}), and whenever it changes. So a new table needs no GRANT of its own.

DROP FUNCTION IF EXISTS grant_roles();
CREATE OR REPLACE FUNCTION grant_roles(only_new boolean DEFAULT false) RETURNS void
LANGUAGE plpgsql SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
DECLARE
  s text := quote_ident('${flyway:defaultSchema}');
  here regnamespace := s;
  everybodys text[] := ARRAY['shorten', 'error_name', 'error_facts', 'with_retry_time', 'outage_words'];
  role_name text;
  statement text;
  me oid := (SELECT oid FROM pg_roles WHERE rolname = current_user);
  schemas_owner oid := (SELECT relowner FROM pg_class WHERE relnamespace = here AND relname = 'flyway_schema_history');
BEGIN
  FOREACH role_name IN ARRAY ARRAY['holdfast_viewer', 'holdfast_producer', 'holdfast_designer', 'holdfast_operator', 'holdfast_worker'] LOOP
    EXIT WHEN only_new;
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

  -- A superuser who migrates keeps nothing of it: the schema's owner could not migrate again, and a SECURITY DEFINER function would have a
  -- superuser's rights.
  FOR statement IN
    SELECT format('ALTER ROUTINE %s OWNER TO %s', p.oid::regprocedure, schemas_owner::regrole)
    FROM pg_proc p
    WHERE p.pronamespace = here AND p.proowner = me AND me <> schemas_owner
    UNION ALL
    SELECT format('ALTER TABLE %s OWNER TO %s', c.oid::regclass, schemas_owner::regrole)
    FROM pg_class c
    WHERE c.relnamespace = here AND c.relowner = me AND me <> schemas_owner AND (c.relkind IN ('r', 'v') OR c.relkind = 'S'
      AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype IN ('a', 'i')))
  LOOP
    EXECUTE statement;
  END LOOP;
  -- PostgreSQL lets everybody execute a new function. None is everybody's but what views call of anyone who reads them.
  FOR statement IN
    SELECT format('REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC', p.oid::regprocedure)
    FROM pg_proc p
    WHERE p.pronamespace = here AND p.proname <> ALL (everybodys) AND has_function_privilege('public', p.oid, 'EXECUTE')
  LOOP
    EXECUTE statement;
  END LOOP;
  -- What is granted already is left alone: each grant writes a row of the catalog anew.
  FOR statement IN
    SELECT format('GRANT %s ON %s %s TO %s', array_to_string(w.rights, ', '), w.type,
      CASE w.type WHEN 'FUNCTION' THEN w.object::regprocedure::text ELSE w.object::regclass::text END, w.role)
    FROM (
      SELECT g.role, ARRAY['EXECUTE'], 'FUNCTION', p.oid, p.proacl, p.xmin
      FROM (VALUES
        ('public', everybodys),
        ('holdfast_viewer', ARRAY['asked_question', 'ticket_version', 'readable', 'is_deep', 'measured_bytes', 'expanded_bytes',
          'limit_words', 'tokens_left', 'turn_group', 'batch_progress', 'release_status']),
        ('holdfast_producer', ARRAY['produce_ticket']),
        ('holdfast_designer', ARRAY['ticket_version', 'latest_design', 'acting_person', 'accepted_bytes', 'measure_definition',
          -- A designer reads what a viewer does.
          'asked_question', 'readable', 'is_deep', 'measured_bytes', 'expanded_bytes', 'limit_words', 'tokens_left', 'turn_group', 'batch_progress',
          'release_status']),
        -- Operators edit payloads with their own rights, too.
        ('holdfast_operator', ARRAY['enqueue_ticket', 'enqueue_tickets', 'design_expiry', 'words_interval', 'replay_ticket', 'trace_ticket', 'trace_batch', 'trace_copied_tickets', 'produce_ticket', 'release_ticket', 'hold_ticket', 'cancel_ticket', 'approve_ticket',
          'reject_ticket', 'pause_queue', 'resume_queue', 'acting_person', 'latest_design', 'abort_retry', 'withdraw_abort_retry', 'set_auto_retry',
          'mend_provider', 'raise_budget', 'remove_budget', 'decide_tool_call', 'answer_ticket', 'asked_question', 'assign_ticket', 'unrelease_ticket', 'undo_release', 'edit_payload', 'use_design',
          'ticket_version', 'require_version', 'take_request_key', 'keep_request_ticket', 'find_request', 'keep_request_answer',
          'note_enqueued', 'web_key', 'readable', 'is_deep', 'measured_bytes', 'expanded_bytes', 'accepted_bytes',
          'put_schedule', 'pause_schedule', 'resume_schedule', 'run_schedule', 'delete_schedule',
          'set_limit', 'remove_limit', 'set_weight', 'limit_words', 'tokens_left', 'turn_group',
          'open_batch', 'close_batch', 'enqueue_batch', 'batch_progress', 'hold_batch', 'cancel_batch', 'start_release', 'stop_release',
          'release_status'])
      ) AS g (role, functions)
      JOIN pg_proc p ON p.pronamespace = here AND p.proname = ANY (g.functions)
      UNION ALL
      SELECT 'holdfast_worker', ARRAY['EXECUTE'], 'FUNCTION', p.oid, p.proacl, p.xmin
      FROM pg_proc p WHERE p.pronamespace = here AND p.proname <> 'grant_roles'
      UNION ALL
      SELECT g.role, g.rights, 'TABLE', c.oid, c.relacl, c.xmin
      FROM (VALUES
        ('holdfast_viewer', ARRAY['SELECT'], NULL, ARRAY['web_keys', 'request_keys']),
        ('holdfast_designer', ARRAY['SELECT'], NULL, ARRAY['web_keys', 'request_keys']),
        ('holdfast_designer', ARRAY['INSERT'], 'designs', '{}'),
        ('holdfast_operator', ARRAY['SELECT'], NULL, ARRAY['web_keys', 'request_keys']),
        ('holdfast_operator', ARRAY['INSERT', 'UPDATE'], 'tickets', '{}'),
        ('holdfast_worker', ARRAY['SELECT'], NULL, ARRAY['web_keys']),
        ('holdfast_worker', ARRAY['INSERT', 'UPDATE', 'DELETE'], NULL, ARRAY['web_keys', 'flyway_schema_history', 'producer_grants'])
      ) AS g (role, rights, only_on, but_on)
      JOIN pg_class c ON c.relnamespace = here AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
        AND c.relname = COALESCE(g.only_on, c.relname) AND c.relname <> ALL (g.but_on)
      UNION ALL
      SELECT 'holdfast_worker', ARRAY['USAGE', 'SELECT'], 'SEQUENCE', c.oid, c.relacl, c.xmin
      FROM pg_class c WHERE c.relnamespace = here AND c.relkind = 'S'
    ) AS w (role, rights, type, object, acl, made_by)
    WHERE (NOT only_new OR w.made_by = pg_current_xact_id()::xid)
      AND (w.role = 'public' OR to_regrole(w.role) IS NOT NULL)
      AND NOT w.rights <@ ARRAY(
        SELECT a.privilege_type FROM aclexplode(w.acl) a WHERE a.grantee = COALESCE(to_regrole(w.role)::oid, 0))
  LOOP
    EXECUTE statement;
  END LOOP;

  IF only_new THEN
    RETURN;
  END IF;
  -- A schema that an earlier version has made may have granted them.
  FOREACH role_name IN ARRAY ARRAY['holdfast_viewer', 'holdfast_designer', 'holdfast_operator'] LOOP
    IF to_regrole(role_name) IS NOT NULL THEN
      EXECUTE format('REVOKE ALL ON %1$s.web_keys, %1$s.request_keys FROM %2$I', s, role_name);
    END IF;
  END LOOP;
  IF to_regrole('holdfast_operator') IS NOT NULL THEN
    EXECUTE format('REVOKE INSERT ON %s.designs FROM holdfast_operator', s);
  END IF;
  IF to_regrole('holdfast_worker') IS NOT NULL THEN
    EXECUTE format('REVOKE ALL ON %s.web_keys FROM holdfast_worker', s);
    EXECUTE format('REVOKE INSERT, UPDATE, DELETE ON %1$s.flyway_schema_history, %1$s.producer_grants FROM holdfast_worker', s);
    EXECUTE format('REVOKE EXECUTE ON FUNCTION %s.grant_roles FROM holdfast_worker', s);
  END IF;
END
$$;
COMMENT ON FUNCTION grant_roles IS 'Makes the group roles where they are missing and gives each what it may do, and the schema''s owner what a superuser made; only_new grants only what this transaction made. Harmless when repeated. For the owner of the schema.';
SELECT grant_roles();
