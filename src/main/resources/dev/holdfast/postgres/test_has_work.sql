-- For tests: whether a worker with handlers for :kinds has anything to do now, or does it.
SELECT EXISTS (SELECT FROM holdfast.leases)
  OR EXISTS (SELECT FROM holdfast.suspects s WHERE s.kind = ANY (:kinds))
  OR EXISTS (SELECT FROM holdfast.ready r JOIN holdfast.queues q ON q.name = r.queue WHERE r.kind = ANY (:kinds) AND q.paused_at IS NULL)
  OR EXISTS (SELECT FROM holdfast.deferred d JOIN holdfast.queues q ON q.name = d.queue
    WHERE d.kind = ANY (:kinds) AND d.run_at <= now() AND q.paused_at IS NULL)
