-- Sessions of agents and runs of repairs: what people may do to one that runs, which of its calls wait for a person, what attempts have cost.
--
-- Flyway runs this file after all versioned ones: again with each version of the schema (now ${version}), and whenever it changes.

-- What the ticket waits for is opened for one call, whoever makes it: a person means the wait that they see. If the provider still fails,
-- its cool-down begins anew. Cool-downs are locked before tickets, as mend_provider does.
CREATE OR REPLACE FUNCTION abort_retry(id bigint, actor text) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
DECLARE
  t ticket_base;
  running_lease_no bigint;
  opened text[];
BEGIN
  PERFORM require_words('actor', actor);
  WITH open_again AS (
    UPDATE provider_cooldowns c SET until = clock_timestamp()
    FROM known_waits w
    WHERE w.ticket_id = abort_retry.id AND w.kind = 'provider' AND c.until > clock_timestamp() AND c.until < 'infinity'
      AND c.provider || '/' || c.key_id || '/' || c.model = ANY (w.scopes)
    RETURNING c.provider || '/' || c.key_id || '/' || c.model AS scope)
  SELECT array_agg(o.scope) INTO opened FROM open_again o;
  t := locked_ticket(abort_retry.id);
  SELECT l.id INTO running_lease_no FROM running_lease(t.id, t.fence) l WHERE t.state = 'ready';
  IF FOUND THEN
    INSERT INTO retry_aborts AS r (ticket_id, lease_no, requested_by) VALUES (t.id, running_lease_no, actor)
    ON CONFLICT (ticket_id) DO UPDATE
    SET lease_no = EXCLUDED.lease_no, requested_at = EXCLUDED.requested_at, requested_by = EXCLUDED.requested_by;
    PERFORM log_activity(t.id, 'retry_abort_ordered', actor);
    RETURN 'in_progress';
  END IF;
  IF t.state <> 'ready' OR t.attempt_count = 0 OR t.retry_after IS NULL OR t.retry_after <= clock_timestamp() OR NOT make_unclaimable(t) THEN
    PERFORM refuse_action(t, 'end a retry of');
  END IF;
  PERFORM log_activity(t.id, 'tried_now', actor,
    jsonb_strip_nulls(jsonb_build_object('retryAfter', t.retry_after, 'opened', to_jsonb(opened))));
  UPDATE ticket_base b SET retry_after = NULL, updated_at = now() WHERE b.id = t.id RETURNING * INTO t;
  PERFORM make_claimable(t);
  IF opened IS NOT NULL THEN
    PERFORM pg_notify('${flyway:defaultSchema}_providers', '');
  END IF;
  RETURN t.state;
END
$$;
COMMENT ON FUNCTION abort_retry IS 'Ends the wait that a ticket is in: SELECT ${flyway:defaultSchema}.abort_retry(17, ''ann''). in_progress: the retry of its running session is to end; its worker looks for such orders while it waits, and where nothing waits the order is void after 15 seconds. ready: it waited for its own retry or for a provider, and is tried now; one call may be made before the provider''s cool-down is over. SQLSTATE HF409 where it waits for neither.';

CREATE OR REPLACE FUNCTION withdraw_abort_retry(id bigint, actor text) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
BEGIN
  PERFORM require_words('actor', actor);
  DELETE FROM retry_aborts r WHERE r.ticket_id = withdraw_abort_retry.id AND r.requested_by = withdraw_abort_retry.actor;
  RETURN FOUND OR EXISTS (SELECT FROM retry_aborts r WHERE r.ticket_id = withdraw_abort_retry.id);
END
$$;
COMMENT ON FUNCTION withdraw_abort_retry IS 'Takes back one''s own order of abort_retry, so that it ends no retry that begins later; whether no worker had taken an order yet.';

CREATE OR REPLACE FUNCTION set_auto_retry(id bigint, actor text, enabled boolean) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
DECLARE
  t ticket_base;
