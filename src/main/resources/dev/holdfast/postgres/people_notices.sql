-- :after, an id of ticket_activity; :limit. The holds that were decided behind it, by people and by the system, and the outages of
-- providers, budgets, results for review and digests that people are told of. A hold that is over is none: held_at is then NULL or newer.
-- Nor is one after a trial in an outage (again): people are told of the first, also while the ticket tries or is held again.
-- Walks the primary key. Trap: a ? operator would be a parameter.
SELECT y.id, y.ticket_id, y.created_at AS at, y.actor, b.queue, b.kind, b.title,
  holdfast.shorten(COALESCE(y.details->>'holdReason', y.details->>'reason', b.hold_reason, 'held'), 1000) AS reason,
  b.error_category, b.error_fingerprint, holdfast.shorten(b.error, 500) AS error,
  holdfast.error_name(b.error_title, b.error) AS error_title,
  CASE WHEN y.action LIKE 'provider%' THEN y.details->>'provider' END AS provider, y.action = 'provider_outage_over' AS over,
  y.details->>'since' AS since, COALESCE(y.details->>'detail', '') AS detail,
  CASE WHEN y.action IN ('results_to_review', 'digest', 'budget_nearly_used_up', 'budget_used_up') THEN y.action END AS summed, y.details,
  COALESCE(CASE WHEN y.action = 'provider_outage' THEN holdfast.outage_words(
    y.details->>'provider', (y.details->>'since')::timestamptz, y.details->>'reason', COALESCE(y.details->>'detail', '')) END, '') AS words
FROM holdfast.ticket_activity y
LEFT JOIN LATERAL (SELECT * FROM holdfast.ticket_base b WHERE b.id = y.ticket_id LIMIT 1) b ON true
WHERE y.id > :after
  AND (y.action IN ('provider_outage', 'provider_outage_over', 'results_to_review', 'digest', 'budget_nearly_used_up', 'budget_used_up')
    OR (b.held_at <= y.created_at AND y.details->>'again' IS NULL AND (y.action = 'held' OR (y.actor = 'system' AND y.details->>'holdReason' IS NOT NULL)))
    OR (y.action = 'held' AND y.details->>'holdCause' = 'provider_unavailable' AND y.details->>'again' IS NULL AND EXISTS (
      SELECT FROM holdfast.ticket_waits w
      WHERE w.ticket_id = b.id AND w.since <= y.created_at
        AND ((b.state = 'ready' AND w.kind IN ('trial', 'provider')) OR (b.state = 'on_hold' AND w.kind = 'outage')))))
ORDER BY y.id
LIMIT :limit
