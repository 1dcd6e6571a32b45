-- Who reads a ticket gets what can be read of it: a document that is far too long as text is replaced by words.
-- Earlier binaries: they work on.

CREATE FUNCTION readable(document jsonb) RETURNS jsonb
LANGUAGE plpgsql IMMUTABLE STRICT SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
BEGIN
  IF ${flyway:defaultSchema}.measured_bytes(document) > 33554432 THEN
    RETURN '{"unreadable": "more than 33554432 bytes when its numbers are written out; see payload.max-expanded-bytes"}';
  END IF;
  RETURN document;
END
$$;
COMMENT ON FUNCTION readable IS 'The document, or words in its place if it has more than 32 MiB as text.';

REVOKE EXECUTE ON FUNCTION readable FROM PUBLIC;

DO $$
DECLARE
  s text := quote_ident('${flyway:defaultSchema}');
  role_name text;
BEGIN
  FOREACH role_name IN ARRAY ARRAY['holdfast_viewer', 'holdfast_operator', 'holdfast_worker'] LOOP
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = role_name) THEN
      EXECUTE format('GRANT EXECUTE ON FUNCTION %1$s.readable, %1$s.measured_bytes, %1$s.expanded_bytes TO %2$I', s, role_name);
    END IF;
  END LOOP;
END
$$;
