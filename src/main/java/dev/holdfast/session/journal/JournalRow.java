package dev.holdfast.session.journal;

import java.time.Instant;

/**
 * A stored entry of a journal, for people who read it.
 *
 * @param seq counts the entries of a ticket from 1
 * @param leaseNo of the attempt that wrote it
 * @param kind as the key {@code entry} of the JSON; {@link #STARTED_OVER} where a person had the
 *     session start over
 * @param entry as {@link JournalJson} writes it
 */
public record JournalRow(long seq, long leaseNo, Instant writtenAt, String kind, String entry) {
  /**
   * The kind of a row that is no entry of a session: those before it belong to a session that was
   * given up.
   */
  public static final String STARTED_OVER = "started_over";
}
