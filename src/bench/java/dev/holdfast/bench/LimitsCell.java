package dev.holdfast.bench;

import dev.holdfast.limit.NewLimit;
import dev.holdfast.limit.Rate;
import dev.holdfast.queue.NewTicket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * A drain of tickets with concurrency keys, one at a time of each; a drain beside queues whose
 * tickets all wait for their rate; and what one tenant's backlog does to the others.
 */
final class LimitsCell implements Cell {
  private static final String PLAIN = "the drain without";
  private static final int TICKETS_PER_KEY = 100;
  private static final int RATED_QUEUES = 10;

  private final List<TicketRun.Outcome> plain = new ArrayList<>();
  private final List<TicketRun.Outcome> keyed = new ArrayList<>();
  private final List<TicketRun.Outcome> beside = new ArrayList<>();
  private final Tenants tenants = new Tenants();

  @Override
  public CellResult measure(Lab lab) throws InterruptedException {
    int tickets = lab.options().size(1_000_000, 4_000);
    int small = lab.options().tickets(200_000, 1_000);
    int rounds = lab.options().rounds(3);
    lab.warmUp();
    for (int round = 1; round <= rounds; round++) {
      plain.add(TicketRun.noOp(lab, small).run(lab));
      keyed.add(keyed(lab, tickets));
      beside.add(besideRates(lab, small));
      tenants.measure(lab);
      lab.say(
          "limits, round %d of %d: plain %,.0f/s, keys %,.0f/s, beside rates %,.0f/s, p99 of"
              + " tenants %.1f ms",
          round,
          rounds,
          plain.getLast().committedRate(),
          keyed.getLast().committedRate(),
          beside.getLast().committedRate(),
          tenants.p99().getLast());
    }
    BenchOptions options = lab.options();
    return new CellResult(
        CellName.LIMITS.wireName(),
        CellName.LIMITS.what(),
        List.of(
            drain(
                    String.format(
                        Locale.ROOT,
                        "%,d over %,d keys, one at a time of each",
                        tickets,
                        tickets / TICKETS_PER_KEY),
                    keyed)
                .judgedBy(Bar.ratio(PLAIN, 0.5, 0.7), options),
            drain("beside " + RATED_QUEUES + " queues that wait for their rates", beside)
                .judgedBy(Bar.ratio(PLAIN, 0.9, 0.97), options),
            Figure.of("p99 of 999 tenants beside a flood of one, at 70 % load", "ms", tenants.p99())
                .judgedBy(Bar.atMost(50, 20), options),
            Figure.of("the same, p50", "ms", tenants.p50())),
        List.of(Curves.of(PLAIN, plain), Curves.of("with keys", keyed)));
  }

  private Figure drain(String name, List<TicketRun.Outcome> runs) {
    return Figure.of(name, "tickets/s", Curves.rates(runs)).beside(PLAIN, Curves.rates(plain));
  }

  private static void clear(Lab lab) {
    lab.tables().clear();
    lab.tables().forgetWorkers();
  }

  private static TicketRun.Outcome keyed(Lab lab, int tickets) throws InterruptedException {
    clear(lab);
    lab.limits().set(new NewLimit("queue:" + Lab.QUEUE, null, 1, null, null), Lab.actor());
    int keys = tickets / TICKETS_PER_KEY;
    return TicketRun.noOp(lab, tickets)
        .enqueuing(i -> Lab.ticket().withConcurrencyKey("customer-" + i % keys))
        .runOn(lab, 0);
  }

  /** As many tickets again wait for their rates, none of which has a token just now. */
  private static TicketRun.Outcome besideRates(Lab lab, int tickets) throws InterruptedException {
    clear(lab);
    for (int i = 0; i < RATED_QUEUES; i++) {
      lab.tables().addQueue(rated(i));
      lab.limits()
          .set(
              new NewLimit(
                  "queue:" + rated(i), null, null, new Rate(100, Duration.ofMinutes(1)), null),
              Lab.actor());
    }
    lab.tables().useUpRates();
    return TicketRun.noOp(lab, 2 * tickets)
        .upTo(tickets)
        .enqueuing(i -> i % 2 == 0 ? Lab.ticket() : rated(Lab.ticket(), i))
        .runOn(lab, 0);
  }

  private static NewTicket rated(NewTicket ticket, int i) {
    return ticket.withQueue(rated(i / 2 % RATED_QUEUES));
  }

  private static String rated(int i) {
    return Lab.QUEUE + "-rated-" + i;
  }
}
