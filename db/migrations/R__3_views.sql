-- What people and programs read of tickets: `tickets`, and views that answer an operator's questions. Those of sessions and of accounts are
-- in their own files.
-- A column is added at the end. For any other change of a view's columns a versioned migration drops the view CASCADE first; all
-- repeatable files are run after it.
--
-- Flyway runs this file after all versioned ones: again with each version of the schema (now ${version}), and whenever it changes.

-- In a database of the encoding SQL_ASCII, as a server has it that was made without a locale, PostgreSQL counts bytes. left() then cuts
-- through the middle of a character, and what is left cannot be sent to a client that speaks UTF-8: one long error text that is not
-- ASCII, and the whole answer is refused.
-- A literal with a backslash has an E: others are read otherwise where standard_conforming_strings is off.
-- Anyone who may read the views needs this function, so it is for everybody; it has no search_path of its own, so that it is inlined.
CREATE OR REPLACE FUNCTION shorten(words text, longest integer) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT CASE
    WHEN pg_catalog.getdatabaseencoding() OPERATOR(pg_catalog.=) 'SQL_ASCII'
      AND pg_catalog.octet_length(words) OPERATOR(pg_catalog.>) longest
    -- The last character of several bytes goes, whether it is whole or not.
    THEN pg_catalog.regexp_replace(pg_catalog.left(words, longest), E'[\\xC0-\\xFF][\\x80-\\xBF]*$', '')
    ELSE pg_catalog.left(words, longest)
  END
$$;
COMMENT ON FUNCTION shorten IS 'The beginning of a text, at most that many characters; bytes in a database of the encoding SQL_ASCII, and there no part of a character either.';

-- What an error is called: its title, or its first line where nobody found one (written by hand, or by a worker of an older version).
-- For everybody, as shorten.
CREATE OR REPLACE FUNCTION error_name(title text, error text) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT COALESCE(NULLIF(title, ''), ${flyway:defaultSchema}.shorten(
    pg_catalog.substring(${flyway:defaultSchema}.shorten(error, 2000), E'[^[:space:]][^\\n\\r]*'), 200))
$$;
COMMENT ON FUNCTION error_name IS 'The title of an error, or the beginning of its first line.';

-- For everybody, as shorten.
CREATE OR REPLACE FUNCTION error_facts(rule text, fingerprint text, error_title text, error text) RETURNS jsonb
LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT pg_catalog.jsonb_strip_nulls(pg_catalog.jsonb_build_object('rule', rule, 'fingerprint', fingerprint,
    'title', ${flyway:defaultSchema}.error_name(error_title, error), 'error', ${flyway:defaultSchema}.shorten(error, 500)))
$$;
COMMENT ON FUNCTION error_facts IS 'What ticket_timeline and holdfast watch tell of the error of an attempt.';

-- Whoever is told of a retry is told when it comes. A decision is stored in the transaction that makes the ticket wait, so its time is
-- known from its delay; of a deferral the ticket itself knows it, until it is claimed again.
-- Anyone who may read ticket_timeline needs this function, so it is for everybody.
CREATE OR REPLACE FUNCTION with_retry_time(action text, details jsonb, decided_at timestamptz) RETURNS jsonb
LANGUAGE sql STABLE SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
  SELECT CASE
    WHEN action = 'retry_decision' AND details @> '{"shouldRetry": true}' AND jsonb_typeof(details->'nextDelayMs') = 'number'
    THEN details || jsonb_build_object('retryAfter', to_char(
      (decided_at + (details->>'nextDelayMs')::bigint * interval '1 millisecond') AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))
    ELSE details
  END
$$;
COMMENT ON FUNCTION with_retry_time IS 'The details of an activity; of a decision to retry with retryAfter, the time of the retry.';

