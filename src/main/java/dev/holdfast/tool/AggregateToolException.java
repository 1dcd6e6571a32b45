package dev.holdfast.tool;

import dev.holdfast.llm.ToolCall;
import dev.holdfast.ticket.HoldfastException;
import java.util.List;
import java.util.stream.Collectors;

/** Some calls of a batch failed for good (C28), even if it is only one. */
public final class AggregateToolException extends HoldfastException {
  private final transient List<FailedTool> failedTools;
  private final transient List<ToolReply> replies;

  /** A call and what it ended with. */
  public record FailedTool(ToolCall call, Exception error) {}

  /**
   * @param failedTools not empty, in the order of the calls
   * @param replies of all calls, those which succeeded too (C29)
   */
  public AggregateToolException(List<FailedTool> failedTools, List<ToolReply> replies) {
    super(text(failedTools, replies.size()), failedTools.getFirst().error());
    this.failedTools = List.copyOf(failedTools);
    this.replies = List.copyOf(replies);
    failedTools.stream().skip(1).forEach(each -> addSuppressed(each.error()));
  }

  private static String text(List<FailedTool> failed, int all) {
    return failed.size()
        + " of "
        + all
        + " tool calls failed: "
        + failed.stream()
            .map(each -> each.call().name() + " (" + ErrorLine.of(each.error()) + ")")
            .collect(Collectors.joining(", "));
  }

  public List<FailedTool> failedTools() {
    return failedTools;
  }

  /** One per call, in the order of the calls. */
  public List<ToolReply> replies() {
    return replies;
  }
}
