package dev.holdfast.llm;

import org.jspecify.annotations.Nullable;

/** Events of a call with retries; the names are the source's (E10, E11). */
public sealed interface ProviderEvent {
  String provider();

  /** Once per call, before its first request. */
  record ProviderRequestStarted(String provider, String model) implements ProviderEvent {}

  /**
   * Once per call, whatever its end, an abort included.
   *
   * @param retries 0 where the first try decided
   * @param durationMs all tries and waits
   * @param error null on success
   */
  record ProviderRequestFinished(
      String provider, int retries, boolean success, long durationMs, @Nullable String error)
      implements ProviderEvent {}
}
