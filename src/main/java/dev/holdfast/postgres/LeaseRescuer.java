package dev.holdfast.postgres;

import dev.holdfast.failure.Category;
import dev.holdfast.failure.Failure;
import dev.holdfast.queue.FinishResult;
import java.util.List;
import java.util.Map;
import org.jdbi.v3.core.Handle;

/**
 * Takes the tickets of expired leases through the ordinary decision, as crashes, and drops the
 * leases (A50). A lease with a ticket that somebody has locked is left for the next round. Several
 * workers may rescue at once.
 */
final class LeaseRescuer {
  /** One for all expired leases: what the worker died of is not known. */
  private static final String FINGERPRINT = "lease-expired";

  private final String anyExpired;
  private final String expiredLeases;
  private final FailureWriter failureWriter;
  private final FinishWriter finishWriter;

  LeaseRescuer(Sql sql, FailureWriter failureWriter, FinishWriter finishWriter) {
    this.anyExpired =
        sql.inSchema("SELECT EXISTS (SELECT FROM holdfast.leases l WHERE l.expires_at < now())");
    this.expiredLeases = sql.load("expired_leases");
    this.failureWriter = failureWriter;
    this.finishWriter = finishWriter;
  }

  /** Whether there may be anything to do; one read, so that an idle worker needs no transaction. */
  boolean isDue(Handle handle) {
    return finishWriter.hasLockedLeases()
        || handle.createQuery(anyExpired).mapTo(Boolean.class).one();
  }

  List<FinishResult> rescue(Handle handle, int limit) {
    List<Long> expired =
        handle.createQuery(expiredLeases).bind("limit", limit).mapTo(Long.class).list();
    if (expired.isEmpty()) {
      finishWriter.close(handle, List.of());
      return List.of();
    }
    Map<TicketLease, FinishResult> results =
        failureWriter.writeExpired(handle, expired.toArray(Long[]::new), LeaseRescuer::failure);
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
