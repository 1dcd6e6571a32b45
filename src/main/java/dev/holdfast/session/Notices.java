package dev.holdfast.session;

import dev.holdfast.llm.Message;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Messages to the model between attempts (B58-B63): shown in the next attempts, and part of the
 * history only once one of them succeeds. Not thread-safe.
 */
final class Notices {
  private static final String PREFIX = "System notice: ";

  private final Map<String, Message.User> pending = new LinkedHashMap<>();

  /** The documented pushSystemRetryMessage: a text that is pending already is ignored (B59). */
  void push(String reason, String text) {
    pending.putIfAbsent(text, new Message.User(PREFIX + text, reason));
  }

  List<Message.User> pending() {
    return List.copyOf(pending.values());
  }

  /** Takes over the notices of an earlier process that died before an answer came. */
  void restore(List<Message.User> notices) {
    for (Message.User each : notices) {
      pending.put(each.content().substring(PREFIX.length()), each);
    }
  }

  /** Removes notices that are in the history now. */
  void persisted(List<Message.User> notices) {
    pending.values().removeAll(notices);
  }
}
