-- Asks for a person's word on calls that nobody was asked about, only while the ticket is in progress under this lease; a call of a shape that
-- a person has said to remember is approved with that. What an earlier answer had asked for waits no longer: the session went on without it.
-- Parameters: :ticket, :lease, and arrays of one length :answers, :turns, :callIds, :tools,
-- :arguments, :effects, :shapes. One row: whether the lease is there, and how many calls were approved unasked.
-- The row of the ticket is locked as in append_journal. Indexes: primary keys, tool_approvals_by_ticket, tool_approvals_by_call.
WITH live AS MATERIALIZED (
  SELECT b.id FROM holdfast.ticket_base b
  WHERE b.id = :ticket AND b.state = 'ready' AND b.fence < :lease
    AND EXISTS (SELECT FROM holdfast.leases l WHERE l.id = :lease AND b.id = ANY (l.ids))
  FOR SHARE OF b
), left_behind AS (
  UPDATE holdfast.tool_approvals a SET voided_at = now()
  FROM live
  WHERE a.ticket_id = live.id AND a.decision IS NULL AND a.voided_at IS NULL AND a.answer <> ALL (:answers::integer[])
), asked AS (
  INSERT INTO holdfast.tool_approvals (
    ticket_id, lease_no, answer, turn, call_id, tool, arguments, effect, shape,
    decision, decided_at, decided_by, approved_hash, remembered_from)
  SELECT live.id, :lease, u.answer, u.turn, u.call_id, u.tool, u.arguments, u.effect, u.shape,
    CASE WHEN r.id IS NOT NULL THEN 'approved' END, CASE WHEN r.id IS NOT NULL THEN now() END, r.decided_by,
    CASE WHEN r.id IS NOT NULL THEN holdfast.call_hash(u.tool, u.arguments) END, r.id
  FROM live CROSS JOIN unnest(
    :answers::integer[], :turns::integer[], :callIds::text[], :tools::text[], :arguments::text[], :effects::text[], :shapes::text[])
  AS u(answer, turn, call_id, tool, arguments, effect, shape)
  LEFT JOIN LATERAL (
    SELECT a.id, a.decided_by FROM holdfast.tool_approvals a
    WHERE a.ticket_id = live.id AND a.remember AND a.decision = 'approved' AND a.voided_at IS NULL
      AND a.tool = u.tool AND a.shape = u.shape
    ORDER BY a.id
    LIMIT 1) r ON true
  ON CONFLICT (ticket_id, answer, call_id) WHERE voided_at IS NULL DO NOTHING
  RETURNING id, ticket_id, tool, decided_by, remembered_from
), logged AS (
  INSERT INTO holdfast.ticket_activity (ticket_id, action, actor, details)
  SELECT a.ticket_id, 'call_approved', 'system',
    jsonb_build_object('call', a.id, 'tool', a.tool, 'rememberedFrom', a.remembered_from, 'approvedBy', a.decided_by)
  FROM asked a WHERE a.remembered_from IS NOT NULL
  RETURNING id
)
SELECT EXISTS (SELECT FROM live) AS live, (SELECT count(*) FROM logged) AS remembered
