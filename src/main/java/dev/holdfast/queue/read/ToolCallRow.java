package dev.holdfast.queue.read;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A row of {@code holdfast.tool_approvals}: a tool call that a person has to allow.
 *
 * @param id names it when it is decided
 * @param arguments JSON, as the model gave them
 * @param effect what it would do; empty where the arguments say it all
 * @param decision approved or denied; null while it waits
 * @param editedArguments JSON that a person put in their place; null for none
 * @param rememberedFrom the approval that it was approved with, unasked; null as a rule
 * @param voidedAt when the session started over; null as a rule
 */
public record ToolCallRow(
    long id,
    long leaseNo,
    int turn,
    String callId,
    String tool,
    String arguments,
    String effect,
    Instant askedAt,
    @Nullable String decision,
    @Nullable Instant decidedAt,
    @Nullable String decidedBy,
    @Nullable String words,
    @Nullable String editedArguments,
    boolean remember,
    @Nullable Long rememberedFrom,
    @Nullable Instant voidedAt) {
  /** True if nobody has said anything to it, and it still matters. */
  public boolean waits() {
    return decision == null && voidedAt == null;
  }
}
