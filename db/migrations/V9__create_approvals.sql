-- Tool calls that wait for a person, and what was decided; what attempts have cost.
-- Tickets of designs without `approval` have no row here; only a DELETE of a ticket and a release with fresh do more than before.
-- Earlier binaries: they never park a ticket. One that claims a ticket whose call was decided refuses its design, which has `approval`, and
-- fails the attempt.

ALTER TABLE ticket_attempts DROP CONSTRAINT known_outcome;
ALTER TABLE ticket_attempts ADD CONSTRAINT known_outcome
  CHECK (outcome IN ('succeeded', 'failed', 'crashed', 'given_back', 'revoked', 'deferred', 'parked')) NOT VALID;
ALTER TABLE ticket_attempts VALIDATE CONSTRAINT known_outcome;
COMMENT ON COLUMN ticket_attempts.outcome IS 'succeeded, failed, crashed (its lease expired), given_back (its worker was stopped; uses up no retry), deferred (it waits for a provider; uses up no retry), revoked (a person cancelled or held the ticket), parked (it waits for a person''s word before it goes on; uses up no retry).';
COMMENT ON COLUMN session_journal.kind IS 'said, answered, discarded, turn_failed, tool_started, tool_finished, compacted or ended; started_over where a person had the session begin anew: what stands before it is for the record only.';

CREATE TABLE tool_approvals (
  id               bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  ticket_id        bigint NOT NULL,
  lease_no         bigint NOT NULL,
  answer           integer NOT NULL,
  turn             integer NOT NULL,
  call_id          text NOT NULL,
  tool             text NOT NULL,
  arguments        text NOT NULL,
  effect           text NOT NULL,
  shape            text NOT NULL,
  asked_at         timestamptz NOT NULL DEFAULT clock_timestamp(),
  decision         text COLLATE "C" CONSTRAINT known_decision CHECK (decision IN ('approved', 'denied')),
  decided_at       timestamptz,
  decided_by       text,
  words            text,
  edited_arguments text,
  approved_hash    text,
  remember         boolean NOT NULL DEFAULT false,
  remembered_from  bigint,
  voided_at        timestamptz,
  CONSTRAINT decisions_say_who CHECK ((decision IS NULL) = (decided_by IS NULL)),
  CONSTRAINT approvals_say_what CHECK ((decision = 'approved') IS TRUE = (approved_hash IS NOT NULL))
) WITH (autovacuum_vacuum_insert_scale_factor = 0.1);
CREATE UNIQUE INDEX tool_approvals_by_call ON tool_approvals (ticket_id, answer, call_id) WHERE voided_at IS NULL;
CREATE INDEX tool_approvals_by_ticket ON tool_approvals (ticket_id, id);
COMMENT ON TABLE tool_approvals IS 'Calls of tools that a design has under `approval`: what a model wants to do, and what a person said. decide_tool_call decides one. Goes with its ticket.';
COMMENT ON COLUMN tool_approvals.id IS 'Names the call: decide_tool_call(ticket, actor, decision, call => id).';
COMMENT ON COLUMN tool_approvals.lease_no IS 'The attempt that asked.';
COMMENT ON COLUMN tool_approvals.answer IS 'Which answer of the conversation has the call, from 1.';
COMMENT ON COLUMN tool_approvals.call_id IS 'The model''s id of the call, unique within its answer.';
COMMENT ON COLUMN tool_approvals.arguments IS 'JSON with sorted keys, as the model gave them.';
COMMENT ON COLUMN tool_approvals.effect IS 'What the call would do, as far as that can be known before: a diff of a file, a command line with its directory. Of the moment it was asked.';
COMMENT ON COLUMN tool_approvals.shape IS 'Tool and arguments without the contents of files: a remembered approval holds for calls of this very shape, in this ticket.';
COMMENT ON COLUMN tool_approvals.decision IS 'approved or denied; NULL while it waits.';
COMMENT ON COLUMN tool_approvals.words IS 'What the person said with it; the model is told.';
COMMENT ON COLUMN tool_approvals.edited_arguments IS 'What the person put in the place of the arguments; NULL if nothing.';
COMMENT ON COLUMN tool_approvals.approved_hash IS 'SHA-256 of the tool''s name, a line feed and the arguments that were approved. A call that has another one does not run.';
COMMENT ON COLUMN tool_approvals.remember IS 'Further calls of this shape in this ticket are approved with it.';
COMMENT ON COLUMN tool_approvals.remembered_from IS 'The approval that this call was approved with, unasked.';
COMMENT ON COLUMN tool_approvals.voided_at IS 'When the session started over: what was decided before holds no more.';

