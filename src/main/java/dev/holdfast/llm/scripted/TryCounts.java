package dev.holdfast.llm.scripted;

import dev.holdfast.llm.ChatRequest;
import dev.holdfast.llm.Message;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Counts how often each conversation was asked for its next answer, in this process and for the
 * latest conversations only. Notices of the turn runner do not make it another conversation; two
 * tickets with the very same words share one count. Thread-safe.
 */
final class TryCounts {
  private static final int MAX_CONVERSATIONS = 10_000;

  private record Conversation(String model, String system, List<Message> messages) {}

  private final Map<Integer, Integer> counts =
      new LinkedHashMap<>() {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Integer, Integer> eldest) {
          return size() > MAX_CONVERSATIONS;
        }
      };

  /** The number of this try, from 1. */
  synchronized int next(ChatRequest request) {
    List<Message> lasting =
        request.messages().stream()
            .filter(
                message -> !(message instanceof Message.User user && user.retryMessage() != null))
            .toList();
    int hash = new Conversation(request.model(), request.system(), lasting).hashCode();
    return counts.merge(hash, 1, Integer::sum);
  }
}
