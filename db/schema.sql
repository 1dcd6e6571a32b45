-- The schema that db/migrations make, in one file to be read. SchemaIT keeps it equal; this writes it anew:
-- mvn verify -Dtest=SchemaIT -Dsurefire.failIfNoSpecifiedTests=false -Dschema.write=true
-- Views are as their migration has them, without their schema.

GRANT USAGE ON SCHEMA holdfast TO holdfast_designer, holdfast_operator, holdfast_producer, holdfast_viewer, holdfast_worker;

CREATE SEQUENCE holdfast.lease_no_seq;
COMMENT ON SEQUENCE holdfast.lease_no_seq IS 'The fencing tokens: every claim takes the next one as the id of its lease.';

CREATE TABLE holdfast.attempt_output (
  ticket_id bigint NOT NULL,
  lease_no bigint NOT NULL,
  stream text COLLATE "C" NOT NULL,
  from_byte bigint NOT NULL,
  to_byte bigint NOT NULL,
  pieces integer NOT NULL,
  written_at timestamp with time zone NOT NULL DEFAULT now(),
  text text NOT NULL,
  CONSTRAINT attempt_output_pkey PRIMARY KEY (ticket_id, lease_no, stream, from_byte),
  CONSTRAINT known_stream CHECK ((stream = ANY (ARRAY['stdout'::text, 'stderr'::text])))
) WITH (fillfactor=70);
COMMENT ON TABLE holdfast.attempt_output IS 'The last 64 KiB or a little more of what the program of each attempt printed, without secrets, about once a second while it runs. Goes with its ticket. Read it with holdfast logs.';
COMMENT ON COLUMN holdfast.attempt_output.from_byte IS 'Where the chunk begins in its stream.';
COMMENT ON COLUMN holdfast.attempt_output.to_byte IS 'Where the stream was read up to.';
COMMENT ON COLUMN holdfast.attempt_output.pieces IS 'How often the chunk was added to: a piece that comes twice is not added twice.';
GRANT SELECT ON holdfast.attempt_output TO holdfast_designer, holdfast_operator, holdfast_viewer;
GRANT SELECT, INSERT, UPDATE, DELETE ON holdfast.attempt_output TO holdfast_worker;

CREATE TABLE holdfast.auto_retry_switches (
  ticket_id bigint NOT NULL,
  enabled boolean NOT NULL,
  changed_by text NOT NULL,
  changed_at timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
  CONSTRAINT auto_retry_switches_pkey PRIMARY KEY (ticket_id)
);
COMMENT ON TABLE holdfast.auto_retry_switches IS 'Tickets whose sessions retry, or do not, because a person says so: it counts before the design and the configuration, on every worker, until it is switched again. Goes with its ticket.';
GRANT SELECT ON holdfast.auto_retry_switches TO holdfast_designer, holdfast_operator, holdfast_viewer;
GRANT SELECT, INSERT, UPDATE, DELETE ON holdfast.auto_retry_switches TO holdfast_worker;

CREATE TABLE holdfast.batch_followers (
  ticket_id bigint NOT NULL,
  batch_id bigint NOT NULL,
  ended_at timestamp with time zone,
  CONSTRAINT batch_followers_pkey PRIMARY KEY (ticket_id, batch_id)
);
CREATE INDEX batch_followers_open ON holdfast.batch_followers USING btree (batch_id, ticket_id) WHERE (ended_at IS NULL);
COMMENT ON TABLE holdfast.batch_followers IS 'One row for each ticket that waits or has waited for a batch (enqueue_ticket, after_batch): one, however many tickets the batch has. As with ticket_dependencies, a ticket with an open row is in neither ready nor deferred.';
COMMENT ON COLUMN holdfast.batch_followers.ended_at IS 'When the batch ended; NULL while the follower waits for it.';
GRANT SELECT ON holdfast.batch_followers TO holdfast_designer, holdfast_operator, holdfast_viewer;
GRANT SELECT, INSERT, UPDATE, DELETE ON holdfast.batch_followers TO holdfast_worker;

CREATE TABLE holdfast.batches (
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  title text,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  created_by text NOT NULL,
  closed_at timestamp with time zone,
  cancelled_at timestamp with time zone,
  ended_at timestamp with time zone,
  total bigint,
  settled_below bigint NOT NULL DEFAULT 0,
  settled_done bigint NOT NULL DEFAULT 0,
  settled_cancelled bigint NOT NULL DEFAULT 0,
  look_at timestamp with time zone,
  counts jsonb,
  counted_at timestamp with time zone,
  count_took interval,
  base_at timestamp with time zone,
  base_finished bigint,
  CONSTRAINT batches_pkey PRIMARY KEY (id)
);
CREATE INDEX batches_to_look_at ON holdfast.batches USING btree (look_at) WHERE (ended_at IS NULL);
COMMENT ON TABLE holdfast.batches IS 'Tickets that came together: enqueue_batch, or open_batch, enqueue_ticket(batch_id) and close_batch. Read batch_progress(id).';
COMMENT ON COLUMN holdfast.batches.closed_at IS 'Since when it takes no further tickets. Only then can it end, and can a ticket wait for it.';
COMMENT ON COLUMN holdfast.batches.cancelled_at IS 'When a person cancelled the whole batch: tickets that wait for it go on hold when it has ended.';
COMMENT ON COLUMN holdfast.batches.ended_at IS 'When a worker saw that all its tickets are done or cancelled.';
COMMENT ON COLUMN holdfast.batches.total IS 'How many tickets it had when it was closed.';
COMMENT ON COLUMN holdfast.batches.settled_below IS 'All its tickets with smaller ids have ended; settled_done and settled_cancelled count them. Retention may have deleted them since.';
COMMENT ON COLUMN holdfast.batches.look_at IS 'When a worker looks next whether it has ended. NULL until it is closed.';
COMMENT ON COLUMN holdfast.batches.counts IS 'Its open tickets by state, as batch_progress last counted them.';
COMMENT ON COLUMN holdfast.batches.count_took IS 'How long that took. Nobody counts again before twenty times as long has passed, so that viewers do not slow the workers.';
COMMENT ON COLUMN holdfast.batches.base_at IS 'From when on the rate is measured that foretells the end; base_finished had been worked then.';
GRANT SELECT ON holdfast.batches TO holdfast_designer, holdfast_operator, holdfast_viewer;
GRANT SELECT, INSERT, UPDATE, DELETE ON holdfast.batches TO holdfast_worker;

CREATE TABLE holdfast.budget_reservations (
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  ticket_id bigint NOT NULL,
  lease_no bigint NOT NULL,
  scopes text[] NOT NULL,
  usd numeric NOT NULL,
  made_at timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
  CONSTRAINT budget_reservations_pkey PRIMARY KEY (id),
  CONSTRAINT budget_reservations_usd_check CHECK ((usd >= (0)::numeric))
) WITH (autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=500);
COMMENT ON TABLE holdfast.budget_reservations IS 'Calls that are on their way, with what they may cost at worst. One that outlives its lease was possibly billed: it is booked as spent, whole.';
GRANT SELECT ON holdfast.budget_reservations TO holdfast_designer, holdfast_operator, holdfast_viewer;
GRANT SELECT, INSERT, UPDATE, DELETE ON holdfast.budget_reservations TO holdfast_worker;

CREATE TABLE holdfast.budgets (
  scope text COLLATE "C" NOT NULL,
  per text COLLATE "C" NOT NULL,
  limit_usd numeric NOT NULL,
  configured_usd numeric,
  day date NOT NULL DEFAULT ((clock_timestamp() AT TIME ZONE 'UTC'::text))::date,
  spent_usd numeric NOT NULL DEFAULT 0,
  reserved_usd numeric NOT NULL DEFAULT 0,
  changed_by text NOT NULL,
  changed_at timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
  configured_per text COLLATE "C",
  CONSTRAINT budgets_pkey PRIMARY KEY (scope),
  CONSTRAINT budgets_reserved_usd_check CHECK ((reserved_usd >= (0)::numeric)),
  CONSTRAINT budgets_spent_usd_check CHECK ((spent_usd >= (0)::numeric)),
  CONSTRAINT known_period CHECK ((per = ANY (ARRAY['day'::text, 'total'::text]))),
  CONSTRAINT known_scope CHECK (((scope = 'day'::text) OR (scope ~ '^(design|key):.+$'::text))),
  CONSTRAINT limit_is_an_amount CHECK (((limit_usd >= (0)::numeric) AND (limit_usd <= (1000000000)::numeric)))
) WITH (fillfactor=50, autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=500);
COMMENT ON TABLE holdfast.budgets IS 'What calls of models may cost in all, over all workers. A call''s worst cost is reserved before it is sent, its true cost booked after; holdfast budgets shows them, holdfast budgets raise changes them. Without a row nothing is counted.';
COMMENT ON COLUMN holdfast.budgets.scope IS 'day: all calls. design:NAME: those of a design''s tickets. key:PROVIDER/KEY_ID: those of one key.';
COMMENT ON COLUMN holdfast.budgets.per IS 'day: the spending starts anew at midnight UTC by the database''s clock; total: never.';
COMMENT ON COLUMN holdfast.budgets.limit_usd IS 'What spent_usd and reserved_usd together may not exceed.';
COMMENT ON COLUMN holdfast.budgets.configured_usd IS 'What the configuration says; limit_usd follows it when it changes, and keeps what a person has set until then.';
COMMENT ON COLUMN holdfast.budgets.day IS 'The day that spent_usd is of.';
COMMENT ON COLUMN holdfast.budgets.configured_per IS 'The period that the configuration says, as configured_usd is its amount; NULL where it says nothing, and until the next start of a worker where it said so before this column.';
GRANT SELECT ON holdfast.budgets TO holdfast_designer, holdfast_operator, holdfast_viewer;
GRANT SELECT, INSERT, UPDATE, DELETE ON holdfast.budgets TO holdfast_worker;

CREATE TABLE holdfast.claim_limits (
  scope text COLLATE "C" NOT NULL,
  queue text COLLATE "C",
  design text COLLATE "C",
  concurrent integer,
  per_key integer,
  rate integer,
  per interval,
  burst integer,
  set_at timestamp with time zone NOT NULL DEFAULT now(),
  set_by text NOT NULL,
  CONSTRAINT a_rate_has_a_time CHECK ((((rate IS NULL) = (per IS NULL)) AND ((rate IS NULL) = (burst IS NULL)))),
  CONSTRAINT claim_limits_design_key UNIQUE (design),
  CONSTRAINT claim_limits_pkey PRIMARY KEY (scope),
  CONSTRAINT claim_limits_queue_key UNIQUE (queue),
  CONSTRAINT limits_are_positive CHECK (((concurrent > 0) AND (per_key > 0) AND (rate > 0) AND (per > '00:00:00'::interval) AND (burst > 0))),
  CONSTRAINT limits_something CHECK ((num_nonnulls(concurrent, per_key, rate) > 0)),
  CONSTRAINT scope_is_a_queue_or_a_design CHECK ((((scope = ('queue:'::text || queue)) AND (design IS NULL)) OR ((scope = ('design:'::text || design)) AND (queue IS NULL))))
);
COMMENT ON TABLE holdfast.claim_limits IS 'What set_limit has set. Read the view limits.';
GRANT SELECT ON holdfast.claim_limits TO holdfast_designer, holdfast_operator, holdfast_viewer;
GRANT SELECT, INSERT, UPDATE, DELETE ON holdfast.claim_limits TO holdfast_worker;

CREATE TABLE holdfast.deferred (
  run_at timestamp with time zone NOT NULL,
  created_at timestamp with time zone NOT NULL,
  id bigint NOT NULL,
  priority integer NOT NULL,
  queue text COLLATE "C" NOT NULL,
  kind text COLLATE "C" NOT NULL
) WITH (autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=1000, autovacuum_vacuum_cost_limit=2000);
ALTER TABLE holdfast.deferred REPLICA IDENTITY FULL;
CREATE UNIQUE INDEX deferred_by_time ON holdfast.deferred USING btree (run_at, id);
COMMENT ON TABLE holdfast.deferred IS 'The tickets that wait for their retry_after, apart from the ready ones so that a claim never walks over them.';
GRANT SELECT ON holdfast.deferred TO holdfast_designer, holdfast_operator, holdfast_viewer;
GRANT SELECT, INSERT, UPDATE, DELETE ON holdfast.deferred TO holdfast_worker;

CREATE TABLE holdfast.designs (
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  name text COLLATE "C" NOT NULL,
  version integer NOT NULL,
  kind text COLLATE "C" NOT NULL,
  definition jsonb NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  created_by text NOT NULL DEFAULT SESSION_USER,
  CONSTRAINT definition_is_an_object CHECK ((jsonb_typeof(definition) = 'object'::text)),
  CONSTRAINT design_name_is_plain CHECK ((name ~ '^[A-Za-z0-9][A-Za-z0-9._:/-]{0,99}$'::text)),
  CONSTRAINT designs_name_version_key UNIQUE (name, version),
  CONSTRAINT designs_pkey PRIMARY KEY (id),
  CONSTRAINT designs_version_check CHECK ((version > 0))
);
CREATE TRIGGER check_retry BEFORE INSERT OR UPDATE OF definition ON holdfast.designs FOR EACH ROW WHEN ((new.definition ? 'retry'::text)) EXECUTE FUNCTION holdfast.check_retry_of_design();
CREATE TRIGGER keep_designs BEFORE DELETE OR UPDATE OF id OR TRUNCATE ON holdfast.designs FOR EACH STATEMENT EXECUTE FUNCTION holdfast.keep_designs();
CREATE TRIGGER measure_definition BEFORE INSERT ON holdfast.designs FOR EACH ROW EXECUTE FUNCTION holdfast.measure_definition();
CREATE TRIGGER name_design_author BEFORE INSERT ON holdfast.designs FOR EACH ROW EXECUTE FUNCTION holdfast.name_design_author();
CREATE TRIGGER refuse_design_change BEFORE UPDATE ON holdfast.designs FOR EACH ROW EXECUTE FUNCTION holdfast.refuse_design_change();
COMMENT ON TABLE holdfast.designs IS 'How a kind of ticket is worked. Versions are added, never changed in place: a ticket keeps the version it was enqueued with.';
GRANT SELECT ON holdfast.designs TO holdfast_operator, holdfast_viewer;
GRANT SELECT, INSERT ON holdfast.designs TO holdfast_designer;
GRANT SELECT, INSERT, UPDATE, DELETE ON holdfast.designs TO holdfast_worker;

CREATE TABLE holdfast.entry_limits (
  only_row boolean NOT NULL DEFAULT true,
  payload_max_expanded_bytes bigint NOT NULL,
  CONSTRAINT entry_limits_only_row_check CHECK (only_row),
  CONSTRAINT entry_limits_pkey PRIMARY KEY (only_row)
);
COMMENT ON TABLE holdfast.entry_limits IS 'What may come in, for whoever brings it. Each worker that starts writes its configuration here.';
COMMENT ON COLUMN holdfast.entry_limits.payload_max_expanded_bytes IS 'payload.max-expanded-bytes: the longest payload or definition, as text of jsonb.';
GRANT SELECT ON holdfast.entry_limits TO holdfast_designer, holdfast_operator, holdfast_viewer;
GRANT SELECT, INSERT, UPDATE, DELETE ON holdfast.entry_limits TO holdfast_worker;

CREATE TABLE holdfast.fairness_weights (
  fairness_key text COLLATE "C" NOT NULL,
  weight integer NOT NULL,
  set_at timestamp with time zone NOT NULL DEFAULT now(),
  set_by text NOT NULL,
  CONSTRAINT fairness_weights_pkey PRIMARY KEY (fairness_key),
  CONSTRAINT weight_is_from_1_to_1000 CHECK (((weight >= 1) AND (weight <= 1000)))
);
COMMENT ON TABLE holdfast.fairness_weights IS 'How many tickets a fairness key has claimed at each of its turns; one without a row has one. See set_weight.';
GRANT SELECT ON holdfast.fairness_weights TO holdfast_designer, holdfast_operator, holdfast_viewer;
GRANT SELECT, INSERT, UPDATE, DELETE ON holdfast.fairness_weights TO holdfast_worker;

CREATE TABLE holdfast.figures_cursor (
  only_row boolean NOT NULL DEFAULT true,
  counted_until timestamp with time zone NOT NULL,
  next_at timestamp with time zone NOT NULL DEFAULT '-infinity'::timestamp with time zone,
  took_ms double precision NOT NULL DEFAULT 0,
  CONSTRAINT figures_cursor_only_row_check CHECK (only_row),
  CONSTRAINT figures_cursor_pkey PRIMARY KEY (only_row)
) WITH (fillfactor=50);
COMMENT ON TABLE holdfast.figures_cursor IS 'How far the figures are counted. Whoever counts has the row locked, so that nothing is counted twice.';
COMMENT ON COLUMN holdfast.figures_cursor.next_at IS 'Before that nobody counts: 15 seconds after the last time, or 50 times as long as it took.';
COMMENT ON COLUMN holdfast.figures_cursor.took_ms IS 'How long the last count took.';
GRANT SELECT ON holdfast.figures_cursor TO holdfast_designer, holdfast_operator, holdfast_viewer;
GRANT SELECT, INSERT, UPDATE, DELETE ON holdfast.figures_cursor TO holdfast_worker;

CREATE TABLE holdfast.held (
  id bigint NOT NULL,
  held_at timestamp with time zone NOT NULL,
  queue text COLLATE "C" NOT NULL,
  kind text COLLATE "C" NOT NULL,
  category text COLLATE "C" NOT NULL,
  fingerprint text COLLATE "C" NOT NULL,
  CONSTRAINT held_pkey PRIMARY KEY (id)
) WITH (autovacuum_vacuum_scale_factor=0.1, autovacuum_analyze_scale_factor=0.1);
CREATE INDEX held_by_error ON holdfast.held USING btree (fingerprint, category, id);
COMMENT ON TABLE holdfast.held IS 'The tickets that wait for a person, apart from all others so that they can be counted by error at once. Kept by triggers; do not write it by hand. Read on_hold_tickets and error_groups.';
COMMENT ON COLUMN holdfast.held.category IS 'As tickets.error_category; empty where the ticket has no error.';
COMMENT ON COLUMN holdfast.held.fingerprint IS 'As tickets.error_fingerprint; empty where the ticket has no error.';
GRANT SELECT ON holdfast.held TO holdfast_designer, holdfast_operator, holdfast_viewer;
GRANT SELECT, INSERT, UPDATE, DELETE ON holdfast.held TO holdfast_worker;

CREATE TABLE holdfast.imported_tickets (
  source text COLLATE "C" NOT NULL,
  source_id text COLLATE "C" NOT NULL,
  ticket_id bigint NOT NULL,
  imported_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT imported_tickets_pkey PRIMARY KEY (source, source_id)
);
COMMENT ON TABLE holdfast.imported_tickets IS 'Which row of another table became which ticket: holdfast migrate --from SCHEMA.TABLE takes each row once. Outlives its tickets; a row that is deleted here is taken again.';
COMMENT ON COLUMN holdfast.imported_tickets.source IS 'The table, as in public.tickets.';
COMMENT ON COLUMN holdfast.imported_tickets.source_id IS 'Its id in that table, as text.';
GRANT SELECT ON holdfast.imported_tickets TO holdfast_designer, holdfast_operator, holdfast_viewer;
GRANT SELECT, INSERT, UPDATE, DELETE ON holdfast.imported_tickets TO holdfast_worker;

CREATE TABLE holdfast.in_line (
  created_at timestamp with time zone NOT NULL,
  id bigint NOT NULL,
  line integer NOT NULL,
  priority integer NOT NULL,
  turn_group text COLLATE "C" NOT NULL,
  concurrency_key text COLLATE "C" NOT NULL,
  design text COLLATE "C" NOT NULL
) WITH (autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=1000, autovacuum_vacuum_cost_limit=2000);
ALTER TABLE holdfast.in_line REPLICA IDENTITY FULL;
CREATE UNIQUE INDEX in_line_by_turn ON holdfast.in_line USING btree (line, ((~ priority)), turn_group, created_at, id);
COMMENT ON TABLE holdfast.in_line IS 'Ready tickets that have a key or a limit, apart from ready: a claim of others never reads them. Kept by functions; do not write it by hand.';
COMMENT ON COLUMN holdfast.in_line.line IS 'Of line_gates: queue and kind.';
COMMENT ON COLUMN holdfast.in_line.turn_group IS 'Tickets in which no limit sees a difference: whose turn it is (f and the fairness key, or else c and the concurrency key, or else a hyphen), concurrency key and design, with the character 1 between them.';
COMMENT ON COLUMN holdfast.in_line.concurrency_key IS 'Empty if it has none, as design.';
GRANT SELECT ON holdfast.in_line TO holdfast_designer, holdfast_operator, holdfast_viewer;
GRANT SELECT, INSERT, UPDATE, DELETE ON holdfast.in_line TO holdfast_worker;

CREATE TABLE holdfast.lanes (
  queue text COLLATE "C" NOT NULL,
  kind text COLLATE "C" NOT NULL,
  CONSTRAINT kind_name_is_plain CHECK ((kind ~ '^[A-Za-z0-9][A-Za-z0-9._:/-]{0,99}$'::text)),
  CONSTRAINT lanes_pkey PRIMARY KEY (queue, kind),
  CONSTRAINT lanes_queue_fkey FOREIGN KEY (queue) REFERENCES holdfast.queues(name)
) WITH (autovacuum_analyze_threshold=0, autovacuum_vacuum_insert_threshold=0, autovacuum_vacuum_insert_scale_factor=0.1);
COMMENT ON TABLE holdfast.lanes IS 'Every pair of queue and kind that ever had a ticket: a worker claims from the lanes whose kinds it can run, so tickets of other kinds never stand in its way.';
GRANT SELECT ON holdfast.lanes TO holdfast_designer, holdfast_operator, holdfast_viewer;
GRANT SELECT, INSERT, UPDATE, DELETE ON holdfast.lanes TO holdfast_worker;

CREATE TABLE holdfast.leases (
  id bigint NOT NULL,
  claimed_at timestamp with time zone NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  worker_id text NOT NULL,
  ids bigint[] NOT NULL,
  revoked bigint[] NOT NULL DEFAULT '{}'::bigint[],
  for_ms bigint,
  renewed_at timestamp with time zone,
  suspect boolean NOT NULL DEFAULT false,
  CONSTRAINT leases_pkey PRIMARY KEY (id)
) WITH (fillfactor=50, autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=500, autovacuum_vacuum_cost_limit=2000, toast_tuple_target=8160);
COMMENT ON TABLE holdfast.leases IS 'One row per claimed batch. id is the lease_no of every ticket in ids; expires_at moves with each heartbeat; revoked lists tickets a person cancelled or held meanwhile.';
COMMENT ON COLUMN holdfast.leases.for_ms IS 'How long it held when it was claimed, in milliseconds.';
COMMENT ON COLUMN holdfast.leases.renewed_at IS 'The last heartbeat that renewed it. A worker that was heard of later than that lives, and does not know the lease or has let it go.';
COMMENT ON COLUMN holdfast.leases.suspect IS 'Its one ticket is a suspect: a worker died that had it. If this one dies too, nothing else that it had is blamed.';
GRANT SELECT ON holdfast.leases TO holdfast_designer, holdfast_operator, holdfast_viewer;
GRANT SELECT, INSERT, UPDATE, DELETE ON holdfast.leases TO holdfast_worker;

CREATE TABLE holdfast.limit_gates (
  scope text COLLATE "C" NOT NULL,
  full_at timestamp with time zone NOT NULL DEFAULT '-infinity'::timestamp with time zone,
  CONSTRAINT limit_gates_pkey PRIMARY KEY (scope)
) WITH (fillfactor=50);
COMMENT ON TABLE holdfast.limit_gates IS 'One row per limit: a claim that takes tickets under it has the row locked, so one at a time does. The others skip them. People lock claim_limits, never this.';
COMMENT ON COLUMN holdfast.limit_gates.full_at IS 'When the bucket of a rate is full again if nothing starts before.';
GRANT SELECT ON holdfast.limit_gates TO holdfast_designer, holdfast_operator, holdfast_viewer;
GRANT SELECT, INSERT, UPDATE, DELETE ON holdfast.limit_gates TO holdfast_worker;

CREATE TABLE holdfast.line_gates (
  line integer GENERATED BY DEFAULT AS IDENTITY NOT NULL,
  queue text COLLATE "C" NOT NULL,
  kind text COLLATE "C" NOT NULL,
  last_group text COLLATE "C" NOT NULL DEFAULT ''::text,
  turns jsonb NOT NULL DEFAULT '{}'::jsonb,
  CONSTRAINT line_gates_line_key UNIQUE (line),
  CONSTRAINT line_gates_pkey PRIMARY KEY (queue, kind)
) WITH (fillfactor=50);
COMMENT ON TABLE holdfast.line_gates IS 'One row per lane that ever had tickets in line: a claim that takes some of them has it locked, and notes where the next one goes on. The others skip the lane.';
COMMENT ON COLUMN holdfast.line_gates.last_group IS 'in_line.turn_group behind which the next claim of a priority begins that turns does not know.';
COMMENT ON COLUMN holdfast.line_gates.turns IS 'By priority: in_line.turn_group behind which the next claim begins, and how many tickets the key there has had of a turn that goes on. Those of the last 16 priorities at most.';
GRANT SELECT ON holdfast.line_gates TO holdfast_designer, holdfast_operator, holdfast_viewer;
GRANT SELECT, INSERT, UPDATE, DELETE ON holdfast.line_gates TO holdfast_worker;

CREATE TABLE holdfast.line_slots (
  ticket_id bigint NOT NULL,
  lease_no bigint NOT NULL,
  queue text COLLATE "C" NOT NULL,
  concurrency_key text COLLATE "C" NOT NULL,
  design text COLLATE "C" NOT NULL,
  CONSTRAINT line_slots_pkey PRIMARY KEY (ticket_id, lease_no)
) WITH (autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=1000, autovacuum_vacuum_cost_limit=2000);
CREATE INDEX line_slots_by_design ON holdfast.line_slots USING btree (design, concurrency_key) WHERE (design <> ''::text);
CREATE INDEX line_slots_by_queue ON holdfast.line_slots USING btree (queue, concurrency_key);
COMMENT ON TABLE holdfast.line_slots IS 'One row per running ticket that a limit counts. It goes in the transaction that ends the attempt; mend_lines drops what is left over.';
GRANT SELECT ON holdfast.line_slots TO holdfast_designer, holdfast_operator, holdfast_viewer;
GRANT SELECT, INSERT, UPDATE, DELETE ON holdfast.line_slots TO holdfast_worker;

CREATE TABLE holdfast.model_figures (
  starts_at timestamp with time zone NOT NULL,
  answers bigint NOT NULL,
  tokens_in bigint NOT NULL,
  tokens_out bigint NOT NULL,
  span_minutes integer NOT NULL,
  provider text COLLATE "C" NOT NULL,
  model text COLLATE "C" NOT NULL,
  design text COLLATE "C" NOT NULL,
  cost_usd numeric,
  CONSTRAINT known_span CHECK ((span_minutes = ANY (ARRAY[1, 15, 120]))),
  CONSTRAINT model_figures_pkey PRIMARY KEY (span_minutes, starts_at, provider, model, design)
) WITH (fillfactor=70);
COMMENT ON TABLE holdfast.model_figures IS 'What models have answered and cost, by time, model and design, as ticket_figures; also in attempts that still run.';
COMMENT ON COLUMN holdfast.model_figures.answers IS 'Answers that came, useless ones and summaries included; those in steps of repairs are not counted, and none of a call that was cut or broken off.';
COMMENT ON COLUMN holdfast.model_figures.tokens_in IS 'Read from caches and written to them included.';
COMMENT ON COLUMN holdfast.model_figures.provider IS 'Empty, as model, where an older version wrote the journal, which did not name one of summaries and of steps of repairs.';
COMMENT ON COLUMN holdfast.model_figures.cost_usd IS 'In US dollars, of the answers whose model has a price; NULL if none has.';
GRANT SELECT ON holdfast.model_figures TO holdfast_designer, holdfast_operator, holdfast_viewer;
GRANT SELECT, INSERT, UPDATE, DELETE ON holdfast.model_figures TO holdfast_worker;

CREATE TABLE holdfast.producer_grants (
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  grantee name COLLATE "C" NOT NULL,
  queue text NOT NULL,
  kind text,
  design text,
  CONSTRAINT kind_or_design CHECK (((kind IS NULL) <> (design IS NULL))),
  CONSTRAINT producer_grants_grantee_queue_kind_design_key UNIQUE NULLS NOT DISTINCT (grantee, queue, kind, design),
  CONSTRAINT producer_grants_pkey PRIMARY KEY (id)
);
COMMENT ON TABLE holdfast.producer_grants IS 'What members of holdfast_producer may enqueue with produce_ticket: each row one queue and one kind or design. INSERT INTO holdfast.producer_grants (grantee, queue, design) VALUES (''shop'', ''mail'', ''welcome''). Only the owner of the schema writes it.';
COMMENT ON COLUMN holdfast.producer_grants.grantee IS 'A database user, or a role that users are members of.';
COMMENT ON COLUMN holdfast.producer_grants.kind IS 'For tickets without a design.';
GRANT SELECT ON holdfast.producer_grants TO holdfast_designer, holdfast_operator, holdfast_viewer, holdfast_worker;

CREATE TABLE holdfast.provider_cooldowns (
  provider text COLLATE "C" NOT NULL,
  key_id text COLLATE "C" NOT NULL DEFAULT ''::text,
  model text COLLATE "C" NOT NULL DEFAULT ''::text,
  until timestamp with time zone,
  reason text COLLATE "C" NOT NULL,
  detail text NOT NULL DEFAULT ''::text,
  http_status integer,
  since timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
  reported_by text NOT NULL,
  last_ticket bigint,
  failures integer NOT NULL DEFAULT 0,
  rounds integer NOT NULL DEFAULT 0,
  length_ms bigint NOT NULL DEFAULT 0,
  probe_by text,
  probe_until timestamp with time zone,
  told_at timestamp with time zone,
  CONSTRAINT known_reason CHECK ((reason = ANY (ARRAY['rate_limit'::text, 'overloaded'::text, 'outage'::text, 'usage_limit'::text, 'auth'::text, 'quota'::text]))),
  CONSTRAINT provider_cooldowns_failures_check CHECK ((failures >= 0)),
  CONSTRAINT provider_cooldowns_pkey PRIMARY KEY (provider, key_id, model),
  CONSTRAINT provider_cooldowns_rounds_check CHECK ((rounds >= 0))
) WITH (fillfactor=50, autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=500);
CREATE TRIGGER tell_end_of_outage AFTER DELETE ON holdfast.provider_cooldowns FOR EACH ROW WHEN ((old.told_at IS NOT NULL)) EXECUTE FUNCTION holdfast.tell_end_of_outage();
COMMENT ON TABLE holdfast.provider_cooldowns IS 'Providers and accounts that nobody in the cluster should call before a time. A row goes with the first answer of its account after that time; holdfast providers shows them, holdfast providers mend NAME deletes them.';
COMMENT ON COLUMN holdfast.provider_cooldowns.provider IS 'Its name in the configuration.';
COMMENT ON COLUMN holdfast.provider_cooldowns.key_id IS 'Which of its keys: the start of the key''s SHA-256, never the key. Empty: the provider as a whole, whatever the key.';
COMMENT ON COLUMN holdfast.provider_cooldowns.model IS 'Empty: all its models.';
COMMENT ON COLUMN holdfast.provider_cooldowns.until IS 'Nobody calls before; infinity: until a person mends it. Past: one caller tries whether it is over. NULL: none, only signs of an outage so far.';
COMMENT ON COLUMN holdfast.provider_cooldowns.reason IS 'rate_limit, overloaded, outage, usage_limit: passes by itself. auth (the key is refused), quota (its money is used up): a person''s.';
COMMENT ON COLUMN holdfast.provider_cooldowns.detail IS 'The provider''s own words, shortened.';
COMMENT ON COLUMN holdfast.provider_cooldowns.failures IS 'Signs of an outage in a row; an answer ends the row, and the count with it.';
COMMENT ON COLUMN holdfast.provider_cooldowns.rounds IS 'Cool-downs in a row without an answer between them: each is twice as long as the one before, up to cooldown.max-delay.';
COMMENT ON COLUMN holdfast.provider_cooldowns.length_ms IS 'How long the present one is in all; the starts after its end are spread by a part of it.';
COMMENT ON COLUMN holdfast.provider_cooldowns.probe_by IS 'The worker whose call tries whether it is over.';
COMMENT ON COLUMN holdfast.provider_cooldowns.probe_until IS 'When that try is taken for lost and another caller may.';
COMMENT ON COLUMN holdfast.provider_cooldowns.told_at IS 'When people were told that it has not answered for cooldown.notice-after; once in an outage, whatever the number of workers.';
GRANT SELECT ON holdfast.provider_cooldowns TO holdfast_designer, holdfast_operator, holdfast_viewer;
GRANT SELECT, INSERT, UPDATE, DELETE ON holdfast.provider_cooldowns TO holdfast_worker;

CREATE TABLE holdfast.queues (
  name text COLLATE "C" NOT NULL,
  retry jsonb,
  paused_at timestamp with time zone,
  paused_by text,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT queue_name_is_plain CHECK ((name ~ '^[A-Za-z0-9][A-Za-z0-9._:-]{0,62}$'::text)),
  CONSTRAINT queues_pkey PRIMARY KEY (name)
);
CREATE INDEX queues_with_retry_settings ON holdfast.queues USING btree (name) WHERE (retry IS NOT NULL);
CREATE TRIGGER check_retry BEFORE INSERT OR UPDATE OF retry ON holdfast.queues FOR EACH ROW WHEN ((new.retry IS NOT NULL)) EXECUTE FUNCTION holdfast.check_retry_of_queue();
COMMENT ON TABLE holdfast.queues IS 'One row per queue, made when its first ticket arrives. A paused queue is not claimed from; the pause survives restarts.';
COMMENT ON COLUMN holdfast.queues.retry IS 'Overrides of the retry configuration for this queue, same shape as `retry` in holdfast.yaml, snake_case: {"categories": {"transient": {"max_retries": 5, "base_delay": "1m"}}}.';
COMMENT ON COLUMN holdfast.queues.paused_at IS 'Set while paused: pause_queue(name, actor), resume_queue(name, actor).';
COMMENT ON COLUMN holdfast.queues.paused_by IS 'Who paused it first.';
GRANT SELECT ON holdfast.queues TO holdfast_designer, holdfast_operator, holdfast_viewer;
GRANT SELECT, INSERT, UPDATE, DELETE ON holdfast.queues TO holdfast_worker;

CREATE TABLE holdfast.ready (
  priority integer NOT NULL,
  created_at timestamp with time zone NOT NULL,
  id bigint NOT NULL,
  queue text COLLATE "C" NOT NULL,
  kind text COLLATE "C" NOT NULL
) WITH (autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=1000, autovacuum_vacuum_cost_limit=2000);
ALTER TABLE holdfast.ready REPLICA IDENTITY FULL;
CREATE UNIQUE INDEX ready_in_claim_order ON holdfast.ready USING btree (queue, kind, ((~ priority)), created_at, id);
COMMENT ON TABLE holdfast.ready IS 'The tickets a worker may claim now, in claim order: priority DESC, created_at, id. Kept by triggers and functions; do not write it by hand.';
GRANT SELECT ON holdfast.ready TO holdfast_designer, holdfast_operator, holdfast_viewer;
GRANT SELECT, INSERT, UPDATE, DELETE ON holdfast.ready TO holdfast_worker;

CREATE TABLE holdfast.release_tickets (
  release_id bigint NOT NULL,
  n integer NOT NULL,
  ticket_id bigint NOT NULL,
  fingerprint text COLLATE "C",
  step integer,
  fence bigint,
  released_at timestamp with time zone,
  outcome text COLLATE "C",
  CONSTRAINT outcome_of_ticket_is_known CHECK ((outcome = ANY (ARRAY['succeeded'::text, 'same_error'::text, 'other_error'::text, 'ended'::text, 'skipped'::text]))),
  CONSTRAINT release_tickets_pkey PRIMARY KEY (release_id, n)
);
CREATE INDEX release_tickets_waiting ON holdfast.release_tickets USING btree (release_id, n) WHERE ((released_at IS NOT NULL) AND (outcome IS NULL));
COMMENT ON TABLE holdfast.release_tickets IS 'The tickets of a release, the longest held first.';
COMMENT ON COLUMN holdfast.release_tickets.fingerprint IS 'The error that it was held with.';
COMMENT ON COLUMN holdfast.release_tickets.fence IS 'Attempts under a later lease are those after the release.';
COMMENT ON COLUMN holdfast.release_tickets.outcome IS 'What became of it: succeeded; same_error: an attempt failed with the fingerprint again; other_error: it is on hold for another reason; ended: a person cancelled it; skipped: somebody else had released or cancelled it before. NULL while it waits, or runs.';
GRANT SELECT ON holdfast.release_tickets TO holdfast_designer, holdfast_operator, holdfast_viewer;
GRANT SELECT, INSERT, UPDATE, DELETE ON holdfast.release_tickets TO holdfast_worker;

CREATE TABLE holdfast.released_holds (
  ticket_id bigint NOT NULL,
  released_at timestamp with time zone NOT NULL DEFAULT now(),
  held_at timestamp with time zone NOT NULL,
  completed_at timestamp with time zone,
  retry_after timestamp with time zone,
  guidance_id bigint,
  started_over_seq bigint,
  retry_count integer,
  attempt_count integer NOT NULL,
  crash_count integer NOT NULL,
  same_error_count integer NOT NULL,
  retry_counts jsonb,
  hold_reason text,
  hold_actions text[],
  release_key text COLLATE "C",
  CONSTRAINT released_holds_pkey PRIMARY KEY (ticket_id)
) WITH (fillfactor=70);
CREATE INDEX released_holds_by_key ON holdfast.released_holds USING btree (release_key, released_at) WHERE (release_key IS NOT NULL);
COMMENT ON TABLE holdfast.released_holds IS 'The last hold of each ticket that was released, as it was, so that unrelease_ticket can restore it. Goes with its ticket.';
COMMENT ON COLUMN holdfast.released_holds.guidance_id IS 'The guidance that came with the release.';
COMMENT ON COLUMN holdfast.released_holds.started_over_seq IS 'The entry of session_journal that let the session begin anew, where the release asked for that.';
COMMENT ON COLUMN holdfast.released_holds.release_key IS 'The release that the ticket belongs to, for undo_release; NULL where it belongs to none, or once undo_release has come too late for it.';
GRANT SELECT ON holdfast.released_holds TO holdfast_designer, holdfast_operator, holdfast_viewer;
GRANT SELECT, INSERT, UPDATE, DELETE ON holdfast.released_holds TO holdfast_worker;

CREATE TABLE holdfast.releases (
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  created_by text NOT NULL,
  channel text,
  selection jsonb NOT NULL,
  steps integer[] NOT NULL,
  guidance text,
  keep_retries boolean NOT NULL,
  fresh boolean NOT NULL,
  total bigint NOT NULL,
  step integer NOT NULL DEFAULT 1,
  step_left integer,
  look_at timestamp with time zone NOT NULL DEFAULT now(),
  ended_at timestamp with time zone,
  outcome text COLLATE "C",
  reason text,
  CONSTRAINT release_outcome_is_known CHECK ((outcome = ANY (ARRAY['completed'::text, 'stopped'::text]))),
  CONSTRAINT releases_pkey PRIMARY KEY (id)
);
CREATE INDEX releases_to_look_at ON holdfast.releases USING btree (look_at) WHERE (ended_at IS NULL);
COMMENT ON TABLE holdfast.releases IS 'Releases of many held tickets in steps: start_release, stop_release, release_status. A worker takes each to its next step.';
COMMENT ON COLUMN holdfast.releases.selection IS 'Which tickets were asked for: {"fingerprint", "category", "batch_id"} or {"ids"}.';
COMMENT ON COLUMN holdfast.releases.steps IS 'How many tickets each step releases, the canary first; 0 is all that are left.';
COMMENT ON COLUMN holdfast.releases.total IS 'How many held tickets it began with; they are rows of release_tickets.';
COMMENT ON COLUMN holdfast.releases.step IS 'The step it is in, from 1.';
COMMENT ON COLUMN holdfast.releases.step_left IS 'How many tickets the step has still to release; NULL before it has begun.';
COMMENT ON COLUMN holdfast.releases.look_at IS 'When a worker looks at it next.';
COMMENT ON COLUMN holdfast.releases.outcome IS 'completed: all steps were taken; stopped: by a person, or because the error came back. NULL while it goes on.';
COMMENT ON COLUMN holdfast.releases.reason IS 'Why it stopped, in words.';
GRANT SELECT ON holdfast.releases TO holdfast_designer, holdfast_operator, holdfast_viewer;
GRANT SELECT, INSERT, UPDATE, DELETE ON holdfast.releases TO holdfast_worker;

CREATE TABLE holdfast.request_keys (
  key text COLLATE "C" NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  request_hash text NOT NULL,
  ticket_id bigint,
  etag text,
  answer text,
  CONSTRAINT request_keys_pkey PRIMARY KEY (key)
);
CREATE INDEX request_keys_by_time ON holdfast.request_keys USING btree (created_at);
COMMENT ON TABLE holdfast.request_keys IS 'Idempotency-Key of POSTs to the API: the same request under the same key is done once and answered alike, for 24 hours.';
COMMENT ON COLUMN holdfast.request_keys.key IS 'A hash of the key and of whose it is.';
COMMENT ON COLUMN holdfast.request_keys.request_hash IS 'Of what was asked: another request under the same key is a mistake.';
COMMENT ON COLUMN holdfast.request_keys.answer IS 'The body of the answer; NULL where the server ended between the deed and its answer.';
GRANT SELECT, INSERT, UPDATE, DELETE ON holdfast.request_keys TO holdfast_worker;

CREATE TABLE holdfast.retry_aborts (
  ticket_id bigint NOT NULL,
  lease_no bigint NOT NULL,
  requested_at timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
  requested_by text NOT NULL,
  CONSTRAINT retry_aborts_pkey PRIMARY KEY (ticket_id)
);
COMMENT ON TABLE holdfast.retry_aborts IS 'Orders to end the retry that a running session waits in. Its worker takes an order away; one that finds no retry waiting is void after 15 seconds.';
GRANT SELECT ON holdfast.retry_aborts TO holdfast_designer, holdfast_operator, holdfast_viewer;
GRANT SELECT, INSERT, UPDATE, DELETE ON holdfast.retry_aborts TO holdfast_worker;

CREATE TABLE holdfast.schedules (
  name text COLLATE "C" NOT NULL,
  cron text,
  every interval,
  zone text NOT NULL DEFAULT 'UTC'::text,
  design text,
  kind text,
  title text,
  payload jsonb NOT NULL DEFAULT '{}'::jsonb,
  queue text COLLATE "C" NOT NULL DEFAULT 'default'::text,
  priority integer NOT NULL DEFAULT 0,
  catch_up text NOT NULL DEFAULT 'last'::text,
  overlap text NOT NULL DEFAULT 'allow'::text,
  anchor_at timestamp with time zone NOT NULL DEFAULT date_trunc('second'::text, now()),
  next_at timestamp with time zone,
  last_at timestamp with time zone,
  last_ticket bigint,
  skipped bigint NOT NULL DEFAULT 0,
  problem text,
  paused_at timestamp with time zone,
  paused_by text,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  updated_at timestamp with time zone NOT NULL DEFAULT now(),
  updated_by text NOT NULL,
  next_runs timestamp with time zone[],
  CONSTRAINT catch_up_is_known CHECK ((catch_up = ANY (ARRAY['none'::text, 'last'::text, 'all'::text]))),
  CONSTRAINT overlap_is_known CHECK ((overlap = ANY (ARRAY['allow'::text, 'skip'::text, 'queue'::text]))),
  CONSTRAINT schedule_has_a_design_or_a_kind CHECK (((design IS NOT NULL) OR (kind IS NOT NULL))),
  CONSTRAINT schedule_has_one_rhythm CHECK (((cron IS NULL) <> (every IS NULL))),
  CONSTRAINT schedule_name_is_plain CHECK ((name ~ '^[A-Za-z0-9][A-Za-z0-9._:-]{0,99}$'::text)),
  CONSTRAINT schedules_pkey PRIMARY KEY (name)
);
CREATE INDEX schedules_by_time ON holdfast.schedules USING btree (next_at) WHERE ((paused_at IS NULL) AND (problem IS NULL));
COMMENT ON TABLE holdfast.schedules IS 'Tickets that come again and again: put_schedule, pause_schedule, resume_schedule, run_schedule, delete_schedule.';
COMMENT ON COLUMN holdfast.schedules.cron IS 'Minute, hour, day of month, month, day of week, in the time of zone; or @hourly, @daily, @weekly, @monthly, @yearly. Or else every.';
COMMENT ON COLUMN holdfast.schedules.every IS 'From anchor_at on, at least one second; days are 24 hours.';
COMMENT ON COLUMN holdfast.schedules.design IS 'By name: each ticket gets the version that is the latest at its time.';
COMMENT ON COLUMN holdfast.schedules.catch_up IS 'What comes of times at which no worker ran: none is made up for, the last one is, or all are.';
COMMENT ON COLUMN holdfast.schedules.overlap IS 'What happens while the schedule''s last ticket is ready, in progress or on hold: allow another one, skip the time, or queue it until that one has ended.';
COMMENT ON COLUMN holdfast.schedules.next_at IS 'When the next ticket is due. NULL until a worker has worked it out, or where problem says why there is none.';
COMMENT ON COLUMN holdfast.schedules.last_at IS 'The last time a ticket was made for; not when it was made.';
COMMENT ON COLUMN holdfast.schedules.skipped IS 'How many times made no ticket because the last one had not ended.';
COMMENT ON COLUMN holdfast.schedules.problem IS 'Why no ticket comes of it, in words; put_schedule again mends it.';
COMMENT ON COLUMN holdfast.schedules.next_runs IS 'The next ten times, next_at the first of them. NULL until a worker has worked them out, within ten seconds, or at the end of a pause; NULL too where problem says why there is none. While no worker runs it stands still, as next_at does.';
GRANT SELECT ON holdfast.schedules TO holdfast_designer, holdfast_operator, holdfast_viewer;
GRANT SELECT, INSERT, UPDATE, DELETE ON holdfast.schedules TO holdfast_worker;

CREATE TABLE holdfast.session_events (
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  ticket_id bigint NOT NULL,
  lease_no bigint NOT NULL,
  at timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
  event text COLLATE "C" NOT NULL,
  details jsonb NOT NULL,
  CONSTRAINT session_events_pkey PRIMARY KEY (id)
) WITH (autovacuum_vacuum_insert_scale_factor=0.1);
CREATE INDEX session_events_by_ticket ON holdfast.session_events USING btree (ticket_id, id);
COMMENT ON TABLE holdfast.session_events IS 'What happens in agents'' sessions, for those who watch: turns, model calls, tools, retries, warnings. No pieces of texts. A worker under pressure drops the oldest unwritten ones; session_journal is the record. Goes with its ticket.';
GRANT SELECT ON holdfast.session_events TO holdfast_designer, holdfast_operator, holdfast_viewer;
GRANT SELECT, INSERT, UPDATE, DELETE ON holdfast.session_events TO holdfast_worker;

CREATE TABLE holdfast.session_journal (
  ticket_id bigint NOT NULL,
  seq bigint NOT NULL,
  lease_no bigint NOT NULL,
  written_at timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
  kind text COLLATE "C" NOT NULL,
  entry jsonb NOT NULL,
  CONSTRAINT session_journal_pkey PRIMARY KEY (ticket_id, seq),
  CONSTRAINT session_journal_seq_check CHECK ((seq > 0))
) WITH (autovacuum_vacuum_insert_scale_factor=0.1);
CREATE INDEX session_journal_paid ON holdfast.session_journal USING btree (written_at) WHERE (kind = ANY (ARRAY['answered'::text, 'discarded'::text, 'compacted'::text]));
CREATE INDEX session_journal_steps ON holdfast.session_journal USING btree (written_at) WHERE (kind = 'step_finished'::text);
COMMENT ON TABLE holdfast.session_journal IS 'Every finished step of an agent''s sessions, in order: what was said, answered, done. The next attempt goes on behind the last one. Append-only; goes with its ticket.';
COMMENT ON COLUMN holdfast.session_journal.seq IS 'Counts the steps of a ticket from 1.';
COMMENT ON COLUMN holdfast.session_journal.lease_no IS 'The attempt that wrote it; only the lease under which the ticket is in progress may.';
COMMENT ON COLUMN holdfast.session_journal.kind IS 'said, answered, discarded, turn_failed, tool_started, tool_finished, compacted or ended; step_finished in work that is no conversation, such as a repair; started_over where a person had the session begin anew: what stands before it is for the record only.';
COMMENT ON COLUMN holdfast.session_journal.entry IS 'The step. U+FDD0 and four hexadecimal digits stand for a character that PostgreSQL cannot store: NUL or half a surrogate pair.';
GRANT SELECT ON holdfast.session_journal TO holdfast_designer, holdfast_operator, holdfast_viewer;
GRANT SELECT, INSERT, UPDATE, DELETE ON holdfast.session_journal TO holdfast_worker;

CREATE TABLE holdfast.spent_keys (
  unique_key text COLLATE "C" NOT NULL,
  ticket_id bigint NOT NULL,
  spent_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT spent_keys_pkey PRIMARY KEY (unique_key)
);
COMMENT ON TABLE holdfast.spent_keys IS 'Unique keys that were enqueued with unique_for => ''ever''. Outlives the tickets; a key that is deleted here may be used again.';
GRANT SELECT ON holdfast.spent_keys TO holdfast_designer, holdfast_operator, holdfast_viewer;
GRANT SELECT, INSERT, UPDATE, DELETE ON holdfast.spent_keys TO holdfast_worker;

CREATE TABLE holdfast.suspects (
  priority integer NOT NULL,
  created_at timestamp with time zone NOT NULL,
  id bigint NOT NULL,
  queue text COLLATE "C" NOT NULL,
  kind text COLLATE "C" NOT NULL,
  CONSTRAINT suspects_pkey PRIMARY KEY (id)
);
COMMENT ON TABLE holdfast.suspects IS 'Ready tickets of which one worker died, apart from the others: a worker takes one at a time. Kept by take_tickets.';
GRANT SELECT ON holdfast.suspects TO holdfast_designer, holdfast_operator, holdfast_viewer;
GRANT SELECT, INSERT, UPDATE, DELETE ON holdfast.suspects TO holdfast_worker;

CREATE TABLE holdfast.ticket_activity (
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  ticket_id bigint,
  created_at timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
  action text COLLATE "C" NOT NULL,
  actor text NOT NULL,
  details jsonb NOT NULL DEFAULT '{}'::jsonb,
  channel text,
  CONSTRAINT ticket_activity_pkey PRIMARY KEY (id)
) WITH (autovacuum_vacuum_insert_scale_factor=0, autovacuum_vacuum_insert_threshold=50000);
CREATE INDEX ticket_activity_by_ticket ON holdfast.ticket_activity USING btree (ticket_id, id);
CREATE INDEX ticket_activity_by_time ON holdfast.ticket_activity USING brin (created_at) WITH (pages_per_range='16');
COMMENT ON TABLE holdfast.ticket_activity IS 'Who decided what, when: retry decisions by the system, releases, rejections, holds, cancellations, pauses by people. Append-only.';
COMMENT ON COLUMN holdfast.ticket_activity.channel IS 'How a person came: api, console, cli, mcp, or sql: and the database user; NULL for what the system decided.';
GRANT SELECT ON holdfast.ticket_activity TO holdfast_designer, holdfast_operator, holdfast_viewer;
GRANT SELECT, INSERT, UPDATE, DELETE ON holdfast.ticket_activity TO holdfast_worker;

CREATE TABLE holdfast.ticket_assignments (
  ticket_id bigint NOT NULL,
  assignee text NOT NULL,
  assigned_at timestamp with time zone NOT NULL DEFAULT now(),
  assigned_by text NOT NULL,
  CONSTRAINT assignee_is_a_name CHECK (((btrim(assignee) <> ''::text) AND (length(assignee) <= 100))),
  CONSTRAINT ticket_assignments_pkey PRIMARY KEY (ticket_id)
);
CREATE INDEX ticket_assignments_by_person ON holdfast.ticket_assignments USING btree (assignee, ticket_id);
COMMENT ON TABLE holdfast.ticket_assignments IS 'Which person looks after a ticket: assign_ticket(id, assignee, actor). For people only: no worker looks at it. Goes with its ticket.';
GRANT SELECT ON holdfast.ticket_assignments TO holdfast_designer, holdfast_operator, holdfast_viewer;
GRANT SELECT, INSERT, UPDATE, DELETE ON holdfast.ticket_assignments TO holdfast_worker;

CREATE TABLE holdfast.ticket_attempts (
  ticket_id bigint NOT NULL,
  lease_no bigint NOT NULL,
  started_at timestamp with time zone NOT NULL,
  finished_at timestamp with time zone NOT NULL,
  attempt integer NOT NULL,
  http_status integer,
  outcome text COLLATE "C" NOT NULL,
  worker_id text NOT NULL,
  category text COLLATE "C",
  rule text,
  fingerprint text COLLATE "C",
  error text,
  result jsonb,
  error_title text,
  CONSTRAINT known_outcome CHECK ((outcome = ANY (ARRAY['succeeded'::text, 'failed'::text, 'crashed'::text, 'given_back'::text, 'revoked'::text, 'deferred'::text, 'parked'::text, 'advanced'::text]))) NOT VALID -- not validated,
  CONSTRAINT ticket_attempts_pkey PRIMARY KEY (ticket_id, lease_no)
) WITH (autovacuum_vacuum_insert_scale_factor=0, autovacuum_vacuum_insert_threshold=50000);
CREATE INDEX ticket_attempts_by_time ON holdfast.ticket_attempts USING brin (finished_at) WITH (pages_per_range='16');
COMMENT ON TABLE holdfast.ticket_attempts IS 'One row per finished execution of a ticket. A running one is seen in tickets (state in_progress).';
COMMENT ON COLUMN holdfast.ticket_attempts.attempt IS 'Counts every execution of the ticket from 1, whatever became of it; never reset, unlike tickets.retry_count.';
COMMENT ON COLUMN holdfast.ticket_attempts.outcome IS 'succeeded, failed, crashed (its lease expired), given_back (its worker was stopped; uses up no retry), deferred (it waits for a provider; uses up no retry), revoked (a person cancelled or held the ticket), parked (it waits for a person''s word before it goes on; uses up no retry), advanced (a workflow that waits for its steps).';
COMMENT ON COLUMN holdfast.ticket_attempts.rule IS 'The classifier rule that decided the category: holdfast classify explains it.';
COMMENT ON COLUMN holdfast.ticket_attempts.error_title IS 'The line of the error that says why, as "ValueError: cannot parse row 177"; NULL where nobody found one.';
GRANT SELECT ON holdfast.ticket_attempts TO holdfast_designer, holdfast_operator, holdfast_viewer;
GRANT SELECT, INSERT, UPDATE, DELETE ON holdfast.ticket_attempts TO holdfast_worker;

CREATE TABLE holdfast.ticket_base (
  id bigint GENERATED BY DEFAULT AS IDENTITY NOT NULL,
  fence bigint NOT NULL DEFAULT 0,
  design_id bigint,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  updated_at timestamp with time zone NOT NULL DEFAULT now(),
  started_at timestamp with time zone,
  completed_at timestamp with time zone,
  retry_after timestamp with time zone,
  held_at timestamp with time zone,
  priority integer NOT NULL DEFAULT 0,
  retry_count integer DEFAULT 0,
  rejection_count integer NOT NULL DEFAULT 0,
  attempt_count integer NOT NULL DEFAULT 0,
  crash_count integer NOT NULL DEFAULT 0,
  same_error_count integer NOT NULL DEFAULT 0,
  guidance_count integer NOT NULL DEFAULT 0,
  state text COLLATE "C" NOT NULL DEFAULT 'ready'::text,
  queue text COLLATE "C" NOT NULL DEFAULT 'default'::text,
  kind text COLLATE "C" NOT NULL,
  assignee_type text COLLATE "C" DEFAULT 'agent'::text,
  unique_key text COLLATE "C",
  title text,
  payload jsonb NOT NULL DEFAULT '{}'::jsonb,
  retry_strategy jsonb,
  retry_counts jsonb,
  error text,
  error_category text COLLATE "C",
  error_fingerprint text COLLATE "C",
  hold_reason text,
  hold_actions text[],
  result jsonb,
  max_cost_usd numeric,
  filed boolean NOT NULL DEFAULT holdfast.refuse_unfiled_ticket(),
  payload_bytes integer,
  error_title text,
  expires_at timestamp with time zone,
  concurrency_key text COLLATE "C",
  fairness_key text COLLATE "C",
  follows boolean,
  batch_id bigint,
  CONSTRAINT ticket_base_pkey PRIMARY KEY (id)
) WITH (fillfactor=45, autovacuum_vacuum_scale_factor=0.05, autovacuum_analyze_scale_factor=0.02);
CREATE INDEX ticket_held ON holdfast.ticket_base USING btree (held_at, id) WHERE (held_at IS NOT NULL);
CREATE INDEX ticket_of_batch ON holdfast.ticket_base USING btree (batch_id, id) WHERE (batch_id IS NOT NULL);
CREATE UNIQUE INDEX ticket_unique_key ON holdfast.ticket_base USING btree (unique_key) WHERE (unique_key IS NOT NULL);
CREATE TRIGGER file_held_at_delete AFTER DELETE ON holdfast.ticket_base FOR EACH ROW WHEN ((old.held_at IS NOT NULL)) EXECUTE FUNCTION holdfast.file_held_ticket();
CREATE TRIGGER file_held_at_update AFTER UPDATE OF held_at, queue, kind ON holdfast.ticket_base FOR EACH ROW WHEN (((old.held_at IS DISTINCT FROM new.held_at) OR ((new.held_at IS NOT NULL) AND ((((old.queue IS DISTINCT FROM new.queue) OR (old.kind IS DISTINCT FROM new.kind)) OR (old.error_category IS DISTINCT FROM new.error_category)) OR (old.error_fingerprint IS DISTINCT FROM new.error_fingerprint))))) EXECUTE FUNCTION holdfast.file_held_ticket();
CREATE TRIGGER forget_held AFTER TRUNCATE ON holdfast.ticket_base FOR EACH STATEMENT EXECUTE FUNCTION holdfast.forget_held();
CREATE TRIGGER forget_people AFTER DELETE ON holdfast.ticket_base REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION holdfast.forget_people();
CREATE TRIGGER forget_sessions AFTER DELETE ON holdfast.ticket_base REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION holdfast.forget_sessions();
CREATE TRIGGER forget_waits AFTER DELETE ON holdfast.ticket_base REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION holdfast.forget_waits();
CREATE TRIGGER keep_released_hold AFTER UPDATE OF held_at ON holdfast.ticket_base FOR EACH ROW WHEN (((old.held_at IS NOT NULL) AND (new.held_at IS NULL) AND (new.state = 'ready'::text))) EXECUTE FUNCTION holdfast.keep_released_hold();
CREATE TRIGGER measure_payload BEFORE UPDATE OF payload ON holdfast.ticket_base FOR EACH ROW EXECUTE FUNCTION holdfast.measure_payload();
ALTER TABLE holdfast.ticket_base ENABLE ALWAYS TRIGGER measure_payload;
CREATE TRIGGER refuse_broken_rule AFTER UPDATE OF assignee_type, retry_count, max_cost_usd ON holdfast.ticket_base FOR EACH ROW WHEN (((new.assignee_type <> ALL (ARRAY['agent'::text, 'human'::text])) OR (new.retry_count < 0) OR ((new.max_cost_usd < (0)::numeric) OR (new.max_cost_usd > (1000000000)::numeric)))) EXECUTE FUNCTION holdfast.refuse_broken_rule();
CREATE TRIGGER refuse_transition AFTER UPDATE OF state, held_at ON holdfast.ticket_base FOR EACH ROW WHEN (((old.state <> 'ready'::text) OR (new.held_at IS NOT NULL) OR (new.state <> ALL (ARRAY['ready'::text, 'needs_review'::text, 'done'::text])))) EXECUTE FUNCTION holdfast.refuse_transition();
COMMENT ON TABLE holdfast.ticket_base IS 'The stored part of a ticket. Read and write the view `tickets` instead: only it knows which tickets are in progress.';
COMMENT ON COLUMN holdfast.ticket_base.fence IS 'The last lease_no whose result was applied. A result is accepted only from a lease that is newer and still there.';
COMMENT ON COLUMN holdfast.ticket_base.design_id IS 'designs.id, which is never deleted: the functions that insert a ticket have looked it up.';
COMMENT ON COLUMN holdfast.ticket_base.filed IS 'Always true. Who inserts a row says so, and files the ticket in the same transaction, with file_tickets or as enqueue_ticket does.';
COMMENT ON COLUMN holdfast.ticket_base.payload_bytes IS 'How many bytes payload::text has, or a little more; NULL where nobody measured it. Whatever is not known to be small is read alone.';
COMMENT ON COLUMN holdfast.ticket_base.error_title IS 'The line of the error that says why; NULL where nobody found one.';
COMMENT ON COLUMN holdfast.ticket_base.expires_at IS 'As it was asked for; ticket_deadlines has it only while it can still expire.';
COMMENT ON COLUMN holdfast.ticket_base.follows IS 'True where it is given results of others: then it is read by itself after its claim.';
COMMENT ON COLUMN holdfast.ticket_base.batch_id IS 'The batch it came with (batches.id); never changes.';
GRANT SELECT ON holdfast.ticket_base TO holdfast_designer, holdfast_operator, holdfast_viewer;
GRANT SELECT, INSERT, UPDATE, DELETE ON holdfast.ticket_base TO holdfast_worker;

CREATE TABLE holdfast.ticket_deadlines (
  ticket_id bigint NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  CONSTRAINT ticket_deadlines_pkey PRIMARY KEY (ticket_id)
);
CREATE INDEX ticket_deadlines_by_time ON holdfast.ticket_deadlines USING btree (expires_at, ticket_id);
COMMENT ON TABLE holdfast.ticket_deadlines IS 'One row for each ticket that expires (enqueue_ticket, expires_at), until that time. Claims look here for what has expired: mostly the table is empty or nothing is due.';
COMMENT ON COLUMN holdfast.ticket_deadlines.expires_at IS 'If no worker has started the ticket before, it is put on hold.';
GRANT SELECT ON holdfast.ticket_deadlines TO holdfast_designer, holdfast_operator, holdfast_viewer;
GRANT SELECT, INSERT, UPDATE, DELETE ON holdfast.ticket_deadlines TO holdfast_worker;

CREATE TABLE holdfast.ticket_dependencies (
  ticket_id bigint NOT NULL,
  after_id bigint NOT NULL,
  ended_at timestamp with time zone,
  name text,
  on_success boolean,
  on_cancelled text,
  item integer,
  queued boolean,
  CONSTRAINT ticket_dependencies_pkey PRIMARY KEY (ticket_id, after_id)
) WITH (fillfactor=60);
CREATE INDEX ticket_dependencies_after ON holdfast.ticket_dependencies USING btree (after_id, ticket_id);
CREATE INDEX ticket_dependencies_given ON holdfast.ticket_dependencies USING btree (after_id, ticket_id) WHERE ((name IS NOT NULL) AND (item IS NULL));
CREATE INDEX ticket_dependencies_queued ON holdfast.ticket_dependencies USING btree (ticket_id, name, item) WHERE queued;
COMMENT ON TABLE holdfast.ticket_dependencies IS 'One row for each ticket that another one waits or has waited for (enqueue_ticket, after). A ticket with an open row is in neither ready nor deferred, so no claim reads it.';
COMMENT ON COLUMN holdfast.ticket_dependencies.ticket_id IS 'The follower, which waits.';
COMMENT ON COLUMN holdfast.ticket_dependencies.after_id IS 'The predecessor, for which it waits. Retention may have deleted it since.';
COMMENT ON COLUMN holdfast.ticket_dependencies.ended_at IS 'When the predecessor was done, or was cancelled and the follower held; NULL while the follower waits for it.';
COMMENT ON COLUMN holdfast.ticket_dependencies.name IS 'Under which name the follower is given the predecessor''s result; of a workflow its step. NULL: it is not given it.';
COMMENT ON COLUMN holdfast.ticket_dependencies.on_success IS 'True where a success that waits for its review is enough.';
COMMENT ON COLUMN holdfast.ticket_dependencies.on_cancelled IS 'What becomes of the follower if the predecessor is cancelled: run or cancel; NULL is held.';
COMMENT ON COLUMN holdfast.ticket_dependencies.item IS 'The place, from 0, in the list that a step of a workflow is worked for.';
COMMENT ON COLUMN holdfast.ticket_dependencies.queued IS 'True while the item waits for its turn in a step of limited breadth.';
GRANT SELECT ON holdfast.ticket_dependencies TO holdfast_designer, holdfast_operator, holdfast_viewer;
GRANT SELECT, INSERT, UPDATE, DELETE ON holdfast.ticket_dependencies TO holdfast_worker;

CREATE TABLE holdfast.ticket_figures (
  starts_at timestamp with time zone NOT NULL,
  n bigint NOT NULL,
  span_minutes integer NOT NULL,
  queue text COLLATE "C" NOT NULL,
  design text COLLATE "C" NOT NULL,
  event text COLLATE "C" NOT NULL,
  category text COLLATE "C" NOT NULL,
  CONSTRAINT known_span CHECK ((span_minutes = ANY (ARRAY[1, 15, 120]))),
  CONSTRAINT ticket_figures_pkey PRIMARY KEY (span_minutes, starts_at, event, category, queue, design)
) WITH (fillfactor=70);
COMMENT ON TABLE holdfast.ticket_figures IS 'How often what happened to tickets, by time, queue and design. The same is counted three times: by minute (kept 3 hours), by 15 minutes (3 days), by 2 hours (90 days). Outlives the tickets. Some seconds behind; see figures_cursor.';
COMMENT ON COLUMN holdfast.ticket_figures.starts_at IS 'From then on, for span_minutes.';
COMMENT ON COLUMN holdfast.ticket_figures.design IS 'Empty for tickets without one.';
COMMENT ON COLUMN holdfast.ticket_figures.event IS 'An outcome of ticket_attempts; or held or released, by whomever.';
COMMENT ON COLUMN holdfast.ticket_figures.category IS 'The category of a failed attempt; else empty.';
GRANT SELECT ON holdfast.ticket_figures TO holdfast_designer, holdfast_operator, holdfast_viewer;
GRANT SELECT, INSERT, UPDATE, DELETE ON holdfast.ticket_figures TO holdfast_worker;

CREATE TABLE holdfast.ticket_guidance (
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  ticket_id bigint NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
  author text NOT NULL,
  source text NOT NULL,
  guidance text NOT NULL,
  question text,
  answer jsonb,
  CONSTRAINT answered_question CHECK (((source = 'answer'::text) = ((question IS NOT NULL) AND (answer IS NOT NULL)))),
  CONSTRAINT ticket_guidance_guidance_check CHECK ((guidance <> ''::text)),
  CONSTRAINT ticket_guidance_pkey PRIMARY KEY (id),
  CONSTRAINT ticket_guidance_source_check CHECK ((source = ANY (ARRAY['release'::text, 'reject'::text, 'answer'::text])))
);
CREATE INDEX ticket_guidance_by_ticket ON holdfast.ticket_guidance USING btree (ticket_id, id);
COMMENT ON TABLE holdfast.ticket_guidance IS 'What people told a ticket''s next attempts, oldest first. Append-only; every later attempt is given all of it.';
COMMENT ON COLUMN holdfast.ticket_guidance.question IS 'What the job had asked; NULL where this is no answer.';
COMMENT ON COLUMN holdfast.ticket_guidance.answer IS 'The answer as JSON; guidance has it as words. NULL where this is none.';
GRANT SELECT ON holdfast.ticket_guidance TO holdfast_designer, holdfast_operator, holdfast_viewer;
GRANT SELECT, INSERT, UPDATE, DELETE ON holdfast.ticket_guidance TO holdfast_worker;

CREATE TABLE holdfast.ticket_parents (
  ticket_id bigint NOT NULL,
  parent_id bigint NOT NULL,
  CONSTRAINT ticket_parents_pkey PRIMARY KEY (ticket_id)
);
CREATE INDEX ticket_parents_by_parent ON holdfast.ticket_parents USING btree (parent_id, ticket_id);
COMMENT ON TABLE holdfast.ticket_parents IS 'One row for each ticket that another one has added: a step of a workflow, or what a running job was allowed to enqueue.';
COMMENT ON COLUMN holdfast.ticket_parents.parent_id IS 'Who added it. Retention may have deleted it since.';
GRANT SELECT ON holdfast.ticket_parents TO holdfast_designer, holdfast_operator, holdfast_viewer;
GRANT SELECT, INSERT, UPDATE, DELETE ON holdfast.ticket_parents TO holdfast_worker;

CREATE TABLE holdfast.ticket_traces (
  ticket_id bigint NOT NULL,
  traceparent text NOT NULL,
  CONSTRAINT ticket_traces_pkey PRIMARY KEY (ticket_id),
  CONSTRAINT ticket_traces_traceparent_check CHECK ((traceparent ~ '^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$'::text))
);
COMMENT ON TABLE holdfast.ticket_traces IS 'One row for each ticket that was enqueued under a trace (trace_ticket). Only workers that send traces look here.';
COMMENT ON COLUMN holdfast.ticket_traces.traceparent IS 'As W3C Trace Context writes it: 00-<trace>-<span>-<flags>.';
GRANT SELECT ON holdfast.ticket_traces TO holdfast_designer, holdfast_operator, holdfast_viewer;
GRANT SELECT, INSERT, UPDATE, DELETE ON holdfast.ticket_traces TO holdfast_worker;

CREATE TABLE holdfast.ticket_waits (
  ticket_id bigint NOT NULL,
  lease_no bigint NOT NULL,
  kind text COLLATE "C" NOT NULL,
  scopes text[] NOT NULL,
  needed_usd numeric,
  words text NOT NULL,
  since timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
  CONSTRAINT known_kind CHECK ((kind = ANY (ARRAY['provider'::text, 'account'::text, 'budget'::text, 'outage'::text, 'trial'::text]))),
  CONSTRAINT ticket_waits_pkey PRIMARY KEY (ticket_id)
) WITH (fillfactor=70);
COMMENT ON TABLE holdfast.ticket_waits IS 'What tickets last waited for besides their turn. Read waiting_tickets: it leaves out those that wait no more.';
COMMENT ON COLUMN holdfast.ticket_waits.kind IS 'provider: deferred until a cool-down ends. account: held until an account is mended. budget: held until a budget has room. outage: held until a provider answers again. trial: let go of an outage to see whether it does.';
COMMENT ON COLUMN holdfast.ticket_waits.scopes IS 'PROVIDER/KEY_ID/MODEL of accounts, any one of which lets it go on; or the budget without room.';
COMMENT ON COLUMN holdfast.ticket_waits.needed_usd IS 'What its next call may cost at worst.';
GRANT SELECT ON holdfast.ticket_waits TO holdfast_designer, holdfast_operator, holdfast_viewer;
GRANT SELECT, INSERT, UPDATE, DELETE ON holdfast.ticket_waits TO holdfast_worker;

CREATE TABLE holdfast.tool_approvals (
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  ticket_id bigint NOT NULL,
  lease_no bigint NOT NULL,
  answer integer NOT NULL,
  turn integer NOT NULL,
  call_id text NOT NULL,
  tool text NOT NULL,
  arguments text NOT NULL,
  effect text NOT NULL,
  shape text NOT NULL,
  asked_at timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
  decision text COLLATE "C",
  decided_at timestamp with time zone,
  decided_by text,
  words text,
  edited_arguments text,
  approved_hash text,
  remember boolean NOT NULL DEFAULT false,
  remembered_from bigint,
  voided_at timestamp with time zone,
  CONSTRAINT approvals_say_what CHECK ((((decision = 'approved'::text) IS TRUE) = (approved_hash IS NOT NULL))),
  CONSTRAINT decisions_say_who CHECK (((decision IS NULL) = (decided_by IS NULL))),
  CONSTRAINT known_decision CHECK ((decision = ANY (ARRAY['approved'::text, 'denied'::text]))),
  CONSTRAINT tool_approvals_pkey PRIMARY KEY (id)
) WITH (autovacuum_vacuum_insert_scale_factor=0.1);
CREATE UNIQUE INDEX tool_approvals_by_call ON holdfast.tool_approvals USING btree (ticket_id, answer, call_id) WHERE (voided_at IS NULL);
CREATE INDEX tool_approvals_by_ticket ON holdfast.tool_approvals USING btree (ticket_id, id);
COMMENT ON TABLE holdfast.tool_approvals IS 'Calls of tools that a design has under `approval`: what a model wants to do, and what a person said. decide_tool_call decides one. Goes with its ticket.';
COMMENT ON COLUMN holdfast.tool_approvals.id IS 'Names the call: decide_tool_call(ticket, actor, decision, call => id).';
COMMENT ON COLUMN holdfast.tool_approvals.lease_no IS 'The attempt that asked.';
COMMENT ON COLUMN holdfast.tool_approvals.answer IS 'Which answer of the conversation has the call, from 1.';
COMMENT ON COLUMN holdfast.tool_approvals.call_id IS 'The model''s id of the call, unique within its answer.';
COMMENT ON COLUMN holdfast.tool_approvals.arguments IS 'JSON with sorted keys, as the model gave them.';
COMMENT ON COLUMN holdfast.tool_approvals.effect IS 'What the call would do, as far as that can be known before: a diff of a file, a command line with its directory. Of the moment it was asked.';
COMMENT ON COLUMN holdfast.tool_approvals.shape IS 'Tool and arguments without the contents of files: a remembered approval holds for calls of this very shape, in this ticket.';
COMMENT ON COLUMN holdfast.tool_approvals.decision IS 'approved or denied; NULL while it waits.';
COMMENT ON COLUMN holdfast.tool_approvals.words IS 'What the person said with it; the model is told.';
COMMENT ON COLUMN holdfast.tool_approvals.edited_arguments IS 'What the person put in the place of the arguments; NULL if nothing.';
COMMENT ON COLUMN holdfast.tool_approvals.approved_hash IS 'SHA-256 of the tool''s name, a line feed and the arguments that were approved. A call that has another one does not run.';
COMMENT ON COLUMN holdfast.tool_approvals.remember IS 'Further calls of this shape in this ticket are approved with it.';
COMMENT ON COLUMN holdfast.tool_approvals.remembered_from IS 'The approval that this call was approved with, unasked.';
COMMENT ON COLUMN holdfast.tool_approvals.voided_at IS 'When the session started over: what was decided before holds no more.';
GRANT SELECT ON holdfast.tool_approvals TO holdfast_designer, holdfast_operator, holdfast_viewer;
GRANT SELECT, INSERT, UPDATE, DELETE ON holdfast.tool_approvals TO holdfast_worker;

CREATE TABLE holdfast.web_keys (
  id integer NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  secret text NOT NULL,
  CONSTRAINT web_keys_id_check CHECK ((id = 1)),
  CONSTRAINT web_keys_pkey PRIMARY KEY (id)
);
ALTER TABLE holdfast.web_keys ENABLE ROW LEVEL SECURITY;
COMMENT ON TABLE holdfast.web_keys IS 'The key that signs the login cookies of all consoles on this database. A new secret logs everybody out.';

CREATE TABLE holdfast.webhook_cursors (
  name text COLLATE "C" NOT NULL,
  activity_id bigint NOT NULL,
  held_by text,
  held_until timestamp with time zone,
  updated_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT webhook_cursors_pkey PRIMARY KEY (name)
);
COMMENT ON TABLE holdfast.webhook_cursors IS 'How far each webhook has told of holds. One process at a time tells: the one that holds the row''s lease.';
COMMENT ON COLUMN holdfast.webhook_cursors.name IS 'A hash of the webhook''s address.';
COMMENT ON COLUMN holdfast.webhook_cursors.activity_id IS 'Everything in ticket_activity up to here was told, or was nothing to tell. Of noted:budget:SCOPE: what was noted of the budget, 0 that there is room, 1 nearly used up, 2 used up. Of noted:reviews and noted:digest: nothing.';
COMMENT ON COLUMN holdfast.webhook_cursors.held_until IS 'Another process may take over from then on.';
GRANT SELECT ON holdfast.webhook_cursors TO holdfast_designer, holdfast_operator, holdfast_viewer;
GRANT SELECT, INSERT, UPDATE, DELETE ON holdfast.webhook_cursors TO holdfast_worker;

CREATE TABLE holdfast.workers (
  id text NOT NULL,
  host text NOT NULL,
  pid bigint NOT NULL,
  version text NOT NULL,
  queues text[],
  kinds text[] NOT NULL,
  concurrency integer NOT NULL,
  state text NOT NULL,
  wants_wakeup boolean NOT NULL DEFAULT false,
  started_at timestamp with time zone NOT NULL DEFAULT now(),
  heartbeat_at timestamp with time zone NOT NULL DEFAULT now(),
  blamed boolean NOT NULL DEFAULT false,
  CONSTRAINT workers_pkey PRIMARY KEY (id),
  CONSTRAINT workers_state_check CHECK ((state = ANY (ARRAY['running'::text, 'draining'::text, 'stopped'::text])))
) WITH (fillfactor=50);
COMMENT ON TABLE holdfast.workers IS 'One row per start of a worker process: host, pid and a random part make a new identity every time.';
COMMENT ON COLUMN holdfast.workers.queues IS 'The queues it claims from; NULL means all.';
COMMENT ON COLUMN holdfast.workers.wants_wakeup IS 'True while it may be waiting for work: enqueuers send a NOTIFY only if some worker wants one.';
COMMENT ON COLUMN holdfast.workers.blamed IS 'It died while it had a suspect, and that was blamed for it.';
GRANT SELECT ON holdfast.workers TO holdfast_designer, holdfast_operator, holdfast_viewer;
GRANT SELECT, INSERT, UPDATE, DELETE ON holdfast.workers TO holdfast_worker;

CREATE TABLE holdfast.workflows (
  ticket_id bigint NOT NULL,
  parked boolean NOT NULL DEFAULT false,
  news boolean NOT NULL DEFAULT false,
  skipped text[] NOT NULL DEFAULT '{}'::text[],
  CONSTRAINT workflows_pkey PRIMARY KEY (ticket_id)
);
COMMENT ON TABLE holdfast.workflows IS 'One row for each ticket that has steps. The steps themselves are rows of ticket_dependencies.';
COMMENT ON COLUMN holdfast.workflows.parked IS 'True while it waits for its steps. The end of a step files it then, and else leaves news.';
COMMENT ON COLUMN holdfast.workflows.news IS 'True if a step has ended since the ticket was filed.';
COMMENT ON COLUMN holdfast.workflows.skipped IS 'The steps that are not worked, for their condition said no.';
GRANT SELECT ON holdfast.workflows TO holdfast_designer, holdfast_operator, holdfast_viewer;
GRANT SELECT, INSERT, UPDATE, DELETE ON holdfast.workflows TO holdfast_worker;

CREATE OR REPLACE VIEW attempt_costs AS
SELECT a.ticket_id, a.lease_no, a.attempt, d.name AS design, d.version AS design_version, a.outcome, a.category, a.fingerprint,
  a.started_at, a.finished_at, j.answers, j.tokens_in, j.tokens_out, j.cost_usd
FROM ticket_attempts a
JOIN ticket_base b ON b.id = a.ticket_id
LEFT JOIN designs d ON d.id = b.design_id
CROSS JOIN LATERAL (
  SELECT count(*) AS calls, count(*) FILTER (WHERE s.entry->'unanswered' IS DISTINCT FROM 'true') AS answers,
    sum(LEAST((s.entry->'usage'->>'input')::numeric + (s.entry->'usage'->>'cacheRead')::numeric + (s.entry->'usage'->>'cacheWrite')::numeric, 1e12))
      AS tokens_in,
    sum(LEAST((s.entry->'usage'->>'output')::numeric, 1e12)) AS tokens_out,
    sum((s.entry->>'costUsd')::numeric) AS cost_usd
  FROM session_journal s
  WHERE s.ticket_id = a.ticket_id AND s.lease_no = a.lease_no
    AND (s.kind IN ('answered', 'discarded') OR s.kind = 'compacted' AND s.entry->'summarised' = 'true')
) j
WHERE j.calls > 0;
COMMENT ON VIEW holdfast.attempt_costs IS 'What each attempt of an agent has paid for: answers of models, and calls that were cut or broken off, with their tokens and, where the models have prices, cost.';
COMMENT ON COLUMN holdfast.attempt_costs.answers IS 'Answers that came, useless ones and summaries included; none of a call that was cut or broken off, which counts in tokens and cost.';
COMMENT ON COLUMN holdfast.attempt_costs.cost_usd IS 'Of the calls whose model has a price; NULL if none has.';
GRANT SELECT ON holdfast.attempt_costs TO holdfast_designer, holdfast_operator, holdfast_viewer;
GRANT SELECT, INSERT, UPDATE, DELETE ON holdfast.attempt_costs TO holdfast_worker;

CREATE OR REPLACE VIEW awaited_providers AS
SELECT split_part(s.scope, '/', 1) AS provider, w.ticket_id, s.scope
FROM ticket_waits w JOIN ticket_base b ON b.id = w.ticket_id AND b.fence = w.lease_no CROSS JOIN LATERAL unnest(w.scopes) AS s (scope)
WHERE CASE b.state
  WHEN 'ready' THEN w.kind IN ('provider', 'trial')
  WHEN 'on_hold' THEN w.kind = 'outage' AND b.hold_reason LIKE 'provider_unavailable:%'
  ELSE false
END;
COMMENT ON VIEW holdfast.awaited_providers IS 'The providers whose answer some ticket waits for: it was put off, is held for an outage or tries just now. A ticket waits for all the keys that it may use.';
GRANT SELECT ON holdfast.awaited_providers TO holdfast_designer, holdfast_operator, holdfast_viewer;
GRANT SELECT, INSERT, UPDATE, DELETE ON holdfast.awaited_providers TO holdfast_worker;

CREATE OR REPLACE VIEW budget_status AS
SELECT b.scope, b.per, b.limit_usd,
  CASE WHEN b.per = 'day' AND b.day < (now() AT TIME ZONE 'UTC')::date THEN 0 ELSE b.spent_usd END AS spent_usd,
  b.reserved_usd, b.configured_usd, b.changed_by, b.changed_at,
  (SELECT count(*) FROM known_waits w WHERE w.kind = 'budget' AND b.scope = ANY (w.scopes)) AS held
FROM budgets b;
COMMENT ON VIEW holdfast.budget_status IS 'Each budget with what is spent of it and what calls on their way have reserved, and how many tickets it holds.';
GRANT SELECT ON holdfast.budget_status TO holdfast_designer, holdfast_operator, holdfast_viewer;
GRANT SELECT, INSERT, UPDATE, DELETE ON holdfast.budget_status TO holdfast_worker;

CREATE OR REPLACE VIEW design_health AS
WITH recent AS (
  SELECT t.design_id, t.state FROM ticket_base t ORDER BY t.id DESC LIMIT 20000
), counted AS (
  SELECT r.design_id, count(*) AS tickets, count(*) FILTER (WHERE r.state IN ('done', 'needs_review')) AS succeeded,
    count(*) FILTER (WHERE r.state IN ('on_hold', 'cancelled')) AS held
  FROM recent r WHERE r.design_id IS NOT NULL GROUP BY r.design_id
)
SELECT d.name, (array_agg(d.kind ORDER BY d.version DESC))[1] AS kind, max(d.version) AS version, count(*) AS versions,
  COALESCE(sum(c.tickets), 0)::bigint AS tickets, COALESCE(sum(c.succeeded), 0)::bigint AS succeeded, COALESCE(sum(c.held), 0)::bigint AS held,
  (SELECT sum(f.cost_usd) FROM model_figures f
   WHERE f.span_minutes = 120 AND f.starts_at > now() - interval '7 days' AND f.design = d.name) AS cost_usd
FROM designs d LEFT JOIN counted c ON c.design_id = d.id
GROUP BY d.name
ORDER BY d.name;
COMMENT ON VIEW holdfast.design_health IS 'Designs with what became of the newest 20,000 tickets, by design, and what models have cost them in the last 7 days.';
COMMENT ON COLUMN holdfast.design_health.version IS 'The latest.';
COMMENT ON COLUMN holdfast.design_health.tickets IS 'How many of these tickets have it, in any version.';
COMMENT ON COLUMN holdfast.design_health.succeeded IS 'Done, or waiting for their review.';
COMMENT ON COLUMN holdfast.design_health.held IS 'On hold, or cancelled.';
COMMENT ON COLUMN holdfast.design_health.cost_usd IS 'NULL where nothing had a price.';
GRANT SELECT ON holdfast.design_health TO holdfast_designer, holdfast_operator, holdfast_viewer;
GRANT SELECT, INSERT, UPDATE, DELETE ON holdfast.design_health TO holdfast_worker;

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
COMMENT ON VIEW holdfast.error_groups IS 'Held tickets by error: equal errors have one fingerprint, so one release by fingerprint mends them all.';
GRANT SELECT ON holdfast.error_groups TO holdfast_designer, holdfast_operator, holdfast_viewer;
GRANT SELECT, INSERT, UPDATE, DELETE ON holdfast.error_groups TO holdfast_worker;

CREATE OR REPLACE VIEW known_waits AS
SELECT w.ticket_id, b.queue, b.state, w.kind, w.scopes, w.words AS waits_for, w.since, b.retry_after, w.needed_usd, w.lease_no
FROM ticket_waits w JOIN ticket_base b ON b.id = w.ticket_id AND b.fence = w.lease_no
WHERE CASE w.kind
  WHEN 'provider' THEN b.state = 'ready' AND b.retry_after > now()
    AND NOT EXISTS (SELECT FROM leases l WHERE l.id > b.fence AND b.id = ANY (l.ids))
  WHEN 'account' THEN b.state = 'on_hold' AND b.hold_reason LIKE 'account_unavailable:%'
  WHEN 'outage' THEN b.state = 'on_hold' AND b.hold_reason LIKE 'provider_unavailable:%'
  WHEN 'budget' THEN b.state = 'on_hold' AND b.hold_reason LIKE 'budget_exceeded:%'
  ELSE false
END
UNION ALL
SELECT f.ticket_id, b.queue, b.state, 'dependency' COLLATE "C", p.scopes, p.words, b.created_at, b.retry_after, NULL::numeric, b.fence
FROM (SELECT DISTINCT d.ticket_id FROM ticket_dependencies d WHERE d.ended_at IS NULL) f
JOIN ticket_base b ON b.id = f.ticket_id AND b.state = 'ready'
CROSS JOIN LATERAL (
  SELECT array_agg('ticket/' || d.after_id ORDER BY d.after_id) AS scopes,
    array_to_string((array_agg(format('#%s', d.after_id) || CASE x.state
      WHEN 'on_hold' THEN to_char(x.held_at AT TIME ZONE 'UTC', '", on hold since "YYYY-MM-DD HH24:MI:SS"Z"')
      WHEN 'needs_review' THEN ', in review'
      ELSE '' END ORDER BY x.held_at, d.after_id))[1:3], ';
COMMENT ON VIEW holdfast.known_waits IS 'The part of waiting_tickets without those that stand in line, of which there may be a million: who asks for one kind of wait asks here.';
GRANT SELECT ON holdfast.known_waits TO holdfast_designer, holdfast_operator, holdfast_viewer;
GRANT SELECT, INSERT, UPDATE, DELETE ON holdfast.known_waits TO holdfast_worker;

CREATE OR REPLACE VIEW limits AS
WITH running AS MATERIALIZED (
  SELECT s.queue, s.design, count(*) AS n FROM line_slots s GROUP BY s.queue, s.design
), waiting AS MATERIALIZED (
  SELECT l.queue, w.design, sum(w.n) AS n
  FROM (SELECT i.line, i.design, count(*) AS n FROM in_line i GROUP BY i.line, i.design) w JOIN line_gates l ON l.line = w.line
  GROUP BY l.queue, w.design
)
SELECT x.scope, x.concurrent, x.per_key, x.rate, x.per, x.burst,
  (SELECT COALESCE(sum(r.n), 0)::bigint FROM running r WHERE r.queue = x.queue OR r.design = x.design) AS running,
  (SELECT COALESCE(sum(w.n), 0)::bigint FROM waiting w WHERE w.queue = x.queue OR w.design = x.design) AS waiting,
  CASE WHEN x.rate IS NOT NULL THEN floor(GREATEST(tokens_left(x, g.full_at), 0))::bigint END AS may_start_now,
  x.set_at, x.set_by
FROM claim_limits x LEFT JOIN limit_gates g ON g.scope = x.scope
ORDER BY x.scope;
COMMENT ON VIEW holdfast.limits IS 'The limits, how many tickets run under each (rates alone do not count them) and how many stand in line there. set_limit, remove_limit.';
GRANT SELECT ON holdfast.limits TO holdfast_designer, holdfast_operator, holdfast_viewer;
GRANT SELECT, INSERT, UPDATE, DELETE ON holdfast.limits TO holdfast_worker;

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
COMMENT ON VIEW holdfast.on_hold_tickets IS 'What waits for a person, the longest first. SELECT holdfast.release_ticket(id, ''you'', ''guidance'') sends one back.';
GRANT SELECT ON holdfast.on_hold_tickets TO holdfast_designer, holdfast_operator, holdfast_viewer;
GRANT SELECT, INSERT, UPDATE, DELETE ON holdfast.on_hold_tickets TO holdfast_worker;

CREATE OR REPLACE VIEW outcomes_by_design AS
SELECT design, design_version, count(*) AS attempts, count(*) FILTER (WHERE outcome = 'succeeded') AS succeeded,
  round(100.0 * count(*) FILTER (WHERE outcome = 'succeeded') / NULLIF(count(*) FILTER (WHERE outcome IN ('succeeded', 'failed', 'crashed')), 0), 2)
    AS success_percent,
  sum(cost_usd) AS cost_usd,
  round(sum(cost_usd) / NULLIF(count(*) FILTER (WHERE outcome = 'succeeded'), 0), 6) AS cost_per_success_usd
FROM attempt_costs
GROUP BY design, design_version
ORDER BY design, design_version;
COMMENT ON VIEW holdfast.outcomes_by_design IS 'How often attempts of each version of an agent''s design succeed, and what that costs.';
COMMENT ON COLUMN holdfast.outcomes_by_design.success_percent IS 'Of the attempts that ran to an end: succeeded, failed, crashed.';
COMMENT ON COLUMN holdfast.outcomes_by_design.cost_per_success_usd IS 'All that was paid, over the successes.';
GRANT SELECT ON holdfast.outcomes_by_design TO holdfast_designer, holdfast_operator, holdfast_viewer;
GRANT SELECT, INSERT, UPDATE, DELETE ON holdfast.outcomes_by_design TO holdfast_worker;

CREATE OR REPLACE VIEW outcomes_by_error AS
SELECT category, fingerprint, count(*) AS attempts, count(DISTINCT ticket_id) AS tickets, sum(cost_usd) AS cost_usd,
  max(finished_at) AS last_at,
  (array_agg(ticket_id ORDER BY finished_at DESC))[1] AS last_ticket_id
FROM attempt_costs
WHERE outcome IN ('failed', 'crashed')
GROUP BY category, fingerprint
ORDER BY sum(cost_usd) DESC NULLS LAST, count(*) DESC;
COMMENT ON VIEW holdfast.outcomes_by_error IS 'What attempts of agents have cost that failed, by category and fingerprint of their errors: what is worth mending first.';
GRANT SELECT ON holdfast.outcomes_by_error TO holdfast_designer, holdfast_operator, holdfast_viewer;
GRANT SELECT, INSERT, UPDATE, DELETE ON holdfast.outcomes_by_error TO holdfast_worker;

CREATE OR REPLACE VIEW outcomes_by_model AS
SELECT m.provider, m.model, count(*) AS attempts, count(*) FILTER (WHERE a.outcome = 'succeeded') AS succeeded,
  round(100.0 * count(*) FILTER (WHERE a.outcome = 'succeeded') / NULLIF(count(*) FILTER (WHERE a.outcome IN ('succeeded', 'failed', 'crashed')), 0), 2)
    AS success_percent,
  sum(m.answers)::bigint AS answers, sum(m.discarded)::bigint AS discarded, sum(m.tokens_in)::bigint AS tokens_in,
  sum(m.tokens_out)::bigint AS tokens_out, sum(m.cost_usd) AS cost_usd
FROM (
  SELECT s.ticket_id, s.lease_no, s.entry->'target'->>'provider' AS provider, s.entry->'target'->>'model' AS model,
    count(*) FILTER (WHERE s.entry->'unanswered' IS DISTINCT FROM 'true') AS answers,
    count(*) FILTER (WHERE s.kind = 'discarded' AND s.entry->'unanswered' IS DISTINCT FROM 'true') AS discarded,
    sum(LEAST((s.entry->'usage'->>'input')::numeric + (s.entry->'usage'->>'cacheRead')::numeric + (s.entry->'usage'->>'cacheWrite')::numeric, 1e12))
      AS tokens_in,
    sum(LEAST((s.entry->'usage'->>'output')::numeric, 1e12)) AS tokens_out, sum((s.entry->>'costUsd')::numeric) AS cost_usd
  FROM session_journal s
  WHERE s.kind IN ('answered', 'discarded') OR s.kind = 'compacted' AND s.entry->'summarised' = 'true' AND s.entry->'target' IS NOT NULL
  GROUP BY s.ticket_id, s.lease_no, provider, model
) m
JOIN ticket_attempts a ON a.ticket_id = m.ticket_id AND a.lease_no = m.lease_no
GROUP BY m.provider, m.model
ORDER BY m.provider, m.model;
COMMENT ON VIEW holdfast.outcomes_by_model IS 'What each model has answered and cost, and how the attempts ended that it had a part in. An attempt with several models counts for each.';
COMMENT ON COLUMN holdfast.outcomes_by_model.answers IS 'Answers that came, useless ones and summaries included; a summary that an older version wrote down is left out, for it names no model.';
COMMENT ON COLUMN holdfast.outcomes_by_model.discarded IS 'Answers that were paid for and of no use.';
GRANT SELECT ON holdfast.outcomes_by_model TO holdfast_designer, holdfast_operator, holdfast_viewer;
GRANT SELECT, INSERT, UPDATE, DELETE ON holdfast.outcomes_by_model TO holdfast_worker;

CREATE OR REPLACE VIEW provider_status AS
SELECT c.provider, c.key_id, c.model,
  CASE
    WHEN c.until = 'infinity' THEN 'unavailable'
    WHEN c.until > now() THEN 'cooling'
    WHEN c.probe_until > now() THEN 'probing'
    ELSE 'half_open'
  END AS state,
  c.reason, c.detail, c.http_status, c.since, NULLIF(c.until, 'infinity') AS until, c.rounds, c.reported_by, c.probe_by,
  (SELECT count(*) FROM known_waits w WHERE c.provider || '/' || c.key_id || '/' || c.model = ANY (w.scopes) AND w.kind = 'provider') AS waiting,
  (SELECT count(*) FROM known_waits w WHERE c.provider || '/' || c.key_id || '/' || c.model = ANY (w.scopes) AND w.kind = 'account') AS held
FROM provider_cooldowns c WHERE c.until IS NOT NULL;
COMMENT ON VIEW holdfast.provider_status IS 'Providers and accounts that are not called now: cooling, half_open (the next caller tries), probing (one tries), unavailable (a person has to mend it); with the tickets that wait.';
GRANT SELECT ON holdfast.provider_status TO holdfast_designer, holdfast_operator, holdfast_viewer;
GRANT SELECT, INSERT, UPDATE, DELETE ON holdfast.provider_status TO holdfast_worker;

CREATE OR REPLACE VIEW queue_health AS
WITH used_up AS MATERIALIZED (
  SELECT x.scope, '' AS key FROM claim_limits x LEFT JOIN limit_gates g ON g.scope = x.scope
  WHERE x.concurrent <= (SELECT count(*) FROM line_slots s WHERE s.queue = x.queue OR s.design = x.design)
    OR x.rate IS NOT NULL AND tokens_left(x, g.full_at) < 1
  UNION ALL
  SELECT x.scope, s.concurrency_key FROM claim_limits x JOIN line_slots s ON s.queue = x.queue OR s.design = x.design
  WHERE s.concurrency_key <> '' GROUP BY x.scope, x.per_key, s.concurrency_key HAVING count(*) >= x.per_key
)
SELECT q.name AS queue, q.paused_at IS NOT NULL AS paused, q.paused_by,
  COALESCE(r.n, 0) + COALESCE(s.n, 0) + COALESCE(w.n, 0) AS ready, LEAST(r.oldest, s.oldest, w.oldest) AS oldest_ready_at,
  COALESCE(d.retrying, 0) AS retrying, COALESCE(d.scheduled, 0) AS scheduled, d.next_at AS next_due_at,
  COALESCE(p.n, 0) AS in_progress, COALESCE(h.n, 0) AS on_hold, COALESCE(d.waiting_for_provider, 0) AS waiting_for_provider,
  COALESCE(w.limited, 0) AS waiting_for_limit
FROM queues q
LEFT JOIN (SELECT r.queue, count(*) AS n, min(r.created_at) AS oldest FROM ready r GROUP BY r.queue) r ON r.queue = q.name
LEFT JOIN (SELECT s.queue, count(*) AS n, min(s.created_at) AS oldest FROM suspects s GROUP BY s.queue) s ON s.queue = q.name
LEFT JOIN (
  SELECT g.queue, count(*) AS n, min(w.created_at) AS oldest, count(*) FILTER (
    WHERE ('queue:' || g.queue, '') IN (SELECT u.scope, u.key FROM used_up u)
      OR ('queue:' || g.queue, w.concurrency_key) IN (SELECT u.scope, u.key FROM used_up u)
      OR ('design:' || w.design, '') IN (SELECT u.scope, u.key FROM used_up u)
      OR ('design:' || w.design, w.concurrency_key) IN (SELECT u.scope, u.key FROM used_up u)) AS limited
  FROM line_gates g JOIN in_line w ON w.line = g.line GROUP BY g.queue
) w ON w.queue = q.name
LEFT JOIN (
  SELECT d.queue, count(*) FILTER (WHERE w.ticket_id IS NULL AND b.retry_count > 0) AS retrying,
    count(*) FILTER (WHERE w.ticket_id IS NULL AND COALESCE(b.retry_count, 0) = 0) AS scheduled,
    count(w.ticket_id) AS waiting_for_provider, min(d.run_at) AS next_at
  FROM deferred d JOIN ticket_base b ON b.id = d.id
  LEFT JOIN ticket_waits w ON w.ticket_id = d.id AND w.kind = 'provider' AND w.lease_no = b.fence
  GROUP BY d.queue
) d ON d.queue = q.name
LEFT JOIN (
  SELECT b.queue, count(*) AS n
  FROM leases l CROSS JOIN LATERAL unnest(l.ids) AS u(ticket_id)
  -- The LIMIT keeps a planner that overrates the leases from reading all tickets.
  CROSS JOIN LATERAL (SELECT * FROM ticket_base b WHERE b.id = u.ticket_id LIMIT 1) b
  WHERE b.state = 'ready' AND l.id > b.fence GROUP BY b.queue
) p ON p.queue = q.name
LEFT JOIN (SELECT h.queue, count(*) AS n FROM held h GROUP BY h.queue) h ON h.queue = q.name
ORDER BY q.name;
COMMENT ON VIEW holdfast.queue_health IS 'Each queue''s wait as what it is: ready and never started, retrying after a failure, scheduled for later, waiting for a provider''s cool-down, running, waiting for a person. waiting_for_limit are those of the ready that no limit lets start now.';
GRANT SELECT ON holdfast.queue_health TO holdfast_designer, holdfast_operator, holdfast_viewer;
GRANT SELECT, INSERT, UPDATE, DELETE ON holdfast.queue_health TO holdfast_worker;

CREATE OR REPLACE VIEW repair_events AS
SELECT j.ticket_id, j.lease_no, j.seq, e.no::integer AS no, j.written_at, (e.event->>'at')::timestamptz AS at,
  e.event->>'run' AS run, e.event->>'type' AS type, e.event->'payload' AS payload
FROM session_journal j CROSS JOIN LATERAL jsonb_array_elements(j.entry->'events') WITH ORDINALITY AS e(event, no)
WHERE j.kind = 'step_finished';
COMMENT ON VIEW holdfast.repair_events IS 'What happened in the runs of repairs, as their trace.jsonl tells it, in the order of ticket_id, seq, no. Narrow it by ticket_id or by written_at, which have indexes.';
COMMENT ON COLUMN holdfast.repair_events.at IS 'By the clock of the worker''s host.';
COMMENT ON COLUMN holdfast.repair_events.run IS 'The run; a ticket has another one each time a person sends it back to work.';
COMMENT ON COLUMN holdfast.repair_events.type IS 'RunStarted, IterationStarted, RepairAttempted, VerificationFinished, RunEscalated, StepStarted, CandidateGenerated, CandidateEvaluated, ReviewFinished, JudgeInvoked, JudgeDecided, JudgeFailed, DiagnosisStarted, DiagnosisCompleted, StepFinished, ProviderRequestStarted, ProviderRequestFinished or RunStopped.';
GRANT SELECT ON holdfast.repair_events TO holdfast_designer, holdfast_operator, holdfast_viewer;
GRANT SELECT, INSERT, UPDATE, DELETE ON holdfast.repair_events TO holdfast_worker;

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
COMMENT ON VIEW holdfast.retry_outcomes IS 'How many retries succeed, by the category of the failure they followed.';
GRANT SELECT ON holdfast.retry_outcomes TO holdfast_designer, holdfast_operator, holdfast_viewer;
GRANT SELECT, INSERT, UPDATE, DELETE ON holdfast.retry_outcomes TO holdfast_worker;

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
COMMENT ON VIEW holdfast.ticket_timeline IS 'Everything that happened to a ticket: SELECT * FROM holdfast.ticket_timeline WHERE ticket_id = 17 ORDER BY at.';
GRANT SELECT ON holdfast.ticket_timeline TO holdfast_designer, holdfast_operator, holdfast_viewer;
GRANT SELECT, INSERT, UPDATE, DELETE ON holdfast.ticket_timeline TO holdfast_worker;

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
ALTER VIEW holdfast.tickets ALTER COLUMN queue SET DEFAULT 'default'::text;
ALTER VIEW holdfast.tickets ALTER COLUMN payload SET DEFAULT '{}'::jsonb;
ALTER VIEW holdfast.tickets ALTER COLUMN state SET DEFAULT 'ready'::text;
ALTER VIEW holdfast.tickets ALTER COLUMN assignee_type SET DEFAULT 'agent'::text;
ALTER VIEW holdfast.tickets ALTER COLUMN priority SET DEFAULT 0;
ALTER VIEW holdfast.tickets ALTER COLUMN retry_count SET DEFAULT 0;
ALTER VIEW holdfast.tickets ALTER COLUMN rejection_count SET DEFAULT 0;
CREATE TRIGGER delete_ticket INSTEAD OF DELETE ON holdfast.tickets FOR EACH ROW EXECUTE FUNCTION holdfast.delete_ticket();
CREATE TRIGGER insert_ticket INSTEAD OF INSERT ON holdfast.tickets FOR EACH ROW EXECUTE FUNCTION holdfast.insert_ticket();
CREATE TRIGGER update_ticket INSTEAD OF UPDATE ON holdfast.tickets FOR EACH ROW EXECUTE FUNCTION holdfast.update_ticket();
COMMENT ON VIEW holdfast.tickets IS 'One row per ticket: the truth, whoever looks. INSERT enqueues (in your own transaction). UPDATE of state does what release_ticket, hold_ticket, cancel_ticket, approve_ticket and reject_ticket do, is logged in ticket_activity and wakes a worker; a transition the state machine does not know is refused, and a ticket that has left the state in which the UPDATE saw it is passed over. DELETE takes finished tickets only. It joins ticket_base (what is stored) with leases (what runs now).';
COMMENT ON COLUMN holdfast.tickets.id IS 'Given by the database; never used again.';
COMMENT ON COLUMN holdfast.tickets.queue IS 'A name; made on first use. Pause it with pause_queue.';
COMMENT ON COLUMN holdfast.tickets.kind IS 'Which handler works it: command, agent, repair, or one of your own. Taken from the design if there is one.';
COMMENT ON COLUMN holdfast.tickets.design_id IS 'The version of the design it was enqueued with (designs.id); NULL for a ticket of a kind alone.';
COMMENT ON COLUMN holdfast.tickets.title IS 'For people.';
COMMENT ON COLUMN holdfast.tickets.payload IS 'The task, as the handler is given it; an object as a rule.';
COMMENT ON COLUMN holdfast.tickets.state IS 'ready -claim-> in_progress -success-> needs_review -approve-> done. A failure goes back to ready (with retry_after) or to on_hold for a person. cancelled only on a person''s word.';
COMMENT ON COLUMN holdfast.tickets.assignee_type IS 'agent: workers claim it. human or NULL: nobody does.';
COMMENT ON COLUMN holdfast.tickets.priority IS 'Higher is sooner; then the older created_at first.';
COMMENT ON COLUMN holdfast.tickets.retry_count IS 'Retries used since it was enqueued or last released. Giving back at a worker''s shutdown uses none.';
COMMENT ON COLUMN holdfast.tickets.rejection_count IS 'How often its result was rejected at review.';
COMMENT ON COLUMN holdfast.tickets.retry_after IS 'Not claimed before this time (the database''s clock). Also the start time of a delayed ticket.';
COMMENT ON COLUMN holdfast.tickets.retry_strategy IS 'Overrides for this ticket under "categories", "max_delay", "jitter", "same_error_limit"; beside them the last decision: errorCategory, maxRetries, backoffType, nextDelayMs, attemptsRemaining.';
COMMENT ON COLUMN holdfast.tickets.error IS 'The last error, whole.';
COMMENT ON COLUMN holdfast.tickets.error_category IS 'transient, api_error, code_error, system_error or unknown.';
COMMENT ON COLUMN holdfast.tickets.error_fingerprint IS 'Equal for equal errors; see error_groups.';
COMMENT ON COLUMN holdfast.tickets.hold_reason IS 'Why it waits for a person: ''Max retries exceeded: <category>'', or what else stopped it.';
COMMENT ON COLUMN holdfast.tickets.worker_id IS 'Who runs it now; NULL unless in_progress.';
COMMENT ON COLUMN holdfast.tickets.lease_no IS 'Grows at every claim. A result under an older number is refused.';
COMMENT ON COLUMN holdfast.tickets.lease_expires_at IS 'If the worker does not renew the lease by then, the ticket is rescued.';
COMMENT ON COLUMN holdfast.tickets.unique_key IS 'At most one kept ticket has it.';
COMMENT ON COLUMN holdfast.tickets.result IS 'What the handler returned.';
COMMENT ON COLUMN holdfast.tickets.created_at IS 'When it was enqueued; the older of two equal priorities goes first.';
COMMENT ON COLUMN holdfast.tickets.updated_at IS 'When it last changed, claims included.';
COMMENT ON COLUMN holdfast.tickets.started_at IS 'When its latest attempt was claimed; NULL if it never ran.';
COMMENT ON COLUMN holdfast.tickets.completed_at IS 'When it ended or stopped: succeeded, cancelled, or held with its retries used up.';
COMMENT ON COLUMN holdfast.tickets.attempt_count IS 'Finished executions, never reset; rows of ticket_attempts.';
COMMENT ON COLUMN holdfast.tickets.crash_count IS 'How often its lease expired since it was enqueued or last released: a ticket that kills its workers ends on hold.';
COMMENT ON COLUMN holdfast.tickets.same_error_count IS 'How many attempts in a row failed with this error_fingerprint (retry.same-error-limit).';
COMMENT ON COLUMN holdfast.tickets.held_at IS 'Since when it waits for a person; NULL unless on_hold.';
COMMENT ON COLUMN holdfast.tickets.allowed_actions IS 'What a person may do with a held ticket.';
COMMENT ON COLUMN holdfast.tickets.max_cost_usd IS 'What the ticket may cost in model calls, in US dollars; NULL is the design''s or no limit.';
COMMENT ON COLUMN holdfast.tickets.error_title IS 'The line of the last error that says why: ''ValueError: cannot parse row 177''.';
COMMENT ON COLUMN holdfast.tickets.design IS 'The name of its design; NULL for a ticket of a kind alone. An INSERT may say it instead of design_id and gets the newest version.';
COMMENT ON COLUMN holdfast.tickets.design_version IS 'The version of its design.';
COMMENT ON COLUMN holdfast.tickets.expires_at IS 'If no worker starts it by then, it is put on hold with the cause expired. NULL where it does not expire, or has started.';
COMMENT ON COLUMN holdfast.tickets.concurrency_key IS 'Limits count what runs with the same key, as one customer''s: set_limit, per_key.';
COMMENT ON COLUMN holdfast.tickets.fairness_key IS 'Tickets of equal priority are claimed in turns over these keys, as over tenants.';
COMMENT ON COLUMN holdfast.tickets.parent_id IS 'The ticket that added it: a workflow whose step it is, or a job that was allowed to; NULL where people or programs enqueued it.';
COMMENT ON COLUMN holdfast.tickets.batch_id IS 'The batch it came with: batch_progress(batch_id) says how far that is.';
GRANT SELECT ON holdfast.tickets TO holdfast_designer, holdfast_viewer;
GRANT SELECT, INSERT, UPDATE ON holdfast.tickets TO holdfast_operator;
GRANT SELECT, INSERT, UPDATE, DELETE ON holdfast.tickets TO holdfast_worker;

CREATE OR REPLACE VIEW tickets_in_line AS
SELECT b.id, b.queue, b.kind, d.name AS design, b.priority, b.created_at, b.concurrency_key, b.fairness_key
FROM in_line w
JOIN ticket_base b ON b.id = w.id AND b.created_at = w.created_at AND ~b.priority = ~w.priority
LEFT JOIN designs d ON d.id = b.design_id
JOIN line_gates g ON g.queue = b.queue AND g.kind = b.kind AND g.line = w.line
WHERE w.turn_group = turn_group(b.fairness_key, b.concurrency_key, d.name);
COMMENT ON VIEW holdfast.tickets_in_line IS 'Ready tickets that have a key or a limit: workers claim them in turns over their keys, as limits let them. waiting_tickets says for what each waits.';
GRANT SELECT ON holdfast.tickets_in_line TO holdfast_designer, holdfast_operator, holdfast_viewer;
GRANT SELECT, INSERT, UPDATE, DELETE ON holdfast.tickets_in_line TO holdfast_worker;

CREATE OR REPLACE VIEW waiting_tickets AS
SELECT * FROM known_waits
UNION ALL
SELECT w.id, w.queue, 'ready' COLLATE "C", 'limit' COLLATE "C", ARRAY[split_part(l.words, ',', 1)], 'the limit of ' || l.words, w.created_at,
  NULL::timestamptz, NULL::numeric, 0::bigint
FROM tickets_in_line w CROSS JOIN LATERAL (SELECT limit_words(w.queue, w.design, w.concurrency_key) AS words) l
WHERE l.words IS NOT NULL AND NOT EXISTS (SELECT FROM queues q WHERE q.name = w.queue AND q.paused_at IS NOT NULL)
UNION ALL
SELECT w.id, w.queue, 'ready' COLLATE "C", 'turn' COLLATE "C", ARRAY['queue:' || w.queue], 'its turn', w.created_at,
  NULL::timestamptz, NULL::numeric, 0::bigint
FROM tickets_in_line w
WHERE limit_words(w.queue, w.design, w.concurrency_key) IS NULL AND NOT EXISTS (SELECT FROM queues q WHERE q.name = w.queue AND q.paused_at IS NOT NULL)
UNION ALL
-- Joined with ticket_base so that one is found by its id: ready and deferred are ordered for claims.
SELECT p.id, p.queue, 'ready' COLLATE "C", 'paused' COLLATE "C", ARRAY['queue:' || p.queue],
  format('the queue %s, paused by %s;
COMMENT ON VIEW holdfast.waiting_tickets IS 'Tickets that wait for a provider (deferred, no retry used), for the end of an outage, for an account to be mended, for a budget to have room (all on hold), for other tickets to be done or a batch to end (dependency; those on hold are named first), for their queue to be resumed (paused), for a limit (set_limit) or only for their turn: among those with keys, or in a step of limited breadth.';
GRANT SELECT ON holdfast.waiting_tickets TO holdfast_designer, holdfast_operator, holdfast_viewer;
GRANT SELECT, INSERT, UPDATE, DELETE ON holdfast.waiting_tickets TO holdfast_worker;

CREATE OR REPLACE VIEW waiting_tool_calls AS
SELECT a.ticket_id, a.id AS call, b.queue, b.title, a.tool, a.arguments, a.effect, a.turn, a.asked_at
FROM ticket_base b
JOIN tool_approvals a ON a.ticket_id = b.id AND a.decision IS NULL AND a.voided_at IS NULL
WHERE b.held_at IS NOT NULL AND 'approve_call' = ANY (b.hold_actions)
ORDER BY a.asked_at, a.id;
COMMENT ON VIEW holdfast.waiting_tool_calls IS 'Tool calls that wait for a person, the longest first. SELECT holdfast.decide_tool_call(ticket_id, ''you'', ''approve'', call) lets one run.';
GRANT SELECT ON holdfast.waiting_tool_calls TO holdfast_designer, holdfast_operator, holdfast_viewer;
GRANT SELECT, INSERT, UPDATE, DELETE ON holdfast.waiting_tool_calls TO holdfast_worker;

CREATE OR REPLACE VIEW workflow_steps AS
SELECT b.id AS workflow_id, s.key AS step,
  CASE
    -- What is skipped at the very end is not stored: a workflow that has ended has begun all else.
    WHEN s.key = ANY (w.skipped) OR c.tickets IS NULL AND b.state IN ('needs_review', 'done') THEN 'skipped'
    WHEN c.tickets IS NULL THEN 'waiting'
    WHEN c.on_hold > 0 THEN 'on_hold'
    WHEN c.in_progress > 0 THEN 'in_progress'
    WHEN c.ready > 0 THEN 'ready'
    WHEN c.needs_review > 0 THEN 'needs_review'
    WHEN c.cancelled > 0 THEN 'cancelled'
    ELSE 'done'
  END AS state,
  COALESCE(s.value->>'design', s.value->>'kind') AS design,
  ARRAY(SELECT jsonb_array_elements_text(COALESCE(s.value->'after', '[]'))) AS after,
  COALESCE(c.tickets, 0) AS tickets, COALESCE(c.done, 0) AS done, COALESCE(c.on_hold, 0) AS on_hold, COALESCE(c.in_progress, 0) AS in_progress,
  c.first_ticket_id, c.first_held_id
FROM ticket_base b
JOIN designs d ON d.id = b.design_id
CROSS JOIN LATERAL jsonb_each(d.definition->'steps') AS s
LEFT JOIN workflows w ON w.ticket_id = b.id
CROSS JOIN LATERAL (
  SELECT NULLIF(count(*), 0) AS tickets, count(*) FILTER (WHERE t.state = 'on_hold') AS on_hold,
    count(*) FILTER (WHERE t.state = 'ready' AND l.running IS NOT NULL) AS in_progress,
    count(*) FILTER (WHERE t.state = 'ready' AND l.running IS NULL) AS ready,
    count(*) FILTER (WHERE t.state = 'needs_review') AS needs_review, count(*) FILTER (WHERE t.state = 'cancelled') AS cancelled,
    count(*) FILTER (WHERE t.state = 'done') AS done, min(t.id) AS first_ticket_id, min(t.id) FILTER (WHERE t.state = 'on_hold') AS first_held_id
  FROM ticket_dependencies x JOIN ticket_base t ON t.id = x.after_id
  LEFT JOIN (SELECT u.id AS running, l.id AS lease_no FROM leases l CROSS JOIN LATERAL unnest(l.ids) AS u (id)) l
    ON l.running = t.id AND l.lease_no > t.fence
  WHERE x.ticket_id = b.id AND x.name = s.key
) c
WHERE b.kind = 'workflow';
COMMENT ON VIEW holdfast.workflow_steps IS 'One row for each step of each workflow: SELECT * FROM holdfast.workflow_steps WHERE workflow_id = 17. waiting: it has not begun; skipped: its condition said no; else the state of its ticket, or of the tickets of a for_each as a whole.';
GRANT SELECT ON holdfast.workflow_steps TO holdfast_designer, holdfast_operator, holdfast_viewer;
GRANT SELECT, INSERT, UPDATE, DELETE ON holdfast.workflow_steps TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.abort_retry(id bigint, actor text)
 RETURNS text
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
DECLARE
  t ticket_base;
  running_lease_no bigint;
  opened text[];
BEGIN
  PERFORM require_words('actor', actor);
  WITH open_again AS (
    UPDATE provider_cooldowns c SET until = clock_timestamp()
    FROM known_waits w
    WHERE w.ticket_id = abort_retry.id AND w.kind = 'provider' AND c.until > clock_timestamp() AND c.until < 'infinity'
      AND c.provider || '/' || c.key_id || '/' || c.model = ANY (w.scopes)
    RETURNING c.provider || '/' || c.key_id || '/' || c.model AS scope)
  SELECT array_agg(o.scope) INTO opened FROM open_again o;
  t := locked_ticket(abort_retry.id);
  SELECT l.id INTO running_lease_no FROM running_lease(t.id, t.fence) l WHERE t.state = 'ready';
  IF FOUND THEN
    INSERT INTO retry_aborts AS r (ticket_id, lease_no, requested_by) VALUES (t.id, running_lease_no, actor)
    ON CONFLICT (ticket_id) DO UPDATE
    SET lease_no = EXCLUDED.lease_no, requested_at = EXCLUDED.requested_at, requested_by = EXCLUDED.requested_by;
    PERFORM log_activity(t.id, 'retry_abort_ordered', actor);
    RETURN 'in_progress';
  END IF;
  IF t.state <> 'ready' OR t.attempt_count = 0 OR t.retry_after IS NULL OR t.retry_after <= clock_timestamp() OR NOT make_unclaimable(t) THEN
    PERFORM refuse_action(t, 'end a retry of');
  END IF;
  PERFORM log_activity(t.id, 'tried_now', actor,
    jsonb_strip_nulls(jsonb_build_object('retryAfter', t.retry_after, 'opened', to_jsonb(opened))));
  UPDATE ticket_base b SET retry_after = NULL, updated_at = now() WHERE b.id = t.id RETURNING * INTO t;
  PERFORM make_claimable(t);
  IF opened IS NOT NULL THEN
    PERFORM pg_notify('holdfast_providers', '');
  END IF;
  RETURN t.state;
END
$function$;
COMMENT ON FUNCTION holdfast.abort_retry(bigint,text) IS 'Ends the wait that a ticket is in: SELECT holdfast.abort_retry(17, ''ann''). in_progress: the retry of its running session is to end; its worker looks for such orders while it waits, and where nothing waits the order is void after 15 seconds. ready: it waited for its own retry or for a provider, and is tried now; one call may be made before the provider''s cool-down is over. SQLSTATE HF409 where it waits for neither.';
GRANT EXECUTE ON FUNCTION holdfast.abort_retry(bigint,text) TO holdfast_operator, holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.accepted_bytes(what text, document jsonb)
 RETURNS integer
 LANGUAGE plpgsql
 STABLE
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
DECLARE
  most bigint := (SELECT payload_max_expanded_bytes FROM entry_limits WHERE only_row);
  bytes bigint := expanded_bytes(document, most);
BEGIN
  IF bytes > most THEN
    RAISE EXCEPTION 'the % is % bytes or more as text, more than %: a number such as 1e100000 has all its digits there', what, bytes, most
      USING ERRCODE = 'HF422',
        HINT = 'Write such numbers as strings, put large data elsewhere and its address here, or raise payload.max-expanded-bytes.';
  ELSIF is_deep(document) THEN
    RAISE EXCEPTION 'the % has more than 500 levels of arrays and objects', what
      USING ERRCODE = 'HF422', HINT = 'Write what is deeper as a string.';
  END IF;
  RETURN bytes;
END
$function$;
COMMENT ON FUNCTION holdfast.accepted_bytes(text,jsonb) IS 'How long a document is as text; HF422 if it is longer than may come in.';
GRANT EXECUTE ON FUNCTION holdfast.accepted_bytes(text,jsonb) TO holdfast_designer, holdfast_operator, holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.account_is_unavailable(of_scope text)
 RETURNS boolean
 LANGUAGE sql
 STABLE
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
  SELECT EXISTS (
    SELECT FROM provider_cooldowns c WHERE c.until = 'infinity' AND c.provider || '/' || c.key_id || '/' || c.model = of_scope)
$function$;
COMMENT ON FUNCTION holdfast.account_is_unavailable(text) IS 'Whether a scope of the shape PROVIDER/KEY_ID/MODEL waits for a person.';
GRANT EXECUTE ON FUNCTION holdfast.account_is_unavailable(text) TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.acting_channel()
 RETURNS text
 LANGUAGE sql
 STABLE
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
  SELECT CASE
    WHEN c.said IS NULL THEN me.name
    WHEN right(c.said, length(me.name)) = me.name THEN c.said
    WHEN pg_has_role(session_user, current_user, 'USAGE') OR pg_has_role(session_user, to_regrole('holdfast_worker'), 'USAGE') THEN c.said
    ELSE left(c.said, 100) || ', ' || me.name
  END
  FROM NULLIF(current_setting('holdfast.channel', true), '') AS c (said), concat('sql: ', session_user) AS me (name)
$function$;
COMMENT ON FUNCTION holdfast.acting_channel() IS 'How a person came, as ticket_activity.channel has it.';
GRANT EXECUTE ON FUNCTION holdfast.acting_channel() TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.acting_person()
 RETURNS text
 LANGUAGE sql
 STABLE
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
  SELECT COALESCE(NULLIF(current_setting('holdfast.actor', true), ''), session_user::text)
$function$;
COMMENT ON FUNCTION holdfast.acting_person() IS 'Who an UPDATE of tickets is logged as: SET holdfast.actor = ''ann'', or else the database user.';
GRANT EXECUTE ON FUNCTION holdfast.acting_person() TO holdfast_designer, holdfast_operator, holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.add_children(parent holdfast.ticket_base, steps jsonb)
 RETURNS bigint[]
 LANGUAGE plpgsql
 SET search_path TO 'holdfast', 'pg_temp'
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET jit TO 'off'
AS $function$
DECLARE
  s jsonb;
  d designs;
  kind_name text;
  title text;
  ids bigint[];
  added bigint[] := '{}';
BEGIN
  FOR s IN SELECT x.value FROM jsonb_array_elements(steps) AS x LOOP
    d := NULL;
    IF s ? 'design' THEN
      d := latest_design(s->>'design');
    END IF;
    kind_name := kind_of_new_ticket(s->>'kind', d);
    IF kind_name = 'workflow' THEN
      PERFORM require_few_levels(parent, s->>'design');
    END IF;
    title := shorten(COALESCE(s->>'title', parent.title || ': ' || (s->>'step'), s->>'step', parent.title), 1000);
    PERFORM know_lane(COALESCE(s->>'queue', parent.queue), kind_name);
    WITH item AS MATERIALIZED (
      SELECT nextval(pg_get_serial_sequence('ticket_base', 'id')) AS id, p.value AS payload, p.place, NULLIF(p.place > (s->>'breadth')::integer, false) AS queued
      FROM (SELECT * FROM jsonb_array_elements(s->'payloads') WITH ORDINALITY AS p (value, place) ORDER BY place) p
    ), made AS (
      INSERT INTO ticket_base (filed, id, design_id, kind, payload, payload_bytes, queue, title, priority, concurrency_key, fairness_key)
      SELECT true, i.id, d.id, kind_name, i.payload, accepted_bytes('payload', i.payload), COALESCE(s->>'queue', parent.queue),
        CASE WHEN s ? 'titles' THEN shorten(s->'titles'->>(i.place - 1)::integer, 1000)
          WHEN (s->>'items')::boolean THEN title || ' ' || i.place ELSE title END, COALESCE((s->>'priority')::integer, parent.priority),
        parent.concurrency_key, parent.fairness_key
      FROM item i
    ), owned AS (
      INSERT INTO ticket_parents (ticket_id, parent_id) SELECT i.id, parent.id FROM item i
    ), waited AS (
      INSERT INTO ticket_dependencies (ticket_id, after_id, name, item, on_cancelled, queued)
      SELECT parent.id, i.id, s->>'step',
        CASE WHEN s ? 'places' THEN (s->'places'->>(i.place - 1)::integer)::integer WHEN (s->>'items')::boolean THEN i.place - 1 END, s->>'on_cancelled', i.queued
      FROM item i WHERE s ? 'step'
    )
    SELECT array_agg(i.id ORDER BY i.place) INTO ids FROM item i;
    added := added || ids;
    IF s ? 'breadth' THEN
      ids := ids[:(s->>'breadth')::integer];
    END IF;
    IF ids IS NOT NULL THEN
      IF design_expiry(d) IS NOT NULL THEN
        PERFORM start_expiry(ids);
      END IF;
      PERFORM file_tickets(ids);
    END IF;
  END LOOP;
  RETURN added;
END
$function$;
COMMENT ON FUNCTION holdfast.add_children(holdfast.ticket_base,jsonb) IS 'Adds tickets of which another one, whose row the caller has locked, is the parent; those with a step are steps of it, for which it waits.';
GRANT EXECUTE ON FUNCTION holdfast.add_children(holdfast.ticket_base,jsonb) TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.add_tickets_of_job(ticket_id bigint, under_lease bigint, steps jsonb)
 RETURNS boolean
 LANGUAGE plpgsql
 SET search_path TO 'holdfast', 'pg_temp'
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET jit TO 'off'
 SET lock_timeout TO '250ms'
AS $function$
DECLARE
  t ticket_base := running_ticket(add_tickets_of_job.ticket_id, under_lease);
  allowed jsonb;
  wanted text;
  added bigint[];
BEGIN
  IF t.id IS NULL THEN
    RETURN false;
  END IF;
  -- Only a handler in Java works a ticket of another kind without a design: that is the code of whoever runs the worker.
  IF t.design_id IS NOT NULL OR t.kind IN ('command', 'agent') THEN
    SELECT COALESCE(d.definition->'may_enqueue', '[]') INTO allowed FROM designs d WHERE d.id = t.design_id;
    SELECT s.value->>'design' INTO wanted FROM jsonb_array_elements(steps) AS s
    WHERE NOT COALESCE(allowed, '[]') ? COALESCE(s.value->>'design', '') LIMIT 1;
    IF FOUND THEN
      RAISE EXCEPTION '% allow it to enqueue "%"', CASE WHEN t.design_id IS NULL THEN 'it has no design that would' ELSE 'its design does not' END,
        left(COALESCE(wanted, 'NULL'), 100)
        USING ERRCODE = 'HF422', HINT = 'Its may_enqueue is ' || left(COALESCE(allowed, '[]')::text, 500) || '.';
    END IF;
  END IF;
  added := add_children(t, steps);
  INSERT INTO ticket_dependencies (ticket_id, after_id, name, item, on_success, on_cancelled)
  SELECT d.ticket_id, u.id, CASE WHEN w.ticket_id IS NOT NULL THEN d.name END, -1, d.on_success, d.on_cancelled
  FROM ticket_dependencies d LEFT JOIN workflows w ON w.ticket_id = d.ticket_id CROSS JOIN unnest(added) AS u (id)
  WHERE d.after_id = t.id AND (d.ended_at IS NULL OR d.on_success AND w.ticket_id IS NOT NULL);
  RETURN true;
END
$function$;
COMMENT ON FUNCTION holdfast.add_tickets_of_job(bigint,bigint,jsonb) IS 'Adds what a running job enqueues, in the transaction that stores its success. False, and nothing is added, if it no longer runs under this lease; HF422 for what its design does not allow.';
GRANT EXECUTE ON FUNCTION holdfast.add_tickets_of_job(bigint,bigint,jsonb) TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.advance_batch(b holdfast.batches, most integer DEFAULT 10000)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO 'holdfast', 'pg_temp'
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET jit TO 'off'
AS $function$
DECLARE
  page record;
  wait interval := LEAST(interval '10 seconds', GREATEST(interval '1 second', (now() - b.closed_at) / 20));
BEGIN
  IF EXISTS (SELECT FROM (SELECT t.state FROM ticket_base t WHERE t.batch_id = b.id ORDER BY t.batch_id DESC, t.id DESC LIMIT 1) l
      WHERE l.state NOT IN ('done', 'cancelled')) THEN
    UPDATE batches x SET look_at = now() + wait WHERE x.id = b.id;
    RETURN;
  END IF;
  WITH p AS MATERIALIZED (
    SELECT t.id, t.state FROM ticket_base t WHERE t.batch_id = b.id AND t.id >= b.settled_below ORDER BY t.batch_id, t.id LIMIT most
  ), o AS MATERIALIZED (
    SELECT min(p.id) AS id FROM p WHERE p.state NOT IN ('done', 'cancelled')
  )
  SELECT (SELECT o.id FROM o) AS first_open, max(p.id) AS last, count(*) AS n,
    count(*) FILTER (WHERE p.state = 'done' AND (o.id IS NULL OR p.id < o.id)) AS done,
    count(*) FILTER (WHERE p.state = 'cancelled' AND (o.id IS NULL OR p.id < o.id)) AS cancelled
  INTO page FROM o LEFT JOIN p ON true;
  page.n := CASE WHEN page.last IS NULL THEN 0 ELSE page.n END;
  UPDATE batches x SET
    settled_below = COALESCE(page.first_open, page.last + 1, x.settled_below),
    settled_done = x.settled_done + page.done, settled_cancelled = x.settled_cancelled + page.cancelled,
    counts = counts_without(x.counts, page.done, page.cancelled),
    look_at = now() + CASE WHEN page.first_open IS NULL THEN interval '0' ELSE wait END,
    ended_at = CASE WHEN page.first_open IS NULL AND page.n < most THEN now() END
  WHERE x.id = b.id
  RETURNING * INTO b;
  IF b.ended_at IS NOT NULL THEN
    PERFORM free_batch_followers(b);
  END IF;
END
$function$;
COMMENT ON FUNCTION holdfast.advance_batch(holdfast.batches,integer) IS 'Looks whether a closed batch, whose row the caller has locked, has ended, in pages of its tickets; and then frees those that wait for it.';
GRANT EXECUTE ON FUNCTION holdfast.advance_batch(holdfast.batches,integer) TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.advance_batches(at_most integer DEFAULT 20)
 RETURNS bigint
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'holdfast', 'pg_temp'
 SET enable_seqscan TO 'off'
AS $function$
DECLARE
  b batches;
  n bigint := 0;
BEGIN
  FOR b IN
    -- No look is put off for a minute: of one that is, the server's clock was ahead and has been set back.
    SELECT * FROM batches x
    WHERE x.closed_at IS NOT NULL AND x.ended_at IS NULL AND (x.look_at <= now() OR x.look_at > now() + interval '1 minute')
    ORDER BY x.look_at LIMIT at_most FOR UPDATE SKIP LOCKED
  LOOP
    BEGIN
      PERFORM advance_batch(b);
    EXCEPTION WHEN OTHERS OR query_canceled OR assert_failure THEN
      -- Tried again later, and meanwhile others have their turn.
      UPDATE batches x SET look_at = clock_timestamp() + interval '10 seconds' WHERE x.id = b.id;
      RAISE WARNING 'batch % was not looked at: %', b.id, SQLERRM;
    END;
    n := n + 1;
  END LOOP;
  RETURN n;
END
$function$;
COMMENT ON FUNCTION holdfast.advance_batches(integer) IS 'Looks at the batches that are due, and says at how many. Workers call it now and then; one looks at a batch at a time.';
GRANT EXECUTE ON FUNCTION holdfast.advance_batches(integer) TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.advance_release(r holdfast.releases, portion integer DEFAULT 200)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO 'holdfast', 'pg_temp'
 SET enable_seqscan TO 'off'
AS $function$
DECLARE
  began timestamptz := clock_timestamp();
  bad release_tickets;
  step record;
  released integer;
BEGIN
  PERFORM look_at_released(r);
  SELECT * INTO bad FROM release_tickets w WHERE w.release_id = r.id AND w.outcome = 'same_error' ORDER BY w.n LIMIT 1;
  IF FOUND THEN
    PERFORM end_release(r, 'stopped', format('the same error came back: #%s failed with %s again', bad.ticket_id, bad.fingerprint), 'system');
    RETURN;
  END IF;
  IF r.step_left = 0 THEN
    SELECT count(*) FILTER (WHERE w.outcome IS NULL) AS open, count(*) FILTER (WHERE w.outcome = 'succeeded') AS good,
      count(*) FILTER (WHERE w.outcome = 'other_error') AS bad,
      count(*) FILTER (WHERE w.outcome IS NOT DISTINCT FROM 'other_error' AND held_by_person(w)) AS held
    INTO step FROM release_tickets w WHERE w.release_id = r.id AND w.step = r.step AND w.outcome IS DISTINCT FROM 'skipped';
    IF step.open > 0 THEN
      -- A look at many costs more: at most a twentieth of the time goes into looking, but one that was slow by chance is not waited for long.
      UPDATE releases x SET reason = NULL,
        look_at = clock_timestamp() + LEAST(GREATEST(interval '1 second', (clock_timestamp() - began) * 20), interval '10 seconds')
      WHERE x.id = r.id;
      RETURN;
    ELSIF step.bad > 0 AND step.good = 0 THEN
      PERFORM end_release(r, 'stopped', format('no ticket of step %s came through: %s', r.step, concat_ws(', ',
        NULLIF(step.bad - step.held, 0) || ' on hold with another error', NULLIF(step.held, 0) || ' held by a person or taken back')), 'system');
      RETURN;
    ELSIF r.step = cardinality(r.steps)
      OR NOT EXISTS (SELECT FROM release_tickets w WHERE w.release_id = r.id AND w.released_at IS NULL AND w.outcome IS NULL) THEN
      PERFORM end_release(r, 'completed', NULL, 'system');
      RETURN;
    END IF;
    r.step := r.step + 1;
    r.step_left := NULL;
  END IF;
  r.step_left := COALESCE(r.step_left, NULLIF(r.steps[r.step], 0), 2000000000);
  released := release_some(r, LEAST(r.step_left, portion));
  UPDATE releases x SET step = r.step, step_left = CASE WHEN released < 0 THEN 0 ELSE r.step_left - released END, look_at = now(), reason = NULL
  WHERE x.id = r.id;
END
$function$;
COMMENT ON FUNCTION holdfast.advance_release(holdfast.releases,integer) IS 'Takes a release, whose row the caller has locked, a bit on: notes outcomes, stops it, waits, or releases some more tickets.';
GRANT EXECUTE ON FUNCTION holdfast.advance_release(holdfast.releases,integer) TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.advance_releases()
 RETURNS bigint
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'holdfast', 'pg_temp'
 SET enable_seqscan TO 'off'
AS $function$
DECLARE
  r releases;
BEGIN
  -- No look is put off for a minute: of one that is, the server's clock was ahead and has been set back.
  SELECT * INTO r FROM releases x WHERE x.ended_at IS NULL AND (x.look_at <= now() OR x.look_at > now() + interval '1 minute')
  ORDER BY x.look_at LIMIT 1 FOR UPDATE SKIP LOCKED;
  IF NOT FOUND THEN
    RETURN 0;
  END IF;
  BEGIN
    PERFORM advance_release(r);
  EXCEPTION WHEN OTHERS OR query_canceled OR assert_failure THEN
    -- Tried again later, and meanwhile others have their turn.
    UPDATE releases x SET look_at = clock_timestamp() + interval '10 seconds', reason = 'tried again soon: ' || left(SQLERRM, 500) WHERE x.id = r.id;
  END;
  RETURN 1;
END
$function$;
COMMENT ON FUNCTION holdfast.advance_releases() IS 'Takes one release that is due a bit on, and says whether there was one. Workers call it now and then; one looks at a release at a time.';
GRANT EXECUTE ON FUNCTION holdfast.advance_releases() TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.advance_workflow(ticket_id bigint, under_lease bigint, plan jsonb)
 RETURNS boolean
 LANGUAGE plpgsql
 SET search_path TO 'holdfast', 'pg_temp'
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET jit TO 'off'
 SET lock_timeout TO '250ms'
AS $function$
DECLARE
  t ticket_base := running_ticket(advance_workflow.ticket_id, under_lease);
  lacking text[];
  waits boolean;
BEGIN
  IF t.id IS NULL THEN
    RETURN false;
  END IF;
  UPDATE ticket_base b
  SET fence = under_lease, started_at = l.claimed_at, updated_at = now(), retry_after = NULL, attempt_count = b.attempt_count + 1,
      same_error_count = 0, error = NULL, error_title = NULL, error_category = NULL, error_fingerprint = NULL
  FROM leases l WHERE l.id = under_lease AND b.id = t.id
  RETURNING b.* INTO t;
  INSERT INTO ticket_attempts (ticket_id, lease_no, started_at, finished_at, attempt, outcome, worker_id)
  SELECT t.id, l.id, l.claimed_at, now(), t.attempt_count, 'advanced', l.worker_id FROM leases l WHERE l.id = under_lease;
  INSERT INTO workflows AS w (ticket_id, skipped) VALUES (t.id, ARRAY(SELECT jsonb_array_elements_text(plan->'skipped')))
  ON CONFLICT ON CONSTRAINT workflows_pkey DO UPDATE SET skipped = EXCLUDED.skipped;
  -- What waited for a success only has not ended for the workflow itself before its review has. One that was rejected may succeed again just now.
  PERFORM FROM ticket_base b WHERE b.state NOT IN ('done', 'cancelled') AND b.id IN (
    SELECT d.after_id FROM ticket_dependencies d
    WHERE d.ticket_id = t.id AND (d.ended_at IS NOT NULL AND d.on_success
      OR d.ended_at IS NULL AND d.on_success IS NULL AND d.name IN (SELECT jsonb_array_elements_text(plan->'success')))) ORDER BY b.id FOR SHARE;
  PERFORM add_children(t, plan->'steps');
  -- Until the last one of a step has succeeded, nobody waits for the reviews of the others, nor has one of them a place in its breadth.
  lacking := ARRAY(
    SELECT DISTINCT d.name FROM ticket_dependencies d JOIN ticket_base b ON b.id = d.after_id
    WHERE d.ticket_id = t.id AND d.name IN (SELECT jsonb_array_elements_text(plan->'success')) AND b.state NOT IN ('done', 'cancelled', 'needs_review'));
  UPDATE ticket_dependencies d SET ended_at = NULL, on_success = NULL
  FROM ticket_base b
  WHERE d.ticket_id = t.id AND d.ended_at IS NOT NULL AND d.on_success AND b.id = d.after_id AND b.state NOT IN ('done', 'cancelled')
    AND NOT (b.state = 'needs_review' AND d.name = ANY (lacking));
  UPDATE ticket_dependencies d SET ended_at = now(), on_success = true
  FROM ticket_base b
  WHERE d.ticket_id = t.id AND d.ended_at IS NULL AND d.name = ANY (lacking) AND b.id = d.after_id AND b.state = 'needs_review';
  UPDATE ticket_dependencies d SET on_success = true
  WHERE d.ticket_id = t.id AND d.ended_at IS NULL AND d.name IN (SELECT jsonb_array_elements_text(plan->'success'))
    AND NOT EXISTS (SELECT FROM ticket_base b WHERE b.id = d.after_id AND b.state = 'needs_review');
  SELECT NOT w.news AND EXISTS (SELECT FROM ticket_dependencies d WHERE d.ticket_id = t.id AND d.ended_at IS NULL)
    -- It may have come since the plan was made, from one that nobody waited for just then.
    AND NOT EXISTS (
      SELECT FROM ticket_dependencies d JOIN ticket_base b ON b.id = d.after_id
      WHERE d.ticket_id = t.id AND d.ended_at IS NULL AND d.name IN (SELECT jsonb_array_elements_text(plan->'success'))
        AND plan ? 'succeeded' AND NOT plan->'succeeded' ? d.name
      GROUP BY d.name HAVING bool_and(b.state = 'needs_review')) INTO waits
  FROM workflows w WHERE w.ticket_id = t.id;
  UPDATE workflows w SET parked = waits, news = false WHERE w.ticket_id = t.id;
  PERFORM make_claimable(t);
  RETURN true;
END
$function$;
COMMENT ON FUNCTION holdfast.advance_workflow(bigint,bigint,jsonb) IS 'Ends an attempt of a workflow that waits for its steps: adds the steps that begin now, and lets it wait, or files it where a step has ended meanwhile. False, and nothing is changed, if it no longer runs under this lease. plan: {"steps": as for add_children, "skipped": names, "success": names of steps for which a success is enough, "succeeded": which steps have had one}.';
GRANT EXECUTE ON FUNCTION holdfast.advance_workflow(bigint,bigint,jsonb) TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.answer_ticket(id bigint, actor text, answer jsonb)
 RETURNS text
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
DECLARE
  t ticket_base;
  question jsonb;
BEGIN
  PERFORM require_words('actor', actor);
  t := locked_ticket(answer_ticket.id);
  IF t.state <> 'on_hold' THEN
    PERFORM refuse_action(t, 'answer');
  END IF;
  question := asked_question(t.id);
  IF question IS NULL THEN
    RAISE EXCEPTION 'ticket % asks nothing', t.id
      USING ERRCODE = 'HF409', DETAIL = t.state, HINT = 'It allows ' || array_to_string(t.hold_actions, ', ') || '.';
  ELSIF answer_ticket.answer IS NULL THEN
    RAISE EXCEPTION 'the answer is missing' USING ERRCODE = 'HF422', HINT = 'Give it as JSON: ''"red"''.';
  ELSIF expanded_bytes(answer_ticket.answer, 65536) > 65536 THEN
    RAISE EXCEPTION 'the answer has % bytes or more, and 65536 are allowed', expanded_bytes(answer_ticket.answer, 65536)
      USING ERRCODE = 'HF422', HINT = 'Write it to a file and answer with its name.';
  ELSIF question ? 'choices' AND NOT EXISTS (
      SELECT FROM jsonb_array_elements(question->'choices') AS c (choice) WHERE c.choice = answer_ticket.answer) THEN
    RAISE EXCEPTION 'the answer must be one of %', shorten((SELECT string_agg(c.choice::text, ', ' ORDER BY c.n)
        FROM jsonb_array_elements(question->'choices') WITH ORDINALITY AS c (choice, n)), 1000)
      USING ERRCODE = 'HF422';
  ELSIF NOT question ?| ARRAY['choices', 'schema']
      AND (jsonb_typeof(answer_ticket.answer) <> 'string' OR is_blank(answer_ticket.answer #>> '{}')) THEN
    RAISE EXCEPTION 'the answer must be a text that is not blank' USING ERRCODE = 'HF422', HINT = 'As JSON it stands in quotes: ''"red"''.';
  END IF;
  PERFORM log_activity(t.id, 'answered', actor,
    jsonb_build_object('question', question->>'ask', 'answer', answer_ticket.answer));
  INSERT INTO ticket_guidance (ticket_id, author, source, guidance, question, answer)
  VALUES (t.id, answer_ticket.actor, 'answer',
    COALESCE(NULLIF(CASE WHEN jsonb_typeof(answer_ticket.answer) = 'string' THEN answer_ticket.answer #>> '{}' END, ''), answer_ticket.answer::text),
    question->>'ask', answer_ticket.answer);
  UPDATE ticket_base b
  SET state = 'ready', held_at = NULL, hold_reason = NULL, hold_actions = NULL, retry_after = NULL, crash_count = 0,
      guidance_count = b.guidance_count + 1, updated_at = now()
  WHERE b.id = t.id
  RETURNING * INTO t;
  PERFORM make_claimable(t);
  RETURN t.state;
END
$function$;
COMMENT ON FUNCTION holdfast.answer_ticket(bigint,text,jsonb) IS 'Answers the question of a held ticket and sends it back to work: SELECT holdfast.answer_ticket(17, ''ann'', ''"red"''). The next attempt is given the answer with its type; no retry is used up. The answer is JSON: one of the choices of asked_question(17), or a text; what a question''s schema asks is checked by holdfast answer, the API and the console, not here. SQLSTATE HF422 for another answer, HF409 where the ticket asks nothing. Exactly one of two callers wins; the other is told who did.';
GRANT EXECUTE ON FUNCTION holdfast.answer_ticket(bigint,text,jsonb) TO holdfast_operator, holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.approve_ticket(id bigint, actor text)
 RETURNS text
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
DECLARE
  t ticket_base;
BEGIN
  PERFORM require_words('actor', actor);
  t := locked_ticket(approve_ticket.id);
  IF t.state <> 'needs_review' THEN
    PERFORM refuse_action(t, 'approve');
  END IF;
  PERFORM log_activity(t.id, 'approved', actor, jsonb_build_object('delivery', deliver_repair(t)));
  UPDATE ticket_base b SET state = 'done', updated_at = now() WHERE b.id = t.id;
  PERFORM free_followers(ARRAY[t.id], false);
  RETURN 'done';
END
$function$;
COMMENT ON FUNCTION holdfast.approve_ticket(bigint,text) IS 'Accepts the result of a ticket in needs_review: it is done. A repair whose design says so gets a ticket that merges or pushes it.';
GRANT EXECUTE ON FUNCTION holdfast.approve_ticket(bigint,text) TO holdfast_operator, holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.asked_question(ticket_id bigint)
 RETURNS jsonb
 LANGUAGE sql
 STABLE
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
  SELECT (SELECT a.details->'question' FROM ticket_activity a
    WHERE a.ticket_id = b.id AND a.action = 'held' AND a.actor = 'system' AND a.details ? 'question' ORDER BY a.id DESC LIMIT 1)
  FROM ticket_base b WHERE b.id = asked_question.ticket_id AND b.state = 'on_hold' AND 'answer' = ANY (b.hold_actions)
$function$;
COMMENT ON FUNCTION holdfast.asked_question(bigint) IS 'The question that a held ticket waits with, as {"ask", "choices", "schema"}; NULL where it asks nothing.';
GRANT EXECUTE ON FUNCTION holdfast.asked_question(bigint) TO holdfast_designer, holdfast_operator, holdfast_viewer, holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.assign_ticket(id bigint, assignee text, actor text)
 RETURNS text
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
DECLARE
  t ticket_base;
  person text := words_or_null(assign_ticket.assignee);
BEGIN
  PERFORM require_words('actor', actor);
  t := locked_ticket(assign_ticket.id);
  IF length(person) > 100 THEN
    RAISE EXCEPTION 'the name of an assignee is at most 100 characters long' USING ERRCODE = 'HF422';
  END IF;
  IF person IS NULL THEN
    DELETE FROM ticket_assignments a WHERE a.ticket_id = t.id;
  ELSE
    INSERT INTO ticket_assignments AS a (ticket_id, assignee, assigned_by) VALUES (t.id, person, actor)
    ON CONFLICT (ticket_id) DO UPDATE
    SET assignee = EXCLUDED.assignee, assigned_at = EXCLUDED.assigned_at, assigned_by = EXCLUDED.assigned_by;
  END IF;
  -- A change as any other: what was seen of the ticket before is old.
  UPDATE ticket_base b SET updated_at = now() WHERE b.id = t.id;
  PERFORM log_activity(t.id, CASE WHEN person IS NULL THEN 'unassigned' ELSE 'assigned' END, actor,
    jsonb_build_object('assignee', person));
  RETURN (SELECT v.state FROM tickets v WHERE v.id = t.id);
END
$function$;
COMMENT ON FUNCTION holdfast.assign_ticket(bigint,text,text) IS 'Says which person looks after a ticket, in any state; NULL or '''' is nobody any more. Returns the state, which it does not change.';
GRANT EXECUTE ON FUNCTION holdfast.assign_ticket(bigint,text,text) TO holdfast_operator, holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.batch_progress(id bigint)
 RETURNS TABLE(batch_id bigint, title text, created_at timestamp with time zone, created_by text, closed_at timestamp with time zone, cancelled_at timestamp with time zone, ended_at timestamp with time zone, total bigint, ready bigint, in_progress bigint, on_hold bigint, needs_review bigint, done bigint, cancelled bigint, deleted bigint, counted_at timestamp with time zone, time_left interval, next_count_at timestamp with time zone)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
#variable_conflict use_column
DECLARE
  b batches;
  lockable boolean := current_setting('transaction_read_only') = 'off';
BEGIN
  SELECT * INTO b FROM batches x WHERE x.id = batch_progress.id;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'there is no batch %', COALESCE(batch_progress.id::text, 'NULL')
      USING ERRCODE = 'HF404', HINT = 'holdfast batch list shows them';
  END IF;
  IF b.counted_at IS NULL OR b.counted_at < LEAST(b.ended_at, clock_timestamp() - GREATEST(interval '500 milliseconds', b.count_took * 20))
      OR b.counted_at > clock_timestamp() + interval '1 minute' THEN
    IF lockable THEN
      SELECT * INTO b FROM batches x WHERE x.id = batch_progress.id FOR NO KEY UPDATE SKIP LOCKED;
      lockable := FOUND;
    END IF;
    IF NOT lockable THEN
      SELECT * INTO b FROM batches x WHERE x.id = batch_progress.id;
    END IF;
    IF lockable OR b.counted_at IS NULL THEN
      b := recount_batch(b);
    END IF;
    IF lockable THEN
      UPDATE batches x SET counts = b.counts, counted_at = b.counted_at, count_took = b.count_took, base_at = b.base_at, base_finished = b.base_finished
      WHERE x.id = b.id;
    END IF;
  END IF;
  RETURN QUERY SELECT * FROM shown_batch(b);
END
$function$;
COMMENT ON FUNCTION holdfast.batch_progress(bigint) IS 'How far a batch is: SELECT * FROM holdfast.batch_progress(7). Counted when asked, at most every half second and never more than a twentieth of the time; counted_at says when. time_left is foretold from the rate of the last minutes.';
GRANT EXECUTE ON FUNCTION holdfast.batch_progress(bigint) TO holdfast_designer, holdfast_operator, holdfast_viewer, holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.book_lost_reservations()
 RETURNS bigint
 LANGUAGE plpgsql
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
DECLARE
  r record;
  n bigint := 0;
BEGIN
  FOR r IN
    SELECT b.id, b.usd FROM budget_reservations b
    WHERE NOT EXISTS (SELECT FROM leases l WHERE l.id = b.lease_no AND l.expires_at > clock_timestamp())
    ORDER BY b.id LIMIT 1000 FOR UPDATE SKIP LOCKED
  LOOP
    PERFORM settle_budget(r.id, r.usd);
    n := n + 1;
  END LOOP;
  RETURN n;
END
$function$;
COMMENT ON FUNCTION holdfast.book_lost_reservations() IS 'A call whose worker died was possibly billed: its reservation is booked as spent.';
GRANT EXECUTE ON FUNCTION holdfast.book_lost_reservations() TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.broken_rule(t holdfast.ticket_base)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE
AS $function$
  SELECT CASE
    WHEN t.state NOT IN ('ready', 'needs_review', 'on_hold', 'done', 'cancelled') THEN 'known_state'
    WHEN t.assignee_type NOT IN ('agent', 'human') THEN 'known_assignee_type'
    WHEN t.retry_count < 0 THEN 'retry_count_is_a_count'
    WHEN t.max_cost_usd NOT BETWEEN 0 AND 1000000000 THEN 'max_cost_is_an_amount'
    WHEN (t.state = 'on_hold') <> (t.held_at IS NOT NULL) THEN 'held_tickets_say_why'
  END
$function$;
COMMENT ON FUNCTION holdfast.broken_rule(holdfast.ticket_base) IS 'The rule that a row of ticket_base breaks, by name; null if it keeps them all.';
GRANT EXECUTE ON FUNCTION holdfast.broken_rule(holdfast.ticket_base) TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.budget_has_room(of_scope text, needed numeric)
 RETURNS boolean
 LANGUAGE sql
 STABLE
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
  SELECT NOT EXISTS (
    SELECT FROM budgets b WHERE b.scope = of_scope
      AND CASE WHEN b.per = 'day' AND b.day < (clock_timestamp() AT TIME ZONE 'UTC')::date THEN 0 ELSE b.spent_usd END
        + b.reserved_usd + needed > b.limit_usd)
$function$;
COMMENT ON FUNCTION holdfast.budget_has_room(text,numeric) IS 'Whether a call of that cost would be let through.';
GRANT EXECUTE ON FUNCTION holdfast.budget_has_room(text,numeric) TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.call_hash(tool text, arguments text)
 RETURNS text
 LANGUAGE sql
 STABLE
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
  SELECT encode(sha256(convert_to(call_hash.tool || E'\n' || call_hash.arguments, 'UTF8')), 'hex')
$function$;
COMMENT ON FUNCTION holdfast.call_hash(text,text) IS 'What an approval binds: tool_approvals.approved_hash.';
GRANT EXECUTE ON FUNCTION holdfast.call_hash(text,text) TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.cancel_batch(id bigint, actor text, reason text DEFAULT NULL::text, at_most integer DEFAULT NULL::integer)
 RETURNS bigint
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'holdfast', 'pg_temp'
 SET enable_seqscan TO 'off'
AS $function$
DECLARE
  ticket bigint;
  tickets bigint[];
BEGIN
  PERFORM close_batch(cancel_batch.id, actor);
  UPDATE batches x SET cancelled_at = now(), look_at = now() WHERE x.id = cancel_batch.id AND x.cancelled_at IS NULL AND x.ended_at IS NULL;
  PERFORM lock_what_goes(w.id) FROM (
    SELECT b.id FROM ticket_base b
    WHERE b.batch_id = cancel_batch.id AND b.state NOT IN ('done', 'cancelled') AND b.kind = 'workflow' ORDER BY b.batch_id, b.id LIMIT at_most) w;
  -- All are locked before the first is cancelled. Trap: a loop over the locking query itself would leave out those further on that a cancellation
  -- has changed by then, for PostgreSQL passes over rows that the transaction has changed since the query began.
  tickets := ARRAY(
    SELECT b.id FROM ticket_base b
    WHERE b.batch_id = cancel_batch.id AND b.state NOT IN ('done', 'cancelled') AND (b.state <> 'on_hold' OR 'cancel' = ANY (b.hold_actions))
    ORDER BY b.batch_id, b.id LIMIT at_most FOR UPDATE);
  FOREACH ticket IN ARRAY tickets LOOP
    -- One before it may have taken it along: a ticket of the batch that it waits for.
    IF EXISTS (SELECT FROM ticket_base b WHERE b.id = ticket AND b.state NOT IN ('done', 'cancelled')) THEN
      PERFORM cancel_ticket(ticket, actor, reason);
    END IF;
  END LOOP;
  RETURN cardinality(tickets);
END
$function$;
COMMENT ON FUNCTION holdfast.cancel_batch(bigint,text,text,integer) IS 'Cancels all tickets of a batch that are not done, and says how many; it takes no further ones. Tickets that wait for the batch go on hold. at_most: in portions, until it answers 0.';
GRANT EXECUTE ON FUNCTION holdfast.cancel_batch(bigint,text,text,integer) TO holdfast_operator, holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.cancel_steps(t holdfast.ticket_base, actor text)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
DECLARE
  child bigint;
BEGIN
  FOR child IN
    WITH ended AS (
      UPDATE ticket_dependencies d SET ended_at = now(), queued = NULL WHERE d.ticket_id = t.id AND (d.ended_at IS NULL OR d.on_success) RETURNING d.after_id, d.name
    )
    SELECT e.after_id FROM ended e WHERE e.name IS NOT NULL ORDER BY e.after_id
  LOOP
    IF EXISTS (SELECT FROM ticket_base b WHERE b.id = child AND b.state NOT IN ('done', 'cancelled')) THEN
      PERFORM cancel_ticket(child, actor, format('its workflow #%s was cancelled', t.id));
    END IF;
  END LOOP;
END
$function$;
COMMENT ON FUNCTION holdfast.cancel_steps(holdfast.ticket_base,text) IS 'Cancels the open steps of a workflow that a person cancels.';
GRANT EXECUTE ON FUNCTION holdfast.cancel_steps(holdfast.ticket_base,text) TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.cancel_ticket(id bigint, actor text, reason text DEFAULT NULL::text)
 RETURNS text
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
DECLARE
  t ticket_base;
  gone bigint[] := ARRAY[cancel_ticket.id];
  nth integer := 1;
BEGIN
  PERFORM require_words('actor', actor);
  IF reason IS NOT NULL THEN
    PERFORM require_words('reason', reason);
  END IF;
  PERFORM lock_what_goes(cancel_ticket.id);
  t := locked_ticket(cancel_ticket.id);
  IF t.state = 'cancelled' AND done_in_order(t.id, 'cancelled', actor, t.completed_at) THEN
    RETURN t.state;
  ELSIF t.state IN ('done', 'cancelled') THEN
    PERFORM refuse_action(t, 'cancel');
  END IF;
  PERFORM end_for_good(t, actor, reason);
  -- One after the other, not each within the one before: a chain may be longer than the server's stack is deep.
  WHILE nth <= cardinality(gone) LOOP
    SELECT * INTO t FROM ticket_base b WHERE b.id = gone[nth];
    gone := gone || reach_followers(t.id, actor);
    IF t.kind = 'workflow' THEN
      PERFORM cancel_steps(t, actor);
    END IF;
    nth := nth + 1;
  END LOOP;
  RETURN 'cancelled';
END
$function$;
COMMENT ON FUNCTION holdfast.cancel_ticket(bigint,text,text) IS 'Ends a ticket for good, on a person''s word only. A running attempt is stopped and its result refused. Tickets that wait for it go on hold.';
GRANT EXECUTE ON FUNCTION holdfast.cancel_ticket(bigint,text,text) TO holdfast_operator, holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.change_ticket_state(ticket holdfast.tickets, wanted text, reason text)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
DECLARE
  given text := words_or_null(reason);
BEGIN
  CASE
    WHEN ticket.state = 'on_hold' AND wanted = 'ready' THEN PERFORM release_ticket(ticket.id, acting_person());
    WHEN ticket.state = 'needs_review' AND wanted = 'ready' THEN PERFORM reject_ticket(ticket.id, acting_person());
    WHEN ticket.state = 'needs_review' AND wanted = 'done' THEN PERFORM approve_ticket(ticket.id, acting_person());
    WHEN ticket.state IN ('ready', 'in_progress') AND wanted = 'on_hold' THEN
      PERFORM hold_ticket(ticket.id, acting_person(), COALESCE(given, 'held by ' || acting_person()));
    WHEN ticket.state NOT IN ('done', 'cancelled') AND wanted = 'cancelled' THEN
      PERFORM cancel_ticket(ticket.id, acting_person(), given);
    ELSE
      RAISE EXCEPTION 'ticket % is %; it cannot become %', ticket.id, ticket.state, COALESCE(left(wanted, 100), 'NULL')
        USING ERRCODE = 'HF409', DETAIL = ticket.state, HINT = 'The transitions are in COMMENT ON COLUMN tickets.state.';
  END CASE;
END
$function$;
COMMENT ON FUNCTION holdfast.change_ticket_state(holdfast.tickets,text,text) IS 'UPDATE of tickets.state: calls the function for people that makes the same change.';
GRANT EXECUTE ON FUNCTION holdfast.change_ticket_state(holdfast.tickets,text,text) TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.changed_columns(old_ticket holdfast.tickets, new_ticket holdfast.tickets)
 RETURNS jsonb
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
DECLARE
  changes jsonb;
  kept text;
BEGIN
  SELECT COALESCE(jsonb_object_agg(n.key, n.value), '{}') INTO changes
  FROM jsonb_each(to_jsonb(new_ticket)) n JOIN jsonb_each(to_jsonb(old_ticket)) o USING (key)
  WHERE n.value IS DISTINCT FROM o.value AND n.key NOT IN ('state', 'updated_at');
  SELECT string_agg(key, ', ' ORDER BY key) INTO kept FROM jsonb_object_keys(changes) AS key
  WHERE key IN ('id', 'lease_no', 'worker_id', 'lease_expires_at', 'attempt_count', 'crash_count', 'same_error_count',
    'held_at', 'allowed_actions', 'error_title', 'design', 'design_version', 'expires_at', 'parent_id', 'batch_id');
  IF kept IS NOT NULL THEN
    RAISE EXCEPTION '% of a ticket cannot be set by hand', kept
      USING ERRCODE = 'HF422', HINT = 'Change state instead: release, hold, cancel, approve or reject the ticket.';
  END IF;
  RETURN changes;
END
$function$;
COMMENT ON FUNCTION holdfast.changed_columns(holdfast.tickets,holdfast.tickets) IS 'What an UPDATE of tickets sets beside state, without what was only read before; refuses the columns that are kept by Holdfast.';
GRANT EXECUTE ON FUNCTION holdfast.changed_columns(holdfast.tickets,holdfast.tickets) TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.check_retry_of_design()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
BEGIN
  PERFORM require_retry_policy(NEW.definition->'retry', 'retry of design ' || NEW.name);
  RETURN NEW;
END
$function$;
COMMENT ON FUNCTION holdfast.check_retry_of_design() IS 'Refuses designs with a bad retry policy.';
GRANT EXECUTE ON FUNCTION holdfast.check_retry_of_design() TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.check_retry_of_queue()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
BEGIN
  PERFORM require_retry_policy(NEW.retry, 'retry');
  RETURN NEW;
END
$function$;
COMMENT ON FUNCTION holdfast.check_retry_of_queue() IS 'Refuses queues with a bad retry policy.';
GRANT EXECUTE ON FUNCTION holdfast.check_retry_of_queue() TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.choose_held(release_id bigint, ids bigint[], fingerprint text, category text, batch_id bigint)
 RETURNS bigint
 LANGUAGE plpgsql
 SET search_path TO 'holdfast', 'pg_temp'
 SET enable_seqscan TO 'off'
AS $function$
DECLARE
  n bigint;
BEGIN
  -- Those that wait for others on hold come last, whoever is waited for first: a step that releases only them would wait for a later one. Tickets wait
  -- for older ones.
  INSERT INTO release_tickets (release_id, n, ticket_id, fingerprint)
  SELECT choose_held.release_id, row_number() OVER (ORDER BY w.waits, CASE WHEN NOT w.waits THEN h.held_at END, h.id), h.id,
    NULLIF(h.fingerprint, '')
  FROM held h
  CROSS JOIN LATERAL (
    SELECT EXISTS (
        SELECT FROM ticket_dependencies d JOIN held p ON p.id = d.after_id
        WHERE d.ticket_id = h.id AND d.ended_at IS NULL)
      OR EXISTS (SELECT FROM ticket_dependencies d WHERE d.after_id = h.id AND d.ended_at IS NULL AND d.queued) AS waits
    OFFSET 0) w -- looked at once for each, not once for each place that names it
  WHERE (choose_held.ids IS NULL OR h.id = ANY (choose_held.ids))
    AND (choose_held.fingerprint IS NULL OR starts_with(h.fingerprint, choose_held.fingerprint))
    AND (choose_held.category IS NULL OR h.category = choose_held.category)
    AND (choose_held.batch_id IS NULL OR h.id IN (SELECT b.id FROM ticket_base b WHERE b.batch_id = choose_held.batch_id));
  GET DIAGNOSTICS n = ROW_COUNT;
  RETURN n;
END
$function$;
COMMENT ON FUNCTION holdfast.choose_held(bigint,bigint[],text,text,bigint) IS 'Writes down which held tickets a release is about, and says how many.';
GRANT EXECUTE ON FUNCTION holdfast.choose_held(bigint,bigint[],text,text,bigint) TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.claimed_ticket(ticket_id bigint, under_lease bigint, most_bytes bigint)
 RETURNS TABLE(promoted bigint, next_due_ms double precision, id bigint, queue text, kind text, title text, payload text, priority integer, created_at timestamp with time zone, attempt_count integer, retry_count integer, lease_no bigint, claimed_at timestamp with time zone, expires_at timestamp with time zone, design_id bigint, design_name text, design_version integer, design_kind text, definition text, guidance text, results text, retry boolean)
 LANGUAGE plpgsql
 SET search_path TO 'holdfast', 'pg_temp'
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET jit TO 'off'
AS $function$
#variable_conflict use_column
DECLARE
  b ticket_base;
  l leases;
  d designs;
  reading text;
  bytes bigint;
BEGIN
  SELECT * INTO l FROM leases WHERE leases.id = under_lease;
  SELECT * INTO b FROM ticket_base WHERE ticket_base.id = ticket_id AND ticket_base.fence < under_lease AND ticket_base.state = 'ready';
  IF l.id IS NULL OR b.id IS NULL THEN
    RETURN;
  END IF;
  SELECT * INTO d FROM designs WHERE designs.id = b.design_id;
  BEGIN
    reading := 'payload';
    bytes := COALESCE(b.payload_bytes, expanded_bytes(b.payload, most_bytes));
    IF bytes > most_bytes THEN
      RAISE EXCEPTION 'it has % bytes or more as text, and % are allowed (payload.max-expanded-bytes)', bytes, most_bytes
        USING ERRCODE = 'HF422';
    END IF;
    payload := b.payload::text;
    reading := 'title';
    IF octet_length(b.title) > most_bytes THEN
      RAISE EXCEPTION 'it has % bytes, and % are allowed (payload.max-expanded-bytes)', octet_length(b.title), most_bytes
        USING ERRCODE = 'HF422';
    END IF;
    title := b.title;
    reading := 'design';
    IF d.id IS NOT NULL AND expanded_bytes(d.definition, most_bytes) > most_bytes THEN
      RAISE EXCEPTION 'it has % bytes or more as text, and % are allowed (payload.max-expanded-bytes)', expanded_bytes(d.definition, most_bytes), most_bytes
        USING ERRCODE = 'HF422';
    END IF;
    definition := d.definition::text;
    reading := 'guidance';
    IF b.guidance_count > 0 THEN
      SELECT jsonb_agg(jsonb_build_object('text', g.guidance, 'author', g.author, 'source', g.source, 'givenAt', g.created_at,
        'question', g.question, 'answer', g.answer::text) ORDER BY g.id)::text
      INTO guidance FROM ticket_guidance g WHERE g.ticket_id = b.id;
    END IF;
    IF b.follows AND b.kind <> 'workflow' THEN
      reading := 'results of the tickets before it';
      results := results_for(b.id, most_bytes);
    END IF;
  EXCEPTION WHEN OTHERS THEN
    RAISE EXCEPTION 'its % cannot be read: %', reading, SQLERRM USING ERRCODE = SQLSTATE;
  END;
  id := b.id;
  queue := b.queue;
  kind := b.kind;
  priority := b.priority;
  created_at := b.created_at;
  attempt_count := b.attempt_count;
  retry_count := COALESCE(b.retry_count, 0);
  -- The last execution failed, and no person has spoken since.
  retry := b.same_error_count > 0;
  lease_no := l.id;
  claimed_at := l.claimed_at;
  expires_at := l.expires_at;
  design_id := d.id;
  design_name := d.name;
  design_version := d.version;
  design_kind := d.kind;
  RETURN NEXT;
END
$function$;
COMMENT ON FUNCTION holdfast.claimed_ticket(bigint,bigint,bigint) IS 'A claimed ticket with all that its worker needs, read by itself; nothing if the claim is over. What cannot be read, or has more than most_bytes as text, is an error that names the column.';
GRANT EXECUTE ON FUNCTION holdfast.claimed_ticket(bigint,bigint,bigint) TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.close_batch(id bigint, actor text)
 RETURNS bigint
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'holdfast', 'pg_temp'
 SET enable_seqscan TO 'off'
AS $function$
DECLARE
  b batches;
  n bigint;
BEGIN
  PERFORM require_words('actor', actor);
  b := locked_batch(close_batch.id);
  IF b.closed_at IS NOT NULL THEN
    RETURN b.total;
  -- An older snapshot would not see the tickets that others have brought since. One's own batch has none of others.
  ELSIF current_setting('transaction_isolation') <> 'read committed' AND b.created_at <> now() THEN
    RAISE EXCEPTION 'batch % cannot be closed in a transaction of isolation level %', b.id, current_setting('transaction_isolation')
      USING ERRCODE = 'HF422', HINT = 'BEGIN ISOLATION LEVEL READ COMMITTED';
  END IF;
  SELECT count(*) + b.settled_done + b.settled_cancelled INTO n FROM ticket_base t WHERE t.batch_id = b.id;
  UPDATE batches x SET closed_at = now(), total = n, look_at = now() WHERE x.id = b.id;
  RETURN n;
END
$function$;
COMMENT ON FUNCTION holdfast.close_batch(bigint,text) IS 'From now on the batch takes no tickets: it ends when all it has are done or cancelled, and tickets may wait for it. Returns how many it has.';
GRANT EXECUTE ON FUNCTION holdfast.close_batch(bigint,text) TO holdfast_operator, holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.close_leases(lease_nos bigint[])
 RETURNS SETOF bigint
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET lock_timeout TO '250ms'
AS $function$
DECLARE
  free bigint[] := ARRAY(SELECT l.id FROM holdfast.leases l WHERE l.id = ANY (lease_nos) FOR UPDATE SKIP LOCKED);
BEGIN
  DELETE FROM holdfast.leases l
  WHERE l.id = ANY (free)
    AND NOT EXISTS (
      SELECT FROM unnest(l.ids) AS u (id)
      CROSS JOIN LATERAL (SELECT b.state, b.fence FROM holdfast.ticket_base b WHERE b.id = u.id LIMIT 1) b
      WHERE b.state = 'ready' AND b.fence < l.id);
  IF cardinality(free) < cardinality(lease_nos) THEN
    RETURN QUERY SELECT l.id FROM holdfast.leases l WHERE l.id = ANY (lease_nos) AND l.id <> ALL (free);
  END IF;
END
$function$;
COMMENT ON FUNCTION holdfast.close_leases(bigint[]) IS 'Drops those of the leases that are finished; returns those that are locked and have to be tried again.';
GRANT EXECUTE ON FUNCTION holdfast.close_leases(bigint[]) TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.configure_budget(of_scope text, of_period text, usd numeric, by_worker text)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
BEGIN
  -- Waits for a person who is removing it, whose calls on their way are then to be counted anew.
  PERFORM FROM budgets b WHERE b.scope = of_scope FOR UPDATE;
  INSERT INTO budgets AS b (scope, per, limit_usd, reserved_usd, configured_usd, configured_per, changed_by)
  VALUES (of_scope, of_period, usd, reserved_before(of_scope), usd, of_period, by_worker)
  ON CONFLICT (scope) DO UPDATE
  SET limit_usd = usd, configured_usd = usd, per = of_period, configured_per = of_period, changed_by = by_worker, changed_at = clock_timestamp()
  WHERE b.configured_usd IS DISTINCT FROM usd OR b.configured_per <> of_period;
  IF FOUND THEN
    PERFORM pg_notify('holdfast_providers', '');
  ELSE
    -- A budget from before the period was kept.
    UPDATE budgets b SET configured_per = of_period WHERE b.scope = of_scope AND b.configured_per IS NULL;
  END IF;
END
$function$;
COMMENT ON FUNCTION holdfast.configure_budget(text,text,numeric,text) IS 'What a worker''s configuration says of a budget. What a person has set since stays until the configuration says something else.';
GRANT EXECUTE ON FUNCTION holdfast.configure_budget(text,text,numeric,text) TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.count_batch(b holdfast.batches)
 RETURNS jsonb
 LANGUAGE sql
 STABLE
 SET search_path TO 'holdfast', 'pg_temp'
 SET enable_seqscan TO 'off'
 SET jit TO 'off'
AS $function$
  SELECT jsonb_build_object('present', count(*), 'ready', count(*) FILTER (WHERE t.state = 'ready'),
    'on_hold', count(*) FILTER (WHERE t.state = 'on_hold'), 'needs_review', count(*) FILTER (WHERE t.state = 'needs_review'),
    'done', count(*) FILTER (WHERE t.state = 'done'), 'cancelled', count(*) FILTER (WHERE t.state = 'cancelled'),
    'in_progress', (
      SELECT count(*) FROM leases l CROSS JOIN LATERAL unnest(l.ids) AS u (id)
      -- The LIMIT keeps a planner that overrates the leases from reading all tickets.
      CROSS JOIN LATERAL (SELECT * FROM ticket_base r WHERE r.id = u.id LIMIT 1) r
      WHERE r.batch_id = b.id AND r.state = 'ready' AND l.id > r.fence))
  FROM ticket_base t WHERE t.batch_id = b.id AND t.id >= b.settled_below
$function$;
COMMENT ON FUNCTION holdfast.count_batch(holdfast.batches) IS 'The tickets of a batch from settled_below on, by state; ready counts those in progress, too.';
GRANT EXECUTE ON FUNCTION holdfast.count_batch(holdfast.batches) TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.count_model_figures(from_time timestamp with time zone, to_time timestamp with time zone)
 RETURNS void
 LANGUAGE sql
 SET search_path TO 'holdfast', 'pg_temp'
 SET enable_seqscan TO 'off'
 SET jit TO 'off'
AS $function$
  INSERT INTO model_figures AS f (span_minutes, starts_at, provider, model, design, answers, tokens_in, tokens_out, cost_usd)
  SELECT s.minutes, date_bin(s.minutes * interval '1 minute', j.written_at, '2000-01-01 00:00Z'),
    left(COALESCE(j.entry->'target'->>'provider', ''), 200), left(COALESCE(j.entry->'target'->>'model', ''), 200), COALESCE(d.name, ''),
    count(*) FILTER (WHERE j.kind <> 'step_finished' AND j.entry->'unanswered' IS DISTINCT FROM 'true'),
    sum(LEAST(COALESCE((j.entry->'usage'->>'input')::numeric + (j.entry->'usage'->>'cacheRead')::numeric
      + (j.entry->'usage'->>'cacheWrite')::numeric, 0), 1e12)),
    sum(LEAST(COALESCE((j.entry->'usage'->>'output')::numeric, 0), 1e12)), sum((j.entry->>'costUsd')::numeric)
  FROM (
    SELECT x.ticket_id, x.written_at, x.kind, x.entry FROM session_journal x
    WHERE x.kind IN ('answered', 'discarded', 'compacted') AND x.written_at >= from_time AND x.written_at < to_time
      AND (x.kind <> 'compacted' OR x.entry->'summarised' = 'true')
    UNION ALL
    SELECT x.ticket_id, x.written_at, x.kind, x.entry FROM session_journal x
    WHERE x.kind = 'step_finished' AND x.written_at >= from_time AND x.written_at < to_time
      AND ((x.entry->'usage'->>'input')::bigint > 0 OR (x.entry->'usage'->>'output')::bigint > 0)
  ) j
  JOIN ticket_base b ON b.id = j.ticket_id
  LEFT JOIN designs d ON d.id = b.design_id
  CROSS JOIN (VALUES (1), (15), (120)) AS s (minutes)
  GROUP BY 1, 2, 3, 4, 5
  ON CONFLICT (span_minutes, starts_at, provider, model, design) DO UPDATE
  SET answers = f.answers + EXCLUDED.answers, tokens_in = f.tokens_in + EXCLUDED.tokens_in, tokens_out = f.tokens_out + EXCLUDED.tokens_out,
    cost_usd = CASE WHEN f.cost_usd IS NULL THEN EXCLUDED.cost_usd ELSE f.cost_usd + COALESCE(EXCLUDED.cost_usd, 0) END
$function$;
COMMENT ON FUNCTION holdfast.count_model_figures(timestamp with time zone,timestamp with time zone) IS 'Adds to model_figures what models answered from the first time on and before the second. For roll_up_figures.';
GRANT EXECUTE ON FUNCTION holdfast.count_model_figures(timestamp with time zone,timestamp with time zone) TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.count_ticket_figures(from_time timestamp with time zone, to_time timestamp with time zone)
 RETURNS void
 LANGUAGE sql
 SET search_path TO 'holdfast', 'pg_temp'
 SET enable_seqscan TO 'off'
 SET jit TO 'off'
AS $function$
  INSERT INTO ticket_figures AS f (span_minutes, starts_at, queue, design, event, category, n)
  SELECT s.minutes, date_bin(s.minutes * interval '1 minute', e.minute, '2000-01-01 00:00Z'), e.queue, e.design, e.event, e.category, sum(e.n)
  FROM (
    SELECT date_bin('1 minute', h.at, '2000-01-01 00:00Z') AS minute, b.queue, COALESCE(d.name, '') AS design, h.event, h.category, count(*) AS n
    FROM (
      SELECT a.ticket_id, a.finished_at AS at, a.outcome AS event, COALESCE(a.category, '') AS category
      FROM ticket_attempts a WHERE a.finished_at >= from_time AND a.finished_at < to_time
      UNION ALL
      SELECT y.ticket_id, y.created_at, CASE y.action WHEN 'released' THEN 'released' ELSE 'held' END, ''
      FROM ticket_activity y
      WHERE y.created_at >= from_time AND y.created_at < to_time
        AND (y.action IN ('held', 'released') OR y.actor = 'system' AND y.details->>'holdReason' IS NOT NULL)
    ) h
    JOIN ticket_base b ON b.id = h.ticket_id
    LEFT JOIN designs d ON d.id = b.design_id
    GROUP BY 1, 2, 3, 4, 5
  ) e
  CROSS JOIN (VALUES (1), (15), (120)) AS s (minutes)
  GROUP BY 1, 2, 3, 4, 5, 6
  ON CONFLICT (span_minutes, starts_at, event, category, queue, design) DO UPDATE SET n = f.n + EXCLUDED.n
$function$;
COMMENT ON FUNCTION holdfast.count_ticket_figures(timestamp with time zone,timestamp with time zone) IS 'Adds to ticket_figures what happened from the first time on and before the second. For roll_up_figures, which sees to it that nothing is counted twice.';
GRANT EXECUTE ON FUNCTION holdfast.count_ticket_figures(timestamp with time zone,timestamp with time zone) TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.counts_without(counts jsonb, done bigint, cancelled bigint)
 RETURNS jsonb
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
  SELECT counts || jsonb_build_object('present', (counts->>'present')::bigint - done - cancelled,
    'done', (counts->>'done')::bigint - done, 'cancelled', (counts->>'cancelled')::bigint - cancelled)
$function$;
COMMENT ON FUNCTION holdfast.counts_without(jsonb,bigint,bigint) IS 'The counts of a batch when so many tickets come to settled_done and settled_cancelled, which are added to them.';
GRANT EXECUTE ON FUNCTION holdfast.counts_without(jsonb,bigint,bigint) TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.decide_tool_call(id bigint, actor text, decision text, call bigint DEFAULT NULL::bigint, arguments jsonb DEFAULT NULL::jsonb, words text DEFAULT NULL::text, remember boolean DEFAULT false)
 RETURNS text
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
DECLARE
  t ticket_base;
  c tool_approvals;
  approved boolean := decide_tool_call.decision = 'approve';
  said text := words_or_null(words);
BEGIN
  PERFORM require_words('actor', actor), require_length('words', words);
  IF decide_tool_call.arguments IS NOT NULL THEN
    PERFORM accepted_bytes('arguments of the call', decide_tool_call.arguments);
  END IF;
  IF decide_tool_call.decision IS NULL OR decide_tool_call.decision NOT IN ('approve', 'deny') THEN
    RAISE EXCEPTION 'the decision must be approve or deny' USING ERRCODE = 'HF422';
  ELSIF jsonb_typeof(decide_tool_call.arguments) <> 'object' THEN
    RAISE EXCEPTION 'the arguments of a call must be a JSON object' USING ERRCODE = 'HF422';
  ELSIF (decide_tool_call.arguments IS NOT NULL OR decide_tool_call.remember) AND NOT approved THEN
    RAISE EXCEPTION 'a denied call has no arguments, and is not remembered' USING ERRCODE = 'HF422';
  ELSIF decide_tool_call.arguments IS NOT NULL AND decide_tool_call.remember THEN
    RAISE EXCEPTION 'a call with other arguments cannot be remembered' USING ERRCODE = 'HF422', HINT = 'Decide each of them.';
  END IF;
  t := locked_ticket(decide_tool_call.id);
  c := waiting_call(t, call, decide_tool_call.decision);
  PERFORM require_allowed(t, CASE WHEN NOT approved THEN 'deny_call'
    WHEN decide_tool_call.arguments IS NULL THEN 'approve_call' ELSE 'approve_call_with_changes' END);
  UPDATE tool_approvals a
  SET decision = CASE WHEN approved THEN 'approved' ELSE 'denied' END, decided_at = now(), decided_by = actor, words = said,
      edited_arguments = decide_tool_call.arguments::text, remember = COALESCE(decide_tool_call.remember, false),
      approved_hash = CASE WHEN approved THEN call_hash(a.tool, COALESCE(decide_tool_call.arguments::text, a.arguments)) END
  WHERE a.id = c.id;
  PERFORM log_activity(t.id, CASE WHEN approved THEN 'call_approved' ELSE 'call_denied' END, actor,
    jsonb_build_object('call', c.id, 'tool', c.tool, 'arguments', decide_tool_call.arguments, 'words', said,
      'remember', NULLIF(decide_tool_call.remember, false)));
  IF EXISTS (SELECT FROM tool_approvals a WHERE a.ticket_id = t.id AND a.decision IS NULL AND a.voided_at IS NULL) THEN
    RETURN t.state;
  END IF;
  -- Whoever undoes the release finds a hold like any other: what was decided stays decided.
  UPDATE ticket_base b SET hold_actions = '{release,release_with_guidance,cancel}' WHERE b.id = t.id;
  UPDATE ticket_base b
  SET state = 'ready', held_at = NULL, hold_reason = NULL, hold_actions = NULL, retry_after = NULL, crash_count = 0, updated_at = now()
  WHERE b.id = t.id
  RETURNING * INTO t;
  PERFORM make_claimable(t);
  RETURN t.state;
END
$function$;
COMMENT ON FUNCTION holdfast.decide_tool_call(bigint,text,text,bigint,jsonb,text,boolean) IS 'Says approve or deny to a tool call that a held ticket waits for: SELECT holdfast.decide_tool_call(17, ''ann'', ''approve''). call names it where several wait (waiting_tool_calls); arguments replace the model''s own; words are told to the model; remember approves further calls of the same shape in this ticket. The last one sends the ticket back to work; returns its state. Exactly one of two callers wins; the other gets SQLSTATE HF409 and is told who did.';
GRANT EXECUTE ON FUNCTION holdfast.decide_tool_call(bigint,text,text,bigint,jsonb,text,boolean) TO holdfast_operator, holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.delete_schedule(name text, actor text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
BEGIN
  PERFORM require_words('actor', actor);
  PERFORM locked_schedule(delete_schedule.name);
  DELETE FROM schedules s WHERE s.name = delete_schedule.name;
  PERFORM log_activity(NULL, 'schedule_deleted', actor, jsonb_build_object('schedule', delete_schedule.name));
END
$function$;
COMMENT ON FUNCTION holdfast.delete_schedule(text,text) IS 'Its tickets stay.';
GRANT EXECUTE ON FUNCTION holdfast.delete_schedule(text,text) TO holdfast_operator, holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.delete_ticket()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
BEGIN
  IF OLD.state NOT IN ('done', 'cancelled') THEN
    RAISE EXCEPTION 'ticket % is %; only done and cancelled tickets can be deleted', OLD.id, OLD.state
      USING ERRCODE = 'HF409', HINT = 'SELECT cancel_ticket(id, actor, reason) ends it first.';
  END IF;
  -- Whoever has just enqueued a ticket that needs its result has it locked, and is seen by the next statement.
  PERFORM FROM ticket_base b WHERE b.id = OLD.id FOR UPDATE;
  IF needed_by(OLD.id) IS NOT NULL THEN
    RAISE EXCEPTION 'ticket % is not deleted: ticket % still needs its result', OLD.id, needed_by(OLD.id)
      USING ERRCODE = 'HF409', HINT = 'It can be deleted when that one is done or cancelled.';
  END IF;
  DELETE FROM ticket_attempts WHERE ticket_id = OLD.id;
  DELETE FROM ticket_guidance WHERE ticket_id = OLD.id;
  DELETE FROM ticket_activity WHERE ticket_id = OLD.id;
  DELETE FROM ticket_base WHERE id = OLD.id;
  RETURN OLD;
END
$function$;
COMMENT ON FUNCTION holdfast.delete_ticket() IS 'DELETE FROM tickets: a finished ticket goes with all its history.';
GRANT EXECUTE ON FUNCTION holdfast.delete_ticket() TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.deliver_repair(t holdfast.ticket_base)
 RETURNS bigint
 LANGUAGE plpgsql
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
DECLARE
  delivery bigint;
BEGIN
  IF t.kind <> 'repair' OR COALESCE(t.result->>'on_approve', 'none') NOT IN ('merge', 'push') OR t.result->>'commit' IS NULL THEN
    RETURN NULL;
  END IF;
  INSERT INTO ticket_base (filed, design_id, kind, queue, priority, title, payload)
  VALUES (true, t.design_id, t.kind, t.queue, t.priority, format('%s of #%s', t.result->>'on_approve', t.id),
    jsonb_build_object('deliver', jsonb_build_object('ticket', t.id, 'base_commit', t.result->'base_commit', 'commit', t.result->'commit')))
  RETURNING id INTO delivery;
  PERFORM file_tickets(ARRAY[delivery]);
  RETURN delivery;
END
$function$;
COMMENT ON FUNCTION holdfast.deliver_repair(holdfast.ticket_base) IS 'Adds the ticket that brings the result of an approved repair to where its design says, and returns its id; null where nothing is to be brought anywhere. A worker has the repository, the person who approves need not.';
GRANT EXECUTE ON FUNCTION holdfast.deliver_repair(holdfast.ticket_base) TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.design_expiry(d holdfast.designs)
 RETURNS interval
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
  SELECT words_interval(d.definition->>'expires')
$function$;
COMMENT ON FUNCTION holdfast.design_expiry(holdfast.designs) IS 'After what time a ticket of the design expires if nobody says when; NULL for never. Counted from when it may start.';
GRANT EXECUTE ON FUNCTION holdfast.design_expiry(holdfast.designs) TO holdfast_operator, holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.done_in_order(ticket_id bigint, action text, actor text, at timestamp with time zone)
 RETURNS boolean
 LANGUAGE sql
 STABLE
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
  SELECT done_in_order.at = now() OR EXISTS (
    SELECT FROM ticket_activity a
    WHERE a.ticket_id = done_in_order.ticket_id AND a.action = done_in_order.action AND a.actor = done_in_order.actor
      AND a.created_at >= NULLIF(current_setting('holdfast.order_began', true), '')::timestamptz)
$function$;
COMMENT ON FUNCTION holdfast.done_in_order(bigint,text,text,timestamp with time zone) IS 'Whether what is wanted was done to a ticket, whose row the caller has locked, by this very transaction, or by the same person since the order began that this transaction is part of. at: when the ticket came into its state.';
GRANT EXECUTE ON FUNCTION holdfast.done_in_order(bigint,text,text,timestamp with time zone) TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.edit_payload(id bigint, actor text, payload jsonb)
 RETURNS text
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
DECLARE
  t ticket_base;
BEGIN
  PERFORM require_words('actor', actor);
  IF edit_payload.payload IS NULL THEN
    RAISE EXCEPTION 'the payload must not be empty' USING ERRCODE = 'HF422';
  END IF;
  t := locked_ticket(edit_payload.id);
  IF t.state <> 'on_hold' THEN
    PERFORM refuse_action(t, 'edit the payload of');
  END IF;
  IF t.payload IS DISTINCT FROM edit_payload.payload THEN
    PERFORM accepted_bytes('payload', edit_payload.payload);
    PERFORM log_activity(t.id, 'payload_edited', actor, jsonb_build_object(
      'before', CASE WHEN measured_bytes(t.payload) <= 65536 THEN t.payload END,
      'bytesBefore', measured_bytes(t.payload), 'bytesAfter', octet_length(edit_payload.payload::text)));
    UPDATE ticket_base b SET payload = edit_payload.payload, updated_at = now() WHERE b.id = t.id;
  END IF;
  RETURN t.state;
END
$function$;
COMMENT ON FUNCTION holdfast.edit_payload(bigint,text,jsonb) IS 'Changes the payload of a held ticket, before its release: SELECT holdfast.edit_payload(17, ''ann'', ''{"to": "bob"}''). The payload from before is in ticket_activity, if it has at most 64 KiB.';
GRANT EXECUTE ON FUNCTION holdfast.edit_payload(bigint,text,jsonb) TO holdfast_operator, holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.edit_ticket(ticket_id bigint, changes jsonb)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
DECLARE
  t ticket_base := locked_ticket(ticket_id);
  d designs;
  refile boolean := false;
BEGIN
  PERFORM require_key('concurrency_key', changes->>'concurrency_key'), require_key('fairness_key', changes->>'fairness_key'),
    require_uniqueness(changes->>'unique_key', NULL, NULL), require_readable(changes->>'title', changes->>'error', changes->>'hold_reason', changes->'result'),
    require_history((changes->>'rejection_count')::integer, changes->>'error_category'),
    require_start('retry_after', (changes->>'retry_after')::timestamptz),
    require_time('created_at', (changes->>'created_at')::timestamptz), require_time('started_at', (changes->>'started_at')::timestamptz),
    require_time('completed_at', (changes->>'completed_at')::timestamptz);
  IF changes ?| '{queue,kind,priority,created_at,retry_after,assignee_type,design_id,concurrency_key,fairness_key}' AND t.state = 'ready' THEN
    refile := make_unclaimable(t) OR NOT EXISTS (SELECT FROM running_lease(t.id, t.fence));
  END IF;
  t := jsonb_populate_record(t, changes);
  IF changes ? 'max_cost_usd' THEN
    PERFORM require_cost_limit(t.kind, t.max_cost_usd);
  END IF;
  IF changes ?| '{design_id,kind}' THEN
    d := known_design(t.design_id);
    IF t.kind <> d.kind THEN
      RAISE EXCEPTION 'design "%" is of the kind "%", not "%"', d.name, d.kind, left(t.kind, 100)
        USING ERRCODE = 'HF422', HINT = 'Set design_id and kind in one UPDATE.';
    END IF;
  END IF;
  IF changes ?| '{queue,kind}' THEN
    PERFORM know_lane(t.queue, t.kind);
  END IF;
  UPDATE ticket_base b SET
    queue = t.queue, kind = t.kind, design_id = t.design_id, title = t.title, payload = t.payload,
    assignee_type = t.assignee_type, priority = t.priority, unique_key = t.unique_key, result = t.result,
    created_at = t.created_at, started_at = t.started_at,
    -- Retention never takes what has none.
    completed_at = CASE WHEN b.state IN ('needs_review', 'done', 'cancelled') THEN COALESCE(t.completed_at, b.completed_at, now()) ELSE t.completed_at END,
    max_cost_usd = t.max_cost_usd,
    rejection_count = t.rejection_count, retry_count = t.retry_count, retry_after = t.retry_after,
    retry_strategy = t.retry_strategy, error = t.error,
    error_title = CASE WHEN b.error IS NOT DISTINCT FROM t.error THEN b.error_title END, error_category = t.error_category,
    error_fingerprint = t.error_fingerprint, concurrency_key = t.concurrency_key, fairness_key = t.fairness_key,
    hold_reason = CASE WHEN NOT is_blank(t.hold_reason) THEN t.hold_reason WHEN b.state = 'on_hold' THEN b.hold_reason END,
    updated_at = now()
  WHERE b.id = t.id;
  IF refile THEN
    PERFORM make_claimable(t);
  END IF;
END
$function$;
COMMENT ON FUNCTION holdfast.edit_ticket(bigint,jsonb) IS 'UPDATE of columns of tickets other than state; a waiting ticket is filed anew.';
GRANT EXECUTE ON FUNCTION holdfast.edit_ticket(bigint,jsonb) TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.end_for_good(t holdfast.ticket_base, actor text, reason text)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
BEGIN
  PERFORM require_allowed(t, 'cancel');
  PERFORM end_work(t, actor);
  PERFORM log_activity(t.id, 'cancelled', actor, jsonb_build_object('reason', reason, 'holdReason', t.hold_reason));
  UPDATE ticket_base b
  SET state = 'cancelled', held_at = NULL, hold_reason = NULL, hold_actions = NULL, retry_after = NULL,
      completed_at = now(), updated_at = now()
  WHERE b.id = t.id;
END
$function$;
COMMENT ON FUNCTION holdfast.end_for_good(holdfast.ticket_base,text,text) IS 'Cancels a ticket, whose row the caller has locked. What waits for it and its steps are the caller''s business.';
GRANT EXECUTE ON FUNCTION holdfast.end_for_good(holdfast.ticket_base,text,text) TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.end_lost_probes()
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
BEGIN
  UPDATE provider_cooldowns c SET probe_by = NULL, probe_until = NULL
  WHERE c.probe_until > clock_timestamp()
    AND NOT EXISTS (SELECT FROM leases l WHERE l.worker_id = c.probe_by AND l.expires_at > clock_timestamp());
  IF FOUND THEN
    PERFORM pg_notify('holdfast_providers', '');
  END IF;
END
$function$;
COMMENT ON FUNCTION holdfast.end_lost_probes() IS 'Nobody waits for the try of a worker that died: without a lease it calls no model. Workers call it now and then.';
GRANT EXECUTE ON FUNCTION holdfast.end_lost_probes() TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.end_provider_probe(of_provider text, of_key text, of_model text, by_worker text)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
BEGIN
  UPDATE provider_cooldowns p SET probe_by = NULL, probe_until = NULL
  WHERE p.provider = of_provider AND p.key_id = of_key AND p.model = of_model AND p.probe_by = by_worker;
  IF FOUND THEN
    PERFORM pg_notify('holdfast_providers', '');
  END IF;
END
$function$;
COMMENT ON FUNCTION holdfast.end_provider_probe(text,text,text,text) IS 'The try told nothing of the account, or was broken off: somebody else may.';
GRANT EXECUTE ON FUNCTION holdfast.end_provider_probe(text,text,text,text) TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.end_release(r holdfast.releases, outcome text, reason text, actor text)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
BEGIN
  UPDATE releases x SET ended_at = now(), outcome = end_release.outcome, reason = end_release.reason WHERE x.id = r.id;
  PERFORM log_activity(NULL, 'release_' || end_release.outcome, actor, jsonb_build_object('release', r.id, 'reason', end_release.reason));
END
$function$;
COMMENT ON FUNCTION holdfast.end_release(holdfast.releases,text,text,text) IS 'Ends a release, whose row the caller has locked.';
GRANT EXECUTE ON FUNCTION holdfast.end_release(holdfast.releases,text,text,text) TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.end_work(t holdfast.ticket_base, actor text)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
DECLARE
  revoked_lease bigint;
BEGIN
  IF t.state <> 'ready' OR make_unclaimable(t) THEN
    RETURN;
  END IF;
  revoked_lease := revoke_lease(t, actor);
  IF revoked_lease IS NOT NULL THEN
    UPDATE ticket_base b SET fence = revoked_lease, attempt_count = t.attempt_count + 1 WHERE b.id = t.id;
  END IF;
END
$function$;
COMMENT ON FUNCTION holdfast.end_work(holdfast.ticket_base,text) IS 'Takes a ticket, whose row the caller has locked, away from the workers, whether it waits or runs.';
GRANT EXECUTE ON FUNCTION holdfast.end_work(holdfast.ticket_base,text) TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.enqueue_any_ticket(kind text, payload jsonb, queue text, title text, design text, priority integer, run_at timestamp with time zone, unique_key text, max_cost_usd numeric, after bigint[] DEFAULT NULL::bigint[], expires_at timestamp with time zone DEFAULT NULL::timestamp with time zone, concurrency_key text DEFAULT NULL::text, fairness_key text DEFAULT NULL::text, unique_for text DEFAULT NULL::text, on_duplicate text DEFAULT NULL::text, after_names text[] DEFAULT NULL::text[], on_cancelled text DEFAULT NULL::text, batch_id bigint DEFAULT NULL::bigint, after_batch bigint DEFAULT NULL::bigint)
 RETURNS bigint
 LANGUAGE plpgsql
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
#variable_conflict use_column
DECLARE
  d designs;
  kind_name text;
  found_id bigint;
  ends_at timestamptz;
  waits boolean;
  bytes integer := accepted_bytes('payload', COALESCE(enqueue_any_ticket.payload, '{}'));
BEGIN
  IF enqueue_any_ticket.design IS NOT NULL THEN
    d := latest_design(enqueue_any_ticket.design);
  END IF;
  kind_name := kind_of_new_ticket(enqueue_any_ticket.kind, d);
  IF octet_length(enqueue_any_ticket.title) > 10000 THEN
    PERFORM require_length('title', enqueue_any_ticket.title, 10000);
  END IF;
  IF enqueue_any_ticket.max_cost_usd IS NOT NULL THEN
    PERFORM require_cost_limit(kind_name, enqueue_any_ticket.max_cost_usd);
    IF enqueue_any_ticket.max_cost_usd NOT BETWEEN 0 AND 1000000000 THEN
      RAISE EXCEPTION 'max_cost_usd must be from 0 to 1000000000, not %', enqueue_any_ticket.max_cost_usd USING ERRCODE = 'HF422';
    END IF;
  END IF;
  IF enqueue_any_ticket.run_at IS NOT NULL THEN
    PERFORM require_start('run_at', enqueue_any_ticket.run_at);
  END IF;
  IF enqueue_any_ticket.after_names IS NOT NULL OR enqueue_any_ticket.on_cancelled IS NOT NULL THEN
    PERFORM require_predecessors(COALESCE(enqueue_any_ticket.after, '{}'), enqueue_any_ticket.after_names, enqueue_any_ticket.on_cancelled);
  END IF;
  PERFORM require_key('concurrency_key', enqueue_any_ticket.concurrency_key), require_key('fairness_key', enqueue_any_ticket.fairness_key),
    require_uniqueness(enqueue_any_ticket.unique_key, enqueue_any_ticket.unique_for, enqueue_any_ticket.on_duplicate);
  IF enqueue_any_ticket.batch_id IS NOT NULL THEN
    PERFORM join_batch(enqueue_any_ticket.batch_id);
  END IF;
  ends_at := COALESCE(enqueue_any_ticket.expires_at, GREATEST(now(), enqueue_any_ticket.run_at) + design_expiry(d));
  LOOP
    IF enqueue_any_ticket.unique_for IS NOT NULL OR enqueue_any_ticket.on_duplicate IS NOT NULL THEN
      found_id := holder_of_key(enqueue_any_ticket.unique_key, enqueue_any_ticket.unique_for, enqueue_any_ticket.on_duplicate,
        COALESCE(enqueue_any_ticket.payload, '{}'), enqueue_any_ticket.run_at, ends_at);
      IF found_id IS NOT NULL THEN
        RETURN found_id;
      END IF;
    END IF;
    INSERT INTO ticket_base AS b (filed, design_id, kind, payload, payload_bytes, queue, title, priority, retry_after, unique_key,
      max_cost_usd, expires_at, concurrency_key, fairness_key, batch_id)
    VALUES (true, d.id, kind_name, COALESCE(enqueue_any_ticket.payload, '{}'), bytes,
      COALESCE(enqueue_any_ticket.queue, 'default'), enqueue_any_ticket.title, COALESCE(enqueue_any_ticket.priority, 0),
      enqueue_any_ticket.run_at, enqueue_any_ticket.unique_key, enqueue_any_ticket.max_cost_usd, ends_at,
      enqueue_any_ticket.concurrency_key, enqueue_any_ticket.fairness_key, enqueue_any_ticket.batch_id)
    ON CONFLICT (unique_key) WHERE unique_key IS NOT NULL DO NOTHING
    RETURNING b.id INTO found_id;
    IF found_id IS NOT NULL THEN
      IF ends_at IS NOT NULL THEN
        PERFORM set_deadline(found_id, enqueue_any_ticket.run_at, ends_at);
      END IF;
      IF enqueue_any_ticket.unique_for = 'ever' THEN
        INSERT INTO spent_keys (unique_key, ticket_id) VALUES (enqueue_any_ticket.unique_key, found_id)
        ON CONFLICT (unique_key) DO UPDATE SET ticket_id = EXCLUDED.ticket_id;
      END IF;
      waits := enqueue_any_ticket.after_batch IS NOT NULL AND wait_for_batch(found_id, enqueue_any_ticket.after_batch);
      IF enqueue_any_ticket.after IS NOT NULL THEN
        waits := wait_for_tickets(found_id, enqueue_any_ticket.after, enqueue_any_ticket.after_names, enqueue_any_ticket.on_cancelled);
      END IF;
      IF NOT waits THEN
        PERFORM file_tickets(ARRAY[found_id]);
      ELSE
        PERFORM require_rules(b), know_lane(b.queue, b.kind) FROM ticket_base b WHERE b.id = found_id;
      END IF;
      RETURN found_id;
    END IF;
    -- Somebody was faster; the next round decides anew.
    CONTINUE WHEN enqueue_any_ticket.unique_for IS NOT NULL OR enqueue_any_ticket.on_duplicate IS NOT NULL;
    -- The ticket with this key; unless it was deleted since the INSERT met it, then the next round inserts.
    SELECT b.id INTO found_id FROM ticket_base b WHERE b.unique_key = enqueue_any_ticket.unique_key;
    IF found_id IS NOT NULL THEN
      RETURN found_id;
    END IF;
  END LOOP;
END
$function$;
COMMENT ON FUNCTION holdfast.enqueue_any_ticket(text,jsonb,text,text,text,integer,timestamp with time zone,text,numeric,bigint[],timestamp with time zone,text,text,text,text,text[],text,bigint,bigint) IS 'What enqueue_ticket does for a ticket with a design, a key, a start time, a cost limit, predecessors, an end, keys or a batch, or the first of its lane.';
GRANT EXECUTE ON FUNCTION holdfast.enqueue_any_ticket(text,jsonb,text,text,text,integer,timestamp with time zone,text,numeric,bigint[],timestamp with time zone,text,text,text,text,text[],text,bigint,bigint) TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.enqueue_batch(tickets jsonb, actor text, title text DEFAULT NULL::text)
 RETURNS bigint
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
DECLARE
  new_id bigint;
  e record;
BEGIN
  IF tickets IS NULL OR jsonb_typeof(tickets) <> 'array' THEN
    RAISE EXCEPTION 'tickets must be a JSON array of objects'
      USING ERRCODE = 'HF422', HINT = 'As in ''[{"design": "hello", "payload": {"n": 1}}]''.';
  END IF;
  new_id := open_batch(actor, title);
  -- Tickets that wait for each other are a graph. Others may be any number.
  IF EXISTS (SELECT FROM jsonb_array_elements(tickets) AS x WHERE x.value ? 'name' OR jsonb_path_exists(x.value, 'strict $.after[*] ? (@.type() == "string")', silent => true)) THEN
    PERFORM FROM enqueue_tickets(tickets, new_id);
  ELSE
    FOR e IN SELECT x.value AS ticket, x.ordinality AS n FROM jsonb_array_elements(tickets) WITH ORDINALITY AS x LOOP
      PERFORM require_graph_ticket(e.ticket, e.n);
      PERFORM enqueue_graph_ticket(e.ticket, e.n, p.after, p.names, new_id)
      FROM (SELECT array_agg(g.existing) AS after, array_agg(g.given) AS names FROM graph_predecessors(e.ticket) AS g) p;
    END LOOP;
  END IF;
  PERFORM close_batch(new_id, actor);
  RETURN new_id;
END
$function$;
COMMENT ON FUNCTION holdfast.enqueue_batch(jsonb,text,text) IS 'Adds many tickets as one closed batch and returns its id: SELECT holdfast.enqueue_batch(''[{"design": "hello", "payload": {"n": 1}}]'', ''ann''). All are added, or none; those whose unique_key exists are skipped. Each has what a ticket of enqueue_tickets has; where one has a name, they are 10,000 at most.';
GRANT EXECUTE ON FUNCTION holdfast.enqueue_batch(jsonb,text,text) TO holdfast_operator, holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.enqueue_graph_ticket(t jsonb, place bigint, after bigint[], after_names text[], batch_id bigint)
 RETURNS bigint
 LANGUAGE plpgsql
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
DECLARE
  run_at timestamptz;
  expires_at timestamptz;
  detail text;
  hint text;
BEGIN
  IF enqueue_graph_ticket.batch_id IS NOT NULL AND t->>'batch_id' IS NOT NULL THEN
    RAISE EXCEPTION 'it names a batch, and all of these are one' USING ERRCODE = 'HF422', HINT = 'Leave its batch_id out.';
  END IF;
  -- What has a key may be there twice. Under two names it is refused: its result is given under one.
  IF cardinality(after) > 1 THEN
    SELECT array_agg(w.id), array_agg(w.name) INTO after, after_names
    FROM (
      SELECT x.id, x.name, count(x.name) OVER (PARTITION BY x.id) AS named
      FROM (SELECT DISTINCT u.id, u.name FROM unnest(after, after_names) AS u (id, name)) x
    ) w
    WHERE w.name IS NOT NULL OR w.named = 0;
  END IF;
  run_at := COALESCE((t->>'run_at')::timestamptz, now() + (t->>'delay_ms')::bigint * interval '1 millisecond');
  expires_at := COALESCE((t->>'expires_at')::timestamptz, now() + (t->>'expires_in_ms')::bigint * interval '1 millisecond');
  RETURN enqueue_any_ticket(t->>'kind', t->'payload', t->>'queue', t->>'title', t->>'design', (t->>'priority')::integer, run_at,
    t->>'unique_key', (t->>'max_cost_usd')::numeric, after, expires_at, t->>'concurrency_key', t->>'fairness_key', t->>'unique_for',
    t->>'on_duplicate',
    CASE WHEN array_remove(after_names, NULL) <> '{}' THEN after_names END, t->>'on_cancelled',
    COALESCE(enqueue_graph_ticket.batch_id, (t->>'batch_id')::bigint), (t->>'after_batch')::bigint);
EXCEPTION
  WHEN data_exception THEN
    RAISE EXCEPTION '%: %', graph_place(t, place), SQLERRM USING ERRCODE = 'HF422';
  WHEN SQLSTATE 'HF422' OR SQLSTATE 'HF404' OR SQLSTATE 'HF409' THEN
    GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
    RAISE EXCEPTION '%: %', graph_place(t, place), SQLERRM USING ERRCODE = SQLSTATE, DETAIL = detail, HINT = hint;
END
$function$;
COMMENT ON FUNCTION holdfast.enqueue_graph_ticket(jsonb,bigint,bigint[],text[],bigint) IS 'Adds one ticket of enqueue_tickets or enqueue_batch, all of whose predecessors have their ids.';
GRANT EXECUTE ON FUNCTION holdfast.enqueue_graph_ticket(jsonb,bigint,bigint[],text[],bigint) TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.enqueue_scheduled(s holdfast.schedules, due timestamp with time zone)
 RETURNS bigint
 LANGUAGE plpgsql
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
DECLARE
  new_id bigint;
BEGIN
  new_id := enqueue_any_ticket(s.kind, s.payload, s.queue, COALESCE(s.title, s.name), s.design, s.priority, NULL,
    'schedule:' || s.name || ':' || to_char(due AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), NULL);
  UPDATE schedules x SET last_at = due, last_ticket = new_id WHERE x.name = s.name;
  RETURN new_id;
END
$function$;
COMMENT ON FUNCTION holdfast.enqueue_scheduled(holdfast.schedules,timestamp with time zone) IS 'The ticket of a schedule for one time; its unique_key is schedule:NAME:TIME.';
GRANT EXECUTE ON FUNCTION holdfast.enqueue_scheduled(holdfast.schedules,timestamp with time zone) TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.enqueue_ticket(kind text DEFAULT NULL::text, payload jsonb DEFAULT '{}'::jsonb, queue text DEFAULT 'default'::text, title text DEFAULT NULL::text, design text DEFAULT NULL::text, priority integer DEFAULT 0, run_at timestamp with time zone DEFAULT NULL::timestamp with time zone, unique_key text DEFAULT NULL::text, max_cost_usd numeric DEFAULT NULL::numeric, after bigint[] DEFAULT NULL::bigint[], expires_at timestamp with time zone DEFAULT NULL::timestamp with time zone, concurrency_key text DEFAULT NULL::text, fairness_key text DEFAULT NULL::text, unique_for text DEFAULT NULL::text, on_duplicate text DEFAULT NULL::text, after_names text[] DEFAULT NULL::text[], on_cancelled text DEFAULT NULL::text, batch_id bigint DEFAULT NULL::bigint, after_batch bigint DEFAULT NULL::bigint)
 RETURNS bigint
 LANGUAGE plpgsql
 SECURITY DEFINER
AS $function$
#variable_conflict use_column
DECLARE
  new_id bigint;
  somebody_sleeps boolean;
  bytes integer := CASE
    WHEN enqueue_ticket.payload IS NULL THEN 2
    WHEN pg_catalog.pg_column_size(enqueue_ticket.payload) OPERATOR(pg_catalog.<=) 2000
      AND pg_catalog.pg_column_compression(enqueue_ticket.payload) IS NULL
    THEN pg_catalog.octet_length(enqueue_ticket.payload::pg_catalog.text)
  END;
BEGIN
  IF bytes OPERATOR(pg_catalog.<=) 65536 AND (pg_catalog.octet_length(enqueue_ticket.title) OPERATOR(pg_catalog.<=) 10000) IS NOT FALSE
    -- One call, for each part of an expression is prepared anew in each transaction. The last four arguments say nothing without a key or a
    -- predecessor; the long way tells so.
    AND pg_catalog.num_nonnulls(enqueue_ticket.design, enqueue_ticket.run_at, enqueue_ticket.unique_key, enqueue_ticket.max_cost_usd,
      enqueue_ticket.after, enqueue_ticket.expires_at, enqueue_ticket.concurrency_key, enqueue_ticket.fairness_key,
      enqueue_ticket.batch_id, enqueue_ticket.after_batch, enqueue_ticket.unique_for, enqueue_ticket.on_duplicate,
      enqueue_ticket.after_names, enqueue_ticket.on_cancelled) OPERATOR(pg_catalog.=) 0
  THEN
    INSERT INTO holdfast.ticket_base AS b (filed, kind, payload, payload_bytes, queue, title, priority)
    SELECT true, l.kind, COALESCE(enqueue_ticket.payload, '{}'), bytes, l.queue, enqueue_ticket.title, COALESCE(enqueue_ticket.priority, 0)
    FROM holdfast.lanes l
    WHERE l.queue OPERATOR(pg_catalog.=) COALESCE(enqueue_ticket.queue, 'default') AND l.kind OPERATOR(pg_catalog.=) enqueue_ticket.kind
    RETURNING b.id INTO new_id;
    IF new_id IS NOT NULL THEN
      INSERT INTO holdfast.ready (priority, created_at, id, queue, kind)
      VALUES (COALESCE(enqueue_ticket.priority, 0), pg_catalog.now(), new_id, COALESCE(enqueue_ticket.queue, 'default'), enqueue_ticket.kind)
      RETURNING EXISTS (SELECT FROM holdfast.workers w WHERE w.wants_wakeup) INTO somebody_sleeps;
      IF somebody_sleeps THEN
        PERFORM pg_catalog.pg_notify('holdfast_ready', COALESCE(enqueue_ticket.queue, 'default'));
      END IF;
      RETURN new_id;
    END IF;
  END IF;
  RETURN holdfast.enqueue_any_ticket(
    enqueue_ticket.kind, enqueue_ticket.payload, enqueue_ticket.queue, enqueue_ticket.title, enqueue_ticket.design,
    enqueue_ticket.priority, enqueue_ticket.run_at, enqueue_ticket.unique_key, enqueue_ticket.max_cost_usd,
    enqueue_ticket.after, enqueue_ticket.expires_at, enqueue_ticket.concurrency_key, enqueue_ticket.fairness_key,
    enqueue_ticket.unique_for, enqueue_ticket.on_duplicate, enqueue_ticket.after_names, enqueue_ticket.on_cancelled,
    enqueue_ticket.batch_id, enqueue_ticket.after_batch);
END
$function$;
COMMENT ON FUNCTION holdfast.enqueue_ticket(text,jsonb,text,text,text,integer,timestamp with time zone,text,numeric,bigint[],timestamp with time zone,text,text,text,text,text[],text,bigint,bigint) IS 'Adds a ticket inside the caller''s transaction and returns its id: SELECT holdfast.enqueue_ticket(design => ''hello'', payload => ''{"n": 1}''). No worker claims it before all tickets of after are done and the batch after_batch has ended, or from expires_at on; the results of those that after_names names are in its document. A limit may count it by its concurrency_key (set_limit); those of equal priority are claimed in turns over their fairness_keys. With a unique_key that a kept ticket already has, that ticket''s id is returned and nothing is added; unique_for (open, ever, or a time as 2h) and on_duplicate (keep, replace, refuse) say otherwise.';
GRANT EXECUTE ON FUNCTION holdfast.enqueue_ticket(text,jsonb,text,text,text,integer,timestamp with time zone,text,numeric,bigint[],timestamp with time zone,text,text,text,text,text[],text,bigint,bigint) TO holdfast_operator, holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.enqueue_tickets(tickets jsonb, batch_id bigint DEFAULT NULL::bigint)
 RETURNS TABLE(name text, id bigint)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'holdfast', 'pg_temp'
 SET jit TO 'off'
AS $function$
#variable_conflict use_column
DECLARE
  n integer;
  node jsonb[];
  names text[];
  ids bigint[];
  open integer[];
  e record;
  todo integer[] := '{}';
  at integer := 1;
  i integer;
  j integer;
  froms integer[];
  tos integer[];
  firsts integer[];
  lasts integer[];
  waits integer[];
  origins integer[];
  existing bigint[];
  given text[];
  nexts integer[];
  after bigint[];
  after_names text[];
BEGIN
  IF tickets IS NULL OR jsonb_typeof(tickets) <> 'array' THEN
    RAISE EXCEPTION 'the tickets must be a JSON array' USING ERRCODE = 'HF422',
      HINT = 'As in [{"name": "a", "kind": "command"}, {"name": "b", "kind": "command", "after": ["a"]}].';
  END IF;
  n := jsonb_array_length(tickets);
  IF n > 10000 THEN
    RAISE EXCEPTION 'at most 10000 tickets are enqueued as one graph, not %', n USING ERRCODE = 'HF422', HINT = 'Enqueue parts of it, and let them wait for ids.';
  END IF;
  SELECT array_agg(t.value ORDER BY t.ordinality), array_agg(t.value->>'name' ORDER BY t.ordinality) INTO node, names
  FROM jsonb_array_elements(tickets) WITH ORDINALITY AS t;
  PERFORM require_graph_ticket(u.t, u.place) FROM unnest(node) WITH ORDINALITY AS u (t, place);
  SELECT u.name INTO e FROM unnest(names) AS u (name) WHERE u.name IS NOT NULL GROUP BY u.name HAVING count(*) > 1 LIMIT 1;
  IF FOUND THEN
    RAISE EXCEPTION 'two tickets have the name "%"', e.name USING ERRCODE = 'HF422';
  END IF;
  SELECT u.place, w.wanted INTO e
  FROM unnest(node) WITH ORDINALITY AS u (t, place) CROSS JOIN LATERAL graph_predecessors(u.t) AS w
  WHERE w.wanted IS NOT NULL AND NOT EXISTS (SELECT FROM unnest(names) AS p (name) WHERE p.name = w.wanted) LIMIT 1;
  IF FOUND THEN
    RAISE EXCEPTION '% waits for "%", and no ticket here has that name', graph_place(node[e.place], e.place), left(e.wanted, 100)
      USING ERRCODE = 'HF404', HINT = 'Give the ids of tickets that are there already as numbers.';
  END IF;
  SELECT array_agg(x.t), array_agg(x.f), array_agg(x.existing), array_agg(x.given) INTO waits, origins, existing, given
  FROM (
    SELECT DISTINCT u.place::integer AS t, COALESCE(p.place::integer, 0) AS f, w.existing, w.given
    FROM unnest(node) WITH ORDINALITY AS u (t, place) CROSS JOIN LATERAL graph_predecessors(u.t) AS w
    LEFT JOIN unnest(names) WITH ORDINALITY AS p (name, place) ON p.name = w.wanted
    ORDER BY 1, 2, 3, 4
  ) x;
  SELECT array_agg(x.f), array_agg(x.t) INTO froms, tos
  FROM (SELECT u.f, u.t FROM unnest(origins, waits) AS u (f, t) WHERE u.f > 0 ORDER BY u.f, u.t) x;
  open := array_fill(0, ARRAY[n]);
  ids := array_fill(NULL::bigint, ARRAY[n]);
  firsts := array_fill(0, ARRAY[n]);
  lasts := array_fill(-1, ARRAY[n]);
  FOR i IN 1 .. COALESCE(cardinality(froms), 0) LOOP
    open[tos[i]] := open[tos[i]] + 1;
    IF lasts[froms[i]] = -1 THEN
      firsts[froms[i]] := i;
    END IF;
    lasts[froms[i]] := i;
  END LOOP;
  FOR i IN 1 .. n LOOP
    IF open[i] = 0 THEN
      todo := todo || i;
    END IF;
  END LOOP;
  WHILE at <= cardinality(todo) LOOP
    i := todo[at];
    at := at + 1;
    FOR j IN firsts[i] .. lasts[i] LOOP
      open[tos[j]] := open[tos[j]] - 1;
      IF open[tos[j]] = 0 THEN
        todo := todo || tos[j];
      END IF;
    END LOOP;
  END LOOP;
  IF cardinality(todo) < n THEN
    RAISE EXCEPTION 'these tickets wait for each other in a circle: %', graph_circle(names, froms, tos, open)
      USING ERRCODE = 'HF422', HINT = 'Take one "after" out of the circle.';
  END IF;
  nexts := array_fill(NULL::integer, ARRAY[n]);
  FOR j IN REVERSE COALESCE(cardinality(waits), 0) .. 1 LOOP
    nexts[waits[j]] := j;
  END LOOP;
  FOREACH i IN ARRAY todo LOOP
    after := NULL;
    after_names := NULL;
    j := nexts[i];
    WHILE waits[j] = i LOOP
      after := array_append(after, COALESCE(existing[j], ids[origins[j]]));
      after_names := array_append(after_names, given[j]);
      j := j + 1;
    END LOOP;
    ids[i] := enqueue_graph_ticket(node[i], i, after, after_names, enqueue_tickets.batch_id);
  END LOOP;
  RETURN QUERY SELECT u.name, u.id FROM unnest(names, ids) AS u (name, id);
END
$function$;
COMMENT ON FUNCTION holdfast.enqueue_tickets(jsonb,bigint) IS 'Adds tickets that wait for each other by name, inside the caller''s transaction, all or none, and returns their ids in the same order: SELECT * FROM holdfast.enqueue_tickets(''[{"name": "fetch", "kind": "command"}, {"kind": "command", "after": ["fetch", 17]}]''). Each has the keys of enqueue_ticket''s arguments, and name. A name in "after" is one of these tickets, whose result the follower is given; a number is the id of any other one, {"clean": 18} that of one whose result it is given, too. With batch_id they join an open batch. HF422 names the circle where they wait in one.';
GRANT EXECUTE ON FUNCTION holdfast.enqueue_tickets(jsonb,bigint) TO holdfast_operator, holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.error_facts(rule text, fingerprint text, error_title text, error text)
 RETURNS jsonb
 LANGUAGE sql
 STABLE PARALLEL SAFE
AS $function$
  SELECT pg_catalog.jsonb_strip_nulls(pg_catalog.jsonb_build_object('rule', rule, 'fingerprint', fingerprint,
    'title', holdfast.error_name(error_title, error), 'error', holdfast.shorten(error, 500)))
$function$;
COMMENT ON FUNCTION holdfast.error_facts(text,text,text,text) IS 'What ticket_timeline and holdfast watch tell of the error of an attempt.';
GRANT EXECUTE ON FUNCTION holdfast.error_facts(text,text,text,text) TO PUBLIC, holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.error_name(title text, error text)
 RETURNS text
 LANGUAGE sql
 STABLE PARALLEL SAFE
AS $function$
  SELECT COALESCE(NULLIF(title, ''), holdfast.shorten(
    pg_catalog.substring(holdfast.shorten(error, 2000), E'[^[:space:]][^\\n\\r]*'), 200))
$function$;
COMMENT ON FUNCTION holdfast.error_name(text,text) IS 'The title of an error, or the beginning of its first line.';
GRANT EXECUTE ON FUNCTION holdfast.error_name(text,text) TO PUBLIC, holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.expanded_bytes(document jsonb, most bigint)
 RETURNS bigint
 LANGUAGE plpgsql
 IMMUTABLE STRICT
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
DECLARE
  bytes bigint := 0;
  digits integer;
BEGIN
  IF pg_column_compression(document) IS NULL AND pg_column_size(document) <= 8000 THEN
    RETURN octet_length(document::text);
  END IF;
  -- Numbers of usual size cannot grow much; zero can: 0e-16383.
  FOR digits IN
    SELECT octet_length(n::text)
    FROM jsonb_path_query(document, 'strict $.** ? (@ > 1e30 || @ < -1e30 || (@ < 1e-30 && @ > -1e-30))') AS n
  LOOP
    bytes := bytes + digits;
    IF bytes > most THEN
      RETURN bytes;
    END IF;
  END LOOP;
  RETURN octet_length(document::text);
END
$function$;
COMMENT ON FUNCTION holdfast.expanded_bytes(jsonb,bigint) IS 'How many bytes a document has as text; where its long numbers alone have more than most, only that.';
GRANT EXECUTE ON FUNCTION holdfast.expanded_bytes(jsonb,bigint) TO holdfast_designer, holdfast_operator, holdfast_viewer, holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.figures_settled(lag interval)
 RETURNS timestamp with time zone
 LANGUAGE sql
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
  SELECT LEAST(clock_timestamp() - lag, (
    SELECT min(a.xact_start) FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid
    WHERE l.locktype = 'relation' AND l.mode = 'RowExclusiveLock' AND a.datname = current_database()
      AND l.relation IN ('ticket_attempts'::regclass, 'ticket_activity'::regclass, 'session_journal'::regclass)))
$function$;
COMMENT ON FUNCTION holdfast.figures_settled(interval) IS 'Up to when no attempt, activity or answer of a model can appear any more: lag ago, or when the oldest transaction began that writes some.';
GRANT EXECUTE ON FUNCTION holdfast.figures_settled(interval) TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.file_copied_tickets(after_id bigint)
 RETURNS bigint
 LANGUAGE plpgsql
 SET search_path TO 'holdfast', 'pg_temp'
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET jit TO 'off'
AS $function$
DECLARE
  copied bigint[];
  some_expire boolean;
  usual bigint[];
BEGIN
  SELECT COALESCE(array_agg(b.id), '{}'), bool_or(b.expires_at IS NOT NULL) INTO copied, some_expire
  FROM ticket_base b WHERE b.id > after_id AND (b.xmin = pg_current_xact_id()::xid OR is_of_savepoint(b.xmin));
  IF some_expire THEN
    PERFORM file_new_tickets(copied);
  ELSIF EXISTS (SELECT FROM claim_limits) THEN
    PERFORM file_tickets(copied);
  ELSE
    WITH filed AS (
      INSERT INTO ready (priority, created_at, id, queue, kind)
      SELECT b.priority, b.created_at, b.id, b.queue, b.kind
      FROM ticket_base b JOIN lanes l ON l.queue = b.queue AND l.kind = b.kind
      WHERE b.id > after_id AND (b.xmin = pg_current_xact_id()::xid OR is_of_savepoint(b.xmin)) AND is_claimable_without_keys(b)
      RETURNING id
    )
    SELECT COALESCE(array_agg(f.id), '{}') INTO usual FROM filed f;
    IF cardinality(usual) < cardinality(copied) THEN
      PERFORM file_tickets(ARRAY(SELECT unnest(copied) EXCEPT SELECT unnest(usual) ORDER BY 1));
    END IF;
    PERFORM wake_workers_for(usual);
  END IF;
  RETURN cardinality(copied);
END
$function$;
COMMENT ON FUNCTION holdfast.file_copied_tickets(bigint) IS 'Files what this transaction copied in since the sequence of the ids was at after_id, and says how many those are: COPY tells no ids.';
GRANT EXECUTE ON FUNCTION holdfast.file_copied_tickets(bigint) TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.file_followers(followers bigint[], names text[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO 'holdfast', 'pg_temp'
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET jit TO 'off'
AS $function$
DECLARE
  claimable bigint[];
  next bigint[];
  workflow_ids bigint[] := '{}';
  -- Mostly there is none, and then nobody is asked.
  queued boolean := EXISTS (SELECT FROM ticket_dependencies d WHERE d.queued);
  batches boolean := EXISTS (SELECT FROM batch_followers);
BEGIN
  -- All are locked, those that are not ready, too: whoever releases one sees it wait until this transaction ends. MATERIALIZED, or only the ready
  -- ones would be locked.
  WITH locked AS MATERIALIZED (
    SELECT b.id, b.state, b.assignee_type FROM ticket_base b WHERE b.id = ANY (followers) ORDER BY b.id FOR NO KEY UPDATE
  )
  SELECT array_agg(l.id) INTO claimable FROM locked l WHERE l.state = 'ready' AND l.assignee_type = 'agent';
  IF EXISTS (SELECT FROM workflows) THEN
    workflow_ids := ARRAY(SELECT w.ticket_id FROM workflows w WHERE w.ticket_id = ANY (followers));
    IF cardinality(workflow_ids) > 0 THEN
      PERFORM go_on_with_workflows(followers, names);
    END IF;
  END IF;
  -- As is_waiting, a call of which for each would cost more than the rest; LIMIT keeps to the indexes.
  next := ARRAY(
    SELECT c.id
    FROM unnest(claimable) AS c (id)
    WHERE c.id <> ALL (workflow_ids)
      AND (SELECT true FROM ticket_dependencies d WHERE d.ticket_id = c.id AND d.ended_at IS NULL LIMIT 1) IS NULL
      AND NOT (queued AND (SELECT true FROM ticket_dependencies d WHERE d.after_id = c.id AND d.ended_at IS NULL AND d.queued LIMIT 1) IS NOT NULL)
      AND NOT (batches AND (SELECT true FROM batch_followers w WHERE w.ticket_id = c.id AND w.ended_at IS NULL LIMIT 1) IS NOT NULL));
  IF cardinality(next) > 0 THEN
    PERFORM file_tickets(next);
  END IF;
END
$function$;
COMMENT ON FUNCTION holdfast.file_followers(bigint[],text[]) IS 'Files those of these tickets that wait no more. names: what each has just waited for is called there.';
GRANT EXECUTE ON FUNCTION holdfast.file_followers(bigint[],text[]) TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.file_freed(followers bigint[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO 'holdfast', 'pg_temp'
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET jit TO 'off'
AS $function$
BEGIN
  PERFORM FROM ticket_base b WHERE b.id = ANY (followers) ORDER BY b.id FOR NO KEY UPDATE;
  followers := ARRAY(
    SELECT b.id FROM ticket_base b
    WHERE b.id = ANY (followers) AND b.state = 'ready' AND b.assignee_type = 'agent' AND NOT is_waiting(b.id));
  IF cardinality(followers) > 0 THEN
    PERFORM file_tickets(followers);
  END IF;
END
$function$;
COMMENT ON FUNCTION holdfast.file_freed(bigint[]) IS 'Files those of these tickets that wait for nothing any more; the caller has closed what they waited for.';
GRANT EXECUTE ON FUNCTION holdfast.file_freed(bigint[]) TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.file_held_ticket()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'holdfast', 'pg_temp'
 SET enable_seqscan TO 'off'
AS $function$
BEGIN
  IF TG_OP <> 'INSERT' THEN
    DELETE FROM held h WHERE h.id = OLD.id;
  END IF;
  IF TG_OP <> 'DELETE' AND NEW.held_at IS NOT NULL THEN
    INSERT INTO held (id, held_at, queue, kind, category, fingerprint)
    VALUES (NEW.id, NEW.held_at, NEW.queue, NEW.kind, COALESCE(NEW.error_category, ''), COALESCE(NEW.error_fingerprint, ''));
  END IF;
  RETURN NULL;
END
$function$;
COMMENT ON FUNCTION holdfast.file_held_ticket() IS 'Keeps held in step with ticket_base.held_at.';
GRANT EXECUTE ON FUNCTION holdfast.file_held_ticket() TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.file_new_tickets(ids bigint[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO 'holdfast', 'pg_temp'
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET jit TO 'off'
AS $function$
BEGIN
  INSERT INTO ticket_deadlines (ticket_id, expires_at)
  SELECT b.id, b.expires_at FROM unnest(ids) AS u (id) JOIN ticket_base b ON b.id = ANY (ARRAY[u.id])
  WHERE b.expires_at IS NOT NULL AND b.state = 'ready';
  PERFORM file_tickets(ids);
END
$function$;
COMMENT ON FUNCTION holdfast.file_new_tickets(bigint[]) IS 'file_tickets for those that were just inserted: they may expire, too.';
GRANT EXECUTE ON FUNCTION holdfast.file_new_tickets(bigint[]) TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.file_tickets(ids bigint[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO 'holdfast', 'pg_temp'
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET jit TO 'off'
AS $function$
DECLARE
  usual bigint;
  odd bigint[];
  measured bigint[];
  lined bigint[] := '{}';
  late bigint[];
  limited boolean := EXISTS (SELECT FROM claim_limits);
BEGIN
  -- Mostly all of them are ready for agents, in lanes that are known, and no limit is for them. = ANY (ARRAY[u.id]) keeps to the primary key, as in
  -- store_successes. Trap: stands_in_line(b) for each would cost as much as the rest.
  INSERT INTO ready (priority, created_at, id, queue, kind)
  SELECT b.priority, b.created_at, b.id, b.queue, b.kind
  FROM unnest(ids) AS u (id)
  JOIN ticket_base b ON b.id = ANY (ARRAY[u.id])
  JOIN lanes l ON l.queue = b.queue AND l.kind = b.kind
  WHERE is_claimable_without_keys(b)
    AND NOT (limited AND EXISTS (SELECT FROM claim_limits x WHERE x.queue = b.queue))
    AND NOT (limited AND EXISTS (SELECT FROM designs d JOIN claim_limits x ON x.design = d.name WHERE d.id = b.design_id));
  GET DIAGNOSTICS usual = ROW_COUNT;
  IF usual < cardinality(ids) THEN
    WITH m AS (
      UPDATE ticket_base b SET payload_bytes = accepted_bytes('payload', b.payload)
      WHERE b.id = ANY (ids) AND b.payload_bytes IS NULL
      RETURNING b.id
    )
    SELECT array_agg(m.id) INTO measured FROM m;
    IF measured IS NOT NULL THEN
      PERFORM file_tickets(measured);
      ids := ARRAY(SELECT unnest(ids) EXCEPT SELECT unnest(measured));
    END IF;
    -- Those with a key or under a limit are many at a time, too.
    lined := ARRAY(
      SELECT b.id
      FROM unnest(ids) AS u (id)
      JOIN ticket_base b ON b.id = ANY (ARRAY[u.id])
      JOIN lanes l ON l.queue = b.queue AND l.kind = b.kind
      WHERE b.state = 'ready' AND b.assignee_type = 'agent' AND (b.retry_after IS NULL OR b.retry_after <= now()) AND broken_rule(b) IS NULL
        AND (b.concurrency_key IS NOT NULL OR b.fairness_key IS NOT NULL
          OR (EXISTS (SELECT FROM claim_limits x WHERE x.queue = b.queue)
            OR EXISTS (SELECT FROM designs d JOIN claim_limits x ON x.design = d.name WHERE d.id = b.design_id))
          AND (SELECT true FROM ready r
            WHERE r.queue = b.queue AND r.kind = b.kind AND ~r.priority = ~b.priority AND r.created_at = b.created_at AND r.id = b.id LIMIT 1) IS NULL));
    IF cardinality(lined) > 0 THEN
      PERFORM line_up(lined);
    END IF;
  END IF;
  IF usual + cardinality(lined) < cardinality(ids) THEN
    odd := ARRAY(
      SELECT b.id FROM (SELECT unnest(ids) EXCEPT SELECT unnest(lined)) AS u (id)
      JOIN ticket_base b ON b.id = ANY (ARRAY[u.id])
      WHERE (SELECT true FROM ready r
        WHERE r.queue = b.queue AND r.kind = b.kind AND ~r.priority = ~b.priority AND r.created_at = b.created_at AND r.id = b.id LIMIT 1) IS NULL);
    PERFORM require_rules(b) FROM ticket_base b WHERE b.id = ANY (odd);
    PERFORM know_lane(n.queue, n.kind)
    FROM (SELECT DISTINCT b.queue, b.kind FROM ticket_base b WHERE b.id = ANY (odd) ORDER BY b.queue, b.kind) n;
    late := ARRAY(
      SELECT b.id FROM ticket_base b
      WHERE b.id = ANY (odd) AND b.state = 'ready' AND b.assignee_type = 'agent' AND (b.retry_after IS NULL OR b.retry_after <= now())
        AND stands_in_line(b));
    INSERT INTO ready (priority, created_at, id, queue, kind)
    SELECT b.priority, b.created_at, b.id, b.queue, b.kind FROM ticket_base b
    WHERE b.id = ANY (ARRAY(SELECT unnest(odd) EXCEPT SELECT unnest(late))) AND b.state = 'ready' AND b.assignee_type = 'agent'
      AND (b.retry_after IS NULL OR b.retry_after <= now());
    IF cardinality(late) > 0 THEN
      PERFORM line_up(late);
    END IF;
    PERFORM know_line(n.queue, n.kind)
    FROM (SELECT DISTINCT b.queue, b.kind FROM ticket_base b
      WHERE b.id = ANY (odd) AND (b.concurrency_key IS NOT NULL OR b.fairness_key IS NOT NULL) ORDER BY b.queue, b.kind) n;
    INSERT INTO deferred (run_at, created_at, id, priority, queue, kind)
    SELECT b.retry_after, b.created_at, b.id, b.priority, b.queue, b.kind FROM ticket_base b
    WHERE b.id = ANY (odd) AND b.state = 'ready' AND b.assignee_type = 'agent' AND b.retry_after > now();
    INSERT INTO held (id, held_at, queue, kind, category, fingerprint)
    SELECT b.id, b.held_at, b.queue, b.kind, COALESCE(b.error_category, ''), COALESCE(b.error_fingerprint, '') FROM ticket_base b
    WHERE b.id = ANY (odd) AND b.held_at IS NOT NULL;
  END IF;
  PERFORM wake_workers_for(ids);
END
$function$;
COMMENT ON FUNCTION holdfast.file_tickets(bigint[]) IS 'Files new tickets, in the transaction that inserted them: each under ready, deferred, held or nothing, in a lane that is known from then on. Refuses those that break a rule.';
GRANT EXECUTE ON FUNCTION holdfast.file_tickets(bigint[]) TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.find_request(key text, request_hash text)
 RETURNS SETOF holdfast.request_keys
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
DECLARE
  k request_keys;
BEGIN
  SELECT * INTO k FROM request_keys r WHERE r.key = find_request.key AND r.created_at > now() - interval '24 hours';
  IF NOT FOUND THEN
    RETURN;
  ELSIF k.request_hash <> find_request.request_hash THEN
    RAISE EXCEPTION 'this Idempotency-Key was used for another request' USING ERRCODE = 'HF422', HINT = 'Send a new key.';
  END IF;
  RETURN NEXT k;
END
$function$;
COMMENT ON FUNCTION holdfast.find_request(text,text) IS 'What became of the request under a key; no row where it was not done.';
GRANT EXECUTE ON FUNCTION holdfast.find_request(text,text) TO holdfast_operator, holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.finished_of_batch(b holdfast.batches)
 RETURNS bigint
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
  SELECT COALESCE(b.total, (b.counts->>'present')::bigint + b.settled_done + b.settled_cancelled) - (b.counts->>'ready')::bigint
$function$;
COMMENT ON FUNCTION holdfast.finished_of_batch(holdfast.batches) IS 'How many tickets of a batch wait for no worker, as last counted.';
GRANT EXECUTE ON FUNCTION holdfast.finished_of_batch(holdfast.batches) TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.foreign_ticket(caller name, ids bigint[])
 RETURNS text
 LANGUAGE sql
 STABLE
 SET search_path TO 'holdfast', 'pg_temp'
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
AS $function$
  SELECT COALESCE(u.id::text, 'NULL') FROM unnest(ids) AS u (id)
  WHERE NOT EXISTS (
    SELECT FROM ticket_base b LEFT JOIN designs d ON d.id = b.design_id
    JOIN producer_grants g ON g.queue = b.queue AND (g.design = d.name OR g.design IS NULL AND d.id IS NULL AND g.kind = b.kind)
    WHERE b.id = u.id AND pg_has_role(caller, to_regrole(quote_ident(g.grantee)), 'MEMBER'))
  LIMIT 1
$function$;
COMMENT ON FUNCTION holdfast.foreign_ticket(name,bigint[]) IS 'One of these tickets that a producer could not have enqueued, whether or not it is there; NULL if none.';
GRANT EXECUTE ON FUNCTION holdfast.foreign_ticket(name,bigint[]) TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.forget_held()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
BEGIN
  TRUNCATE held;
  RETURN NULL;
END
$function$;
COMMENT ON FUNCTION holdfast.forget_held() IS 'Where all tickets go, none is held.';
GRANT EXECUTE ON FUNCTION holdfast.forget_held() TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.forget_people()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'holdfast', 'pg_temp'
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
AS $function$
BEGIN
  -- A statement of its own: who had the batch until now may have counted them (advance_batch).
  PERFORM FROM batches b WHERE b.id = ANY (ARRAY(SELECT DISTINCT x.batch_id FROM gone x WHERE x.batch_id IS NOT NULL)) ORDER BY b.id FOR NO KEY UPDATE;
  IF FOUND THEN
    UPDATE batches b SET
      settled_done = b.settled_done + g.done, settled_cancelled = b.settled_cancelled + g.cancelled,
      counts = counts_without(b.counts, g.done, g.cancelled)
    FROM (
      SELECT x.batch_id, count(*) FILTER (WHERE x.state = 'done') AS done, count(*) FILTER (WHERE x.state = 'cancelled') AS cancelled
      FROM gone x JOIN batches y ON y.id = x.batch_id AND x.id >= y.settled_below GROUP BY x.batch_id
    ) g
    WHERE b.id = g.batch_id;
  END IF;
  DELETE FROM ticket_assignments WHERE ticket_id = ANY (ARRAY(SELECT id FROM gone));
  DELETE FROM released_holds WHERE ticket_id = ANY (ARRAY(SELECT id FROM gone));
  DELETE FROM ticket_dependencies WHERE ticket_id = ANY (ARRAY(SELECT id FROM gone));
  DELETE FROM batch_followers WHERE ticket_id = ANY (ARRAY(SELECT id FROM gone));
  DELETE FROM ticket_parents WHERE ticket_id = ANY (ARRAY(SELECT id FROM gone));
  DELETE FROM workflows WHERE ticket_id = ANY (ARRAY(SELECT id FROM gone));
  RETURN NULL;
END
$function$;
COMMENT ON FUNCTION holdfast.forget_people() IS 'A deleted ticket takes its assignment, its last hold and what it waited for with it, and stays counted in its batch.';
GRANT EXECUTE ON FUNCTION holdfast.forget_people() TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.forget_sessions()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'holdfast', 'pg_temp'
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
AS $function$
BEGIN
  DELETE FROM session_journal WHERE ticket_id = ANY (ARRAY(SELECT id FROM gone));
  DELETE FROM session_events WHERE ticket_id = ANY (ARRAY(SELECT id FROM gone));
  DELETE FROM attempt_output WHERE ticket_id = ANY (ARRAY(SELECT id FROM gone));
  DELETE FROM retry_aborts WHERE ticket_id = ANY (ARRAY(SELECT id FROM gone));
  DELETE FROM tool_approvals WHERE ticket_id = ANY (ARRAY(SELECT id FROM gone));
  DELETE FROM auto_retry_switches WHERE ticket_id = ANY (ARRAY(SELECT id FROM gone));
  DELETE FROM ticket_traces WHERE ticket_id = ANY (ARRAY(SELECT id FROM gone));
  RETURN NULL;
END
$function$;
COMMENT ON FUNCTION holdfast.forget_sessions() IS 'A deleted ticket takes its journal, its events, its orders, its switch and its trace with it.';
GRANT EXECUTE ON FUNCTION holdfast.forget_sessions() TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.forget_times_ahead()
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
DECLARE
  at timestamptz := clock_timestamp();
  today date := (at AT TIME ZONE 'UTC')::date;
BEGIN
  UPDATE budgets b SET day = today WHERE b.day > today + 1;
  UPDATE provider_cooldowns c SET until = at, since = LEAST(c.since, at), probe_by = NULL, probe_until = NULL
  WHERE isfinite(c.until) AND c.until > at + c.length_ms * interval '1 millisecond' + interval '1 minute';
  IF FOUND THEN
    PERFORM pg_notify('holdfast_providers', '');
  END IF;
END
$function$;
COMMENT ON FUNCTION holdfast.forget_times_ahead() IS 'Ends cool-downs and days of budgets that the server''s clock wrote while it was ahead. Workers call it now and then.';
GRANT EXECUTE ON FUNCTION holdfast.forget_times_ahead() TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.forget_waits()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'holdfast', 'pg_temp'
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
AS $function$
BEGIN
  DELETE FROM ticket_waits WHERE ticket_id = ANY (ARRAY(SELECT id FROM gone));
  RETURN NULL;
END
$function$;
COMMENT ON FUNCTION holdfast.forget_waits() IS 'A deleted ticket waits for nothing.';
GRANT EXECUTE ON FUNCTION holdfast.forget_waits() TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.forgive_crashes(of_worker text, since timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO 'holdfast', 'pg_temp'
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'on'
 SET jit TO 'off'
 SET lock_timeout TO '250ms'
AS $function$
DECLARE
  innocent bigint[];
  freed text[];
BEGIN
  UPDATE workers w SET blamed = false WHERE w.id = of_worker AND w.blamed;
  WITH lost AS MATERIALIZED (
    SELECT b.id, b.fence
    FROM ticket_attempts a JOIN ticket_base b ON b.id = ANY (ARRAY[a.ticket_id])
    WHERE a.finished_at >= since AND a.worker_id = of_worker AND a.outcome = 'crashed'
      AND b.fence = a.lease_no AND b.state = 'ready' AND b.crash_count > 0
      -- What silences workers again and again is no innocent: of several in a row the first is forgiven.
      AND NOT EXISTS (
        SELECT FROM ticket_attempts e
        WHERE e.ticket_id = ANY (ARRAY[b.id]) AND e.category IS NOT NULL AND e.outcome IN ('crashed', 'given_back')
          AND e.lease_no = (
            SELECT max(f.lease_no) FROM ticket_attempts f WHERE f.ticket_id = ANY (ARRAY[b.id]) AND f.lease_no < b.fence))
    ORDER BY b.id
    FOR NO KEY UPDATE OF b SKIP LOCKED
  ), given_back AS (
    UPDATE ticket_attempts a SET outcome = 'given_back' FROM lost l WHERE a.ticket_id = ANY (ARRAY[l.id]) AND a.lease_no = l.fence
  ), counted AS (
    UPDATE ticket_base b SET crash_count = b.crash_count - 1, updated_at = now() FROM lost l WHERE b.id = ANY (ARRAY[l.id])
    RETURNING b.id, b.crash_count
  )
  SELECT array_agg(c.id) INTO innocent FROM counted c WHERE c.crash_count = 0;
  IF innocent IS NULL THEN
    RETURN;
  END IF;
  -- Those that have to stand in line are put there when they are met: see take_tickets.
  WITH cleared AS (
    DELETE FROM suspects s WHERE s.id = ANY (innocent) RETURNING s.priority, s.created_at, s.id, s.queue, s.kind
  ), without_place AS (
    DELETE FROM line_slots x USING cleared c WHERE x.ticket_id = c.id
  ), now_ready AS (
    INSERT INTO ready (priority, created_at, id, queue, kind) SELECT c.priority, c.created_at, c.id, c.queue, c.kind FROM cleared c
  )
  SELECT array_agg(DISTINCT c.queue) INTO freed FROM cleared c;
  PERFORM wake_workers(freed);
END
$function$;
COMMENT ON FUNCTION holdfast.forgive_crashes(text,timestamp with time zone) IS 'For renew_leases: tickets of a worker that was silent, and lives, were no crashes and are no suspects; not twice in a row.';
GRANT EXECUTE ON FUNCTION holdfast.forgive_crashes(text,timestamp with time zone) TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.free_batch_followers(b holdfast.batches)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO 'holdfast', 'pg_temp'
 SET enable_seqscan TO 'off'
AS $function$
DECLARE
  followers bigint[];
  follower bigint;
  why text := format('dependency_cancelled: batch %s, which it waits for, was cancelled; release it to run it all the same', b.id);
BEGIN
  WITH ended AS (
    UPDATE batch_followers f SET ended_at = now() WHERE f.batch_id = b.id AND f.ended_at IS NULL RETURNING f.ticket_id
  )
  SELECT array_agg(e.ticket_id ORDER BY e.ticket_id) INTO followers FROM ended e;
  IF followers IS NULL THEN
    RETURN;
  ELSIF b.cancelled_at IS NULL THEN
    PERFORM file_freed(followers);
    RETURN;
  END IF;
  FOREACH follower IN ARRAY followers LOOP
    PERFORM hold_follower(follower, why, jsonb_build_object('cancelledBatch', b.id));
  END LOOP;
END
$function$;
COMMENT ON FUNCTION holdfast.free_batch_followers(holdfast.batches) IS 'Files the tickets that waited for a batch that has ended, or holds them where a person cancelled it.';
GRANT EXECUTE ON FUNCTION holdfast.free_batch_followers(holdfast.batches) TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.free_followers(finished bigint[], all_done boolean)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO 'holdfast', 'pg_temp'
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET jit TO 'off'
AS $function$
DECLARE
  followers bigint[];
  names text[];
BEGIN
  -- Trap: a plan that was made while the tables were empty would go through all rows that are waited for, once for each of these tickets. So LIMIT and
  -- OFFSET keep the order, and rows are taken by ctid.
  WITH open AS MATERIALIZED (
    SELECT d.tid
    FROM unnest(finished) AS u (id)
    CROSS JOIN LATERAL (
      SELECT d.ctid AS tid, d.on_success FROM ticket_dependencies d WHERE d.after_id = u.id AND d.ended_at IS NULL OFFSET 0) d
    WHERE all_done OR (SELECT b.state = 'done' OR b.state = 'needs_review' AND d.on_success FROM ticket_base b WHERE b.id = u.id LIMIT 1)
  ), ended AS (
    UPDATE ticket_dependencies d SET ended_at = now()
    WHERE d.ctid = ANY (ARRAY(SELECT o.tid FROM open o)) AND d.ended_at IS NULL
    RETURNING d.ticket_id, d.name
  )
  SELECT array_agg(e.ticket_id), array_agg(e.name) INTO followers, names FROM ended e;
  IF followers IS NOT NULL THEN
    PERFORM file_followers(followers, names);
  END IF;
END
$function$;
COMMENT ON FUNCTION holdfast.free_followers(bigint[],boolean) IS 'Files the tickets that waited for the last time: those of these tickets that are done, in the transaction that finishes them. all_done: the caller knows that all are, which saves a look at each.';
GRANT EXECUTE ON FUNCTION holdfast.free_followers(bigint[],boolean) TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.free_slots(ticket_ids bigint[], lease_nos bigint[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO 'holdfast', 'pg_temp'
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET jit TO 'off'
AS $function$
BEGIN
  -- Mostly nobody has a limit. Where somebody has, the look into line_slots would pass all places that were given back since the last vacuum.
  IF NOT EXISTS (SELECT FROM claim_limits) AND NOT EXISTS (SELECT FROM line_slots) THEN
    RETURN;
  END IF;
  DELETE FROM line_slots s USING unnest(free_slots.ticket_ids, free_slots.lease_nos) AS i (id, lease_no)
  WHERE s.ticket_id = ANY (ARRAY[i.id]) AND s.lease_no = i.lease_no;
  IF FOUND THEN
    PERFORM wake_lines();
  END IF;
END
$function$;
COMMENT ON FUNCTION holdfast.free_slots(bigint[],bigint[]) IS 'Gives back what attempts that end now had of limits, and wakes workers for those who wait for it.';
GRANT EXECUTE ON FUNCTION holdfast.free_slots(bigint[],bigint[]) TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.give_guidance(ticket_id bigint, author text, source text, guidance text)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
BEGIN
  IF is_blank(guidance) THEN
    RETURN;
  END IF;
  PERFORM require_length('guidance', guidance);
  INSERT INTO ticket_guidance (ticket_id, author, source, guidance)
  VALUES (give_guidance.ticket_id, give_guidance.author, give_guidance.source, give_guidance.guidance);
  UPDATE ticket_base b SET guidance_count = b.guidance_count + 1 WHERE b.id = give_guidance.ticket_id;
END
$function$;
COMMENT ON FUNCTION holdfast.give_guidance(bigint,text,text,text) IS 'Keeps a person''s words for the next attempts.';
GRANT EXECUTE ON FUNCTION holdfast.give_guidance(bigint,text,text,text) TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.go_on_with_workflows(of_workflows bigint[], steps text[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO 'holdfast', 'pg_temp'
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET jit TO 'off'
AS $function$
DECLARE
  e record;
  woken bigint[] := '{}';
  parked bigint[];
BEGIN
  FOR e IN
    SELECT DISTINCT u.id, u.step FROM unnest(of_workflows, steps) AS u (id, step)
    JOIN workflows w ON w.ticket_id = u.id ORDER BY u.id, u.step
  LOOP
    PERFORM let_items_go(e.id, e.step);
    IF NOT EXISTS (SELECT FROM ticket_dependencies d WHERE d.ticket_id = e.id AND d.name = e.step AND d.ended_at IS NULL) THEN
      woken := woken || e.id;
    END IF;
  END LOOP;
  parked := ARRAY(SELECT w.ticket_id FROM workflows w WHERE w.ticket_id = ANY (woken) AND w.parked);
  UPDATE workflows w SET parked = false, news = NOT w.parked WHERE w.ticket_id = ANY (woken);
  parked := ARRAY(SELECT b.id FROM ticket_base b WHERE b.id = ANY (parked) AND b.state = 'ready' AND b.assignee_type = 'agent');
  IF cardinality(parked) > 0 THEN
    PERFORM file_tickets(parked);
  END IF;
END
$function$;
COMMENT ON FUNCTION holdfast.go_on_with_workflows(bigint[],text[]) IS 'Files those of the tickets that are workflows, have a step that has just ended and wait; lets the next items of steps of limited breadth go. steps: in which step of each something has ended.';
GRANT EXECUTE ON FUNCTION holdfast.go_on_with_workflows(bigint[],text[]) TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.grant_roles(only_new boolean DEFAULT false)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
DECLARE
  s text := quote_ident('holdfast');
  here regnamespace := s;
  everybodys text[] := ARRAY['shorten', 'error_name', 'error_facts', 'with_retry_time', 'outage_words'];
  role_name text;
  statement text;
  me oid := (SELECT oid FROM pg_roles WHERE rolname = current_user);
  schemas_owner oid := (SELECT relowner FROM pg_class WHERE relnamespace = here AND relname = 'flyway_schema_history');
BEGIN
  FOREACH role_name IN ARRAY ARRAY['holdfast_viewer', 'holdfast_producer', 'holdfast_designer', 'holdfast_operator', 'holdfast_worker'] LOOP
    EXIT WHEN only_new;
    BEGIN
      IF to_regrole(role_name) IS NULL THEN
        EXECUTE format('CREATE ROLE %I NOLOGIN', role_name);
      END IF;
    EXCEPTION
      WHEN insufficient_privilege THEN
        RAISE NOTICE 'role % was not made: the migrating user lacks CREATEROLE', role_name;
      WHEN duplicate_object OR unique_violation THEN
        NULL; -- another database of this cluster was migrated at the same moment
    END;
    IF to_regrole(role_name) IS NOT NULL THEN
      EXECUTE format('GRANT USAGE ON SCHEMA %s TO %I', s, role_name);
    END IF;
  END LOOP;

  -- A superuser who migrates keeps nothing of it: the schema's owner could not migrate again, and a SECURITY DEFINER function would have a
  -- superuser's rights.
  FOR statement IN
    SELECT format('ALTER ROUTINE %s OWNER TO %s', p.oid::regprocedure, schemas_owner::regrole)
    FROM pg_proc p
    WHERE p.pronamespace = here AND p.proowner = me AND me <> schemas_owner
    UNION ALL
    SELECT format('ALTER TABLE %s OWNER TO %s', c.oid::regclass, schemas_owner::regrole)
    FROM pg_class c
    WHERE c.relnamespace = here AND c.relowner = me AND me <> schemas_owner AND (c.relkind IN ('r', 'v') OR c.relkind = 'S'
      AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype IN ('a', 'i')))
  LOOP
    EXECUTE statement;
  END LOOP;
  -- PostgreSQL lets everybody execute a new function. None is everybody's but what views call of anyone who reads them.
  FOR statement IN
    SELECT format('REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC', p.oid::regprocedure)
    FROM pg_proc p
    WHERE p.pronamespace = here AND p.proname <> ALL (everybodys) AND has_function_privilege('public', p.oid, 'EXECUTE')
  LOOP
    EXECUTE statement;
  END LOOP;
  -- What is granted already is left alone: each grant writes a row of the catalog anew.
  FOR statement IN
    SELECT format('GRANT %s ON %s %s TO %s', array_to_string(w.rights, ', '), w.type,
      CASE w.type WHEN 'FUNCTION' THEN w.object::regprocedure::text ELSE w.object::regclass::text END, w.role)
    FROM (
      SELECT g.role, ARRAY['EXECUTE'], 'FUNCTION', p.oid, p.proacl, p.xmin
      FROM (VALUES
        ('public', everybodys),
        ('holdfast_viewer', ARRAY['asked_question', 'ticket_version', 'readable', 'is_deep', 'measured_bytes', 'expanded_bytes',
          'limit_words', 'tokens_left', 'turn_group', 'batch_progress', 'release_status']),
        ('holdfast_producer', ARRAY['produce_ticket']),
        ('holdfast_designer', ARRAY['ticket_version', 'latest_design', 'acting_person', 'accepted_bytes', 'measure_definition',
          -- A designer reads what a viewer does.
          'asked_question', 'readable', 'is_deep', 'measured_bytes', 'expanded_bytes', 'limit_words', 'tokens_left', 'turn_group', 'batch_progress',
          'release_status']),
        -- Operators edit payloads with their own rights, too.
        ('holdfast_operator', ARRAY['enqueue_ticket', 'enqueue_tickets', 'design_expiry', 'words_interval', 'replay_ticket', 'trace_ticket', 'trace_batch', 'trace_copied_tickets', 'produce_ticket', 'release_ticket', 'hold_ticket', 'cancel_ticket', 'approve_ticket',
          'reject_ticket', 'pause_queue', 'resume_queue', 'acting_person', 'latest_design', 'abort_retry', 'withdraw_abort_retry', 'set_auto_retry',
          'mend_provider', 'raise_budget', 'remove_budget', 'decide_tool_call', 'answer_ticket', 'asked_question', 'assign_ticket', 'unrelease_ticket', 'undo_release', 'edit_payload', 'use_design',
          'ticket_version', 'require_version', 'take_request_key', 'keep_request_ticket', 'find_request', 'keep_request_answer',
          'note_enqueued', 'web_key', 'readable', 'is_deep', 'measured_bytes', 'expanded_bytes', 'accepted_bytes',
          'put_schedule', 'pause_schedule', 'resume_schedule', 'run_schedule', 'delete_schedule',
          'set_limit', 'remove_limit', 'set_weight', 'limit_words', 'tokens_left', 'turn_group',
          'open_batch', 'close_batch', 'enqueue_batch', 'batch_progress', 'hold_batch', 'cancel_batch', 'start_release', 'stop_release',
          'release_status'])
      ) AS g (role, functions)
      JOIN pg_proc p ON p.pronamespace = here AND p.proname = ANY (g.functions)
      UNION ALL
      SELECT 'holdfast_worker', ARRAY['EXECUTE'], 'FUNCTION', p.oid, p.proacl, p.xmin
      FROM pg_proc p WHERE p.pronamespace = here AND p.proname <> 'grant_roles'
      UNION ALL
      SELECT g.role, g.rights, 'TABLE', c.oid, c.relacl, c.xmin
      FROM (VALUES
        ('holdfast_viewer', ARRAY['SELECT'], NULL, ARRAY['web_keys', 'request_keys']),
        ('holdfast_designer', ARRAY['SELECT'], NULL, ARRAY['web_keys', 'request_keys']),
        ('holdfast_designer', ARRAY['INSERT'], 'designs', '{}'),
        ('holdfast_operator', ARRAY['SELECT'], NULL, ARRAY['web_keys', 'request_keys']),
        ('holdfast_operator', ARRAY['INSERT', 'UPDATE'], 'tickets', '{}'),
        ('holdfast_worker', ARRAY['SELECT'], NULL, ARRAY['web_keys']),
        ('holdfast_worker', ARRAY['INSERT', 'UPDATE', 'DELETE'], NULL, ARRAY['web_keys', 'flyway_schema_history', 'producer_grants'])
      ) AS g (role, rights, only_on, but_on)
      JOIN pg_class c ON c.relnamespace = here AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
        AND c.relname = COALESCE(g.only_on, c.relname) AND c.relname <> ALL (g.but_on)
      UNION ALL
      SELECT 'holdfast_worker', ARRAY['USAGE', 'SELECT'], 'SEQUENCE', c.oid, c.relacl, c.xmin
      FROM pg_class c WHERE c.relnamespace = here AND c.relkind = 'S'
    ) AS w (role, rights, type, object, acl, made_by)
    WHERE (NOT only_new OR w.made_by = pg_current_xact_id()::xid)
      AND (w.role = 'public' OR to_regrole(w.role) IS NOT NULL)
      AND NOT w.rights <@ ARRAY(
        SELECT a.privilege_type FROM aclexplode(w.acl) a WHERE a.grantee = COALESCE(to_regrole(w.role)::oid, 0))
  LOOP
    EXECUTE statement;
  END LOOP;

  IF only_new THEN
    RETURN;
  END IF;
  -- A schema that an earlier version has made may have granted them.
  FOREACH role_name IN ARRAY ARRAY['holdfast_viewer', 'holdfast_designer', 'holdfast_operator'] LOOP
    IF to_regrole(role_name) IS NOT NULL THEN
      EXECUTE format('REVOKE ALL ON %1$s.web_keys, %1$s.request_keys FROM %2$I', s, role_name);
    END IF;
  END LOOP;
  IF to_regrole('holdfast_operator') IS NOT NULL THEN
    EXECUTE format('REVOKE INSERT ON %s.designs FROM holdfast_operator', s);
  END IF;
  IF to_regrole('holdfast_worker') IS NOT NULL THEN
    EXECUTE format('REVOKE ALL ON %s.web_keys FROM holdfast_worker', s);
    EXECUTE format('REVOKE INSERT, UPDATE, DELETE ON %1$s.flyway_schema_history, %1$s.producer_grants FROM holdfast_worker', s);
    EXECUTE format('REVOKE EXECUTE ON FUNCTION %s.grant_roles FROM holdfast_worker', s);
  END IF;
END
$function$;
COMMENT ON FUNCTION holdfast.grant_roles(boolean) IS 'Makes the group roles where they are missing and gives each what it may do, and the schema''s owner what a superuser made; only_new grants only what this transaction made. Harmless when repeated. For the owner of the schema.';

CREATE OR REPLACE FUNCTION holdfast.graph_circle(names text[], froms integer[], tos integer[], open integer[])
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
DECLARE
  at integer := (SELECT u.place FROM unnest(open) WITH ORDINALITY AS u (n, place) WHERE u.n > 0 ORDER BY u.place LIMIT 1);
  path integer[] := '{}';
BEGIN
  -- Each that is left waits for another one that is left: going on that way comes back.
  WHILE at <> ALL (path) LOOP
    path := path || at;
    at := (SELECT u.f FROM unnest(froms, tos) AS u (f, t) WHERE u.t = at AND open[u.f] > 0 ORDER BY u.f LIMIT 1);
  END LOOP;
  path := path[array_position(path, at):] || at;
  RETURN CASE WHEN cardinality(path) <= 12
    THEN (SELECT string_agg(names[u.p], ' after ' ORDER BY u.place) FROM unnest(path) WITH ORDINALITY AS u (p, place))
    ELSE (SELECT string_agg(names[u.p], ' after ' ORDER BY u.place) FROM unnest(path[:12]) WITH ORDINALITY AS u (p, place))
      || format(' and %s more', cardinality(path) - 12) END;
END
$function$;
COMMENT ON FUNCTION holdfast.graph_circle(text[],integer[],integer[],integer[]) IS 'One circle of a graph in words: open has how many predecessors of each are left.';
GRANT EXECUTE ON FUNCTION holdfast.graph_circle(text[],integer[],integer[],integer[]) TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.graph_place(t jsonb, place bigint)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
  SELECT COALESCE('ticket "' || (t->>'name') || '"', 'ticket ' || place || ' of the list')
$function$;
COMMENT ON FUNCTION holdfast.graph_place(jsonb,bigint) IS 'What a ticket of enqueue_tickets is called in an error.';
GRANT EXECUTE ON FUNCTION holdfast.graph_place(jsonb,bigint) TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.graph_predecessors(t jsonb)
 RETURNS TABLE(wanted text, existing bigint, given text)
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
  SELECT CASE WHEN jsonb_typeof(w.value) = 'string' THEN w.value #>> '{}' END,
    CASE WHEN jsonb_typeof(w.value) = 'number' THEN (w.value #>> '{}')::bigint ELSE o.id END,
    CASE WHEN jsonb_typeof(w.value) = 'string' THEN w.value #>> '{}' ELSE o.name END
  FROM jsonb_array_elements(list_of_after(t)) AS w
  LEFT JOIN LATERAL (SELECT e.key, (e.value #>> '{}')::bigint FROM jsonb_each(CASE WHEN jsonb_typeof(w.value) = 'object' THEN w.value END) AS e) AS o (name, id) ON true
  WHERE jsonb_typeof(w.value) <> 'object' OR o.id IS NOT NULL
$function$;
COMMENT ON FUNCTION holdfast.graph_predecessors(jsonb) IS 'What a ticket of enqueue_tickets waits for: a name, or the id of a ticket that is there; and under which name it is given its result.';
GRANT EXECUTE ON FUNCTION holdfast.graph_predecessors(jsonb) TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.held_by_person(w holdfast.release_tickets)
 RETURNS boolean
 LANGUAGE sql
 STABLE
 SET search_path TO 'holdfast', 'pg_temp'
 SET enable_seqscan TO 'off'
AS $function$
  SELECT EXISTS (SELECT FROM ticket_base b WHERE b.id = w.ticket_id)
    AND NOT EXISTS (SELECT FROM ticket_attempts a WHERE a.ticket_id = w.ticket_id AND a.lease_no > w.fence AND a.outcome IN ('failed', 'crashed'))
    AND NOT EXISTS (SELECT FROM ticket_activity a
      WHERE a.ticket_id = w.ticket_id AND a.action = 'held' AND a.actor = 'system' AND a.created_at >= w.released_at)
$function$;
COMMENT ON FUNCTION holdfast.held_by_person(holdfast.release_tickets) IS 'Of a ticket that is on hold for another reason since its release: whether a person holds it or has taken its release back, for no attempt has failed.';
GRANT EXECUTE ON FUNCTION holdfast.held_by_person(holdfast.release_tickets) TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.hold_batch(id bigint, actor text, reason text, at_most integer DEFAULT NULL::integer)
 RETURNS bigint
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'holdfast', 'pg_temp'
 SET enable_seqscan TO 'off'
AS $function$
DECLARE
  t ticket_base;
  n bigint := 0;
BEGIN
  PERFORM require_words('actor', actor);
  PERFORM require_words('reason', reason);
  PERFORM locked_batch(hold_batch.id);
  PERFORM lock_steps(w.id) FROM (
    SELECT b.id FROM ticket_base b
    WHERE b.batch_id = hold_batch.id AND b.state = 'ready' AND b.kind = 'workflow' ORDER BY b.batch_id, b.id LIMIT at_most) w;
  FOR t IN
    SELECT * FROM ticket_base b WHERE b.batch_id = hold_batch.id AND b.state = 'ready' ORDER BY b.batch_id, b.id LIMIT at_most FOR UPDATE
  LOOP
    PERFORM hold_ticket(t.id, actor, reason);
    n := n + 1;
  END LOOP;
  RETURN n;
END
$function$;
COMMENT ON FUNCTION holdfast.hold_batch(bigint,text,text,integer) IS 'Puts the tickets of a batch on hold that wait or run, and says how many. at_most: in portions, until it answers 0.';
GRANT EXECUTE ON FUNCTION holdfast.hold_batch(bigint,text,text,integer) TO holdfast_operator, holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.hold_expired(at_most integer DEFAULT 1000, of_ticket bigint DEFAULT NULL::bigint)
 RETURNS bigint
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'holdfast', 'pg_temp'
 SET enable_seqscan TO 'off'
AS $function$
DECLARE
  e ticket_deadlines;
  t ticket_base;
  why text;
  n bigint := 0;
BEGIN
  FOR e IN
    SELECT x.* FROM ticket_deadlines x
    WHERE x.expires_at <= now() AND (of_ticket IS NULL OR x.ticket_id = of_ticket)
    ORDER BY x.expires_at, x.ticket_id LIMIT at_most FOR UPDATE SKIP LOCKED
  LOOP
    SELECT * INTO t FROM ticket_base b WHERE b.id = e.ticket_id FOR UPDATE SKIP LOCKED;
    CONTINUE WHEN NOT FOUND AND EXISTS (SELECT FROM ticket_base b WHERE b.id = e.ticket_id);
    DELETE FROM ticket_deadlines x WHERE x.ticket_id = e.ticket_id;
    CONTINUE WHEN t.id IS NULL OR t.state <> 'ready' OR t.started_at IS NOT NULL OR NOT make_unclaimable(t);
    why := format('expired: no worker started it before %s; release it to run it all the same',
      to_char(e.expires_at AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS"Z"'));
    PERFORM log_activity(t.id, 'held', 'system', jsonb_build_object('reason', why, 'holdCause', 'expired', 'expiresAt', e.expires_at));
    UPDATE ticket_base b
    SET state = 'on_hold', held_at = now(), hold_reason = why, hold_actions = '{release,release_with_guidance,cancel}',
        retry_after = NULL, updated_at = now()
    WHERE b.id = t.id;
    n := n + 1;
  END LOOP;
  RETURN n;
END
$function$;
COMMENT ON FUNCTION holdfast.hold_expired(integer,bigint) IS 'Holds the tickets that no worker has started before their expires_at, and says how many; with of_ticket only that one. Workers call it now and then.';
GRANT EXECUTE ON FUNCTION holdfast.hold_expired(integer,bigint) TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.hold_follower(follower bigint, why text, details jsonb)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
BEGIN
  -- One that a person holds already stays so, with one reason more.
  UPDATE ticket_base b
  SET state = 'on_hold', held_at = COALESCE(b.held_at, now()), hold_reason = concat_ws('; ', why, b.hold_reason),
      hold_actions = '{release,release_with_guidance,cancel}', updated_at = now()
  WHERE b.id = follower AND b.state IN ('ready', 'on_hold');
  IF FOUND THEN
    PERFORM log_activity(follower, 'held', 'system', jsonb_build_object('reason', why, 'holdCause', 'dependency_cancelled') || details);
  END IF;
END
$function$;
COMMENT ON FUNCTION holdfast.hold_follower(bigint,text,jsonb) IS 'Holds a ticket because the batch that it waits for was cancelled.';
GRANT EXECUTE ON FUNCTION holdfast.hold_follower(bigint,text,jsonb) TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.hold_for_outages(after_ms bigint, at_most integer DEFAULT 1000)
 RETURNS bigint
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
DECLARE
  w record;
  t ticket_base;
  n bigint := 0;
  reason text;
  again boolean;
BEGIN
  IF after_ms <= 0 OR NOT EXISTS (SELECT FROM provider_cooldowns c WHERE outage_of(c) >= after_ms * interval '1 millisecond')
      OR NOT pg_try_advisory_xact_lock(hashtext('holdfast.release_waiting')) THEN
    RETURN 0;
  END IF;
  FOR w IN
    SELECT x.ticket_id, x.waits_for, x.scopes, x.since FROM known_waits x
    WHERE x.kind = 'provider' AND x.since <= clock_timestamp() - after_ms * interval '1 millisecond'
      AND NOT EXISTS (
        SELECT FROM unnest(x.scopes) AS s WHERE NOT EXISTS (
          SELECT FROM provider_cooldowns c
          WHERE c.provider || '/' || c.key_id || '/' || c.model = s AND outage_of(c) >= after_ms * interval '1 millisecond'))
    ORDER BY x.ticket_id LIMIT at_most
  LOOP
    t := locked_ticket(w.ticket_id);
    CONTINUE WHEN NOT still_waits(t.id, 'provider') OR NOT make_unclaimable(t);
    reason := 'provider_unavailable: ' || w.waits_for || '; it goes on by itself when the provider answers again';
    -- It was let go as a trial: people were told of its first hold.
    again := EXISTS (
      SELECT FROM ticket_activity y
      WHERE y.ticket_id = t.id AND y.action = 'held' AND y.details->>'holdCause' = 'provider_unavailable' AND y.created_at >= w.since
        AND y.created_at >= (
          SELECT min(c.since) FROM provider_cooldowns c WHERE c.provider || '/' || c.key_id || '/' || c.model = ANY (w.scopes)));
    PERFORM log_activity(t.id, 'held', 'system', jsonb_build_object('reason', reason, 'holdCause', 'provider_unavailable',
      'again', NULLIF(again, false)));
    UPDATE ticket_base b
    SET state = 'on_hold', held_at = now(), hold_reason = reason, hold_actions = '{release,release_with_guidance,cancel}',
        retry_after = NULL, updated_at = now()
    WHERE b.id = t.id;
    UPDATE ticket_waits y SET kind = 'outage' WHERE y.ticket_id = t.id;
    n := n + 1;
  END LOOP;
  RETURN n;
END
$function$;
COMMENT ON FUNCTION holdfast.hold_for_outages(bigint,integer) IS 'Holds tickets that were put off for so long while none of their providers gave one answer, and again those that tried in vain; release_waiting lets them go. Workers call it now and then.';
GRANT EXECUTE ON FUNCTION holdfast.hold_for_outages(bigint,integer) TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.hold_steps(t holdfast.ticket_base, actor text, reason text)
 RETURNS integer
 LANGUAGE plpgsql
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
DECLARE
  child ticket_base;
  n integer := 0;
BEGIN
  FOR child IN
    SELECT b.* FROM ticket_dependencies d JOIN ticket_base b ON b.id = d.after_id
    WHERE d.ticket_id = t.id AND d.name IS NOT NULL AND (d.ended_at IS NULL OR d.on_success) AND b.state = 'ready' AND b.assignee_type = 'agent'
    ORDER BY b.id
  LOOP
    IF child.kind = 'workflow' THEN
      PERFORM hold_ticket(child.id, actor, format('its workflow #%s is on hold: %s', t.id, reason));
      n := n + 1;
    ELSIF make_unclaimable(child) THEN
      UPDATE ticket_base b
      SET state = 'on_hold', held_at = now(), hold_reason = format('its workflow #%s is on hold: %s', t.id, reason),
          hold_actions = '{release,release_with_guidance,cancel}', retry_after = NULL, updated_at = now()
      WHERE b.id = child.id;
      PERFORM log_activity(child.id, 'held', actor, jsonb_build_object('reason', reason, 'workflow', t.id));
      n := n + 1;
    END IF;
  END LOOP;
  RETURN n;
END
$function$;
COMMENT ON FUNCTION holdfast.hold_steps(holdfast.ticket_base,text,text) IS 'Holds the tickets of a workflow''s steps that wait, and says how many. The caller has locked them (lock_steps).';
GRANT EXECUTE ON FUNCTION holdfast.hold_steps(holdfast.ticket_base,text,text) TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.hold_ticket(id bigint, actor text, reason text)
 RETURNS text
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
DECLARE
  t ticket_base;
  steps integer;
BEGIN
  PERFORM require_words('actor', actor);
  PERFORM require_words('reason', reason);
  PERFORM lock_steps(hold_ticket.id);
  t := locked_ticket(hold_ticket.id);
  IF t.state = 'on_hold' AND done_in_order(t.id, 'held', actor, t.held_at) THEN
    RETURN t.state;
  ELSIF t.state <> 'ready' THEN
    PERFORM refuse_action(t, 'hold');
  END IF;
  PERFORM end_work(t, actor);
  IF t.kind = 'workflow' THEN
    steps := NULLIF(hold_steps(t, actor, reason), 0);
  END IF;
  PERFORM log_activity(t.id, 'held', actor, jsonb_strip_nulls(jsonb_build_object('reason', reason, 'steps', steps)));
  UPDATE ticket_base b
  SET state = 'on_hold', held_at = now(), hold_reason = reason, hold_actions = '{release,release_with_guidance,cancel}',
      retry_after = NULL, updated_at = now()
  WHERE b.id = t.id;
  RETURN 'on_hold';
END
$function$;
COMMENT ON FUNCTION holdfast.hold_ticket(bigint,text,text) IS 'Parks a ready or running ticket for a person; a running attempt is stopped and its result refused. With a workflow go those of its steps'' tickets that wait; one that runs is left to run.';
GRANT EXECUTE ON FUNCTION holdfast.hold_ticket(bigint,text,text) TO holdfast_operator, holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.holder_of_key(key text, unique_for text, on_duplicate text, new_payload jsonb, new_run_at timestamp with time zone, new_end timestamp with time zone)
 RETURNS bigint
 LANGUAGE plpgsql
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
DECLARE
  t ticket_base;
  holder bigint;
  passes_on boolean := false;
BEGIN
  SELECT * INTO t FROM ticket_base b WHERE b.unique_key = key FOR UPDATE;
  IF t.id IS NOT NULL THEN
    passes_on := CASE unique_for WHEN 'open' THEN t.state IN ('done', 'cancelled') WHEN 'ever' THEN false
      ELSE COALESCE(t.created_at <= now() - words_interval(unique_for), false) END;
    -- One that has started is left to run with what it has. Trap: not in one expression, or it is made unclaimable where nobody asked for it.
    IF NOT passes_on AND on_duplicate = 'replace' THEN
      passes_on := t.state NOT IN ('ready', 'on_hold') OR t.attempt_count > 0;
      IF t.state = 'ready' AND NOT passes_on THEN
        -- An older snapshot would not see that it waits no more, and somebody may have claimed it since.
        IF current_setting('transaction_isolation') <> 'read committed' AND is_waiting(t.id) THEN
          RAISE EXCEPTION 'ticket % cannot be replaced in a transaction of isolation level %: it waits for others',
            t.id, current_setting('transaction_isolation') USING ERRCODE = 'HF422', HINT = 'BEGIN ISOLATION LEVEL READ COMMITTED';
        END IF;
        passes_on := NOT make_unclaimable(t);
      END IF;
    END IF;
  END IF;
  IF passes_on THEN
    UPDATE ticket_base b SET unique_key = NULL, updated_at = now() WHERE b.id = t.id;
    PERFORM log_activity(t.id, 'key_passed_on', 'system', jsonb_build_object('uniqueKey', key));
    RETURN NULL;
  END IF;
  holder := COALESCE(t.id, (SELECT k.ticket_id FROM spent_keys k WHERE k.unique_key = key AND unique_for = 'ever'));
  IF holder IS NOT NULL AND on_duplicate = 'refuse' THEN
    RAISE EXCEPTION 'ticket % has the unique key "%" already', holder, left(key, 100)
      USING ERRCODE = 'HF409', HINT = 'Take another key, or leave on_duplicate out to be given that ticket.';
  ELSIF t.id IS NOT NULL AND on_duplicate = 'replace' THEN
    UPDATE ticket_base b SET payload = new_payload, retry_after = CASE WHEN b.state = 'ready' THEN new_run_at END, expires_at = new_end, updated_at = now()
    WHERE b.id = t.id RETURNING * INTO t;
    DELETE FROM ticket_deadlines x WHERE x.ticket_id = t.id;
    IF new_end IS NOT NULL THEN
      PERFORM set_deadline(t.id, new_run_at, new_end);
    END IF;
    PERFORM make_claimable(t);
    PERFORM log_activity(t.id, 'replaced', 'system', jsonb_build_object('uniqueKey', key, 'runAt', new_run_at));
  END IF;
  RETURN holder;
END
$function$;
COMMENT ON FUNCTION holdfast.holder_of_key(text,text,text,jsonb,timestamp with time zone,timestamp with time zone) IS 'The ticket that has a unique key, as unique_for and on_duplicate say; NULL where a new one may have it, which an old one has then given up.';
GRANT EXECUTE ON FUNCTION holdfast.holder_of_key(text,text,text,jsonb,timestamp with time zone,timestamp with time zone) TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.insert_ticket()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
DECLARE
  d designs;
BEGIN
  NEW.state := COALESCE(NEW.state, 'ready');
  IF NEW.state = 'in_progress' THEN
    RAISE EXCEPTION 'a ticket becomes in_progress only by a claim; insert it as ready' USING ERRCODE = 'HF409';
  ELSIF NEW.state NOT IN ('ready', 'needs_review', 'on_hold', 'done', 'cancelled') THEN
    RAISE EXCEPTION 'there is no state "%"', left(NEW.state, 100)
      USING ERRCODE = 'HF422', HINT = 'Insert a ticket as ready; the states are in COMMENT ON COLUMN tickets.state.';
  END IF;
  IF num_nonnulls(NEW.parent_id, NEW.worker_id, NEW.lease_expires_at, NEW.error_title, NULLIF(NEW.lease_no, 0), NULLIF(NEW.attempt_count, 0),
      NULLIF(NEW.crash_count, 0), NULLIF(NEW.same_error_count, 0)) > 0 THEN
    RAISE EXCEPTION '% of a ticket cannot be set by hand', (
        SELECT string_agg(e.key, ', ' ORDER BY e.key) FROM jsonb_each(to_jsonb(NEW)) AS e
        WHERE e.value NOT IN ('null', '0') AND e.key IN ('parent_id', 'worker_id', 'lease_expires_at', 'error_title', 'lease_no', 'attempt_count',
          'crash_count', 'same_error_count'))
      USING ERRCODE = 'HF422', HINT = 'Leave it out: it is kept by Holdfast.';
  END IF;
  IF NEW.design IS NOT NULL AND NEW.design_id IS NULL THEN
    SELECT x.id INTO NEW.design_id FROM designs x
    WHERE x.name = NEW.design AND (NEW.design_version IS NULL OR x.version = NEW.design_version) ORDER BY x.version DESC LIMIT 1;
    IF NOT FOUND THEN
      RAISE EXCEPTION 'there is no design "%"%', left(NEW.design, 100), COALESCE(' of version ' || NEW.design_version, '')
        USING ERRCODE = 'HF404', HINT = 'SELECT name, version FROM designs shows them.';
    END IF;
  END IF;
  d := known_design(NEW.design_id);
  IF NEW.retry_after IS NOT NULL THEN
    PERFORM require_start('retry_after', NEW.retry_after);
  END IF;
  IF NEW.retry_strategy IS NOT NULL THEN
    PERFORM require_retry_policy(NEW.retry_strategy, 'retry_strategy');
  END IF;
  PERFORM require_key('concurrency_key', NEW.concurrency_key), require_key('fairness_key', NEW.fairness_key),
    require_uniqueness(NEW.unique_key, NULL, NULL), require_readable(NEW.title, NEW.error, NEW.hold_reason, NEW.result),
    require_history(NEW.rejection_count, NEW.error_category);
  NEW.kind := kind_of_new_ticket(NEW.kind, d);
  IF NEW.state = 'ready' THEN
    PERFORM require_cost_limit(NEW.kind, NEW.max_cost_usd);
    NEW.expires_at := COALESCE(NEW.expires_at, GREATEST(now(), NEW.retry_after) + design_expiry(d));
  END IF;
  IF NEW.id IS NULL THEN
    NEW.id := nextval(pg_get_serial_sequence('ticket_base', 'id'));
  ELSE
    PERFORM keep_ids_ahead(NEW.id);
  END IF;
  NEW.queue := COALESCE(NEW.queue, 'default');
  NEW.payload := COALESCE(NEW.payload, '{}');
  NEW.priority := COALESCE(NEW.priority, 0);
  NEW.rejection_count := COALESCE(NEW.rejection_count, 0);
  NEW.created_at := COALESCE(NEW.created_at, now());
  NEW.updated_at := COALESCE(NEW.updated_at, NEW.created_at);
  IF NEW.state IN ('needs_review', 'done', 'cancelled') THEN
    NEW.completed_at := COALESCE(NEW.completed_at, now());
  END IF;
  NEW.hold_reason := CASE WHEN NOT is_blank(NEW.hold_reason) THEN NEW.hold_reason END;
  IF NEW.state = 'on_hold' THEN
    NEW.held_at := COALESCE(NEW.held_at, now());
    NEW.hold_reason := COALESCE(NEW.hold_reason, 'held by ' || acting_person());
    IF (NEW.allowed_actions && '{release,release_with_guidance,cancel}') IS NOT TRUE THEN
      NEW.allowed_actions := '{release,release_with_guidance,cancel}'; -- nobody could end it
    END IF;
  ELSE
    NEW.held_at := NULL;
    NEW.allowed_actions := NULL;
  END IF;
  PERFORM require_time('created_at', NEW.created_at), require_time('updated_at', NEW.updated_at),
    require_time('started_at', NEW.started_at), require_time('completed_at', NEW.completed_at), require_time('held_at', NEW.held_at);
  IF NEW.batch_id IS NOT NULL THEN
    PERFORM join_batch(NEW.batch_id);
  END IF;
  INSERT INTO ticket_base (filed, id, queue, kind, design_id, title, payload, state, assignee_type, priority, retry_count,
    rejection_count, retry_after, retry_strategy, error, error_category, error_fingerprint, hold_reason, unique_key, result,
    created_at, updated_at, started_at, completed_at, held_at, hold_actions, max_cost_usd, expires_at, concurrency_key, fairness_key,
    batch_id)
  VALUES (true, NEW.id, NEW.queue, NEW.kind, NEW.design_id, NEW.title, NEW.payload, NEW.state, NEW.assignee_type, NEW.priority,
    NEW.retry_count, NEW.rejection_count, NEW.retry_after, NEW.retry_strategy, NEW.error, NEW.error_category,
    NEW.error_fingerprint, NEW.hold_reason, NEW.unique_key, NEW.result, NEW.created_at, NEW.updated_at, NEW.started_at,
    NEW.completed_at, NEW.held_at, NEW.allowed_actions, NEW.max_cost_usd, NEW.expires_at, NEW.concurrency_key, NEW.fairness_key,
    NEW.batch_id);
  PERFORM file_new_tickets(ARRAY[NEW.id]);
  NEW.lease_no := 0;
  NEW.attempt_count := 0;
  NEW.crash_count := 0;
  NEW.same_error_count := 0;
  NEW.worker_id := NULL;
  NEW.lease_expires_at := NULL;
  NEW.error_title := error_name(NULL, NEW.error);
  NEW.design := d.name;
  NEW.design_version := d.version;
  NEW.parent_id := NULL;
  RETURN NEW;
END
$function$;
COMMENT ON FUNCTION holdfast.insert_ticket() IS 'INSERT INTO tickets: fills what is left out and refuses what contradicts itself.';
GRANT EXECUTE ON FUNCTION holdfast.insert_ticket() TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.is_blank(words text)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
  SELECT words_or_null(words) IS NULL
$function$;
COMMENT ON FUNCTION holdfast.is_blank(text) IS 'Whether a text is NULL or has nothing but spaces, tabs and ends of lines.';
GRANT EXECUTE ON FUNCTION holdfast.is_blank(text) TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.is_claimable_without_keys(b holdfast.ticket_base)
 RETURNS boolean
 LANGUAGE sql
 STABLE
AS $function$
  SELECT b.state = 'ready' AND b.assignee_type = 'agent' AND (b.retry_after IS NULL OR b.retry_after <= now())
    AND b.payload_bytes IS NOT NULL AND holdfast.broken_rule(b) IS NULL
    AND b.concurrency_key IS NULL AND b.fairness_key IS NULL
$function$;
COMMENT ON FUNCTION holdfast.is_claimable_without_keys(holdfast.ticket_base) IS 'Whether an agent can take this ticket now, unless its lane is unknown or a limit of its queue or design makes it stand in line.';
GRANT EXECUTE ON FUNCTION holdfast.is_claimable_without_keys(holdfast.ticket_base) TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.is_deep(document jsonb)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE STRICT
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
  SELECT (pg_column_compression(document) IS NOT NULL OR pg_column_size(document) > 4000) AND jsonb_path_exists(document, 'strict $.**{500}')
$function$;
COMMENT ON FUNCTION holdfast.is_deep(jsonb) IS 'Whether a document has more than 500 levels.';
GRANT EXECUTE ON FUNCTION holdfast.is_deep(jsonb) TO holdfast_designer, holdfast_operator, holdfast_viewer, holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.is_of_savepoint(written_by xid)
 RETURNS boolean
 LANGUAGE plpgsql
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
DECLARE
  whole CONSTANT bigint := 4294967296;
  top bigint := pg_current_xact_id()::text::bigint;
  distance bigint := (written_by::text::bigint - top % whole + whole) % whole;
BEGIN
  RETURN distance > 0 AND distance < whole / 2 AND pg_xact_status((top + distance)::text::xid8) = 'in progress';
END
$function$;
COMMENT ON FUNCTION holdfast.is_of_savepoint(xid) IS 'Whether the caller''s transaction wrote a row that the caller sees, whose xmin this is, after a savepoint.';
GRANT EXECUTE ON FUNCTION holdfast.is_of_savepoint(xid) TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.is_waiting(ticket_id bigint)
 RETURNS boolean
 LANGUAGE sql
 STABLE
 SET search_path TO 'holdfast', 'pg_temp'
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
AS $function$
  SELECT EXISTS (
      SELECT FROM ticket_dependencies d WHERE d.ticket_id BETWEEN is_waiting.ticket_id AND is_waiting.ticket_id AND d.ended_at IS NULL)
      AND COALESCE((SELECT w.parked FROM workflows w WHERE w.ticket_id = is_waiting.ticket_id), true)
    OR EXISTS (
      SELECT FROM (SELECT d.queued FROM ticket_dependencies d WHERE d.after_id = is_waiting.ticket_id AND d.ended_at IS NULL OFFSET 0) q
      WHERE q.queued)
    OR EXISTS (SELECT FROM batch_followers f WHERE f.ticket_id = is_waiting.ticket_id AND f.ended_at IS NULL)
$function$;
COMMENT ON FUNCTION holdfast.is_waiting(bigint) IS 'Whether a ticket waits for another one that is not done, or for a batch that has not ended.';
GRANT EXECUTE ON FUNCTION holdfast.is_waiting(bigint) TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.join_batch(batch_id bigint)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
DECLARE
  b batches;
BEGIN
  SELECT * INTO b FROM batches x WHERE x.id = join_batch.batch_id FOR KEY SHARE;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'there is no batch %', batch_id USING ERRCODE = 'HF404', HINT = 'open_batch(actor) begins one.';
  ELSIF b.closed_at IS NOT NULL THEN
    RAISE EXCEPTION 'batch % is closed; it takes no further tickets', batch_id
      USING ERRCODE = 'HF409', DETAIL = 'closed', HINT = 'open_batch(actor) begins another one.';
  END IF;
END
$function$;
COMMENT ON FUNCTION holdfast.join_batch(bigint) IS 'Refuses a ticket for a batch that is not there (HF404) or is closed (HF409).';
GRANT EXECUTE ON FUNCTION holdfast.join_batch(bigint) TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.keep_designs()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
BEGIN
  RAISE EXCEPTION 'versions of designs are kept: tickets refer to them'
    USING ERRCODE = 'HF409', HINT = 'Add a new version; new tickets are given that.';
END
$function$;
COMMENT ON FUNCTION holdfast.keep_designs() IS 'Refuses to delete a version of a design, or to give it another id.';
GRANT EXECUTE ON FUNCTION holdfast.keep_designs() TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.keep_ids_ahead(explicit_id bigint)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
DECLARE
  last_id bigint;
BEGIN
  -- The ids that follow it must never run out, and be whole numbers in JSON for everybody.
  IF explicit_id NOT BETWEEN 1 AND 1000000000000000 THEN
    RAISE EXCEPTION 'a ticket''s id is a number from 1 to 1000000000000000, not %', explicit_id
      USING ERRCODE = 'HF422', HINT = 'Leave it out, and the database gives one; unique_key keeps a name or number of your own.';
  END IF;
  EXECUTE format('SELECT last_value FROM %s', pg_get_serial_sequence('ticket_base', 'id')) INTO last_id;
  IF explicit_id > last_id THEN
    PERFORM setval(pg_get_serial_sequence('ticket_base', 'id'), explicit_id);
  END IF;
END
$function$;
COMMENT ON FUNCTION holdfast.keep_ids_ahead(bigint) IS 'Lets the ids that follow start behind one that was given explicitly; HF422 for one that leaves them no room.';
GRANT EXECUTE ON FUNCTION holdfast.keep_ids_ahead(bigint) TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.keep_released_hold()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'holdfast', 'pg_temp'
 SET enable_seqscan TO 'off'
AS $function$
BEGIN
  INSERT INTO released_holds AS h (ticket_id, held_at, completed_at, retry_after, guidance_id, started_over_seq, retry_count, attempt_count,
    crash_count, same_error_count, retry_counts, hold_reason, hold_actions, release_key)
  VALUES (OLD.id, OLD.held_at, OLD.completed_at, OLD.retry_after,
    -- Written by this very transaction, that is: the release has locked the ticket.
    (SELECT max(g.id) FROM (SELECT x.id FROM ticket_guidance x WHERE x.ticket_id = OLD.id AND x.created_at >= now() OFFSET 0) g),
    (SELECT max(j.seq) FROM session_journal j WHERE j.ticket_id = OLD.id AND j.kind = 'started_over' AND j.written_at >= now()),
    OLD.retry_count, OLD.attempt_count, OLD.crash_count, OLD.same_error_count, OLD.retry_counts, OLD.hold_reason, OLD.hold_actions,
    NULLIF(current_setting('holdfast.release_key', true), ''))
  ON CONFLICT (ticket_id) DO UPDATE SET
    released_at = EXCLUDED.released_at, held_at = EXCLUDED.held_at, completed_at = EXCLUDED.completed_at,
    retry_after = EXCLUDED.retry_after, guidance_id = EXCLUDED.guidance_id, started_over_seq = EXCLUDED.started_over_seq, retry_count = EXCLUDED.retry_count,
    attempt_count = EXCLUDED.attempt_count, crash_count = EXCLUDED.crash_count, same_error_count = EXCLUDED.same_error_count,
    retry_counts = EXCLUDED.retry_counts, hold_reason = EXCLUDED.hold_reason, hold_actions = EXCLUDED.hold_actions,
    release_key = EXCLUDED.release_key;
  RETURN NULL;
END
$function$;
COMMENT ON FUNCTION holdfast.keep_released_hold() IS 'Keeps a hold that is being released, for the undo.';
GRANT EXECUTE ON FUNCTION holdfast.keep_released_hold() TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.keep_request_answer(key text, etag text, answer text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
BEGIN
  UPDATE request_keys r SET etag = keep_request_answer.etag, answer = keep_request_answer.answer
  WHERE r.key = keep_request_answer.key AND r.answer IS NULL;
END
$function$;
COMMENT ON FUNCTION holdfast.keep_request_answer(text,text,text) IS 'Keeps the answer to a request that was done under a key.';
GRANT EXECUTE ON FUNCTION holdfast.keep_request_answer(text,text,text) TO holdfast_operator, holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.keep_request_ticket(key text, ticket_id bigint)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
BEGIN
  UPDATE request_keys r SET ticket_id = keep_request_ticket.ticket_id WHERE r.key = keep_request_ticket.key;
END
$function$;
COMMENT ON FUNCTION holdfast.keep_request_ticket(text,bigint) IS 'Notes the ticket made under a key that take_request_key found new.';
GRANT EXECUTE ON FUNCTION holdfast.keep_request_ticket(text,bigint) TO holdfast_operator, holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.keep_steps(t holdfast.ticket_base, definition jsonb, replayed bigint, again text[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO 'holdfast', 'pg_temp'
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET jit TO 'off'
AS $function$
DECLARE
  successor ticket_base;
  steps jsonb;
BEGIN
  INSERT INTO ticket_dependencies (ticket_id, after_id, ended_at, name, item, on_cancelled)
  SELECT replayed, x.after_id, now(), x.name, x.item, x.on_cancelled FROM ticket_dependencies x JOIN ticket_base b ON b.id = x.after_id
  WHERE x.ticket_id = t.id AND x.name <> ALL (again) AND (b.state = 'done' OR b.state = 'cancelled' AND b.completed_at < t.completed_at);
  -- The new one needs their results now. What a job has added stays that job's.
  UPDATE ticket_parents p SET parent_id = replayed FROM ticket_dependencies x
  WHERE x.ticket_id = replayed AND x.after_id = p.ticket_id AND x.item IS DISTINCT FROM -1;
  SELECT jsonb_agg(g.step) INTO steps FROM (
    SELECT jsonb_strip_nulls(jsonb_build_object('step', x.name, 'design', o.name, 'kind', CASE WHEN o.name IS NULL THEN b.kind END, 'queue', b.queue,
        'priority', b.priority, 'on_cancelled', x.on_cancelled, 'breadth', CASE WHEN x.item >= 0 THEN keep_steps.definition->'steps'->x.name->'breadth' END))
      || jsonb_build_object('payloads', jsonb_agg(b.payload ORDER BY x.item, b.id), 'places', jsonb_agg(x.item ORDER BY x.item, b.id),
        'titles', jsonb_agg(b.title ORDER BY x.item, b.id)) AS step
    FROM ticket_dependencies x JOIN ticket_base b ON b.id = x.after_id LEFT JOIN designs o ON o.id = b.design_id
    WHERE x.ticket_id = t.id AND x.name <> ALL (again) AND b.state = 'cancelled' AND b.completed_at >= t.completed_at
    GROUP BY x.name, o.name, b.kind, b.queue, b.priority, x.on_cancelled, x.item >= 0
    ORDER BY min(b.id)
  ) g;
  IF steps IS NOT NULL THEN
    SELECT * INTO successor FROM ticket_base b WHERE b.id = replayed;
    PERFORM add_children(successor, steps);
  END IF;
END
$function$;
COMMENT ON FUNCTION holdfast.keep_steps(holdfast.ticket_base,jsonb,bigint,text[]) IS 'Gives the workflow that takes the place of an ended one its steps, but for those which are worked again.';
GRANT EXECUTE ON FUNCTION holdfast.keep_steps(holdfast.ticket_base,jsonb,bigint,text[]) TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.kind_of_new_ticket(wanted_kind text, d holdfast.designs)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE
AS $function$
BEGIN
  IF COALESCE(wanted_kind, d.kind) IS NULL THEN
    RAISE EXCEPTION 'a ticket needs a design or a kind' USING ERRCODE = 'HF422';
  END IF;
  IF wanted_kind <> d.kind THEN
    RAISE EXCEPTION 'design "%" is of the kind "%", not "%"', d.name, d.kind, left(wanted_kind, 100)
      USING ERRCODE = 'HF422', HINT = 'Leave the kind out.';
  END IF;
  RETURN COALESCE(d.kind, wanted_kind);
END
$function$;
COMMENT ON FUNCTION holdfast.kind_of_new_ticket(text,holdfast.designs) IS 'The kind a ticket gets from what was asked for and from its design; HF422 if they contradict each other.';
GRANT EXECUTE ON FUNCTION holdfast.kind_of_new_ticket(text,holdfast.designs) TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.know_lane(queue text, kind text)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
BEGIN
  IF EXISTS (SELECT FROM lanes l WHERE l.queue = know_lane.queue AND l.kind = know_lane.kind) THEN
    RETURN;
  END IF;
  PERFORM require_queue_name(queue);
  IF kind IS NULL OR kind !~ '^[A-Za-z0-9][A-Za-z0-9._:/-]{0,99}$' THEN
    RAISE EXCEPTION '"%" is not the name of a kind', COALESCE(left(kind, 100), 'NULL')
      USING ERRCODE = 'HF422', HINT = 'Take 1 to 100 letters, digits and . _ : / -, the first a letter or digit.';
  END IF;
  INSERT INTO queues (name) VALUES (know_lane.queue) ON CONFLICT DO NOTHING;
  INSERT INTO lanes (queue, kind) VALUES (know_lane.queue, know_lane.kind) ON CONFLICT DO NOTHING;
END
$function$;
COMMENT ON FUNCTION holdfast.know_lane(text,text) IS 'Makes the queue and its lane for a kind if they are new; refuses bad names.';
GRANT EXECUTE ON FUNCTION holdfast.know_lane(text,text) TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.know_line(queue text, kind text)
 RETURNS void
 LANGUAGE sql
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
  INSERT INTO line_gates (queue, kind)
  SELECT know_line.queue, know_line.kind
  WHERE NOT EXISTS (SELECT FROM line_gates g WHERE g.queue = know_line.queue AND g.kind = know_line.kind)
  ON CONFLICT DO NOTHING
$function$;
COMMENT ON FUNCTION holdfast.know_line(text,text) IS 'Makes the gate of a lane whose tickets may stand in line. Also for one that stands elsewhere now, with a key: where there is no gate at all, claims do not ask.';
GRANT EXECUTE ON FUNCTION holdfast.know_line(text,text) TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.known_design(design_id bigint)
 RETURNS holdfast.designs
 LANGUAGE plpgsql
 STABLE
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
DECLARE
  d designs;
BEGIN
  SELECT * INTO d FROM designs WHERE designs.id = known_design.design_id;
  IF NOT FOUND AND design_id IS NOT NULL THEN
    RAISE EXCEPTION 'there is no design with the id %', design_id
      USING ERRCODE = 'HF404', HINT = 'SELECT id, name, version FROM designs shows them; enqueue_ticket takes a name.';
  END IF;
  RETURN d;
END
$function$;
COMMENT ON FUNCTION holdfast.known_design(bigint) IS 'A version of a design; HF404 if there is none with the id, NULL for NULL.';
GRANT EXECUTE ON FUNCTION holdfast.known_design(bigint) TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.latest_design(design text)
 RETURNS holdfast.designs
 LANGUAGE plpgsql
 STABLE
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
DECLARE
  d designs;
BEGIN
  SELECT * INTO d FROM designs WHERE name = latest_design.design ORDER BY version DESC LIMIT 1;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'there is no design "%"', left(design, 100)
      USING ERRCODE = 'HF404', HINT = 'holdfast design put NAME --file FILE makes one';
  END IF;
  RETURN d;
END
$function$;
COMMENT ON FUNCTION holdfast.latest_design(text) IS 'The latest version of a design; HF404 if there is none.';
GRANT EXECUTE ON FUNCTION holdfast.latest_design(text) TO holdfast_designer, holdfast_operator, holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.let_items_go(workflow bigint, step text)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO 'holdfast', 'pg_temp'
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET jit TO 'off'
AS $function$
DECLARE
  breadth integer;
  taken integer;
  next bigint[];
BEGIN
  -- Mostly none waits.
  IF NOT EXISTS (SELECT FROM ticket_dependencies d WHERE d.ticket_id = workflow AND d.name = step AND d.queued) THEN
    RETURN;
  END IF;
  SELECT (g.definition->'steps'->step->>'breadth')::integer INTO breadth FROM ticket_base b JOIN designs g ON g.id = b.design_id WHERE b.id = workflow;
  SELECT count(*) INTO taken FROM ticket_dependencies d
  WHERE d.ticket_id = workflow AND d.name = step AND d.item >= 0 AND d.ended_at IS NULL AND d.queued IS NULL;
  next := ARRAY(
    SELECT d.after_id FROM ticket_dependencies d
    WHERE d.ticket_id = workflow AND d.name = step AND d.queued ORDER BY d.item
    LIMIT CASE WHEN breadth > taken THEN breadth - taken WHEN breadth IS NOT NULL THEN 0 END);
  IF cardinality(next) = 0 THEN
    RETURN;
  END IF;
  PERFORM FROM ticket_base b WHERE b.id = ANY (next) ORDER BY b.id FOR NO KEY UPDATE;
  UPDATE ticket_dependencies d SET queued = NULL WHERE d.ticket_id = workflow AND d.after_id = ANY (next);
  PERFORM start_expiry(next);
  next := ARRAY(
    SELECT b.id FROM ticket_base b
    WHERE b.id = ANY (next) AND b.state = 'ready' AND b.assignee_type = 'agent' AND NOT is_waiting(b.id));
  IF cardinality(next) > 0 THEN
    PERFORM file_tickets(next);
  END IF;
END
$function$;
COMMENT ON FUNCTION holdfast.let_items_go(bigint,text) IS 'Files the next items of a step of limited breadth, as many as places are free. One that a person holds has had its turn. The caller has locked the workflow.';
GRANT EXECUTE ON FUNCTION holdfast.let_items_go(bigint,text) TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.limit_scope(scope text)
 RETURNS text[]
 LANGUAGE plpgsql
 STABLE
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
DECLARE
  parts text[] := regexp_match(scope, '^(queue|design):(.+)$');
BEGIN
  IF parts IS NULL THEN
    RAISE EXCEPTION '"%" is not what a limit can be for', COALESCE(left(scope, 100), 'NULL')
      USING ERRCODE = 'HF422', HINT = 'Write queue:NAME or design:NAME.';
  ELSIF parts[1] = 'queue' THEN
    PERFORM require_queue(parts[2]);
  ELSIF parts[1] = 'design' THEN
    PERFORM latest_design(parts[2]);
  END IF;
  RETURN parts;
END
$function$;
COMMENT ON FUNCTION holdfast.limit_scope(text) IS 'The two parts of queue:NAME or design:NAME; HF422 for anything else, HF404 where there is none of that name.';
GRANT EXECUTE ON FUNCTION holdfast.limit_scope(text) TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.limit_words(of_queue text, of_design text, key text)
 RETURNS text
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
DECLARE
  x claim_limits;
  left_now double precision;
BEGIN
  FOR x IN SELECT * FROM claim_limits c WHERE c.queue = of_queue OR c.design = of_design ORDER BY c.scope LOOP
    IF x.concurrent IS NOT NULL AND x.concurrent <= (SELECT count(*) FROM line_slots s
      WHERE s.queue = x.queue OR s.design = x.design) THEN
      RETURN format('%s, %s at once', x.scope, x.concurrent);
    ELSIF open_for_key(x, COALESCE(key, '')) = 0 THEN
      RETURN format('%s, %s at once of the key %s', x.scope, x.per_key, shorten(key, 100));
    END IF;
    left_now := tokens_left(x, (SELECT g.full_at FROM limit_gates g WHERE g.scope = x.scope));
    IF left_now < 1 THEN
      RETURN format('%s, %s in %s', x.scope, x.rate, x.per);
    END IF;
  END LOOP;
  RETURN NULL;
END
$function$;
COMMENT ON FUNCTION holdfast.limit_words(text,text,text) IS 'Which limit lets no ticket of this queue, design and concurrency key start now, in words; NULL if none.';
GRANT EXECUTE ON FUNCTION holdfast.limit_words(text,text,text) TO holdfast_designer, holdfast_operator, holdfast_viewer, holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.line_up(ids bigint[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO 'holdfast', 'pg_temp'
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET jit TO 'off'
AS $function$
DECLARE
  lined bigint;
BEGIN
  FOR again IN 1..2 LOOP
    INSERT INTO in_line (priority, created_at, id, line, turn_group, concurrency_key, design)
    SELECT b.priority, b.created_at, b.id, g.line, turn_group(b.fairness_key, b.concurrency_key, d.name), COALESCE(b.concurrency_key, ''),
      COALESCE(d.name, '')
    FROM unnest(ids) AS u (id)
    JOIN ticket_base b ON b.id = ANY (ARRAY[u.id])
    JOIN line_gates g ON g.queue = b.queue AND g.kind = b.kind
    LEFT JOIN designs d ON d.id = b.design_id
    ON CONFLICT DO NOTHING;
    GET DIAGNOSTICS lined = ROW_COUNT;
    EXIT WHEN again = 2 OR lined = cardinality(ids);
    PERFORM know_line(n.queue, n.kind)
    FROM (SELECT DISTINCT b.queue, b.kind FROM ticket_base b WHERE b.id = ANY (ids) ORDER BY b.queue, b.kind) n;
  END LOOP;
END
$function$;
COMMENT ON FUNCTION holdfast.line_up(bigint[]) IS 'Puts claimable tickets in line that stand nowhere else.';
GRANT EXECUTE ON FUNCTION holdfast.line_up(bigint[]) TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.line_up_some(met bigint[])
 RETURNS bigint[]
 LANGUAGE plpgsql
 SET search_path TO 'holdfast', 'pg_temp'
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET jit TO 'off'
AS $function$
DECLARE
  limited boolean := EXISTS (SELECT FROM claim_limits);
  lined bigint[];
BEGIN
  IF limited THEN
    -- As stands_in_line(b), but each queue and design is looked for once: mostly there is one for hundreds of tickets.
    WITH seen AS MATERIALIZED (
      SELECT b.id, b.queue, b.design_id, b.concurrency_key IS NOT NULL OR b.fairness_key IS NOT NULL AS keyed
      FROM unnest(met) AS u (id) JOIN ticket_base b ON b.id = ANY (ARRAY[u.id])
    )
    SELECT array_agg(s.id) INTO lined FROM seen s
    WHERE s.keyed
      OR s.queue = ANY (ARRAY(
        SELECT x.queue FROM (SELECT DISTINCT n.queue FROM seen n) q JOIN claim_limits x ON x.queue = ANY (ARRAY[q.queue])))
      OR s.design_id = ANY (ARRAY(
        SELECT d.id FROM (SELECT DISTINCT n.design_id FROM seen n WHERE n.design_id IS NOT NULL) q
        JOIN designs d ON d.id = ANY (ARRAY[q.design_id]) JOIN claim_limits x ON x.design = ANY (ARRAY[d.name])));
  ELSE
    SELECT array_agg(b.id) INTO lined FROM unnest(met) AS u (id) JOIN ticket_base b ON b.id = ANY (ARRAY[u.id])
    WHERE b.concurrency_key IS NOT NULL OR b.fairness_key IS NOT NULL;
  END IF;
  IF lined IS NOT NULL THEN
    PERFORM line_up(lined);
  END IF;
  RETURN lined;
END
$function$;
COMMENT ON FUNCTION holdfast.line_up_some(bigint[]) IS 'Puts those of the tickets in line that should stand there, and returns them. The caller has taken all of them from ready.';
GRANT EXECUTE ON FUNCTION holdfast.line_up_some(bigint[]) TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.list_of_after(t jsonb)
 RETURNS jsonb
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
  SELECT CASE jsonb_typeof(t->'after') WHEN 'array' THEN t->'after' WHEN 'object' THEN jsonb_build_array(t->'after') END
$function$;
COMMENT ON FUNCTION holdfast.list_of_after(jsonb) IS 'What a ticket of enqueue_tickets waits for as a list: names, ids, and objects of ids by name.';
GRANT EXECUTE ON FUNCTION holdfast.list_of_after(jsonb) TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.lock_steps(workflow bigint)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO 'holdfast', 'pg_temp'
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET jit TO 'off'
AS $function$
BEGIN
  IF EXISTS (SELECT FROM workflows w WHERE w.ticket_id = workflow) THEN
    PERFORM FROM ticket_base b
    WHERE b.id IN (SELECT d.after_id FROM ticket_dependencies d WHERE d.ticket_id = workflow AND (d.ended_at IS NULL OR d.on_success)) ORDER BY b.id FOR UPDATE;
  END IF;
END
$function$;
COMMENT ON FUNCTION holdfast.lock_steps(bigint) IS 'Locks the open steps of a workflow.';
GRANT EXECUTE ON FUNCTION holdfast.lock_steps(bigint) TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.lock_what_goes(ticket_id bigint)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO 'holdfast', 'pg_temp'
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET jit TO 'off'
AS $function$
BEGIN
  IF NOT EXISTS (SELECT FROM workflows w WHERE w.ticket_id = lock_what_goes.ticket_id) AND NOT EXISTS (
      SELECT FROM ticket_dependencies d JOIN workflows w ON w.ticket_id = d.ticket_id
      WHERE d.after_id = lock_what_goes.ticket_id AND (d.ended_at IS NULL OR d.on_success) AND d.on_cancelled = 'cancel') THEN
    RETURN;
  END IF;
  PERFORM FROM ticket_base b JOIN (
    WITH RECURSIVE up (id) AS (
      SELECT lock_what_goes.ticket_id
      UNION
      SELECT d.ticket_id FROM up u
      JOIN ticket_dependencies d ON d.after_id = u.id AND (d.ended_at IS NULL OR d.on_success) AND d.on_cancelled = 'cancel'
      JOIN workflows w ON w.ticket_id = d.ticket_id
    ), down (id, depth) AS (
      SELECT u.id, 0 FROM up u
      UNION
      SELECT d.after_id, x.depth + 1 FROM down x
      -- Each is looked up: where few workflows have most rows, a join would compare each step with each open row of the table.
      CROSS JOIN LATERAL (
        SELECT s.after_id FROM ticket_dependencies s
        WHERE s.ticket_id = x.id AND (s.ended_at IS NULL OR s.on_success) AND EXISTS (SELECT FROM workflows w WHERE w.ticket_id = x.id)
        OFFSET 0) d
    )
    SELECT x.id, max(x.depth) AS depth FROM down x GROUP BY x.id
  ) o ON o.id = b.id
  ORDER BY o.depth DESC, b.id FOR UPDATE OF b;
END
$function$;
COMMENT ON FUNCTION holdfast.lock_what_goes(bigint) IS 'Locks what is cancelled with a ticket: the open steps of a workflow, and the workflow of a step that says so with its other steps.';
GRANT EXECUTE ON FUNCTION holdfast.lock_what_goes(bigint) TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.locked_batch(batch_id bigint)
 RETURNS holdfast.batches
 LANGUAGE plpgsql
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
DECLARE
  b batches;
BEGIN
  SELECT * INTO b FROM batches x WHERE x.id = locked_batch.batch_id FOR UPDATE;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'there is no batch %', COALESCE(batch_id::text, 'NULL')
      USING ERRCODE = 'HF404', HINT = 'holdfast batch list shows them';
  END IF;
  RETURN b;
END
$function$;
COMMENT ON FUNCTION holdfast.locked_batch(bigint) IS 'A batch''s row, locked until the end of the transaction; HF404 if there is none.';
GRANT EXECUTE ON FUNCTION holdfast.locked_batch(bigint) TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.locked_release(release_id bigint)
 RETURNS holdfast.releases
 LANGUAGE plpgsql
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
DECLARE
  r releases;
BEGIN
  SELECT * INTO r FROM releases x WHERE x.id = locked_release.release_id FOR UPDATE;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'there is no release %', COALESCE(release_id::text, 'NULL')
      USING ERRCODE = 'HF404', HINT = 'holdfast release list shows them';
  END IF;
  RETURN r;
END
$function$;
COMMENT ON FUNCTION holdfast.locked_release(bigint) IS 'A release''s row, locked until the end of the transaction; HF404 if there is none.';
GRANT EXECUTE ON FUNCTION holdfast.locked_release(bigint) TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.locked_schedule(name text)
 RETURNS holdfast.schedules
 LANGUAGE plpgsql
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
DECLARE
  s schedules;
BEGIN
  SELECT * INTO s FROM schedules x WHERE x.name = locked_schedule.name FOR UPDATE;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'there is no schedule "%"', COALESCE(left(name, 100), 'NULL')
      USING ERRCODE = 'HF404', HINT = 'holdfast schedule list shows them';
  END IF;
  RETURN s;
END
$function$;
COMMENT ON FUNCTION holdfast.locked_schedule(text) IS 'A schedule''s row, locked until the end of the transaction; HF404 if there is none.';
GRANT EXECUTE ON FUNCTION holdfast.locked_schedule(text) TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.locked_ticket(ticket_id bigint)
 RETURNS holdfast.ticket_base
 LANGUAGE plpgsql
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
DECLARE
  t ticket_base;
BEGIN
  -- An older snapshot would not see who waits for the ticket by now, and nobody would ever tell them.
  IF current_setting('transaction_isolation') <> 'read committed' THEN
    RAISE EXCEPTION 'ticket % cannot be acted on in a transaction of isolation level %', ticket_id, current_setting('transaction_isolation')
      USING ERRCODE = 'HF422', HINT = 'BEGIN ISOLATION LEVEL READ COMMITTED';
  END IF;
  SELECT * INTO t FROM ticket_base b WHERE b.id = locked_ticket.ticket_id FOR UPDATE;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'there is no ticket %', COALESCE(ticket_id::text, 'NULL')
      USING ERRCODE = 'HF404', HINT = 'holdfast list shows the tickets';
  END IF;
  RETURN t;
END
$function$;
COMMENT ON FUNCTION holdfast.locked_ticket(bigint) IS 'A ticket''s row, locked until the end of the transaction; HF404 if there is none, HF422 outside of READ COMMITTED.';
GRANT EXECUTE ON FUNCTION holdfast.locked_ticket(bigint) TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.log_activity(ticket_id bigint, action text, actor text, details jsonb DEFAULT '{}'::jsonb)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
BEGIN
  PERFORM accepted_bytes('record of what was done', log_activity.details);
  INSERT INTO ticket_activity (ticket_id, action, actor, details, channel)
  VALUES (log_activity.ticket_id, log_activity.action, log_activity.actor, jsonb_strip_nulls(log_activity.details),
    CASE WHEN log_activity.actor <> 'system' THEN acting_channel() END);
END
$function$;
COMMENT ON FUNCTION holdfast.log_activity(bigint,text,text,jsonb) IS 'Adds a row to ticket_activity.';
GRANT EXECUTE ON FUNCTION holdfast.log_activity(bigint,text,text,jsonb) TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.look_at_released(r holdfast.releases)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO 'holdfast', 'pg_temp'
 SET enable_seqscan TO 'off'
AS $function$
BEGIN
  WITH seen AS MATERIALIZED (
    SELECT w.n, outcome_of_released(w) AS outcome FROM release_tickets w
    WHERE w.release_id = r.id AND w.released_at IS NOT NULL AND w.outcome IS NULL
      -- Of those no attempt of which has ended since: cheap to tell, and most of them while a release of many is at work.
      AND NOT EXISTS (SELECT FROM ticket_base b WHERE b.id = w.ticket_id AND b.state = 'ready' AND b.fence = w.fence LIMIT 1)
  )
  UPDATE release_tickets w SET outcome = seen.outcome FROM seen
  WHERE w.release_id = r.id AND w.n = seen.n AND seen.outcome <> 'open';
END
$function$;
COMMENT ON FUNCTION holdfast.look_at_released(holdfast.releases) IS 'Notes what has become of the tickets that a release has released.';
GRANT EXECUTE ON FUNCTION holdfast.look_at_released(holdfast.releases) TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.make_claimable(t holdfast.ticket_base)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
BEGIN
  IF t.state <> 'ready' OR t.assignee_type IS DISTINCT FROM 'agent' THEN
    RETURN;
  END IF;
  PERFORM know_lane(t.queue, t.kind);
  IF is_waiting(t.id) THEN
    RETURN; -- free_followers files it
  END IF;
  IF t.retry_after > now() THEN
    INSERT INTO deferred (run_at, created_at, id, priority, queue, kind)
    VALUES (t.retry_after, t.created_at, t.id, t.priority, t.queue, t.kind);
  ELSE
    IF stands_in_line(t) THEN
      PERFORM line_up(ARRAY[t.id]);
    ELSE
      INSERT INTO ready (priority, created_at, id, queue, kind)
      VALUES (t.priority, t.created_at, t.id, t.queue, t.kind);
    END IF;
    PERFORM wake_workers(ARRAY[t.queue]);
  END IF;
END
$function$;
COMMENT ON FUNCTION holdfast.make_claimable(holdfast.ticket_base) IS 'Files a ready ticket for agents under ready, in_line or deferred, when it comes back and waits for no other one; new ones are filed by enqueue_ticket and file_tickets.';
GRANT EXECUTE ON FUNCTION holdfast.make_claimable(holdfast.ticket_base) TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.make_unclaimable(t holdfast.ticket_base)
 RETURNS boolean
 LANGUAGE plpgsql
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
BEGIN
  -- It may be promoted, put in line, or put aside between two statements: so twice.
  FOR round IN 1..2 LOOP
    DELETE FROM ready r
    WHERE r.queue = t.queue AND r.kind = t.kind AND ~r.priority = ~t.priority AND r.created_at = t.created_at AND r.id = t.id;
    IF FOUND THEN
      RETURN true;
    END IF;
    DELETE FROM deferred d WHERE d.run_at = t.retry_after AND d.id = t.id;
    IF FOUND THEN
      RETURN true;
    END IF;
    DELETE FROM in_line w
    WHERE w.line = (SELECT g.line FROM line_gates g WHERE g.queue = t.queue AND g.kind = t.kind) AND ~w.priority = ~t.priority
      AND w.turn_group = turn_group(t.fairness_key, t.concurrency_key, (SELECT d.name FROM designs d WHERE d.id = t.design_id))
      AND w.created_at = t.created_at AND w.id = t.id;
    IF FOUND THEN
      RETURN true;
    END IF;
    DELETE FROM suspects s WHERE s.id = t.id;
    IF FOUND THEN
      DELETE FROM line_slots x WHERE x.ticket_id = t.id; -- it kept its place under a limit
      IF FOUND THEN
        PERFORM wake_lines();
      END IF;
      RETURN true;
    END IF;
  END LOOP;
  IF NOT is_waiting(t.id) THEN
    RETURN false;
  END IF;
  -- From now on the end of a step does not file it by itself.
  UPDATE workflows w SET parked = false WHERE w.ticket_id = t.id;
  RETURN true;
END
$function$;
COMMENT ON FUNCTION holdfast.make_unclaimable(holdfast.ticket_base) IS 'True if the ticket, whose row the caller has locked, stood in ready, in_line or deferred, or waits for another one: nobody has claimed it, and nobody can any more.';
GRANT EXECUTE ON FUNCTION holdfast.make_unclaimable(holdfast.ticket_base) TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.measure_definition()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
BEGIN
  PERFORM holdfast.accepted_bytes('definition', NEW.definition);
  RETURN NEW;
END
$function$;
COMMENT ON FUNCTION holdfast.measure_definition() IS 'Refuses a design that is too long as text.';
GRANT EXECUTE ON FUNCTION holdfast.measure_definition() TO holdfast_designer, holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.measure_payload()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
BEGIN
  IF NEW.payload IS DISTINCT FROM OLD.payload THEN
    NEW.payload_bytes := holdfast.accepted_bytes('payload', NEW.payload);
  END IF;
  RETURN NEW;
END
$function$;
COMMENT ON FUNCTION holdfast.measure_payload() IS 'A payload that is changed is measured again.';
GRANT EXECUTE ON FUNCTION holdfast.measure_payload() TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.measured_bytes(document jsonb)
 RETURNS bigint
 LANGUAGE plpgsql
 IMMUTABLE STRICT
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
BEGIN
  RETURN expanded_bytes(document, 33554432);
EXCEPTION WHEN OTHERS THEN
  RETURN 2147483647;
END
$function$;
COMMENT ON FUNCTION holdfast.measured_bytes(jsonb) IS 'As expanded_bytes; very much for a document that cannot be read.';
GRANT EXECUTE ON FUNCTION holdfast.measured_bytes(jsonb) TO holdfast_designer, holdfast_operator, holdfast_viewer, holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.mend_lines()
 RETURNS bigint
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'holdfast', 'pg_temp'
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET jit TO 'off'
AS $function$
DECLARE
  n bigint;
BEGIN
  DELETE FROM line_slots s
  WHERE s.ctid = ANY (ARRAY( -- not by the ticket: another attempt of it may run
    SELECT x.ctid FROM line_slots x
    WHERE NOT EXISTS (SELECT FROM leases l WHERE l.id = x.lease_no AND x.ticket_id = ANY (l.ids))
        AND NOT EXISTS (SELECT FROM suspects p WHERE p.id = x.ticket_id)
      OR NOT EXISTS (SELECT FROM ticket_base b WHERE b.id = x.ticket_id AND b.state = 'ready' AND b.fence < x.lease_no)
    FOR UPDATE SKIP LOCKED));
  GET DIAGNOSTICS n = ROW_COUNT;
  -- What a claim took that was on its way when a limit was set: neither saw the other. Locked, for an attempt that ends meanwhile would leave its place.
  IF EXISTS (SELECT FROM claim_limits x WHERE num_nonnulls(x.concurrent, x.per_key) > 0 AND x.set_at > now() - interval '10 minutes') THEN
    WITH uncounted AS MATERIALIZED (
      SELECT b.id, l.id AS lease_no, b.queue, COALESCE(b.concurrency_key, '') AS key, COALESCE(d.name, '') AS design
      FROM leases l CROSS JOIN LATERAL unnest(l.ids) AS u (id)
      JOIN ticket_base b ON b.id = ANY (ARRAY[u.id])
      LEFT JOIN designs d ON d.id = b.design_id
      WHERE b.state = 'ready' AND b.fence < l.id
        AND EXISTS (SELECT FROM claim_limits x WHERE num_nonnulls(x.concurrent, x.per_key) > 0 AND (x.queue = b.queue OR x.design = d.name))
        AND NOT EXISTS (SELECT FROM line_slots s WHERE s.ticket_id = b.id AND s.lease_no = l.id)
      FOR SHARE OF b SKIP LOCKED
    )
    INSERT INTO line_slots (ticket_id, lease_no, queue, concurrency_key, design)
    SELECT c.id, c.lease_no, c.queue, c.key, c.design FROM uncounted c ON CONFLICT DO NOTHING;
  END IF;
  -- No bucket owes more than a burst. One that does was used while the server's clock was ahead, and nothing would start until that time.
  UPDATE limit_gates g SET full_at = now() FROM claim_limits x
  WHERE x.scope = g.scope AND x.rate IS NOT NULL AND g.full_at > now() + x.burst * x.per / x.rate + interval '1 minute';
  IF n > 0 OR FOUND THEN
    PERFORM wake_lines();
  END IF;
  -- Nor does a lease last longer than it was given for: that of a worker which died while the clock was ahead ends from now on, and one that lives
  -- renews its own.
  UPDATE leases l SET expires_at = now() + COALESCE(l.for_ms, 60000) * interval '1 millisecond'
  WHERE l.id = ANY (ARRAY(
    SELECT x.id FROM leases x WHERE x.expires_at > now() + COALESCE(x.for_ms, 60000) * interval '1 millisecond' + interval '1 minute'
    FOR NO KEY UPDATE SKIP LOCKED));
  RETURN n;
END
$function$;
COMMENT ON FUNCTION holdfast.mend_lines() IS 'Drops rows of line_slots whose tickets run no more, says how many, adds those of claims that were on their way when a limit was set, fills buckets of rates that a clock that was ahead has emptied, and shortens leases that it has made too long. Whatever ends an attempt drops them itself; workers call this for what nobody thought of.';
GRANT EXECUTE ON FUNCTION holdfast.mend_lines() TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.mend_provider(provider text, actor text, key_id text DEFAULT NULL::text)
 RETURNS TABLE(mended bigint, released bigint, woken bigint)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
#variable_conflict use_column
DECLARE
  w record;
  t ticket_base;
BEGIN
  PERFORM require_words('provider', mend_provider.provider);
  PERFORM require_words('actor', mend_provider.actor);
  DELETE FROM provider_cooldowns c
  WHERE c.provider = mend_provider.provider AND (mend_provider.key_id IS NULL OR c.key_id = mend_provider.key_id);
  GET DIAGNOSTICS mended = ROW_COUNT;
  released := 0;
  woken := 0;
  -- Every one of them at once: a person says that it is mended.
  PERFORM pg_advisory_xact_lock(hashtext('holdfast.release_waiting'));
  FOR w IN
    SELECT x.ticket_id, x.kind FROM known_waits x
    WHERE x.kind IN ('account', 'provider')
      AND EXISTS (
        SELECT FROM unnest(x.scopes) AS s
        WHERE split_part(s, '/', 1) = mend_provider.provider
          AND (mend_provider.key_id IS NULL OR split_part(s, '/', 2) = mend_provider.key_id))
    ORDER BY x.ticket_id
  LOOP
    BEGIN
      CONTINUE WHEN NOT still_waits(w.ticket_id, w.kind);
      IF w.kind = 'account' THEN
        PERFORM release_ticket(w.ticket_id, mend_provider.actor);
        released := released + 1;
      ELSE
        t := locked_ticket(w.ticket_id);
        IF make_unclaimable(t) THEN
          UPDATE ticket_base b SET retry_after = NULL, updated_at = now() WHERE b.id = t.id RETURNING * INTO t;
          PERFORM make_claimable(t);
          woken := woken + 1;
        END IF;
      END IF;
      DELETE FROM ticket_waits y WHERE y.ticket_id = w.ticket_id;
    EXCEPTION WHEN SQLSTATE 'HF404' OR SQLSTATE 'HF409' THEN
      NULL; -- somebody else was first
    END;
  END LOOP;
  IF mended + released + woken = 0 THEN
    RAISE EXCEPTION 'nothing of the provider "%" is closed', left(mend_provider.provider, 100)
      USING ERRCODE = 'HF404', HINT = 'holdfast providers shows what is';
  END IF;
  PERFORM log_activity(NULL, 'provider_mended', mend_provider.actor, jsonb_build_object('provider', mend_provider.provider,
    'keyId', mend_provider.key_id, 'released', released, 'woken', woken));
  PERFORM pg_notify('holdfast_providers', '');
  RETURN NEXT;
END
$function$;
COMMENT ON FUNCTION holdfast.mend_provider(text,text,text) IS 'Opens a provider''s accounts again, or the one of a key, and lets go every ticket that waits for them: SELECT * FROM holdfast.mend_provider(''openai'', ''ann''). HF404 where nothing is closed.';
GRANT EXECUTE ON FUNCTION holdfast.mend_provider(text,text,text) TO holdfast_operator, holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.name_design_author()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
BEGIN
  -- Owner and workers speak for people, whom they have asked for a name; everybody else is who they logged in as.
  IF NOT pg_has_role(current_user, (SELECT c.relowner FROM pg_class c WHERE c.oid = 'designs'::regclass), 'USAGE')
    AND NOT COALESCE(pg_has_role(current_user, to_regrole('holdfast_worker'), 'USAGE'), false)
  THEN
    NEW.created_by := session_user;
  END IF;
  RETURN NEW;
END
$function$;
COMMENT ON FUNCTION holdfast.name_design_author() IS 'designs.created_by is the database user, unless the schema''s owner or a worker stores the design for somebody.';
GRANT EXECUTE ON FUNCTION holdfast.name_design_author() TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.needed_by(ticket_id bigint)
 RETURNS bigint
 LANGUAGE sql
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
  SELECT x.id FROM (
    SELECT d.ticket_id AS id FROM ticket_dependencies d WHERE d.after_id = needed_by.ticket_id AND d.name IS NOT NULL AND d.item IS NULL
    UNION ALL
    SELECT p.parent_id FROM ticket_parents p WHERE p.ticket_id = needed_by.ticket_id
  ) x JOIN ticket_base b ON b.id = x.id
  WHERE b.state NOT IN ('done', 'cancelled') AND (b.kind = 'workflow' OR b.follows) ORDER BY x.id LIMIT 1
$function$;
COMMENT ON FUNCTION holdfast.needed_by(bigint) IS 'An open ticket that is to be given the result of this one, or the open workflow that it is a step of; NULL if there is none.';
GRANT EXECUTE ON FUNCTION holdfast.needed_by(bigint) TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.note_budgets()
 RETURNS bigint
 LANGUAGE plpgsql
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
DECLARE
  b record;
  noted bigint := 0;
BEGIN
  IF NOT EXISTS (SELECT FROM budgets) OR NOT pg_try_advisory_xact_lock(hashtext('holdfast.note_budgets')) THEN
    RETURN 0;
  END IF;
  FOR b IN
    SELECT s.scope, s.per, s.limit_usd, s.spent_usd, COALESCE(c.activity_id, 0) AS told,
      CASE
        WHEN s.limit_usd > 0 AND s.spent_usd >= s.limit_usd
          OR EXISTS (SELECT FROM known_waits w WHERE w.kind = 'budget' AND w.needed_usd IS NOT NULL AND s.scope = ANY (w.scopes)) THEN 2
        WHEN s.limit_usd > 0 AND s.spent_usd >= 0.8 * s.limit_usd THEN 1
        ELSE 0
      END AS level
    FROM budget_status s LEFT JOIN webhook_cursors c ON c.name = 'noted:budget:' || s.scope
    ORDER BY s.scope
  LOOP
    CONTINUE WHEN b.level = b.told;
    INSERT INTO webhook_cursors AS c (name, activity_id) VALUES ('noted:budget:' || b.scope, b.level)
    ON CONFLICT (name) DO UPDATE SET activity_id = EXCLUDED.activity_id, updated_at = now();
    CONTINUE WHEN b.level < b.told;
    PERFORM log_activity(NULL, CASE b.level WHEN 2 THEN 'budget_used_up' ELSE 'budget_nearly_used_up' END, 'system',
      jsonb_build_object('scope', b.scope, 'per', b.per, 'limitUsd', b.limit_usd, 'spentUsd', b.spent_usd));
    noted := noted + 1;
  END LOOP;
  RETURN noted;
END
$function$;
COMMENT ON FUNCTION holdfast.note_budgets() IS 'Makes a row of ticket_activity for each budget of which eight tenths are spent (budget_nearly_used_up), or which holds tickets or is spent (budget_used_up), once until it has room again; returns how many. For those who tell people.';
GRANT EXECUTE ON FUNCTION holdfast.note_budgets() TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.note_digest(digest_time time without time zone, zone text)
 RETURNS boolean
 LANGUAGE plpgsql
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
DECLARE
  today timestamptz := ((now() AT TIME ZONE zone)::date + digest_time) AT TIME ZONE zone;
  due timestamptz := CASE WHEN today <= now() THEN today ELSE ((now() AT TIME ZONE zone)::date - 1 + digest_time) AT TIME ZONE zone END;
BEGIN
  INSERT INTO webhook_cursors (name, activity_id, updated_at) VALUES ('noted:digest', 0, now()) ON CONFLICT DO NOTHING;
  -- The last one is not to come: the clock was ahead.
  UPDATE webhook_cursors c SET updated_at = now() WHERE c.name = 'noted:digest' AND c.updated_at > now() + interval '1 minute';
  UPDATE webhook_cursors c SET updated_at = now() WHERE c.name = 'noted:digest' AND c.updated_at < due;
  IF NOT FOUND THEN
    RETURN false;
  END IF;
  PERFORM log_activity(NULL, 'digest', 'system', jsonb_build_object(
    'onHold', (SELECT count(*) FROM held),
    'inReview', (SELECT count(*) FROM ticket_base b WHERE b.state = 'needs_review'),
    'ready', (SELECT count(*) FROM ready) + (SELECT count(*) FROM deferred),
    'succeeded', (SELECT COALESCE(sum(f.n), 0) FROM ticket_figures f
      WHERE f.span_minutes = 15 AND f.starts_at >= now() - interval '1 day' AND f.event = 'succeeded'),
    'failed', (SELECT COALESCE(sum(f.n), 0) FROM ticket_figures f
      WHERE f.span_minutes = 15 AND f.starts_at >= now() - interval '1 day' AND f.event = 'failed'),
    'costUsd', (SELECT sum(f.cost_usd) FROM model_figures f WHERE f.span_minutes = 15 AND f.starts_at >= now() - interval '1 day')));
  RETURN true;
END
$function$;
COMMENT ON FUNCTION holdfast.note_digest(time without time zone,text) IS 'Makes a row of ticket_activity (digest) if that time of the day has come since the last one: how many tickets wait, and what a day brought. For those who tell people.';
GRANT EXECUTE ON FUNCTION holdfast.note_digest(time without time zone,text) TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.note_enqueued(id bigint, actor text)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
BEGIN
  PERFORM require_words('actor', actor);
  -- created_at is the time of the transaction that made it, down to the microsecond.
  IF NOT EXISTS (SELECT FROM ticket_base b WHERE b.id = note_enqueued.id AND b.created_at = now()) THEN
    RETURN false;
  END IF;
  PERFORM log_activity(note_enqueued.id, 'enqueued', actor);
  RETURN true;
END
$function$;
COMMENT ON FUNCTION holdfast.note_enqueued(bigint,text) IS 'Logs who enqueued a ticket, if this transaction did; whether it did.';
GRANT EXECUTE ON FUNCTION holdfast.note_enqueued(bigint,text) TO holdfast_operator, holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.note_reviews()
 RETURNS bigint
 LANGUAGE plpgsql
 SET search_path TO 'holdfast', 'pg_temp'
 SET enable_seqscan TO 'off'
 SET jit TO 'off'
AS $function$
DECLARE
  until timestamptz := (SELECT c.counted_until FROM figures_cursor c);
  since timestamptz;
  noted bigint := 0;
  r record;
BEGIN
  INSERT INTO webhook_cursors (name, activity_id, updated_at) VALUES ('noted:reviews', 0, until) ON CONFLICT DO NOTHING;
  -- Behind all that is counted is only the time of a clock that was ahead.
  UPDATE webhook_cursors c SET updated_at = until WHERE c.name = 'noted:reviews' AND c.updated_at > until + interval '1 minute';
  SELECT c.updated_at INTO since FROM webhook_cursors c WHERE c.name = 'noted:reviews' AND c.updated_at < until FOR UPDATE SKIP LOCKED;
  IF NOT FOUND THEN
    RETURN 0;
  END IF;
  FOR r IN
    SELECT COALESCE(d.name, '') AS design, count(*) AS n, (array_agg(b.id ORDER BY b.id))[1:50] AS ids
    FROM (SELECT DISTINCT a.ticket_id FROM ticket_attempts a WHERE a.finished_at >= since AND a.finished_at < until AND a.outcome = 'succeeded') s
    JOIN ticket_base b ON b.id = s.ticket_id AND b.state = 'needs_review'
    LEFT JOIN designs d ON d.id = b.design_id
    GROUP BY 1 ORDER BY 1
  LOOP
    PERFORM log_activity(NULL, 'results_to_review', 'system', jsonb_build_object('design', r.design, 'count', r.n, 'ticketIds', to_jsonb(r.ids)));
    noted := noted + 1;
  END LOOP;
  UPDATE webhook_cursors c SET updated_at = until WHERE c.name = 'noted:reviews';
  RETURN noted;
END
$function$;
COMMENT ON FUNCTION holdfast.note_reviews() IS 'Makes a row of ticket_activity (results_to_review) for each design of which results have come to wait for review since the last call, some seconds behind as the figures are; returns how many. For those who tell people.';
GRANT EXECUTE ON FUNCTION holdfast.note_reviews() TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.open_batch(actor text, title text DEFAULT NULL::text)
 RETURNS bigint
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
DECLARE
  new_id bigint;
BEGIN
  PERFORM require_words('actor', actor);
  IF length(open_batch.title) > 1000 THEN
    RAISE EXCEPTION 'the title of a batch is at most 1000 characters long' USING ERRCODE = 'HF422';
  END IF;
  INSERT INTO batches AS b (title, created_by) VALUES (words_or_null(open_batch.title), open_batch.actor) RETURNING b.id INTO new_id;
  RETURN new_id;
END
$function$;
COMMENT ON FUNCTION holdfast.open_batch(text,text) IS 'Begins a batch and returns its id, for enqueue_ticket(batch_id => ...). It takes tickets until close_batch.';
GRANT EXECUTE ON FUNCTION holdfast.open_batch(text,text) TO holdfast_operator, holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.open_for_key(x holdfast.claim_limits, key text)
 RETURNS bigint
 LANGUAGE sql
 STABLE
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
  SELECT CASE WHEN x.per_key IS NOT NULL AND key <> '' THEN GREATEST(x.per_key - CASE WHEN x.queue IS NOT NULL
    THEN (SELECT count(*) FROM line_slots s WHERE s.queue = x.queue AND s.concurrency_key = key)
    ELSE (SELECT count(*) FROM line_slots s WHERE s.design = x.design AND s.design <> '' AND s.concurrency_key = key) END, 0) END
$function$;
COMMENT ON FUNCTION holdfast.open_for_key(holdfast.claim_limits,text) IS 'How many more tickets with a concurrency key a limit lets start now; NULL where it does not count them by key.';
GRANT EXECUTE ON FUNCTION holdfast.open_for_key(holdfast.claim_limits,text) TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.open_places(x holdfast.claim_limits)
 RETURNS bigint
 LANGUAGE plpgsql
 STABLE
 SET search_path TO 'holdfast', 'pg_temp'
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET jit TO 'off'
AS $function$
DECLARE
  open bigint := 1000000000;
BEGIN
  IF x.concurrent IS NOT NULL THEN
    open := x.concurrent - CASE WHEN x.queue IS NOT NULL THEN (SELECT count(*) FROM line_slots s WHERE s.queue = x.queue)
      ELSE (SELECT count(*) FROM line_slots s WHERE s.design = x.design AND s.design <> '') END;
  END IF;
  IF x.rate IS NOT NULL THEN
    open := LEAST(open, floor(tokens_left(x, (SELECT g.full_at FROM limit_gates g WHERE g.scope = x.scope)))::bigint);
  END IF;
  RETURN GREATEST(open, 0);
END
$function$;
COMMENT ON FUNCTION holdfast.open_places(holdfast.claim_limits) IS 'How many more tickets a limit lets start now, keys left aside.';
GRANT EXECUTE ON FUNCTION holdfast.open_places(holdfast.claim_limits) TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.outage_of(c holdfast.provider_cooldowns)
 RETURNS interval
 LANGUAGE sql
 STABLE
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
  SELECT CASE WHEN c.rounds > 0 AND isfinite(c.until) THEN LEAST(clock_timestamp(), c.until) - c.since END
$function$;
COMMENT ON FUNCTION holdfast.outage_of(holdfast.provider_cooldowns) IS 'For how long an account has given no answer; NULL where it is open, or a person has to mend it.';
GRANT EXECUTE ON FUNCTION holdfast.outage_of(holdfast.provider_cooldowns) TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.outage_words(provider text, since timestamp with time zone, reason text, detail text)
 RETURNS text
 LANGUAGE sql
 STABLE
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
  SELECT provider || ' has not answered since ' || to_char(since AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI "UTC"') || ' (' || reason || ': ' || detail || ')'
$function$;
COMMENT ON FUNCTION holdfast.outage_words(text,timestamp with time zone,text,text) IS 'The sentence that says to people that a provider is out, in the log, on the console and in the webhook.';
GRANT EXECUTE ON FUNCTION holdfast.outage_words(text,timestamp with time zone,text,text) TO PUBLIC, holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.outcome_of_released(w holdfast.release_tickets)
 RETURNS text
 LANGUAGE sql
 STABLE
 SET search_path TO 'holdfast', 'pg_temp'
 SET enable_seqscan TO 'off'
AS $function$
  SELECT CASE
    WHEN EXISTS (SELECT FROM ticket_attempts a
      WHERE a.ticket_id = w.ticket_id AND a.lease_no > w.fence AND a.outcome IN ('failed', 'crashed') AND a.fingerprint = w.fingerprint)
    THEN 'same_error'
    ELSE COALESCE((SELECT CASE b.state
        WHEN 'needs_review' THEN 'succeeded' WHEN 'done' THEN 'succeeded' WHEN 'cancelled' THEN 'ended'
        WHEN 'on_hold' THEN CASE WHEN wait_of_held(b) IS NULL THEN 'other_error' ELSE 'open' END
        ELSE 'open' END
      FROM ticket_base b WHERE b.id = w.ticket_id), 'ended')
  END
$function$;
COMMENT ON FUNCTION holdfast.outcome_of_released(holdfast.release_tickets) IS 'What became of a ticket since its release: an outcome of release_tickets, or open.';
GRANT EXECUTE ON FUNCTION holdfast.outcome_of_released(holdfast.release_tickets) TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.pause_queue(queue text, actor text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
BEGIN
  PERFORM require_words('actor', actor);
  PERFORM require_queue_name(queue);
  PERFORM require_queue(queue);
  INSERT INTO queues (name, paused_at, paused_by) VALUES (pause_queue.queue, now(), pause_queue.actor)
  ON CONFLICT (name) DO UPDATE SET paused_at = COALESCE(queues.paused_at, now()), paused_by = COALESCE(queues.paused_by, pause_queue.actor);
  PERFORM log_activity(NULL, 'queue_paused', actor, jsonb_build_object('queue', pause_queue.queue));
END
$function$;
COMMENT ON FUNCTION holdfast.pause_queue(text,text) IS 'Stops claims from a queue until resume_queue; running tickets go on. Survives restarts. SQLSTATE HF404 where no ticket was ever in the queue and no worker names it, but for the queue default.';
GRANT EXECUTE ON FUNCTION holdfast.pause_queue(text,text) TO holdfast_operator, holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.pause_schedule(name text, actor text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
BEGIN
  PERFORM require_words('actor', actor);
  PERFORM locked_schedule(pause_schedule.name);
  UPDATE schedules s SET paused_at = now(), paused_by = pause_schedule.actor
  WHERE s.name = pause_schedule.name AND s.paused_at IS NULL;
  PERFORM log_activity(NULL, 'schedule_paused', actor, jsonb_build_object('schedule', pause_schedule.name));
END
$function$;
COMMENT ON FUNCTION holdfast.pause_schedule(text,text) IS 'No ticket comes of it until resume_schedule. Tickets that are there are left alone.';
GRANT EXECUTE ON FUNCTION holdfast.pause_schedule(text,text) TO holdfast_operator, holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.produce_ticket(kind text DEFAULT NULL::text, payload jsonb DEFAULT '{}'::jsonb, queue text DEFAULT 'default'::text, title text DEFAULT NULL::text, design text DEFAULT NULL::text, priority integer DEFAULT 0, run_at timestamp with time zone DEFAULT NULL::timestamp with time zone, unique_key text DEFAULT NULL::text, max_cost_usd numeric DEFAULT NULL::numeric, expires_at timestamp with time zone DEFAULT NULL::timestamp with time zone, concurrency_key text DEFAULT NULL::text, fairness_key text DEFAULT NULL::text, after bigint[] DEFAULT NULL::bigint[])
 RETURNS bigint
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
DECLARE
  -- Inside, current_user is the owner; after SET ROLE the setting tells who called.
  caller name := CASE WHEN current_setting('role') = 'none' THEN session_user ELSE current_setting('role') END;
  foreign_id text;
  produced bigint;
BEGIN
  IF NOT EXISTS (
    SELECT FROM producer_grants g
    WHERE g.queue = produce_ticket.queue AND g.design IS NOT DISTINCT FROM produce_ticket.design
      AND (g.design IS NOT NULL AND produce_ticket.kind IS NULL OR g.kind = produce_ticket.kind)
      AND pg_has_role(caller, to_regrole(quote_ident(g.grantee)), 'MEMBER'))
  THEN
    RAISE EXCEPTION '% may not enqueue % in queue %', caller,
      CASE WHEN produce_ticket.design IS NULL THEN 'kind ' || COALESCE(produce_ticket.kind, 'NULL') ELSE 'design ' || produce_ticket.design END,
      COALESCE(produce_ticket.queue, 'NULL')
      USING ERRCODE = '42501', HINT = 'The owner of the schema grants it by a row of producer_grants.';
  END IF;
  -- The tickets of others are not locked, nor is told whether there are any.
  foreign_id := foreign_ticket(caller, produce_ticket.after);
  IF foreign_id IS NOT NULL THEN
    RAISE EXCEPTION '% may not wait for ticket %', caller, foreign_id
      USING ERRCODE = '42501', HINT = 'It waits only for tickets of the queues and designs that it may enqueue.';
  END IF;
  produced := enqueue_ticket(kind => produce_ticket.kind, payload => produce_ticket.payload, queue => produce_ticket.queue,
    title => produce_ticket.title, design => produce_ticket.design, priority => produce_ticket.priority,
    run_at => produce_ticket.run_at, unique_key => produce_ticket.unique_key, max_cost_usd => produce_ticket.max_cost_usd,
    expires_at => produce_ticket.expires_at, concurrency_key => produce_ticket.concurrency_key, fairness_key => produce_ticket.fairness_key,
    after => produce_ticket.after);
  -- Keys are one space for all: the ticket that has this one may be somebody else's.
  IF produce_ticket.unique_key IS NOT NULL AND foreign_ticket(caller, ARRAY[produced]) IS NOT NULL THEN
    RAISE EXCEPTION '% may not use the unique key "%": a ticket of others has it', caller, shorten(produce_ticket.unique_key, 100)
      USING ERRCODE = '42501', HINT = 'Begin keys with a word of your own, such as the name of the queue.';
  END IF;
  RETURN produced;
END
$function$;
COMMENT ON FUNCTION holdfast.produce_ticket(text,jsonb,text,text,text,integer,timestamp with time zone,text,numeric,timestamp with time zone,text,text,bigint[]) IS 'enqueue_ticket for members of holdfast_producer: refuses what no row of producer_grants allows them.';
GRANT EXECUTE ON FUNCTION holdfast.produce_ticket(text,jsonb,text,text,text,integer,timestamp with time zone,text,numeric,timestamp with time zone,text,text,bigint[]) TO holdfast_operator, holdfast_producer, holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.promote_singly()
 RETURNS bigint
 LANGUAGE plpgsql
 SET search_path TO 'holdfast', 'pg_temp'
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET jit TO 'off'
AS $function$
DECLARE
  d deferred;
  promoted bigint := 0;
BEGIN
  FOR d IN SELECT * FROM deferred x WHERE x.run_at <= now() ORDER BY x.run_at, x.id LIMIT 1000 FOR UPDATE SKIP LOCKED LOOP
    BEGIN
      DELETE FROM deferred x WHERE x.id = d.id AND x.run_at = d.run_at;
      INSERT INTO ready (priority, created_at, id, queue, kind) VALUES (d.priority, d.created_at, d.id, d.queue, d.kind);
      promoted := promoted + 1;
    EXCEPTION WHEN OTHERS OR query_canceled OR assert_failure THEN
      RAISE WARNING 'ticket % cannot be claimed: % (SQLSTATE %)', d.id, SQLERRM, SQLSTATE;
    END;
  END LOOP;
  RETURN promoted;
END
$function$;
COMMENT ON FUNCTION holdfast.promote_singly() IS 'Makes deferred tickets ready whose time has come, past those that the database does not let go; returns how many.';
GRANT EXECUTE ON FUNCTION holdfast.promote_singly() TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.prune_figures()
 RETURNS void
 LANGUAGE sql
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
  DELETE FROM ticket_figures f USING (VALUES (1, interval '3 hours'), (15, '3 days'), (120, '90 days')) AS k (minutes, kept)
  WHERE f.span_minutes = k.minutes AND f.starts_at < now() - k.kept;
  DELETE FROM model_figures f USING (VALUES (1, interval '3 hours'), (15, '3 days'), (120, '90 days')) AS k (minutes, kept)
  WHERE f.span_minutes = k.minutes AND f.starts_at < now() - k.kept;
$function$;
COMMENT ON FUNCTION holdfast.prune_figures() IS 'Deletes figures that are past their time: those by minute after 3 hours, by 15 minutes after 3 days, by 2 hours after 90 days.';
GRANT EXECUTE ON FUNCTION holdfast.prune_figures() TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.put_schedule(name text, actor text, cron text DEFAULT NULL::text, every interval DEFAULT NULL::interval, zone text DEFAULT 'UTC'::text, design text DEFAULT NULL::text, kind text DEFAULT NULL::text, payload jsonb DEFAULT '{}'::jsonb, queue text DEFAULT 'default'::text, title text DEFAULT NULL::text, priority integer DEFAULT 0, catch_up text DEFAULT 'last'::text, overlap text DEFAULT 'allow'::text, next_at timestamp with time zone DEFAULT NULL::timestamp with time zone, next_runs timestamp with time zone[] DEFAULT NULL::timestamp with time zone[])
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
#variable_conflict use_column
DECLARE
  d designs;
BEGIN
  PERFORM require_words('actor', actor), require_length('title', put_schedule.title, 10000);
  PERFORM require_queue_name(put_schedule.queue);
  IF put_schedule.name IS NULL OR put_schedule.name !~ '^[A-Za-z0-9][A-Za-z0-9._:-]{0,99}$' THEN
    RAISE EXCEPTION '"%" is not the name of a schedule', COALESCE(left(put_schedule.name, 100), 'NULL')
      USING ERRCODE = 'HF422', HINT = 'Take 1 to 100 letters, digits and . _ : -, the first a letter or digit.';
  END IF;
  IF (put_schedule.cron IS NULL) = (put_schedule.every IS NULL) THEN
    RAISE EXCEPTION 'a schedule needs either cron or every' USING ERRCODE = 'HF422';
  END IF;
  IF length(put_schedule.cron) > 200 THEN
    RAISE EXCEPTION 'the cron expression is too long' USING ERRCODE = 'HF422';
  END IF;
  IF put_schedule.every < interval '1 second' OR put_schedule.every > interval '10 years' THEN
    RAISE EXCEPTION 'every must be from 1 second to 10 years, not %', put_schedule.every USING ERRCODE = 'HF422';
  END IF;
  IF extract(year FROM put_schedule.every) <> 0 OR extract(month FROM put_schedule.every) <> 0 THEN
    RAISE EXCEPTION 'months and years are not equally long' USING ERRCODE = 'HF422', HINT = 'Take cron, as in 0 3 1 * *.';
  END IF;
  PERFORM require_time('next_at', put_schedule.next_at);
  PERFORM require_time('next_runs', u.at) FROM unnest(put_schedule.next_runs) AS u (at);
  IF put_schedule.catch_up IS NULL OR put_schedule.catch_up NOT IN ('none', 'last', 'all') THEN
    RAISE EXCEPTION 'catch_up is none, last or all' USING ERRCODE = 'HF422';
  END IF;
  IF put_schedule.overlap IS NULL OR put_schedule.overlap NOT IN ('allow', 'skip', 'queue') THEN
    RAISE EXCEPTION 'overlap is allow, skip or queue' USING ERRCODE = 'HF422';
  END IF;
  IF put_schedule.design IS NOT NULL THEN
    d := latest_design(put_schedule.design);
  END IF;
  PERFORM know_lane(put_schedule.queue, kind_of_new_ticket(put_schedule.kind, d));
  PERFORM accepted_bytes('payload', COALESCE(put_schedule.payload, '{}'));
  INSERT INTO schedules AS s (name, cron, every, zone, design, kind, title, payload, queue, priority, catch_up, overlap, next_at, next_runs,
    updated_by)
  VALUES (put_schedule.name, put_schedule.cron, put_schedule.every, COALESCE(put_schedule.zone, 'UTC'), put_schedule.design,
    put_schedule.kind, put_schedule.title, COALESCE(put_schedule.payload, '{}'), put_schedule.queue, COALESCE(put_schedule.priority, 0),
    put_schedule.catch_up, put_schedule.overlap,
    -- In seconds: with days it would depend on the session's time zone.
    COALESCE(put_schedule.next_at, date_trunc('second', now()) + extract(epoch FROM put_schedule.every) * interval '1 second'),
    put_schedule.next_runs, put_schedule.actor)
  ON CONFLICT (name) DO UPDATE SET
    cron = excluded.cron, every = excluded.every, zone = excluded.zone, design = excluded.design, kind = excluded.kind,
    title = excluded.title, payload = excluded.payload, queue = excluded.queue, priority = excluded.priority,
    catch_up = excluded.catch_up, overlap = excluded.overlap, next_at = excluded.next_at, next_runs = excluded.next_runs,
    anchor_at = date_trunc('second', now()), problem = NULL, updated_at = now(), updated_by = excluded.updated_by;
  PERFORM log_activity(NULL, 'schedule_put', actor, jsonb_build_object('schedule', put_schedule.name));
END
$function$;
COMMENT ON FUNCTION holdfast.put_schedule(text,text,text,interval,text,text,text,jsonb,text,text,integer,text,text,timestamp with time zone,timestamp with time zone[]) IS 'Makes a schedule or replaces its settings: SELECT holdfast.put_schedule(''nightly'', ''ann'', cron => ''0 3 * * 1-5'', zone => ''Europe/Berlin'', design => ''report''). A pause stays. HF422 names what is wrong; a bad cron expression or zone is found by a worker and told in schedules.problem.';
GRANT EXECUTE ON FUNCTION holdfast.put_schedule(text,text,text,interval,text,text,text,jsonb,text,text,integer,text,text,timestamp with time zone,timestamp with time zone[]) TO holdfast_operator, holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.raise_budget(scope text, usd numeric, actor text, per text DEFAULT NULL::text)
 RETURNS bigint
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
#variable_conflict use_column
DECLARE
  of_ticket bigint;
BEGIN
  PERFORM require_words('scope', raise_budget.scope);
  PERFORM require_words('actor', raise_budget.actor);
  IF usd IS NULL OR usd < 0 OR usd > 1000000000 OR usd = 'NaN' THEN
    RAISE EXCEPTION 'a budget is an amount of USD from 0 to 1000000000, not %', COALESCE(usd::text, 'NULL') USING ERRCODE = 'HF422';
  END IF;
  IF raise_budget.per NOT IN ('day', 'total') THEN
    RAISE EXCEPTION 'a budget is per day or total, not per %', left(raise_budget.per, 100) USING ERRCODE = 'HF422';
  END IF;
  IF raise_budget.scope ~ '^ticket:[0-9]{1,18}$' THEN
    of_ticket := substr(raise_budget.scope, 8)::bigint;
    PERFORM require_cost_limit((locked_ticket(of_ticket)).kind, usd);
    UPDATE ticket_base b SET max_cost_usd = usd, updated_at = now() WHERE b.id = of_ticket;
    PERFORM log_activity(of_ticket, 'budget_raised', raise_budget.actor, jsonb_build_object('toUsd', usd));
    IF EXISTS (SELECT FROM ticket_base b WHERE b.id = of_ticket AND b.state = 'on_hold' AND b.hold_reason LIKE 'budget_exceeded: ticket:%') THEN
      PERFORM release_ticket(of_ticket, raise_budget.actor);
      RETURN 1;
    END IF;
    RETURN 0;
  END IF;
  IF raise_budget.scope <> 'day' AND raise_budget.scope !~ '^(design|key):.+$' THEN
    RAISE EXCEPTION '"%" is not the scope of a budget', left(raise_budget.scope, 100)
      USING ERRCODE = 'HF422', HINT = 'Scopes are day, design:NAME, key:PROVIDER/KEY_ID and ticket:ID; holdfast budgets shows them.';
  END IF;
  -- Nothing here knows the keys, but what they are stored by.
  IF raise_budget.scope LIKE 'key:%' AND raise_budget.scope !~ '^key:.+/([0-9a-f]{12}|none)$'
    AND NOT EXISTS (SELECT FROM budgets b WHERE b.scope = raise_budget.scope) THEN
    RAISE EXCEPTION '"%" is the scope of no key', left(raise_budget.scope, 100)
      USING ERRCODE = 'HF422', HINT = 'It is key:PROVIDER/KEY_ID, where KEY_ID is the start of the key''s SHA-256 in 12 hex digits, or none; holdfast budgets raise takes key:PROVIDER/key-1, too.';
  END IF;
  -- One that the configuration names may be there before its design.
  IF raise_budget.scope LIKE 'design:%' AND NOT EXISTS (SELECT FROM budgets b WHERE b.scope = raise_budget.scope) THEN
    PERFORM latest_design(substr(raise_budget.scope, 8));
  END IF;
  -- Before anything is changed: a worker that looks just now would make release_waiting return at once, and this say that it released none.
  PERFORM pg_advisory_xact_lock(hashtext('holdfast.release_waiting'));
  INSERT INTO budgets AS b (scope, per, limit_usd, reserved_usd, changed_by)
  VALUES (raise_budget.scope, COALESCE(raise_budget.per, 'day'), usd, reserved_before(raise_budget.scope), raise_budget.actor)
  ON CONFLICT (scope) DO UPDATE
  SET limit_usd = usd, per = COALESCE(raise_budget.per, b.per), changed_by = raise_budget.actor, changed_at = clock_timestamp();
  PERFORM log_activity(NULL, 'budget_raised', raise_budget.actor, jsonb_build_object('scope', raise_budget.scope, 'toUsd', usd));
  PERFORM pg_notify('holdfast_providers', '');
  RETURN release_waiting(raise_budget.actor, 2147483647);
END
$function$;
COMMENT ON FUNCTION holdfast.raise_budget(text,numeric,text,text) IS 'Sets a budget, makes it where there is none, and releases the tickets that it held: SELECT holdfast.raise_budget(''day'', 100, ''ann''). Scopes: day, design:NAME, key:PROVIDER/KEY_ID, ticket:ID. Returns how many were released.';
GRANT EXECUTE ON FUNCTION holdfast.raise_budget(text,numeric,text,text) TO holdfast_operator, holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.reach_followers(cancelled bigint, actor text)
 RETURNS bigint[]
 LANGUAGE plpgsql
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
DECLARE
  gone bigint[] := '{}';
  why text := format('dependency_cancelled: #%s, which it waits for, was cancelled by %s; release it to run it all the same', cancelled, actor);
  d ticket_dependencies;
  t ticket_base;
  holds boolean;
BEGIN
  FOR d IN
    SELECT x.* FROM ticket_dependencies x
    WHERE x.after_id = cancelled AND (x.ended_at IS NULL OR x.on_success AND EXISTS (SELECT FROM workflows w WHERE w.ticket_id = x.ticket_id))
    ORDER BY x.ticket_id
  LOOP
    SELECT * INTO t FROM ticket_base b WHERE b.id = d.ticket_id FOR UPDATE;
    PERFORM FROM ticket_dependencies x
    WHERE x.ticket_id = d.ticket_id AND x.after_id = cancelled AND (x.ended_at IS NULL OR x.on_success AND d.ended_at IS NOT NULL
      AND t.state IN ('ready', 'on_hold'));
    CONTINUE WHEN NOT FOUND OR t.id IS NULL;
    holds := d.on_cancelled IS NULL AND t.state IN ('ready', 'on_hold');
    IF holds THEN
      PERFORM end_work(t, actor);
    END IF;
    UPDATE ticket_dependencies x SET ended_at = now(), queued = NULL WHERE x.ticket_id = d.ticket_id AND x.after_id = cancelled;
    IF d.item >= 0 AND d.queued IS NULL THEN
      PERFORM let_items_go(d.ticket_id, d.name);
    END IF;
    IF d.on_cancelled = 'run' THEN
      PERFORM file_followers(ARRAY[t.id], ARRAY[d.name]);
    ELSIF d.on_cancelled = 'cancel' AND t.state IN ('ready', 'on_hold') THEN
      PERFORM lock_what_goes(t.id);
      PERFORM end_for_good(t, actor, CASE WHEN EXISTS (SELECT FROM workflows w WHERE w.ticket_id = t.id)
        THEN format('#%s of its step %s was cancelled', cancelled, d.name) ELSE format('#%s, which it waits for, was cancelled', cancelled) END);
      gone := gone || t.id;
    ELSIF holds THEN
      -- One that a person holds already stays so, with one reason more.
      UPDATE ticket_base b
      SET state = 'on_hold', held_at = COALESCE(b.held_at, now()), hold_reason = concat_ws('; ', why, b.hold_reason),
          hold_actions = '{release,release_with_guidance,cancel}', updated_at = now()
      WHERE b.id = t.id;
      PERFORM log_activity(t.id, 'held', 'system',
        jsonb_build_object('reason', why, 'holdCause', 'dependency_cancelled', 'cancelled', cancelled));
    END IF;
  END LOOP;
  RETURN gone;
END
$function$;
COMMENT ON FUNCTION holdfast.reach_followers(bigint,text) IS 'Holds the tickets that wait for one that a person cancels, or cancels or runs them where that was said when they were enqueued; returns those that it cancelled, whose own followers it does not reach. They no longer wait for it, so that a release runs them.';
GRANT EXECUTE ON FUNCTION holdfast.reach_followers(bigint,text) TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.readable(document jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 IMMUTABLE STRICT
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
BEGIN
  IF holdfast.measured_bytes(document) > 33554432 THEN
    RETURN '{"unreadable": "more than 33554432 bytes when its numbers are written out; see payload.max-expanded-bytes"}';
  ELSIF holdfast.is_deep(document) THEN
    RETURN '{"unreadable": "more than 500 levels of arrays and objects"}';
  END IF;
  RETURN document;
END
$function$;
COMMENT ON FUNCTION holdfast.readable(jsonb) IS 'The document, or words in its place if it has more than 32 MiB as text or more than 500 levels.';
GRANT EXECUTE ON FUNCTION holdfast.readable(jsonb) TO holdfast_designer, holdfast_operator, holdfast_viewer, holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.recount_batch(b holdfast.batches)
 RETURNS holdfast.batches
 LANGUAGE plpgsql
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
DECLARE
  began timestamptz := clock_timestamp();
BEGIN
  b.base_finished := CASE
    WHEN b.base_at IS NULL THEN 0
    WHEN b.base_at > began - interval '2 minutes' OR b.counted_at IS NULL THEN b.base_finished
    ELSE finished_of_batch(b) END;
  b.base_at := CASE WHEN b.base_at IS NULL THEN b.created_at WHEN b.base_at > began - interval '2 minutes' THEN b.base_at ELSE b.counted_at END;
  b.counts := count_batch(b);
  b.counted_at := clock_timestamp();
  b.count_took := b.counted_at - began;
  RETURN b;
END
$function$;
COMMENT ON FUNCTION holdfast.recount_batch(holdfast.batches) IS 'The row of a batch with its tickets counted anew.';
GRANT EXECUTE ON FUNCTION holdfast.recount_batch(holdfast.batches) TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.refuse_action(t holdfast.ticket_base, action text)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
DECLARE
  last_action ticket_activity;
  shown_state text;
BEGIN
  SELECT state INTO shown_state FROM tickets WHERE id = t.id;
  SELECT * INTO last_action FROM ticket_activity a
  WHERE a.ticket_id = t.id AND a.actor <> 'system' ORDER BY a.id DESC LIMIT 1;
  IF FOUND THEN
    RAISE EXCEPTION 'cannot % ticket %: it is %; % was the last to act on it (% at %)', action, t.id, shown_state,
      last_action.actor, last_action.action, to_char(last_action.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS"Z"')
      USING ERRCODE = 'HF409', DETAIL = shown_state;
  END IF;
  RAISE EXCEPTION 'cannot % ticket %: it is %', action, t.id, shown_state USING ERRCODE = 'HF409', DETAIL = shown_state;
END
$function$;
COMMENT ON FUNCTION holdfast.refuse_action(holdfast.ticket_base,text) IS 'Says why an action is not possible now, and who acted last.';
GRANT EXECUTE ON FUNCTION holdfast.refuse_action(holdfast.ticket_base,text) TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.refuse_broken_rule()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
BEGIN
  PERFORM require_rules(NEW);
  RETURN NULL;
END
$function$;
COMMENT ON FUNCTION holdfast.refuse_broken_rule() IS 'Refuses an update that breaks a rule which refuse_transition does not look at.';
GRANT EXECUTE ON FUNCTION holdfast.refuse_broken_rule() TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.refuse_design_change()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
BEGIN
  RAISE EXCEPTION 'design % version % is never changed in place; put a new version', OLD.name, OLD.version
    USING ERRCODE = 'HF409', HINT = 'holdfast design put NAME --file FILE';
END
$function$;
COMMENT ON FUNCTION holdfast.refuse_design_change() IS 'Versions of a design are added, never changed.';
GRANT EXECUTE ON FUNCTION holdfast.refuse_design_change() TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.refuse_transition()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
BEGIN
  IF OLD.state <> NEW.state AND (
    OLD.state IN ('done', 'cancelled')
    OR (OLD.state = 'on_hold' AND NEW.state NOT IN ('ready', 'cancelled'))
    OR (OLD.state = 'needs_review' AND NEW.state NOT IN ('done', 'ready', 'cancelled')))
  THEN
    RAISE EXCEPTION 'ticket % is %; it cannot become %', OLD.id, OLD.state, NEW.state USING ERRCODE = 'HF409';
  END IF;
  PERFORM require_rules(NEW);
  RETURN NULL;
END
$function$;
COMMENT ON FUNCTION holdfast.refuse_transition() IS 'The last guard of the state machine, below every function.';
GRANT EXECUTE ON FUNCTION holdfast.refuse_transition() TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.refuse_unfiled_ticket()
 RETURNS boolean
 LANGUAGE plpgsql
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
BEGIN
  RAISE EXCEPTION 'a row of ticket_base must say that it is filed, or no worker would see the ticket'
    USING ERRCODE = 'HF409', HINT = 'INSERT INTO holdfast.tickets or call holdfast.enqueue_ticket instead; a program that does this itself is older than the database: upgrade it.';
END
$function$;
COMMENT ON FUNCTION holdfast.refuse_unfiled_ticket() IS 'The default of ticket_base.filed: refuses an INSERT that leaves it out.';
GRANT EXECUTE ON FUNCTION holdfast.refuse_unfiled_ticket() TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.refused_in_line(tids tid[])
 RETURNS bigint[]
 LANGUAGE plpgsql
 SET search_path TO 'holdfast', 'pg_temp'
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET jit TO 'off'
AS $function$
DECLARE
  ticket bigint;
  refused bigint[] := '{}';
BEGIN
  FOR place IN 1..COALESCE(cardinality(tids), 0) LOOP
    SELECT w.id INTO ticket FROM in_line w WHERE w.ctid = tids[place];
    BEGIN
      DELETE FROM in_line w WHERE w.ctid = tids[place];
      RAISE EXCEPTION 'undone' USING ERRCODE = 'HF000';
    EXCEPTION
      WHEN SQLSTATE 'HF000' THEN
        NULL;
      WHEN OTHERS OR query_canceled OR assert_failure THEN
        RAISE WARNING 'ticket % cannot be claimed: % (SQLSTATE %)', ticket, SQLERRM, SQLSTATE;
        refused := refused || ticket;
    END;
  END LOOP;
  RETURN refused;
END
$function$;
COMMENT ON FUNCTION holdfast.refused_in_line(tid[]) IS 'Which of these rows of in_line the database does not let go; changes nothing.';
GRANT EXECUTE ON FUNCTION holdfast.refused_in_line(tid[]) TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.reject_ticket(id bigint, actor text, feedback text DEFAULT NULL::text)
 RETURNS text
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
DECLARE
  t ticket_base;
BEGIN
  PERFORM require_words('actor', actor);
  IF feedback IS NOT NULL THEN
    PERFORM require_words('feedback', feedback);
  END IF;
  t := locked_ticket(reject_ticket.id);
  IF t.state <> 'needs_review' THEN
    PERFORM refuse_action(t, 'reject');
  END IF;
  PERFORM log_activity(t.id, 'rejected', actor, jsonb_build_object('feedback', feedback));
  -- By it their workers know a result that was rejected from one that was never stored.
  PERFORM give_guidance(t.id, actor, 'reject',
    COALESCE(feedback, CASE WHEN t.kind IN ('agent', 'repair') THEN 'Rejected, without a reason.' END));
  UPDATE ticket_base b
  SET state = 'ready', rejection_count = b.rejection_count + 1, retry_count = 0, retry_counts = NULL, same_error_count = 0,
      crash_count = 0, completed_at = NULL, retry_after = NULL, updated_at = now()
  WHERE b.id = t.id
  RETURNING * INTO t;
  PERFORM make_claimable(t);
  RETURN t.state;
END
$function$;
COMMENT ON FUNCTION holdfast.reject_ticket(bigint,text,text) IS 'Sends the result of a ticket in needs_review back to work; the feedback becomes guidance for the next attempt. It may be left out, but not be empty.';
GRANT EXECUTE ON FUNCTION holdfast.reject_ticket(bigint,text,text) TO holdfast_operator, holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.release_some(r holdfast.releases, most integer)
 RETURNS integer
 LANGUAGE plpgsql
 SET search_path TO 'holdfast', 'pg_temp'
 SET enable_seqscan TO 'off'
AS $function$
DECLARE
  w release_tickets;
  t ticket_base;
  action text := CASE WHEN r.guidance IS NULL THEN 'release' ELSE 'release_with_guidance' END;
  released integer := 0;
  looked integer := 0;
BEGIN
  PERFORM set_config('holdfast.channel', COALESCE(r.channel, ''), true);
  FOR w IN
    -- By id, as everybody locks tickets.
    SELECT * FROM (
      SELECT x.* FROM release_tickets x WHERE x.release_id = r.id AND x.released_at IS NULL AND x.outcome IS NULL ORDER BY x.n LIMIT most
    ) y ORDER BY y.ticket_id
  LOOP
    looked := looked + 1;
    PERFORM lock_steps(w.ticket_id);
    SELECT * INTO t FROM ticket_base b WHERE b.id = w.ticket_id FOR UPDATE;
    -- One that was released since, and is on hold again, is held for what nobody has chosen it for. An undo leaves no row.
    IF NOT FOUND OR t.state <> 'on_hold' OR NOT action = ANY (t.hold_actions)
      OR EXISTS (SELECT FROM released_holds h WHERE h.ticket_id = t.id AND h.released_at > r.created_at) THEN
      UPDATE release_tickets x SET outcome = 'skipped', step = r.step WHERE x.release_id = r.id AND x.n = w.n;
      CONTINUE;
    END IF;
    PERFORM release_ticket(t.id, r.created_by, r.guidance, r.keep_retries, r.fresh);
    UPDATE release_tickets x SET released_at = now(), step = r.step, fence = t.fence WHERE x.release_id = r.id AND x.n = w.n;
    released := released + 1;
  END LOOP;
  -- Who was skipped takes no place of the step.
  RETURN CASE WHEN looked = 0 THEN -1 ELSE released END;
END
$function$;
COMMENT ON FUNCTION holdfast.release_some(holdfast.releases,integer) IS 'Releases the next tickets of a release and says how many; -1 where none are left.';
GRANT EXECUTE ON FUNCTION holdfast.release_some(holdfast.releases,integer) TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.release_status(id bigint DEFAULT NULL::bigint, at_most integer DEFAULT 20, before bigint DEFAULT NULL::bigint)
 RETURNS TABLE(release_id bigint, created_at timestamp with time zone, created_by text, selection jsonb, steps integer[], guidance text, step integer, total bigint, released bigint, waiting bigint, for_answer bigint, for_provider bigint, succeeded bigint, same_error bigint, other_error bigint, held bigint, ended bigint, skipped bigint, state text, reason text, ended_at timestamp with time zone)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'holdfast', 'pg_temp'
 SET enable_seqscan TO 'off'
AS $function$
  SELECT r.id, r.created_at, r.created_by, r.selection, r.steps, r.guidance, r.step, r.total, c.released, c.waiting, c.for_answer,
    c.for_provider, c.succeeded, c.same_error, c.other_error, c.held, c.ended, c.skipped, COALESCE(r.outcome, 'running'), r.reason, r.ended_at
  FROM (
    SELECT * FROM releases x
    WHERE (release_status.id IS NULL OR x.id = release_status.id) AND (release_status.before IS NULL OR x.id < release_status.before)
    ORDER BY x.id DESC LIMIT at_most
  ) r
  CROSS JOIN LATERAL (
    -- Trap: NULL AND f() calls f(), here for each ticket that has no outcome yet.
    SELECT count(w.released_at) AS released, count(*) FILTER (WHERE o.held = 'nothing') AS waiting, count(*) FILTER (WHERE o.held = 'answer') AS for_answer,
      count(*) FILTER (WHERE o.held = 'provider') AS for_provider,
      count(*) FILTER (WHERE w.outcome = 'succeeded') AS succeeded, count(*) FILTER (WHERE w.outcome = 'same_error') AS same_error,
      count(*) FILTER (WHERE w.outcome IS NOT DISTINCT FROM 'other_error' AND NOT held_by_person(w)) AS other_error,
      count(*) FILTER (WHERE w.outcome IS NOT DISTINCT FROM 'other_error' AND held_by_person(w)) AS held,
      count(*) FILTER (WHERE w.outcome = 'ended') AS ended, count(*) FILTER (WHERE w.outcome = 'skipped') AS skipped
    FROM release_tickets w
    CROSS JOIN LATERAL (
      SELECT CASE WHEN w.released_at IS NOT NULL AND w.outcome IS NULL THEN COALESCE(
        (SELECT wait_of_held(b) FROM ticket_base b WHERE b.id = w.ticket_id AND b.held_at IS NOT NULL), 'nothing') END AS held
    ) o
    WHERE w.release_id = r.id
  ) c
  ORDER BY r.id DESC
$function$;
COMMENT ON FUNCTION holdfast.release_status(bigint,integer,bigint) IS 'How far releases in steps are, the newest first: SELECT * FROM holdfast.release_status(4), or all of them without an id.';
GRANT EXECUTE ON FUNCTION holdfast.release_status(bigint,integer,bigint) TO holdfast_designer, holdfast_operator, holdfast_viewer, holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.release_steps(t holdfast.ticket_base, actor text, guidance text, keep_retries boolean, fresh boolean)
 RETURNS integer
 LANGUAGE plpgsql
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
DECLARE
  child ticket_base;
  n integer := 0;
BEGIN
  FOR child IN
    SELECT b.* FROM ticket_dependencies d JOIN ticket_base b ON b.id = d.after_id
    WHERE d.ticket_id = t.id AND d.name IS NOT NULL AND (d.ended_at IS NULL OR d.on_success) AND (b.state = 'ready' AND b.kind = 'workflow' OR b.held_at IS NOT NULL
      AND CASE WHEN is_blank(guidance) THEN 'release' ELSE 'release_with_guidance' END = ANY (b.hold_actions))
    ORDER BY b.id
  LOOP
    IF child.state = 'ready' THEN
      n := n + release_steps(child, actor, guidance, keep_retries, fresh);
    ELSE
      -- One that this order has released before stays on hold.
      n := n + (release_ticket(child.id, actor, guidance, keep_retries, fresh) = 'ready')::integer;
    END IF;
  END LOOP;
  RETURN n;
END
$function$;
COMMENT ON FUNCTION holdfast.release_steps(holdfast.ticket_base,text,text,boolean,boolean) IS 'Releases the steps of a workflow that are on hold, also those of a workflow that is a step, and says how many. Questions wait on for their answers.';
GRANT EXECUTE ON FUNCTION holdfast.release_steps(holdfast.ticket_base,text,text,boolean,boolean) TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.release_ticket(id bigint, actor text, guidance text DEFAULT NULL::text, keep_retries boolean DEFAULT false, fresh boolean DEFAULT false)
 RETURNS text
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
DECLARE
  t ticket_base;
  steps integer := 0;
BEGIN
  PERFORM require_words('actor', actor), require_length('guidance', guidance);
  PERFORM lock_steps(release_ticket.id);
  t := locked_ticket(release_ticket.id);
  IF t.kind = 'workflow' AND t.state IN ('ready', 'on_hold') THEN
    steps := release_steps(t, actor, guidance, keep_retries, fresh);
  END IF;
  IF steps > 0 AND t.state = 'ready' THEN
    PERFORM log_activity(t.id, 'released', actor, jsonb_build_object('guidance', guidance, 'steps', steps, 'releasedAt', now()));
    RETURN t.state;
  ELSIF released_in_order(t) THEN
    RETURN t.state;
  ELSIF t.state <> 'on_hold' THEN
    PERFORM refuse_action(t, 'release');
  END IF;
  PERFORM require_allowed(t, CASE WHEN is_blank(guidance) THEN 'release' ELSE 'release_with_guidance' END);
  PERFORM log_activity(t.id, 'released', actor,
    jsonb_build_object('guidance', guidance, 'keepRetries', COALESCE(keep_retries, false), 'holdReason', t.hold_reason,
      'fresh', NULLIF(fresh, false)));
  PERFORM give_guidance(t.id, actor, 'release', guidance);
  IF fresh THEN
    PERFORM start_over(t);
  END IF;
  UPDATE ticket_base b
  SET state = 'ready', held_at = NULL, hold_reason = NULL, hold_actions = NULL, completed_at = NULL, retry_after = NULL,
      retry_count = CASE WHEN keep_retries THEN b.retry_count ELSE 0 END,
      retry_counts = CASE WHEN keep_retries THEN b.retry_counts END,
      same_error_count = 0, crash_count = 0, updated_at = now()
  WHERE b.id = t.id
  RETURNING * INTO t;
  PERFORM make_claimable(t);
  RETURN t.state;
END
$function$;
COMMENT ON FUNCTION holdfast.release_ticket(bigint,text,text,boolean,boolean) IS 'Sends a held ticket back to work: SELECT holdfast.release_ticket(17, ''ann'', ''the file is in /data now''). The next attempt is given the guidance. Retries start anew unless keep_retries; an agent goes on with its conversation unless fresh. Exactly one of two callers wins; the other gets SQLSTATE HF409 and is told who did.';
GRANT EXECUTE ON FUNCTION holdfast.release_ticket(bigint,text,text,boolean,boolean) TO holdfast_operator, holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.release_waiting(actor text, at_most integer DEFAULT 1000)
 RETURNS bigint
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
DECLARE
  w record;
  n bigint := 0;
BEGIN
  IF NOT EXISTS (SELECT FROM ticket_waits) OR NOT pg_try_advisory_xact_lock(hashtext('holdfast.release_waiting')) THEN
    RETURN 0;
  END IF;
  FOR w IN
    SELECT t.ticket_id, t.kind, false AS trial FROM known_waits t
    WHERE (t.kind = 'account' AND EXISTS (SELECT FROM unnest(t.scopes) AS s WHERE NOT account_is_unavailable(s)))
       -- Without an amount it is not room that is missing, but the model's price.
       OR (t.kind = 'budget' AND t.needed_usd IS NOT NULL AND NOT EXISTS (SELECT FROM unnest(t.scopes) AS s WHERE NOT budget_has_room(s, t.needed_usd)))
       OR (t.kind = 'outage' AND EXISTS (SELECT FROM unnest(t.scopes) AS s WHERE NOT EXISTS (
             SELECT FROM provider_cooldowns c WHERE c.until IS NOT NULL AND c.provider || '/' || c.key_id || '/' || c.model = s)))
    UNION ALL
    -- Held tickets call nobody, so that after a cool-down one of them is let go to see whether the provider answers: the one that has been held
    -- longest, for it may be a ticket's own request that fails. One that nobody claims is waited for a minute. Its wait keeps its beginning,
    -- so that hold_for_outages holds it again as soon as it is put off.
    (SELECT t.ticket_id, t.kind, true FROM known_waits t JOIN ticket_base h ON h.id = t.ticket_id
     WHERE t.kind = 'outage'
       AND NOT EXISTS (SELECT FROM queues q WHERE q.name = t.queue AND q.paused_at IS NOT NULL)
       AND EXISTS (SELECT FROM unnest(t.scopes) AS s JOIN provider_cooldowns c ON c.provider || '/' || c.key_id || '/' || c.model = s
                   WHERE c.until <= clock_timestamp() AND COALESCE(c.probe_until <= clock_timestamp(), true))
       AND NOT EXISTS (SELECT FROM ticket_waits y JOIN ticket_base b ON b.id = y.ticket_id AND b.fence = y.lease_no
                       JOIN released_holds r ON r.ticket_id = y.ticket_id AND r.released_at > now() - interval '1 minute'
                       WHERE y.kind = 'trial' AND b.state = 'ready' AND y.scopes && t.scopes)
     ORDER BY h.held_at, h.id LIMIT 1)
    ORDER BY trial, ticket_id LIMIT at_most
  LOOP
    BEGIN
      CONTINUE WHEN NOT still_waits(w.ticket_id, w.kind);
      PERFORM release_ticket(w.ticket_id, release_waiting.actor, keep_retries => w.trial);
      UPDATE ticket_waits y SET kind = 'trial' WHERE w.trial AND y.ticket_id = w.ticket_id;
      n := n + 1;
    EXCEPTION WHEN SQLSTATE 'HF404' OR SQLSTATE 'HF409' THEN
      NULL; -- somebody else was first
    END;
  END LOOP;
  DELETE FROM ticket_waits x
  WHERE (x.ticket_id, x.lease_no) IN (
    SELECT y.ticket_id, y.lease_no FROM ticket_waits y JOIN ticket_base b ON b.id = y.ticket_id
    WHERE b.fence > y.lease_no OR (b.fence = y.lease_no AND (b.state IN ('done', 'cancelled', 'needs_review')
      OR (b.state = 'ready' AND y.kind <> 'trial' AND (y.kind <> 'provider' OR b.retry_after IS NULL)
        -- An undo of the release would need it again.
        AND NOT EXISTS (SELECT FROM released_holds h WHERE h.ticket_id = y.ticket_id AND h.released_at > now() - interval '60 seconds'))))
    LIMIT at_most);
  RETURN n;
END
$function$;
COMMENT ON FUNCTION holdfast.release_waiting(text,integer) IS 'Releases held tickets whose account or budget is open again, or whose provider answers again; workers call it now and then.';
GRANT EXECUTE ON FUNCTION holdfast.release_waiting(text,integer) TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.released_in_order(t holdfast.ticket_base)
 RETURNS boolean
 LANGUAGE sql
 STABLE
 SET search_path TO 'holdfast', 'pg_temp'
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
AS $function$
  SELECT EXISTS (
      SELECT FROM released_holds r
      WHERE r.ticket_id = t.id AND (r.release_key = NULLIF(current_setting('holdfast.release_key', true), '') OR t.state = 'ready' AND r.released_at = now()))
    OR t.kind = 'workflow' AND t.state = 'ready' AND EXISTS (
      SELECT FROM ticket_dependencies d
      CROSS JOIN LATERAL (SELECT h.release_key, h.released_at FROM released_holds h WHERE h.ticket_id = d.after_id OFFSET 0) r
      WHERE d.ticket_id = t.id AND d.name IS NOT NULL
        AND (r.release_key = NULLIF(current_setting('holdfast.release_key', true), '') OR r.released_at = now()))
$function$;
COMMENT ON FUNCTION holdfast.released_in_order(holdfast.ticket_base) IS 'Whether a ticket, or a step of a workflow that was not on hold itself, was released by this very transaction or under its release_key.';
GRANT EXECUTE ON FUNCTION holdfast.released_in_order(holdfast.ticket_base) TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.released_with_steps(workflow bigint)
 RETURNS timestamp with time zone
 LANGUAGE sql
 STABLE
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
  SELECT max((a.details->>'releasedAt')::timestamptz) FROM ticket_activity a
  WHERE a.ticket_id = released_with_steps.workflow AND a.action = 'released' AND a.created_at > now() - interval '60 seconds'
$function$;
COMMENT ON FUNCTION holdfast.released_with_steps(bigint) IS 'When a workflow that was not on hold itself was released last with its steps, if that can be undone.';
GRANT EXECUTE ON FUNCTION holdfast.released_with_steps(bigint) TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.remove_budget(scope text, actor text)
 RETURNS bigint
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
#variable_conflict use_column
BEGIN
  PERFORM require_words('actor', remove_budget.actor);
  PERFORM pg_advisory_xact_lock(hashtext('holdfast.release_waiting'));
  DELETE FROM budgets b WHERE b.scope = remove_budget.scope;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'there is no budget "%"', left(remove_budget.scope, 100)
      USING ERRCODE = 'HF404', HINT = 'holdfast budgets shows them';
  END IF;
  PERFORM log_activity(NULL, 'budget_removed', remove_budget.actor, jsonb_build_object('scope', remove_budget.scope));
  PERFORM pg_notify('holdfast_providers', '');
  RETURN release_waiting(remove_budget.actor, 2147483647);
END
$function$;
COMMENT ON FUNCTION holdfast.remove_budget(text,text) IS 'Takes a budget away, with what was spent of it, and releases the tickets that it held. One that is configured comes back with the next start of a worker.';
GRANT EXECUTE ON FUNCTION holdfast.remove_budget(text,text) TO holdfast_operator, holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.remove_limit(scope text, actor text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
BEGIN
  PERFORM require_words('actor', actor);
  DELETE FROM claim_limits x WHERE x.scope = remove_limit.scope;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'there is no limit for "%"', COALESCE(left(scope, 100), 'NULL')
      USING ERRCODE = 'HF404', HINT = 'SELECT * FROM holdfast.limits shows them.';
  END IF;
  PERFORM log_activity(NULL, 'limit_removed', actor, jsonb_build_object('scope', remove_limit.scope));
  PERFORM wake_lines();
END
$function$;
COMMENT ON FUNCTION holdfast.remove_limit(text,text) IS 'Takes the limit of queue:NAME or design:NAME away; what waited for it may run.';
GRANT EXECUTE ON FUNCTION holdfast.remove_limit(text,text) TO holdfast_operator, holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.renew_leases(of_worker text, lease_nos bigint[], for_ms bigint)
 RETURNS TABLE(id bigint, renewed boolean, revoked bigint[])
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET lock_timeout TO '250ms'
AS $function$
#variable_conflict use_column
DECLARE
  heard_before timestamptz := (SELECT w.heartbeat_at FROM holdfast.workers w WHERE w.id = of_worker);
  known integer;
BEGIN
  RETURN QUERY
  WITH alive AS (
    UPDATE holdfast.workers w SET heartbeat_at = now() WHERE w.id = of_worker
  ), unlocked AS MATERIALIZED (
    SELECT l.id FROM holdfast.leases l
    WHERE l.id = ANY (lease_nos) AND l.worker_id = of_worker
    ORDER BY l.id
    FOR NO KEY UPDATE SKIP LOCKED
  ), renewed AS (
    UPDATE holdfast.leases l
    SET expires_at = now() + renew_leases.for_ms * interval '1 millisecond', renewed_at = now()
    FROM unlocked u
    WHERE l.id = ANY (ARRAY[u.id])
    RETURNING l.id, l.revoked
  )
  SELECT l.id, r.id IS NOT NULL AS renewed, COALESCE(r.revoked, l.revoked) AS revoked
  FROM holdfast.leases l LEFT JOIN renewed r ON r.id = l.id
  WHERE l.id = ANY (lease_nos) AND l.worker_id = of_worker;
  GET DIAGNOSTICS known = ROW_COUNT;
  -- A lease may be gone at the next heartbeat only: who took it had it locked at this one.
  IF heard_before < now() - for_ms * interval '1 millisecond' OR known < cardinality(lease_nos) THEN
    BEGIN
      PERFORM holdfast.forgive_crashes(of_worker, heard_before - for_ms * interval '1 millisecond');
    EXCEPTION WHEN OTHERS THEN
      -- The leases matter more.
      RAISE WARNING 'what worker % lost while it was silent is suspect: % (SQLSTATE %)', of_worker, SQLERRM, SQLSTATE;
    END;
  END IF;
END
$function$;
COMMENT ON FUNCTION holdfast.renew_leases(text,bigint[],bigint) IS 'A worker''s heartbeat: its leases last for_ms milliseconds from now.';
GRANT EXECUTE ON FUNCTION holdfast.renew_leases(text,bigint[],bigint) TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.replay_ticket(id bigint, actor text, from_step text)
 RETURNS bigint
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
DECLARE
  t ticket_base;
  d designs;
  again text[];
  child bigint;
  dropped bigint[];
  replayed bigint;
BEGIN
  PERFORM require_words('actor', actor);
  PERFORM lock_steps(replay_ticket.id);
  t := locked_ticket(replay_ticket.id);
  SELECT * INTO d FROM designs WHERE designs.id = t.design_id;
  IF t.kind <> 'workflow' OR d.id IS NULL THEN
    RAISE EXCEPTION 'ticket % is no workflow', t.id USING ERRCODE = 'HF422', HINT = 'Its state is ' || t.state || '; a ticket on hold is released, one in review rejected.';
  END IF;
  again := steps_from(d.definition, from_step);
  IF again IS NULL THEN
    RAISE EXCEPTION 'the workflow % has no step "%"', t.id, left(COALESCE(from_step, 'NULL'), 100)
      USING ERRCODE = 'HF422', HINT = 'It has ' || (SELECT string_agg(key, ', ' ORDER BY key) FROM jsonb_object_keys(d.definition->'steps') AS key) || '.';
  END IF;
  IF t.state IN ('done', 'cancelled') THEN
    INSERT INTO ticket_base (filed, design_id, kind, queue, priority, title, payload, concurrency_key, fairness_key)
    VALUES (true, t.design_id, t.kind, t.queue, t.priority, t.title, t.payload, t.concurrency_key, t.fairness_key) RETURNING ticket_base.id INTO replayed;
    INSERT INTO workflows (ticket_id) VALUES (replayed);
    PERFORM keep_steps(t, d.definition, replayed, again);
    PERFORM log_activity(t.id, 'replayed', actor, jsonb_build_object('from', from_step, 'as', replayed));
    PERFORM log_activity(replayed, 'replayed', actor, jsonb_build_object('from', from_step, 'of', t.id));
    PERFORM file_tickets(ARRAY[replayed]);
    RETURN replayed;
  END IF;
  PERFORM end_work(t, actor);
  PERFORM log_activity(t.id, 'replayed', actor, jsonb_build_object('from', from_step, 'steps', to_jsonb(again)));
  WITH gone AS (
    DELETE FROM ticket_dependencies x WHERE x.ticket_id = t.id AND x.name = ANY (again) RETURNING x.after_id
  )
  SELECT array_agg(g.after_id ORDER BY g.after_id) INTO dropped FROM gone g;
  FOREACH child IN ARRAY COALESCE(dropped, '{}') LOOP
    IF EXISTS (SELECT FROM ticket_base b WHERE b.id = child AND b.state NOT IN ('done', 'cancelled')) THEN
      PERFORM cancel_ticket(child, actor, format('the workflow #%s is replayed from its step %s', t.id, from_step));
    END IF;
  END LOOP;
  UPDATE workflows w SET parked = false, news = false, skipped = ARRAY(SELECT s FROM unnest(w.skipped) AS s WHERE s <> ALL (again))
  WHERE w.ticket_id = t.id;
  UPDATE ticket_base b
  SET state = 'ready', held_at = NULL, hold_reason = NULL, hold_actions = NULL, completed_at = NULL, retry_after = NULL, retry_count = 0,
      retry_counts = NULL, same_error_count = 0, crash_count = 0, updated_at = now()
  WHERE b.id = t.id RETURNING * INTO t;
  PERFORM make_claimable(t);
  RETURN t.id;
END
$function$;
COMMENT ON FUNCTION holdfast.replay_ticket(bigint,text,text) IS 'Works a workflow again from one of its steps on, with the results of the steps that do not wait for it: SELECT holdfast.replay_ticket(17, ''ann'', ''clean''). What is open of those steps is cancelled. A workflow that is done or cancelled stays so, and a new one takes its place. Returns the id of the one that runs.';
GRANT EXECUTE ON FUNCTION holdfast.replay_ticket(bigint,text,text) TO holdfast_operator, holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.report_provider_answer(of_provider text, of_key text, of_model text)
 RETURNS boolean
 LANGUAGE plpgsql
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
BEGIN
  DELETE FROM provider_cooldowns p
  WHERE p.provider = of_provider AND p.key_id = of_key AND p.model = of_model AND (p.until IS NULL OR p.until <= clock_timestamp());
  IF FOUND THEN
    PERFORM pg_notify('holdfast_providers', '');
  END IF;
  RETURN FOUND;
END
$function$;
COMMENT ON FUNCTION holdfast.report_provider_answer(text,text,text) IS 'An answer came: the account is open again. What still cools stays: that answer was on its way before.';
GRANT EXECUTE ON FUNCTION holdfast.report_provider_answer(text,text,text) TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.report_provider_failure(of_provider text, of_key text, of_model text, why text, words text, status integer, hint_ms bigint, of_ticket bigint, by_worker text, weak boolean, base_ms bigint, max_ms bigint, max_hint_ms bigint, outage_after integer)
 RETURNS boolean
 LANGUAGE plpgsql
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
DECLARE
  c provider_cooldowns;
  at timestamptz;
  ms bigint;
  fresh boolean;
BEGIN
  INSERT INTO provider_cooldowns (provider, key_id, model, reason, reported_by) VALUES (of_provider, of_key, of_model, why, by_worker)
  ON CONFLICT DO NOTHING;
  SELECT * INTO c FROM provider_cooldowns p WHERE p.provider = of_provider AND p.key_id = of_key AND p.model = of_model FOR UPDATE;
  IF NOT FOUND THEN
    RETURN false; -- mended this very moment
  END IF;
  at := clock_timestamp();
  IF c.until = 'infinity' THEN
    RETURN false;
  END IF;
  IF weak AND c.failures > 0 AND c.last_ticket = of_ticket THEN
    PERFORM end_provider_probe(of_provider, of_key, of_model, by_worker);
    RETURN false;
  END IF;
  -- What fails while it cools was sent before and tells nothing new, but for a longer wait asked for.
  fresh := c.until IS NULL OR c.until <= at;
  IF why IN ('auth', 'quota') AND hint_ms IS NULL THEN
    UPDATE provider_cooldowns p
    SET until = 'infinity', reason = why, detail = words, http_status = status, since = at, reported_by = by_worker, last_ticket = of_ticket,
        probe_by = NULL, probe_until = NULL
    WHERE p.provider = of_provider AND p.key_id = of_key AND p.model = of_model;
    PERFORM log_activity(NULL, 'provider_unavailable', 'system', jsonb_build_object('provider', of_provider,
      'keyId', NULLIF(of_key, ''), 'model', NULLIF(of_model, ''), 'reason', why, 'detail', words, 'workerId', by_worker));
    PERFORM pg_notify('holdfast_providers', '');
    RETURN true;
  END IF;
  IF why = 'outage' AND fresh AND c.rounds = 0 AND c.failures + 1 < outage_after THEN
    UPDATE provider_cooldowns p SET failures = c.failures + 1, last_ticket = of_ticket, detail = words, http_status = status
    WHERE p.provider = of_provider AND p.key_id = of_key AND p.model = of_model;
    PERFORM pg_notify('holdfast_providers', '');
    RETURN false;
  END IF;
  ms := LEAST(max_ms, base_ms * (1::bigint << LEAST(CASE WHEN fresh THEN c.rounds ELSE GREATEST(c.rounds - 1, 0) END, 30)));
  ms := CASE
    WHEN hint_ms IS NULL THEN ms
    WHEN c.rounds = 0 OR NOT fresh THEN LEAST(hint_ms, max_hint_ms)
    ELSE GREATEST(ms, LEAST(hint_ms, max_hint_ms))
  END;
  IF NOT fresh AND at + ms * interval '1 millisecond' <= c.until THEN
    RETURN false; -- a later, shorter one never shortens it
  END IF;
  UPDATE provider_cooldowns p
  SET until = at + ms * interval '1 millisecond', length_ms = ms, reason = why, detail = words, http_status = status, last_ticket = of_ticket,
      reported_by = by_worker, failures = c.failures + 1, rounds = c.rounds + fresh::integer,
      since = CASE WHEN c.rounds = 0 THEN at ELSE c.since END, probe_by = NULL, probe_until = NULL
  WHERE p.provider = of_provider AND p.key_id = of_key AND p.model = of_model;
  PERFORM pg_notify('holdfast_providers', '');
  RETURN fresh AND c.rounds = 0;
END
$function$;
COMMENT ON FUNCTION holdfast.report_provider_failure(text,text,text,text,text,integer,bigint,bigint,text,boolean,bigint,bigint,bigint,integer) IS 'Starts or lengthens the cool-down of an account, by the database''s clock. True where it was open before: the one time to tell people.';
GRANT EXECUTE ON FUNCTION holdfast.report_provider_failure(text,text,text,text,text,integer,bigint,bigint,text,boolean,bigint,bigint,bigint,integer) TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.require_allowed(t holdfast.ticket_base, action text)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
BEGIN
  IF t.state = 'on_hold' AND NOT action = ANY (t.hold_actions) THEN
    RAISE EXCEPTION 'this hold of ticket % does not allow %', t.id, action
      USING ERRCODE = 'HF409', DETAIL = t.state, HINT = 'It allows ' || array_to_string(t.hold_actions, ', ') || '.';
  END IF;
END
$function$;
COMMENT ON FUNCTION holdfast.require_allowed(holdfast.ticket_base,text) IS 'Enforces the allowed_actions that a hold names.';
GRANT EXECUTE ON FUNCTION holdfast.require_allowed(holdfast.ticket_base,text) TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.require_cost_limit(kind text, usd numeric)
 RETURNS void
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
BEGIN
  IF usd IS NOT NULL AND kind = 'workflow' THEN
    RAISE EXCEPTION 'a workflow has no limit of cost: its steps are tickets of their own'
      USING ERRCODE = 'HF422', HINT = 'Set limits.max_cost_usd in the designs of its steps.';
  END IF;
END
$function$;
COMMENT ON FUNCTION holdfast.require_cost_limit(text,numeric) IS 'Refuses a limit of cost with HF422 where nothing would keep it.';
GRANT EXECUTE ON FUNCTION holdfast.require_cost_limit(text,numeric) TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.require_few_levels(above holdfast.ticket_base, design text)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO 'holdfast', 'pg_temp'
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET jit TO 'off'
AS $function$
DECLARE
  most CONSTANT integer := 20;
  levels integer;
BEGIN
  WITH RECURSIVE up (id, levels) AS (
    SELECT above.id, (above.kind = 'workflow')::integer
    UNION
    SELECT d.ticket_id, u.levels + 1 FROM up u
    JOIN ticket_dependencies d ON d.after_id = u.id AND d.name IS NOT NULL
    JOIN workflows w ON w.ticket_id = d.ticket_id
    WHERE u.levels < most
  )
  SELECT max(u.levels) INTO levels FROM up u;
  IF levels >= most THEN
    RAISE EXCEPTION 'the workflow "%" would be within % others, one in the other, and fewer are allowed', design, levels
      USING ERRCODE = 'HF422', HINT = 'A design that is a step of its own, directly or not, needs a condition (when) that ends it.';
  END IF;
END
$function$;
COMMENT ON FUNCTION holdfast.require_few_levels(holdfast.ticket_base,text) IS 'HF422 where a workflow that is added by a ticket would be within 20 others.';
GRANT EXECUTE ON FUNCTION holdfast.require_few_levels(holdfast.ticket_base,text) TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.require_graph_ticket(t jsonb, place bigint)
 RETURNS void
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
DECLARE
  known CONSTANT text[] := '{after,after_batch,batch_id,concurrency_key,delay_ms,design,expires_at,expires_in_ms,fairness_key,kind,max_cost_usd,name,on_cancelled,on_duplicate,payload,priority,queue,run_at,title,unique_for,unique_key}';
  bad text;
BEGIN
  IF jsonb_typeof(t) <> 'object' THEN
    RAISE EXCEPTION 'ticket % of the list is no JSON object', place USING ERRCODE = 'HF422';
  END IF;
  SELECT key INTO bad FROM jsonb_object_keys(t) AS key WHERE key <> ALL (known) LIMIT 1;
  IF FOUND THEN
    RAISE EXCEPTION '% has the unknown key "%"', graph_place(t, place), left(bad, 100)
      USING ERRCODE = 'HF422', HINT = 'Known are ' || array_to_string(known, ', ') || '.';
  ELSIF t->>'name' !~ '^[A-Za-z_][A-Za-z0-9_]{0,62}$' THEN
    RAISE EXCEPTION '"%" cannot name a ticket', left(t->>'name', 100)
      USING ERRCODE = 'HF422', HINT = 'Take 1 to 63 letters, digits and _, the first no digit.';
  ELSIF jsonb_typeof(t->'after') NOT IN ('array', 'object', 'null') THEN
    RAISE EXCEPTION '% has an "after" that is no list', graph_place(t, place) USING ERRCODE = 'HF422', HINT = 'As in ["fetch", 17].';
  ELSIF jsonb_typeof(t->'after') = 'array' AND jsonb_array_length(t->'after') > 10000 THEN
    RAISE EXCEPTION 'a ticket may wait for 10000 others at most, not for %', jsonb_array_length(t->'after')
      USING ERRCODE = 'HF422', HINT = 'Let some tickets in between wait for 10000 each, and this one for them.';
  END IF;
  SELECT w.value::text INTO bad FROM jsonb_array_elements(list_of_after(t)) AS w
  WHERE jsonb_typeof(w.value) <> 'string' AND w.value::text !~ '^[0-9]{1,18}$'
    AND (jsonb_typeof(w.value) <> 'object'
      OR EXISTS (SELECT FROM jsonb_each(CASE WHEN jsonb_typeof(w.value) = 'object' THEN w.value END) AS e WHERE e.value::text !~ '^[0-9]{1,18}$')) LIMIT 1;
  IF FOUND THEN
    RAISE EXCEPTION '% cannot wait for %', graph_place(t, place), left(bad, 100)
      USING ERRCODE = 'HF422', HINT = 'Give the names of tickets of this list, or the ids of others, as in ["fetch", 17, {"clean": 18}].';
  ELSIF t->'after' ? (t->>'name') THEN
    RAISE EXCEPTION '% waits for itself', graph_place(t, place) USING ERRCODE = 'HF422', HINT = 'Take its name out of its "after".';
  END IF;
END
$function$;
COMMENT ON FUNCTION holdfast.require_graph_ticket(jsonb,bigint) IS 'Refuses with HF422 what cannot be a ticket of enqueue_tickets.';
GRANT EXECUTE ON FUNCTION holdfast.require_graph_ticket(jsonb,bigint) TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.require_history(rejection_count integer, error_category text)
 RETURNS void
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
BEGIN
  IF rejection_count < 0 THEN
    RAISE EXCEPTION 'rejection_count must be 0 or more, not %', rejection_count USING ERRCODE = 'HF422';
  ELSIF error_category NOT IN ('transient', 'api_error', 'code_error', 'system_error', 'unknown') THEN
    RAISE EXCEPTION '"%" is not a category; there are transient, api_error, code_error, system_error, unknown', left(error_category, 60)
      USING ERRCODE = 'HF422', HINT = 'Leave it out for a ticket without an error.';
  END IF;
END
$function$;
COMMENT ON FUNCTION holdfast.require_history(integer,text) IS 'Refuses with HF422 what no attempt or review of a ticket can have left in it.';
GRANT EXECUTE ON FUNCTION holdfast.require_history(integer,text) TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.require_key(what text, key text)
 RETURNS void
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
BEGIN
  IF btrim(key, E' \t\r\n') = '' THEN
    RAISE EXCEPTION 'the % must not be empty', what USING ERRCODE = 'HF422', HINT = 'Leave it out for a ticket without one.';
  ELSIF key ~ '[[:cntrl:]]' THEN
    RAISE EXCEPTION 'the % has a control character', what USING ERRCODE = 'HF422', HINT = 'Leave it out of the key.';
  ELSIF octet_length(key) > 500 THEN
    RAISE EXCEPTION 'the % has % bytes, and 500 are allowed', what, octet_length(key)
      USING ERRCODE = 'HF422', HINT = 'Take a short name, or a hash of a long one.';
  END IF;
END
$function$;
COMMENT ON FUNCTION holdfast.require_key(text,text) IS 'Refuses an empty or long concurrency or fairness key with HF422.';
GRANT EXECUTE ON FUNCTION holdfast.require_key(text,text) TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.require_length(what text, words text, most integer DEFAULT 100000)
 RETURNS void
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
BEGIN
  IF octet_length(words) > most AND length(words) > most THEN
    RAISE EXCEPTION '% is % characters long, and % are allowed', what, length(words), most
      USING ERRCODE = 'HF422', HINT = 'Say it shorter, or put it elsewhere and its address here.';
  END IF;
END
$function$;
COMMENT ON FUNCTION holdfast.require_length(text,text,integer) IS 'Refuses a text with more characters than that with HF422.';
GRANT EXECUTE ON FUNCTION holdfast.require_length(text,text,integer) TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.require_limit(what text, n bigint)
 RETURNS void
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
BEGIN
  IF n < 1 OR n > 1000000 THEN
    RAISE EXCEPTION '% is from 1 to 1000000, not %', what, n
      USING ERRCODE = 'HF422', HINT = CASE WHEN n = 0 THEN 'To let nothing run, pause the queue: holdfast pause QUEUE, or pause_queue(queue, actor).'
        ELSE 'Leave it out for no such limit.' END;
  END IF;
END
$function$;
COMMENT ON FUNCTION holdfast.require_limit(text,bigint) IS 'Refuses a number that cannot be a limit with HF422.';
GRANT EXECUTE ON FUNCTION holdfast.require_limit(text,bigint) TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.require_predecessors(after bigint[], names text[], on_cancelled text)
 RETURNS void
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
DECLARE
  bad text;
BEGIN
  IF cardinality(after) > 10000 THEN
    RAISE EXCEPTION 'a ticket may wait for 10000 others at most, not for %', cardinality(after)
      USING ERRCODE = 'HF422', HINT = 'Let some tickets in between wait for 10000 each, and this one for them.';
  ELSIF array_ndims(after) > 1 OR array_ndims(names) > 1 THEN
    RAISE EXCEPTION 'after and after_names must be plain lists' USING ERRCODE = 'HF422', HINT = 'Give ids of tickets, as in ARRAY[17, 18].';
  ELSIF array_position(after, NULL) IS NOT NULL THEN
    RAISE EXCEPTION 'after must not contain NULL' USING ERRCODE = 'HF422', HINT = 'Give ids of tickets, as in ARRAY[17, 18].';
  ELSIF cardinality(names) <> cardinality(after) THEN
    RAISE EXCEPTION 'after has % ids and after_names % names', cardinality(after), cardinality(names)
      USING ERRCODE = 'HF422', HINT = 'Give one name for each id, in the same order; NULL for one without.';
  ELSIF on_cancelled NOT IN ('hold', 'cancel', 'run') THEN
    RAISE EXCEPTION 'on_cancelled cannot be "%"', left(on_cancelled, 100) USING ERRCODE = 'HF422', HINT = 'Take hold, cancel or run.';
  END IF;
  SELECT u.name INTO bad FROM unnest(names) AS u (name) WHERE u.name !~ '^[A-Za-z_][A-Za-z0-9_]{0,62}$' LIMIT 1;
  IF FOUND THEN
    RAISE EXCEPTION '"%" cannot name a ticket', left(bad, 100)
      USING ERRCODE = 'HF422', HINT = 'Take 1 to 63 letters, digits and _, the first no digit.';
  ELSIF cardinality(after) < 2 THEN
    RETURN;
  END IF;
  SELECT u.name INTO bad FROM unnest(after, names) AS u (id, name) WHERE u.name IS NOT NULL GROUP BY u.name HAVING count(DISTINCT u.id) > 1 LIMIT 1;
  IF FOUND THEN
    RAISE EXCEPTION 'two tickets of after have the name "%"', bad USING ERRCODE = 'HF422';
  END IF;
  SELECT u.id::text INTO bad FROM unnest(after, names) AS u (id, name) WHERE u.name IS NOT NULL GROUP BY u.id HAVING count(DISTINCT u.name) > 1 LIMIT 1;
  IF FOUND THEN
    RAISE EXCEPTION 'ticket % has two names in after', bad USING ERRCODE = 'HF422', HINT = 'Its result is given under one.';
  END IF;
END
$function$;
COMMENT ON FUNCTION holdfast.require_predecessors(bigint[],text[],text) IS 'Refuses with HF422 what no ticket can wait for, whichever tickets there are.';
GRANT EXECUTE ON FUNCTION holdfast.require_predecessors(bigint[],text[],text) TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.require_queue(queue text)
 RETURNS void
 LANGUAGE plpgsql
 STABLE
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
BEGIN
  IF queue IS DISTINCT FROM 'default' AND NOT EXISTS (SELECT FROM queues q WHERE q.name = require_queue.queue)
    AND NOT EXISTS (SELECT FROM workers w WHERE w.state <> 'stopped' AND require_queue.queue = ANY (w.queues)) THEN
    RAISE EXCEPTION 'there is no queue "%"', left(queue, 100)
      USING ERRCODE = 'HF404', HINT = 'A queue begins with its first ticket, or with a worker that names it; holdfast stats shows the queues.';
  END IF;
END
$function$;
COMMENT ON FUNCTION holdfast.require_queue(text) IS 'Refuses with HF404 the name of a queue that never had a ticket and that no worker names, for it is most likely misspelt; default is always there.';
GRANT EXECUTE ON FUNCTION holdfast.require_queue(text) TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.require_queue_name(queue text)
 RETURNS void
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
BEGIN
  IF queue IS NULL OR queue !~ '^[A-Za-z0-9][A-Za-z0-9._:-]{0,62}$' THEN
    RAISE EXCEPTION '"%" is not a queue name', COALESCE(left(queue, 100), 'NULL')
      USING ERRCODE = 'HF422', HINT = 'Take 1 to 63 letters, digits and . _ : -, the first a letter or digit.';
  END IF;
END
$function$;
COMMENT ON FUNCTION holdfast.require_queue_name(text) IS 'Refuses a bad queue name with HF422.';
GRANT EXECUTE ON FUNCTION holdfast.require_queue_name(text) TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.require_readable(title text, error text, hold_reason text, result jsonb)
 RETURNS void
 LANGUAGE plpgsql
 STABLE
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
BEGIN
  PERFORM require_length('title', title, 10000), require_length('error', error), require_length('hold_reason', hold_reason);
  IF result IS NOT NULL THEN
    PERFORM accepted_bytes('result', result);
  END IF;
END
$function$;
COMMENT ON FUNCTION holdfast.require_readable(text,text,text,jsonb) IS 'Refuses with HF422 what would be too long for whoever looks at the ticket.';
GRANT EXECUTE ON FUNCTION holdfast.require_readable(text,text,text,jsonb) TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.require_retry_policy(policy jsonb, place text)
 RETURNS void
 LANGUAGE plpgsql
 STABLE
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
DECLARE
  problem text;
BEGIN
  IF policy IS NULL OR policy = 'null' THEN
    RETURN;
  END IF;
  PERFORM accepted_bytes(place, policy);
  problem := retry_policy_problem(policy);
  IF problem IS NOT NULL THEN
    RAISE EXCEPTION '%: %', place, problem
      USING ERRCODE = 'HF422', HINT = 'Write it as in {"categories": {"transient": {"max_retries": 5, "base_delay": "1m", "backoff": "linear"}}}.';
  END IF;
END
$function$;
COMMENT ON FUNCTION holdfast.require_retry_policy(jsonb,text) IS 'Refuses a bad retry policy with HF422 and says what is wrong.';
GRANT EXECUTE ON FUNCTION holdfast.require_retry_policy(jsonb,text) TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.require_rules(t holdfast.ticket_base)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
DECLARE
  broken text := broken_rule(t);
BEGIN
  IF broken IS NOT NULL THEN
    RAISE EXCEPTION 'ticket % violates "%"', t.id, broken
      USING ERRCODE = 'check_violation', CONSTRAINT = broken, TABLE = 'ticket_base', SCHEMA = 'holdfast';
  END IF;
END
$function$;
COMMENT ON FUNCTION holdfast.require_rules(holdfast.ticket_base) IS 'Refuses a row of ticket_base that breaks a rule, as a CHECK does.';
GRANT EXECUTE ON FUNCTION holdfast.require_rules(holdfast.ticket_base) TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.require_start(what text, start timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
BEGIN
  IF NOT isfinite(start) THEN
    RAISE EXCEPTION '% must be a time, not %', what, start
      USING ERRCODE = 'HF422', HINT = 'Leave it out for a ticket that may start at once; hold one that is to wait for a person.';
  END IF;
END
$function$;
COMMENT ON FUNCTION holdfast.require_start(text,timestamp with time zone) IS 'Refuses infinity as the time at which a ticket may start with HF422.';
GRANT EXECUTE ON FUNCTION holdfast.require_start(text,timestamp with time zone) TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.require_steps(canary integer, ramp integer[])
 RETURNS integer[]
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
DECLARE
  steps integer[] := canary || ramp;
BEGIN
  IF canary IS NULL OR canary NOT BETWEEN 1 AND 1000000 THEN
    RAISE EXCEPTION 'the canary must be from 1 to 1000000 tickets, not %', COALESCE(canary::text, 'NULL') USING ERRCODE = 'HF422';
  ELSIF ramp IS NULL OR cardinality(ramp) > 100 OR array_position(ramp, NULL) IS NOT NULL OR 0 > ANY (ramp) OR 1000000 < ANY (ramp) THEN
    RAISE EXCEPTION 'ramp must be at most 100 numbers of tickets from 1 to 1000000, as in ARRAY[10, 50, 0]; 0 is all that are left'
      USING ERRCODE = 'HF422';
  ELSIF array_position(steps, 0) < cardinality(steps) THEN
    RAISE EXCEPTION 'no step can come after all tickets' USING ERRCODE = 'HF422', HINT = 'Put the 0 last, as in ARRAY[10, 50, 0].';
  END IF;
  RETURN steps;
END
$function$;
COMMENT ON FUNCTION holdfast.require_steps(integer,integer[]) IS 'The steps of a release from its canary and its ramp; HF422 says what is wrong.';
GRANT EXECUTE ON FUNCTION holdfast.require_steps(integer,integer[]) TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.require_time(what text, at timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
BEGIN
  IF NOT isfinite(at) THEN
    RAISE EXCEPTION '% must be a time, not %', what, at USING ERRCODE = 'HF422', HINT = 'Leave it out where it is not known.';
  END IF;
END
$function$;
COMMENT ON FUNCTION holdfast.require_time(text,timestamp with time zone) IS 'Refuses infinity as a time of a ticket with HF422.';
GRANT EXECUTE ON FUNCTION holdfast.require_time(text,timestamp with time zone) TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.require_traceparent(traceparent text)
 RETURNS void
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
BEGIN
  IF traceparent IS NULL OR traceparent !~ '^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$' OR traceparent ~ '^00-(0{32}|[0-9a-f]{32}-0{16})' THEN
    RAISE EXCEPTION '"%" is no traceparent', COALESCE(left(traceparent, 60), 'NULL')
      USING ERRCODE = 'HF422', HINT = 'It reads 00-<32 hex digits>-<16 hex digits>-01, as W3C Trace Context has it.';
  END IF;
END
$function$;
COMMENT ON FUNCTION holdfast.require_traceparent(text) IS 'Refuses what is no traceparent (HF422).';
GRANT EXECUTE ON FUNCTION holdfast.require_traceparent(text) TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.require_uniqueness(key text, unique_for text, on_duplicate text)
 RETURNS void
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
BEGIN
  IF key IS NULL AND (unique_for IS NOT NULL OR on_duplicate IS NOT NULL) THEN
    RAISE EXCEPTION 'unique_for and on_duplicate need a unique_key' USING ERRCODE = 'HF422';
  ELSIF btrim(key, E' \t\r\n') = '' THEN
    RAISE EXCEPTION 'the unique_key must not be empty' USING ERRCODE = 'HF422', HINT = 'Leave it out for a ticket without one.';
  ELSIF length(key) > 500 THEN
    RAISE EXCEPTION 'the unique_key has % characters, and 500 are allowed', length(key)
      USING ERRCODE = 'HF422', HINT = 'Take a short name, or a hash of a long one.';
  ELSIF unique_for IS NOT NULL AND (unique_for IN ('open', 'ever') OR words_interval(unique_for) > interval '0') IS NOT TRUE THEN
    RAISE EXCEPTION 'unique_for is open, ever, or a time as 2h of at most 36500d, not "%"', left(unique_for, 100)
      USING ERRCODE = 'HF422', HINT = 'Leave it out, and the key is taken as long as its ticket is kept.';
  ELSIF on_duplicate NOT IN ('keep', 'replace', 'refuse') THEN
    RAISE EXCEPTION 'on_duplicate is keep, replace or refuse, not "%"', left(on_duplicate, 100) USING ERRCODE = 'HF422';
  END IF;
END
$function$;
COMMENT ON FUNCTION holdfast.require_uniqueness(text,text,text) IS 'Refuses with HF422 an empty or long unique key, and what says nothing about how long it holds and what becomes of a second ticket.';
GRANT EXECUTE ON FUNCTION holdfast.require_uniqueness(text,text,text) TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.require_version(id bigint, version text, actor text DEFAULT NULL::text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
DECLARE
  t ticket_base;
  shown tickets;
  last_action ticket_activity;
  last_actor text;
BEGIN
  t := locked_ticket(require_version.id);
  SELECT * INTO shown FROM tickets v WHERE v.id = t.id;
  IF ticket_version(shown.lease_no, shown.updated_at) = require_version.version THEN
    RETURN;
  END IF;
  SELECT * INTO last_action FROM ticket_activity a WHERE a.ticket_id = t.id ORDER BY a.id DESC LIMIT 1;
  -- Of an order on several tickets, one may have changed another: a workflow takes its steps with it, and is held when one is cancelled.
  SELECT a.actor INTO last_actor FROM ticket_activity a
  WHERE a.ticket_id = (last_action.details->>'cancelled')::bigint AND a.action = 'cancelled' ORDER BY a.id DESC LIMIT 1;
  IF COALESCE(last_actor, last_action.actor) = require_version.actor
      AND last_action.created_at >= NULLIF(current_setting('holdfast.order_began', true), '')::timestamptz THEN
    RETURN;
  END IF;
  RAISE EXCEPTION 'ticket % has changed since you looked: it is %', t.id, shown.state ||
    CASE WHEN last_action.id IS NULL THEN '' ELSE format('; %s was the last to act on it (%s at %s)', last_action.actor,
      last_action.action, to_char(last_action.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS"Z"')) END
    USING ERRCODE = 'HF412', DETAIL = shown.state;
END
$function$;
COMMENT ON FUNCTION holdfast.require_version(bigint,text,text) IS 'Locks a ticket for the rest of the transaction; SQLSTATE HF412 if it is no longer as it was when ticket_version said this of it, unless actor was the last to act on it, in the order on several tickets that this transaction is part of.';
GRANT EXECUTE ON FUNCTION holdfast.require_version(bigint,text,text) TO holdfast_operator, holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.require_words(what text, words text)
 RETURNS void
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
BEGIN
  IF is_blank(words) THEN
    RAISE EXCEPTION '% must not be empty', what USING ERRCODE = 'HF422';
  END IF;
  PERFORM require_length(what, words, CASE what WHEN 'actor' THEN 200 ELSE 100000 END);
END
$function$;
COMMENT ON FUNCTION holdfast.require_words(text,text) IS 'Refuses an empty text with HF422, and one that nobody would read.';
GRANT EXECUTE ON FUNCTION holdfast.require_words(text,text) TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.reserve_budget(of_scopes text[], worst_usd numeric, of_ticket bigint, of_lease bigint)
 RETURNS TABLE(reservation bigint, refused_by text, spent numeric, reserved numeric, limited_to numeric)
 LANGUAGE plpgsql
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
DECLARE
  b budgets;
  today date;
  found_scopes text[] := '{}';
BEGIN
  FOR b IN SELECT * FROM budgets x WHERE x.scope = ANY (of_scopes) ORDER BY x.scope FOR UPDATE LOOP
    today := (clock_timestamp() AT TIME ZONE 'UTC')::date;
    IF b.per = 'day' AND b.day < today THEN
      UPDATE budgets x SET day = today, spent_usd = 0 WHERE x.scope = b.scope;
      b.spent_usd := 0;
    END IF;
    IF b.spent_usd + b.reserved_usd + worst_usd > b.limit_usd THEN
      RETURN QUERY SELECT NULL::bigint, b.scope, b.spent_usd, b.reserved_usd, b.limit_usd;
      RETURN;
    END IF;
    found_scopes := found_scopes || b.scope;
  END LOOP;
  UPDATE budgets x SET reserved_usd = x.reserved_usd + worst_usd WHERE x.scope = ANY (found_scopes);
  INSERT INTO budget_reservations AS r (ticket_id, lease_no, scopes, usd) VALUES (of_ticket, of_lease, found_scopes, worst_usd)
  RETURNING r.id INTO reservation;
  RETURN NEXT;
END
$function$;
COMMENT ON FUNCTION holdfast.reserve_budget(text[],numeric,bigint,bigint) IS 'Reserves the worst cost of a call in all its budgets, or says which one has no room.';
GRANT EXECUTE ON FUNCTION holdfast.reserve_budget(text[],numeric,bigint,bigint) TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.reserved_before(of_scope text)
 RETURNS numeric
 LANGUAGE sql
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
  SELECT COALESCE(sum(r.usd), 0) FROM (
    SELECT x.usd FROM budget_reservations x
    WHERE of_scope = ANY (x.scopes) AND NOT EXISTS (SELECT FROM budgets b WHERE b.scope = of_scope) ORDER BY x.id FOR UPDATE OF x) r
$function$;
COMMENT ON FUNCTION holdfast.reserved_before(text) IS 'What calls on their way have reserved of a budget that was removed meanwhile; nothing of one that is there.';
GRANT EXECUTE ON FUNCTION holdfast.reserved_before(text) TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.restore_hold(t holdfast.ticket_base, h holdfast.released_holds, actor text)
 RETURNS boolean
 LANGUAGE plpgsql
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
BEGIN
  IF t.state <> 'ready' OR h.attempt_count <> t.attempt_count OR NOT make_unclaimable(t) THEN
    RETURN false;
  END IF;
  DELETE FROM ticket_guidance g WHERE g.id = h.guidance_id AND g.ticket_id = t.id;
  DELETE FROM session_journal j WHERE j.ticket_id = t.id AND j.seq = h.started_over_seq AND j.kind = 'started_over';
  UPDATE tool_approvals a SET voided_at = NULL WHERE a.ticket_id = t.id AND a.voided_at = h.released_at;
  PERFORM log_activity(t.id, 'release_undone', actor, jsonb_build_object('holdReason', h.hold_reason));
  UPDATE ticket_base b
  SET state = 'on_hold', held_at = h.held_at, hold_reason = h.hold_reason, hold_actions = h.hold_actions,
      completed_at = h.completed_at, retry_after = h.retry_after, retry_count = h.retry_count, retry_counts = h.retry_counts,
      crash_count = h.crash_count, same_error_count = h.same_error_count,
      guidance_count = (SELECT count(*) FROM ticket_guidance g WHERE g.ticket_id = t.id), updated_at = now()
  WHERE b.id = t.id;
  DELETE FROM released_holds r WHERE r.ticket_id = t.id;
  RETURN true;
END
$function$;
COMMENT ON FUNCTION holdfast.restore_hold(holdfast.ticket_base,holdfast.released_holds,text) IS 'Puts a ticket, whose row the caller has locked, back into the hold that was released; false where a worker has claimed it since, or it is not ready.';
GRANT EXECUTE ON FUNCTION holdfast.restore_hold(holdfast.ticket_base,holdfast.released_holds,text) TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.restored_steps(t holdfast.ticket_base, released_at timestamp with time zone, actor text)
 RETURNS integer
 LANGUAGE plpgsql
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
DECLARE
  step ticket_base;
  h released_holds;
  n integer := 0;
BEGIN
  FOR step IN
    SELECT b.* FROM ticket_dependencies d JOIN ticket_base b ON b.id = d.after_id
    WHERE d.ticket_id = t.id AND d.name IS NOT NULL AND (d.ended_at IS NULL OR d.on_success) ORDER BY b.id FOR UPDATE OF b
  LOOP
    SELECT * INTO h FROM released_holds r WHERE r.ticket_id = step.id AND r.released_at = restored_steps.released_at;
    IF FOUND AND restore_hold(step, h, actor) THEN
      n := n + 1;
    END IF;
    IF step.kind = 'workflow' THEN
      n := n + restored_steps(step, restored_steps.released_at, actor);
    END IF;
  END LOOP;
  RETURN n;
END
$function$;
COMMENT ON FUNCTION holdfast.restored_steps(holdfast.ticket_base,timestamp with time zone,text) IS 'Puts back on hold what was released with a workflow, in the same transaction, and is still ready; says how many.';
GRANT EXECUTE ON FUNCTION holdfast.restored_steps(holdfast.ticket_base,timestamp with time zone,text) TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.results_for(ticket_id bigint, most_bytes bigint)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
 SET search_path TO 'holdfast', 'pg_temp'
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET jit TO 'off'
AS $function$
DECLARE
  each record;
  bytes bigint := 0;
BEGIN
  FOR each IN
    SELECT d.name, d.after_id, b.result FROM ticket_dependencies d JOIN ticket_base b ON b.id = d.after_id
    WHERE d.ticket_id = results_for.ticket_id AND d.name IS NOT NULL
  LOOP
    bytes := bytes + COALESCE(expanded_bytes(each.result, most_bytes), 0);
    IF bytes > most_bytes THEN
      RAISE EXCEPTION 'up to "%" of #% they have % bytes or more as text, and % are allowed (payload.max-expanded-bytes)',
        each.name, each.after_id, bytes, most_bytes USING ERRCODE = 'HF422';
    END IF;
  END LOOP;
  -- jsonb_object_agg looks at the rest of a list for each text in it: 9 s for 100,000 of them. As text, in the order of jsonb.
  RETURN (
    SELECT '{' || string_agg(to_jsonb(d.name)::text || ': ' || COALESCE(b.result::text, 'null'), ', ' ORDER BY octet_length(d.name), d.name COLLATE "C") || '}'
    FROM ticket_dependencies d JOIN ticket_base b ON b.id = d.after_id
    WHERE d.ticket_id = results_for.ticket_id AND d.name IS NOT NULL);
END
$function$;
COMMENT ON FUNCTION holdfast.results_for(bigint,bigint) IS 'The results of the named predecessors of a ticket, by name, as text of a JSON object; HF422 if they have more than most_bytes as text.';
GRANT EXECUTE ON FUNCTION holdfast.results_for(bigint,bigint) TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.resume_queue(queue text, actor text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
BEGIN
  PERFORM require_words('actor', actor);
  UPDATE queues q SET paused_at = NULL, paused_by = NULL WHERE q.name = resume_queue.queue;
  IF NOT FOUND THEN
    PERFORM require_queue(queue);
  END IF;
  PERFORM log_activity(NULL, 'queue_resumed', actor, jsonb_build_object('queue', resume_queue.queue));
  PERFORM wake_workers(ARRAY[resume_queue.queue]);
END
$function$;
COMMENT ON FUNCTION holdfast.resume_queue(text,text) IS 'Ends a pause.';
GRANT EXECUTE ON FUNCTION holdfast.resume_queue(text,text) TO holdfast_operator, holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.resume_schedule(name text, actor text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
BEGIN
  PERFORM require_words('actor', actor);
  PERFORM locked_schedule(resume_schedule.name);
  -- A person wanted no tickets in the meantime: none is made up for.
  -- A worker counts from updated_at where next_at is NULL.
  UPDATE schedules s SET paused_at = NULL, paused_by = NULL, next_at = CASE WHEN s.next_at > now() THEN s.next_at END,
    next_runs = CASE WHEN s.next_at > now() THEN s.next_runs END, updated_at = now(), updated_by = resume_schedule.actor
  WHERE s.name = resume_schedule.name AND s.paused_at IS NOT NULL;
  PERFORM log_activity(NULL, 'schedule_resumed', actor, jsonb_build_object('schedule', resume_schedule.name));
END
$function$;
COMMENT ON FUNCTION holdfast.resume_schedule(text,text) IS 'Ends a pause. Times within the pause are not made up for.';
GRANT EXECUTE ON FUNCTION holdfast.resume_schedule(text,text) TO holdfast_operator, holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.retry_policy_problem(policy jsonb)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
DECLARE
  e record;
  c record;
  name text;
BEGIN
  IF jsonb_typeof(policy) <> 'object' THEN
    RETURN format('it is %s, not an object', jsonb_typeof(policy));
  END IF;
  FOR e IN SELECT key, value, value #>> '{}' AS word, jsonb_typeof(value) AS type FROM jsonb_each(policy) WHERE jsonb_typeof(value) <> 'null' LOOP
    name := replace(e.key, '-', '_');
    IF e.key IN ('errorCategory', 'maxRetries', 'backoffType', 'nextDelayMs', 'attemptsRemaining') THEN
      CONTINUE; -- a decision left it there
    ELSIF name = 'categories' THEN
      IF e.type <> 'object' THEN
        RETURN 'categories is not an object';
      END IF;
    ELSIF name = 'max_delay' AND seconds_of(e.word) > 2592000 THEN
      RETURN format('%s: %s is longer than 30d', e.key, left(e.value::text, 60));
    ELSIF name = 'max_delay' AND seconds_of(e.word) IS NOT NULL OR name IN ('same_error_limit', 'crash_limit') AND e.word ~ '^(1000|[0-9]{1,3})$'
      OR name = 'jitter' AND e.word ~ '^(0?[.][0-9]+|0|1([.]0+)?)$' OR name = 'counting' AND replace(lower(e.word), '-', '_') IN ('shared', 'per_category') THEN
      CONTINUE;
    ELSIF name IN ('max_delay', 'same_error_limit', 'crash_limit', 'jitter', 'counting') THEN
      RETURN format('%s cannot be %s', e.key, left(e.value::text, 60));
    ELSE
      RETURN format('unknown key "%s"; known are categories, counting, crash_limit, jitter, max_delay, same_error_limit', left(e.key, 60));
    END IF;
  END LOOP;
  FOR e IN SELECT key, value FROM jsonb_each(COALESCE(NULLIF(policy->'categories', 'null'), '{}')) LOOP
    IF replace(e.key, '-', '_') NOT IN ('transient', 'api_error', 'code_error', 'system_error', 'unknown') THEN
      RETURN format('"%s" is not a category; there are transient, api_error, code_error, system_error, unknown', left(e.key, 60));
    ELSIF jsonb_typeof(e.value) <> 'object' THEN
      RETURN format('categories.%s is not an object', e.key);
    END IF;
    FOR c IN SELECT key, value, value #>> '{}' AS word FROM jsonb_each(e.value) WHERE jsonb_typeof(value) <> 'null' LOOP
      name := replace(c.key, '-', '_');
      IF name NOT IN ('max_retries', 'backoff', 'base_delay') THEN
        RETURN format('unknown key "%s" in categories.%s; known are backoff, base_delay, max_retries', left(c.key, 60), e.key);
      ELSIF name = 'base_delay' AND seconds_of(c.word) > 604800 THEN
        RETURN format('categories.%s.%s: %s is longer than 7d', e.key, c.key, left(c.value::text, 60));
      ELSIF name = 'max_retries' AND c.word !~ '^(1000|[0-9]{1,3})$' OR name = 'base_delay' AND seconds_of(c.word) IS NULL
        OR name = 'backoff' AND replace(lower(c.word), '-', '_') NOT IN ('none', 'linear', 'exponential') THEN
        RETURN format('categories.%s.%s cannot be %s', e.key, c.key, left(c.value::text, 60));
      END IF;
    END LOOP;
  END LOOP;
  RETURN NULL;
END
$function$;
COMMENT ON FUNCTION holdfast.retry_policy_problem(jsonb) IS 'What is wrong with a retry policy, as in queues.retry; NULL where nothing is.';
GRANT EXECUTE ON FUNCTION holdfast.retry_policy_problem(jsonb) TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.revoke_lease(t holdfast.ticket_base, actor text)
 RETURNS bigint
 LANGUAGE plpgsql
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
DECLARE
  l leases;
BEGIN
  SELECT * INTO l FROM running_lease(t.id, t.fence);
  IF NOT FOUND THEN
    RETURN NULL;
  END IF;
  UPDATE leases SET revoked = revoked || t.id WHERE leases.id = l.id;
  PERFORM free_slots(ARRAY[t.id], ARRAY[l.id]);
  INSERT INTO ticket_attempts (ticket_id, lease_no, started_at, finished_at, attempt, outcome, worker_id, error)
  VALUES (t.id, l.id, l.claimed_at, now(), t.attempt_count + 1, 'revoked', l.worker_id, 'revoked by ' || actor);
  PERFORM pg_notify('holdfast_revoked', '');
  RETURN l.id;
END
$function$;
COMMENT ON FUNCTION holdfast.revoke_lease(holdfast.ticket_base,text) IS 'Ends what runs under a ticket''s lease, if it runs: its result will be refused, and its worker told to stop it.';
GRANT EXECUTE ON FUNCTION holdfast.revoke_lease(holdfast.ticket_base,text) TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.roll_up_figures(lag interval DEFAULT '00:00:05'::interval)
 RETURNS interval
 LANGUAGE plpgsql
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
DECLARE
  began timestamptz := clock_timestamp();
  c figures_cursor;
  from_time timestamptz;
  settled timestamptz;
  to_time timestamptz;
  took interval;
  pause interval;
BEGIN
  -- As late as that it is put off only by a clock that was ahead and has been set back.
  SELECT * INTO c FROM figures_cursor x
  WHERE x.next_at <= began OR x.next_at > began + interval '1 minute' + 51 * x.took_ms * interval '1 millisecond' FOR UPDATE SKIP LOCKED;
  IF NOT FOUND THEN
    RETURN interval '15 seconds';
  END IF;
  -- After a long time without a worker what is shown nowhere is not counted; the rest is, a quarter of an hour at a time.
  from_time := CASE WHEN c.counted_until > began + interval '1 minute' THEN began - interval '1 minute'
    ELSE GREATEST(c.counted_until, began - interval '8 days') END;
  settled := figures_settled(lag);
  to_time := LEAST(settled, from_time + interval '15 minutes');
  IF to_time > from_time THEN
    PERFORM count_ticket_figures(from_time, to_time);
    PERFORM count_model_figures(from_time, to_time);
  END IF;
  IF to_time >= settled THEN
    PERFORM prune_figures();
  END IF;
  took := clock_timestamp() - began;
  pause := GREATEST(50 * took, CASE WHEN to_time < settled THEN interval '0' ELSE interval '15 seconds' END);
  UPDATE figures_cursor x
  SET counted_until = GREATEST(from_time, to_time), next_at = began + took + pause, took_ms = 1000 * EXTRACT(epoch FROM took);
  RETURN pause;
END
$function$;
COMMENT ON FUNCTION holdfast.roll_up_figures(interval) IS 'Counts on, at most a quarter of an hour, and says after what pause to call again: 15 seconds, less where more waits to be counted, and at least 50 times as long as it took. Where another process counts or has just counted, it does nothing.';
GRANT EXECUTE ON FUNCTION holdfast.roll_up_figures(interval) TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.run_schedule(name text, actor text)
 RETURNS bigint
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
DECLARE
  s schedules;
  new_id bigint;
BEGIN
  PERFORM require_words('actor', actor);
  s := locked_schedule(run_schedule.name);
  new_id := enqueue_any_ticket(s.kind, s.payload, s.queue, COALESCE(s.title, s.name), s.design, s.priority, NULL, NULL, NULL);
  UPDATE schedules x SET last_ticket = new_id WHERE x.name = s.name;
  PERFORM log_activity(new_id, 'enqueued', actor, jsonb_build_object('schedule', s.name));
  RETURN new_id;
END
$function$;
COMMENT ON FUNCTION holdfast.run_schedule(text,text) IS 'Makes one ticket of the schedule now and returns its id, whatever its times, its pause and its overlap say.';
GRANT EXECUTE ON FUNCTION holdfast.run_schedule(text,text) TO holdfast_operator, holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.running_lease(ticket_id bigint, fence bigint)
 RETURNS SETOF holdfast.leases
 LANGUAGE sql
 STABLE
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
  SELECT l.* FROM leases l WHERE l.id > running_lease.fence AND running_lease.ticket_id = ANY (l.ids)
$function$;
COMMENT ON FUNCTION holdfast.running_lease(bigint,bigint) IS 'The lease under which a ticket is in progress, if it is.';
GRANT EXECUTE ON FUNCTION holdfast.running_lease(bigint,bigint) TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.running_ticket(ticket_id bigint, under_lease bigint)
 RETURNS holdfast.ticket_base
 LANGUAGE plpgsql
 SET search_path TO 'holdfast', 'pg_temp'
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
AS $function$
DECLARE
  t ticket_base;
BEGIN
  SELECT * INTO t FROM ticket_base b
  WHERE b.id = running_ticket.ticket_id AND b.state = 'ready' AND b.fence < under_lease
    AND EXISTS (SELECT FROM leases l WHERE l.id = under_lease)
  FOR UPDATE;
  RETURN t;
END
$function$;
COMMENT ON FUNCTION holdfast.running_ticket(bigint,bigint) IS 'The row of a ticket that is in progress under this lease, locked; NULL if it no longer is.';
GRANT EXECUTE ON FUNCTION holdfast.running_ticket(bigint,bigint) TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.schedule_is_busy(s holdfast.schedules)
 RETURNS boolean
 LANGUAGE sql
 STABLE
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
  SELECT EXISTS (SELECT FROM tickets t WHERE t.id = s.last_ticket AND t.state IN ('ready', 'in_progress', 'on_hold'))
$function$;
COMMENT ON FUNCTION holdfast.schedule_is_busy(holdfast.schedules) IS 'Whether the last ticket of the schedule has not ended.';
GRANT EXECUTE ON FUNCTION holdfast.schedule_is_busy(holdfast.schedules) TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.seconds_of(duration text)
 RETURNS numeric
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
  SELECT m[1]::numeric * CASE m[2] WHEN 'ms' THEN 0.001 WHEN 's' THEN 1 WHEN 'm' THEN 60 WHEN 'h' THEN 3600 ELSE 86400 END
  FROM regexp_match(duration, '^ *([0-9]{1,10}) *(ms|s|m|h|d) *$') AS m
$function$;
COMMENT ON FUNCTION holdfast.seconds_of(text) IS 'The seconds of a duration such as 500ms, 30s, 5m, 2h, 7d; NULL where it is none.';
GRANT EXECUTE ON FUNCTION holdfast.seconds_of(text) TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.set_auto_retry(id bigint, actor text, enabled boolean)
 RETURNS text
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
DECLARE
  t ticket_base;
BEGIN
  PERFORM require_words('actor', actor);
  IF enabled IS NULL THEN
    RAISE EXCEPTION 'enabled must be true or false' USING ERRCODE = 'HF422';
  END IF;
  t := locked_ticket(set_auto_retry.id);
  IF t.state IN ('done', 'cancelled') THEN
    PERFORM refuse_action(t, 'switch the auto-retry of');
  END IF;
  INSERT INTO auto_retry_switches AS s (ticket_id, enabled, changed_by) VALUES (t.id, set_auto_retry.enabled, actor)
  ON CONFLICT (ticket_id) DO UPDATE SET enabled = EXCLUDED.enabled, changed_by = EXCLUDED.changed_by, changed_at = EXCLUDED.changed_at;
  PERFORM log_activity(t.id, 'auto_retry_switched', actor, jsonb_build_object('enabled', set_auto_retry.enabled));
  RETURN (SELECT v.state FROM tickets v WHERE v.id = t.id);
END
$function$;
COMMENT ON FUNCTION holdfast.set_auto_retry(bigint,text,boolean) IS 'Switches the retries of an agent''s session off or on for one ticket, also while it runs: SELECT holdfast.set_auto_retry(17, ''ann'', false). A retry that waits then ends within a second; the ticket''s own retries go on. Returns the ticket''s state. SQLSTATE HF409 where the ticket is done or cancelled.';
GRANT EXECUTE ON FUNCTION holdfast.set_auto_retry(bigint,text,boolean) TO holdfast_operator, holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.set_deadline(ticket_id bigint, run_at timestamp with time zone, expires_at timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
BEGIN
  IF NOT isfinite(expires_at) OR expires_at <= now() THEN
    RAISE EXCEPTION 'expires_at must be in the future, not %', expires_at
      USING ERRCODE = 'HF422', HINT = 'Leave it out for a ticket that does not expire.';
  ELSIF expires_at <= run_at THEN
    RAISE EXCEPTION 'a ticket that may start at % cannot expire at %', run_at, expires_at
      USING ERRCODE = 'HF422', HINT = 'Let it expire later, or start earlier.';
  END IF;
  INSERT INTO ticket_deadlines (ticket_id, expires_at) VALUES (set_deadline.ticket_id, set_deadline.expires_at);
END
$function$;
COMMENT ON FUNCTION holdfast.set_deadline(bigint,timestamp with time zone,timestamp with time zone) IS 'Lets a ticket that this transaction has inserted expire; HF422 if that is before it may start.';
GRANT EXECUTE ON FUNCTION holdfast.set_deadline(bigint,timestamp with time zone,timestamp with time zone) TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.set_limit(scope text, actor text, concurrent integer DEFAULT NULL::integer, per_key integer DEFAULT NULL::integer, rate integer DEFAULT NULL::integer, per interval DEFAULT NULL::interval, burst integer DEFAULT NULL::integer)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
#variable_conflict use_column
DECLARE
  parts text[];
  tokens integer;
BEGIN
  PERFORM require_words('actor', actor);
  parts := limit_scope(scope);
  PERFORM require_limit('concurrent', set_limit.concurrent), require_limit('per_key', set_limit.per_key),
    require_limit('rate', set_limit.rate), require_limit('burst', set_limit.burst);
  IF num_nonnulls(set_limit.concurrent, set_limit.per_key, set_limit.rate) = 0 THEN
    RAISE EXCEPTION 'a limit needs concurrent, per_key or rate' USING ERRCODE = 'HF422', HINT = 'remove_limit(scope, actor) takes one away.';
  ELSIF (set_limit.rate IS NULL) <> (set_limit.per IS NULL) THEN
    RAISE EXCEPTION 'rate and per go together' USING ERRCODE = 'HF422', HINT = 'As in rate => 100, per => ''1 minute''.';
  ELSIF set_limit.burst IS NOT NULL AND set_limit.rate IS NULL THEN
    RAISE EXCEPTION 'burst goes with a rate' USING ERRCODE = 'HF422';
  ELSIF set_limit.per < interval '1 ms' OR set_limit.per > interval '366 days' THEN
    RAISE EXCEPTION 'per is from 1 ms to 366 days, not %', set_limit.per USING ERRCODE = 'HF422';
  END IF;
  INSERT INTO limit_gates (scope) VALUES (set_limit.scope) ON CONFLICT DO NOTHING;
  tokens := CASE WHEN set_limit.rate IS NOT NULL
    THEN COALESCE(set_limit.burst, GREATEST(1, ceil(set_limit.rate * 0.2 / extract(epoch FROM set_limit.per)))::integer) END;
  -- Not DO UPDATE: it waits for another one who sets the same limit for the first time by one of the table's keys only, and breaks at the others.
  LOOP
    UPDATE claim_limits x
    SET concurrent = set_limit.concurrent, per_key = set_limit.per_key, rate = set_limit.rate, per = set_limit.per, burst = tokens,
      set_at = now(), set_by = set_limit.actor
    WHERE x.scope = set_limit.scope;
    EXIT WHEN FOUND;
    INSERT INTO claim_limits (scope, queue, design, concurrent, per_key, rate, per, burst, set_by)
    VALUES (set_limit.scope, CASE parts[1] WHEN 'queue' THEN parts[2] END, CASE parts[1] WHEN 'design' THEN parts[2] END, set_limit.concurrent,
      set_limit.per_key, set_limit.rate, set_limit.per, tokens, set_limit.actor)
    ON CONFLICT DO NOTHING;
    EXIT WHEN FOUND;
  END LOOP;
  -- A bucket holds no more than one burst, and so no more is owed to it than that, whatever the rate was before.
  UPDATE limit_gates g SET full_at = LEAST(g.full_at, now() + x.burst * x.per / x.rate)
  FROM claim_limits x WHERE g.scope = set_limit.scope AND x.scope = g.scope AND x.rate IS NOT NULL;
  -- What runs already counts too.
  IF set_limit.concurrent IS NOT NULL OR set_limit.per_key IS NOT NULL THEN
    INSERT INTO line_slots (ticket_id, lease_no, queue, concurrency_key, design)
    SELECT b.id, l.id, b.queue, COALESCE(b.concurrency_key, ''), COALESCE(d.name, '')
    FROM leases l CROSS JOIN LATERAL unnest(l.ids) AS u (id)
    CROSS JOIN LATERAL (SELECT * FROM ticket_base b WHERE b.id = u.id LIMIT 1) b
    LEFT JOIN designs d ON d.id = b.design_id
    WHERE b.state = 'ready' AND b.fence < l.id AND (parts[1] = 'queue' AND b.queue = parts[2] OR parts[1] = 'design' AND d.name = parts[2])
    ON CONFLICT DO NOTHING;
  END IF;
  PERFORM log_activity(NULL, 'limit_set', actor, jsonb_build_object('scope', set_limit.scope, 'concurrent', set_limit.concurrent,
    'perKey', set_limit.per_key, 'rate', set_limit.rate, 'per', set_limit.per::text, 'burst', set_limit.burst));
  PERFORM wake_lines();
END
$function$;
COMMENT ON FUNCTION holdfast.set_limit(text,text,integer,integer,integer,interval,integer) IS 'How many tickets of a queue or a design may run at once over all workers (concurrent), with the same concurrency_key (per_key), and start in a time (rate in per; burst at once after a pause): SELECT holdfast.set_limit(''queue:default'', ''ann'', concurrent => 3, rate => 100, per => ''1 minute''). Replaces the limit that was there. Holds from now on, also for what waits already; what runs is left to run and counts. Tickets over it wait as ready; waiting_tickets says for what.';
GRANT EXECUTE ON FUNCTION holdfast.set_limit(text,text,integer,integer,integer,interval,integer) TO holdfast_operator, holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.set_weight(fairness_key text, actor text, weight integer)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
#variable_conflict use_column
BEGIN
  PERFORM require_words('actor', actor), require_words('fairness_key', set_weight.fairness_key), require_key('fairness_key', set_weight.fairness_key);
  IF set_weight.weight IS NULL OR set_weight.weight NOT BETWEEN 1 AND 1000 THEN
    RAISE EXCEPTION 'a weight is from 1 to 1000, not %', COALESCE(set_weight.weight::text, 'NULL') USING ERRCODE = 'HF422';
  END IF;
  IF set_weight.weight = 1 THEN
    DELETE FROM fairness_weights f WHERE f.fairness_key = set_weight.fairness_key;
  ELSE
    INSERT INTO fairness_weights (fairness_key, weight, set_by) VALUES (set_weight.fairness_key, set_weight.weight, set_weight.actor)
    ON CONFLICT (fairness_key) DO UPDATE SET weight = EXCLUDED.weight, set_at = EXCLUDED.set_at, set_by = EXCLUDED.set_by;
  END IF;
  PERFORM log_activity(NULL, 'weight_set', actor, jsonb_build_object('fairnessKey', set_weight.fairness_key, 'weight', set_weight.weight));
END
$function$;
COMMENT ON FUNCTION holdfast.set_weight(text,text,integer) IS 'How many tickets a fairness key has claimed at each of its turns: SELECT holdfast.set_weight(''acme'', ''ann'', 3). 1 is what all have.';
GRANT EXECUTE ON FUNCTION holdfast.set_weight(text,text,integer) TO holdfast_operator, holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.settle_budget(of_reservation bigint, cost_usd numeric)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
DECLARE
  r budget_reservations;
  today date;
BEGIN
  DELETE FROM budget_reservations x WHERE x.id = of_reservation RETURNING * INTO r;
  IF NOT FOUND THEN
    RETURN; -- booked at its worst already
  END IF;
  PERFORM FROM budgets x WHERE x.scope = ANY (r.scopes) ORDER BY x.scope FOR UPDATE;
  today := (clock_timestamp() AT TIME ZONE 'UTC')::date;
  UPDATE budgets x SET reserved_usd = GREATEST(0, x.reserved_usd - r.usd),
    day = CASE WHEN x.per = 'day' THEN GREATEST(x.day, today) ELSE x.day END,
    spent_usd = CASE WHEN x.per = 'day' AND x.day < today THEN 0 ELSE x.spent_usd END + cost_usd
  WHERE x.scope = ANY (r.scopes);
END
$function$;
COMMENT ON FUNCTION holdfast.settle_budget(bigint,numeric) IS 'Books what a call has cost in the place of its reservation.';
GRANT EXECUTE ON FUNCTION holdfast.settle_budget(bigint,numeric) TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.shorten(words text, longest integer)
 RETURNS text
 LANGUAGE sql
 STABLE PARALLEL SAFE
AS $function$
  SELECT CASE
    WHEN pg_catalog.getdatabaseencoding() OPERATOR(pg_catalog.=) 'SQL_ASCII'
      AND pg_catalog.octet_length(words) OPERATOR(pg_catalog.>) longest
    -- The last character of several bytes goes, whether it is whole or not.
    THEN pg_catalog.regexp_replace(pg_catalog.left(words, longest), E'[\\xC0-\\xFF][\\x80-\\xBF]*$', '')
    ELSE pg_catalog.left(words, longest)
  END
$function$;
COMMENT ON FUNCTION holdfast.shorten(text,integer) IS 'The beginning of a text, at most that many characters; bytes in a database of the encoding SQL_ASCII, and there no part of a character either.';
GRANT EXECUTE ON FUNCTION holdfast.shorten(text,integer) TO PUBLIC, holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.shown_batch(b holdfast.batches)
 RETURNS TABLE(batch_id bigint, title text, created_at timestamp with time zone, created_by text, closed_at timestamp with time zone, cancelled_at timestamp with time zone, ended_at timestamp with time zone, total bigint, ready bigint, in_progress bigint, on_hold bigint, needs_review bigint, done bigint, cancelled bigint, deleted bigint, counted_at timestamp with time zone, time_left interval, next_count_at timestamp with time zone)
 LANGUAGE sql
 STABLE
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
  SELECT b.id, b.title, b.created_at, b.created_by, b.closed_at, b.cancelled_at, b.ended_at, n.total,
    GREATEST(0, n.ready - n.running), n.running, (b.counts->>'on_hold')::bigint, (b.counts->>'needs_review')::bigint,
    b.settled_done + (b.counts->>'done')::bigint, b.settled_cancelled + (b.counts->>'cancelled')::bigint,
    GREATEST(0, n.total - b.settled_done - b.settled_cancelled - (b.counts->>'present')::bigint),
    b.counted_at,
    CASE WHEN n.ready > 0 AND finished_of_batch(b) > b.base_finished AND b.counted_at > b.base_at
      THEN (b.counted_at - b.base_at) * (n.ready::double precision / (finished_of_batch(b) - b.base_finished)) END,
    b.counted_at + GREATEST(interval '500 milliseconds', b.count_took * 20)
  FROM (SELECT COALESCE(b.total, (b.counts->>'present')::bigint + b.settled_done + b.settled_cancelled) AS total,
    (b.counts->>'ready')::bigint AS ready, LEAST((b.counts->>'in_progress')::bigint, (b.counts->>'ready')::bigint) AS running) n
$function$;
COMMENT ON FUNCTION holdfast.shown_batch(holdfast.batches) IS 'What batch_progress shows of a batch that is counted.';
GRANT EXECUTE ON FUNCTION holdfast.shown_batch(holdfast.batches) TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.stands_in_line(b holdfast.ticket_base)
 RETURNS boolean
 LANGUAGE sql
 STABLE
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
  SELECT b.concurrency_key IS NOT NULL OR b.fairness_key IS NOT NULL
    OR EXISTS (SELECT FROM claim_limits x WHERE x.queue = b.queue)
    OR b.design_id IS NOT NULL AND EXISTS (SELECT FROM designs d JOIN claim_limits x ON x.design = d.name WHERE d.id = b.design_id)
$function$;
COMMENT ON FUNCTION holdfast.stands_in_line(holdfast.ticket_base) IS 'Whether a claimable ticket stands in in_line instead of ready: it has a key, or a limit counts it.';
GRANT EXECUTE ON FUNCTION holdfast.stands_in_line(holdfast.ticket_base) TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.start_expiry(items bigint[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO 'holdfast', 'pg_temp'
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET jit TO 'off'
AS $function$
BEGIN
  WITH ending AS (
    UPDATE ticket_base b SET expires_at = now() + design_expiry(d) FROM designs d
    WHERE b.id = ANY (items) AND d.id = b.design_id AND design_expiry(d) IS NOT NULL AND b.expires_at IS NULL AND b.state = 'ready'
    RETURNING b.id, b.expires_at
  )
  INSERT INTO ticket_deadlines (ticket_id, expires_at) SELECT e.id, e.expires_at FROM ending e;
END
$function$;
COMMENT ON FUNCTION holdfast.start_expiry(bigint[]) IS 'The expiry that the design gives, counted from now, for tickets of a step whose turn has come.';
GRANT EXECUTE ON FUNCTION holdfast.start_expiry(bigint[]) TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.start_over(t holdfast.ticket_base)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
BEGIN
  UPDATE tool_approvals a SET voided_at = now() WHERE a.ticket_id = t.id AND a.voided_at IS NULL;
  INSERT INTO session_journal (ticket_id, seq, lease_no, kind, entry)
  SELECT t.id, max(j.seq) + 1, t.fence, 'started_over', '{"entry": "started_over"}'
  FROM session_journal j WHERE j.ticket_id = t.id
  HAVING count(*) > 0;
END
$function$;
COMMENT ON FUNCTION holdfast.start_over(holdfast.ticket_base) IS 'Lets the next session of a ticket, whose row the caller has locked, begin with an empty conversation; the old one stays for the record.';
GRANT EXECUTE ON FUNCTION holdfast.start_over(holdfast.ticket_base) TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.start_release(actor text, canary integer, ramp integer[] DEFAULT '{0}'::integer[], guidance text DEFAULT NULL::text, ids bigint[] DEFAULT NULL::bigint[], fingerprint text DEFAULT NULL::text, category text DEFAULT NULL::text, batch_id bigint DEFAULT NULL::bigint, keep_retries boolean DEFAULT false, fresh boolean DEFAULT false)
 RETURNS bigint
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
#variable_conflict use_column
DECLARE
  r releases;
BEGIN
  PERFORM require_words('actor', actor), require_length('guidance', start_release.guidance);
  IF num_nonnulls(start_release.ids, start_release.fingerprint, start_release.category, start_release.batch_id) = 0 THEN
    RAISE EXCEPTION 'which tickets? ids, fingerprint, category or batch_id is missing' USING ERRCODE = 'HF422';
  ELSIF length(start_release.fingerprint) < 8 THEN
    RAISE EXCEPTION 'a fingerprint needs 8 characters at least' USING ERRCODE = 'HF422';
  ELSIF start_release.batch_id IS NOT NULL THEN
    PERFORM FROM batches x WHERE x.id = start_release.batch_id;
    IF NOT FOUND THEN
      RAISE EXCEPTION 'there is no batch %', start_release.batch_id USING ERRCODE = 'HF404', HINT = 'holdfast batch list shows them';
    END IF;
  END IF;
  INSERT INTO releases AS x (created_by, channel, selection, steps, guidance, keep_retries, fresh, total)
  VALUES (start_release.actor, acting_channel(),
    jsonb_strip_nulls(jsonb_build_object('ids', to_jsonb(start_release.ids), 'fingerprint', start_release.fingerprint,
      'category', start_release.category, 'batch_id', start_release.batch_id)),
    require_steps(start_release.canary, start_release.ramp), words_or_null(start_release.guidance),
    COALESCE(start_release.keep_retries, false), COALESCE(start_release.fresh, false), 0)
  RETURNING * INTO r;
  r.total := choose_held(r.id, start_release.ids, start_release.fingerprint, start_release.category, start_release.batch_id);
  IF r.total = 0 THEN
    RAISE EXCEPTION 'no held ticket matches' USING ERRCODE = 'HF404', HINT = 'holdfast stats shows the groups of errors';
  END IF;
  UPDATE releases x SET total = r.total WHERE x.id = r.id;
  PERFORM log_activity(NULL, 'release_started', actor, jsonb_build_object('release', r.id, 'tickets', r.total, 'steps', to_jsonb(r.steps)));
  PERFORM advance_release(r);
  RETURN r.id;
END
$function$;
COMMENT ON FUNCTION holdfast.start_release(text,integer,integer[],text,bigint[],text,text,bigint,boolean,boolean) IS 'Releases held tickets in steps and returns the id of the release: SELECT holdfast.start_release(''ann'', 3, ''{10,50,0}'', ''the file is back'', fingerprint => ''3f2a9c1b'') releases 3, and when those came through 10, then 50, then all that are left (0). It stops by itself when the same error comes back; what it has not released by then stays on hold. release_status(id) says how far it is.';
GRANT EXECUTE ON FUNCTION holdfast.start_release(text,integer,integer[],text,bigint[],text,text,bigint,boolean,boolean) TO holdfast_operator, holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.state_to_change(shown holdfast.tickets, wanted text)
 RETURNS text
 LANGUAGE plpgsql
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
DECLARE
  t ticket_base;
  present text;
BEGIN
  -- As cancel_ticket and hold_ticket do before they lock the ticket itself.
  IF wanted = 'cancelled' THEN
    PERFORM lock_what_goes(shown.id);
  ELSIF wanted = 'on_hold' THEN
    PERFORM lock_steps(shown.id);
  END IF;
  SELECT * INTO t FROM ticket_base b WHERE b.id = shown.id FOR UPDATE;
  present := t.state;
  IF t.state = 'ready' THEN
    -- Workers pass over what is locked. Most are found here, by themselves: that is quicker than make_unclaimable, which is called after this again.
    PERFORM FROM ready r
    WHERE r.queue = t.queue AND r.kind = t.kind AND ~r.priority = ~t.priority AND r.created_at = t.created_at AND r.id = t.id
    FOR UPDATE;
    IF NOT FOUND AND NOT (shown.state = 'ready' AND make_unclaimable(t)) AND EXISTS (SELECT FROM running_lease(t.id, t.fence)) THEN
      present := 'in_progress';
    END IF;
  END IF;
  -- What this transaction changed itself is no surprise: the same statement may cancel a ticket and one that waits for it.
  IF present = shown.state OR (t.updated_at = now() AND present NOT IN ('in_progress', wanted)) THEN
    RETURN present;
  END IF;
  RETURN NULL;
END
$function$;
COMMENT ON FUNCTION holdfast.state_to_change(holdfast.tickets,text) IS 'The state of a ticket, then locked and not claimable any more, for an UPDATE that saw it in shown.state; NULL if others have brought it into another one since.';
GRANT EXECUTE ON FUNCTION holdfast.state_to_change(holdfast.tickets,text) TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.steps_from(definition jsonb, step text)
 RETURNS text[]
 LANGUAGE sql
 STABLE
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
  WITH RECURSIVE later (name) AS (
    SELECT s.key FROM jsonb_each(definition->'steps') AS s WHERE s.key = step
    UNION
    SELECT s.key FROM later l, jsonb_each(definition->'steps') AS s WHERE s.value->'after' ? l.name
  )
  SELECT array_agg(l.name) FROM later l
$function$;
COMMENT ON FUNCTION holdfast.steps_from(jsonb,text) IS 'A step of a workflow''s design and all that wait for it, directly or not; NULL if there is no such step.';
GRANT EXECUTE ON FUNCTION holdfast.steps_from(jsonb,text) TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.still_waits(ticket_id bigint, kind text)
 RETURNS boolean
 LANGUAGE plpgsql
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
BEGIN
  PERFORM locked_ticket(still_waits.ticket_id);
  RETURN EXISTS (SELECT FROM known_waits w WHERE w.ticket_id = still_waits.ticket_id AND w.kind = still_waits.kind);
END
$function$;
COMMENT ON FUNCTION holdfast.still_waits(bigint,text) IS 'Locks a ticket and says whether it has the wait that was seen before.';
GRANT EXECUTE ON FUNCTION holdfast.still_waits(bigint,text) TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.stop_release(id bigint, actor text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
DECLARE
  r releases;
BEGIN
  PERFORM require_words('actor', actor);
  r := locked_release(stop_release.id);
  IF r.ended_at IS NOT NULL THEN
    RAISE EXCEPTION 'release % has ended: it is %', r.id, concat_ws(': ', r.outcome, r.reason) USING ERRCODE = 'HF409', DETAIL = r.outcome;
  END IF;
  PERFORM end_release(r, 'stopped', 'stopped by ' || stop_release.actor, stop_release.actor);
END
$function$;
COMMENT ON FUNCTION holdfast.stop_release(bigint,text) IS 'Stops a release in steps: it releases nothing more. What it has released goes on.';
GRANT EXECUTE ON FUNCTION holdfast.stop_release(bigint,text) TO holdfast_operator, holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.store_failures(unseen boolean, ticket_ids bigint[], lease_nos bigint[], decision_nos integer[], failure_nos integer[], outcomes text[], hold_reasons text[], delays_ms bigint[], new_retry_counts integer[], counts_by_category text[], new_same_error_counts integer[], new_crash_counts integer[], strategies text[], activities text[], errors text[], titles text[], categories text[], fingerprints text[], rules text[], http_statuses integer[])
 RETURNS TABLE(decided_at timestamp with time zone, ticket_id bigint, lease_no bigint)
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET enable_nestloop TO 'off'
 SET enable_mergejoin TO 'off'
 SET jit TO 'off'
 SET lock_timeout TO '250ms'
AS $function$
#variable_conflict use_column
DECLARE
  own_settings text[] := CASE WHEN unseen THEN ARRAY(SELECT q.name FROM holdfast.queues q WHERE q.retry IS NOT NULL) END;
  stored bigint[];
  stored_leases bigint[];
  at_once text[];
BEGIN
  WITH lease AS MATERIALIZED (
    SELECT l.id, l.claimed_at, l.worker_id FROM holdfast.leases l WHERE l.id = ANY (lease_nos)
  ), decision AS MATERIALIZED (
    SELECT
      d.no, d.hold_reason IS NOT NULL AS hold, d.delay_ms * interval '1 millisecond' AS delay, d.retry_count, d.same_error_count,
      d.crash_count, d.outcome, d.hold_reason,
      d.counts::jsonb AS counts, d.strategy::jsonb AS strategy, d.activity::jsonb AS activity
    FROM unnest(outcomes, hold_reasons, delays_ms, new_retry_counts, counts_by_category, new_same_error_counts, new_crash_counts,
      strategies, activities)
    WITH ORDINALITY AS d (outcome, hold_reason, delay_ms, retry_count, counts, same_error_count, crash_count, strategy, activity, no)
  ), failure AS MATERIALIZED (
    SELECT f.*
    FROM unnest(errors, titles, categories, fingerprints, rules, http_statuses)
    WITH ORDINALITY AS f (error, title, category, fingerprint, rule, http_status, failure_no)
  ), input AS MATERIALIZED (
    SELECT i.id, i.lease_no, l.claimed_at, l.worker_id, d.*, f.*
    FROM unnest(ticket_ids, lease_nos, decision_nos, failure_nos) AS i (id, lease_no, no, failure_no)
    JOIN lease l ON l.id = i.lease_no
    JOIN decision d ON d.no = i.no
    JOIN failure f ON f.failure_no = i.failure_no
    ORDER BY i.id
  ), decided AS (
    UPDATE holdfast.ticket_base b
    SET fence = i.lease_no, state = CASE WHEN i.hold THEN 'on_hold' ELSE 'ready' END,
        retry_count = i.retry_count, retry_counts = i.counts, same_error_count = i.same_error_count,
        crash_count = i.crash_count, attempt_count = b.attempt_count + 1,
        -- A hold writes no retry_after.
        retry_after = CASE WHEN i.hold THEN b.retry_after ELSE now() + i.delay END,
        retry_strategy = CASE WHEN jsonb_typeof(b.retry_strategy) = 'object' THEN b.retry_strategy || i.strategy ELSE i.strategy END,
        error = i.error, error_title = i.title, error_category = i.category, error_fingerprint = i.fingerprint,
        hold_reason = i.hold_reason, held_at = CASE WHEN i.hold THEN now() END,
        hold_actions = CASE WHEN i.hold THEN '{release,release_with_guidance,cancel}'::text[] END,
        completed_at = CASE WHEN i.hold THEN now() END,
        started_at = i.claimed_at, updated_at = now()
    FROM input i
    WHERE b.id = ANY (ARRAY[i.id]) AND b.state = 'ready' AND b.fence < i.lease_no
      AND (NOT unseen OR (
        COALESCE(b.retry_count, 0) = 0 AND b.retry_counts IS NULL AND b.crash_count = 0 AND b.error_fingerprint IS NULL
        AND b.retry_strategy IS NULL AND b.design_id IS NULL AND b.queue <> ALL (own_settings)))
    RETURNING b.id, b.fence, b.priority, b.created_at, b.retry_after, b.attempt_count, b.queue, b.kind,
      b.state = 'ready' AND b.assignee_type = 'agent' AS claimable, i.claimed_at, i.worker_id, i.outcome, i.category, i.rule,
      i.fingerprint, i.error, b.error_title, i.http_status, i.activity
  ), attempted AS (
    INSERT INTO holdfast.ticket_attempts
      (ticket_id, lease_no, started_at, finished_at, attempt, http_status, outcome, worker_id, category, rule, fingerprint, error,
      error_title)
    SELECT id, fence, claimed_at, now(), attempt_count, http_status, outcome, worker_id, category, rule, fingerprint, error, error_title
    FROM decided
  ), logged AS (
    INSERT INTO holdfast.ticket_activity (ticket_id, action, actor, details)
    SELECT id, 'retry_decision', 'system', activity FROM decided
  ), now_ready AS (
    INSERT INTO holdfast.ready (priority, created_at, id, queue, kind)
    SELECT priority, created_at, id, queue, kind FROM decided WHERE claimable AND retry_after <= now()
  ), later AS (
    INSERT INTO holdfast.deferred (run_at, created_at, id, priority, queue, kind)
    SELECT retry_after, created_at, id, priority, queue, kind FROM decided WHERE claimable AND retry_after > now()
  )
  SELECT
    array_agg(d.id), array_agg(d.fence),
    ARRAY(SELECT DISTINCT r.queue FROM decided r WHERE r.claimable AND r.retry_after <= now())
  INTO stored, stored_leases, at_once
  FROM decided d;
  PERFORM holdfast.free_slots(ticket_ids, lease_nos);
  IF cardinality(at_once) > 0 THEN
    PERFORM holdfast.wake_workers(at_once);
  END IF;
  RETURN QUERY SELECT now(), NULL::bigint, NULL::bigint;
  IF stored IS NULL OR cardinality(stored) < cardinality(ticket_ids) THEN
    RETURN QUERY
    SELECT now(), i.id, i.lease_no FROM unnest(ticket_ids, lease_nos) AS i (id, lease_no)
    EXCEPT
    SELECT now(), s.id, s.lease_no FROM unnest(stored, stored_leases) AS s (id, lease_no);
  END IF;
END
$function$;
COMMENT ON FUNCTION holdfast.store_failures(boolean,bigint[],bigint[],integer[],integer[],text[],text[],bigint[],integer[],text[],integer[],integer[],text[],text[],text[],text[],text[],text[],text[],integer[]) IS 'Stores decisions on failures and returns when, and which tickets were not stored: those that are no longer in progress under their lease, and, if the decisions were made unseen, those of which something is known.';
GRANT EXECUTE ON FUNCTION holdfast.store_failures(boolean,bigint[],bigint[],integer[],integer[],text[],text[],bigint[],integer[],text[],integer[],integer[],text[],text[],text[],text[],text[],text[],text[],integer[]) TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.store_successes(ticket_ids bigint[], lease_nos bigint[], new_states text[], json_results text[], closed bigint[])
 RETURNS TABLE(ticket_id bigint, lease_no bigint)
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET lock_timeout TO '250ms'
AS $function$
#variable_conflict use_column
DECLARE
  stored bigint;
BEGIN
  IF cardinality(ticket_ids) > 0 THEN
    WITH held AS MATERIALIZED (
      SELECT l.id, l.claimed_at, l.worker_id FROM holdfast.leases l WHERE l.id = ANY (lease_nos)
    ), input AS MATERIALIZED (
      SELECT i.id, i.lease_no, i.state, i.result, h.claimed_at, h.worker_id
      FROM unnest(ticket_ids, lease_nos, new_states, json_results) AS i (id, lease_no, state, result)
      JOIN held h ON h.id = i.lease_no
      ORDER BY i.id
    ), finished AS (
      UPDATE holdfast.ticket_base b
      SET fence = i.lease_no, state = CASE i.state WHEN 'approved' THEN 'done' ELSE i.state END, result = i.result::jsonb, started_at = i.claimed_at, completed_at = now(),
          updated_at = now(), retry_after = NULL, attempt_count = b.attempt_count + 1, same_error_count = 0,
          error = NULL, error_title = NULL, error_category = NULL, error_fingerprint = NULL
      FROM input i
      WHERE b.id = ANY (ARRAY[i.id]) AND b.state = 'ready' AND b.fence < i.lease_no
      RETURNING b.id, b.fence, b.attempt_count, b.result, i.claimed_at, i.worker_id, i.state
    ), ruled AS (
      INSERT INTO holdfast.ticket_activity (ticket_id, action, actor, channel, details)
      SELECT f.id, 'approved', 'rule', 'rule', '{"rule": "sample"}' FROM finished f WHERE f.state = 'approved'
    )
    INSERT INTO holdfast.ticket_attempts (ticket_id, lease_no, started_at, finished_at, attempt, outcome, worker_id, result)
    SELECT id, fence, claimed_at, now(), attempt_count, 'succeeded', worker_id, result FROM finished;
    GET DIAGNOSTICS stored = ROW_COUNT;
    IF stored < cardinality(ticket_ids) THEN
      RETURN QUERY
      SELECT i.id, i.lease_no FROM unnest(ticket_ids, lease_nos) AS i (id, lease_no)
      LEFT JOIN LATERAL (
        SELECT a.outcome FROM holdfast.ticket_attempts a WHERE a.ticket_id = i.id AND a.lease_no = i.lease_no LIMIT 1
      ) a ON true
      WHERE a.outcome IS DISTINCT FROM 'succeeded';
    END IF;
    PERFORM holdfast.free_slots(ticket_ids, lease_nos);
    -- A statement of its own: it sees the rows of those who enqueued a follower while the UPDATE waited for them.
    IF EXISTS (SELECT FROM holdfast.ticket_dependencies d WHERE d.after_id = ANY (ticket_ids) AND d.ended_at IS NULL)
    THEN
      PERFORM holdfast.free_followers(ticket_ids, stored = cardinality(ticket_ids) AND 'needs_review' <> ALL (new_states));
    END IF;
  END IF;
  IF cardinality(closed) > 0 THEN
    RETURN QUERY SELECT NULL::bigint, l.id FROM holdfast.close_leases(closed) AS l (id);
  END IF;
END
$function$;
COMMENT ON FUNCTION holdfast.store_successes(bigint[],bigint[],text[],text[],bigint[]) IS 'Stores successes (new_states: needs_review, done, or approved, which is done and approved by the rule of its design) and returns those that could not be stored; then closes leases, and returns those that close_leases returns without a ticket_id.';
GRANT EXECUTE ON FUNCTION holdfast.store_successes(bigint[],bigint[],text[],text[],bigint[]) TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.take_apart(taken bigint[], suspected bigint, new_lease bigint, for_worker text, for_ms bigint, small_bytes integer, room_bytes bigint, suspects_at_most integer)
 RETURNS TABLE(id bigint, lease_no bigint, suspect boolean)
 LANGUAGE plpgsql
 SET search_path TO 'holdfast', 'pg_temp'
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET jit TO 'off'
 SET lock_timeout TO '250ms'
AS $function$
#variable_conflict use_column
DECLARE
  until timestamptz := now() + for_ms * interval '1 millisecond';
  own_lease bigint;
  each record;
  given record;
  large bigint[];
  waiting bigint[];
  put_back bigint[];
  highest bigint;
BEGIN
  -- A number of a lease that a ticket has had already would let its results be refused, and the ticket be lost with the lease. The numbers that
  -- are drawn here stay drawn when the claim is undone.
  SELECT max(b.fence) INTO highest
  FROM unnest(taken || suspected) AS t (id)
  CROSS JOIN LATERAL (SELECT b.fence FROM ticket_base b WHERE b.id = t.id LIMIT 1) b;
  IF highest >= new_lease THEN
    PERFORM nextval('lease_no_seq') FROM generate_series(new_lease, highest);
    RAISE EXCEPTION 'the sequence lease_no_seq was at %, behind the tickets (a copy of the database without its sequences?); it is moved on to %',
      new_lease, highest;
  END IF;
  waiting := ARRAY(
    SELECT t.id FROM unnest(taken) WITH ORDINALITY AS t (id, place) JOIN ticket_base b ON b.id = ANY (ARRAY[t.id])
    WHERE b.crash_count > 0 ORDER BY t.place);
  IF suspected IS NULL AND suspects_at_most > 0 THEN
    suspected := waiting[1];
    waiting := waiting[2:];
  END IF;
  IF suspected IS NOT NULL THEN
    own_lease := nextval('lease_no_seq');
    INSERT INTO leases (id, claimed_at, expires_at, worker_id, ids, for_ms, suspect)
    VALUES (own_lease, now(), until, for_worker, ARRAY[suspected], for_ms, true);
    UPDATE line_slots s SET lease_no = own_lease WHERE s.ticket_id = suspected;
    id := suspected;
    lease_no := own_lease;
    suspect := true;
    RETURN NEXT;
  END IF;
  -- What comes after the last that has room is not measured: it may be a thousand times the room.
  FOR each IN
    SELECT t.id, b.payload_bytes, b.payload, b.follows AND b.kind <> 'workflow' AS takes_results
    FROM unnest(taken) WITH ORDINALITY AS t (id, place)
    JOIN ticket_base b ON b.id = ANY (ARRAY[t.id])
    LEFT JOIN designs d ON d.id = b.design_id
    WHERE b.crash_count = 0
      AND (b.payload_bytes <= small_bytes AND b.guidance_count = 0 AND b.follows IS NULL
        AND (b.title IS NULL OR octet_length(b.title) <= small_bytes)
        AND (d.id IS NULL OR pg_column_size(d.definition) <= small_bytes)) IS NOT TRUE
    ORDER BY t.place
  LOOP
    IF room_bytes <= 0 THEN
      put_back := put_back || each.id;
      CONTINUE;
    END IF;
    large := large || each.id;
    room_bytes := room_bytes - GREATEST(COALESCE(each.payload_bytes, measured_bytes(each.payload)), 1);
    IF each.takes_results THEN
      FOR given IN
        SELECT b.result FROM ticket_dependencies d JOIN ticket_base b ON b.id = d.after_id
        WHERE d.ticket_id = each.id AND d.name IS NOT NULL AND b.result IS NOT NULL
      LOOP
        EXIT WHEN room_bytes <= 0;
        room_bytes := room_bytes - measured_bytes(given.result);
      END LOOP;
    END IF;
  END LOOP;
  INSERT INTO suspects (priority, created_at, id, queue, kind)
  SELECT b.priority, b.created_at, b.id, b.queue, b.kind FROM ticket_base b WHERE b.id = ANY (waiting);
  -- They run one after the other, and hold no place meanwhile: take_place gives each one when it starts.
  DELETE FROM line_slots s WHERE s.ticket_id = ANY (waiting);
  IF FOUND THEN
    PERFORM wake_lines();
  END IF;
  INSERT INTO ready (priority, created_at, id, queue, kind)
  SELECT b.priority, b.created_at, b.id, b.queue, b.kind FROM ticket_base b WHERE b.id = ANY (put_back);
  IF put_back IS NOT NULL THEN
    -- What is put back has used up neither a place nor a token of a rate, whose gate this claim has locked.
    DELETE FROM line_slots s WHERE s.ticket_id = ANY (put_back);
    UPDATE limit_gates g SET full_at = g.full_at - p.n * x.per / x.rate
    FROM claim_limits x CROSS JOIN LATERAL (
      SELECT count(*) AS n FROM ticket_base b LEFT JOIN designs d ON d.id = b.design_id
      WHERE b.id = ANY (put_back) AND (b.queue = x.queue OR d.name = x.design)) p
    WHERE g.scope = x.scope AND x.rate IS NOT NULL AND p.n > 0;
  END IF;
  taken := ARRAY(
    SELECT t.id FROM unnest(taken) AS t (id)
    WHERE t.id <> ALL (waiting) AND t.id IS DISTINCT FROM suspected AND t.id <> ALL (COALESCE(put_back, '{}')));
  IF cardinality(taken) > 0 THEN
    INSERT INTO leases (id, claimed_at, expires_at, worker_id, ids, for_ms) VALUES (new_lease, now(), until, for_worker, taken, for_ms);
    RETURN QUERY SELECT u.id, new_lease, false FROM unnest(large) AS u (id);
  END IF;
END
$function$;
COMMENT ON FUNCTION holdfast.take_apart(bigint[],bigint,bigint,text,bigint,integer,bigint,integer) IS 'The part of take_tickets for what is large, of unknown size or suspect.';
GRANT EXECUTE ON FUNCTION holdfast.take_apart(bigint[],bigint,bigint,text,bigint,integer,bigint,integer) TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.take_from_lines(of_kinds text[], from_queues text[], most bigint, under_lease bigint, before_ready boolean, one_by_one boolean, OUT ids bigint[], OUT again_ms double precision)
 RETURNS record
 LANGUAGE plpgsql
 SET search_path TO 'holdfast', 'pg_temp'
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET jit TO 'off'
AS $function$
#variable_conflict use_column
DECLARE
  top integer; -- the highest priority in ready
  looked boolean := false;
  aged boolean := before_ready AND random() < 0.1;
  half bigint := most / 2 + (random() < 0.5 AND most % 2 = 1)::integer;
  room bigint := most;
  used_up text[]; -- queues whose rates have no token now: a look at each of their lines would cost more than all of this
  n record;
  t record;
BEGIN
  ids := '{}';
  SELECT COALESCE(array_agg(x.queue), '{}'),
    min((1 - tokens_left(x, l.full_at)) * extract(epoch FROM x.per)::double precision * 1000 / x.rate)
  INTO used_up, again_ms
  FROM claim_limits x JOIN limit_gates l ON l.scope = x.scope
  WHERE x.queue IS NOT NULL AND x.rate IS NOT NULL AND tokens_left(x, l.full_at) < 1
    AND (cardinality(from_queues) = 0 OR x.queue = ANY (from_queues));
  FOR n IN
    WITH RECURSIVE lines AS (
      SELECT g.line, w.priority FROM line_gates g
      JOIN queues q ON q.name = g.queue AND q.paused_at IS NULL
      CROSS JOIN LATERAL (SELECT w.priority FROM in_line w WHERE w.line = g.line ORDER BY ~w.priority LIMIT 1) w
      WHERE g.kind = ANY (of_kinds) AND (cardinality(from_queues) = 0 OR g.queue = ANY (from_queues)) AND g.queue <> ALL (used_up)
      UNION ALL
      SELECT l.line, w.priority FROM lines l CROSS JOIN LATERAL (
        SELECT w.priority FROM in_line w WHERE w.line = l.line AND ~w.priority > ~l.priority ORDER BY ~w.priority LIMIT 1) w
    )
    SELECT l.line, l.priority, f.fair FROM lines l CROSS JOIN LATERAL (
      SELECT aged AND EXISTS (
        SELECT FROM in_line w WHERE w.line = l.line AND ~w.priority = ~l.priority AND w.turn_group >= 'f' AND w.turn_group < 'g') AS fair) f
    ORDER BY CASE WHEN f.fair THEN random() ELSE 2 END, ~l.priority, random()
  LOOP
    IF before_ready AND NOT looked THEN
      -- Not before it is asked for: this passes what was taken from ready since the last vacuum.
      SELECT max(r.priority) INTO top
      FROM lanes l JOIN queues q ON q.name = l.queue AND q.paused_at IS NULL
      CROSS JOIN LATERAL (
        SELECT r.priority FROM ready r WHERE r.queue = l.queue AND r.kind = l.kind ORDER BY ~r.priority, r.created_at, r.id LIMIT 1) r
      WHERE l.kind = ANY (of_kinds) AND (cardinality(from_queues) = 0 OR l.queue = ANY (from_queues));
      looked := true;
    END IF;
    EXIT WHEN room <= 0 OR n.priority < top AND NOT n.fair;
    SELECT * INTO t FROM take_turns(n.line, n.priority,
      CASE WHEN n.priority > top OR top IS NULL THEN room ELSE LEAST(room, half) END, under_lease, one_by_one);
    ids := ids || t.ids;
    room := room - cardinality(t.ids);
    IF n.priority <= top THEN
      half := half - cardinality(t.ids);
    END IF;
    again_ms := LEAST(again_ms, t.again_ms);
  END LOOP;
END
$function$;
COMMENT ON FUNCTION holdfast.take_from_lines(text[],text[],bigint,bigint,boolean,boolean) IS 'Takes up to most tickets from the lines that a worker may claim of; before_ready: only what should go before those in ready, and a share beside them; one_by_one: after a refusal, past what is refused.';
GRANT EXECUTE ON FUNCTION holdfast.take_from_lines(text[],text[],bigint,bigint,boolean,boolean) TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.take_place(suspected bigint, under_lease bigint)
 RETURNS boolean
 LANGUAGE plpgsql
 SET search_path TO 'holdfast', 'pg_temp'
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET jit TO 'off'
AS $function$
DECLARE
  x claim_limits;
  b ticket_base;
  of_design text;
  counted boolean := false;
BEGIN
  -- An earlier version let it keep its place while it waited.
  IF EXISTS (SELECT FROM line_slots s WHERE s.ticket_id = suspected) THEN
    RETURN true;
  END IF;
  SELECT * INTO b FROM ticket_base t WHERE t.id = suspected;
  of_design := COALESCE((SELECT d.name FROM designs d WHERE d.id = b.design_id), '');
  FOR x IN
    SELECT * FROM claim_limits c WHERE (c.queue = b.queue OR c.design = of_design) AND num_nonnulls(c.concurrent, c.per_key) > 0 ORDER BY c.scope
  LOOP
    PERFORM FROM limit_gates g WHERE g.scope = x.scope FOR UPDATE SKIP LOCKED;
    IF NOT FOUND OR open_for_key(x, COALESCE(b.concurrency_key, '')) = 0 OR x.concurrent <= (
        SELECT count(*) FROM line_slots s WHERE s.queue = x.queue OR s.design = x.design AND s.design <> '') THEN
      RETURN false;
    END IF;
    counted := true;
  END LOOP;
  INSERT INTO line_slots (ticket_id, lease_no, queue, concurrency_key, design)
  SELECT b.id, under_lease, b.queue, COALESCE(b.concurrency_key, ''), of_design WHERE counted;
  RETURN true;
END
$function$;
COMMENT ON FUNCTION holdfast.take_place(bigint,bigint) IS 'Gives a suspect that starts its place under the limits that count it, whose gates it locks; false where none is free, or another claim has a gate.';
GRANT EXECUTE ON FUNCTION holdfast.take_place(bigint,bigint) TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.take_provider_probe(of_provider text, of_key text, of_model text, by_worker text, for_ms bigint)
 RETURNS TABLE(answer text, wait_ms double precision)
 LANGUAGE plpgsql
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
DECLARE
  c provider_cooldowns;
  at timestamptz;
BEGIN
  SELECT * INTO c FROM provider_cooldowns p WHERE p.provider = of_provider AND p.key_id = of_key AND p.model = of_model FOR UPDATE;
  at := clock_timestamp();
  IF NOT FOUND OR c.until IS NULL THEN
    RETURN QUERY SELECT 'open'::text, 0::double precision;
  ELSIF c.until = 'infinity' THEN
    RETURN QUERY SELECT 'unavailable'::text, 0::double precision;
  ELSIF c.until > at THEN
    RETURN QUERY SELECT 'cooling'::text, extract(epoch FROM c.until - at)::double precision * 1000;
  ELSIF c.probe_until > at THEN
    RETURN QUERY SELECT 'busy'::text, extract(epoch FROM c.probe_until - at)::double precision * 1000;
  ELSE
    UPDATE provider_cooldowns p SET probe_by = by_worker, probe_until = at + for_ms * interval '1 millisecond'
    WHERE p.provider = of_provider AND p.key_id = of_key AND p.model = of_model;
    PERFORM pg_notify('holdfast_providers', '');
    RETURN QUERY SELECT 'probe'::text, 0::double precision;
  END IF;
END
$function$;
COMMENT ON FUNCTION holdfast.take_provider_probe(text,text,text,text,bigint) IS 'After a cool-down''s end: probe where the caller is the one who tries, else how long to wait.';
GRANT EXECUTE ON FUNCTION holdfast.take_provider_probe(text,text,text,text,bigint) TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.take_request_key(key text, request_hash text)
 RETURNS bigint
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
#variable_conflict use_column
DECLARE
  k request_keys;
BEGIN
  -- The key itself first: those that are taken away with it are the oldest 20, and it may not be among them.
  DELETE FROM request_keys r WHERE r.key = take_request_key.key AND r.created_at <= now() - interval '24 hours';
  DELETE FROM request_keys WHERE key IN (
    SELECT r.key FROM request_keys r WHERE r.created_at < now() - interval '24 hours' ORDER BY r.created_at LIMIT 20
    FOR UPDATE SKIP LOCKED);
  LOOP
    INSERT INTO request_keys AS r (key, request_hash) VALUES (take_request_key.key, take_request_key.request_hash)
    ON CONFLICT DO NOTHING;
    IF FOUND THEN
      RETURN NULL;
    END IF;
    SELECT * INTO k FROM request_keys r WHERE r.key = take_request_key.key;
    IF FOUND THEN
      EXIT;
    END IF;
  END LOOP;
  IF k.request_hash <> take_request_key.request_hash THEN
    RAISE EXCEPTION 'this Idempotency-Key was used for another request' USING ERRCODE = 'HF422', HINT = 'Send a new key.';
  END IF;
  RETURN k.ticket_id;
END
$function$;
COMMENT ON FUNCTION holdfast.take_request_key(text,text) IS 'NULL where the key is new, else the ticket that was made under it; waits for whoever is about to make it.';
GRANT EXECUTE ON FUNCTION holdfast.take_request_key(text,text) TO holdfast_operator, holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.take_tickets(of_kinds text[], from_queues text[], at_most integer, for_worker text, for_ms bigint, behind_ids bigint[], small_bytes integer, room_bytes bigint, suspects_at_most integer)
 RETURNS TABLE(promoted bigint, next_due_ms double precision, id bigint, queue text, kind text, title text, payload text, priority integer, created_at timestamp with time zone, attempt_count integer, retry_count integer, lease_no bigint, claimed_at timestamp with time zone, expires_at timestamp with time zone, design_id bigint, design_name text, design_version integer, design_kind text, definition text, guidance text, apart boolean, suspect boolean, retry boolean)
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET jit TO 'off'
 SET lock_timeout TO '250ms'
AS $function$
#variable_conflict use_column
DECLARE
  next_due timestamptz;
  again_ms double precision;
  tids tid[];
  taken bigint[];
  met bigint[];
  lined bigint[];
  whole bigint;
  suspected bigint;
  candidate bigint;
  its_queue text;
  its_group text;
  full_groups text[] := '{}';
  room integer := at_most;
  limits_in_use boolean;
  any_suspects boolean;
  new_lease bigint;
  until timestamptz := now() + for_ms * interval '1 millisecond';
BEGIN
  -- One look for all that is mostly not there, for each statement costs a claim: what is due next, limits and keys, suspects.
  SELECT
    -- Before PostgreSQL 17 an infinite time cannot be subtracted from.
    CASE WHEN cardinality(behind_ids) = 0 THEN (
      SELECT d.run_at FROM holdfast.deferred d WHERE d.run_at < 'infinity' ORDER BY d.run_at, d.id LIMIT 1) END,
    EXISTS (SELECT FROM holdfast.line_gates) OR EXISTS (SELECT FROM holdfast.claim_limits),
    suspects_at_most > 0 AND EXISTS (SELECT FROM holdfast.suspects)
  INTO next_due, limits_in_use, any_suspects;
  IF limits_in_use THEN
    new_lease := nextval('holdfast.lease_no_seq');
  END IF;

  IF next_due <= now() THEN
    IF small_bytes < 0 THEN
      promoted := holdfast.promote_singly();
    ELSE
      WITH due AS MATERIALIZED (
        SELECT d.ctid AS tid FROM holdfast.deferred d
        WHERE d.run_at <= now()
        ORDER BY d.run_at, d.id
        LIMIT 1000
        FOR UPDATE SKIP LOCKED
      ), moved AS (
        DELETE FROM holdfast.deferred d WHERE d.ctid = ANY (ARRAY(SELECT tid FROM due))
        RETURNING d.priority, d.created_at, d.id, d.queue, d.kind
      )
      INSERT INTO holdfast.ready (priority, created_at, id, queue, kind)
      SELECT priority, created_at, id, queue, kind FROM moved;
      GET DIAGNOSTICS promoted = ROW_COUNT;
    END IF;
    SELECT d.run_at INTO next_due FROM holdfast.deferred d WHERE d.run_at < 'infinity' ORDER BY d.run_at, d.id LIMIT 1;
  END IF;
  next_due_ms := extract(epoch FROM next_due - now())::double precision * 1000;
  promoted := COALESCE(promoted, 0);

  IF any_suspects THEN
    FOR candidate, its_queue, its_group IN
      SELECT s.id, s.queue, s.queue || chr(1) || COALESCE(b.design_id::text, '') || chr(1)
        || CASE WHEN EXISTS (SELECT FROM holdfast.claim_limits x WHERE x.per_key IS NOT NULL) THEN COALESCE(b.concurrency_key, '') ELSE '' END
      FROM holdfast.suspects s
      JOIN holdfast.queues q ON q.name = s.queue AND q.paused_at IS NULL
      CROSS JOIN LATERAL (SELECT b.fence, b.design_id, b.concurrency_key FROM holdfast.ticket_base b WHERE b.id = s.id LIMIT 1) b
      WHERE s.kind = ANY (of_kinds) AND (cardinality(from_queues) = 0 OR s.queue = ANY (from_queues))
      -- Whose last attempt began longest ago comes first: one that is put off again and again takes turns with the others.
      ORDER BY s.priority DESC, b.fence, s.created_at, s.id
      LIMIT CASE WHEN small_bytes < 0 THEN 100 END
    LOOP
      -- Those in which no limit sees a difference are asked for once: thousands may stand before the first that may start.
      CONTINUE WHEN its_group = ANY (full_groups);
      BEGIN
        PERFORM FROM holdfast.suspects s
        WHERE s.id = candidate AND s.queue = its_queue FOR UPDATE SKIP LOCKED;
        CONTINUE WHEN NOT FOUND;
        IF limits_in_use AND NOT holdfast.take_place(candidate, new_lease) THEN
          full_groups := full_groups || its_group;
          EXIT WHEN cardinality(full_groups) = 100;
          CONTINUE;
        END IF;
        DELETE FROM holdfast.suspects s WHERE s.id = candidate;
        suspected := candidate;
        EXIT;
      EXCEPTION WHEN OTHERS OR query_canceled OR assert_failure THEN
        IF small_bytes >= 0 THEN
          RAISE;
        END IF;
        RAISE WARNING 'ticket % cannot be claimed: % (SQLSTATE %)', candidate, SQLERRM, SQLSTATE;
      END;
    END LOOP;
  END IF;

  room := room - (suspected IS NOT NULL)::integer;
  IF limits_in_use AND room > 0 THEN
    SELECT NULLIF(x.ids, '{}'), x.again_ms INTO taken, again_ms
    FROM holdfast.take_from_lines(of_kinds, from_queues, room, new_lease, true, small_bytes < 0) AS x;
    room := room - COALESCE(cardinality(taken), 0);
  END IF;
  -- Once, unless what is found has to be put in line.
  FOR again IN 1..4 LOOP
    EXIT WHEN room = 0;
    WITH behind AS MATERIALIZED (
      -- One per lane, whatever has been done to those tickets since.
      SELECT DISTINCT ON (b.queue, b.kind) b.queue, b.kind, ~b.priority AS rank, b.created_at, b.id
      FROM unnest(behind_ids) AS a (id)
      CROSS JOIN LATERAL (SELECT * FROM holdfast.ticket_base b WHERE b.id = a.id LIMIT 1) b
      ORDER BY b.queue, b.kind, rank, b.created_at, b.id
    ), picked AS (
      SELECT r.tid, r.id
      FROM holdfast.lanes n
      JOIN holdfast.queues q ON q.name = n.queue AND q.paused_at IS NULL
      LEFT JOIN behind ON behind.queue = n.queue AND behind.kind = n.kind
      CROSS JOIN LATERAL (
        SELECT r.ctid AS tid, r.id, r.priority, r.created_at FROM holdfast.ready r
        WHERE r.queue = n.queue AND r.kind = n.kind
          AND (~r.priority, r.created_at, r.id)
            > (COALESCE(behind.rank, -2147483648), COALESCE(behind.created_at, '-infinity'), COALESCE(behind.id, -9223372036854775808))
        ORDER BY ~r.priority, r.created_at, r.id
        LIMIT room
        FOR UPDATE SKIP LOCKED
      ) r
      WHERE n.kind = ANY (of_kinds) AND (cardinality(from_queues) = 0 OR n.queue = ANY (from_queues))
      ORDER BY r.priority DESC, r.created_at, r.id
      LIMIT room
    )
    SELECT array_agg(p.tid), array_agg(p.id) INTO tids, met FROM picked p;
    -- What has expired stays where it is until hold_expired takes it. One look into an index, and mostly no more.
    IF met IS NOT NULL AND EXISTS (SELECT FROM holdfast.ticket_deadlines e WHERE e.expires_at <= now()) THEN
      SELECT array_agg(u.tid), array_agg(u.id) INTO tids, met FROM unnest(tids, met) AS u (tid, id)
      WHERE NOT EXISTS (SELECT FROM holdfast.ticket_deadlines e WHERE e.ticket_id = u.id AND e.expires_at <= now());
    END IF;
    EXIT WHEN met IS NULL;
    IF small_bytes < 0 THEN
      -- The same claim was refused just now. One by one, whoever is refused stays where it is, and the others do not wait for it.
      FOR place IN 1..cardinality(met) LOOP
        BEGIN
          DELETE FROM holdfast.ready r WHERE r.ctid = tids[place];
        EXCEPTION WHEN OTHERS OR query_canceled OR assert_failure THEN
          RAISE WARNING 'ticket % cannot be claimed: % (SQLSTATE %)', met[place], SQLERRM, SQLSTATE;
          met[place] := NULL;
        END;
      END LOOP;
      met := array_remove(met, NULL);
      EXIT WHEN cardinality(met) = 0;
    ELSE
      DELETE FROM holdfast.ready r WHERE r.ctid = ANY (tids);
    END IF;
    IF NOT limits_in_use THEN
      taken := met;
      EXIT;
    END IF;
    lined := holdfast.line_up_some(met);
    IF lined IS NULL THEN
      taken := taken || met;
      room := room - cardinality(met);
      EXIT;
    END IF;
    met := ARRAY(SELECT u.id FROM unnest(met) WITH ORDINALITY AS u (id, place) WHERE u.id <> ALL (lined) ORDER BY u.place);
    taken := taken || met;
    room := room - cardinality(met);
    again_ms := 0;
  END LOOP;
  IF limits_in_use AND room > 0 THEN
    SELECT taken || x.ids, LEAST(again_ms, x.again_ms) INTO taken, again_ms
    FROM holdfast.take_from_lines(of_kinds, from_queues, room, new_lease, false, small_bytes < 0) AS x;
  END IF;
  next_due_ms := LEAST(next_due_ms, again_ms);
  taken := NULLIF(taken, '{}');
  IF taken IS NULL AND suspected IS NULL THEN
    RETURN NEXT;
    RETURN;
  END IF;

  new_lease := COALESCE(new_lease, nextval('holdfast.lease_no_seq'));
  IF taken IS NOT NULL THEN
    RETURN QUERY
    SELECT
      promoted, next_due_ms,
      b.id, b.queue, b.kind, b.title, b.payload::text, b.priority, b.created_at, b.attempt_count, COALESCE(b.retry_count, 0),
      new_lease, now(), until,
      d.id, d.name, d.version, d.kind, d.definition::text, NULL::text, false, false,
      b.same_error_count > 0
    FROM unnest(taken) WITH ORDINALITY AS t (id, place)
    CROSS JOIN LATERAL (SELECT * FROM holdfast.ticket_base b WHERE b.id = t.id LIMIT 1) b
    LEFT JOIN LATERAL (SELECT * FROM holdfast.designs d WHERE d.id = b.design_id LIMIT 1) d ON true
    WHERE b.payload_bytes <= small_bytes AND b.crash_count = 0 AND b.guidance_count = 0 AND b.follows IS NULL AND b.fence < new_lease
      AND (b.title IS NULL OR octet_length(b.title) <= small_bytes)
      AND (d.id IS NULL OR pg_column_size(d.definition) <= small_bytes)
    ORDER BY t.place;
    GET DIAGNOSTICS whole = ROW_COUNT;
  END IF;
  IF whole = cardinality(taken) AND suspected IS NULL THEN
    INSERT INTO holdfast.leases (id, claimed_at, expires_at, worker_id, ids, for_ms)
    VALUES (new_lease, now(), until, for_worker, taken, for_ms);
    RETURN;
  END IF;
  RETURN QUERY
  SELECT promoted, next_due_ms, x.id, NULL::text, NULL::text, NULL::text, NULL::text, NULL::integer, NULL::timestamptz, NULL::integer,
    NULL::integer, x.lease_no, NULL::timestamptz, NULL::timestamptz, NULL::bigint, NULL::text, NULL::integer, NULL::text, NULL::text,
    NULL::text, true, x.suspect, NULL::boolean
  FROM holdfast.take_apart(
    taken, suspected, new_lease, for_worker, for_ms, small_bytes, room_bytes, suspects_at_most) AS x;
END
$function$;
COMMENT ON FUNCTION holdfast.take_tickets(text[],text[],integer,text,bigint,bigint[],integer,bigint,integer) IS 'Claims up to at_most tickets of these kinds (from_queues empty: of all queues) for for_ms milliseconds. behind_ids is empty for a full claim, else the last ticket claimed of each lane: then nothing that stands before it in its lane is looked at, and nothing is promoted. Whole rows come of what has at most small_bytes; of the rest (apart) only who it is, for claimed_ticket: as many as start within room_bytes. Of suspects it takes suspects_at_most, 0 or 1, under a lease of its own.';
GRANT EXECUTE ON FUNCTION holdfast.take_tickets(text[],text[],integer,text,bigint,bigint[],integer,bigint,integer) TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.take_turns(of_line integer, of_priority integer, most bigint, under_lease bigint, one_by_one boolean, OUT ids bigint[], OUT again_ms double precision)
 RETURNS record
 LANGUAGE plpgsql
 SET search_path TO 'holdfast', 'pg_temp'
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET jit TO 'off'
AS $function$
#variable_conflict use_column
DECLARE
  rank integer := ~of_priority;
  g line_gates;
  ql claim_limits; -- of the queue
  q_slots boolean;
  design_limits boolean := EXISTS (SELECT FROM claim_limits x WHERE x.design IS NOT NULL);
  weights boolean := EXISTS (SELECT FROM fairness_weights);
  expiring boolean := EXISTS (SELECT FROM ticket_deadlines e WHERE e.expires_at <= now());
  careful boolean := expiring OR one_by_one; -- the first of a group may be expired or refused, or somebody has it locked
  plain boolean := NOT (careful OR weights OR design_limits); -- a turn is one ticket, and each group has a turn of its own
  refused bigint[] := '{}'; -- what the database does not let go
  refused_before bigint := 0;
  locked text[] := '{}'; -- designs whose gates this claim has
  closed text[] := '{}'; -- and those that another one has
  asked text[];
  each text;
  room bigint := most;
  quota bigint := 1;
  going_on text; -- the key whose turn the last claim began
  used_before bigint; -- what that key had of it
  used bigint;
  pos text; -- the walk goes on behind this group
  start text;
  until text; -- the last group of this part of the round; NULL: the last one there is
  chunk bigint;
  walked bigint := 0;
  groups bigint;
  last_group text;
  last_taken text; -- the key of the last ticket taken
  last_weight bigint;
  of_last bigint; -- how many were taken of it
  shared boolean;
  in_round bigint := 0;
  tids tid[];
  moved bigint[];
  moved_designs text[];
BEGIN
  ids := '{}';
  SELECT * INTO g FROM line_gates x WHERE x.line = of_line FOR UPDATE SKIP LOCKED;
  IF NOT FOUND THEN
    again_ms := 3;
    RETURN;
  END IF;
  SELECT * INTO ql FROM claim_limits x WHERE x.queue = g.queue;
  q_slots := ql.concurrent IS NOT NULL OR ql.per_key IS NOT NULL;
  IF ql.scope IS NOT NULL THEN
    PERFORM FROM limit_gates x WHERE x.scope = ql.scope FOR UPDATE SKIP LOCKED;
    IF NOT FOUND THEN
      again_ms := 3;
      RETURN;
    END IF;
    room := LEAST(room, open_places(ql));
  END IF;
  start := COALESCE(g.turns -> of_priority::text ->> 0, g.last_group);
  used_before := COALESCE((g.turns -> of_priority::text ->> 1)::bigint, 0);
  used := used_before;
  IF used > 0 THEN
    going_on := start;
  END IF;
  pos := start;
  WHILE room > 0 LOOP
    -- Mostly all groups of the first walk have a free place.
    chunk := LEAST(CASE WHEN walked = 0 THEN room ELSE 2 * room END + 8, 2000);
    IF plain AND quota = 1 THEN
      -- Mostly whose turn it is can be seen in passing. The walk ends where two groups have one turn between them, or may have one key.
      WITH RECURSIVE n AS (
        (SELECT w.turn_group, split_part(w.turn_group, chr(1), 1) AS turn_key, w.concurrency_key, w.ctid AS tid, 1 AS no, false AS shared
         FROM in_line w
         WHERE w.line = of_line AND ~w.priority = rank AND w.turn_group > pos AND (until IS NULL OR w.turn_group <= until)
         ORDER BY w.turn_group, w.created_at, w.id LIMIT 1)
        UNION ALL
        SELECT m.turn_group, m.turn_key, m.concurrency_key, m.tid, n.no + 1,
          m.turn_key = n.turn_key OR ql.per_key IS NOT NULL AND m.concurrency_key <> '' AND m.turn_key >= 'f'
        FROM n CROSS JOIN LATERAL (
          SELECT w.turn_group, split_part(w.turn_group, chr(1), 1) AS turn_key, w.concurrency_key, w.ctid AS tid FROM in_line w
          WHERE w.line = of_line AND ~w.priority = rank AND w.turn_group > n.turn_group AND (until IS NULL OR w.turn_group <= until)
          ORDER BY w.turn_group, w.created_at, w.id LIMIT 1) m
        WHERE n.no < chunk AND NOT n.shared
      ), open AS (
        SELECT n.tid, n.turn_key FROM n
        WHERE ql.per_key IS NULL OR n.concurrency_key = '' OR ql.per_key > (
          SELECT count(*) FROM line_slots s WHERE s.queue = g.queue AND s.concurrency_key = n.concurrency_key)
        LIMIT room
      )
      SELECT x.groups, x.last_group, x.shared, y.tids, y.last_taken, 1, 1 INTO groups, last_group, shared, tids, last_taken, last_weight, of_last
      FROM (SELECT count(*) AS groups, (array_agg(n.turn_group))[count(*)] AS last_group, bool_or(n.shared) AS shared FROM n) x,
        (SELECT array_agg(o.tid) AS tids, (array_agg(o.turn_key))[count(*)] AS last_taken FROM open o) y; -- as the walk is ordered
      IF shared THEN
        plain := false;
        CONTINUE;
      END IF;
    ELSE
      WITH RECURSIVE n AS (
        (SELECT w.turn_group, w.concurrency_key, w.design, w.created_at, w.id, w.ctid AS tid, 1 AS no FROM in_line w
         WHERE w.line = of_line AND ~w.priority = rank AND w.turn_group > pos
         ORDER BY w.turn_group, w.created_at, w.id LIMIT 1)
        UNION ALL
        SELECT m.turn_group, m.concurrency_key, m.design, m.created_at, m.id, m.tid, n.no + 1
        FROM n CROSS JOIN LATERAL (
          SELECT w.turn_group, w.concurrency_key, w.design, w.created_at, w.id, w.ctid AS tid FROM in_line w
          WHERE w.line = of_line AND ~w.priority = rank AND w.turn_group > n.turn_group
          ORDER BY w.turn_group, w.created_at, w.id LIMIT 1) m
        WHERE n.no < chunk
      ), part AS MATERIALIZED (
        SELECT n.*, split_part(n.turn_group, chr(1), 1) AS turn_key FROM n WHERE until IS NULL OR n.turn_group <= until
      ), limited AS MATERIALIZED (
        SELECT x.design, x.per_key, CASE WHEN x.design = ANY (closed) THEN 0 ELSE open_places(x) END AS places FROM claim_limits x
        WHERE design_limits AND x.design = ANY (ARRAY(SELECT DISTINCT p.design FROM part p))
      ), open AS MATERIALIZED (
        SELECT p.*, l.places AS of_design,
          f.weight, LEAST(quota * f.weight - CASE WHEN p.turn_key = going_on THEN used % f.weight ELSE 0 END, room) AS turn,
          CASE WHEN ql.per_key IS NOT NULL AND p.concurrency_key <> '' THEN ql.per_key - (
            SELECT count(*) FROM line_slots s WHERE s.queue = g.queue AND s.concurrency_key = p.concurrency_key) END AS q_key,
          CASE WHEN l.per_key IS NOT NULL AND p.concurrency_key <> '' THEN l.per_key - (
            SELECT count(*) FROM line_slots s WHERE s.design = p.design AND s.design <> '' AND s.concurrency_key = p.concurrency_key) END AS d_key
        FROM part p LEFT JOIN limited l ON l.design = p.design
        CROSS JOIN LATERAL (SELECT CASE WHEN weights
          THEN COALESCE((SELECT f.weight FROM fairness_weights f WHERE f.fairness_key = substr(p.turn_key, 2)), 1) ELSE 1 END AS weight) f
      ), candidates AS (
        -- The first of each group is known from the walk.
        SELECT o.no, o.turn_key, o.concurrency_key, o.design, o.weight, o.turn, o.q_key, o.of_design, o.d_key, o.tid, o.id, o.created_at FROM open o
        WHERE NOT careful AND LEAST(o.turn, o.q_key, o.of_design, o.d_key) > 0
        UNION ALL
        SELECT o.no, o.turn_key, o.concurrency_key, o.design, o.weight, o.turn, o.q_key, o.of_design, o.d_key, t.tid, t.id, t.created_at FROM open o
        CROSS JOIN LATERAL (
          SELECT w.ctid AS tid, w.id, w.created_at FROM in_line w
          WHERE w.line = of_line AND ~w.priority = rank AND w.turn_group = o.turn_group AND (w.created_at, w.id) >= (o.created_at, o.id)
            AND (careful OR w.id <> o.id) AND w.id <> ALL (refused)
            AND (NOT expiring OR NOT EXISTS (SELECT FROM ticket_deadlines e WHERE e.ticket_id = w.id AND e.expires_at <= now()))
          ORDER BY w.created_at, w.id
          LIMIT GREATEST(LEAST(o.turn, o.q_key, o.of_design, o.d_key) - CASE WHEN careful THEN 0 ELSE 1 END, 0)
          FOR UPDATE SKIP LOCKED
        ) t
        WHERE careful OR LEAST(o.turn, o.q_key, o.of_design, o.d_key) > 1
      ), turns AS MATERIALIZED (
        SELECT c.*, row_number() OVER (PARTITION BY c.turn_key ORDER BY c.created_at, c.id) AS of_turn FROM candidates c
      ), turned AS MATERIALIZED (
        -- Places are counted of these only: one whose turn it is not must not use any up. The first of these always starts.
        SELECT t.*, row_number() OVER (PARTITION BY t.concurrency_key ORDER BY t.no) AS of_key_no FROM turns t WHERE t.of_turn <= t.turn
      ), ranked AS (
        -- Mostly no design has a limit, and nothing is sorted by designs.
        SELECT t.*, NULL::bigint AS of_design_no, NULL::bigint AS of_both_no FROM turned t WHERE t.of_design IS NULL
        UNION ALL
        SELECT t.*, row_number() OVER (PARTITION BY t.design ORDER BY t.no), row_number() OVER (PARTITION BY t.design, t.concurrency_key ORDER BY t.no)
        FROM turned t WHERE t.of_design IS NOT NULL
      ), taken AS (
        SELECT r.* FROM ranked r
        WHERE (r.of_design IS NULL OR r.of_design_no <= r.of_design)
          AND (r.q_key IS NULL OR r.of_key_no <= r.q_key) AND (r.d_key IS NULL OR r.of_both_no <= r.d_key)
        ORDER BY r.no, r.created_at, r.id
        LIMIT room
      )
      SELECT (SELECT count(*) FROM part), (SELECT p.turn_group FROM part p ORDER BY p.no DESC LIMIT 1),
        array_agg(t.tid), (array_agg(t.turn_key))[count(*)], (array_agg(t.weight))[count(*)], -- as taken is ordered
        (SELECT count(*) FROM taken x WHERE x.turn_key = (SELECT y.turn_key FROM taken y ORDER BY y.no DESC LIMIT 1)),
        array_agg(DISTINCT t.design) FILTER (WHERE t.of_design IS NOT NULL AND t.design <> ALL (locked))
      INTO groups, last_group, tids, last_taken, last_weight, of_last, asked
      FROM taken t;
    END IF;
    walked := walked + groups;

    -- Designs with limits: their gates first, then the same look once more.
    IF asked IS NOT NULL THEN
      FOREACH each IN ARRAY asked LOOP
        PERFORM FROM limit_gates x WHERE x.scope = 'design:' || each FOR UPDATE SKIP LOCKED;
        IF FOUND THEN
          locked := locked || each;
        ELSE
          closed := closed || each;
          again_ms := 3;
        END IF;
      END LOOP;
      CONTINUE;
    END IF;

    IF one_by_one THEN
      -- The same claim was refused just now: what is refused stays in line, and the others do not wait for it.
      refused_before := cardinality(refused);
      refused := refused || refused_in_line(tids);
      CONTINUE WHEN cardinality(refused) > refused_before;
    END IF;

    moved := NULL;
    IF tids IS NOT NULL THEN
      WITH gone AS (
        DELETE FROM in_line w WHERE w.ctid = ANY (ARRAY(SELECT x.ctid FROM in_line x WHERE x.ctid = ANY (tids) FOR UPDATE SKIP LOCKED))
        RETURNING w.id, w.concurrency_key, w.design
      ), counted AS (
        INSERT INTO line_slots (ticket_id, lease_no, queue, concurrency_key, design)
        SELECT d.id, under_lease, g.queue, d.concurrency_key, d.design FROM gone d
        WHERE q_slots OR design_limits AND EXISTS (
          SELECT FROM claim_limits x WHERE x.design = d.design AND (x.concurrent IS NOT NULL OR x.per_key IS NOT NULL))
      )
      SELECT array_agg(d.id), array_agg(d.design) INTO moved, moved_designs FROM gone d;
      IF moved IS NOT NULL THEN
        ids := ids || moved;
        room := room - cardinality(moved);
        in_round := in_round + cardinality(moved);
        IF ql.rate IS NOT NULL THEN
          PERFORM use_tokens(ql, cardinality(moved));
        END IF;
        IF design_limits THEN
          PERFORM use_tokens(x, (SELECT count(*) FROM unnest(moved_designs) AS d (design) WHERE d.design = x.design))
          FROM claim_limits x WHERE x.design = ANY (moved_designs) AND x.rate IS NOT NULL;
        END IF;
      END IF;
    END IF;
    IF NOT careful AND cardinality(moved) IS DISTINCT FROM cardinality(tids) THEN
      careful := true;
      plain := false;
      CONTINUE;
    END IF;
    IF room <= 0 AND last_taken IS NOT NULL THEN
      used := (of_last + CASE WHEN last_taken = going_on THEN used ELSE 0 END) % last_weight;
      pos := last_taken || CASE WHEN used = 0 THEN chr(2) ELSE '' END; -- behind all groups of that key, or before them
      EXIT;
    END IF;
    IF groups > 0 THEN
      pos := last_group;
    END IF;
    IF groups = chunk THEN
      IF walked > 3000 THEN
        -- Not at once: thousands of keys may be busy for hours. Who ends an attempt wakes workers before.
        again_ms := LEAST(again_ms, 100);
        used := 0;
        EXIT;
      END IF;
    ELSIF until IS NULL THEN
      pos := '';
      until := start;
    ELSE
      -- Once around. Longer turns for those who have more, if anybody had any.
      pos := start;
      until := NULL;
      EXIT WHEN in_round = 0;
      -- After some rounds with one ticket each it would overflow.
      quota := LEAST(GREATEST(quota * room / (in_round + used), 1), most);
      in_round := 0;
      going_on := NULL;
      used := 0;
    END IF;
  END LOOP;
  IF pos <> start OR used <> used_before THEN
    -- Some priorities are enough: who uses a hundred of them goes on where the last claim of any ended.
    UPDATE line_gates x SET last_group = pos, turns = jsonb_build_object(of_priority::text, jsonb_build_array(pos, used))
      || CASE WHEN (SELECT count(*) FROM jsonb_object_keys(x.turns - of_priority::text)) < 15 THEN x.turns - of_priority::text ELSE '{}' END
    WHERE x.line = of_line;
  END IF;
  -- When the next token comes, of the queue or of a design.
  IF ql.rate IS NOT NULL OR design_limits THEN
    again_ms := LEAST(again_ms, (
      SELECT min((1 - tokens_left(x, l.full_at)) * extract(epoch FROM x.per)::double precision * 1000 / x.rate)
      FROM claim_limits x JOIN limit_gates l ON l.scope = x.scope
      WHERE x.rate IS NOT NULL AND (x.queue = g.queue OR x.design IS NOT NULL) AND tokens_left(x, l.full_at) < 1));
  END IF;
END
$function$;
COMMENT ON FUNCTION holdfast.take_turns(integer,integer,bigint,bigint,boolean) IS 'Takes tickets of a line and a priority for a claim. again_ms says when to ask again, where a gate was locked, a walk too long or a rate used up.';
GRANT EXECUTE ON FUNCTION holdfast.take_turns(integer,integer,bigint,bigint,boolean) TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.tell_end_of_outage()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
BEGIN
  IF NOT EXISTS (SELECT FROM provider_cooldowns c WHERE c.provider = OLD.provider AND c.told_at IS NOT NULL) THEN
    PERFORM log_activity(NULL, 'provider_outage_over', 'system', jsonb_build_object('provider', OLD.provider, 'since', OLD.since,
      'reason', OLD.reason, 'detail', OLD.detail));
  END IF;
  RETURN NULL;
END
$function$;
COMMENT ON FUNCTION holdfast.tell_end_of_outage() IS 'Notes in ticket_activity that a provider whose outage people were told of answers again, or was mended.';
GRANT EXECUTE ON FUNCTION holdfast.tell_end_of_outage() TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.tell_outages(after_ms bigint)
 RETURNS SETOF text
 LANGUAGE plpgsql
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
DECLARE
  o record;
BEGIN
  IF after_ms <= 0 OR NOT EXISTS (SELECT FROM provider_cooldowns c WHERE c.told_at IS NULL AND outage_of(c) >= after_ms * interval '1 millisecond')
      OR NOT pg_try_advisory_xact_lock(hashtext('holdfast.tell_outages')) THEN
    RETURN;
  END IF;
  FOR o IN
    SELECT c.provider, min(c.since) AS since, min(c.reason) AS reason, min(c.detail) AS detail
    FROM provider_cooldowns c
    WHERE outage_of(c) >= after_ms * interval '1 millisecond'
      -- One key of several is no outage while the others work on.
      AND (c.key_id = '' OR EXISTS (
        SELECT FROM awaited_providers a WHERE a.provider = c.provider AND a.scope = c.provider || '/' || c.key_id || '/' || c.model))
      AND NOT EXISTS (SELECT FROM provider_cooldowns t WHERE t.provider = c.provider AND t.told_at IS NOT NULL)
    GROUP BY c.provider ORDER BY c.provider
  LOOP
    UPDATE provider_cooldowns c SET told_at = clock_timestamp()
    WHERE c.provider = o.provider AND outage_of(c) >= after_ms * interval '1 millisecond';
    PERFORM log_activity(NULL, 'provider_outage', 'system', jsonb_build_object('provider', o.provider, 'since', o.since, 'reason', o.reason,
      'detail', o.detail));
    RETURN NEXT outage_words(o.provider, o.since, o.reason, o.detail);
  END LOOP;
END
$function$;
COMMENT ON FUNCTION holdfast.tell_outages(bigint) IS 'Notes in ticket_activity, once in an outage, that a provider has not answered for so long; returns the words for those that are new. Workers call it now and then.';
GRANT EXECUTE ON FUNCTION holdfast.tell_outages(bigint) TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.ticket_version(lease_no bigint, updated_at timestamp with time zone)
 RETURNS text
 LANGUAGE sql
 STABLE
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
  SELECT lease_no || '-' || (extract(epoch FROM updated_at) * 1000000)::bigint
$function$;
COMMENT ON FUNCTION holdfast.ticket_version(bigint,timestamp with time zone) IS 'Changes whenever a ticket does: its ETag. Of the columns lease_no and updated_at of tickets.';
GRANT EXECUTE ON FUNCTION holdfast.ticket_version(bigint,timestamp with time zone) TO holdfast_designer, holdfast_operator, holdfast_viewer, holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.tokens_left(x holdfast.claim_limits, full_at timestamp with time zone)
 RETURNS double precision
 LANGUAGE sql
 STABLE
AS $function$
  SELECT x.burst - GREATEST(extract(epoch FROM GREATEST(full_at, now()) - now()), 0)::double precision
    * x.rate / extract(epoch FROM x.per)::double precision + 1e-6
$function$;
COMMENT ON FUNCTION holdfast.tokens_left(holdfast.claim_limits,timestamp with time zone) IS 'How many tickets may start under a rate now, with fractions; full_at as in limit_gates.';
GRANT EXECUTE ON FUNCTION holdfast.tokens_left(holdfast.claim_limits,timestamp with time zone) TO holdfast_designer, holdfast_operator, holdfast_viewer, holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.trace_batch(batch_id bigint, traceparent text)
 RETURNS bigint
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'holdfast', 'pg_temp'
 SET enable_seqscan TO 'off'
AS $function$
#variable_conflict use_variable
DECLARE
  n bigint;
BEGIN
  PERFORM require_traceparent(traceparent);
  INSERT INTO ticket_traces SELECT b.id, traceparent FROM ticket_base b WHERE b.batch_id = trace_batch.batch_id ON CONFLICT DO NOTHING;
  GET DIAGNOSTICS n = ROW_COUNT;
  RETURN n;
END
$function$;
COMMENT ON FUNCTION holdfast.trace_batch(bigint,text) IS 'Says under which trace all tickets of a batch were enqueued, of those that have none yet; returns how many.';
GRANT EXECUTE ON FUNCTION holdfast.trace_batch(bigint,text) TO holdfast_operator, holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.trace_copied_tickets(after_id bigint, traceparent text)
 RETURNS bigint
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'holdfast', 'pg_temp'
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET jit TO 'off'
AS $function$
#variable_conflict use_variable
DECLARE
  n bigint;
BEGIN
  PERFORM require_traceparent(traceparent);
  INSERT INTO ticket_traces SELECT b.id, traceparent FROM ticket_base b
  WHERE b.id > after_id AND (b.xmin = pg_current_xact_id()::xid OR is_of_savepoint(b.xmin)) ON CONFLICT DO NOTHING;
  GET DIAGNOSTICS n = ROW_COUNT;
  RETURN n;
END
$function$;
COMMENT ON FUNCTION holdfast.trace_copied_tickets(bigint,text) IS 'Says under which trace this transaction has enqueued what is new since the sequence of the ids was at after_id, of those tickets that have none yet; returns how many.';
GRANT EXECUTE ON FUNCTION holdfast.trace_copied_tickets(bigint,text) TO holdfast_operator, holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.trace_ticket(ticket_id bigint, traceparent text)
 RETURNS bigint
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
#variable_conflict use_variable
BEGIN
  PERFORM require_traceparent(traceparent);
  IF NOT EXISTS (SELECT FROM ticket_base b WHERE b.id = ticket_id) THEN
    RAISE EXCEPTION 'there is no ticket %', ticket_id USING ERRCODE = 'HF404';
  END IF;
  INSERT INTO ticket_traces VALUES (ticket_id, traceparent) ON CONFLICT DO NOTHING;
  RETURN ticket_id;
END
$function$;
COMMENT ON FUNCTION holdfast.trace_ticket(bigint,text) IS 'Says under which trace a ticket was enqueued, and returns its id: SELECT holdfast.trace_ticket(holdfast.enqueue_ticket(design => ''hello''), ''00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01''). The first one counts.';
GRANT EXECUTE ON FUNCTION holdfast.trace_ticket(bigint,text) TO holdfast_operator, holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.turn_group(fairness_key text, concurrency_key text, design text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE
AS $function$
  SELECT COALESCE('f' || fairness_key, 'c' || concurrency_key, '-') || chr(1) || COALESCE(concurrency_key, '') || chr(1) || COALESCE(design, '')
$function$;
COMMENT ON FUNCTION holdfast.turn_group(text,text,text) IS 'As in in_line.turn_group.';
GRANT EXECUTE ON FUNCTION holdfast.turn_group(text,text,text) TO holdfast_designer, holdfast_operator, holdfast_viewer, holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.undo_release(release_key text, actor text, at_most integer DEFAULT NULL::integer, within interval DEFAULT '00:01:00'::interval)
 RETURNS TABLE(ticket_id bigint, state text, taken_back boolean)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'holdfast', 'pg_temp'
 SET enable_seqscan TO 'off'
AS $function$
#variable_conflict use_column
DECLARE
  last_at timestamptz := (SELECT max(r.released_at) FROM released_holds r WHERE r.release_key = undo_release.release_key);
  t ticket_base;
  h released_holds;
  chosen integer;
  undone integer := 0;
BEGIN
  PERFORM require_words('actor', actor);
  IF last_at <= now() - within THEN
    RAISE EXCEPTION 'too late to undo the release: its last ticket was released at %',
      to_char(last_at AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS"Z"')
      USING ERRCODE = 'HF409', HINT = 'hold_ticket holds what is still ready.';
  END IF;
  -- Where somebody else has just taken back all that were chosen, there may be more behind them.
  LOOP
    chosen := 0;
    FOR t IN
      -- Those that were released last come last: the time that is given counts from them. By id, as everybody locks tickets.
      SELECT b.* FROM (
        SELECT r.ticket_id FROM released_holds r WHERE r.release_key = undo_release.release_key ORDER BY r.released_at LIMIT at_most
      ) r JOIN ticket_base b ON b.id = r.ticket_id ORDER BY b.id FOR UPDATE OF b
    LOOP
      chosen := chosen + 1;
      -- Whoever was faster may have taken it back already, or released it anew.
      SELECT * INTO h FROM released_holds r WHERE r.ticket_id = t.id AND r.release_key = undo_release.release_key;
      CONTINUE WHEN NOT FOUND;
      ticket_id := t.id;
      taken_back := restore_hold(t, h, actor);
      IF NOT taken_back THEN
        UPDATE released_holds r SET release_key = NULL WHERE r.ticket_id = t.id;
      END IF;
      state := (SELECT x.state FROM tickets x WHERE x.id = t.id);
      undone := undone + 1;
      RETURN NEXT;
    END LOOP;
    EXIT WHEN undone > 0 OR chosen = 0;
  END LOOP;
END
$function$;
COMMENT ON FUNCTION holdfast.undo_release(text,text,integer,interval) IS 'Undoes the release of many tickets, whose key the one who released them was told, up to 60 seconds after its last ticket: each as unrelease_ticket does. Tickets that a worker has claimed since, or somebody has changed, are left alone and named with taken_back = false. at_most: in portions, until it answers no row. SQLSTATE HF409 where it is too late.';
GRANT EXECUTE ON FUNCTION holdfast.undo_release(text,text,integer,interval) TO holdfast_operator, holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.unrelease_ticket(id bigint, actor text)
 RETURNS text
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
DECLARE
  t ticket_base;
  h released_holds;
  steps integer;
BEGIN
  PERFORM require_words('actor', actor);
  PERFORM lock_steps(unrelease_ticket.id);
  t := locked_ticket(unrelease_ticket.id);
  IF t.kind = 'workflow' AND t.state = 'ready' THEN
    steps := restored_steps(t, released_with_steps(t.id), actor);
    IF steps > 0 THEN
      PERFORM log_activity(t.id, 'release_undone', actor, jsonb_build_object('steps', steps));
      RETURN t.state;
    END IF;
  END IF;
  SELECT * INTO h FROM released_holds r WHERE r.ticket_id = t.id AND r.released_at > now() - interval '60 seconds';
  IF NOT FOUND OR NOT restore_hold(t, h, actor) THEN
    PERFORM refuse_action(t, 'undo the release of');
  END IF;
  IF t.kind = 'workflow' THEN
    PERFORM restored_steps(t, h.released_at, actor);
  END IF;
  RETURN 'on_hold';
END
$function$;
COMMENT ON FUNCTION holdfast.unrelease_ticket(bigint,text) IS 'Undoes a release of the last 60 seconds, as if it had not been, where no worker has claimed the ticket yet: its hold, its retry counts and its guidance are those from before. Of a workflow that was not on hold itself, its steps. SQLSTATE HF409 where it is too late.';
GRANT EXECUTE ON FUNCTION holdfast.unrelease_ticket(bigint,text) TO holdfast_operator, holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.update_ticket()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
DECLARE
  changes jsonb := changed_columns(OLD, NEW);
  state_changed boolean := NEW.state IS DISTINCT FROM OLD.state;
BEGIN
  IF changes ? 'retry_strategy' THEN
    PERFORM require_retry_policy(NEW.retry_strategy, 'retry_strategy');
  END IF;
  IF state_changed THEN
    OLD.state := state_to_change(OLD, NEW.state);
    IF OLD.state IS NULL THEN
      RETURN NULL; -- passed over, and not counted
    END IF;
    PERFORM change_ticket_state(OLD, NEW.state, CASE WHEN changes ? 'hold_reason' THEN NEW.hold_reason END);
    IF NEW.state IN ('on_hold', 'cancelled') THEN
      changes := changes - 'hold_reason'; -- it was the reason that is logged
    END IF;
  END IF;
  IF changes <> '{}' THEN
    PERFORM edit_ticket(OLD.id, changes);
    PERFORM log_activity(OLD.id, 'edited', acting_person(),
      jsonb_build_object('columns', (SELECT jsonb_agg(key ORDER BY key) FROM jsonb_object_keys(changes) AS key)));
  END IF;
  NEW := updated_ticket(NEW, state_changed);
  RETURN NEW;
END
$function$;
COMMENT ON FUNCTION holdfast.update_ticket() IS 'UPDATE tickets: state through the functions for people, other columns as given, all logged.';
GRANT EXECUTE ON FUNCTION holdfast.update_ticket() TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.updated_ticket(shown holdfast.tickets, state_changed boolean)
 RETURNS holdfast.tickets
 LANGUAGE plpgsql
 STABLE
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
DECLARE
  stored jsonb;
BEGIN
  SELECT to_jsonb(b) || jsonb_build_object('allowed_actions', b.hold_actions, 'design', d.name, 'design_version', d.version) INTO stored
  FROM ticket_base b LEFT JOIN designs d ON d.id = b.design_id WHERE b.id = shown.id;
  IF state_changed THEN
    -- Nobody runs a ticket whose state a person has just changed.
    RETURN jsonb_populate_record(shown,
      stored || jsonb_build_object('lease_no', stored->'fence', 'worker_id', NULL, 'lease_expires_at', NULL));
  END IF;
  RETURN jsonb_populate_record(shown, stored - '{state,started_at}'::text[]);
END
$function$;
COMMENT ON FUNCTION holdfast.updated_ticket(holdfast.tickets,boolean) IS 'The row that UPDATE tickets ... RETURNING shows: what is there now, without asking every lease again.';
GRANT EXECUTE ON FUNCTION holdfast.updated_ticket(holdfast.tickets,boolean) TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.use_design(id bigint, actor text, version integer DEFAULT NULL::integer)
 RETURNS text
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
DECLARE
  t ticket_base;
  d designs;
  wanted designs;
  lost text;
BEGIN
  PERFORM require_words('actor', actor);
  t := locked_ticket(use_design.id);
  IF t.state <> 'on_hold' THEN
    PERFORM refuse_action(t, 'change the design of');
  END IF;
  SELECT * INTO d FROM designs WHERE designs.id = t.design_id;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'ticket % has no design, only the kind %', t.id, t.kind USING ERRCODE = 'HF409', DETAIL = t.state;
  END IF;
  SELECT * INTO wanted FROM designs x
  WHERE x.name = d.name AND (use_design.version IS NULL OR x.version = use_design.version) ORDER BY x.version DESC LIMIT 1;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'there is no version % of the design "%"', use_design.version, d.name
      USING ERRCODE = 'HF404', HINT = format('holdfast design show %s shows the latest one', d.name);
  ELSIF wanted.kind <> t.kind THEN
    RAISE EXCEPTION 'version % of the design "%" is of kind %, ticket % of kind %', wanted.version, d.name, wanted.kind, t.id, t.kind
      USING ERRCODE = 'HF409', DETAIL = t.state, HINT = 'Cancel the ticket and enqueue another one.';
  END IF;
  -- The tickets of a step that has begun are known by its name, and as a list or as one: what comes of them must have its place.
  SELECT string_agg(DISTINCT x.name, ', ' ORDER BY x.name) INTO lost FROM ticket_dependencies x
  WHERE t.kind = 'workflow' AND x.ticket_id = t.id AND x.name = ANY (ARRAY(SELECT jsonb_object_keys(d.definition->'steps')))
    AND (wanted.definition->'steps'->x.name ? 'for_each') IS DISTINCT FROM (d.definition->'steps'->x.name ? 'for_each');
  IF lost IS NOT NULL THEN
    RAISE EXCEPTION 'version % of the design "%" has other steps than ticket % has begun: %', wanted.version, d.name, t.id, left(lost, 200)
      USING ERRCODE = 'HF409', DETAIL = t.state,
      HINT = 'A step that has begun must be in the design, with for_each if it had it. Or cancel the ticket and enqueue another one.';
  ELSIF wanted.id <> t.design_id THEN
    PERFORM log_activity(t.id, 'design_changed', actor,
      jsonb_build_object('design', d.name, 'before', d.version, 'version', wanted.version));
    UPDATE ticket_base b SET design_id = wanted.id, updated_at = now() WHERE b.id = t.id;
  END IF;
  RETURN t.state;
END
$function$;
COMMENT ON FUNCTION holdfast.use_design(bigint,text,integer) IS 'Lets the next attempts of a held ticket use the latest version of its design, or the one that is named: SELECT holdfast.use_design(17, ''ann''). It stays on hold. SQLSTATE HF409 for a ticket without a design, and where the version is of another kind or lacks a step that the workflow has begun.';
GRANT EXECUTE ON FUNCTION holdfast.use_design(bigint,text,integer) TO holdfast_operator, holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.use_tokens(x holdfast.claim_limits, n bigint)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
BEGIN
  IF x.rate IS NOT NULL AND n > 0 THEN
    UPDATE limit_gates g SET full_at = GREATEST(g.full_at, now()) + n * x.per / x.rate WHERE g.scope = x.scope;
  END IF;
END
$function$;
COMMENT ON FUNCTION holdfast.use_tokens(holdfast.claim_limits,bigint) IS 'Takes tokens from the bucket of a rate, whose gate the caller has locked.';
GRANT EXECUTE ON FUNCTION holdfast.use_tokens(holdfast.claim_limits,bigint) TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.wait_for_batch(ticket_id bigint, batch_id bigint)
 RETURNS boolean
 LANGUAGE plpgsql
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
DECLARE
  b batches;
BEGIN
  SELECT * INTO b FROM batches x WHERE x.id = wait_for_batch.batch_id FOR KEY SHARE;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'there is no batch % to wait for', wait_for_batch.batch_id
      USING ERRCODE = 'HF404', HINT = 'holdfast batch list shows them';
  ELSIF b.closed_at IS NULL THEN
    RAISE EXCEPTION 'batch % still takes tickets; nothing can wait for it yet', b.id
      USING ERRCODE = 'HF409', DETAIL = 'open', HINT = 'close_batch(id, actor) first.';
  ELSIF b.cancelled_at IS NOT NULL THEN
    RAISE EXCEPTION 'batch % is cancelled; nothing can wait for it', b.id USING ERRCODE = 'HF422';
  END IF;
  INSERT INTO batch_followers (ticket_id, batch_id, ended_at) VALUES (wait_for_batch.ticket_id, b.id, b.ended_at);
  RETURN b.ended_at IS NULL;
END
$function$;
COMMENT ON FUNCTION holdfast.wait_for_batch(bigint,bigint) IS 'Lets a ticket that this transaction has inserted and not filed wait for a batch, and says whether it has to.';
GRANT EXECUTE ON FUNCTION holdfast.wait_for_batch(bigint,bigint) TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.wait_for_tickets(ticket_id bigint, after bigint[], names text[], on_cancelled text)
 RETURNS boolean
 LANGUAGE plpgsql
 SET search_path TO 'holdfast', 'pg_temp'
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET jit TO 'off'
AS $function$
DECLARE
  bad bigint;
  success_is_enough boolean;
BEGIN
  PERFORM require_predecessors(after, names, on_cancelled);
  -- The names of a workflow are those of its steps.
  IF names IS NOT NULL AND EXISTS (SELECT FROM ticket_base b WHERE b.id = wait_for_tickets.ticket_id AND b.kind = 'workflow') THEN
    names := NULL;
  END IF;
  PERFORM FROM ticket_base b WHERE b.id = ANY (after) ORDER BY b.id FOR SHARE;
  -- A statement of its own sees what those have committed for whom the lock has waited. Each is looked up: a plan that was made while the table
  -- was empty would read all of it.
  SELECT u.id INTO bad FROM unnest(after) AS u (id)
  LEFT JOIN LATERAL (SELECT true AS is_there FROM ticket_base b WHERE b.id = u.id LIMIT 1) b ON true
  WHERE u.id = wait_for_tickets.ticket_id OR b.is_there IS NULL ORDER BY u.id LIMIT 1;
  IF FOUND THEN
    RAISE EXCEPTION 'there is no ticket % to wait for', bad
      USING ERRCODE = 'HF404', HINT = 'If it was done and retention has deleted it since, leave it out.';
  END IF;
  SELECT b.id INTO bad FROM ticket_base b
  WHERE b.id = ANY (after) AND b.state = 'cancelled' AND wait_for_tickets.on_cancelled IS DISTINCT FROM 'run' ORDER BY b.id LIMIT 1;
  IF FOUND THEN
    RAISE EXCEPTION 'ticket % is cancelled; nothing can wait for it', bad
      USING ERRCODE = 'HF422', HINT = 'Leave it out, wait for the ticket that took its place, or say on_cancelled => ''run''.';
  END IF;
  SELECT d.definition->>'after' = 'success' INTO success_is_enough
  FROM ticket_base b JOIN designs d ON d.id = b.design_id WHERE b.id = wait_for_tickets.ticket_id;
  INSERT INTO ticket_dependencies (ticket_id, after_id, ended_at, name, on_success, on_cancelled)
  SELECT DISTINCT ON (b.id) wait_for_tickets.ticket_id, b.id,
    CASE WHEN b.state IN ('done', 'cancelled') OR (b.state = 'needs_review' AND success_is_enough) THEN now() END,
    u.name, NULLIF(success_is_enough, false), NULLIF(wait_for_tickets.on_cancelled, 'hold')
  FROM unnest(after, names) AS u (id, name)
  CROSS JOIN LATERAL (SELECT b.id, b.state FROM ticket_base b WHERE b.id = u.id LIMIT 1) b
  ORDER BY b.id, u.name;
  IF names IS NOT NULL THEN
    UPDATE ticket_base b SET follows = true WHERE b.id = wait_for_tickets.ticket_id;
  END IF;
  RETURN is_waiting(wait_for_tickets.ticket_id);
END
$function$;
COMMENT ON FUNCTION holdfast.wait_for_tickets(bigint,bigint[],text[],text) IS 'Lets a ticket that this transaction has inserted and not filed wait for others, and says whether it has to: those that are done need no wait. HF404 for one that is not there, HF422 for one that is cancelled.';
GRANT EXECUTE ON FUNCTION holdfast.wait_for_tickets(bigint,bigint[],text[],text) TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.wait_of_held(b holdfast.ticket_base)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
 SET search_path TO 'holdfast', 'pg_temp'
 SET enable_seqscan TO 'off'
AS $function$
BEGIN
  RETURN CASE
    WHEN b.hold_actions && ARRAY['answer', 'approve_call'] THEN 'answer'
    WHEN EXISTS (SELECT FROM known_waits w WHERE w.ticket_id = b.id AND w.kind IN ('account', 'outage', 'budget')) THEN 'provider'
  END;
END
$function$;
COMMENT ON FUNCTION holdfast.wait_of_held(holdfast.ticket_base) IS 'What a ticket on hold waits for where its hold is no error: answer of a person, to a question or an approval; provider, or a budget. NULL otherwise.';
GRANT EXECUTE ON FUNCTION holdfast.wait_of_held(holdfast.ticket_base) TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.waiting_call(t holdfast.ticket_base, wanted bigint, action text)
 RETURNS holdfast.tool_approvals
 LANGUAGE plpgsql
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
DECLARE
  c tool_approvals;
  waiting text[];
BEGIN
  IF wanted IS NULL THEN
    SELECT array_agg(a.id || ' (' || a.tool || ')' ORDER BY a.id) INTO waiting
    FROM tool_approvals a WHERE a.ticket_id = t.id AND a.decision IS NULL AND a.voided_at IS NULL;
    IF waiting IS NULL OR t.state <> 'on_hold' THEN
      PERFORM refuse_action(t, action || ' a tool call of');
    ELSIF cardinality(waiting) > 1 THEN
      RAISE EXCEPTION 'ticket % has % calls that wait: %', t.id, cardinality(waiting), array_to_string(waiting, ', ')
        USING ERRCODE = 'HF422', HINT = 'Say which one: --call N, in SQL call => N.';
    END IF;
  END IF;
  SELECT * INTO c FROM tool_approvals a
  WHERE a.ticket_id = t.id AND (a.id = wanted OR wanted IS NULL AND a.decision IS NULL AND a.voided_at IS NULL);
  IF NOT FOUND THEN
    RAISE EXCEPTION 'ticket % has no tool call %', t.id, wanted
      USING ERRCODE = 'HF404', HINT = 'holdfast show ' || t.id || ' shows those that wait';
  ELSIF c.decision IS NOT NULL THEN
    RAISE EXCEPTION 'cannot % call % of ticket %: it was % by % at %', action, c.id, t.id, c.decision, c.decided_by,
      to_char(c.decided_at AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS"Z"') USING ERRCODE = 'HF409', DETAIL = t.state;
  ELSIF c.voided_at IS NOT NULL THEN
    RAISE EXCEPTION 'cannot % call % of ticket %: its session was started over', action, c.id, t.id USING ERRCODE = 'HF409', DETAIL = t.state;
  ELSIF t.state <> 'on_hold' THEN
    PERFORM refuse_action(t, action || ' a tool call of');
  END IF;
  RETURN c;
END
$function$;
COMMENT ON FUNCTION holdfast.waiting_call(holdfast.ticket_base,bigint,text) IS 'The call of a ticket, whose row the caller has locked, that is to be decided; says why not, and who was first.';
GRANT EXECUTE ON FUNCTION holdfast.waiting_call(holdfast.ticket_base,bigint,text) TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.wake_lines()
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO 'holdfast', 'pg_temp'
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET jit TO 'off'
AS $function$
BEGIN
  IF EXISTS (SELECT FROM workers WHERE wants_wakeup) THEN
    PERFORM wake_workers(ARRAY(
      SELECT DISTINCT g.queue FROM line_gates g
      WHERE EXISTS (SELECT FROM in_line w WHERE w.line = g.line)));
  END IF;
END
$function$;
COMMENT ON FUNCTION holdfast.wake_lines() IS 'Wakes workers for the queues in which tickets stand in line.';
GRANT EXECUTE ON FUNCTION holdfast.wake_lines() TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.wake_workers(woken_queues text[])
 RETURNS void
 LANGUAGE plpgsql
AS $function$
BEGIN
  -- A NOTIFY serialises commits, so it is sent only if somebody sleeps; polling finds the ticket anyway. PostgreSQL itself
  -- sends equal notifications of one transaction once.
  IF EXISTS (SELECT FROM holdfast.workers WHERE wants_wakeup) THEN
    PERFORM pg_notify('holdfast_ready', q) FROM unnest(woken_queues) AS q;
  END IF;
END
$function$;
COMMENT ON FUNCTION holdfast.wake_workers(text[]) IS 'NOTIFY holdfast_ready with the queue''s name, at most once per transaction and queue, if some worker wants one.';
GRANT EXECUTE ON FUNCTION holdfast.wake_workers(text[]) TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.wake_workers_for(ids bigint[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
BEGIN
  IF EXISTS (SELECT FROM workers WHERE wants_wakeup) THEN
    PERFORM wake_workers(ARRAY(
      SELECT DISTINCT b.queue FROM ticket_base b
      WHERE b.id = ANY (ids) AND b.state = 'ready' AND b.assignee_type = 'agent' AND (b.retry_after IS NULL OR b.retry_after <= now())));
  END IF;
END
$function$;
COMMENT ON FUNCTION holdfast.wake_workers_for(bigint[]) IS 'wake_workers for the queues of those of these tickets that an agent can take now.';
GRANT EXECUTE ON FUNCTION holdfast.wake_workers_for(bigint[]) TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.web_key()
 RETURNS text
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
  SELECT secret FROM web_keys WHERE id = 1
$function$;
COMMENT ON FUNCTION holdfast.web_key() IS 'The secret of web_keys.';
GRANT EXECUTE ON FUNCTION holdfast.web_key() TO holdfast_operator, holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.with_retry_time(action text, details jsonb, decided_at timestamp with time zone)
 RETURNS jsonb
 LANGUAGE sql
 STABLE
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
  SELECT CASE
    WHEN action = 'retry_decision' AND details @> '{"shouldRetry": true}' AND jsonb_typeof(details->'nextDelayMs') = 'number'
    THEN details || jsonb_build_object('retryAfter', to_char(
      (decided_at + (details->>'nextDelayMs')::bigint * interval '1 millisecond') AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))
    ELSE details
  END
$function$;
COMMENT ON FUNCTION holdfast.with_retry_time(text,jsonb,timestamp with time zone) IS 'The details of an activity; of a decision to retry with retryAfter, the time of the retry.';
GRANT EXECUTE ON FUNCTION holdfast.with_retry_time(text,jsonb,timestamp with time zone) TO PUBLIC, holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.withdraw_abort_retry(id bigint, actor text)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
BEGIN
  PERFORM require_words('actor', actor);
  DELETE FROM retry_aborts r WHERE r.ticket_id = withdraw_abort_retry.id AND r.requested_by = withdraw_abort_retry.actor;
  RETURN FOUND OR EXISTS (SELECT FROM retry_aborts r WHERE r.ticket_id = withdraw_abort_retry.id);
END
$function$;
COMMENT ON FUNCTION holdfast.withdraw_abort_retry(bigint,text) IS 'Takes back one''s own order of abort_retry, so that it ends no retry that begins later; whether no worker had taken an order yet.';
GRANT EXECUTE ON FUNCTION holdfast.withdraw_abort_retry(bigint,text) TO holdfast_operator, holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.words_interval(words text)
 RETURNS interval
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
DECLARE
  parts text[] := regexp_match(words, E'^\\s*([0-9]{1,10})\\s*(ms|s|m|h|d)\\s*$');
  unit interval := CASE parts[2] WHEN 'ms' THEN interval '1 ms' WHEN 's' THEN interval '1 s' WHEN 'm' THEN interval '1 min'
    WHEN 'h' THEN interval '1 h' WHEN 'd' THEN interval '24 h' END;
BEGIN
  -- No time is so long before now that PostgreSQL cannot tell it.
  RETURN CASE WHEN parts[1]::bigint * EXTRACT(epoch FROM unit) <= 36500 * 86400.0 THEN parts[1]::bigint * unit END;
END
$function$;
COMMENT ON FUNCTION holdfast.words_interval(text) IS 'How long 500ms, 90s, 5m, 2h or 7d is, up to 36500d; NULL for anything else. A day has 24 hours.';
GRANT EXECUTE ON FUNCTION holdfast.words_interval(text) TO holdfast_operator, holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.words_or_null(words text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO 'holdfast', 'pg_temp'
AS $function$
  SELECT NULLIF(btrim(words, E' \t\r\n'), '')
$function$;
COMMENT ON FUNCTION holdfast.words_or_null(text) IS 'A text without the spaces, tabs and ends of lines around it; NULL where nothing is left.';
GRANT EXECUTE ON FUNCTION holdfast.words_or_null(text) TO holdfast_worker;

CREATE OR REPLACE FUNCTION holdfast.workflow_tickets(ticket_id bigint, uses jsonb DEFAULT NULL::jsonb)
 RETURNS TABLE(step text, item integer, id bigint, state text, result text, accepted boolean, left_out bigint)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO 'holdfast', 'pg_temp'
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET jit TO 'off'
AS $function$
#variable_conflict use_column
DECLARE
  used text[];
  bytes numeric;
  unread jsonb;
BEGIN
  IF uses IS NOT NULL THEN
    used := ARRAY(
      SELECT n.value FROM jsonb_each(uses) AS s CROSS JOIN jsonb_array_elements_text(s.value) AS n
      WHERE NOT EXISTS (SELECT FROM ticket_dependencies d WHERE d.ticket_id = workflow_tickets.ticket_id AND d.name = s.key));
  END IF;
  SELECT sum(r.bytes) FILTER (WHERE r.used), jsonb_object_agg(r.step, r.bytes) FILTER (WHERE NOT r.used AND r.bytes_up_to > 33554432) INTO bytes, unread
  FROM (
    SELECT m.step, m.used, m.bytes, sum(m.bytes) OVER (ORDER BY m.used DESC, m.bytes, m.step) AS bytes_up_to
    FROM (
      SELECT COALESCE(d.name, '') AS step, used IS NULL OR COALESCE(d.name, '') = ANY (used) AS used, sum(measured_bytes(b.result)) AS bytes
      FROM ticket_dependencies d JOIN ticket_base b ON b.id = d.after_id
      WHERE d.ticket_id = workflow_tickets.ticket_id AND b.result IS NOT NULL
      GROUP BY COALESCE(d.name, '')
    ) m
  ) r;
  IF bytes > 33554432 THEN
    RAISE EXCEPTION 'the results that its next steps use have % bytes, and 33554432 are allowed', bytes
      USING ERRCODE = 'HF422', HINT = 'Let steps write large results elsewhere and say where.';
  END IF;
  RETURN QUERY
  SELECT d.name, d.item, b.id, b.state, CASE WHEN unread->COALESCE(d.name, '') IS NULL THEN b.result::text END,
    b.state = 'cancelled' AND EXISTS (
      SELECT FROM ticket_activity a
      WHERE a.ticket_id = workflow_tickets.ticket_id AND a.created_at >= b.completed_at
        AND (a.action = 'released' OR a.action = 'replayed' AND a.details ? 'of')),
    COALESCE((unread->>COALESCE(d.name, ''))::bigint, 0)
  FROM ticket_dependencies d JOIN ticket_base b ON b.id = d.after_id
  WHERE d.ticket_id = workflow_tickets.ticket_id ORDER BY d.name, d.item;
END
$function$;
COMMENT ON FUNCTION holdfast.workflow_tickets(bigint,jsonb) IS 'The tickets of a workflow''s steps with their results, as its handler reads them. uses: by step, those whose results it uses; NULL: all are used. accepted: it was cancelled, and the workflow released since, or made by a replay. left_out: the bytes of the results of its step, where no next step uses them and they are not among the 32 MiB that are read; 0 otherwise. HF422 if those that are used are too long.';
GRANT EXECUTE ON FUNCTION holdfast.workflow_tickets(bigint,jsonb) TO holdfast_worker;
