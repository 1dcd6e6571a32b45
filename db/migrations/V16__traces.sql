-- Under which trace a ticket was enqueued, so that its attempts, in whatever worker, tell of themselves under the same one.
--
-- Earlier binaries neither write nor read this table; what they enqueue has a trace of its own, which is made of the ticket's number.

CREATE TABLE ticket_traces (
  ticket_id   bigint PRIMARY KEY,
  traceparent text NOT NULL CHECK (traceparent ~ '^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$')
);
COMMENT ON TABLE ticket_traces IS 'One row for each ticket that was enqueued under a trace (trace_ticket). Only workers that send traces look here.';
COMMENT ON COLUMN ticket_traces.traceparent IS 'As W3C Trace Context writes it: 00-<trace>-<span>-<flags>.';
