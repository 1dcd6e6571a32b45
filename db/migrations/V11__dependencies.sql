-- Which ticket waits for which others.
--
-- Earlier binaries finish a ticket by the function that frees its followers, and cancel it by the one that holds them: they need to know
-- nothing of this table.

CREATE TABLE ticket_dependencies (
  ticket_id bigint NOT NULL,
  after_id  bigint NOT NULL,
  ended_at  timestamptz,
  PRIMARY KEY (ticket_id, after_id)
);
-- Looked at with every batch of successes, so only what is waited for is in it: mostly nothing.
CREATE INDEX ticket_dependencies_open ON ticket_dependencies (after_id, ticket_id) WHERE ended_at IS NULL;
COMMENT ON TABLE ticket_dependencies IS 'One row for each ticket that another one waits or has waited for (enqueue_ticket, after). A ticket with an open row is in neither ready nor deferred, so no claim reads it.';
COMMENT ON COLUMN ticket_dependencies.ticket_id IS 'The follower, which waits.';
COMMENT ON COLUMN ticket_dependencies.after_id IS 'The predecessor, for which it waits. Retention may have deleted it since.';
COMMENT ON COLUMN ticket_dependencies.ended_at IS 'When the predecessor was done, or was cancelled and the follower held; NULL while the follower waits for it.';
