package dev.holdfast.queue.read;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A row of {@code holdfast.tool_approvals}: a tool call that a person has to allow.
 *
 * @param id the number by which a decision names it
 * @param arguments JSON, as the model gave them
 * @param effect what it would do; empty where the arguments say it all
 * @param decision approved or denied; null while it waits
 * @param editedArguments JSON that a person put in their place; null for none
 * @param rememberedFrom the earlier approval by which it was approved without asking; usually null
 * @param voidedAt when the session started over; usually null
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
  /** Returns true if nobody has decided it, and it still matters. */
  public boolean waits() {
    return decision == null && voidedAt == null;
  }
}
