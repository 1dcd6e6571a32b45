-- A migration of an application that has Holdfast on its class path: Holdfast must not see it.
CREATE TABLE users (id bigint);
