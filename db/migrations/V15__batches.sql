-- Batches: tickets that came together. Functions in R__6_batches.sql.
--
-- Earlier binaries: they enqueue without a batch, and finish and hold tickets of one as any other; a batch ends, and its followers start, as
-- soon as a worker of this version runs. The index is made over tickets of batches only, of which there are none yet: one scan of the table.

CREATE TABLE batches (
  id                bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  title             text,
  created_at        timestamptz NOT NULL DEFAULT now(),
  created_by        text NOT NULL,
  closed_at         timestamptz,
  cancelled_at      timestamptz,
  ended_at          timestamptz,
  total             bigint,
  settled_below     bigint NOT NULL DEFAULT 0,
  settled_done      bigint NOT NULL DEFAULT 0,
  settled_cancelled bigint NOT NULL DEFAULT 0,
  look_at           timestamptz,
  counts            jsonb,
  counted_at        timestamptz,
  count_took        interval,
  base_at           timestamptz,
  base_finished     bigint
);
CREATE INDEX batches_to_look_at ON batches (look_at) WHERE ended_at IS NULL;
COMMENT ON TABLE batches IS 'Tickets that came together: enqueue_batch, or open_batch, enqueue_ticket(batch_id) and close_batch. Read batch_progress(id).';
COMMENT ON COLUMN batches.closed_at IS 'Since when it takes no further tickets. Only then can it end, and can a ticket wait for it.';
COMMENT ON COLUMN batches.cancelled_at IS 'When a person cancelled the whole batch: tickets that wait for it go on hold when it has ended.';
COMMENT ON COLUMN batches.ended_at IS 'When a worker saw that all its tickets are done or cancelled.';
COMMENT ON COLUMN batches.total IS 'How many tickets it had when it was closed.';
COMMENT ON COLUMN batches.settled_below IS 'All its tickets with smaller ids have ended; settled_done and settled_cancelled count them. Retention may have deleted them since.';
COMMENT ON COLUMN batches.look_at IS 'When a worker looks next whether it has ended. NULL until it is closed.';
COMMENT ON COLUMN batches.counts IS 'Its open tickets by state, as batch_progress last counted them.';
COMMENT ON COLUMN batches.count_took IS 'How long that took. Nobody counts again before twenty times as long has passed, so that viewers do not slow the workers.';
COMMENT ON COLUMN batches.base_at IS 'From when on the rate is measured that foretells the end; base_finished had been worked then.';

-- A ticket keeps its batch for ever, so completions stay HOT updates.
ALTER TABLE ticket_base ADD COLUMN batch_id bigint;
CREATE INDEX ticket_of_batch ON ticket_base (batch_id, id) WHERE batch_id IS NOT NULL;
COMMENT ON COLUMN ticket_base.batch_id IS 'The batch it came with (batches.id); never changes.';

CREATE TABLE batch_followers (
  ticket_id bigint NOT NULL,
  batch_id  bigint NOT NULL,
  ended_at  timestamptz,
  PRIMARY KEY (ticket_id, batch_id)
);
CREATE INDEX batch_followers_open ON batch_followers (batch_id, ticket_id) WHERE ended_at IS NULL;
COMMENT ON TABLE batch_followers IS 'One row for each ticket that waits or has waited for a batch (enqueue_ticket, after_batch): one, however many tickets the batch has. As with ticket_dependencies, a ticket with an open row is in neither ready nor deferred.';
COMMENT ON COLUMN batch_followers.ended_at IS 'When the batch ended; NULL while the follower waits for it.';

-- Releases in steps. Functions in R__6_releases.sql.
CREATE TABLE releases (
  id             bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  created_at     timestamptz NOT NULL DEFAULT now(),
  created_by     text NOT NULL,
  channel        text,
  selection      jsonb NOT NULL,
  steps          integer[] NOT NULL,
  guidance       text,
  keep_retries   boolean NOT NULL,
  fresh          boolean NOT NULL,
  total          bigint NOT NULL,
  step           integer NOT NULL DEFAULT 1,
  step_left      integer,
  look_at        timestamptz NOT NULL DEFAULT now(),
  ended_at       timestamptz,
  outcome        text COLLATE "C",
  reason         text,
  CONSTRAINT release_outcome_is_known CHECK (outcome IN ('completed', 'stopped'))
);
CREATE INDEX releases_to_look_at ON releases (look_at) WHERE ended_at IS NULL;
COMMENT ON TABLE releases IS 'Releases of many held tickets in steps: start_release, stop_release, release_status. A worker takes each to its next step.';
COMMENT ON COLUMN releases.selection IS 'Which tickets were asked for: {"fingerprint", "category", "batch_id"} or {"ids"}.';
COMMENT ON COLUMN releases.steps IS 'How many tickets each step releases, the canary first; 0 is all that are left.';
COMMENT ON COLUMN releases.total IS 'How many held tickets it began with; they are rows of release_tickets.';
COMMENT ON COLUMN releases.step IS 'The step it is in, from 1.';
COMMENT ON COLUMN releases.step_left IS 'How many tickets the step has still to release; NULL before it has begun.';
COMMENT ON COLUMN releases.look_at IS 'When a worker looks at it next.';
COMMENT ON COLUMN releases.outcome IS 'completed: all steps were taken; stopped: by a person, or because the error came back. NULL while it goes on.';
COMMENT ON COLUMN releases.reason IS 'Why it stopped, in words.';

CREATE TABLE release_tickets (
  release_id  bigint NOT NULL,
  n           integer NOT NULL,
  ticket_id   bigint NOT NULL,
  fingerprint text COLLATE "C",
  step        integer,
  fence       bigint,
  released_at timestamptz,
  outcome     text COLLATE "C",
  PRIMARY KEY (release_id, n),
  CONSTRAINT outcome_of_ticket_is_known CHECK (outcome IN ('succeeded', 'same_error', 'other_error', 'ended', 'skipped'))
);
CREATE INDEX release_tickets_waiting ON release_tickets (release_id, n) WHERE released_at IS NOT NULL AND outcome IS NULL;
COMMENT ON TABLE release_tickets IS 'The tickets of a release, the longest held first.';
COMMENT ON COLUMN release_tickets.fingerprint IS 'The error that it was held with.';
COMMENT ON COLUMN release_tickets.fence IS 'Attempts under a later lease are those after the release.';
COMMENT ON COLUMN release_tickets.outcome IS 'What became of it: succeeded; same_error: an attempt failed with the fingerprint again; other_error: it is on hold for another reason; ended: a person cancelled it; skipped: somebody else had released or cancelled it before. NULL while it waits, or runs.';
