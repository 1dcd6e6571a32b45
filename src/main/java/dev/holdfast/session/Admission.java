package dev.holdfast.session;

import dev.holdfast.llm.ToolCall;
import dev.holdfast.session.approval.Approvals;
import dev.holdfast.session.approval.PendingCall;
import dev.holdfast.session.journal.Input;
import dev.holdfast.session.journal.JournalEntry;
import dev.holdfast.tool.ToolReply;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The decisions of people on one answer's calls. Their words never stand in a tool's reply, where a
 * tool's output could pass for them: they are said in a message of their own after it.
 *
 * @param waiting nobody has decided these; then none of the answer's calls runs
 * @param allowed what runs, as it runs
 * @param denied with what stands in the place of their results
 * @param words by the id of the call: what a person says of it
 */
record Admission(
    List<PendingCall> waiting,
    List<ToolCall> allowed,
    List<ToolReply> denied,
    Map<String, Input> words) {
  /** The admission for an answer without calls. */
  static final Admission NONE = new Admission(List.of(), List.of(), List.of(), Map.of());

  private static final String DENIED = "This call was not allowed, and was not run.";

  /**
   * @param answer which answer of the conversation made the calls
   */
  static Admission of(int answer, List<Approvals.Permission> permissions) {
    List<PendingCall> waiting = new ArrayList<>();
    List<ToolCall> allowed = new ArrayList<>();
    List<ToolReply> denied = new ArrayList<>();
    Map<String, Input> words = new HashMap<>();
    for (Approvals.Permission permission : permissions) {
      switch (permission) {
        case Approvals.Permission.Waits waits -> waiting.add(waits.call());
        case Approvals.Permission.Denied no -> {
          denied.add(new ToolReply(no.call(), ToolReply.Outcome.MODEL_RETRY, DENIED, 0));
          words.put(no.call().id(), Input.ofCall(answer, no.call().id(), no.words()));
        }
        case Approvals.Permission.Allowed yes -> {
          allowed.add(yes.call());
          if (yes.note() != null) {
            words.put(yes.call().id(), Input.ofCall(answer, yes.call().id(), yes.note()));
          }
        }
      }
    }
    return new Admission(waiting, allowed, denied, words);
  }

  /**
   * Returns the stored form of a reply. All of it is written at once, so that the person's words
   * are said just once.
   */
  List<JournalEntry> entries(int turn, ToolReply reply) {
    JournalEntry finished = new JournalEntry.ToolFinished(turn, reply);
    Input said = words.get(reply.call().id());
    return said == null ? List.of(finished) : List.of(finished, new JournalEntry.Said(said));
  }
}
