package dev.holdfast.session;

import dev.holdfast.llm.ToolCall;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Makes sure that the calls of one answer can be told apart, whatever ids the model gave them. */
final class CallIds {
  private CallIds() {}

  /**
   * Returns the same calls; blank and repeated ids are replaced, blank arguments are an empty
   * object.
   */
  static List<ToolCall> distinct(List<ToolCall> calls, int turn) {
    Set<String> seen = new HashSet<>();
    List<ToolCall> out = new ArrayList<>();
    for (ToolCall call : calls) {
      String id = call.id();
      for (int n = 1; id.isBlank() || !seen.add(id); n++) {
        id = "call-" + turn + "-" + (out.size() + n);
      }
      String arguments = call.arguments().isBlank() ? "{}" : call.arguments();
      out.add(new ToolCall(id, call.name(), arguments));
    }
    return out;
  }
}
