package dev.holdfast.postgres;

import dev.holdfast.failure.Failure;
import dev.holdfast.queue.Finish;
import dev.holdfast.queue.FinishResult;
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
import org.jdbi.v3.core.statement.Query;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * {@code retryOrFailTicket} for a batch: lock, decide, store, inside the caller's transaction
 * (A48).
 */
final class FailureWriter {
  private static final Logger log = LoggerFactory.getLogger(FailureWriter.class);

  private final String lockFailed;
  private final String lockExpired;
  private final String finishFailed;
  private final String wakeWorkers;
  private final FailureJudge judge;
  private final WaitWriter waits;

  FailureWriter(Sql sql, FailureJudge judge) {
    this.lockFailed = sql.loadPinned("lock_failed");
    this.lockExpired = sql.loadPinned("lock_expired");
    this.finishFailed = sql.loadPinned("finish_failed");
    this.wakeWorkers = sql.inSchema("SELECT holdfast.wake_workers(:queues::text[])");
    this.judge = judge;
    this.waits = new WaitWriter(sql);
  }

  /**
   * The results by execution; one without is stale.
   *
   * @param failures in the order in which tickets are locked
   */
  Map<TicketLease, FinishResult> write(Handle handle, List<Finish.Failed> failures) {
    Map<TicketLease, Finish.Failed> failureOf = new HashMap<>();
    failures.forEach(failed -> failureOf.put(TicketLease.of(failed), failed));
    List<LockedTicket> locked =
        PinnedPlan.on(handle.createQuery(lockFailed))
            .bind("ids", Columns.longs(failures, Finish::ticketId))
            .bind("leases", Columns.longs(failures, Finish::leaseNo))
            .map((row, context) -> LockedTicket.map(row))
            .list();
    List<Verdict> verdicts = new ArrayList<>();
    for (LockedTicket ticket : locked) {
      Finish.Failed failed =
          Objects.requireNonNull(failureOf.get(ticket.key()), "was not asked for");
      verdicts.add(
          judge.judge(ticket, failed.failure(), FailureJudge.Outcome.FAILED, failed.holdReason()));
    }
    Map<TicketLease, FinishResult> results = store(handle, verdicts);
    for (Finish.Failed failed : failures) {
      if (failed.waitsFor() != null
          && results.get(TicketLease.of(failed)) instanceof FinishResult.Held) {
        waits.write(handle, failed, failed.waitsFor());
      }
    }
    return results;
  }

  /**
   * Decides all tickets in progress under leases that the caller has locked, but for those that
   * somebody else has locked: they stay as they are.
   *
   * @param failureOf what happened, by the worker's id
   */
  Map<TicketLease, FinishResult> writeExpired(
      Handle handle, Long[] leases, Function<String, Failure> failureOf) {
    List<LockedTicket> locked =
        PinnedPlan.on(handle.createQuery(lockExpired))
            .bind("leases", leases)
            .map((row, context) -> LockedTicket.map(row))
            .list();
    List<Verdict> verdicts = new ArrayList<>();
    for (LockedTicket ticket : locked) {
      Failure failure = failureOf.apply(ticket.workerId());
      verdicts.add(judge.judge(ticket, failure, FailureJudge.Outcome.CRASHED));
    }
    return store(handle, verdicts);
  }

  private Map<TicketLease, FinishResult> store(Handle handle, List<Verdict> verdicts) {
    if (verdicts.isEmpty()) {
      return Map.of();
    }
    Map<TicketLease, Verdict> verdictOf = new HashMap<>();
    verdicts.forEach(verdict -> verdictOf.put(verdict.ticket().key(), verdict));
    Map<TicketLease, FinishResult> results = new HashMap<>();
    Set<String> woken = new HashSet<>();
    bind(PinnedPlan.on(handle.createQuery(finishFailed)), verdicts)
        .map(
            (row, context) -> {
              if (row.getBoolean("at_once")) {
                woken.add(row.getString("queue"));
              }
              TicketLease key = new TicketLease(row.getLong("id"), row.getLong("lease_no"));
              Verdict verdict = Objects.requireNonNull(verdictOf.get(key), "was not decided");
              return Map.entry(
                  key,
                  result(
                      verdict,
                      verdict.decision().shouldRetry()
                          ? ClaimedTicketMapper.instant(row, "retry_after")
                          : Instant.EPOCH));
            })
        .forEach(entry -> results.put(entry.getKey(), entry.getValue()));
    if (!woken.isEmpty()) {
      String[] queues = woken.toArray(String[]::new);
      handle.createQuery(wakeWorkers).bind("queues", queues).mapTo(String.class).list();
    }
    return results;
  }

  private static FinishResult result(Verdict verdict, Instant retryAfter) {
    long id = verdict.ticket().id();
    log.debug("ticket {}: {}", id, verdict.decision());
    return verdict.decision().shouldRetry()
        ? new FinishResult.Retried(id, retryAfter, verdict.decision())
        : new FinishResult.Held(id, verdict.decision());
  }

  private static Query bind(Query query, List<Verdict> verdicts) {
    return query
        .bind("ids", Columns.longs(verdicts, v -> v.ticket().id()))
        .bind("leases", Columns.longs(verdicts, v -> v.ticket().leaseNo()))
        .bind("outcomes", Columns.texts(verdicts, Verdict::outcome))
        .bind(
            "holdReasons",
            Columns.texts(
                verdicts, v -> v.decision().hold().map(hold -> hold.reason()).orElse(null)))
        .bind("delays", Columns.longs(verdicts, v -> v.decision().nextDelay().toMillis()))
        .bind("retryCounts", Columns.integers(verdicts, Verdict::retryCount))
        .bind("countsByCategory", Columns.texts(verdicts, Verdict::countsJson))
        .bind("sameErrorCounts", Columns.integers(verdicts, Verdict::sameErrorCount))
        .bind("crashCounts", Columns.integers(verdicts, Verdict::crashCount))
        .bind("errors", Columns.texts(verdicts, v -> v.decision().classification().message()))
        .bind(
            "categories",
            Columns.texts(verdicts, v -> v.decision().classification().category().wireName()))
        .bind(
            "fingerprints",
            Columns.texts(verdicts, v -> v.decision().classification().fingerprint()))
        .bind("rules", Columns.texts(verdicts, v -> v.decision().classification().rule()))
        .bind(
            "httpStatuses",
            Columns.integers(verdicts, v -> v.decision().classification().httpStatus()))
        .bind("strategies", Columns.texts(verdicts, Verdict::strategyJson))
        .bind("details", Columns.texts(verdicts, DecisionLog::write));
  }
}
