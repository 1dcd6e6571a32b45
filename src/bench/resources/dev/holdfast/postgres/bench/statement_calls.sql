-- Every statement of this database with its number of executions, but for this one, which its alias tells (a comment before a statement is not kept).
SELECT regexp_replace(regexp_replace(bench_meter.query, '--[^\n]*\n', '', 'g'), '\s+', ' ', 'g'), bench_meter.calls
FROM statements_schema.pg_stat_statements bench_meter
WHERE bench_meter.dbid = (SELECT oid FROM pg_database WHERE datname = current_database())
  AND bench_meter.query NOT LIKE '%bench_meter%'
