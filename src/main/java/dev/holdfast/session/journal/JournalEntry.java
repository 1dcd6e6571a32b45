package dev.holdfast.session.journal;

import dev.holdfast.llm.Message;
import dev.holdfast.llm.StopReason;
import dev.holdfast.llm.Target;
import dev.holdfast.llm.Usage;
import dev.holdfast.session.report.FinalReport;
import dev.holdfast.session.report.ReportMetadata;
import dev.holdfast.session.report.ReportSource;
import dev.holdfast.tool.ToolReply;
import java.math.BigDecimal;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** One finished step of a session. The entries in order are all that a later process needs. */
public sealed interface JournalEntry {
  /** Said to the agent from outside. */
  record Said(Input input) implements JournalEntry {}

  /**
   * Returns the part of the entry that still counts where its session lost the ticket before the
   * entry could be kept, because it was paid for all the same. The conversation goes on without the
   * entry.
   */
  default Optional<JournalEntry> paid() {
    return switch (this) {
      case Answered each ->
          Optional.of(
              new Discarded(
                  each.turn,
                  each.attempt,
                  each.target,
                  "aborted",
                  each.usage,
                  each.costUsd,
                  null,
                  false));
      case Discarded each -> Optional.of(each);
      case Compacted each when each.summarised() -> Optional.of(each);
      default -> Optional.empty();
    };
  }

  /**
   * An answer that became part of the conversation.
   *
   * @param notices what the model was told in this turn; they stand before the answer (B61)
   * @param message without the calls that were dropped
   * @param costUsd null where the model has no price
   * @param startsKept whether a {@link ToolStarted} is after it for every call of a tool that is
   *     not idempotent and has begun; where an older version wrote it, any of them may have run
   * @param standing right after it; null where an older version wrote it
   */
  record Answered(
      int turn,
      int attempt,
      Target target,
      List<Message.User> notices,
      Message.Assistant message,
      StopReason stop,
      Usage usage,
      @Nullable BigDecimal costUsd,
      boolean startsKept,
      @Nullable Standing standing)
      implements JournalEntry {
    public Answered {
      notices = List.copyOf(notices);
    }
  }

  /**
   * An answer that was paid for and was of no use, or a call that may have been paid for and
   * brought none.
   *
   * @param attempt 0 for a summary
   * @param why such as content_without_tools or timeout
   * @param standing right after it; null where an older version wrote it
   * @param unanswered whether the call brought no answer; an older version takes it for one
   */
  record Discarded(
      int turn,
      int attempt,
      Target target,
      String why,
      Usage usage,
      @Nullable BigDecimal costUsd,
      @Nullable Standing standing,
      boolean unanswered)
      implements JournalEntry {}

  /**
   * The error that ended a run of a turn; kept here, never shown to a model (D17).
   *
   * @param type as in events, such as rate_limit
   * @param standing right after it; null where an older version wrote it
   */
  record TurnFailed(
      int turn, Target target, String type, String message, @Nullable Standing standing)
      implements JournalEntry {}

  /**
   * A tool that is not idempotent begins to run. Without a {@link ToolFinished} after it nobody
   * knows whether the call took effect.
   */
  record ToolStarted(int turn, String callId, String tool) implements JournalEntry {}

  /** The result of one call. */
  record ToolFinished(int turn, ToolReply reply) implements JournalEntry {}

  /**
   * The conversation was made smaller.
   *
   * @param messages all of it, as it is from here on; as it was where a summary was paid for that
   *     made it no smaller
   * @param summarised whether a model summed up older turns; otherwise they were elided
   * @param target which one; null where none did, or an older version wrote it
   */
  record Compacted(
      List<Message> messages,
      boolean summarised,
      @Nullable Target target,
      Usage usage,
      @Nullable BigDecimal costUsd)
      implements JournalEntry {
    public Compacted {
      messages = List.copyOf(messages);
    }
  }

  /**
   * One execution is over; a further one goes on with the conversation and counts its turns from 1,
   * except after unknown_effect.
   *
   * @param how "reported", "unknown_effect" or the exit code's wire name
   * @param report null for unknown_effect
   * @param source null for unknown_effect
   * @param metadata only of synthetic reports
   */
  record Ended(
      int turn,
      String how,
      @Nullable FinalReport report,
      @Nullable ReportSource source,
      @Nullable ReportMetadata metadata)
      implements JournalEntry {}

  /**
   * A step of work that is no conversation, such as a repair; sessions pass it over.
   *
   * @param step its name, given once in a journal
   * @param value what came out of it
   * @param events what happened meanwhile, one object each
   * @param target the model whose answer it has; null where there is none, or an older version
   *     wrote it
   * @param usage of the model calls in it
   * @param costUsd null where there was none or the model has no price
   * @param elapsedMs how long the run had taken by then, waits for other workers left out
   */
  record StepFinished(
      String step,
      JsonNode value,
      List<JsonNode> events,
      @Nullable Target target,
      Usage usage,
      @Nullable BigDecimal costUsd,
      long elapsedMs)
      implements JournalEntry {
    public StepFinished {
      events = List.copyOf(events);
    }
  }
}
