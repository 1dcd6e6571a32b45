package dev.holdfast.session.context;

import dev.holdfast.llm.Message;
import dev.holdfast.llm.ToolCall;
import dev.holdfast.llm.ToolSpec;
import java.util.List;

/** A rough count of tokens, for what no provider has counted yet: four bytes of UTF-8 are one. */
public final class Tokens {
  private static final int BYTES_PER_TOKEN = 4;
  private static final int PER_MESSAGE = 8;

  private Tokens() {}

  public static long of(String text) {
    long bytes = 0;
    for (int i = 0; i < text.length(); i++) {
      char at = text.charAt(i);
      bytes += at < 0x80 ? 1 : at < 0x800 || Character.isSurrogate(at) ? 2 : 3;
    }
    return (bytes + BYTES_PER_TOKEN - 1) / BYTES_PER_TOKEN;
  }

  static long of(Message message) {
    return PER_MESSAGE
        + switch (message) {
          case Message.User user -> of(user.content());
          case Message.ToolResult result -> of(result.content());
          case Message.Assistant answer -> of(answer.text()) + ofCalls(answer.toolCalls());
        };
  }

  public static long of(List<? extends Message> messages) {
    return messages.stream().mapToLong(Tokens::of).sum();
  }

  public static long ofTools(List<ToolSpec> tools) {
    return tools.stream()
        .mapToLong(tool -> of(tool.description()) + of(tool.arguments().toString()))
        .sum();
  }

  private static long ofCalls(List<ToolCall> calls) {
    return calls.stream().mapToLong(call -> PER_MESSAGE + of(call.arguments())).sum();
  }
}
