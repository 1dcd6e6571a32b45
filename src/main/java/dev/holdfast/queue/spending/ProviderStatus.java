package dev.holdfast.queue.spending;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A row of {@code holdfast.provider_status}: an account that is not called now.
 *
 * @param keyId "" for the provider as a whole
 * @param model "" for all models
 * @param state cooling, half_open, probing or unavailable; in the console also suspected
 * @param until null where it waits for a person
 * @param waiting tickets that are put off because of it
 * @param held tickets that are on hold because of it
 */
public record ProviderStatus(
    String provider,
    String keyId,
    String model,
    String state,
    String reason,
    String detail,
    @Nullable Integer httpStatus,
    Instant since,
    @Nullable Instant until,
    int rounds,
    String reportedBy,
    @Nullable String probeBy,
    long waiting,
    long held) {

  /** Returns true if it stays so until a person mends it. */
  public boolean needsPerson() {
    return state.equals("unavailable");
  }
}
