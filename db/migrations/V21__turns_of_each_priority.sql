-- Where a walk over the keys goes on is known for each priority, and what the last key has had of its turn: a claim of one ticket neither cuts
-- the turn of a key with a weight short, nor sets back the walk of another priority.
--
-- Earlier binaries claim by the functions, which know the column. An upgrade goes on where the last claim ended.

ALTER TABLE line_gates ADD COLUMN turns jsonb NOT NULL DEFAULT '{}';
COMMENT ON COLUMN line_gates.turns IS 'By priority: in_line.turn_group behind which the next claim begins, and how many tickets the key there has had of a turn that goes on. Those of the last 16 priorities at most.';
COMMENT ON COLUMN line_gates.last_group IS 'in_line.turn_group behind which the next claim of a priority begins that turns does not know.';
