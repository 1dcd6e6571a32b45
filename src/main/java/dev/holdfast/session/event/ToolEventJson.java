package dev.holdfast.session.event;

import dev.holdfast.llm.ToolCall;
import dev.holdfast.tool.Severity;
import dev.holdfast.tool.ToolReply;
import dev.holdfast.tool.ToolRetrying;
import dev.holdfast.tool.ToolTrouble;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** The events of tools as the objects of a ticket's live stream (C18, C32, C33). */
final class ToolEventJson {
  private ToolEventJson() {}

  static ObjectNode of(SessionEvent.ToolsStarted tools) {
    ObjectNode json = SessionEventJson.object("tools_started").put("turn", tools.turn());
    return withCalls(json, tools.calls());
  }

  static ObjectNode of(SessionEvent.ToolRetry event) {
    ToolRetrying retry = event.retry();
    ObjectNode json =
        SessionEventJson.object("tool_retry")
            .put("turn", event.turn())
            .put("id", retry.call().id())
            .put("name", retry.call().name())
            .put("attempt", retry.next())
            .put("maxAttempts", retry.maxAttempts())
            .put("delayMs", retry.delay().toMillis())
            .put("message", retry.text())
            .put("error", SessionEventJson.cut(retry.errorLine()));
    return withTrouble(json, retry.trouble());
  }

  static ObjectNode of(SessionEvent.ToolFinished event) {
    ToolReply reply = event.reply();
    ObjectNode json =
        SessionEventJson.object("tool_finished")
            .put("turn", event.turn())
            .put("id", reply.call().id())
            .put("name", reply.call().name())
            .put("outcome", reply.outcome().name().toLowerCase(Locale.ROOT))
            .put("executions", reply.executions())
            .put("content", SessionEventJson.cut(reply.content()));
    return withTrouble(json, reply.trouble());
  }

  static ObjectNode of(SessionEvent.ToolsCancelled event) {
    ObjectNode json =
        SessionEventJson.object("tools_cancelled")
            .put("turn", event.turn())
            .put("message", "Cancelled")
            .put("severity", Severity.INFO.wireName());
    return withCalls(json, event.calls());
  }

  private static ObjectNode withCalls(ObjectNode json, List<ToolCall> toolCalls) {
    ArrayNode calls = json.putArray("calls");
    for (ToolCall call : toolCalls) {
      calls
          .addObject()
          .put("id", call.id())
          .put("name", call.name())
          .put("arguments", SessionEventJson.cut(call.arguments()));
    }
    return json;
  }

  private static ObjectNode withTrouble(ObjectNode json, @Nullable ToolTrouble trouble) {
    if (trouble == null) {
      return json;
    }
    json.put("severity", trouble.severity().wireName());
    if (trouble.suggestedFix() != null) {
      json.put("suggestedFix", trouble.suggestedFix());
    }
    if (!trouble.recoveryCommands().isEmpty()) {
      trouble.recoveryCommands().forEach(json.putArray("recoveryCommands")::add);
    }
    return json;
  }
}
