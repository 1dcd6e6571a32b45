-- What people answer to the questions of jobs is guidance that has a type.
--
-- Earlier binaries give their jobs the answers as guidance, as words.

ALTER TABLE ticket_guidance DROP CONSTRAINT ticket_guidance_source_check;
ALTER TABLE ticket_guidance ADD CONSTRAINT ticket_guidance_source_check CHECK (source IN ('release', 'reject', 'answer'));
ALTER TABLE ticket_guidance ADD COLUMN question text;
ALTER TABLE ticket_guidance ADD COLUMN answer jsonb;
ALTER TABLE ticket_guidance ADD CONSTRAINT answered_question CHECK ((source = 'answer') = (question IS NOT NULL AND answer IS NOT NULL));
COMMENT ON COLUMN ticket_guidance.question IS 'What the job had asked; NULL where this is no answer.';
COMMENT ON COLUMN ticket_guidance.answer IS 'The answer as JSON; guidance has it as words. NULL where this is none.';
