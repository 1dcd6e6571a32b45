package dev.holdfast.postgres.engine;

import dev.holdfast.failure.Failure;
import dev.holdfast.postgres.Columns;
import dev.holdfast.postgres.PinnedPlan;
import dev.holdfast.postgres.Sql;
import dev.holdfast.postgres.TicketLease;
import dev.holdfast.postgres.Transactions;
import dev.holdfast.queue.Finish;
import dev.holdfast.queue.FinishResult;
import dev.holdfast.retry.AttemptOutcome;
import dev.holdfast.retry.HoldCause;
import dev.holdfast.retry.RetryDecision;
import dev.holdfast.ticket.TicketWait;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Does {@code retryOrFailTicket} for a batch: lock, decide, store, inside the caller's transaction
 * (A48). Most tickets that fail have never been executed before: the decision on those is made
 * unseen, and stored if that holds.
 */
final class FailureWriter {
  private static final Logger log = LoggerFactory.getLogger(FailureWriter.class);

  private final String lockFailed;
  private final String lockExpired;
  private final FailureCall failureCall;
  private final FailureDecider decider;
  private final WaitWriter waits;
  private final GivenBackWriter givenBackWriter;
  private final String rememberBlame;

  FailureWriter(Sql sql, FailureDecider decider) {
    this.lockFailed = sql.loadPinned("lock_failed");
    this.lockExpired = sql.loadPinned("lock_expired");
    this.failureCall = new FailureCall(sql);
    this.decider = decider;
    this.waits = new WaitWriter(sql);
    this.givenBackWriter = new GivenBackWriter(sql);
    this.rememberBlame =
        sql.inSchema("UPDATE holdfast.workers SET blamed = true WHERE id = ANY (:workers)");
  }

  /**
   * Returns the results by execution; an execution without one is stale.
   *
   * @param failures in the order in which tickets are locked
   */
  Map<TicketLease, FinishResult> write(Handle handle, List<Finish.Failed> failures) {
    Map<TicketLease, FinishResult> results = unseen(handle, failures);
    List<Finish.Failed> left =
        failures.stream().filter(each -> !results.containsKey(TicketLease.of(each))).toList();
    if (!left.isEmpty()) {
      results.putAll(locked(handle, left));
    }
    for (Finish.Failed failed : failures) {
      if (failed.waitsFor() != null
          && results.get(TicketLease.of(failed)) instanceof FinishResult.Held) {
        waits.write(handle, failed, failed.waitsFor());
      }
    }
    return results;
  }

  private Map<TicketLease, FinishResult> unseen(Handle handle, List<Finish.Failed> failures) {
    List<DecidedFailure> decided =
        failures.stream()
            .filter(Finish.Failed::firstAttempt)
            .map(each -> decide(FailedTicket.unseen(each), each))
            .toList();
    return store(handle, decided, true);
  }

  private Map<TicketLease, FinishResult> locked(Handle handle, List<Finish.Failed> failures) {
    Map<TicketLease, Finish.Failed> failureOf = new HashMap<>();
    failures.forEach(failed -> failureOf.put(TicketLease.of(failed), failed));
    List<FailedTicket> locked =
        PinnedPlan.on(handle.createQuery(lockFailed))
            .bind("ids", Columns.longs(failures, Finish::ticketId))
            .bind("leases", Columns.longs(failures, Finish::leaseNo))
            .map((row, context) -> FailedTicket.map(row))
            .list();
    List<DecidedFailure> decided = new ArrayList<>();
    for (FailedTicket ticket : locked) {
      decided.add(
          decide(ticket, Objects.requireNonNull(failureOf.get(ticket.key()), "was not asked for")));
    }
    return store(handle, decided, false);
  }

  private DecidedFailure decide(FailedTicket ticket, Finish.Failed failed) {
    return decider.decide(ticket, failed.failure(), AttemptOutcome.FAILED, given(failed));
  }

