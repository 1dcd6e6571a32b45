-- All designs, with what became of those of the :window newest tickets that have them, and what models cost in 7 days. Walks the primary key of ticket_base backwards.
WITH recent AS (
  SELECT t.design_id, t.state FROM holdfast.ticket_base t ORDER BY t.id DESC LIMIT :window
), counted AS (
  SELECT r.design_id, count(*) AS tickets, count(*) FILTER (WHERE r.state IN ('done', 'needs_review')) AS succeeded,
    count(*) FILTER (WHERE r.state IN ('on_hold', 'cancelled')) AS held
  FROM recent r WHERE r.design_id IS NOT NULL GROUP BY r.design_id
)
SELECT d.name, (array_agg(d.kind ORDER BY d.version DESC))[1] AS kind, max(d.version) AS version, count(*) AS versions,
  COALESCE(sum(c.tickets), 0)::bigint AS tickets, COALESCE(sum(c.succeeded), 0)::bigint AS succeeded, COALESCE(sum(c.held), 0)::bigint AS held,
  (SELECT sum(f.cost_usd) FROM holdfast.model_figures f
   WHERE f.span_minutes = 120 AND f.starts_at > now() - interval '7 days' AND f.design = d.name) AS cost_usd
FROM holdfast.designs d LEFT JOIN counted c ON c.design_id = d.id
GROUP BY d.name
ORDER BY d.name
