package dev.holdfast.postgres.engine;

import dev.holdfast.postgres.Sql;
import dev.holdfast.postgres.TicketLease;
import dev.holdfast.postgres.Transactions;
import dev.holdfast.queue.Finish;
import dev.holdfast.queue.FinishResult;
import dev.holdfast.ticket.Review;
import dev.holdfast.ticket.TicketState;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jdbi.v3.core.Handle;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Stores a mixed batch of finishes inside the caller's transaction. */
final class FinishWriter {
  private static final Logger log = LoggerFactory.getLogger(FinishWriter.class);

  private final FailureWriter failureWriter;
  private final ParkWriter parkWriter;
  private final WorkflowWriter workflowWriter;
  private final DeferralWriter deferralWriter;
  private final AppliedFinishes appliedFinishes;
  private final SuccessCall successCall;
  private final GivenBackWriter givenBackWriter;
  private final String closeLeases;

  /**
   * Leases that are finished, but were locked by a heartbeat or a person when they were to be
   * dropped.
   */
  private final Set<Long> lockedLeases = ConcurrentHashMap.newKeySet();

  FinishWriter(Sql sql, FailureWriter failureWriter) {
    this.failureWriter = failureWriter;
    this.parkWriter = new ParkWriter(sql);
    this.workflowWriter = new WorkflowWriter(sql);
    this.deferralWriter = new DeferralWriter(sql);
    this.appliedFinishes = new AppliedFinishes(sql);
    this.successCall = new SuccessCall(sql);
    this.givenBackWriter = new GivenBackWriter(sql);
    this.closeLeases = sql.inSchema("SELECT * FROM holdfast.close_leases(:leases)");
  }

  /** Returns one result per finish, in their order. */
  List<FinishResult> write(
      Handle handle, List<? extends Finish> finishes, Collection<Long> closedLeases) {
    List<Finish.Succeeded> succeeded = new ArrayList<>();
    List<Finish.Failed> failed = new ArrayList<>();
    List<Finish.GivenBack> givenBack = new ArrayList<>();
    List<Finish.Parked> parked = new ArrayList<>();
    List<Finish.Deferred> deferred = new ArrayList<>();
    List<Finish.Advanced> advanced = new ArrayList<>();
    for (Finish finish : inLockOrder(finishes)) {
      switch (finish) {
        case Finish.Succeeded each -> succeeded.add(each);
        case Finish.Failed each -> failed.add(each);
        case Finish.Deferred each -> deferred.add(each);
        case Finish.Advanced each -> advanced.add(each);
        case Finish.GivenBack each -> givenBack.add(each);
        case Finish.Parked each -> parked.add(each);
      }
    }
    Map<TicketLease, FinishResult> results = new HashMap<>();
    if (isOneStatement(finishes)) {
      succeeded(handle, succeeded, closedLeases, results);
      return answer(handle, finishes, results);
    }
    workflowWriter.enqueue(handle, succeeded);
    succeeded(handle, succeeded, List.of(), results);
    results.putAll(workflowWriter.write(handle, advanced));
    if (!failed.isEmpty()) {
      results.putAll(failureWriter.write(handle, failed));
    }
    results.putAll(
        givenBackWriter.write(
            handle,
            givenBack.stream()
                .map(
                    each ->
                        new GivenBackWriter.Ended(TicketLease.of(each), GivenBackWriter.GIVEN_BACK))
                .toList()));
    results.putAll(parkWriter.write(handle, parked));
    if (!deferred.isEmpty()) {
      results.putAll(deferralWriter.write(handle, deferred));
    }
    List<FinishResult> answer = answer(handle, finishes, results);
    close(handle, closedLeases);
    return answer;
  }

  /**
   * Returns whether {@link #write} needs no transaction around it: all are successes that add no
   * tickets.
   */
  static boolean isOneStatement(List<? extends Finish> finishes) {
    return finishes.stream()
        .allMatch(each -> each instanceof Finish.Succeeded success && success.enqueues() == null);
  }

  private static List<Finish> inLockOrder(List<? extends Finish> finishes) {
    List<Finish> ordered = new ArrayList<>(finishes);
    ordered.sort(Comparator.comparingLong(Finish::ticketId).thenComparingLong(Finish::leaseNo));
    return ordered;
  }

  /**
   * Drops those leases that have no ticket in progress under them any more, and leases that were
   * locked when they should have been dropped before.
   */
  void close(Handle handle, Collection<Long> leases) {
    Set<Long> wanted = toClose(leases);
    if (!wanted.isEmpty()) {
      keepLocked(
          wanted,
          handle
              .createQuery(closeLeases)
              .bind("leases", wanted.toArray(Long[]::new))
              .mapTo(Long.class)
              .list());
    }
  }

  boolean hasLockedLeases() {
    return !lockedLeases.isEmpty();
  }

  private Set<Long> toClose(Collection<Long> leases) {
    Set<Long> wanted = new HashSet<>(lockedLeases);
    wanted.addAll(leases);
    return wanted;
  }

  private void keepLocked(Set<Long> wanted, Collection<Long> locked) {
    lockedLeases.removeAll(wanted);
    lockedLeases.addAll(locked);
  }

  private void succeeded(
      Handle handle,
      List<Finish.Succeeded> batch,
      Collection<Long> closedLeases,
      Map<TicketLease, FinishResult> results) {
    Set<Long> closing = toClose(closedLeases);
    if (batch.isEmpty() && closing.isEmpty()) {
      return;
    }
    SuccessCall.Left left = call(handle, batch, closing);
    keepLocked(closing, left.lockedLeases());
    for (Finish.Succeeded each : batch) {
      TicketLease key = TicketLease.of(each);
      if (!left.refused().contains(key)) {
        results.put(key, new FinishResult.Succeeded(each.ticketId(), state(each)));
      }
    }
  }

  private SuccessCall.Left call(
      Handle handle, List<Finish.Succeeded> batch, Collection<Long> closing) {
    try {
      return successCall.run(handle.getConnection(), batch, closing);
    } catch (SQLException e) {
      throw new Transactions.StatementFailed(e);
    }
  }

  static TicketState state(Finish.Succeeded finish) {
    return finish.review() == Review.HUMAN ? TicketState.NEEDS_REVIEW : TicketState.DONE;
  }

  /**
   * Returns the answers in the order of the finishes. A finish that changed nothing is stale,
   * unless an earlier try of the same finish did change it.
   */
  private List<FinishResult> answer(
      Handle handle, List<? extends Finish> finishes, Map<TicketLease, FinishResult> results) {
    List<Finish> unanswered = new ArrayList<>();
    for (Finish finish : finishes) {
      if (!results.containsKey(TicketLease.of(finish))) {
        unanswered.add(finish);
      }
    }
    if (!unanswered.isEmpty()) {
      results.putAll(appliedFinishes.find(handle, unanswered));
    }
    return finishes.stream()
        .map(
            finish -> {
              FinishResult result = results.get(TicketLease.of(finish));
              return result == null ? stale(finish) : result;
            })
        .toList();
  }

  /**
   * Logs a stale finish: a failure that finds no ticket is somebody's mistake, or came too late
   * (A49).
   */
  private static FinishResult stale(Finish finish) {
    if (finish instanceof Finish.Failed failed) {
      log.error(
          "ticket {}: a failure is dropped, for the ticket is unknown or not in progress under"
              + " lease {} any more: {}",
          failed.ticketId(),
          failed.leaseNo(),
          failed.failure().message());
    }
    return new FinishResult.Stale(finish.ticketId());
  }
}
