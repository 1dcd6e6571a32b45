package dev.holdfast.postgres.engine;

import dev.holdfast.postgres.Sql;
import dev.holdfast.postgres.Transactions;
import dev.holdfast.queue.DatabaseUnavailableException;
import dev.holdfast.ticket.HoldfastException;
import java.util.ArrayList;
import java.util.List;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Holds tickets that no worker has started in time. If the database refuses to hold one, the others
 * are held without it.
 */
final class Expirations {
  private static final Logger log = LoggerFactory.getLogger(Expirations.class);

  private final String hold;
  private final String justHeld;
  private final String expired;

  Expirations(Sql sql) {
    this.hold =
        sql.inSchema("SELECT holdfast.hold_expired(:limit, :only) FROM holdfast.mend_lines()");
    // held_at is the time of the transaction.
    this.justHeld =
        sql.inSchema(
            "SELECT b.id FROM holdfast.ticket_base b"
                + " WHERE b.held_at = now() AND b.hold_reason LIKE 'expired: %' ORDER BY b.id");
    this.expired = sql.load("expired_tickets");
  }

  List<Long> hold(Transactions transactions, int limit) {
    try {
      return hold(transactions, limit, null);
    } catch (HoldfastException e) {
      if (DatabaseUnavailableException.isAway(e)) {
        throw e;
      }
      log.warn("expired tickets are held one by one: {}", e.getMessage());
    }
    List<Long> held = new ArrayList<>();
    for (Long id : transactions.runStatement(handle -> list(handle, limit))) {
      try {
        held.addAll(hold(transactions, 1, id));
      } catch (HoldfastException e) {
        if (DatabaseUnavailableException.isAway(e)) {
          throw e;
        }
        log.error("ticket {} has expired and cannot be held: {}", id, e.getMessage());
      }
    }
    return held;
  }

  private List<Long> list(Handle handle, int limit) {
    return handle.createQuery(expired).bind("limit", limit).mapTo(Long.class).list();
  }

  /**
   * @param only the only ticket to be held; null for any that has expired
   */
  private List<Long> hold(Transactions transactions, int limit, @Nullable Long only) {
    return transactions.run(
        handle -> {
          long held =
              handle
                  .createQuery(hold)
                  .bind("limit", limit)
                  .bindByType("only", only, Long.class)
                  .mapTo(Long.class)
                  .one();
          return held == 0 ? List.of() : handle.createQuery(justHeld).mapTo(Long.class).list();
        });
  }
}
