-- The outages that people were told of and that last.
SELECT holdfast.outage_words(provider, min(since), min(reason), min(detail)) AS words
FROM holdfast.provider_cooldowns
WHERE told_at IS NOT NULL
GROUP BY provider
ORDER BY provider
