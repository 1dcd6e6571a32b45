-- What has become of tickets that were released: waiting, where unrelease_ticket still takes the release back, else their state.
-- Parameters: :ids
-- Index: primary keys of ticket_base and released_holds.
-- Trap: a ticket that has failed since may be ready again; its attempts tell.
SELECT
  t.id,
  CASE
    WHEN t.state = 'ready' AND EXISTS (
      SELECT FROM holdfast.released_holds r
      WHERE r.ticket_id = t.id AND r.attempt_count = t.attempt_count AND r.released_at > now() - interval '60 seconds')
    THEN 'waiting'
    ELSE t.state
  END AS became
FROM holdfast.tickets t
WHERE t.id = ANY (:ids)
ORDER BY t.id
