-- Names of predecessors, and workflows: tickets that wait for their own steps.
--
-- Earlier binaries claim and finish by functions that know these columns and tables. They work no ticket of the kinds workflow and human, and
-- give a follower's program no results.

ALTER TABLE ticket_dependencies
  ADD COLUMN name text,
  ADD COLUMN on_success boolean,
  ADD COLUMN on_cancelled text,
  ADD COLUMN item integer,
  ADD COLUMN queued boolean;
CREATE INDEX ticket_dependencies_queued ON ticket_dependencies (ticket_id, name, item) WHERE queued;
COMMENT ON COLUMN ticket_dependencies.name IS 'Under which name the follower is given the predecessor''s result; of a workflow its step. NULL: it is not given it.';
COMMENT ON COLUMN ticket_dependencies.on_success IS 'True where a success that waits for its review is enough.';
COMMENT ON COLUMN ticket_dependencies.on_cancelled IS 'What becomes of the follower if the predecessor is cancelled: run or cancel; NULL is held.';
COMMENT ON COLUMN ticket_dependencies.item IS 'The place, from 0, in the list that a step of a workflow is worked for.';
COMMENT ON COLUMN ticket_dependencies.queued IS 'True while the item waits for its turn in a step of limited breadth.';

ALTER TABLE ticket_base ADD COLUMN follows boolean;
COMMENT ON COLUMN ticket_base.follows IS 'True where it is given results of others: then it is read by itself after its claim.';

CREATE TABLE ticket_parents (
  ticket_id bigint PRIMARY KEY,
  parent_id bigint NOT NULL
);
CREATE INDEX ticket_parents_by_parent ON ticket_parents (parent_id, ticket_id);
COMMENT ON TABLE ticket_parents IS 'One row for each ticket that another one has added: a step of a workflow, or what a running job was allowed to enqueue.';
COMMENT ON COLUMN ticket_parents.parent_id IS 'Who added it. Retention may have deleted it since.';

CREATE TABLE workflows (
  ticket_id bigint PRIMARY KEY,
  parked    boolean NOT NULL DEFAULT false,
  news      boolean NOT NULL DEFAULT false,
  skipped   text[] NOT NULL DEFAULT '{}'
);
COMMENT ON TABLE workflows IS 'One row for each ticket that has steps. The steps themselves are rows of ticket_dependencies.';
COMMENT ON COLUMN workflows.parked IS 'True while it waits for its steps. The end of a step files it then, and else leaves news.';
COMMENT ON COLUMN workflows.news IS 'True if a step has ended since the ticket was filed.';
COMMENT ON COLUMN workflows.skipped IS 'The steps that are not worked, for their condition said no.';

ALTER TABLE ticket_attempts DROP CONSTRAINT known_outcome;
ALTER TABLE ticket_attempts ADD CONSTRAINT known_outcome
  CHECK (outcome IN ('succeeded', 'failed', 'crashed', 'given_back', 'revoked', 'deferred', 'parked', 'advanced')) NOT VALID;
COMMENT ON COLUMN ticket_attempts.outcome IS 'succeeded, failed, crashed (its lease expired), given_back (its worker was stopped; uses up no retry), deferred (it waits for a provider; uses up no retry), revoked (a person cancelled or held the ticket), parked (it waits for a person''s word before it goes on; uses up no retry), advanced (a workflow that waits for its steps).';
