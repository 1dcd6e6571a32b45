-- The outages that people were told of and that last, while some ticket waits for their end: the row of a provider that nobody calls any
-- more stays.
SELECT holdfast.outage_words(provider, min(since), min(reason), min(detail)) AS words
FROM holdfast.provider_cooldowns c
WHERE told_at IS NOT NULL AND EXISTS (SELECT FROM holdfast.awaited_providers a WHERE a.provider = c.provider)
GROUP BY provider
ORDER BY provider
