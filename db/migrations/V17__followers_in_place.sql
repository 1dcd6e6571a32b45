-- A follower's row ends without an entry in any index, on the page where it stands (HOT): a chain pays for it with every ticket. So no index may
-- look at ended_at, and a page has room for the ended rows.
--
-- Retention keeps a result as long as a ticket that is open is to be given it: it looks for such tickets by their predecessor.
--
-- Earlier binaries work as before; their retention deletes such results, as it did.

CREATE INDEX ticket_dependencies_after ON ticket_dependencies (after_id, ticket_id);
DROP INDEX ticket_dependencies_open;
CREATE INDEX ticket_dependencies_given ON ticket_dependencies (after_id, ticket_id) WHERE name IS NOT NULL AND item IS NULL;
ALTER TABLE ticket_dependencies SET (fillfactor = 60);
