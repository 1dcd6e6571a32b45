-- Figures for the home page: what happened by time, queue and design, and what models cost. The workers count by and by what the engine has
-- written (roll_up_figures, R__6_figures.sql); neither a claim nor a finish writes here.
--
-- Earlier binaries: they do not know the tables and leave them alone; figures wait until a worker of this version runs.

CREATE TABLE ticket_figures (
  starts_at    timestamptz NOT NULL,
  n            bigint NOT NULL,
  span_minutes integer NOT NULL CONSTRAINT known_span CHECK (span_minutes IN (1, 15, 120)),
  queue        text COLLATE "C" NOT NULL,
  design       text COLLATE "C" NOT NULL,
  event        text COLLATE "C" NOT NULL,
  category     text COLLATE "C" NOT NULL,
  PRIMARY KEY (span_minutes, starts_at, event, category, queue, design)
) WITH (fillfactor = 70);
COMMENT ON TABLE ticket_figures IS 'How often what happened to tickets, by time, queue and design. The same is counted three times: by minute (kept 3 hours), by 15 minutes (3 days), by 2 hours (90 days). Outlives the tickets. Some seconds behind; see figures_cursor.';
COMMENT ON COLUMN ticket_figures.starts_at IS 'From then on, for span_minutes.';
COMMENT ON COLUMN ticket_figures.design IS 'Empty for tickets without one.';
COMMENT ON COLUMN ticket_figures.event IS 'An outcome of ticket_attempts; or held or released, by whomever.';
COMMENT ON COLUMN ticket_figures.category IS 'The category of a failed attempt; else empty.';

CREATE TABLE model_figures (
  starts_at    timestamptz NOT NULL,
  answers      bigint NOT NULL,
  tokens_in    bigint NOT NULL,
  tokens_out   bigint NOT NULL,
  span_minutes integer NOT NULL CONSTRAINT known_span CHECK (span_minutes IN (1, 15, 120)),
  provider     text COLLATE "C" NOT NULL,
  model        text COLLATE "C" NOT NULL,
  design       text COLLATE "C" NOT NULL,
  cost_usd     numeric,
  PRIMARY KEY (span_minutes, starts_at, provider, model, design)
) WITH (fillfactor = 70);
COMMENT ON TABLE model_figures IS 'What models have answered and cost, by time, model and design, as ticket_figures; also in attempts that still run.';
COMMENT ON COLUMN model_figures.provider IS 'Empty, as model, where the journal does not name one: summaries, and steps of repairs, which ask several.';
COMMENT ON COLUMN model_figures.answers IS 'Answers that came, useless ones and summaries included; those in steps of repairs are not counted.';
COMMENT ON COLUMN model_figures.tokens_in IS 'Read from caches and written to them included.';
COMMENT ON COLUMN model_figures.cost_usd IS 'In US dollars, of the answers whose model has a price; NULL if none has.';

CREATE TABLE figures_cursor (
  only_row      boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  counted_until timestamptz NOT NULL,
  next_at       timestamptz NOT NULL DEFAULT '-infinity',
  took_ms       double precision NOT NULL DEFAULT 0
) WITH (fillfactor = 50);
COMMENT ON TABLE figures_cursor IS 'How far the figures are counted. Whoever counts has the row locked, so that nothing is counted twice.';
COMMENT ON COLUMN figures_cursor.next_at IS 'Before that nobody counts: 15 seconds after the last time, or 50 times as long as it took.';
COMMENT ON COLUMN figures_cursor.took_ms IS 'How long the last count took.';
-- What is there already is counted, a week back.
INSERT INTO figures_cursor (counted_until)
SELECT COALESCE((SELECT GREATEST(b.created_at, now() - interval '7 days') FROM ticket_base b ORDER BY b.id LIMIT 1), now());

-- A few answers a second at most, each of which took a model longer: they may have an index by time.
CREATE INDEX session_journal_paid ON session_journal (written_at) WHERE kind IN ('answered', 'discarded', 'compacted');
CREATE INDEX ticket_activity_by_time ON ticket_activity USING brin (created_at) WITH (pages_per_range = 16);
-- Until a vacuum has seen new pages, a BRIN index knows nothing of them and they are read whole: so there are never many.
ALTER TABLE ticket_attempts SET (autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 50000);
ALTER TABLE ticket_activity SET (autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 50000);
