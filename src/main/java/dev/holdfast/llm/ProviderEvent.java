package dev.holdfast.llm;

import org.jspecify.annotations.Nullable;

/** Events of a call with retries; the names are the source's (E10, E11). */
public sealed interface ProviderEvent {
  String provider();

  /** A call begins; sent once per call, before its first request. */
  record ProviderRequestStarted(String provider, String model) implements ProviderEvent {}

  /**
   * A call is over; sent once per call, whatever its end, also after an abort.
   *
   * @param retries 0 where the first try decided
   * @param durationMs all tries and waits
   * @param error null on success
   * @param sent false where not even the first try was: the provider was not to be called, the
   *     budget was used up, or an abort came first
   * @param uncounted the tries that closed their provider and cost nothing: no limit counts them
   */
  record ProviderRequestFinished(
      String provider,
      int retries,
      boolean success,
      long durationMs,
      @Nullable String error,
      boolean sent,
      int uncounted)
      implements ProviderEvent {
    /** Makes the event of a request that was sent and counts. */
    public ProviderRequestFinished(
        String provider, int retries, boolean success, long durationMs, @Nullable String error) {
      this(provider, retries, success, durationMs, error, true, 0);
    }
  }
}
