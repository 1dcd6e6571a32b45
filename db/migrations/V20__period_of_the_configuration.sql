-- A budget's period that a person has set stays, as its amount does, until the configuration says something else.
--
-- Earlier binaries call configure_budget, a function of the database, as this version does: beside it they keep a person's period, too.

ALTER TABLE budgets ADD COLUMN configured_per text COLLATE "C";
COMMENT ON COLUMN budgets.configured_per IS 'The period that the configuration says, as configured_usd is its amount; NULL where it says nothing.';
UPDATE budgets SET configured_per = per WHERE configured_usd IS NOT NULL;
