package dev.holdfast.worker;

import dev.holdfast.failure.ErrorReport;
import dev.holdfast.queue.NewTicket;
import dev.holdfast.schema.Question;
import dev.holdfast.ticket.Review;
import dev.holdfast.ticket.TicketWait;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** The result of a handler. */
public sealed interface HandlerResult {
  /**
   * @param result JSON text for {@code tickets.result}, or null
   * @param review whether a person looks at the result
   * @param enqueues JSON text: the tickets that it adds, a list of {@code {"design": …, "payloads":
   *     […]}}; null for none. {@code may_enqueue} of the ticket's design names the designs that
   *     they may have; without a design of the ticket they may have any. They are added together
   *     with the success, or not at all
   */
  record Succeeded(@Nullable String result, Review review, @Nullable String enqueues)
      implements HandlerResult {
    public Succeeded {
      Objects.requireNonNull(review, "review is null");
    }

    /** Makes a success that adds no tickets. */
    public Succeeded(@Nullable String result, Review review) {
      this(result, review, null);
    }

    /**
     * Adds tickets together with this success, or not at all.
     *
     * @param tickets each has a design, which {@code may_enqueue} of the ticket's design names (any
     *     design if the ticket has none), and no more than a payload, a title, a queue and a
     *     priority. One with the queue {@code default} goes to the ticket's own queue, and one with
     *     the priority 0 has the ticket's own
     * @throws IllegalArgumentException if one has more than that
     */
    public Succeeded adding(List<NewTicket> tickets) {
      return new Succeeded(result, review, AddedTickets.json(tickets));
    }
  }

  /**
   * A workflow waits for its steps; the end of a step files it again.
   *
   * @param plan JSON text: the steps that begin now
   */
  record Advanced(String plan) implements HandlerResult {
    public Advanced {
      Objects.requireNonNull(plan, "plan is null");
    }
  }

  /** The job failed; the evidence is classified, and the ticket retried or held. */
  record Failed(ErrorReport error) implements HandlerResult {
    public Failed {
      Objects.requireNonNull(error, "error is null");
    }
  }

  /**
   * Only a person can say how to go on: the ticket is held, whatever retries it has left.
   *
   * @param reason for {@code tickets.hold_reason}: what to look at before a release
   * @param error classified and stored like that of any failed attempt
   * @param waitsFor what may end the hold besides a release; null where nothing else does
   */
  record Held(String reason, ErrorReport error, @Nullable TicketWait waitsFor)
      implements HandlerResult {
    public Held {
      requireWords(reason);
      Objects.requireNonNull(error, "error is null");
    }

    public Held(String reason, ErrorReport error) {
      this(reason, error, null);
    }
  }

  /**
   * The ticket cannot go on for a while, through no fault of its own. Then it is ready again; no
   * retry is used up and nothing counts as a failure.
   *
   * @param delay at most 36500 days, a longer one is cut; a negative one is none
   */
  record Deferred(Duration delay, TicketWait waitsFor) implements HandlerResult {
    private static final Duration LONGEST = Duration.ofDays(36_500);

    public Deferred {
      Objects.requireNonNull(delay, "delay is null");
      Objects.requireNonNull(waitsFor, "waitsFor is null");
      delay = delay.isNegative() ? Duration.ZERO : delay.compareTo(LONGEST) > 0 ? LONGEST : delay;
    }
  }

  /**
   * The ticket waits for a person's word before it goes on. No failure, and no retry is used up.
   *
   * @param reason for {@code tickets.hold_reason}
   * @param actions what a person may do, for {@code tickets.allowed_actions}; {@code cancel} comes
   *     by itself, so that somebody can end the ticket
   * @param details JSON object for the activity that records it
   */
  record Parked(String reason, List<String> actions, String details) implements HandlerResult {
    private static final String CANCEL = "cancel";
    private static final Set<String> KNOWN =
        new TreeSet<>(
            List.of(
                "release",
                "release_with_guidance",
                "answer",
                "approve_call",
                "approve_call_with_changes",
                "deny_call",
                CANCEL));

    public Parked {
      requireWords(reason);
      Objects.requireNonNull(details, "details is null");
      actions = withCancel(actions);
    }

    private static List<String> withCancel(List<String> actions) {
      for (String each : actions) {
        if (!KNOWN.contains(each)) {
          throw new IllegalArgumentException(
              "there is no action \"" + each + "\"; there are " + String.join(", ", KNOWN));
        }
      }
      List<String> all = new ArrayList<>(actions);
      if (!all.contains(CANCEL)) {
        all.add(CANCEL);
      }
      return List.copyOf(all);
    }
  }

  /** Success without a result, to needs_review. */
  static Succeeded success() {
    return new Succeeded(null, Review.HUMAN);
  }

  /** Success with a result as JSON text, to needs_review. */
  static Succeeded success(String json) {
    return new Succeeded(json, Review.HUMAN);
  }

  /** Success with an optional result as JSON text, straight to done. */
  static Succeeded done(@Nullable String json) {
    return new Succeeded(json, Review.NONE);
  }

  /**
   * Makes the ticket wait for a person's answer, which the next attempt is given; no retry is used.
   */
  static HandlerResult asks(Question question) {
    return new Parked(
        "question: " + firstLine(question.ask()),
        List.of("answer", "cancel"),
        "{\"holdCause\":\"question\",\"question\":" + question.toJson() + "}");
  }

  private static void requireWords(String reason) {
    if (Objects.requireNonNull(reason, "reason is null").isBlank()) {
      throw new IllegalArgumentException("reason is blank");
    }
  }

  private static String firstLine(String ask) {
    String line = ask.strip().lines().findFirst().orElse("");
    return line.length() > 200
        ? line.substring(0, line.offsetByCodePoints(0, line.codePointCount(0, 199))) + "…"
        : line;
  }

  static HandlerResult held(String reason, ErrorReport error) {
    return new Held(reason, error);
  }

  static HandlerResult failed(ErrorReport error) {
    return new Failed(error);
  }
}
