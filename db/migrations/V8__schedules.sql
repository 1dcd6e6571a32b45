-- Schedules: tickets that come at times of the clock. A worker's process makes them (docs/schedules.md); functions in R__6_schedules.sql.
-- Earlier binaries: they do not know the table and leave it alone; ticks wait until a worker of this version runs.

CREATE TABLE schedules (
  name        text COLLATE "C" PRIMARY KEY
    CONSTRAINT schedule_name_is_plain CHECK (name ~ '^[A-Za-z0-9][A-Za-z0-9._:-]{0,99}$'),
  cron        text,
  every       interval,
  zone        text NOT NULL DEFAULT 'UTC',
  design      text,
  kind        text,
  title       text,
  payload     jsonb NOT NULL DEFAULT '{}',
  queue       text COLLATE "C" NOT NULL DEFAULT 'default',
  priority    integer NOT NULL DEFAULT 0,
  catch_up    text NOT NULL DEFAULT 'last' CONSTRAINT catch_up_is_known CHECK (catch_up IN ('none', 'last', 'all')),
  overlap     text NOT NULL DEFAULT 'allow' CONSTRAINT overlap_is_known CHECK (overlap IN ('allow', 'skip', 'queue')),
  anchor_at   timestamptz NOT NULL DEFAULT date_trunc('second', now()),
  next_at     timestamptz,
  last_at     timestamptz,
  last_ticket bigint,
  skipped     bigint NOT NULL DEFAULT 0,
  problem     text,
  paused_at   timestamptz,
  paused_by   text,
  created_at  timestamptz NOT NULL DEFAULT now(),
  updated_at  timestamptz NOT NULL DEFAULT now(),
  updated_by  text NOT NULL,
  CONSTRAINT schedule_has_one_rhythm CHECK ((cron IS NULL) <> (every IS NULL)),
  CONSTRAINT schedule_has_a_design_or_a_kind CHECK (design IS NOT NULL OR kind IS NOT NULL)
);
CREATE INDEX schedules_by_time ON schedules (next_at) WHERE paused_at IS NULL AND problem IS NULL;
COMMENT ON TABLE schedules IS 'Tickets that come again and again: put_schedule, pause_schedule, resume_schedule, run_schedule, delete_schedule.';
COMMENT ON COLUMN schedules.cron IS 'Minute, hour, day of month, month, day of week, in the time of zone; or @hourly, @daily, @weekly, @monthly, @yearly. Or else every.';
COMMENT ON COLUMN schedules.every IS 'From anchor_at on, at least one second; days are 24 hours.';
COMMENT ON COLUMN schedules.design IS 'By name: each ticket gets the version that is the latest at its time.';
COMMENT ON COLUMN schedules.catch_up IS 'What comes of times at which no worker ran: none is made up for, the last one is, or all are.';
COMMENT ON COLUMN schedules.overlap IS 'What happens while the schedule''s last ticket is ready, in progress or on hold: allow another one, skip the time, or queue it until that one has ended.';
COMMENT ON COLUMN schedules.next_at IS 'When the next ticket is due. NULL until a worker has worked it out, or where problem says why there is none.';
COMMENT ON COLUMN schedules.last_at IS 'The last time a ticket was made for; not when it was made.';
COMMENT ON COLUMN schedules.skipped IS 'How many times made no ticket because the last one had not ended.';
COMMENT ON COLUMN schedules.problem IS 'Why no ticket comes of it, in words; put_schedule again mends it.';
