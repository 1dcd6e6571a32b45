-- A budget's period that a person has set stays, as its amount does, until the configuration says something else. Of those that are there
-- nobody knows which period was configured, for a person may have set theirs: the next start of a worker fills it.
--
-- Earlier binaries call configure_budget, a function of the database, as this version does: beside it they keep a person's period, too.

ALTER TABLE budgets ADD COLUMN configured_per text COLLATE "C";
COMMENT ON COLUMN budgets.configured_per IS 'The period that the configuration says, as configured_usd is its amount; NULL where it says nothing, and until the next start of a worker where it said so before this column.';
