package dev.holdfast.protocol;

import dev.holdfast.queue.Finish;
import dev.holdfast.queue.FinishResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What must be true after each step, worked out without any SQL. It knows everything: each lease
 * and how long it lasts, where each ticket is, and how each attempt ended. What the queue answers
 * is compared with it, and a difference is a {@link Violation}.
 */
final class Oracle {
  static final int MAX_RETRIES = 3;
  static final int CRASH_LIMIT = 3;
  static final Duration LEASE = Duration.ofMinutes(10);
  static final Duration RETRY_DELAY = Duration.ofMinutes(6);

  /** Where a ticket is. */
  enum Place {
    CLAIMABLE,
    LATER,
    RUNNING,
    HELD,
    DONE
  }

  /**
   * A ticket; {@code due} counts in {@link Place#LATER}, {@code lease} in {@link Place#RUNNING}.
   */
  static final class Ticket {
    Place place = Place.CLAIMABLE;
    Duration due = Duration.ZERO;
    long lease;
    int crashes;
    int retries;
    final List<String> outcomes = new ArrayList<>();
    final Map<Long, String> outcomeOfLease = new TreeMap<>();

    void ended(String outcome) {
      outcomes.add(outcome);
      outcomeOfLease.put(lease, outcome);
    }
  }

  /** A lease that was given and not closed. */
  static final class Held {
    final String worker;
    final Set<Long> tickets = new HashSet<>();
    Duration until;
    boolean suspect;

    Held(String worker, Duration until) {
      this.worker = worker;
      this.until = until;
    }
  }

  private final Map<Long, Ticket> tickets = new TreeMap<>();
  private final Map<Long, Held> leases = new TreeMap<>();
  private Duration now = Duration.ZERO;
  private long newestLease;

  Map<Long, Ticket> tickets() {
    return tickets;
  }

  /** How many tickets are not done. */
  long open() {
    return tickets.values().stream().filter(each -> each.place != Place.DONE).count();
  }

  Ticket ticket(long id) {
    Ticket ticket = tickets.get(id);
    if (ticket == null) {
      throw new Violation("there is no ticket " + id);
    }
    return ticket;
  }

  void enqueued(long id) {
    tickets.put(id, new Ticket());
  }

  void passed(Duration time) {
    now = now.plus(time);
  }

  /** Only what is claimable may be claimed, under leases that are newer than all others. */
  void claimed(String worker, int limit, List<Execution> claim) {
    if (claim.size() > limit) {
      throw new Violation("asked for " + limit + " tickets and got " + claim.size());
    }
    long before = newestLease;
    int suspects = 0;
    for (Execution each : claim) {
      Ticket ticket = ticket(each.ticket());
      if (!isClaimable(ticket)) {
        throw new Violation("claimed ticket " + each.ticket() + ", which is " + ticket.place);
      }
      if (each.lease() <= before) {
        throw new Violation("lease " + each.lease() + " is no newer than " + before);
      }
      newestLease = Math.max(newestLease, each.lease());
      Held lease = leases.computeIfAbsent(each.lease(), _ -> new Held(worker, now.plus(LEASE)));
      lease.tickets.add(each.ticket());
      if (ticket.crashes > 0) {
        lease.suspect = true;
        suspects++;
      }
      if (lease.suspect && lease.tickets.size() > 1) {
        throw new Violation("a suspect shares lease " + each.lease());
      }
      ticket.place = Place.RUNNING;
      ticket.lease = each.lease();
    }
    if (suspects > 1) {
      throw new Violation("claimed " + suspects + " suspects at once");
    }
    if (claim.isEmpty() && tickets.values().stream().anyMatch(this::isClaimable)) {
      throw new Violation("claimed nothing, although a ticket is claimable");
    }
  }

  private boolean isClaimable(Ticket ticket) {
    return ticket.place == Place.CLAIMABLE
        || (ticket.place == Place.LATER && ticket.due.compareTo(now) <= 0);
  }

  /**
   * Leases that are there are renewed, late or not: until a rescue nobody else has their tickets.
   */
  void renewed(String worker, Collection<Long> asked, Set<Long> renewed) {
    Set<Long> expected = new HashSet<>();
    for (Long lease : asked) {
      Held held = leases.get(lease);
      if (held != null && held.worker.equals(worker)) {
        expected.add(lease);
        held.until = now.plus(LEASE);
      }
    }
    // One that has nothing to do any more may be gone or there.
    expected.removeIf(lease -> !runs(lease) && !renewed.contains(lease));
    if (!expected.equals(renewed)) {
      throw new Violation("renewed " + renewed + " and not " + expected);
    }
  }

  private boolean runs(long lease) {
    return tickets.values().stream()
        .anyMatch(each -> each.place == Place.RUNNING && each.lease == lease);
  }

