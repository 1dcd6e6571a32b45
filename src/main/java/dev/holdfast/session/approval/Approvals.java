package dev.holdfast.session.approval;

import dev.holdfast.llm.ToolCall;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Knows which calls a person has to allow, and what the person decided. Used by one thread. */
@FunctionalInterface
public interface Approvals {
  /** Every call may run. */
  Approvals NONE =
      (answer, turn, calls) ->
          calls.stream().map(call -> (Permission) new Permission.Allowed(call, null)).toList();

  /** The decision on running a call. */
  sealed interface Permission {
    /**
     * @param call what runs: the model's own, or as a person has changed it
     * @param note what the model is told after the result, in a person's name; null for nothing
     */
    record Allowed(ToolCall call, @Nullable String note) implements Permission {}

    /**
     * @param words what the model is told after a result that says no more than that it was not
     *     allowed
     */
    record Denied(ToolCall call, String words) implements Permission {}

    /** Nobody has said anything yet. */
    record Waits(PendingCall call) implements Permission {}
  }

  /**
   * @param calls of one answer, those that have no result yet
   * @param answer which answer of the conversation, from 1
   * @return one for each, in their order
   */
  List<Permission> permissions(int answer, int turn, List<ToolCall> calls)
      throws InterruptedException;

  /** Returns the same for calls that will not run. It does not ask people about undecided calls. */
  default List<Permission> decided(int answer, int turn, List<ToolCall> calls)
      throws InterruptedException {
    return permissions(answer, turn, calls);
  }
}
