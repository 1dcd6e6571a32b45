-- Retention keeps a result as long as a ticket that is open is to be given it: it looks for such tickets by their predecessor.
--
-- Earlier binaries write to the table and know nothing of the index. Their retention deletes such results, as it did before.

CREATE INDEX ticket_dependencies_given ON ticket_dependencies (after_id, ticket_id) WHERE name IS NOT NULL AND item IS NULL;
