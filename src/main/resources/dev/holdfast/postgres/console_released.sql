-- What has become of the tickets of a release: how many there are, how many of them undo_release would still take back, how many are held again.
-- Parameters: :release
-- Indexes: released_holds_by_key, the primary key of ticket_base.
-- Trap: a ticket that has failed since may be ready again; its attempts tell.
SELECT
  count(*) AS total,
  CASE WHEN max(r.released_at) > now() - interval '60 seconds'
    THEN count(*) FILTER (WHERE t.state = 'ready' AND r.attempt_count = t.attempt_count) ELSE 0 END AS waiting,
  count(*) FILTER (WHERE t.state = 'on_hold') AS held_again
FROM holdfast.released_holds r
JOIN holdfast.tickets t ON t.id = r.ticket_id
WHERE r.release_key = :release
