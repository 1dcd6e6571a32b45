package dev.holdfast.session;

import dev.holdfast.llm.ToolCall;
import dev.holdfast.tool.ToolReply;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What people say of one answer's calls.
 *
 * @param waiting nobody has decided these; then none of the answer's calls runs
 * @param allowed what runs, as it runs
 * @param denied with what the model is told
 * @param notes by the id of the call: what the model is told before its result
 */
record Admission(
    List<PendingCall> waiting,
    List<ToolCall> allowed,
    List<ToolReply> denied,
    Map<String, String> notes) {

  static Admission of(List<Approvals.Ruling> rulings) {
    List<PendingCall> waiting = new ArrayList<>();
    List<ToolCall> allowed = new ArrayList<>();
    List<ToolReply> denied = new ArrayList<>();
    Map<String, String> notes = new HashMap<>();
    for (Approvals.Ruling ruling : rulings) {
      switch (ruling) {
        case Approvals.Ruling.Waits waits -> waiting.add(waits.call());
        case Approvals.Ruling.Denied no ->
            denied.add(new ToolReply(no.call(), ToolReply.Outcome.MODEL_RETRY, no.words(), 0));
        case Approvals.Ruling.Allowed yes -> {
          allowed.add(yes.call());
          if (yes.note() != null) {
            notes.put(yes.call().id(), yes.note());
          }
        }
      }
    }
    return new Admission(waiting, allowed, denied, notes);
  }

  /** The reply as the model is shown it. */
  ToolReply noted(ToolReply reply) {
    String note = notes.get(reply.call().id());
    return note == null
        ? reply
        : new ToolReply(
            reply.call(),
            reply.outcome(),
            note + "\n" + reply.content(),
            reply.executions(),
            reply.trouble());
  }
}
