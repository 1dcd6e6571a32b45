package dev.holdfast.session;

import dev.holdfast.llm.Message;
import dev.holdfast.session.context.Compactor;
import dev.holdfast.session.context.ContextGuard;
import dev.holdfast.session.context.ContextMeter;
import dev.holdfast.session.context.ContextSettings;
import dev.holdfast.session.context.Tokens;
import dev.holdfast.session.event.SessionEvent;
import dev.holdfast.session.journal.JournalEntry;
import dev.holdfast.session.retry.RetryableError;
import dev.holdfast.session.retry.StopSignal;
import dev.holdfast.session.retry.TurnEnd;
import java.util.List;

/**
 * Keeps the conversation inside the window (D3): when a provider says that it overflows, and when
 * the guard says that it soon will. Judged by what happens next: two compactions without a better
 * answer after them are enough.
 */
record Compaction(
    ContextSettings settings,
    ContextGuard guard,
    Compactor compactor,
    RunState run,
    StopSignal signal) {
  private static final int MAX_WITHOUT_GAIN = 2;
  private static final long LEAST_BUDGET = 200;

  /**
   * Looks at the end of a turn that is not retried (D2).
   *
   * @return whether the same turn is to be run again, with a smaller conversation
   */
  boolean after(TurnEnd end) throws InterruptedException {
    return switch (end) {
      case TurnEnd.Overflow each -> compact();
      case TurnEnd.Errored each -> RetryableError.isOverflow(each.error().message()) && compact();
      case TurnEnd.Continue each -> {
        if (guard.isNear()) {
          compact();
        }
        yield false;
      }
      default -> false;
    };
  }

  private boolean compact() throws InterruptedException {
    if (!settings.autoCompaction() || run.memory().compactions() >= MAX_WITHOUT_GAIN) {
      return false;
    }
    ContextMeter meter = run.memory().meter();
    long before = meter.tokens();
    List<Message> messages = run.memory().history().wellFormed();
    long estimate = Tokens.of(messages);
    JournalEntry.Compacted smaller =
        signal.call(() -> compactor.compact(messages, budget(estimate, meter)));
    if (Tokens.of(smaller.messages()) >= estimate) {
      keepPaid(smaller, messages);
      return false;
    }
    run.memory().record(smaller);
    run.events()
        .emit(new SessionEvent.ContextCompacted(before, meter.tokens(), smaller.summarised()));
    return true;
  }

  /** Records a useless summary, because it was paid for all the same and counts. */
  private void keepPaid(JournalEntry.Compacted useless, List<Message> messages) {
    if (useless.summarised()) {
      run.memory()
          .record(
              new JournalEntry.Compacted(
                  messages, true, useless.target(), useless.usage(), useless.costUsd()));
    }
  }

  /**
   * Returns half of the window, or half of the conversation if that is less: the provider may count
   * more than we do.
   */
  private long budget(long estimate, ContextMeter meter) {
    long half = Math.min(settings.window() / 2 - meter.overhead(), estimate / 2);
    return Math.max(LEAST_BUDGET, half);
  }
}