  /** Returns the hold that the attempt itself asks for; null if it asks for none. */
  private static RetryDecision.@Nullable Hold given(Finish.Failed failed) {
    RetryDecision.Hold hold = failed.hold();
    if (hold == null || hold.cause() != HoldCause.HANDLER) {
      return hold;
    }
    TicketWait wait = failed.waitsFor();
    HoldCause cause =
        switch (wait == null ? null : wait.kind()) {
          case ACCOUNT -> HoldCause.ACCOUNT_UNAVAILABLE;
          case BUDGET -> HoldCause.BUDGET_EXCEEDED;
          case null, default -> HoldCause.HANDLER;
        };
    return new RetryDecision.Hold(cause, hold.reason());
  }

  /**
   * A locked ticket whose lease expired.
   *
   * @param died whether its worker died
   * @param blamed whether it counts as the cause
   * @param suspect whether it ran alone, because a worker had died of it before
   */
  private record Expired(
      FailedTicket ticket, String workerId, boolean died, boolean blamed, boolean suspect) {
    static Expired map(ResultSet row) throws SQLException {
      return new Expired(
          FailedTicket.map(row),
          row.getString("worker_id"),
          row.getBoolean("died"),
          row.getBoolean("blamed"),
          row.getBoolean("suspect"));
    }
  }

  /**
   * Decides all tickets in progress under leases that the caller has locked. Tickets that somebody
   * else has locked stay as they are. Tickets that are not to blame are ready again.
   *
   * @param only the only ticket to be decided; null for all
   * @param failureOf gives the failure, by the worker's id
   */
  Map<TicketLease, FinishResult> writeExpired(
      Handle handle, Long[] leases, @Nullable Long only, Function<String, Failure> failureOf) {
    List<Expired> locked =
        PinnedPlan.on(handle.createQuery(lockExpired))
            .bind("leases", leases)
            .bind("only", only)
            .map((row, context) -> Expired.map(row))
            .list();
    List<DecidedFailure> decided = new ArrayList<>();
    List<GivenBackWriter.Ended> innocent = new ArrayList<>();
    Set<String> blamedWorkers = new HashSet<>();
    for (Expired each : locked) {
      if (each.blamed()) {
        Failure failure = failureOf.apply(each.workerId());
        decided.add(decider.decide(each.ticket(), failure, AttemptOutcome.CRASHED, null));
      } else {
        String outcome = each.died() ? GivenBackWriter.CRASHED : GivenBackWriter.GIVEN_BACK;
        innocent.add(new GivenBackWriter.Ended(each.ticket().key(), outcome));
      }
      if (each.blamed() && each.suspect()) {
        blamedWorkers.add(each.workerId());
      }
    }
    Map<TicketLease, FinishResult> results = store(handle, decided, false);
    results.putAll(givenBackWriter.write(handle, innocent));
    if (!blamedWorkers.isEmpty()) {
      handle
          .createUpdate(rememberBlame)
          .bind("workers", blamedWorkers.toArray(String[]::new))
          .execute();
    }
    return results;
  }

  private Map<TicketLease, FinishResult> store(
      Handle handle, List<DecidedFailure> decided, boolean unseen) {
    Map<TicketLease, FinishResult> results = new HashMap<>();
    if (decided.isEmpty()) {
      return results;
    }
    FailureCall.Stored stored = call(handle, decided, unseen);
    for (DecidedFailure each : decided) {
      if (!stored.refused().contains(each.key())) {
        results.put(each.key(), result(each, stored.at()));
      }
    }
    return results;
  }

  private FailureCall.Stored call(Handle handle, List<DecidedFailure> decided, boolean unseen) {
    try {
      return failureCall.run(handle.getConnection(), decided, unseen);
    } catch (SQLException e) {
      throw new Transactions.StatementFailed(e);
    }
  }

  private static FinishResult result(DecidedFailure failed, Instant at) {
    long id = failed.key().ticketId();
    RetryDecision decision = failed.decision();
    boolean ofRetry = failed.shared().ofRetry();
    log.debug("ticket {}: {}", id, decision);
    return decision.shouldRetry()
        ? new FinishResult.Retried(id, at.plus(decision.nextDelay()), decision, ofRetry)
        : new FinishResult.Held(id, decision, ofRetry);
  }
}
