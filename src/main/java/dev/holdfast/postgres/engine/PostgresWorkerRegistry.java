package dev.holdfast.postgres.engine;

import dev.holdfast.postgres.Sql;
import dev.holdfast.postgres.Transactions;
import dev.holdfast.queue.WorkerRegistry;
import java.util.Locale;
import java.util.Set;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Writes the table {@code workers}. Thread-safe. */
public final class PostgresWorkerRegistry implements WorkerRegistry {
  private final Transactions transactions;
  private final String register;
  private final String update;
  private final String wantsWakeUp;

  public PostgresWorkerRegistry(DataSource dataSource, String schema) {
    Sql sql = new Sql(schema);
    this.transactions = new Transactions(dataSource);
    this.register = sql.load("register_worker");
    this.update =
        sql.inSchema(
            "UPDATE holdfast.workers SET state = :state, wants_wakeup = wants_wakeup AND :state ="
                + " 'running', heartbeat_at = now() WHERE id = :id");
    this.wantsWakeUp =
        sql.inSchema("UPDATE holdfast.workers SET wants_wakeup = :wanted WHERE id = :id");
  }

  @Override
  public void register(Registration worker) {
    transactions.run(
        handle ->
            handle
                .createUpdate(register)
                .bind("id", worker.workerId())
                .bind("host", worker.host())
                .bind("pid", worker.pid())
                .bind("version", worker.version())
                .bindByType("queues", names(worker.queues()), String[].class)
                .bind("kinds", worker.kinds().toArray(String[]::new))
                .bind("concurrency", worker.concurrency())
                .execute());
  }

  private static String @Nullable [] names(Set<String> queues) {
    return queues.isEmpty() ? null : queues.toArray(String[]::new);
  }

  @Override
  public void update(String workerId, State state) {
    transactions.run(
        handle ->
            handle
                .createUpdate(update)
                .bind("id", workerId)
                .bind("state", state.name().toLowerCase(Locale.ROOT))
                .execute());
  }

  @Override
  public void wantsWakeUp(String workerId, boolean wanted) {
    transactions.run(
        handle ->
            handle.createUpdate(wantsWakeUp).bind("id", workerId).bind("wanted", wanted).execute());
  }
}
