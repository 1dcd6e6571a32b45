-- Where tickets stand that a worker may claim, and who has claimed them. Kept by functions and triggers; nobody writes these by hand.

CREATE TABLE ready (
  priority   integer NOT NULL,
  created_at timestamptz NOT NULL,
  id         bigint NOT NULL,
  queue      text COLLATE "C" NOT NULL,
  kind       text COLLATE "C" NOT NULL
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_limit = 2000);
-- ~priority falls as priority grows, for every integer: so the claim order is ascending in all columns, and a claim can start behind
-- the last one by a row comparison instead of walking over all that was claimed while somebody held an old snapshot.
CREATE UNIQUE INDEX ready_in_claim_order ON ready (queue, kind, (~priority), created_at, id);
COMMENT ON TABLE ready IS 'The tickets a worker may claim now, in claim order: priority DESC, created_at, id. Kept by triggers and functions; do not write it by hand.';

CREATE TABLE deferred (
  run_at     timestamptz NOT NULL,
  created_at timestamptz NOT NULL,
  id         bigint NOT NULL,
  priority   integer NOT NULL,
  queue      text COLLATE "C" NOT NULL,
  kind       text COLLATE "C" NOT NULL
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_limit = 2000);
CREATE UNIQUE INDEX deferred_by_time ON deferred (run_at, id);
COMMENT ON TABLE deferred IS 'The tickets that wait for their retry_after, apart from the ready ones so that a claim never walks over them.';

CREATE TABLE suspects (
  priority   integer NOT NULL,
  created_at timestamptz NOT NULL,
  id         bigint PRIMARY KEY,
  queue      text COLLATE "C" NOT NULL,
  kind       text COLLATE "C" NOT NULL
);
COMMENT ON TABLE suspects IS 'Ready tickets of which one worker died, apart from the others: a worker takes one at a time. Kept by take_tickets.';

CREATE SEQUENCE lease_no_seq;
COMMENT ON SEQUENCE lease_no_seq IS 'The fencing tokens: every claim takes the next one as the id of its lease.';

CREATE TABLE leases (
  id         bigint PRIMARY KEY,
  claimed_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  worker_id  text NOT NULL,
  ids        bigint[] NOT NULL,
  revoked    bigint[] NOT NULL DEFAULT '{}',
  for_ms     bigint,
  renewed_at timestamptz,
  suspect    boolean NOT NULL DEFAULT false
) WITH (
  -- Compressing the ids of a batch costs more than the 3 KB that it saves for a few seconds: hence the target.
  fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500, autovacuum_vacuum_cost_limit = 2000,
  toast_tuple_target = 8160
);
COMMENT ON TABLE leases IS 'One row per claimed batch. id is the lease_no of every ticket in ids; expires_at moves with each heartbeat; revoked lists tickets a person cancelled or held meanwhile.';
COMMENT ON COLUMN leases.for_ms IS 'How long it held when it was claimed, in milliseconds.';
COMMENT ON COLUMN leases.renewed_at IS 'The last heartbeat that renewed it. A worker that was heard of later than that lives, and does not know the lease or has let it go.';
COMMENT ON COLUMN leases.suspect IS 'Its one ticket is a suspect: a worker died that had it. If this one dies too, nothing else that it had is blamed.';

CREATE TABLE workers (
  id           text PRIMARY KEY,
  host         text NOT NULL,
  pid          bigint NOT NULL,
  version      text NOT NULL,
  queues       text[],
  kinds        text[] NOT NULL,
  concurrency  integer NOT NULL,
  state        text NOT NULL CHECK (state IN ('running', 'draining', 'stopped')),
  wants_wakeup boolean NOT NULL DEFAULT false,
  started_at   timestamptz NOT NULL DEFAULT now(),
  heartbeat_at timestamptz NOT NULL DEFAULT now(),
  blamed       boolean NOT NULL DEFAULT false
) WITH (fillfactor = 50);
COMMENT ON TABLE workers IS 'One row per start of a worker process: host, pid and a random part make a new identity every time.';
COMMENT ON COLUMN workers.queues IS 'The queues it claims from; NULL means all.';
COMMENT ON COLUMN workers.wants_wakeup IS 'True while it may be waiting for work: enqueuers send a NOTIFY only if some worker wants one.';
COMMENT ON COLUMN workers.blamed IS 'It died while it had a suspect, and that was blamed for it.';
