-- :id. Of what happened at one moment, the creation comes first and a claim before what came of it.
SELECT ticket_id, at, event, actor, details
FROM holdfast.ticket_timeline
WHERE ticket_id = :id
ORDER BY at, event <> 'created', event <> 'claimed', event
