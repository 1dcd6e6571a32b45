package dev.holdfast.web.console;

import dev.holdfast.queue.output.AttemptOutput;
import dev.holdfast.queue.output.OutputChunk;
import dev.holdfast.queue.read.AttemptRow;
import dev.holdfast.queue.read.AutoRetrySwitch;
import dev.holdfast.queue.read.CurrentWait;
import dev.holdfast.queue.read.EqualAttempts;
import dev.holdfast.queue.read.TicketHistory;
import dev.holdfast.queue.read.TicketRow;
import dev.holdfast.queue.read.ToolCallRow;
import dev.holdfast.ticket.Guidance;
import dev.holdfast.web.console.view.ErrorView;
import dev.holdfast.web.console.view.QuestionForm;
import dev.holdfast.web.console.view.ResultView;
import dev.holdfast.web.console.view.StepGraph;
import dev.holdfast.web.console.view.TimelineLine;
import dev.holdfast.web.console.view.TranscriptView;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A ticket with all that is known of it.
 *
 * @param sentence its state and why
 * @param currentWait what it waits for now, if it waits for a time
 * @param output what the program of its newest attempt printed, or of the one that was asked for
 * @param history the history, whose guidance is shown as it is; it says how much older there is
 * @param payload indented
 * @param autoRetry what a person has said about its sessions' retries; null where nobody has
 * @param waitingCalls tool calls that a person has to allow or deny
 * @param steps the steps of a workflow; null for another ticket
 * @param newerDesign the latest version of a held ticket's design, where it is another one
 * @param question what its job asks a person; null where it asks nothing
 */
public record TicketPage(
    Page page,
    TicketRow ticket,
    String sentence,
    @Nullable CurrentWait currentWait,
    @Nullable ErrorView error,
    ResultView result,
    List<Attempt> attempts,
    TicketHistory history,
    List<TimelineLine> timeline,
    TranscriptView transcript,
    @Nullable AttemptOutput output,
    String payload,
    @Nullable String assignee,
    List<ToolCallRow> waitingCalls,
    @Nullable QuestionForm question,
    @Nullable AutoRetrySwitch autoRetry,
    String sql,
    @Nullable StepGraph steps,
    @Nullable Integer newerDesign) {
  public TicketPage {
    waitingCalls = List.copyOf(waitingCalls);
    attempts = List.copyOf(attempts);
    timeline = List.copyOf(timeline);
  }

  /** Finished executions that ended in the same way. */
  public record Attempt(EqualAttempts equal, @Nullable ErrorView error) {
    static Attempt of(EqualAttempts equal) {
      AttemptRow row = equal.newest();
      return new Attempt(equal, ErrorView.of(row.errorTitle(), row.error()));
    }

    public AttemptRow row() {
      return equal.newest();
    }
  }

  public List<Guidance> guidance() {
    return history.guidance().rows();
  }

  /** A part of the page, for its table of contents. */
  public record Part(String id, String title) {}

  /** Returns the parts that this ticket has, in their order. */
  public List<Part> parts() {
    List<Part> parts = new ArrayList<>();
    add(parts, steps != null, "steps", "Steps");
    add(parts, !result.isEmpty() || isState("needs_review"), "part-result", "Result");
    add(parts, true, "part-facts", "Facts");
    add(parts, !guidance().isEmpty(), "part-guidance", "Guidance");
    add(parts, !attempts.isEmpty(), "part-attempts", "Attempts");
    add(parts, !streams().isEmpty(), "output", "Output");
    add(parts, !transcript.steps().isEmpty(), "transcript", "Transcript");
    add(parts, true, "part-timeline", "Timeline");
    add(parts, true, "part-payload", "Payload");
    return parts;
  }

  private static void add(List<Part> parts, boolean there, String id, String title) {
    if (there) {
      parts.add(new Part(id, title));
    }
  }

  /** Returns true if a form may send the payload back as it is shown. */
  public boolean isPayloadWhole() {
    return ResultView.isShownWhole(ticket.payload());
  }

  /** Returns true if its program may print something now, which no event reports. */
  public boolean isPrinting() {
    return output != null && output.running() && ticket.kind().equals("command");
  }

  /** Returns the streams on which something was printed. */
  public List<String> streams() {
    return output == null
        ? List.of()
        : Stream.of(OutputChunk.STDOUT, OutputChunk.STDERR)
            .filter(stream -> output.bytes(stream) > 0)
            .toList();
  }

  public boolean isState(String state) {
    return ticket.state().equals(state);
  }

  /** Returns true if a session works it or will. */
  public boolean mayRetry() {
    return ticket.kind().equals("agent") && !isState("done") && !isState("cancelled");
  }

  /** Returns true if a person has switched its sessions' retries off. */
  public boolean isAutoRetryOff() {
    return autoRetry != null && !autoRetry.enabled();
  }

  /** Returns when the retries were switched last, for the form that switches them. */
  public String switchedAt() {
    return at(autoRetry);
  }

  static String at(@Nullable AutoRetrySwitch autoRetry) {
    return autoRetry == null ? "never" : autoRetry.changedAt().toString();
  }

  public boolean allows(String action) {
    return ticket.allowedActions() != null && ticket.allowedActions().contains(action);
  }

  public boolean mayBeReleased() {
    return isState("on_hold") && (allows("release") || allows("release_with_guidance"));
  }

  public boolean mayDecideCalls() {
    return isState("on_hold") && allows("approve_call");
  }

  public boolean mayBeCancelled() {
    return isState("on_hold") ? allows("cancel") : !isState("done") && !isState("cancelled");
  }
}
