package dev.holdfast.ticket;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A person's words for the next attempts of a ticket.
 *
 * @param text what they said
 * @param author who said it
 * @param source {@code release}, {@code reject} or {@code answer}
 * @param answer the answer with its type, where the job had asked; null where it had not
 */
public record Guidance(
    String text, String author, String source, Instant givenAt, @Nullable Answer answer) {
  /** Makes guidance that answers no question. */
  public Guidance(String text, String author, String source, Instant givenAt) {
    this(text, author, source, givenAt, null);
  }
}
