package dev.holdfast.queue.view;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Held tickets with one error.
 *
 * @param fingerprint "" for tickets without an error
 * @param category "" for tickets without an error
 * @param byHour how many were held in each of the last 24 hours, the oldest hour first
 * @param errorTitle of the newest ticket: the line of its error that says why
 * @param holdReason of the newest ticket
 */
public record HeldGroup(
    String fingerprint,
    String category,
    long tickets,
    Instant oldest,
    Instant newest,
    List<Long> byHour,
    @Nullable String errorTitle,
    @Nullable String holdReason) {
  public HeldGroup {
    byHour = List.copyOf(byHour);
  }
}
