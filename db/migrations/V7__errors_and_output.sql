-- What an error is called, beside its text.
--
-- Earlier binaries: they write no title, and everybody who reads takes the first line of the error then (error_name).

ALTER TABLE ticket_base ADD COLUMN error_title text;
COMMENT ON COLUMN ticket_base.error_title IS 'The line of the error that says why; NULL where nobody found one.';

ALTER TABLE ticket_attempts ADD COLUMN error_title text;
COMMENT ON COLUMN ticket_attempts.error_title IS 'The line of the error that says why, as "ValueError: cannot parse row 177"; NULL where nobody found one.';
