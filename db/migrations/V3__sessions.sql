-- What an agent's session leaves behind: its journal, its events for the live stream, people's orders to it, its tool calls that wait for a
-- person. Tickets of other kinds have no row here. All of it goes with its ticket (forget_sessions).

CREATE TABLE session_journal (
  ticket_id  bigint NOT NULL,
  seq        bigint NOT NULL CHECK (seq > 0),
  lease_no   bigint NOT NULL,
  written_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  kind       text COLLATE "C" NOT NULL,
  entry      jsonb NOT NULL,
  PRIMARY KEY (ticket_id, seq)
) WITH (autovacuum_vacuum_insert_scale_factor = 0.1);
CREATE INDEX session_journal_steps ON session_journal (written_at) WHERE kind = 'step_finished';
COMMENT ON TABLE session_journal IS 'Every finished step of an agent''s sessions, in order: what was said, answered, done. The next attempt goes on behind the last one. Append-only; goes with its ticket.';
COMMENT ON COLUMN session_journal.seq IS 'Counts the steps of a ticket from 1.';
COMMENT ON COLUMN session_journal.lease_no IS 'The attempt that wrote it; only the lease under which the ticket is in progress may.';
COMMENT ON COLUMN session_journal.kind IS 'said, answered, discarded, turn_failed, tool_started, tool_finished, compacted or ended; step_finished in work that is no conversation, such as a repair; started_over where a person had the session begin anew: what stands before it is for the record only.';
COMMENT ON COLUMN session_journal.entry IS 'The step. U+FDD0 and four hexadecimal digits stand for a character that PostgreSQL cannot store: NUL or half a surrogate pair.';

CREATE TABLE session_events (
  id        bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  ticket_id bigint NOT NULL,
  lease_no  bigint NOT NULL,
  at        timestamptz NOT NULL DEFAULT clock_timestamp(),
  event     text COLLATE "C" NOT NULL,
  details   jsonb NOT NULL
) WITH (autovacuum_vacuum_insert_scale_factor = 0.1);
CREATE INDEX session_events_by_ticket ON session_events (ticket_id, id);
COMMENT ON TABLE session_events IS 'What happens in agents'' sessions, for those who watch: turns, model calls, tools, retries, warnings. No pieces of texts. A worker under pressure drops the oldest unwritten ones; session_journal is the record. Goes with its ticket.';

CREATE TABLE retry_aborts (
  ticket_id    bigint PRIMARY KEY,
  lease_no     bigint NOT NULL,
  requested_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  requested_by text NOT NULL
);
COMMENT ON TABLE retry_aborts IS 'Orders to end the retry that a running session waits in. Its worker takes an order away; one that finds no retry waiting is void after 15 seconds.';

CREATE TABLE auto_retry_switches (
  ticket_id  bigint PRIMARY KEY,
  enabled    boolean NOT NULL,
  changed_by text NOT NULL,
  changed_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
COMMENT ON TABLE auto_retry_switches IS 'Tickets whose sessions retry, or do not, because a person says so: it counts before the design and the configuration, on every worker, until it is switched again. Goes with its ticket.';

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
