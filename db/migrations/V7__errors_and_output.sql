-- What an error is called, beside its text; and what the programs of tickets print.
--
-- Earlier binaries: they write no title, and everybody who reads takes the first line of the error then (error_name).
-- They keep no output.

ALTER TABLE ticket_base ADD COLUMN error_title text;
COMMENT ON COLUMN ticket_base.error_title IS 'The line of the error that says why; NULL where nobody found one.';

ALTER TABLE ticket_attempts ADD COLUMN error_title text;
COMMENT ON COLUMN ticket_attempts.error_title IS 'The line of the error that says why, as "ValueError: cannot parse row 177"; NULL where nobody found one.';

-- In chunks, so that a program that goes on printing adds to a small row and its first ones can go.
CREATE TABLE attempt_output (
  ticket_id  bigint NOT NULL,
  lease_no   bigint NOT NULL,
  stream     text COLLATE "C" NOT NULL CONSTRAINT known_stream CHECK (stream IN ('stdout', 'stderr')),
  from_byte  bigint NOT NULL,
  to_byte    bigint NOT NULL,
  pieces     integer NOT NULL,
  written_at timestamptz NOT NULL DEFAULT now(),
  text       text NOT NULL,
  PRIMARY KEY (ticket_id, lease_no, stream, from_byte)
) WITH (fillfactor = 70);
COMMENT ON TABLE attempt_output IS 'The last 64 KiB or a little more of what the program of each attempt printed, without secrets, about once a second while it runs. Goes with its ticket. Read it with holdfast logs.';
COMMENT ON COLUMN attempt_output.from_byte IS 'Where the chunk begins in its stream.';
COMMENT ON COLUMN attempt_output.to_byte IS 'Where the stream was read up to.';
COMMENT ON COLUMN attempt_output.pieces IS 'How often the chunk was added to: a piece that comes twice is not added twice.';
