package dev.holdfast.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.llm.Message;
import dev.holdfast.llm.ToolCall;
import java.util.List;

/** What OpenAI and Anthropic ask of a conversation. */
public final class WellFormed {
  private WellFormed() {}

  public static void check(List<Message> messages) {
    if (!messages.isEmpty()) {
      assertThat(messages.getFirst()).isInstanceOf(Message.User.class);
    }
    for (int i = 0; i < messages.size(); i++) {
      if (messages.get(i) instanceof Message.Assistant answer) {
        List<String> ids = answer.toolCalls().stream().map(ToolCall::id).toList();
        assertThat(ids).doesNotHaveDuplicates();
        assertThat(answer.text().isBlank() && ids.isEmpty()).as("empty answer").isFalse();
        int end = i + 1;
        while (end < messages.size() && messages.get(end) instanceof Message.ToolResult) {
          end++;
        }
        assertThat(messages.subList(i + 1, end))
            .extracting(each -> ((Message.ToolResult) each).callId())
            .containsExactlyElementsOf(ids);
        i = end - 1;
      } else {
        assertThat(messages.get(i)).as("orphan").isNotInstanceOf(Message.ToolResult.class);
      }
    }
  }
}
