-- The tables of the first source, "Forge Agent Retry Logic Design". The two ALTER TABLE statements are its section "Schema Addition" word
-- for word. It shows no CREATE TABLE: the columns here are those that its queries (retryOrFailTicket, getReadyTickets) read and write,
-- with the types that these queries need, and a title.
CREATE TABLE designs (
  id         serial PRIMARY KEY,
  name       text,
  definition jsonb
);

CREATE TABLE tickets (
  id              serial PRIMARY KEY,
  title           text,
  design_id       integer REFERENCES designs,
  state           text,
  assignee_type   text,
  priority        text,
  vm_id           text,
  retry_count     integer,
  rejection_count integer,
  error           text,
  hold_reason     text,
  created_at      timestamp DEFAULT now(),
  updated_at      timestamp,
  completed_at    timestamp
);

ALTER TABLE tickets ADD COLUMN IF NOT EXISTS retry_after TIMESTAMP;
ALTER TABLE tickets ADD COLUMN IF NOT EXISTS retry_strategy JSONB;