CREATE OR REPLACE VIEW tickets AS
SELECT
  b.id, b.queue, b.kind, b.design_id, b.title, b.payload,
  CASE WHEN l.id IS NULL THEN b.state ELSE 'in_progress' END AS state,
  b.assignee_type, b.priority, b.retry_count, b.rejection_count, b.retry_after, b.retry_strategy,
  b.error, b.error_category, b.error_fingerprint, b.hold_reason,
  l.worker_id, COALESCE(l.id, b.fence) AS lease_no, l.expires_at AS lease_expires_at,
  b.unique_key, b.result, b.created_at, GREATEST(b.updated_at, l.claimed_at) AS updated_at,
  COALESCE(l.claimed_at, b.started_at) AS started_at, b.completed_at,
  b.attempt_count, b.crash_count, b.same_error_count, b.held_at, b.hold_actions AS allowed_actions, b.max_cost_usd,
  error_name(b.error_title, b.error) AS error_title, d.name AS design, d.version AS design_version,
  CASE WHEN b.expires_at IS NOT NULL AND b.state = 'ready' AND COALESCE(l.claimed_at, b.started_at) IS NULL
    THEN (SELECT e.expires_at FROM ticket_deadlines e WHERE e.ticket_id = b.id) END AS expires_at,
  b.concurrency_key, b.fairness_key, (SELECT p.parent_id FROM ticket_parents p WHERE p.ticket_id = b.id) AS parent_id,
  b.batch_id
FROM ticket_base b
LEFT JOIN designs d ON d.id = b.design_id
LEFT JOIN (
  SELECT l.id, l.worker_id, l.claimed_at, l.expires_at, u.ticket_id
  FROM leases l CROSS JOIN LATERAL unnest(l.ids) AS u(ticket_id)
) l ON l.ticket_id = b.id AND l.id > b.fence AND b.state = 'ready';
ALTER VIEW tickets ALTER COLUMN queue SET DEFAULT 'default';
ALTER VIEW tickets ALTER COLUMN state SET DEFAULT 'ready';
ALTER VIEW tickets ALTER COLUMN payload SET DEFAULT '{}';
ALTER VIEW tickets ALTER COLUMN assignee_type SET DEFAULT 'agent';
ALTER VIEW tickets ALTER COLUMN priority SET DEFAULT 0;
ALTER VIEW tickets ALTER COLUMN retry_count SET DEFAULT 0;
ALTER VIEW tickets ALTER COLUMN rejection_count SET DEFAULT 0;
COMMENT ON VIEW tickets IS 'One row per ticket: the truth, whoever looks. INSERT enqueues (in your own transaction). UPDATE of state does what release_ticket, hold_ticket, cancel_ticket, approve_ticket and reject_ticket do, is logged in ticket_activity and wakes a worker; a transition the state machine does not know is refused, and a ticket that has left the state in which the UPDATE saw it is passed over. DELETE takes finished tickets only. It joins ticket_base (what is stored) with leases (what runs now).';
COMMENT ON COLUMN tickets.id IS 'Given by the database; never used again.';
COMMENT ON COLUMN tickets.design_id IS 'The version of the design it was enqueued with (designs.id); NULL for a ticket of a kind alone.';
COMMENT ON COLUMN tickets.design IS 'The name of its design; NULL for a ticket of a kind alone. An INSERT may say it instead of design_id and gets the newest version.';
COMMENT ON COLUMN tickets.design_version IS 'The version of its design.';
COMMENT ON COLUMN tickets.title IS 'For people.';
COMMENT ON COLUMN tickets.payload IS 'The task, as the handler is given it; an object as a rule.';
COMMENT ON COLUMN tickets.rejection_count IS 'How often its result was rejected at review.';
COMMENT ON COLUMN tickets.created_at IS 'When it was enqueued; the older of two equal priorities goes first.';
COMMENT ON COLUMN tickets.updated_at IS 'When it last changed, claims included.';
COMMENT ON COLUMN tickets.started_at IS 'When its latest attempt was claimed; NULL if it never ran.';
COMMENT ON COLUMN tickets.completed_at IS 'When it ended or stopped: succeeded, cancelled, or held with its retries used up.';
COMMENT ON COLUMN tickets.crash_count IS 'How often its lease expired since it was enqueued or last released: a ticket that kills its workers ends on hold.';
COMMENT ON COLUMN tickets.same_error_count IS 'How many attempts in a row failed with this error_fingerprint (retry.same-error-limit).';
COMMENT ON COLUMN tickets.held_at IS 'Since when it waits for a person; NULL unless on_hold.';
COMMENT ON COLUMN tickets.queue IS 'A name; made on first use. Pause it with pause_queue.';
COMMENT ON COLUMN tickets.kind IS 'Which handler works it: command, agent, repair, or one of your own. Taken from the design if there is one.';
COMMENT ON COLUMN tickets.state IS 'ready -claim-> in_progress -success-> needs_review -approve-> done. A failure goes back to ready (with retry_after) or to on_hold for a person. cancelled only on a person''s word.';
COMMENT ON COLUMN tickets.assignee_type IS 'agent: workers claim it. human or NULL: nobody does.';
COMMENT ON COLUMN tickets.priority IS 'Higher is sooner; then the older created_at first.';
COMMENT ON COLUMN tickets.retry_count IS 'Retries used since it was enqueued or last released. Giving back at a worker''s shutdown uses none.';
COMMENT ON COLUMN tickets.retry_after IS 'Not claimed before this time (the database''s clock). Also the start time of a delayed ticket.';
COMMENT ON COLUMN tickets.retry_strategy IS 'Overrides for this ticket under "categories", "max_delay", "jitter", "same_error_limit"; beside them the last decision: errorCategory, maxRetries, backoffType, nextDelayMs, attemptsRemaining.';
COMMENT ON COLUMN tickets.error IS 'The last error, whole.';
COMMENT ON COLUMN tickets.error_title IS 'The line of the last error that says why: ''ValueError: cannot parse row 177''.';
COMMENT ON COLUMN tickets.error_category IS 'transient, api_error, code_error, system_error or unknown.';
COMMENT ON COLUMN tickets.error_fingerprint IS 'Equal for equal errors; see error_groups.';
COMMENT ON COLUMN tickets.hold_reason IS 'Why it waits for a person: ''Max retries exceeded: <category>'', or what else stopped it.';
COMMENT ON COLUMN tickets.worker_id IS 'Who runs it now; NULL unless in_progress.';
COMMENT ON COLUMN tickets.lease_no IS 'Grows at every claim. A result under an older number is refused.';
COMMENT ON COLUMN tickets.lease_expires_at IS 'If the worker does not renew the lease by then, the ticket is rescued.';
COMMENT ON COLUMN tickets.unique_key IS 'At most one kept ticket has it.';
COMMENT ON COLUMN tickets.result IS 'What the handler returned.';
COMMENT ON COLUMN tickets.attempt_count IS 'Finished executions, never reset; rows of ticket_attempts.';
COMMENT ON COLUMN tickets.allowed_actions IS 'What a person may do with a held ticket.';
COMMENT ON COLUMN tickets.batch_id IS 'The batch it came with: batch_progress(batch_id) says how far that is.';
COMMENT ON COLUMN tickets.parent_id IS 'The ticket that added it: a workflow whose step it is, or a job that was allowed to; NULL where people or programs enqueued it.';
COMMENT ON COLUMN tickets.max_cost_usd IS 'What the ticket may cost in model calls, in US dollars; NULL is the design''s or no limit.';
COMMENT ON COLUMN tickets.expires_at IS 'If no worker starts it by then, it is put on hold with the cause expired. NULL where it does not expire, or has started.';
COMMENT ON COLUMN tickets.concurrency_key IS 'Limits count what runs with the same key, as one customer''s: set_limit, per_key.';
COMMENT ON COLUMN tickets.fairness_key IS 'Tickets of equal priority are claimed in turns over these keys, as over tenants.';

