package dev.holdfast.config;

import java.time.Duration;

/**
 * How much the visitors of the HTTP port may use.
 *
 * @param requestsPerMinute of each visitor at most; 0 is no bound
 * @param concurrentRequests of all visitors together, answered at once
 * @param poolSize database connections for them at most
 * @param statementTimeout of each statement for them
 */
public record WebLimits(
    int requestsPerMinute, int concurrentRequests, int poolSize, Duration statementTimeout) {
  static WebLimits of(Values values) {
    return new WebLimits(
        values.get(WebKeys.REQUESTS_PER_MINUTE),
        values.get(WebKeys.CONCURRENT_REQUESTS),
        values.get(WebKeys.POOL_SIZE),
        values.get(WebKeys.STATEMENT_TIMEOUT));
  }
}
