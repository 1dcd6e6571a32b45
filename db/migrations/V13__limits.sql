-- Tickets that wait their turn: limits, fairness keys, how long a unique key holds (docs/adr/0029-limits.md).
--
-- Earlier binaries claim, finish and enqueue by the functions, which know all this; only a COPY of theirs leaves the new columns empty.

ALTER TABLE ticket_base ADD COLUMN expires_at timestamptz, ADD COLUMN concurrency_key text COLLATE "C", ADD COLUMN fairness_key text COLLATE "C";
COMMENT ON COLUMN ticket_base.expires_at IS 'As it was asked for; ticket_deadlines has it only while it can still expire.';

CREATE TABLE claim_limits (
  scope      text COLLATE "C" PRIMARY KEY,
  queue      text COLLATE "C" UNIQUE,
  design     text COLLATE "C" UNIQUE,
  concurrent integer,
  per_key    integer,
  rate       integer,
  per        interval,
  burst      integer,
  set_at     timestamptz NOT NULL DEFAULT now(),
  set_by     text NOT NULL,
  CONSTRAINT scope_is_a_queue_or_a_design CHECK (scope = 'queue:' || queue AND design IS NULL OR scope = 'design:' || design AND queue IS NULL),
  CONSTRAINT limits_are_positive CHECK (concurrent > 0 AND per_key > 0 AND rate > 0 AND per > interval '0' AND burst > 0),
  CONSTRAINT a_rate_has_a_time CHECK ((rate IS NULL) = (per IS NULL) AND (rate IS NULL) = (burst IS NULL)),
  CONSTRAINT limits_something CHECK (num_nonnulls(concurrent, per_key, rate) > 0)
);
COMMENT ON TABLE claim_limits IS 'What set_limit has set. Read the view limits.';

CREATE TABLE limit_gates (
  scope   text COLLATE "C" PRIMARY KEY,
  full_at timestamptz NOT NULL DEFAULT '-infinity'
) WITH (fillfactor = 50);
COMMENT ON TABLE limit_gates IS 'One row per limit: a claim that takes tickets under it has the row locked, so one at a time does. The others skip them. People lock claim_limits, never this.';
COMMENT ON COLUMN limit_gates.full_at IS 'When the bucket of a rate is full again if nothing starts before.';

CREATE TABLE in_line (
  priority        integer NOT NULL,
  created_at      timestamptz NOT NULL,
  id              bigint NOT NULL,
  queue           text COLLATE "C" NOT NULL,
  kind            text COLLATE "C" NOT NULL,
  turn_key        text COLLATE "C" NOT NULL,
  concurrency_key text COLLATE "C" NOT NULL,
  design          text COLLATE "C" NOT NULL
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_limit = 2000);
CREATE UNIQUE INDEX in_line_by_turn ON in_line (queue, kind, (~priority), turn_key, concurrency_key, design, created_at, id);
COMMENT ON TABLE in_line IS 'Ready tickets that have a key or a limit, apart from ready: a claim of others never reads them. Kept by functions; do not write it by hand.';
COMMENT ON COLUMN in_line.turn_key IS 'Whose turn it is: f and the fairness key, or else c and the concurrency key, or else a hyphen.';
COMMENT ON COLUMN in_line.concurrency_key IS 'Empty if it has none, as design.';

CREATE TABLE line_gates (
  queue                text COLLATE "C" NOT NULL,
  kind                 text COLLATE "C" NOT NULL,
  last_turn_key        text COLLATE "C" NOT NULL DEFAULT '',
  last_concurrency_key text COLLATE "C" NOT NULL DEFAULT '',
  last_design          text COLLATE "C" NOT NULL DEFAULT '',
  PRIMARY KEY (queue, kind)
) WITH (fillfactor = 50);
COMMENT ON TABLE line_gates IS 'One row per lane that ever had tickets in line: a claim that takes some of them has it locked, and notes where the next one goes on. The others skip the lane.';

CREATE TABLE line_slots (
  ticket_id       bigint PRIMARY KEY,
  lease_no        bigint NOT NULL,
  queue           text COLLATE "C" NOT NULL,
  concurrency_key text COLLATE "C" NOT NULL,
  design          text COLLATE "C" NOT NULL
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_limit = 2000);
CREATE INDEX line_slots_by_queue ON line_slots (queue, concurrency_key);
CREATE INDEX line_slots_by_design ON line_slots (design, concurrency_key) WHERE design <> '';
COMMENT ON TABLE line_slots IS 'One row per running ticket that a limit counts. It goes in the transaction that ends the attempt; mend_lines drops what is left over.';

CREATE TABLE fairness_weights (
  fairness_key text COLLATE "C" PRIMARY KEY,
  weight       integer NOT NULL CONSTRAINT weight_is_from_1_to_1000 CHECK (weight BETWEEN 1 AND 1000),
  set_at       timestamptz NOT NULL DEFAULT now(),
  set_by       text NOT NULL
);
COMMENT ON TABLE fairness_weights IS 'How many tickets a fairness key has claimed at each of its turns; one without a row has one. See set_weight.';

CREATE TABLE spent_keys (
  unique_key text COLLATE "C" PRIMARY KEY,
  ticket_id  bigint NOT NULL,
  spent_at   timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE spent_keys IS 'Unique keys that were enqueued with unique_for => ''ever''. Outlives the tickets; a key that is deleted here may be used again.';
