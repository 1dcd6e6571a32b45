-- The next times of a schedule, for whoever reads them in SQL: next_at is the first of them. Only a worker can work out the times of a cron expression.
--
-- Earlier binaries move next_at and leave next_runs as it is; a worker of this version that runs beside them mends that within ten seconds.
-- The column is NULL at first, which no row is rewritten for, and a worker fills it.

ALTER TABLE schedules ADD COLUMN next_runs timestamptz[];
COMMENT ON COLUMN schedules.next_runs IS 'The next ten times, next_at the first of them. NULL until a worker has worked them out, within ten seconds, or at the end of a pause; NULL too where problem says why there is none. While no worker runs it stands still, as next_at does.';
