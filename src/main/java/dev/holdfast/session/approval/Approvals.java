package dev.holdfast.session.approval;

import dev.holdfast.llm.ToolCall;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Which calls a person has to allow, and what has been said to them. Used by one thread. */
@FunctionalInterface
public interface Approvals {
  /** Every call may run. */
  Approvals NONE =
      (answer, turn, calls) ->
          calls.stream().map(call -> (Ruling) new Ruling.Allowed(call, null)).toList();

  /** Whether a call may run. */
  sealed interface Ruling {
    /**
     * @param call what runs: the model's own, or as a person has changed it
     * @param note what the model is told behind the result, in a person's name; null for nothing
     */
    record Allowed(ToolCall call, @Nullable String note) implements Ruling {}

    /**
     * @param words what the model is told behind a result that says no more than that it was not
     *     allowed
     */
    record Denied(ToolCall call, String words) implements Ruling {}

    /** Nobody has said anything yet. */
    record Waits(PendingCall call) implements Ruling {}
  }

  /**
   * @param calls of one answer, those that have no result yet
   * @param answer which answer of the conversation, from 1
   * @return one for each, in their order
   */
  List<Ruling> rulings(int answer, int turn, List<ToolCall> calls) throws InterruptedException;
}
