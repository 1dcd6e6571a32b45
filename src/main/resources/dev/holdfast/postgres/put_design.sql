-- :name, :kind, :definition, :actor. The latest version if it is the same document, else a new one; no row if somebody else
-- stored a version at this moment: then ask again.
WITH latest AS (
  SELECT id, name, version, kind, definition FROM holdfast.designs WHERE name = :name ORDER BY version DESC LIMIT 1
), same AS (
  SELECT * FROM latest WHERE kind = :kind AND definition = :definition::jsonb
), added AS (
  INSERT INTO holdfast.designs (name, version, kind, definition, created_by)
  SELECT :name, COALESCE((SELECT version FROM latest), 0) + 1, :kind, :definition::jsonb, :actor
  WHERE NOT EXISTS (SELECT FROM same)
  ON CONFLICT (name, version) DO NOTHING
  RETURNING id, name, version, kind, definition
)
SELECT * FROM same UNION ALL SELECT * FROM added
