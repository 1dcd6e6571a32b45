-- In a database of the encoding SQL_ASCII, as a server has it that was made without a locale, PostgreSQL counts bytes. left() then cuts
-- through the middle of a character, and what is left cannot be sent to a client that speaks UTF-8: one long error text that is not
-- ASCII, and the whole answer is refused.
-- Earlier binaries: they work on; the views have the columns that they had. What they cut themselves fails as before.

-- Anyone who may read the views needs it, so it is for everybody; it has no search_path of its own, so that it is inlined.
CREATE FUNCTION shorten(words text, longest integer) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT CASE
    WHEN pg_catalog.getdatabaseencoding() OPERATOR(pg_catalog.=) 'SQL_ASCII'
      AND pg_catalog.octet_length(words) OPERATOR(pg_catalog.>) longest
    -- The last character of several bytes goes, whether it is whole or not.
    THEN pg_catalog.regexp_replace(pg_catalog.left(words, longest), '[\xC0-\xFF][\x80-\xBF]*$', '')
    ELSE pg_catalog.left(words, longest)
  END
$$;
COMMENT ON FUNCTION shorten IS 'The beginning of a text, at most that many characters; bytes in a database of the encoding SQL_ASCII, and there no part of a character either.';

CREATE OR REPLACE VIEW on_hold_tickets AS
SELECT b.id, b.queue, b.kind, b.title, b.held_at, now() - b.held_at AS held_for, b.hold_reason, b.error_category,
  b.error_fingerprint, shorten(b.error, 500) AS error, b.attempt_count AS attempts, b.retry_count, b.rejection_count,
  b.hold_actions AS allowed_actions,
  (SELECT g.guidance FROM ticket_guidance g WHERE g.ticket_id = b.id ORDER BY g.id DESC LIMIT 1) AS last_guidance
FROM ticket_base b
WHERE b.held_at IS NOT NULL
ORDER BY b.held_at, b.id;

CREATE OR REPLACE VIEW error_groups AS
SELECT NULLIF(g.fingerprint, '') AS error_fingerprint, NULLIF(g.category, '') AS error_category, g.tickets, g.oldest, g.newest,
  (SELECT shorten(b.error, 500) FROM ticket_base b WHERE b.id = g.sample_ids[1]) AS last_error,
  g.sample_ids
FROM (
  SELECT h.fingerprint, h.category, count(*) AS tickets, min(h.held_at) AS oldest, max(h.held_at) AS newest,
    (array_agg(h.id ORDER BY h.held_at DESC, h.id DESC))[1:10] AS sample_ids
  FROM held h
  GROUP BY h.fingerprint, h.category
) g
ORDER BY g.tickets DESC, g.oldest;

CREATE OR REPLACE VIEW ticket_timeline AS
SELECT b.id AS ticket_id, b.created_at AS at, 'created' AS event, NULL::text AS actor, jsonb_strip_nulls(jsonb_build_object('queue', b.queue, 'kind', b.kind)) AS details
FROM ticket_base b
UNION ALL
SELECT a.ticket_id, a.started_at, 'claimed', a.worker_id, jsonb_build_object('attempt', a.attempt, 'leaseNo', a.lease_no)
FROM ticket_attempts a
UNION ALL
SELECT a.ticket_id, a.finished_at, a.outcome, a.worker_id, jsonb_strip_nulls(jsonb_build_object('attempt', a.attempt, 'category', a.category,
  'rule', a.rule, 'fingerprint', a.fingerprint, 'error', shorten(a.error, 500)))
FROM ticket_attempts a
UNION ALL
SELECT u.ticket_id, l.claimed_at, 'claimed', l.worker_id, jsonb_build_object('leaseNo', l.id)
FROM leases l CROSS JOIN LATERAL unnest(l.ids) AS u(ticket_id) JOIN ticket_base b ON b.id = u.ticket_id AND b.state = 'ready' AND l.id > b.fence
UNION ALL
SELECT y.ticket_id, y.created_at, y.action, y.actor, y.details
FROM ticket_activity y WHERE y.ticket_id IS NOT NULL;
