package dev.holdfast.postgres.engine;

import dev.holdfast.failure.Category;
import dev.holdfast.failure.Failure;
import dev.holdfast.postgres.Sql;
import dev.holdfast.postgres.TicketLease;
import dev.holdfast.postgres.Transactions;
import dev.holdfast.queue.DatabaseUnavailableException;
import dev.holdfast.queue.FinishResult;
import dev.holdfast.ticket.HoldfastException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes the tickets of expired leases through the ordinary decision, as crashes, and drops the
 * leases (A50). A lease with a ticket that somebody has locked stays for the next round. Several
 * workers may rescue at once.
 */
final class LeaseRescuer {
  /** The fingerprint of all expired leases: it is not known what the worker died of. */
  private static final String FINGERPRINT = "lease-expired";

  private static final Logger log = LoggerFactory.getLogger(LeaseRescuer.class);

  private final String anyExpired;
  private final String expiredLeases;
  private final String ticketsOfLease;
  private final FailureWriter failureWriter;
  private final FinishWriter finishWriter;

  LeaseRescuer(Sql sql, FailureWriter failureWriter, FinishWriter finishWriter) {
    this.anyExpired =
        sql.inSchema("SELECT EXISTS (SELECT FROM holdfast.leases l WHERE l.expires_at < now())");
    this.expiredLeases = sql.load("expired_leases");
    this.ticketsOfLease =
        sql.inSchema("SELECT unnest(l.ids) FROM holdfast.leases l WHERE l.id = :lease ORDER BY 1");
    this.failureWriter = failureWriter;
    this.finishWriter = finishWriter;
  }

  /**
   * Returns true if there may be anything to do. It is one read, so that an idle worker needs no
   * transaction.
   */
  boolean isDue(Handle handle) {
    return finishWriter.hasLockedLeases()
        || handle.createQuery(anyExpired).mapTo(Boolean.class).one();
  }

  /**
   * Rescues what the database allows: if it refuses a ticket, the others are rescued without it.
   */
  List<FinishResult> rescue(Transactions transactions, int limit) {
    try {
      return transactions.run(handle -> rescue(handle, locked(handle, limit, null), null));
    } catch (HoldfastException e) {
      if (DatabaseUnavailableException.isAway(e)) {
        throw e;
      }
      log.warn("expired leases are rescued one by one: {}", e.getMessage());
    }
    List<FinishResult> results = new ArrayList<>();
    for (Long lease : transactions.run(handle -> locked(handle, limit, null))) {
      results.addAll(rescueApart(transactions, lease));
    }
    return results;
  }

  private List<FinishResult> rescueApart(Transactions transactions, long lease) {
    List<FinishResult> results = new ArrayList<>();
    for (Long id : transactions.run(handle -> ticketsOf(handle, lease))) {
      try {
        results.addAll(transactions.run(handle -> rescue(handle, locked(handle, 1, lease), id)));
      } catch (HoldfastException e) {
        if (DatabaseUnavailableException.isAway(e)) {
          throw e;
        }
        log.error(
            "ticket {} stays in progress under its expired lease {}: {}",
            id,
            lease,
            e.getMessage());
      }
    }
    return results;
  }

  /**
   * @param only the only lease to be locked; null for any that has expired
   */
  private List<Long> locked(Handle handle, int limit, @Nullable Long only) {
    return handle
        .createQuery(expiredLeases)
        .bind("limit", limit)
        .bind("only", only)
        .mapTo(Long.class)
        .list();
  }

  private List<Long> ticketsOf(Handle handle, long lease) {
    return handle.createQuery(ticketsOfLease).bind("lease", lease).mapTo(Long.class).list();
  }

  /**
   * @param only the only ticket to be rescued; null for all under the leases
   */
  private List<FinishResult> rescue(Handle handle, List<Long> expired, @Nullable Long only) {
    if (expired.isEmpty()) {
      finishWriter.close(handle, List.of());
      return List.of();
    }
    Map<TicketLease, FinishResult> results =
        failureWriter.writeExpired(
            handle, expired.toArray(Long[]::new), only, LeaseRescuer::failure);
    finishWriter.close(handle, expired);
    return List.copyOf(results.values());
  }

  private static Failure failure(String workerId) {
    return new Failure(
        "lease expired: worker "
            + workerId
            + " stopped renewing it; it crashed, was killed or lost the database",
        Category.SYSTEM_ERROR,
        "lease-expired",
        "lease expired",
        null,
        null,
        FINGERPRINT);
  }
}
