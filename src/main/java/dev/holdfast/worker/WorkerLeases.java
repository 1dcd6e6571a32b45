package dev.holdfast.worker;

import dev.holdfast.queue.Heartbeat;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The leases this worker holds, and the attempts under each that are not stored yet. Thread-safe.
 */
final class WorkerLeases {
  private static final class Entry {
    final Map<Long, TicketRun> runs = new HashMap<>();
    long renewedNanos;
  }

  private final Map<Long, Entry> leases = new HashMap<>();

  /** The attempts under leases that are gone, until they are stored or given up. */
  private final Set<TicketRun> lost = new HashSet<>();

  /** The newest attempt of each ticket, until it is stored or given up. */
  private final Map<Long, TicketRun> newest = new HashMap<>();

  /**
   * Adds attempts that are about to start, each after an older one of its ticket. Returns older
   * attempts under a lease of the same number, which a restored database has given twice.
   *
   * @param claimedNanos when the claim was sent, which is before the database set the lease's end
   */
  synchronized List<TicketRun> add(long leaseNo, Collection<TicketRun> runs, long claimedNanos) {
    Entry entry = new Entry();
    entry.renewedNanos = claimedNanos;
    for (TicketRun run : runs) {
      entry.runs.put(run.ticketId(), run);
      TicketRun before = newest.put(run.ticketId(), run);
      if (before != null) {
        run.after(before);
      }
    }
    List<TicketRun> older = new ArrayList<>();
    for (TicketRun run : lost) {
      if (run.leaseNo() == leaseNo) {
        older.add(run);
      }
    }
    Entry replaced = leases.put(leaseNo, entry);
    if (replaced != null) {
      older.addAll(replaced.runs.values());
    }
    return older;
  }

  /** Returns the leases to renew. */
  synchronized Set<Long> leaseNos() {
    return new HashSet<>(leases.keySet());
  }

  synchronized List<TicketRun> runs() {
    List<TicketRun> runs = new ArrayList<>();
    leases.values().forEach(entry -> runs.addAll(entry.runs.values()));
    return runs;
  }

  synchronized int size() {
    int size = 0;
    for (Entry entry : leases.values()) {
      size += entry.runs.size();
    }
    return size;
  }

  /** Returns the leases that are finished once these attempts are stored. */
  synchronized Set<Long> closedBy(Collection<TicketRun> ended) {
    Map<Long, Integer> endedUnder = new HashMap<>();
    ended.forEach(run -> endedUnder.merge(run.leaseNo(), 1, Integer::sum));
    Set<Long> closed = new HashSet<>();
    endedUnder.forEach(
        (leaseNo, count) -> {
          Entry entry = leases.get(leaseNo);
          if (entry != null && entry.runs.size() == count) {
            closed.add(leaseNo);
          }
        });
    return closed;
  }

  /**
   * Takes off an attempt that is stored, or given up. With the last one its lease is renewed no
   * more. Returns whether this was the last one.
   */
  synchronized boolean takeOff(TicketRun stored) {
    lost.remove(stored);
    newest.remove(stored.ticketId(), stored);
    Entry entry = leases.get(stored.leaseNo());
    if (entry == null || !entry.runs.remove(stored.ticketId(), stored)) {
      return false;
    }
    boolean last = entry.runs.isEmpty();
    if (last) {
      leases.remove(stored.leaseNo());
      notifyAll();
    }
    return last;
  }

  /**
   * Notes the answer to a heartbeat. Returns the attempts under leases that were asked for and are
   * gone.
   *
   * @param sentNanos when it was sent, which is before the database set the leases' ends
   */
  synchronized List<TicketRun> heard(Set<Long> asked, Heartbeat heartbeat, long sentNanos) {
    List<TicketRun> lostNow = new ArrayList<>();
    for (Long leaseNo : asked) {
      Entry entry = leases.get(leaseNo);
      if (entry == null) {
        continue;
      }
      if (heartbeat.renewed().contains(leaseNo)) {
        entry.renewedNanos = sentNanos;
      } else if (!heartbeat.busy().contains(leaseNo)) {
        lostNow.addAll(entry.runs.values());
        leases.remove(leaseNo);
      }
    }
    lost.addAll(lostNow);
    notifyAll();
    return lostNow;
  }

  /** Returns the attempts under leases that were last renewed before the given time. */
  synchronized List<TicketRun> notRenewedSince(long nanos) {
    List<TicketRun> old = new ArrayList<>();
    for (Entry entry : leases.values()) {
      if (entry.renewedNanos - nanos < 0) {
        old.addAll(entry.runs.values());
      }
    }
    return old;
  }

  synchronized List<TicketRun> runs(Map<Long, Set<Long>> ticketIdsByLease) {
    List<TicketRun> found = new ArrayList<>();
    ticketIdsByLease.forEach(
        (leaseNo, ids) -> {
          Entry entry = leases.get(leaseNo);
          if (entry != null) {
            ids.stream().map(entry.runs::get).filter(run -> run != null).forEach(found::add);
          }
        });
    return found;
  }

  /** Waits until nothing is left. Returns false if the time ran out. */
  synchronized boolean awaitEmpty(long timeoutNanos) throws InterruptedException {
    long deadline = System.nanoTime() + timeoutNanos;
    while (!leases.isEmpty()) {
      long left = deadline - System.nanoTime();
      if (left <= 0) {
        return false;
      }
      wait(Math.max(1, left / 1_000_000));
    }
    return true;
  }
}
