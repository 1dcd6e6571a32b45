-- Results that wait for a person among the :window newest tickets, by design. Walks the primary key of ticket_base backwards.
SELECT COALESCE(d.name, '') AS design, count(*) AS tickets
FROM (SELECT b.design_id, b.state FROM holdfast.ticket_base b ORDER BY b.id DESC LIMIT :window) t
LEFT JOIN holdfast.designs d ON d.id = t.design_id
WHERE t.state = 'needs_review'
GROUP BY 1
ORDER BY tickets DESC, design
