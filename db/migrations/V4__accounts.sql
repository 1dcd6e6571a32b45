-- What all workers know of the providers of models: who must not be called before when, whose account is out of order, what may still be
-- spent; and which tickets wait for one of these.

CREATE TABLE provider_cooldowns (
  provider    text COLLATE "C" NOT NULL,
  key_id      text COLLATE "C" NOT NULL DEFAULT '',
  model       text COLLATE "C" NOT NULL DEFAULT '',
  until       timestamptz,
  reason      text COLLATE "C" NOT NULL
    CONSTRAINT known_reason CHECK (reason IN ('rate_limit', 'overloaded', 'outage', 'usage_limit', 'auth', 'quota')),
  detail      text NOT NULL DEFAULT '',
  http_status integer,
  since       timestamptz NOT NULL DEFAULT clock_timestamp(),
  reported_by text NOT NULL,
  last_ticket bigint,
  failures    integer NOT NULL DEFAULT 0 CHECK (failures >= 0),
  rounds      integer NOT NULL DEFAULT 0 CHECK (rounds >= 0),
  length_ms   bigint NOT NULL DEFAULT 0,
  probe_by    text,
  probe_until timestamptz,
  told_at     timestamptz,
  PRIMARY KEY (provider, key_id, model)
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500);
COMMENT ON TABLE provider_cooldowns IS 'Providers and accounts that nobody in the cluster should call before a time. A row goes with the first answer of its account after that time; holdfast providers shows them, holdfast providers mend NAME deletes them.';
COMMENT ON COLUMN provider_cooldowns.provider IS 'Its name in the configuration.';
COMMENT ON COLUMN provider_cooldowns.key_id IS 'Which of its keys: the start of the key''s SHA-256, never the key. Empty: the provider as a whole, whatever the key.';
COMMENT ON COLUMN provider_cooldowns.model IS 'Empty: all its models.';
COMMENT ON COLUMN provider_cooldowns.until IS 'Nobody calls before; infinity: until a person mends it. Past: one caller tries whether it is over. NULL: none, only signs of an outage so far.';
COMMENT ON COLUMN provider_cooldowns.reason IS 'rate_limit, overloaded, outage, usage_limit: passes by itself. auth (the key is refused), quota (its money is used up): a person''s.';
COMMENT ON COLUMN provider_cooldowns.detail IS 'The provider''s own words, shortened.';
COMMENT ON COLUMN provider_cooldowns.failures IS 'Signs of an outage in a row; an answer ends the row, and the count with it.';
COMMENT ON COLUMN provider_cooldowns.rounds IS 'Cool-downs in a row without an answer between them: each is twice as long as the one before, up to cooldown.max-delay.';
COMMENT ON COLUMN provider_cooldowns.length_ms IS 'How long the present one is in all; the starts after its end are spread by a part of it.';
COMMENT ON COLUMN provider_cooldowns.probe_by IS 'The worker whose call tries whether it is over.';
COMMENT ON COLUMN provider_cooldowns.probe_until IS 'When that try is taken for lost and another caller may.';
COMMENT ON COLUMN provider_cooldowns.told_at IS 'When people were told that it has not answered for cooldown.notice-after; once in an outage, whatever the number of workers.';

CREATE TABLE budgets (
  scope          text COLLATE "C" PRIMARY KEY
    CONSTRAINT known_scope CHECK (scope = 'day' OR scope ~ '^(design|key):.+$'),
  per            text COLLATE "C" NOT NULL CONSTRAINT known_period CHECK (per IN ('day', 'total')),
  limit_usd      numeric NOT NULL CONSTRAINT limit_is_an_amount CHECK (limit_usd BETWEEN 0 AND 1000000000),
  configured_usd numeric,
  day            date NOT NULL DEFAULT (clock_timestamp() AT TIME ZONE 'UTC')::date,
  spent_usd      numeric NOT NULL DEFAULT 0 CHECK (spent_usd >= 0),
  reserved_usd   numeric NOT NULL DEFAULT 0 CHECK (reserved_usd >= 0),
  changed_by     text NOT NULL,
  changed_at     timestamptz NOT NULL DEFAULT clock_timestamp()
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500);
COMMENT ON TABLE budgets IS 'What calls of models may cost in all, over all workers. A call''s worst cost is reserved before it is sent, its true cost booked after; holdfast budgets shows them, holdfast budgets raise changes them. Without a row nothing is counted.';
COMMENT ON COLUMN budgets.scope IS 'day: all calls. design:NAME: those of a design''s tickets. key:PROVIDER/KEY_ID: those of one key.';
COMMENT ON COLUMN budgets.per IS 'day: the spending starts anew at midnight UTC by the database''s clock; total: never.';
COMMENT ON COLUMN budgets.limit_usd IS 'What spent_usd and reserved_usd together may not exceed.';
COMMENT ON COLUMN budgets.configured_usd IS 'What the configuration says; limit_usd follows it when it changes, and keeps what a person has set until then.';
COMMENT ON COLUMN budgets.day IS 'The day that spent_usd is of.';

CREATE TABLE budget_reservations (
  id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  ticket_id  bigint NOT NULL,
  lease_no   bigint NOT NULL,
  scopes     text[] NOT NULL,
  usd        numeric NOT NULL CHECK (usd >= 0),
  made_at    timestamptz NOT NULL DEFAULT clock_timestamp()
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500);
COMMENT ON TABLE budget_reservations IS 'Calls that are on their way, with what they may cost at worst. One that outlives its lease was possibly billed: it is booked as spent, whole.';

CREATE TABLE ticket_waits (
  ticket_id  bigint PRIMARY KEY,
  lease_no   bigint NOT NULL,
  kind       text COLLATE "C" NOT NULL CONSTRAINT known_kind CHECK (kind IN ('provider', 'account', 'budget', 'outage', 'trial')),
  scopes     text[] NOT NULL,
  needed_usd numeric,
  words      text NOT NULL,
  since      timestamptz NOT NULL DEFAULT clock_timestamp()
) WITH (fillfactor = 70);
COMMENT ON TABLE ticket_waits IS 'What tickets last waited for besides their turn. Read waiting_tickets: it leaves out those that wait no more.';
COMMENT ON COLUMN ticket_waits.kind IS 'provider: deferred until a cool-down ends. account: held until an account is mended. budget: held until a budget has room. outage: held until a provider answers again. trial: let go of an outage to see whether it does.';
COMMENT ON COLUMN ticket_waits.scopes IS 'PROVIDER/KEY_ID/MODEL of accounts, any one of which lets it go on; or the budget without room.';
COMMENT ON COLUMN ticket_waits.needed_usd IS 'What its next call may cost at worst.';