CREATE OR REPLACE VIEW on_hold_tickets AS
SELECT b.id, b.queue, b.kind, b.title, b.held_at, now() - b.held_at AS held_for, b.hold_reason, b.error_category,
  b.error_fingerprint, shorten(b.error, 500) AS error, b.attempt_count AS attempts, b.retry_count, b.rejection_count,
  b.hold_actions AS allowed_actions,
  (SELECT g.guidance FROM ticket_guidance g WHERE g.ticket_id = b.id ORDER BY g.id DESC LIMIT 1) AS last_guidance,
  error_name(b.error_title, b.error) AS error_title, d.name AS design
FROM ticket_base b
LEFT JOIN designs d ON d.id = b.design_id
WHERE b.held_at IS NOT NULL
ORDER BY b.held_at, b.id;
COMMENT ON VIEW on_hold_tickets IS 'What waits for a person, the longest first. SELECT ${flyway:defaultSchema}.release_ticket(id, ''you'', ''guidance'') sends one back.';

CREATE OR REPLACE VIEW error_groups AS
SELECT NULLIF(g.fingerprint, '') AS error_fingerprint, NULLIF(g.category, '') AS error_category, g.tickets, g.oldest, g.newest,
  (SELECT shorten(b.error, 500) FROM ticket_base b WHERE b.id = g.sample_ids[1]) AS last_error,
  g.sample_ids,
  (SELECT error_name(b.error_title, b.error) FROM ticket_base b WHERE b.id = g.sample_ids[1]) AS error_title
