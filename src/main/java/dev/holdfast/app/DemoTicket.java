package dev.holdfast.app;

import dev.holdfast.ticket.TicketState;
import java.time.Duration;
import java.util.List;

/**
 * A sample ticket and what the demo, in the part of a person, does when it gets somewhere.
 *
 * @param job the name of its design and its script
 * @param delay before its first attempt
 * @param steps its steps in order; each waits for its state
 * @param end where it is left
 * @param payload the payload as JSON
 */
record DemoTicket(
    String job, String title, Duration delay, List<Step> steps, TicketState end, String payload) {

  private DemoTicket(String job, String title, Duration delay, List<Step> steps, TicketState end) {
    this(job, title, delay, steps, end, "{}");
  }

  /** The action of a person. */
  sealed interface Action {
    record Approve() implements Action {}

    record Reject(String feedback) implements Action {}

    record Release(String guidance) implements Action {}

    record Cancel(String reason) implements Action {}
  }

  record Step(TicketState when, Action action) {}

  /** The guidance that the job "guided" waits for. */
  static final String GUIDANCE = "use the color green";

  /** Returns the samples. Together they go through every edge of the state machine. */
  static List<DemoTicket> all() {
    return List.of(
        new DemoTicket(
            "report",
            "A report that a person sends back once, then approves",
            Duration.ZERO,
            List.of(
                new Step(TicketState.NEEDS_REVIEW, new Action.Reject("shorter, please")),
                new Step(TicketState.NEEDS_REVIEW, new Action.Approve())),
            TicketState.DONE),
        ticket(
            "rate-limit", "A rate limit: waits longer each time, then succeeds", TicketState.DONE),
        ticket(
            "syntax-error",
            "A syntax error: one retry, then a person must look",
            TicketState.ON_HOLD),
        ticket(
            "missing-file",
            "A missing file: two retries, then a person must look",
            TicketState.ON_HOLD),
        new DemoTicket(
            "guided",
            "Held, released with guidance, succeeds",
            Duration.ZERO,
            List.of(new Step(TicketState.ON_HOLD, new Action.Release(GUIDANCE))),
            TicketState.DONE),
        new DemoTicket(
            "guided",
            "The same, left for you to release",
            Duration.ZERO,
            List.of(),
            TicketState.ON_HOLD),
        new DemoTicket(
            DemoAgent.JOB,
            "An agent with real tools fixes a shell script; its model only plays a script",
            Duration.ZERO,
            List.of(new Step(TicketState.NEEDS_REVIEW, new Action.Approve())),
            TicketState.DONE,
            DemoAgent.PAYLOAD),
        new DemoTicket(
            "report",
            "Delayed by an hour, and cancelled before",
            Duration.ofHours(1),
            List.of(new Step(TicketState.READY, new Action.Cancel("not needed any more"))),
            TicketState.CANCELLED));
  }

  private static DemoTicket ticket(String job, String title, TicketState end) {
    return new DemoTicket(job, title, Duration.ZERO, List.of(), end);
  }
}
