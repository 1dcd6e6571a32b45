package dev.holdfast.app;

import dev.holdfast.queue.read.TicketRow;
import dev.holdfast.queue.read.TimelineEntry;
import java.io.PrintWriter;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Prints what happens to the sample tickets, a line each. Used by one thread. */
final class DemoScreen {
  private static final JsonMapper MAPPER = new JsonMapper();

  private final PrintWriter out;
  private final Instant start;
  private final Map<Long, Integer> printed = new HashMap<>();

  /**
   * @param start the database's time of the first ticket; lines count seconds from it
   */
  DemoScreen(PrintWriter out, Instant start) {
    this.out = out;
    this.start = start;
  }

  /**
   * Prints the entries that are new.
   *
   * @param label what to call the ticket
   */
  void show(TicketRow ticket, String label, List<TimelineEntry> timeline) {
    List<TimelineEntry> entries =
        timeline.stream().filter(entry -> !isToldByDecision(entry)).toList();
    for (TimelineEntry entry :
        entries.subList(Math.min(seen(ticket), entries.size()), entries.size())) {
      print(ticket, label, entry);
    }
    printed.put(ticket.id(), Math.max(seen(ticket), entries.size()));
  }

  private int seen(TicketRow ticket) {
    return printed.getOrDefault(ticket.id(), 0);
  }

  /** A failure and the decision on it are one line. */
  private static boolean isToldByDecision(TimelineEntry entry) {
    return entry.event().equals("failed") || entry.event().equals("crashed");
  }

  private void print(TicketRow ticket, String label, TimelineEntry entry) {
    Duration since = Duration.between(start, entry.at());
    out.printf(
        Locale.ROOT,
        "%6.1f s  #%-4d %-13s %s%n",
        Math.max(0, since.toMillis()) / 1000.0,
        ticket.id(),
        label,
        sentence(entry));
    out.flush();
  }

  private static String sentence(TimelineEntry entry) {
    JsonNode details = MAPPER.readTree(entry.details() == null ? "{}" : entry.details());
    return switch (entry.event()) {
      case "created" -> "ready in queue " + details.path("queue").asString();
      case "claimed" -> "in_progress";
      case "succeeded" -> "attempt " + details.path("attempt").asInt() + " succeeded";
      case "retry_decision" -> decision(details);
      case "released" ->
          "released by " + entry.actor() + ": \"" + details.path("guidance").asString("") + "\"";
      case "rejected" ->
          "sent back by " + entry.actor() + ": \"" + details.path("feedback").asString("") + "\"";
      case "approved" -> "approved by " + entry.actor() + ": done";
      case "cancelled" ->
          "cancelled by " + entry.actor() + ": " + details.path("reason").asString("");
      default -> entry.event().replace('_', ' ');
    };
  }

  private static String decision(JsonNode details) {
    String failure =
        "failed: "
            + details.path("errorCategory").asString()
            + " ("
            + details.path("rule").asString()
            + ")";
    if (!details.path("shouldRetry").asBoolean()) {
      return failure + "; on_hold: " + details.path("holdReason").asString();
    }
    return String.format(
        Locale.ROOT,
        "%s; retry %d of %d in %.1f s",
        failure,
        details.path("currentAttempt").asInt(),
        details.path("maxRetries").asInt(),
        details.path("nextDelayMs").asLong() / 1000.0);
  }
}
