package dev.holdfast.session;

import dev.holdfast.llm.ToolCall;
import dev.holdfast.llm.ToolSpec;
import dev.holdfast.tool.CallPreview;
import dev.holdfast.tool.ToolBox;
import dev.holdfast.tool.ToolProgress;
import dev.holdfast.tool.ToolReply;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.node.JsonNodeFactory;

/** Stands for tools: "look" is idempotent, "send" is not; both do nothing but remember. */
final class RecordingTools implements ToolBox {
  /** What one call is answered. */
  @FunctionalInterface
  interface Reaction {
    ToolReply to(ToolCall call) throws InterruptedException;
  }

  final List<ToolCall> ran = new ArrayList<>();
  Reaction reaction = call -> new ToolReply(call, ToolReply.Outcome.OK, "did " + call.name(), 1);

  @Override
  public List<ToolSpec> specs() {
    return List.of(spec("look"), spec("send"));
  }

  private static ToolSpec spec(String name) {
    return new ToolSpec(
        name, "Does " + name, JsonNodeFactory.instance.objectNode().put("type", "object"));
  }

  @Override
  public boolean isIdempotent(String toolName) {
    return toolName.equals("look");
  }

  @Override
  public Optional<CallPreview> preview(ToolCall call) {
    return Optional.of(CallPreview.NOTHING);
  }

  @Override
  public List<ToolReply> run(List<ToolCall> calls, ToolProgress progress)
      throws InterruptedException {
    List<ToolReply> replies = new ArrayList<>();
    for (ToolCall call : calls) {
      if (!isIdempotent(call.name())) {
        progress.starting(call);
      }
      ran.add(call);
      ToolReply reply = reaction.to(call);
      progress.finished(reply);
      replies.add(reply);
    }
    return replies;
  }

  @Override
  public void close() {}
}