CREATE VIEW waiting_tool_calls AS
SELECT a.ticket_id, a.id AS call, b.queue, b.title, a.tool, a.arguments, a.effect, a.turn, a.asked_at
FROM ticket_base b
JOIN tool_approvals a ON a.ticket_id = b.id AND a.decision IS NULL AND a.voided_at IS NULL
WHERE b.held_at IS NOT NULL AND 'approve_call' = ANY (b.hold_actions)
ORDER BY a.asked_at, a.id;
COMMENT ON VIEW waiting_tool_calls IS 'Tool calls that wait for a person, the longest first. SELECT ${flyway:defaultSchema}.decide_tool_call(ticket_id, ''you'', ''approve'', call) lets one run.';

CREATE FUNCTION call_hash(tool text, arguments text) RETURNS text
LANGUAGE sql STABLE SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
  SELECT encode(sha256(convert_to(call_hash.tool || E'\n' || call_hash.arguments, 'UTF8')), 'hex')
$$;
COMMENT ON FUNCTION call_hash IS 'What an approval binds: tool_approvals.approved_hash.';

CREATE FUNCTION waiting_call(t ticket_base, wanted bigint, action text) RETURNS tool_approvals
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

CREATE FUNCTION decide_tool_call(
  id bigint, actor text, decision text, call bigint DEFAULT NULL, arguments jsonb DEFAULT NULL, words text DEFAULT NULL,
  remember boolean DEFAULT false) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
DECLARE
  t ticket_base;
  c tool_approvals;
  approved boolean := decide_tool_call.decision = 'approve';
  said text := NULLIF(btrim(words), '');
BEGIN
  PERFORM require_words('actor', actor);
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

CREATE OR REPLACE FUNCTION start_over(t ticket_base) RETURNS void
LANGUAGE plpgsql SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
BEGIN
  UPDATE tool_approvals a SET voided_at = now() WHERE a.ticket_id = t.id AND a.voided_at IS NULL;
  INSERT INTO session_journal (ticket_id, seq, lease_no, kind, entry)
  SELECT t.id, max(j.seq) + 1, t.fence, 'started_over', '{"entry": "started_over"}'
  FROM session_journal j WHERE j.ticket_id = t.id
  HAVING count(*) > 0;
END
$$;

CREATE OR REPLACE FUNCTION forget_sessions() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = ${flyway:defaultSchema}, pg_temp SET enable_seqscan = off SET enable_bitmapscan = off
AS $$
BEGIN
  DELETE FROM session_journal WHERE ticket_id = ANY (ARRAY(SELECT id FROM gone));
  DELETE FROM session_events WHERE ticket_id = ANY (ARRAY(SELECT id FROM gone));
  DELETE FROM retry_aborts WHERE ticket_id = ANY (ARRAY(SELECT id FROM gone));
  DELETE FROM tool_approvals WHERE ticket_id = ANY (ARRAY(SELECT id FROM gone));
  RETURN NULL;
END
$$;

-- What attempts of agents have cost, and what for. All that an attempt paid for is in the journal, which goes with its ticket.
CREATE VIEW attempt_costs AS
SELECT a.ticket_id, a.lease_no, a.attempt, d.name AS design, d.version AS design_version, a.outcome, a.category, a.fingerprint,
  a.started_at, a.finished_at, j.answers, j.tokens_in, j.tokens_out, j.cost_usd
FROM ticket_attempts a
JOIN ticket_base b ON b.id = a.ticket_id
LEFT JOIN designs d ON d.id = b.design_id
CROSS JOIN LATERAL (
  SELECT count(*) AS answers,
    sum((s.entry->'usage'->>'input')::bigint + (s.entry->'usage'->>'cacheRead')::bigint + (s.entry->'usage'->>'cacheWrite')::bigint) AS tokens_in,
    sum((s.entry->'usage'->>'output')::bigint) AS tokens_out,
    sum((s.entry->>'costUsd')::numeric) AS cost_usd
  FROM session_journal s
  WHERE s.ticket_id = a.ticket_id AND s.lease_no = a.lease_no
    AND (s.kind IN ('answered', 'discarded') OR s.kind = 'compacted' AND s.entry->'summarised' = 'true')
) j
WHERE j.answers > 0;
COMMENT ON VIEW attempt_costs IS 'What each attempt of an agent has paid for: answers of models with their tokens and, where the models have prices, cost.';
COMMENT ON COLUMN attempt_costs.answers IS 'Answers that came, useless ones and summaries included.';
COMMENT ON COLUMN attempt_costs.cost_usd IS 'Of the answers whose model has a price; NULL if none has.';

