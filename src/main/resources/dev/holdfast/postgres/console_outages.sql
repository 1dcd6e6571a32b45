-- The outages that people were told of and that last.
SELECT provider || ' has not answered since ' || to_char(min(since) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI "UTC"')
    || ' (' || min(reason) || ': ' || min(detail) || ')' AS words
FROM holdfast.provider_cooldowns
WHERE told_at IS NOT NULL
GROUP BY provider
ORDER BY provider
