-- Until when a ticket is worth starting.
--
-- Earlier binaries claim by the function that leaves expired tickets alone, and need to know nothing of this table; expired tickets stay
-- `ready`, unclaimed, until a worker of this version puts them on hold.

CREATE TABLE ticket_deadlines (
  ticket_id  bigint PRIMARY KEY,
  expires_at timestamptz NOT NULL
);
CREATE INDEX ticket_deadlines_by_time ON ticket_deadlines (expires_at, ticket_id);
COMMENT ON TABLE ticket_deadlines IS 'One row for each ticket that expires (enqueue_ticket, expires_at), until that time. Claims look here for what has expired: mostly the table is empty or nothing is due.';
COMMENT ON COLUMN ticket_deadlines.expires_at IS 'If no worker has started the ticket before, it is put on hold.';
