package dev.holdfast.web.console.view;

import dev.holdfast.queue.read.CurrentWait;
import dev.holdfast.queue.read.LiveWorkers;
import dev.holdfast.queue.read.TicketRow;
import dev.holdfast.retry.DurationText;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Writes a ticket's state and the reason in one sentence. */
public final class StateSentence {
  private static final int ERROR_LENGTH = 160;

  private StateSentence() {}

  public static String of(
      TicketRow ticket, @Nullable CurrentWait wait, LiveWorkers workers, Instant now) {
    return switch (ticket.state()) {
      case "ready" -> ready(ticket, wait, workers, now);
      case "in_progress" -> running(ticket, wait, now);
      case "on_hold" ->
          "Waits for a person%s: %s."
              .formatted(
                  since(ticket.heldAt(), now),
                  ticket.holdReason() == null ? "no reason given" : ticket.holdReason());
      case "needs_review" ->
          "Succeeded "
              + DurationText.ago(ticket.completedAt(), now)
              + "; a person has to approve or reject its result.";
      case "done" -> "Done " + DurationText.ago(ticket.completedAt(), now) + ".";
      case "cancelled" -> "Cancelled " + DurationText.ago(ticket.completedAt(), now) + ".";
      default -> Format.words(ticket.state());
    };
  }

  /**
   * Describes a ready ticket that waits for others, for its queue to be resumed, or for a limit.
   */
  public static String waitsFor(String words) {
    return words.startsWith("#")
        ? "Waits until other tickets are done: " + words + "."
        : "Waits for " + words + ".";
  }

  private static String since(@Nullable Instant time, Instant now) {
    return time == null ? "" : " for " + DurationText.rough(Duration.between(time, now));
  }

  private static String ready(
      TicketRow ticket, @Nullable CurrentWait wait, LiveWorkers workers, Instant now) {
    Instant due = ticket.retryAfter();
    boolean waits = due != null && due.isAfter(now);
    if (wait != null && wait.kind() == CurrentWait.Kind.PROVIDER) {
      return "Waits for a provider and is tried again "
          + DurationText.ago(wait.until(), now)
          + ", no retry used: "
          + Format.firstLine(wait.reason(), ERROR_LENGTH);
    }
    if ("human".equals(ticket.assigneeType())) {
      return "Waits for a person to work it; no worker takes it.";
    }
    if (!waits) {
      return (ticket.attemptCount() == 0 ? "Ready" + since(ticket.createdAt(), now) : "Ready again")
          + workers
              .missingFor(ticket, now)
              .map(each -> "; " + each + ". Start one, or check both names.")
              .orElse("; the next free worker takes it.");
    }
    if (ticket.attemptCount() == 0 || ticket.error() == null) {
      return "Scheduled: due " + DurationText.ago(due, now) + ".";
    }
    return "Retry %s comes %s, after %s: %s"
        .formatted(
            ticket.retryCount() == null ? 1 : ticket.retryCount(),
            DurationText.ago(due, now),
            Format.words(ticket.errorCategory()),
            Format.firstLine(ticket.errorTitle(), ERROR_LENGTH));
  }

  private static String running(TicketRow ticket, @Nullable CurrentWait wait, Instant now) {
    String sentence =
        "Attempt %s runs%s on %s"
            .formatted(
                ticket.attemptCount() + 1, since(ticket.startedAt(), now), ticket.workerId());
    return wait == null
        ? sentence + "."
        : sentence
            + "; its session retries after: "
            + Format.firstLine(wait.reason(), ERROR_LENGTH);
  }
}
