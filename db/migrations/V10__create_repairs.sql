-- What a repair leaves behind, as people ask for it, and what becomes of an approved one.
-- Earlier binaries: they work on. A ticket that brings an approved repair home waits for a worker that knows repairs.

COMMENT ON COLUMN session_journal.kind IS 'said, answered, discarded, turn_failed, tool_started, tool_finished, compacted or ended; step_finished in work that is no conversation, such as a repair; started_over where a person had the session begin anew: what stands before it is for the record only.';

CREATE INDEX session_journal_steps ON session_journal (written_at) WHERE kind = 'step_finished';

CREATE VIEW repair_events AS
SELECT j.ticket_id, j.lease_no, j.seq, e.no::integer AS no, j.written_at, (e.event->>'at')::timestamptz AS at,
  e.event->>'run' AS run, e.event->>'type' AS type, e.event->'payload' AS payload
FROM session_journal j CROSS JOIN LATERAL jsonb_array_elements(j.entry->'events') WITH ORDINALITY AS e(event, no)
WHERE j.kind = 'step_finished';
COMMENT ON VIEW repair_events IS 'What happened in the runs of repairs, as their trace.jsonl tells it, in the order of ticket_id, seq, no. Narrow it by ticket_id or by written_at, which have indexes.';
COMMENT ON COLUMN repair_events.run IS 'The run; a ticket has another one each time a person sends it back to work.';
COMMENT ON COLUMN repair_events.type IS 'RunStarted, IterationStarted, RepairAttempted, VerificationFinished, RunEscalated, StepStarted, CandidateGenerated, CandidateEvaluated, ReviewFinished, JudgeInvoked, JudgeDecided, JudgeFailed, DiagnosisStarted, DiagnosisCompleted, StepFinished, ProviderRequestStarted, ProviderRequestFinished or RunStopped.';
COMMENT ON COLUMN repair_events.at IS 'By the clock of the worker''s host.';

CREATE FUNCTION deliver_repair(t ticket_base) RETURNS bigint
LANGUAGE plpgsql SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
DECLARE
  delivery bigint;
BEGIN
  IF t.kind <> 'repair' OR COALESCE(t.result->>'on_approve', 'none') NOT IN ('merge', 'push') OR t.result->>'commit' IS NULL THEN
    RETURN NULL;
  END IF;
  INSERT INTO ticket_base (design_id, kind, queue, priority, title, payload)
  VALUES (t.design_id, t.kind, t.queue, t.priority, format('%s of #%s', t.result->>'on_approve', t.id),
    jsonb_build_object('deliver', jsonb_build_object('ticket', t.id, 'base_commit', t.result->'base_commit', 'commit', t.result->'commit')))
  RETURNING id INTO delivery;
  RETURN delivery;
END
$$;
COMMENT ON FUNCTION deliver_repair IS 'Adds the ticket that brings the result of an approved repair to where its design says, and returns its id; null where nothing is to be brought anywhere. A worker has the repository, the person who approves need not.';

CREATE OR REPLACE FUNCTION approve_ticket(id bigint, actor text) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
DECLARE
  t ticket_base;
BEGIN
  PERFORM require_words('actor', actor);
  t := locked_ticket(approve_ticket.id);
  IF t.state <> 'needs_review' THEN
    PERFORM refuse_action(t, 'approve');
  END IF;
  PERFORM log_activity(t.id, 'approved', actor, jsonb_build_object('delivery', deliver_repair(t)));
  UPDATE ticket_base b SET state = 'done', updated_at = now() WHERE b.id = t.id;
  RETURN 'done';
END
$$;
COMMENT ON FUNCTION approve_ticket IS 'Accepts the result of a ticket in needs_review: it is done. A repair whose design says so gets a ticket that merges or pushes it.';

REVOKE EXECUTE ON FUNCTION deliver_repair FROM PUBLIC;

DO $$
DECLARE
  s text := quote_ident('${flyway:defaultSchema}');
BEGIN
  IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'holdfast_viewer') THEN
    EXECUTE format('GRANT SELECT ON %1$s.repair_events TO holdfast_viewer', s);
  END IF;
  IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'holdfast_operator') THEN
    EXECUTE format('GRANT SELECT ON %1$s.repair_events TO holdfast_operator', s);
  END IF;
  IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'holdfast_worker') THEN
    EXECUTE format('GRANT SELECT ON %1$s.repair_events TO holdfast_worker', s);
    EXECUTE format('GRANT EXECUTE ON FUNCTION %1$s.deliver_repair TO holdfast_worker', s);
  END IF;
END
$$;
