-- What people need beside the tickets themselves: what waits for them, who looks after a ticket, the undo of a release, keys that make a
-- request count once, the key that signs logins, how far the webhook has told of holds, what producers may enqueue.

-- A hundred thousand tickets are grouped in the time of one page: the wide rows of ticket_base are touched only for what is shown.
-- No index is added to ticket_base for it: an attempt's error changes with each failure, and those updates stay HOT.
CREATE TABLE held (
  id          bigint PRIMARY KEY,
  held_at     timestamptz NOT NULL,
  queue       text COLLATE "C" NOT NULL,
  kind        text COLLATE "C" NOT NULL,
  category    text COLLATE "C" NOT NULL,
  fingerprint text COLLATE "C" NOT NULL
) WITH (autovacuum_vacuum_scale_factor = 0.1, autovacuum_analyze_scale_factor = 0.1);
CREATE INDEX held_by_error ON held (fingerprint, category, id);
COMMENT ON TABLE held IS 'The tickets that wait for a person, apart from all others so that they can be counted by error at once. Kept by triggers; do not write it by hand. Read on_hold_tickets and error_groups.';
COMMENT ON COLUMN held.category IS 'As tickets.error_category; empty where the ticket has no error.';
COMMENT ON COLUMN held.fingerprint IS 'As tickets.error_fingerprint; empty where the ticket has no error.';

CREATE TABLE ticket_assignments (
  ticket_id   bigint PRIMARY KEY,
  assignee    text NOT NULL CONSTRAINT assignee_is_a_name CHECK (btrim(assignee) <> '' AND length(assignee) <= 100),
  assigned_at timestamptz NOT NULL DEFAULT now(),
  assigned_by text NOT NULL
);
CREATE INDEX ticket_assignments_by_person ON ticket_assignments (assignee, ticket_id);
COMMENT ON TABLE ticket_assignments IS 'Which person looks after a ticket: assign_ticket(id, assignee, actor). For people only: no worker looks at it. Goes with its ticket.';

CREATE TABLE released_holds (
  ticket_id        bigint PRIMARY KEY,
  released_at      timestamptz NOT NULL DEFAULT now(),
  held_at          timestamptz NOT NULL,
  completed_at     timestamptz,
  retry_after      timestamptz,
  guidance_id      bigint,
  started_over_seq bigint,
  retry_count      integer,
  attempt_count    integer NOT NULL,
  crash_count      integer NOT NULL,
  same_error_count integer NOT NULL,
  retry_counts     jsonb,
  hold_reason      text,
  hold_actions     text[]
) WITH (fillfactor = 70);
COMMENT ON TABLE released_holds IS 'The last hold of each ticket that was released, as it was, so that unrelease_ticket can restore it. Goes with its ticket.';
COMMENT ON COLUMN released_holds.guidance_id IS 'The guidance that came with the release.';
COMMENT ON COLUMN released_holds.started_over_seq IS 'The entry of session_journal that let the session begin anew, where the release asked for that.';

CREATE TABLE request_keys (
  key          text COLLATE "C" PRIMARY KEY,
  created_at   timestamptz NOT NULL DEFAULT now(),
  request_hash text NOT NULL,
  ticket_id    bigint,
  etag         text,
  answer       text
);
CREATE INDEX request_keys_by_time ON request_keys (created_at);
COMMENT ON TABLE request_keys IS 'Idempotency-Key of POSTs to the API: the same request under the same key is done once and answered alike, for 24 hours.';
COMMENT ON COLUMN request_keys.key IS 'A hash of the key and of whose it is.';
COMMENT ON COLUMN request_keys.request_hash IS 'Of what was asked: another request under the same key is a mistake.';
COMMENT ON COLUMN request_keys.answer IS 'The body of the answer; NULL where the server ended between the deed and its answer.';

CREATE TABLE web_keys (
  id         integer PRIMARY KEY CHECK (id = 1),
  created_at timestamptz NOT NULL DEFAULT now(),
  secret     text NOT NULL
);
COMMENT ON TABLE web_keys IS 'The key that signs the login cookies of all consoles on this database. A new secret logs everybody out.';
-- Whatever is granted by hand does not give the key away: who is not the owner sees no row of it. web_key() runs as the owner.
ALTER TABLE web_keys ENABLE ROW LEVEL SECURITY;
-- Two random UUIDs have 244 random bits; there is no other source of randomness without an extension.
INSERT INTO web_keys (id, secret)
VALUES (1, encode(sha256(convert_to(gen_random_uuid()::text || gen_random_uuid()::text, 'UTF8')), 'hex'));

CREATE TABLE webhook_cursors (
  name        text COLLATE "C" PRIMARY KEY,
  activity_id bigint NOT NULL,
  held_by     text,
  held_until  timestamptz,
  updated_at  timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE webhook_cursors IS 'How far each webhook has told of holds. One process at a time tells: the one that holds the row''s lease.';
COMMENT ON COLUMN webhook_cursors.name IS 'A hash of the webhook''s address.';
COMMENT ON COLUMN webhook_cursors.activity_id IS 'Everything in ticket_activity up to here was told, or was nothing to tell.';
COMMENT ON COLUMN webhook_cursors.held_until IS 'Another process may take over from then on.';

CREATE TABLE producer_grants (
  id      bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  grantee name NOT NULL,
  queue   text NOT NULL,
  kind    text,
  design  text,
  CONSTRAINT kind_or_design CHECK ((kind IS NULL) <> (design IS NULL)),
  UNIQUE NULLS NOT DISTINCT (grantee, queue, kind, design)
);
COMMENT ON TABLE producer_grants IS 'What members of holdfast_producer may enqueue with produce_ticket: each row one queue and one kind or design. INSERT INTO ${flyway:defaultSchema}.producer_grants (grantee, queue, design) VALUES (''shop'', ''mail'', ''welcome''). Only the owner of the schema writes it.';
COMMENT ON COLUMN producer_grants.grantee IS 'A database user, or a role that users are members of.';
COMMENT ON COLUMN producer_grants.kind IS 'For tickets without a design.';