FROM (
  SELECT h.fingerprint, h.category, count(*) AS tickets, min(h.held_at) AS oldest, max(h.held_at) AS newest,
    (array_agg(h.id ORDER BY h.held_at DESC, h.id DESC))[1:10] AS sample_ids
  FROM held h
  GROUP BY h.fingerprint, h.category
) g
ORDER BY g.tickets DESC, g.oldest;
COMMENT ON VIEW error_groups IS 'Held tickets by error: equal errors have one fingerprint, so one release by fingerprint mends them all.';

CREATE OR REPLACE VIEW retry_outcomes AS
SELECT previous_category AS category, count(*) AS retries_finished, count(*) FILTER (WHERE outcome = 'succeeded') AS succeeded,
  round(100.0 * count(*) FILTER (WHERE outcome = 'succeeded') / count(*), 2) AS success_percent
FROM (
  SELECT ticket_id, started_at, outcome,
    lag(category) OVER attempts_of_ticket AS previous_category, lag(finished_at) OVER attempts_of_ticket AS previous_end
  FROM ticket_attempts WHERE outcome IN ('succeeded', 'failed', 'crashed')
  WINDOW attempts_of_ticket AS (PARTITION BY ticket_id ORDER BY lease_no)
) finished
WHERE previous_category IS NOT NULL
  -- An attempt after a release is a person's doing, not a retry.
  AND NOT EXISTS (
    SELECT FROM ticket_activity a
    WHERE a.ticket_id = finished.ticket_id AND a.action = 'released'
      AND a.created_at BETWEEN finished.previous_end AND finished.started_at)
GROUP BY previous_category
ORDER BY previous_category;
COMMENT ON VIEW retry_outcomes IS 'How many retries succeed, by the category of the failure they followed.';

CREATE OR REPLACE VIEW ticket_timeline AS
SELECT b.id AS ticket_id, b.created_at AS at, 'created' AS event, NULL::text AS actor, jsonb_strip_nulls(jsonb_build_object('queue', b.queue, 'kind', b.kind)) AS details
FROM ticket_base b
UNION ALL
SELECT a.ticket_id, a.started_at, 'claimed', a.worker_id, jsonb_build_object('attempt', a.attempt, 'leaseNo', a.lease_no)
FROM ticket_attempts a
UNION ALL
SELECT a.ticket_id, a.finished_at, a.outcome, a.worker_id, jsonb_strip_nulls(jsonb_build_object('attempt', a.attempt, 'category', a.category,
  'retryAfter', (SELECT b.retry_after FROM ticket_base b WHERE a.outcome = 'deferred' AND b.id = a.ticket_id AND b.fence = a.lease_no)))
  || error_facts(a.rule, a.fingerprint, a.error_title, a.error)
FROM ticket_attempts a
UNION ALL
SELECT u.ticket_id, l.claimed_at, 'claimed', l.worker_id, jsonb_build_object('leaseNo', l.id)
FROM leases l CROSS JOIN LATERAL unnest(l.ids) AS u(ticket_id) JOIN ticket_base b ON b.id = u.ticket_id AND b.state = 'ready' AND l.id > b.fence
UNION ALL
-- The error of a decision is in the row of its attempt, and so is when it was made: the row of activity is written later. Not joined: a
-- planner that takes a ticket for one of few attempts would compare each of them with each decision.
SELECT y.ticket_id, y.created_at, y.action, y.actor, COALESCE((
  SELECT with_retry_time(y.action, y.details, a.finished_at) || error_facts(a.rule, a.fingerprint, a.error_title, a.error)
  FROM ticket_attempts a
  WHERE y.action = 'retry_decision' AND a.ticket_id = y.ticket_id
    AND a.lease_no = CASE WHEN jsonb_typeof(y.details->'leaseNo') = 'number' THEN (y.details->'leaseNo')::bigint END),
  with_retry_time(y.action, y.details, y.created_at))
FROM ticket_activity y
WHERE y.ticket_id IS NOT NULL;
COMMENT ON VIEW ticket_timeline IS 'Everything that happened to a ticket: SELECT * FROM ${flyway:defaultSchema}.ticket_timeline WHERE ticket_id = 17 ORDER BY at.';

SELECT grant_roles(only_new => true);
