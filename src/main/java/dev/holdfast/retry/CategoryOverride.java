package dev.holdfast.retry;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The overrides for one category; a null field changes nothing. */
public record CategoryOverride(
    @Nullable Integer maxRetries, @Nullable BackoffType backoff, @Nullable Duration baseDelay) {

  CategoryPolicy over(CategoryPolicy policy) {
    Backoff before = policy.backoff();
    return new CategoryPolicy(
        maxRetries == null ? policy.maxRetries() : maxRetries,
        new Backoff(
            backoff == null ? before.type() : backoff,
            baseDelay == null ? before.base() : baseDelay));
  }
}
