-- How many tickets are held with one error. Parameters: :fingerprint, :category. Index: held_by_error alone.
SELECT count(*) FROM holdfast.held h WHERE h.fingerprint = :fingerprint::text AND h.category = :category::text