BEGIN
  PERFORM require_words('actor', actor);
  IF enabled IS NULL THEN
    RAISE EXCEPTION 'enabled must be true or false' USING ERRCODE = 'HF422';
  END IF;
  t := locked_ticket(set_auto_retry.id);
  IF t.state IN ('done', 'cancelled') THEN
    PERFORM refuse_action(t, 'switch the auto-retry of');
  END IF;
  INSERT INTO auto_retry_switches AS s (ticket_id, enabled, changed_by) VALUES (t.id, set_auto_retry.enabled, actor)
  ON CONFLICT (ticket_id) DO UPDATE SET enabled = EXCLUDED.enabled, changed_by = EXCLUDED.changed_by, changed_at = EXCLUDED.changed_at;
  PERFORM log_activity(t.id, 'auto_retry_switched', actor, jsonb_build_object('enabled', set_auto_retry.enabled));
  RETURN (SELECT v.state FROM tickets v WHERE v.id = t.id);
END
$$;
COMMENT ON FUNCTION set_auto_retry IS 'Switches the retries of an agent''s session off or on for one ticket, also while it runs: SELECT ${flyway:defaultSchema}.set_auto_retry(17, ''ann'', false). A retry that waits then ends within a second; the ticket''s own retries go on. Returns the ticket''s state. SQLSTATE HF409 where the ticket is done or cancelled.';

CREATE OR REPLACE FUNCTION call_hash(tool text, arguments text) RETURNS text
LANGUAGE sql STABLE SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
  SELECT encode(sha256(convert_to(call_hash.tool || E'\n' || call_hash.arguments, 'UTF8')), 'hex')
$$;
COMMENT ON FUNCTION call_hash IS 'What an approval binds: tool_approvals.approved_hash.';

CREATE OR REPLACE FUNCTION waiting_call(t ticket_base, wanted bigint, action text) RETURNS tool_approvals
LANGUAGE plpgsql SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
DECLARE
  c tool_approvals;
  waiting text[];