CREATE VIEW outcomes_by_design AS
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

CREATE VIEW outcomes_by_model AS
SELECT m.provider, m.model, count(*) AS attempts, count(*) FILTER (WHERE a.outcome = 'succeeded') AS succeeded,
  round(100.0 * count(*) FILTER (WHERE a.outcome = 'succeeded') / NULLIF(count(*) FILTER (WHERE a.outcome IN ('succeeded', 'failed', 'crashed')), 0), 2)
    AS success_percent,
  sum(m.answers)::bigint AS answers, sum(m.discarded)::bigint AS discarded, sum(m.tokens_in)::bigint AS tokens_in,
  sum(m.tokens_out)::bigint AS tokens_out, sum(m.cost_usd) AS cost_usd
FROM (
  SELECT s.ticket_id, s.lease_no, s.entry->'target'->>'provider' AS provider, s.entry->'target'->>'model' AS model, count(*) AS answers,
    count(*) FILTER (WHERE s.kind = 'discarded') AS discarded,
    sum((s.entry->'usage'->>'input')::bigint + (s.entry->'usage'->>'cacheRead')::bigint + (s.entry->'usage'->>'cacheWrite')::bigint) AS tokens_in,
    sum((s.entry->'usage'->>'output')::bigint) AS tokens_out, sum((s.entry->>'costUsd')::numeric) AS cost_usd
  FROM session_journal s
  WHERE s.kind IN ('answered', 'discarded')
  GROUP BY s.ticket_id, s.lease_no, provider, model
) m
JOIN ticket_attempts a ON a.ticket_id = m.ticket_id AND a.lease_no = m.lease_no
GROUP BY m.provider, m.model
ORDER BY m.provider, m.model;
COMMENT ON VIEW outcomes_by_model IS 'What each model has answered and cost, and how the attempts ended that it had a part in. An attempt with several models counts for each.';
COMMENT ON COLUMN outcomes_by_model.discarded IS 'Answers that were paid for and of no use.';

CREATE VIEW outcomes_by_error AS
SELECT category, fingerprint, count(*) AS attempts, count(DISTINCT ticket_id) AS tickets, sum(cost_usd) AS cost_usd,
  max(finished_at) AS last_at,
  (array_agg(ticket_id ORDER BY finished_at DESC))[1] AS last_ticket_id
FROM attempt_costs
WHERE outcome IN ('failed', 'crashed')
GROUP BY category, fingerprint
ORDER BY sum(cost_usd) DESC NULLS LAST, count(*) DESC;
COMMENT ON VIEW outcomes_by_error IS 'What attempts of agents have cost that failed, by category and fingerprint of their errors: what is worth mending first.';

REVOKE EXECUTE ON FUNCTION call_hash, waiting_call, decide_tool_call FROM PUBLIC;

DO $$
DECLARE
  s text := quote_ident('${flyway:defaultSchema}');
  tables text := format('%1$s.tool_approvals, %1$s.waiting_tool_calls, %1$s.attempt_costs, %1$s.outcomes_by_design, '
    '%1$s.outcomes_by_model, %1$s.outcomes_by_error', s);
BEGIN
  IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'holdfast_viewer') THEN
    EXECUTE format('GRANT SELECT ON %s TO holdfast_viewer', tables);
  END IF;
  IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'holdfast_operator') THEN
    EXECUTE format('GRANT SELECT ON %s TO holdfast_operator', tables);
    EXECUTE format('GRANT EXECUTE ON FUNCTION %s.decide_tool_call TO holdfast_operator', s);
  END IF;
  IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'holdfast_worker') THEN
    EXECUTE format('GRANT SELECT ON %s TO holdfast_worker', tables);
    EXECUTE format('GRANT INSERT, UPDATE, DELETE ON %s.tool_approvals TO holdfast_worker', s);
    EXECUTE format('GRANT USAGE ON ALL SEQUENCES IN SCHEMA %s TO holdfast_worker', s);
    EXECUTE format('GRANT EXECUTE ON FUNCTION %1$s.call_hash, %1$s.waiting_call, %1$s.decide_tool_call TO holdfast_worker', s);
  END IF;
END
$$;
