package dev.holdfast.postgres.engine;

import dev.holdfast.postgres.Sql;
import dev.holdfast.queue.Finish;
import dev.holdfast.ticket.StorableText;
import dev.holdfast.ticket.TicketWait;
import org.jdbi.v3.core.Handle;

/** Notes what a held ticket waits for, so that the end of that can release it. */
final class WaitWriter {
  private final String write;

  WaitWriter(Sql sql) {
    this.write =
        sql.inSchema(
            """
            INSERT INTO holdfast.ticket_waits (ticket_id, lease_no, kind, scopes, needed_usd, words)
            VALUES (:ticket, :lease, :kind, :scopes, :needed, :words)
            ON CONFLICT (ticket_id) DO UPDATE
            SET lease_no = EXCLUDED.lease_no, kind = EXCLUDED.kind, scopes = EXCLUDED.scopes,
                needed_usd = EXCLUDED.needed_usd, words = EXCLUDED.words, since = EXCLUDED.since
            """);
  }

  /** Writes the wait in the transaction that holds the ticket. */
  void write(Handle handle, Finish finish, TicketWait wait) {
    handle
        .createUpdate(write)
        .bind("ticket", finish.ticketId())
        .bind("lease", finish.leaseNo())
        .bind("kind", wait.kind().wireName())
        .bind("scopes", wait.scopes().toArray(String[]::new))
        .bind("needed", wait.neededUsd())
        .bind("words", StorableText.of(wait.words()))
        .execute();
  }
}
