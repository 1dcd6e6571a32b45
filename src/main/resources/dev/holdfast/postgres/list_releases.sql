-- Releases in steps, the newest first. Parameters: :id (or null for all), :limit, :before (an id, or null). Primary keys.
SELECT s.release_id AS id, s.created_at, s.created_by, s.selection::text AS selection, s.steps, s.guidance, s.step, s.total, s.released, s.waiting,
  s.for_answer, s.for_provider, s.succeeded, s.same_error, s.other_error, s.held, s.ended, s.skipped, s.state, s.reason, s.ended_at
FROM holdfast.release_status(:id, :limit, :before) s
