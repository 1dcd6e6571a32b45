package dev.holdfast.cli.ticket;

import dev.holdfast.cli.output.UsageException;
import dev.holdfast.cli.output.Words;
import dev.holdfast.queue.Expiry;
import dev.holdfast.queue.Uniqueness;
import java.time.Duration;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads what a new ticket says in words, in an option or in a line of a file. */
final class TicketWords {
  private static final Set<String> SPANS = Set.of("open", "ever");

  private TicketWords() {}

  /** Reads a time, or how long from now. */
  static Expiry expiry(String what, String text) {
    return text.contains("-")
        ? new Expiry.At(Words.time(what, text))
        : new Expiry.In(Words.duration(what, text));
  }

  static Uniqueness uniqueness(
      String spanName, @Nullable String span, String duplicateName, @Nullable String duplicate) {
    Duration time = span == null || SPANS.contains(span) ? null : Words.duration(spanName, span);
    try {
      return Uniqueness.of(span, time, duplicate);
    } catch (IllegalArgumentException e) {
      throw new UsageException(duplicateName + ": " + e.getMessage(), e);
    }
  }
}