  /** A finish counts once, under the lease under which its ticket runs, and under no other. */
  void finished(Finish finish, FinishResult result) {
    Ticket ticket = ticket(finish.ticketId());
    boolean current = ticket.place == Place.RUNNING && ticket.lease == finish.leaseNo();
    boolean repeated = outcome(finish).equals(ticket.outcomeOfLease.get(finish.leaseNo()));
    boolean stale = result instanceof FinishResult.Stale;
    if (stale == (current || repeated)) {
      throw new Violation(
          finish
              + " was answered with "
              + result
              + ", but the ticket is "
              + ticket.place
              + " and its lease "
              + ticket.lease);
    }
    if (current) {
      apply(finish, ticket, result);
    }
  }

  private void apply(Finish finish, Ticket ticket, FinishResult result) {
    ticket.ended(outcome(finish));
    switch (finish) {
      case Finish.Succeeded each -> ticket.place = Place.DONE;
      case Finish.GivenBack each -> ticket.place = Place.CLAIMABLE;
      case Finish.Deferred each -> later(ticket, each.delay());
      case Finish.Parked each -> ticket.place = Place.HELD;
      case Finish.Advanced each -> throw new Violation("the model has no workflows");
      case Finish.Failed each -> {
        boolean retried = ticket.retries < MAX_RETRIES;
        if (retried != result instanceof FinishResult.Retried) {
          throw new Violation("after " + ticket.retries + " retries a failure became " + result);
        }
        ticket.retries += retried ? 1 : 0;
        decided(ticket, retried);
      }
    }
  }

  private void decided(Ticket ticket, boolean retried) {
    if (retried) {
      later(ticket, RETRY_DELAY);
    } else {
      ticket.place = Place.HELD;
    }
  }

  private void later(Ticket ticket, Duration delay) {
    ticket.place = Place.LATER;
    ticket.due = now.plus(delay);
  }

  private static String outcome(Finish finish) {
    return switch (finish) {
      case Finish.Succeeded each -> "succeeded";
      case Finish.Failed each -> "failed";
      case Finish.GivenBack each -> "given_back";
      case Finish.Deferred each -> "deferred";
      case Finish.Parked each -> "parked";
      case Finish.Advanced each -> "advanced";
    };
  }

  /**
   * Exactly what runs under leases that are over is rescued; the suspect of a worker is to blame.
   */
  void rescued(List<FinishResult> results) {
    Map<Long, FinishResult> left = new TreeMap<>();
    results.forEach(each -> left.put(each.ticketId(), each));
    Set<Long> over = new HashSet<>();
    leases.forEach(
        (no, lease) -> {
          if (lease.until.compareTo(now) < 0) {
            over.add(no);
          }
        });
    Set<String> withSuspect = new HashSet<>();
    leases.forEach(
        (no, lease) -> {
          if (lease.suspect && runs(no)) {
            withSuspect.add(lease.worker);
          }
        });
    tickets.forEach(
        (id, ticket) -> {
          if (ticket.place == Place.RUNNING && over.contains(ticket.lease)) {
            Held lease = lease(ticket.lease);
            crashed(id, ticket, lease, withSuspect.contains(lease.worker), left.remove(id));
          }
        });
    if (!left.isEmpty()) {
      throw new Violation("rescued what ran under no lease that was over: " + left.values());
    }
    leases.keySet().removeAll(over);
  }

  private Held lease(long no) {
    Held lease = leases.get(no);
    if (lease == null) {
      throw new Violation("there is no lease " + no);
    }
    return lease;
  }

  private void crashed(
      long id, Ticket ticket, Held lease, boolean hadSuspect, @Nullable FinishResult result) {
    boolean blamed = lease.suspect || !hadSuspect;
    ticket.ended("crashed");
    if (!blamed) {
      ticket.place = Place.CLAIMABLE;
      if (!(result instanceof FinishResult.GivenBack)) {
        throw new Violation("innocent ticket " + id + " was rescued as " + result);
      }
      return;
    }
    ticket.crashes++;
    boolean retried = ticket.crashes < CRASH_LIMIT;
    if (retried
        ? !(result instanceof FinishResult.Retried)
        : !(result instanceof FinishResult.Held)) {
      throw new Violation("ticket " + id + " after " + ticket.crashes + " crashes: " + result);
    }
    decided(ticket, retried);
  }

  boolean mayHold(long id) {
    Place place = ticket(id).place;
    return place != Place.HELD && place != Place.DONE;
  }

  void held(long id) {
    Ticket ticket = ticket(id);
    if (ticket.place == Place.RUNNING) {
      ticket.ended("revoked");
    }
    ticket.place = Place.HELD;
  }

  boolean mayRelease(long id) {
    return ticket(id).place == Place.HELD;
  }

  void released(long id) {
    Ticket ticket = ticket(id);
    ticket.place = Place.CLAIMABLE;
    ticket.crashes = 0;
    ticket.retries = 0;
  }
}
