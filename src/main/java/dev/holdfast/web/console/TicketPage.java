package dev.holdfast.web.console;

import dev.holdfast.queue.AttemptRow;
import dev.holdfast.queue.TicketRow;
import dev.holdfast.queue.ToolCallRow;
import dev.holdfast.queue.view.RetryWait;
import dev.holdfast.ticket.Guidance;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A ticket with all that is known of it.
 *
 * @param sentence its state and why
 * @param retry the retry its session waits in
 * @param payload indented
 * @param waitingCalls tool calls that a person has to allow or deny
 */
public record TicketPage(
    Page page,
    TicketRow ticket,
    String sentence,
    @Nullable RetryWait retry,
    @Nullable ErrorView error,
    ResultView result,
    List<Attempt> attempts,
    List<Guidance> guidance,
    List<TimelineLine> timeline,
    TranscriptView transcript,
    String payload,
    @Nullable String assignee,
    List<ToolCallRow> waitingCalls,
    String sql) {
  public TicketPage {
    waitingCalls = List.copyOf(waitingCalls);
    attempts = List.copyOf(attempts);
    guidance = List.copyOf(guidance);
    timeline = List.copyOf(timeline);
  }

  /** A finished execution. */
  public record Attempt(AttemptRow row, @Nullable ErrorView error) {}

  public boolean isState(String state) {
    return ticket.state().equals(state);
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