BEGIN
  IF wanted IS NULL THEN
    SELECT array_agg(a.id || ' (' || a.tool || ')' ORDER BY a.id) INTO waiting
    FROM tool_approvals a WHERE a.ticket_id = t.id AND a.decision IS NULL AND a.voided_at IS NULL;
    IF waiting IS NULL OR t.state <> 'on_hold' THEN
      PERFORM refuse_action(t, action || ' a tool call of');
    ELSIF cardinality(waiting) > 1 THEN
      RAISE EXCEPTION 'ticket % has % calls that wait: %', t.id, cardinality(waiting), array_to_string(waiting, ', ')
        USING ERRCODE = 'HF422', HINT = 'Say which one: --call N, in SQL call => N.';
    END IF;
  END IF;
  SELECT * INTO c FROM tool_approvals a
  WHERE a.ticket_id = t.id AND (a.id = wanted OR wanted IS NULL AND a.decision IS NULL AND a.voided_at IS NULL);
  IF NOT FOUND THEN
    RAISE EXCEPTION 'ticket % has no tool call %', t.id, wanted
      USING ERRCODE = 'HF404', HINT = 'holdfast show ' || t.id || ' shows those that wait';
  ELSIF c.decision IS NOT NULL THEN
    RAISE EXCEPTION 'cannot % call % of ticket %: it was % by % at %', action, c.id, t.id, c.decision, c.decided_by,
      to_char(c.decided_at AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS"Z"') USING ERRCODE = 'HF409', DETAIL = t.state;
  ELSIF c.voided_at IS NOT NULL THEN
    RAISE EXCEPTION 'cannot % call % of ticket %: its session was started over', action, c.id, t.id USING ERRCODE = 'HF409', DETAIL = t.state;
  ELSIF t.state <> 'on_hold' THEN
    PERFORM refuse_action(t, action || ' a tool call of');
  END IF;
  RETURN c;
END
$$;
COMMENT ON FUNCTION waiting_call IS 'The call of a ticket, whose row the caller has locked, that is to be decided; says why not, and who was first.';

CREATE OR REPLACE FUNCTION decide_tool_call(
  id bigint, actor text, decision text, call bigint DEFAULT NULL, arguments jsonb DEFAULT NULL, words text DEFAULT NULL,
  remember boolean DEFAULT false) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
DECLARE
  t ticket_base;
  c tool_approvals;
  approved boolean := decide_tool_call.decision = 'approve';
  said text := words_or_null(words);
BEGIN
  PERFORM require_words('actor', actor), require_length('words', words);
  IF decide_tool_call.arguments IS NOT NULL THEN
    PERFORM accepted_bytes('arguments of the call', decide_tool_call.arguments);
  END IF;
  IF decide_tool_call.decision IS NULL OR decide_tool_call.decision NOT IN ('approve', 'deny') THEN
    RAISE EXCEPTION 'the decision must be approve or deny' USING ERRCODE = 'HF422';
  ELSIF jsonb_typeof(decide_tool_call.arguments) <> 'object' THEN
    RAISE EXCEPTION 'the arguments of a call must be a JSON object' USING ERRCODE = 'HF422';
  ELSIF (decide_tool_call.arguments IS NOT NULL OR decide_tool_call.remember) AND NOT approved THEN
    RAISE EXCEPTION 'a denied call has no arguments, and is not remembered' USING ERRCODE = 'HF422';
  ELSIF decide_tool_call.arguments IS NOT NULL AND decide_tool_call.remember THEN
    RAISE EXCEPTION 'a call with other arguments cannot be remembered' USING ERRCODE = 'HF422', HINT = 'Decide each of them.';
  END IF;
  t := locked_ticket(decide_tool_call.id);
  c := waiting_call(t, call, decide_tool_call.decision);
  PERFORM require_allowed(t, CASE WHEN NOT approved THEN 'deny_call'
    WHEN decide_tool_call.arguments IS NULL THEN 'approve_call' ELSE 'approve_call_with_changes' END);
  UPDATE tool_approvals a
  SET decision = CASE WHEN approved THEN 'approved' ELSE 'denied' END, decided_at = now(), decided_by = actor, words = said,
      edited_arguments = decide_tool_call.arguments::text, remember = COALESCE(decide_tool_call.remember, false),
      approved_hash = CASE WHEN approved THEN call_hash(a.tool, COALESCE(decide_tool_call.arguments::text, a.arguments)) END
  WHERE a.id = c.id;
  PERFORM log_activity(t.id, CASE WHEN approved THEN 'call_approved' ELSE 'call_denied' END, actor,
    jsonb_build_object('call', c.id, 'tool', c.tool, 'arguments', decide_tool_call.arguments, 'words', said,
      'remember', NULLIF(decide_tool_call.remember, false)));
  IF EXISTS (SELECT FROM tool_approvals a WHERE a.ticket_id = t.id AND a.decision IS NULL AND a.voided_at IS NULL) THEN
    RETURN t.state;
  END IF;
  -- Whoever undoes the release finds a hold like any other: what was decided stays decided.
  UPDATE ticket_base b SET hold_actions = '{release,release_with_guidance,cancel}' WHERE b.id = t.id;
  UPDATE ticket_base b
  SET state = 'ready', held_at = NULL, hold_reason = NULL, hold_actions = NULL, retry_after = NULL, crash_count = 0, updated_at = now()
  WHERE b.id = t.id
  RETURNING * INTO t;
  PERFORM make_claimable(t);
  RETURN t.state;
END
$$;
COMMENT ON FUNCTION decide_tool_call IS 'Says approve or deny to a tool call that a held ticket waits for: SELECT ${flyway:defaultSchema}.decide_tool_call(17, ''ann'', ''approve''). call names it where several wait (waiting_tool_calls); arguments replace the model''s own; words are told to the model; remember approves further calls of the same shape in this ticket. The last one sends the ticket back to work; returns its state. Exactly one of two callers wins; the other gets SQLSTATE HF409 and is told who did.';

CREATE OR REPLACE FUNCTION forget_sessions() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = ${flyway:defaultSchema}, pg_temp SET enable_seqscan = off SET enable_bitmapscan = off
AS $$
BEGIN
  DELETE FROM session_journal WHERE ticket_id = ANY (ARRAY(SELECT id FROM gone));
  DELETE FROM session_events WHERE ticket_id = ANY (ARRAY(SELECT id FROM gone));
  DELETE FROM attempt_output WHERE ticket_id = ANY (ARRAY(SELECT id FROM gone));
  DELETE FROM retry_aborts WHERE ticket_id = ANY (ARRAY(SELECT id FROM gone));
  DELETE FROM tool_approvals WHERE ticket_id = ANY (ARRAY(SELECT id FROM gone));
  DELETE FROM auto_retry_switches WHERE ticket_id = ANY (ARRAY(SELECT id FROM gone));
  DELETE FROM ticket_traces WHERE ticket_id = ANY (ARRAY(SELECT id FROM gone));
  RETURN NULL;
END
$$;
COMMENT ON FUNCTION forget_sessions IS 'A deleted ticket takes its journal, its events, its orders, its switch and its trace with it.';

CREATE OR REPLACE VIEW waiting_tool_calls AS
SELECT a.ticket_id, a.id AS call, b.queue, b.title, a.tool, a.arguments, a.effect, a.turn, a.asked_at
FROM ticket_base b
JOIN tool_approvals a ON a.ticket_id = b.id AND a.decision IS NULL AND a.voided_at IS NULL
WHERE b.held_at IS NOT NULL AND 'approve_call' = ANY (b.hold_actions)
ORDER BY a.asked_at, a.id;
COMMENT ON VIEW waiting_tool_calls IS 'Tool calls that wait for a person, the longest first. SELECT ${flyway:defaultSchema}.decide_tool_call(ticket_id, ''you'', ''approve'', call) lets one run.';

-- What attempts of agents have cost, and what for. All that an attempt paid for is in the journal, which goes with its ticket.
CREATE OR REPLACE VIEW attempt_costs AS
SELECT a.ticket_id, a.lease_no, a.attempt, d.name AS design, d.version AS design_version, a.outcome, a.category, a.fingerprint,
  a.started_at, a.finished_at, j.answers, j.tokens_in, j.tokens_out, j.cost_usd
FROM ticket_attempts a
JOIN ticket_base b ON b.id = a.ticket_id
LEFT JOIN designs d ON d.id = b.design_id
CROSS JOIN LATERAL (
  SELECT count(*) AS calls, count(*) FILTER (WHERE s.entry->'unanswered' IS DISTINCT FROM 'true') AS answers,
    sum(LEAST((s.entry->'usage'->>'input')::numeric + (s.entry->'usage'->>'cacheRead')::numeric + (s.entry->'usage'->>'cacheWrite')::numeric, 1e12))
      AS tokens_in,
    sum(LEAST((s.entry->'usage'->>'output')::numeric, 1e12)) AS tokens_out,
    sum((s.entry->>'costUsd')::numeric) AS cost_usd
  FROM session_journal s
  WHERE s.ticket_id = a.ticket_id AND s.lease_no = a.lease_no
    AND (s.kind IN ('answered', 'discarded') OR s.kind = 'compacted' AND s.entry->'summarised' = 'true')
) j
WHERE j.calls > 0;
COMMENT ON VIEW attempt_costs IS 'What each attempt of an agent has paid for: answers of models, and calls that were cut or broken off, with their tokens and, where the models have prices, cost.';
COMMENT ON COLUMN attempt_costs.answers IS 'Answers that came, useless ones and summaries included; none of a call that was cut or broken off, which counts in tokens and cost.';
COMMENT ON COLUMN attempt_costs.cost_usd IS 'Of the calls whose model has a price; NULL if none has.';

CREATE OR REPLACE VIEW outcomes_by_design AS
SELECT design, design_version, count(*) AS attempts, count(*) FILTER (WHERE outcome = 'succeeded') AS succeeded,
  round(100.0 * count(*) FILTER (WHERE outcome = 'succeeded') / NULLIF(count(*) FILTER (WHERE outcome IN ('succeeded', 'failed', 'crashed')), 0), 2)
    AS success_percent,
  sum(cost_usd) AS cost_usd,
  round(sum(cost_usd) / NULLIF(count(*) FILTER (WHERE outcome = 'succeeded'), 0), 6) AS cost_per_success_usd
FROM attempt_costs
GROUP BY design, design_version
ORDER BY design, design_version;
COMMENT ON VIEW outcomes_by_design IS 'How often attempts of each version of an agent''s design succeed, and what that costs.';
COMMENT ON COLUMN outcomes_by_design.success_percent IS 'Of the attempts that ran to an end: succeeded, failed, crashed.';
COMMENT ON COLUMN outcomes_by_design.cost_per_success_usd IS 'All that was paid, over the successes.';

CREATE OR REPLACE VIEW outcomes_by_model AS
SELECT m.provider, m.model, count(*) AS attempts, count(*) FILTER (WHERE a.outcome = 'succeeded') AS succeeded,
  round(100.0 * count(*) FILTER (WHERE a.outcome = 'succeeded') / NULLIF(count(*) FILTER (WHERE a.outcome IN ('succeeded', 'failed', 'crashed')), 0), 2)
    AS success_percent,
  sum(m.answers)::bigint AS answers, sum(m.discarded)::bigint AS discarded, sum(m.tokens_in)::bigint AS tokens_in,
  sum(m.tokens_out)::bigint AS tokens_out, sum(m.cost_usd) AS cost_usd
FROM (
  SELECT s.ticket_id, s.lease_no, s.entry->'target'->>'provider' AS provider, s.entry->'target'->>'model' AS model,
    count(*) FILTER (WHERE s.entry->'unanswered' IS DISTINCT FROM 'true') AS answers,
    count(*) FILTER (WHERE s.kind = 'discarded' AND s.entry->'unanswered' IS DISTINCT FROM 'true') AS discarded,
    sum(LEAST((s.entry->'usage'->>'input')::numeric + (s.entry->'usage'->>'cacheRead')::numeric + (s.entry->'usage'->>'cacheWrite')::numeric, 1e12))
      AS tokens_in,
    sum(LEAST((s.entry->'usage'->>'output')::numeric, 1e12)) AS tokens_out, sum((s.entry->>'costUsd')::numeric) AS cost_usd
  FROM session_journal s
  WHERE s.kind IN ('answered', 'discarded') OR s.kind = 'compacted' AND s.entry->'summarised' = 'true' AND s.entry->'target' IS NOT NULL
  GROUP BY s.ticket_id, s.lease_no, provider, model
) m
JOIN ticket_attempts a ON a.ticket_id = m.ticket_id AND a.lease_no = m.lease_no
GROUP BY m.provider, m.model
ORDER BY m.provider, m.model;
COMMENT ON VIEW outcomes_by_model IS 'What each model has answered and cost, and how the attempts ended that it had a part in. An attempt with several models counts for each.';
COMMENT ON COLUMN outcomes_by_model.answers IS 'Answers that came, useless ones and summaries included; a summary that an older version wrote down is left out, for it names no model.';
COMMENT ON COLUMN outcomes_by_model.discarded IS 'Answers that were paid for and of no use.';

CREATE OR REPLACE VIEW outcomes_by_error AS
SELECT category, fingerprint, count(*) AS attempts, count(DISTINCT ticket_id) AS tickets, sum(cost_usd) AS cost_usd,
  max(finished_at) AS last_at,
  (array_agg(ticket_id ORDER BY finished_at DESC))[1] AS last_ticket_id
FROM attempt_costs
WHERE outcome IN ('failed', 'crashed')
GROUP BY category, fingerprint
ORDER BY sum(cost_usd) DESC NULLS LAST, count(*) DESC;
COMMENT ON VIEW outcomes_by_error IS 'What attempts of agents have cost that failed, by category and fingerprint of their errors: what is worth mending first.';

CREATE OR REPLACE VIEW repair_events AS
SELECT j.ticket_id, j.lease_no, j.seq, e.no::integer AS no, j.written_at, (e.event->>'at')::timestamptz AS at,
  e.event->>'run' AS run, e.event->>'type' AS type, e.event->'payload' AS payload
FROM session_journal j CROSS JOIN LATERAL jsonb_array_elements(j.entry->'events') WITH ORDINALITY AS e(event, no)
WHERE j.kind = 'step_finished';
COMMENT ON VIEW repair_events IS 'What happened in the runs of repairs, as their trace.jsonl tells it, in the order of ticket_id, seq, no. Narrow it by ticket_id or by written_at, which have indexes.';
COMMENT ON COLUMN repair_events.run IS 'The run; a ticket has another one each time a person sends it back to work.';
COMMENT ON COLUMN repair_events.type IS 'RunStarted, IterationStarted, RepairAttempted, VerificationFinished, RunEscalated, StepStarted, CandidateGenerated, CandidateEvaluated, ReviewFinished, JudgeInvoked, JudgeDecided, JudgeFailed, DiagnosisStarted, DiagnosisCompleted, StepFinished, ProviderRequestStarted, ProviderRequestFinished or RunStopped.';
COMMENT ON COLUMN repair_events.at IS 'By the clock of the worker''s host.';

SELECT grant_roles(only_new => true);
