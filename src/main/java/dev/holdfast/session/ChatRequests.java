package dev.holdfast.session;

import dev.holdfast.llm.ChatRequest;
import dev.holdfast.llm.Message;
import dev.holdfast.llm.RetryContext;
import dev.holdfast.llm.Target;
import dev.holdfast.llm.ToolChoice;
import dev.holdfast.llm.ToolSpec;
import dev.holdfast.session.context.History;
import java.util.ArrayList;
import java.util.List;

/** Builds what a model is asked. */
record ChatRequests(
    SessionSettings settings, List<ToolSpec> tools, ToolSpec report, RetryContext context) {
  ChatRequests {
    tools = List.copyOf(tools);
  }

  /** All tools, or the report's alone in a final turn. */
  List<ToolSpec> offered(boolean finalTurn) {
    List<ToolSpec> offered = new ArrayList<>(finalTurn ? List.of() : tools);
    offered.add(report);
    return offered;
  }

  /** The history and, for this attempt only, the notices. */
  ChatRequest to(Target target, History history, List<Message.User> notices, boolean finalTurn) {
    List<Message> messages = new ArrayList<>(history.wellFormed());
    messages.addAll(notices);
    return new ChatRequest(
        target.model(),
        settings.system(),
        messages,
        offered(finalTurn),
        ToolChoice.AUTO,
        settings.limits().maxOutputTokens(),
        context.atMost(settings.limits().llmTimeout()));
  }
}
