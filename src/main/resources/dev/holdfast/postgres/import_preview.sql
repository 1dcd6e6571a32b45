SELECT m.source_id, m.old_state, m.new_state, m.design_key, m.kind, m.problem, NULL::bigint AS ticket_id,
  i.ticket_id IS NOT NULL AS taken_before
FROM mapped m LEFT JOIN $taken i ON i.source = :source AND i.source_id = m.source_id
ORDER BY m.place
