-- The smallest id among the :window held tickets that list_held_tickets.sql looks at, if there are more; else no row.
SELECT w.id
FROM (
  SELECT x.id FROM holdfast.held x
  WHERE x.id < COALESCE(:before::bigint, 9223372036854775807)
    AND (:queue::text IS NULL OR x.queue = :queue::text)
    AND (:kind::text IS NULL OR x.kind = :kind::text)
    AND (:category::text IS NULL OR x.category = :category::text)
    AND (:fingerprint::text IS NULL OR x.fingerprint = :fingerprint::text)
    AND (:prefix::text IS NULL OR starts_with(x.fingerprint, :prefix::text))
  ORDER BY x.id DESC OFFSET :window - 1 LIMIT 1) w
WHERE EXISTS (SELECT FROM holdfast.held s WHERE s.id < w.id)
