-- A release of many tickets is undone as one: each hold that it ended says which release that was.
--
-- Earlier binaries work as before; what they release belongs to no release of many, and is undone ticket by ticket.
-- The column is NULL at first, which no row is rewritten for.

ALTER TABLE released_holds ADD COLUMN release_key text COLLATE "C";
COMMENT ON COLUMN released_holds.release_key IS 'The release that the ticket belongs to, for undo_release; NULL where it belongs to none, or once undo_release has come too late for it.';
CREATE INDEX released_holds_by_key ON released_holds (release_key, released_at) WHERE release_key IS NOT NULL;
