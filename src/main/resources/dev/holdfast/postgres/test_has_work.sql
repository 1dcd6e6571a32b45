-- For tests: whether a worker with handlers for :kinds has anything to do now, or does it.
SELECT EXISTS (SELECT FROM holdfast.leases)
  OR EXISTS (SELECT FROM holdfast.suspects s WHERE s.kind = ANY (:kinds))
  OR EXISTS (SELECT FROM holdfast.ready r JOIN holdfast.queues q ON q.name = r.queue WHERE r.kind = ANY (:kinds) AND q.paused_at IS NULL)
  OR EXISTS (SELECT FROM holdfast.tickets_in_line w JOIN holdfast.queues q ON q.name = w.queue
    WHERE w.kind = ANY (:kinds) AND q.paused_at IS NULL AND holdfast.limit_words(w.queue, w.design, w.concurrency_key) IS NULL)
  OR EXISTS (SELECT FROM holdfast.deferred d JOIN holdfast.queues q ON q.name = d.queue
    WHERE d.kind = ANY (:kinds) AND d.run_at <= now() AND q.paused_at IS NULL)
