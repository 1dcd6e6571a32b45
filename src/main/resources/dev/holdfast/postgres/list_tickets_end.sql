-- The smallest id among the :window tickets below :before, if there are any smaller ones; else no row.
SELECT w.id
FROM (
  SELECT b.id FROM holdfast.ticket_base b
  WHERE b.id < COALESCE(:before::bigint, 9223372036854775807)
  ORDER BY b.id DESC OFFSET :window - 1 LIMIT 1) w
WHERE EXISTS (SELECT FROM holdfast.ticket_base s WHERE s.id < w.id)
