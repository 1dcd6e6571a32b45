package dev.holdfast.postgres.engine;

import dev.holdfast.failure.Failure;
import dev.holdfast.postgres.Sql;
import dev.holdfast.postgres.Transactions;
import dev.holdfast.queue.Claim;
import dev.holdfast.queue.ClaimRequest;
import dev.holdfast.queue.DatabaseUnavailableException;
import dev.holdfast.queue.Finish;
import dev.holdfast.queue.FinishResult;
import dev.holdfast.queue.Heartbeat;
import dev.holdfast.queue.TicketQueue;
import dev.holdfast.retry.RetryPolicy;
import dev.holdfast.retry.RetrySettings;
import dev.holdfast.ticket.HoldfastException;
import java.sql.Array;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The queue on PostgreSQL. Thread-safe; each call takes one pooled connection for one transaction.
 */
public final class PostgresTicketQueue implements TicketQueue {
  private static final Logger log = LoggerFactory.getLogger(PostgresTicketQueue.class);

  private final Transactions transactions;
  private final Transactions heartbeats;
  private final FinishWriter finishWriter;
  private final LeaseRescuer leaseRescuer;
  private final Expirations expirations;
  private final ClaimCall claimCall;
  private final String heartbeat;

  /**
   * @param heartbeats the data source on which leases are renewed
   * @param settings the configured policy, which the settings of queue, design and ticket override
   */
  public PostgresTicketQueue(
      DataSource dataSource,
      DataSource heartbeats,
      String schema,
      RetryPolicy policy,
      RetrySettings settings) {
    Sql sql = new Sql(schema);
    FailureWriter failureWriter = new FailureWriter(sql, new FailureDecider(policy, settings));
    this.transactions = new Transactions(dataSource);
    this.heartbeats = new Transactions(heartbeats);
    this.finishWriter = new FinishWriter(sql, failureWriter);
    this.expirations = new Expirations(sql);
    this.leaseRescuer = new LeaseRescuer(sql, failureWriter, finishWriter);
    this.claimCall = new ClaimCall(sql);
    this.heartbeat =
        sql.inSchema(
            // There is at least one row, because a worker without leases has a row of its own, too.
            "SELECT r.id, r.renewed, r.revoked, EXISTS (SELECT FROM holdfast.workers w WHERE w.id ="
                + " :worker) AS registered FROM (SELECT) AS one LEFT JOIN"
                + " holdfast.renew_leases(:worker, :leases, :lease_ms) r ON true");
  }

  @Override
  public Claim claim(ClaimRequest request) {
    return transactions.runCall(connection -> claimCall.run(connection, request));
  }

  /** Renews the leases. If the database refuses one, the others are renewed without it. */
  @Override
  public Heartbeat heartbeat(String workerId, Collection<Long> leaseNos, Duration lease) {
    try {
      return renew(workerId, leaseNos, lease);
    } catch (HoldfastException e) {
      if (DatabaseUnavailableException.isAway(e)) {
        throw e;
      }
      // This must work without a lease; otherwise it is no lease that the database refuses.
      renew(workerId, List.of(), lease);
      return renewApart(workerId, List.copyOf(leaseNos), lease);
    }
  }

  private Heartbeat renewApart(String workerId, List<Long> leaseNos, Duration lease) {
    try {
      return renew(workerId, leaseNos, lease);
    } catch (HoldfastException e) {
      if (DatabaseUnavailableException.isAway(e)) {
        throw e;
      }
      if (leaseNos.size() == 1) {
        log.error("lease {} cannot be renewed: {}", leaseNos.getFirst(), e.getMessage());
        return new Heartbeat(Set.of(), Set.copyOf(leaseNos), Map.of(), true);
      }
      int half = leaseNos.size() / 2;
      return renewApart(workerId, leaseNos.subList(0, half), lease)
          .and(renewApart(workerId, leaseNos.subList(half, leaseNos.size()), lease));
    }
  }

  private Heartbeat renew(String workerId, Collection<Long> leaseNos, Duration lease) {
    return heartbeats.runStatement(
        handle -> {
          Set<Long> renewed = new HashSet<>();
          Set<Long> busy = new HashSet<>();
          Map<Long, Set<Long>> revoked = new HashMap<>();
          List<Boolean> registered =
              handle
                  .createQuery(heartbeat)
                  .bind("leases", leaseNos.toArray(Long[]::new))
                  .bind("worker", workerId)
                  .bind("lease_ms", lease.toMillis())
                  .map(
                      (row, context) -> {
                        long leaseNo = row.getLong("id");
                        if (!row.wasNull()) {
                          (row.getBoolean("renewed") ? renewed : busy).add(leaseNo);
                          revoked.put(leaseNo, ids(row.getArray("revoked")));
                        }
                        return row.getBoolean("registered");
                      })
                  .list();
          revoked.values().removeIf(Set::isEmpty);
          return new Heartbeat(renewed, busy, revoked, !registered.contains(false));
        });
  }

  private static Set<Long> ids(Array array) throws SQLException {
    return Set.of((Long[]) array.getArray());
  }

  @Override
  public List<FinishResult> finish(List<? extends Finish> finishes, Collection<Long> closedLeases) {
    if (FinishWriter.isOneStatement(finishes)) {
      return transactions.runStatement(
          handle -> finishWriter.write(handle, finishes, closedLeases));
    }
    return transactions.run(handle -> finishWriter.write(handle, finishes, closedLeases));
  }

  @Override
  public FinishResult retryOrFailTicket(long ticketId, long leaseNo, Failure failure) {
    Finish.Failed failed = new Finish.Failed(ticketId, leaseNo, failure);
    return transactions.run(
        handle -> {
          FinishResult result = finishWriter.write(handle, List.of(failed), List.of()).getFirst();
          finishWriter.close(handle, List.of(leaseNo));
          return result;
        });
  }

  @Override
  public List<FinishResult> rescue(int limit) {
    return transactions.runStatement(leaseRescuer::isDue)
        ? leaseRescuer.rescue(transactions, limit)
        : List.of();
  }

  @Override
  public List<Long> holdExpired(int limit) {
    return expirations.hold(transactions, limit);
  }
}
