-- For tests: workers look at all batches and releases at once instead of after their pause. Returns how many there are.
WITH batches AS (
  UPDATE holdfast.batches b SET look_at = now() WHERE b.closed_at IS NOT NULL AND b.ended_at IS NULL RETURNING 1
), releases AS (
  UPDATE holdfast.releases r SET look_at = now() WHERE r.ended_at IS NULL RETURNING 1
)
SELECT (SELECT count(*) FROM batches) + (SELECT count(*) FROM releases)
