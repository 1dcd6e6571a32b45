package dev.holdfast.testing;

import dev.holdfast.queue.read.TicketReader;
import dev.holdfast.queue.read.TicketRow;
import dev.holdfast.queue.read.TimelineEntry;
import dev.holdfast.schema.ExactJson;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/**
 * Assertions about one ticket. Each reads the database again; one that does not hold is an {@link
 * AssertionError} that contains the ticket's story.
 */
public final class TicketAssert {
  private final TicketReader reader;
  private final long id;

  TicketAssert(TicketReader reader, long id) {
    this.reader = reader;
    this.id = id;
  }

  /** Returns the ticket as it is now. */
  public TicketRow row() {
    return reader.find(id).orElseThrow(() -> new AssertionError("there is no ticket " + id));
  }

  public TicketAssert isReady() {
    return hasState("ready");
  }

  public TicketAssert isDone() {
    return hasState("done");
  }

  public TicketAssert needsReview() {
    return hasState("needs_review");
  }

  public TicketAssert isCancelled() {
    return hasState("cancelled");
  }

  /** Asserts that it is on hold, with a reason that contains the words. */
  public TicketAssert isOnHold(String words) {
    hasState("on_hold");
    String reason = row().holdReason();
    return claim(reason != null && reason.contains(words), "a hold reason with", words, reason);
  }

  public TicketAssert hasState(String state) {
    String found = row().state();
    return claim(found.equals(state), "the state", state, found);
  }

  /** Asserts that the result is this JSON, in whatever form it is written. */
  public TicketAssert hasResult(String json) {
    String found = row().result();
    return claim(
        found != null && tree(found).equals(TicketAssert::compare, tree(json)),
        "the result",
        json,
        found);
  }

  /** Asserts that this many attempts have ended. */
  public TicketAssert wasTried(int times) {
    int found = row().attemptCount();
    return claim(found == times, "attempts:", times, found);
  }

  /** Asserts the category, as in {@code transient}. */
  public TicketAssert hasErrorCategory(String category) {
    String found = row().errorCategory();
    return claim(category.equals(found), "the error category", category, found);
  }

  /** Asserts that the last error contains the words. */
  public TicketAssert hasError(String words) {
    String found = row().error();
    return claim(found != null && found.contains(words), "an error with", words, found);
  }

  /** Compares two values; PostgreSQL writes 1e2 as 100. */
  private static int compare(JsonNode one, JsonNode other) {
    if (one.isNumber() && other.isNumber()) {
      return one.decimalValue().compareTo(other.decimalValue());
    }
    return one.equals(other) ? 0 : 1;
  }

  private static JsonNode tree(String json) {
    try {
      return ExactJson.MAPPER.readTree(json);
    } catch (JacksonException e) {
      throw new IllegalArgumentException("no JSON: " + json, e);
    }
  }

  private TicketAssert claim(boolean holds, String what, Object expected, @Nullable Object found) {
    if (holds) {
      return this;
    }
    StringBuilder story = new StringBuilder();
    for (TimelineEntry each : reader.timeline(id)) {
      story
          .append("\n  ")
          .append(each.at())
          .append(' ')
          .append(each.event())
          .append(each.actor() == null ? "" : " by " + each.actor())
          .append(' ')
          .append(Objects.requireNonNullElse(each.details(), ""));
    }
    throw new AssertionError(
        "ticket " + id + " should have " + what + " " + expected + ", but has " + found + story);
  }
}
