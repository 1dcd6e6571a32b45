package dev.holdfast.bench;

import dev.holdfast.failure.Category;
import dev.holdfast.failure.ErrorReport;
import dev.holdfast.retry.Backoff;
import dev.holdfast.retry.BackoffType;
import dev.holdfast.retry.CategoryPolicy;
import dev.holdfast.retry.Counting;
import dev.holdfast.retry.RetrySettings;
import dev.holdfast.worker.HandlerResult;
import dev.holdfast.worker.TicketContext;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToLongFunction;

/** Measures tickets that fail once and succeed at the retry, which comes at once. */
final class FailuresCell implements Cell {
  private static final String NO_OP = "no-op drain";

  /**
   * The number of the request in the error's text if all errors are alike, as in an outage: it is
   * the same for all tickets.
   */
  private static final ToLongFunction<TicketContext> ALIKE = context -> 0;

  private static final ToLongFunction<TicketContext> APART = context -> context.claimed().id();

  @Override
  public CellResult measure(Lab lab) throws InterruptedException {
    int tickets = lab.options().tickets(20_000, 50);
    int noOps = 5 * tickets;
    int rounds = lab.options().rounds(5);
    List<Double> probe = new ArrayList<>();
    List<Double> noOp = new ArrayList<>();
    List<Double> failing = new ArrayList<>();
    List<Double> failingApart = new ArrayList<>();
    lab.warmUp();
    if (lab.options().warmUp() > 0) {
      failing(lab, lab.options().warmUp(), ALIKE).run(lab);
      failing(lab, tickets, APART).run(lab);
    }
    for (int round = 1; round <= rounds; round++) {
      probe.add(RawRun.of(lab, noOps).rate());
      noOp.add(DrainRun.noOp(lab, noOps).run(lab).rate());
      failing.add(failing(lab, tickets, ALIKE).run(lab).rate());
      failingApart.add(failing(lab, tickets, APART).run(lab).rate());
      lab.round(
          "failures",
          round,
          rounds,
          "no-op %,.0f/s, failing once %,.0f/s, each with its own text %,.0f/s",
          noOp.getLast(),
          failing.getLast(),
          failingApart.getLast());
    }
    Figure alike =
        Figure.of(
                String.format(Locale.ROOT, "%,d tickets, two executions each", tickets),
                "tickets/s",
                failing)
            .beside(NO_OP, noOp)
            .beside(PROBE + ", no-op", probe)
            .judgedBy(Bar.ratio(NO_OP, 0.3, 0.45), lab.options());
    Figure apart =
        Figure.of("the same, each with an error text of its own", "tickets/s", failingApart)
            .beside(NO_OP, noOp);
    return new CellResult(
        CellName.FAILURES.wireName(), CellName.FAILURES.what(), List.of(alike, apart), List.of());
  }

  private static DrainRun failing(Lab lab, int tickets, ToLongFunction<TicketContext> request) {
    DrainRun usual = DrainRun.noOp(lab, tickets);
    return new DrainRun(
        tickets,
        tickets,
        2,
        context -> failOnce(context, request.applyAsLong(context)),
        retriesAtOnce(),
        usual.settings(),
        usual.fill());
  }

  private static HandlerResult failOnce(TicketContext context, long request) {
    return context.attempt() == 1
        ? HandlerResult.failed(
            ErrorReport.ofText("503 Service Unavailable: overloaded (request " + request + ")"))
        : HandlerResult.done(null);
  }

  private static RetrySettings retriesAtOnce() {
    Map<Category, CategoryPolicy> all = new EnumMap<>(Category.class);
    for (Category each : Category.values()) {
      all.put(each, new CategoryPolicy(3, new Backoff(BackoffType.NONE, Duration.ZERO)));
    }
    return new RetrySettings(all, Duration.ofMinutes(15), 0, 0, 0, Counting.SHARED);
  }
}
