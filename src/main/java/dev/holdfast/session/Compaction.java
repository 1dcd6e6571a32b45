package dev.holdfast.session;

/**
 * Keeps the conversation inside the window (D3): when a provider says that it overflows, and when
 * the guard says that it soon will. Judged by what happens next: two compactions without a better
 * answer behind them are enough.
 */
final class Compaction {
  private static final int MAX_WITHOUT_GAIN = 2;
  private static final long LEAST_BUDGET = 200;

  private final ContextSettings settings;
  private final ContextGuard guard;
  private final Compactor compactor;
  private final RunState run;
  private final StopSignal signal;
  private int withoutGain;

  Compaction(
      ContextSettings settings,
      ContextGuard guard,
      Compactor compactor,
      RunState run,
      StopSignal signal) {
    this.settings = settings;
    this.guard = guard;
    this.compactor = compactor;
    this.run = run;
    this.signal = signal;
  }

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

  /** The first answer behind a compaction shows whether it has helped. */
  void answered() {
    if (!guard.isNear()) {
      withoutGain = 0;
    }
  }

  private boolean compact() throws InterruptedException {
    if (!settings.autoCompaction() || withoutGain == MAX_WITHOUT_GAIN) {
      return false;
    }
    withoutGain++;
    ContextMeter meter = run.memory().meter();
    long before = meter.tokens();
    long budget =
        Math.max(LEAST_BUDGET, Math.min(settings.window(), before) / 2 - meter.overhead());
    JournalEntry.Compacted smaller =
        signal.call(() -> compactor.compact(run.memory().history().wellFormed(), budget));
    if (meter.overhead() + Tokens.of(smaller.messages()) >= before) {
      return false;
    }
    run.memory().record(smaller);
    run.events()
        .emit(new SessionEvent.ContextCompacted(before, meter.tokens(), smaller.summarised()));
    return true;
  }
}
