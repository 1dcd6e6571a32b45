package dev.holdfast.queue.read;

import dev.holdfast.ticket.InvalidInputException;
import dev.holdfast.ticket.TicketState;
import java.time.Instant;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A filter for lists of tickets; null fields do not filter.
 *
 * @param design the name of their design, of any version
 * @param category "" for tickets without an error
 * @param fingerprint whole, or its first 8 characters or more; "" for tickets without an error
 * @param text a part of the title or the unique key, in capitals or not
 * @param createdFrom created at this time or later
 * @param createdBefore created earlier than this time
 * @param assignee the person who looks after it
 * @param batchId the batch they came with
 * @param beforeId only tickets with smaller ids: the next page
 * @param limit at least 1
 */
public record TicketFilter(
    @Nullable TicketState state,
    @Nullable String queue,
    @Nullable String kind,
    @Nullable String design,
    @Nullable String category,
    @Nullable String fingerprint,
    @Nullable String text,
    @Nullable Instant createdFrom,
    @Nullable Instant createdBefore,
    @Nullable String assignee,
    @Nullable Long batchId,
    @Nullable Long beforeId,
    int limit) {

  private static final int SHORTEST_FINGERPRINT = 8;
  private static final Pattern START_OF_FINGERPRINT = Pattern.compile("[0-9a-f]{8,31}");

  /**
   * Returns the fingerprint by which a person chooses, or null. An empty one would choose the
   * tickets that people held.
   *
   * @throws InvalidInputException if it is too short to choose by
   */
  public static @Nullable String fingerprint(@Nullable String text) {
    if (text != null && text.length() < SHORTEST_FINGERPRINT) {
      throw new InvalidInputException(
          "a fingerprint needs %s characters at least".formatted(SHORTEST_FINGERPRINT));
    }
    return text;
  }

  /**
   * Returns whether only the start is given. Any other fingerprint is compared as a whole, for
   * which the index on groups serves.
   */
  public boolean hasStartOfFingerprint() {
    return fingerprint != null && START_OF_FINGERPRINT.matcher(fingerprint).matches();
  }

  /** Returns the text as a pattern of ILIKE that matches what contains it. */
  public @Nullable String textPattern() {
    return text == null
        ? null
        : "%" + text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_") + "%";
  }

  public static TicketFilter all(int limit) {
    return new TicketFilter(
        null, null, null, null, null, null, null, null, null, null, null, null, limit);
  }

  public TicketFilter withState(@Nullable TicketState newState) {
    return copy(newState, queue, design, category, fingerprint, text, beforeId, limit);
  }

  public TicketFilter withQueue(@Nullable String newQueue) {
    return copy(state, newQueue, design, category, fingerprint, text, beforeId, limit);
  }

  public TicketFilter withDesign(@Nullable String newDesign) {
    return copy(state, queue, newDesign, category, fingerprint, text, beforeId, limit);
  }

  public TicketFilter withError(@Nullable String newCategory, @Nullable String newFingerprint) {
    return copy(state, queue, design, newCategory, newFingerprint, text, beforeId, limit);
  }

  public TicketFilter withText(String newText) {
    return copy(state, queue, design, category, fingerprint, newText, beforeId, limit);
  }

  public TicketFilter withBeforeId(@Nullable Long newBeforeId) {
    return copy(state, queue, design, category, fingerprint, text, newBeforeId, limit);
  }

  public TicketFilter withLimit(int newLimit) {
    return copy(state, queue, design, category, fingerprint, text, beforeId, newLimit);
  }

  private TicketFilter copy(
      @Nullable TicketState newState,
      @Nullable String newQueue,
      @Nullable String newDesign,
      @Nullable String newCategory,
      @Nullable String newFingerprint,
      @Nullable String newText,
      @Nullable Long newBeforeId,
      int newLimit) {
    return new TicketFilter(
        newState,
        newQueue,
        kind,
        newDesign,
        newCategory,
        newFingerprint,
        newText,
        createdFrom,
        createdBefore,
        assignee,
        batchId,
        newBeforeId,
        newLimit);
  }
}
