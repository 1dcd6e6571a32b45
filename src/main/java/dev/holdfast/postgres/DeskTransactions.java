package dev.holdfast.postgres;

import dev.holdfast.queue.Channel;
import java.util.Map;
import java.util.function.Function;
import javax.sql.DataSource;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/**
 * The transactions of what people do. The functions they call store the channel that a person came
 * by; it is set for each transaction. Thread-safe.
 *
 * @param channel null where nothing is stored of it
 */
public record DeskTransactions(Transactions transactions, Sql sql, @Nullable Channel channel) {
  public DeskTransactions(DataSource dataSource, String schema) {
    this(new Transactions(dataSource), new Sql(schema), null);
  }

  public DeskTransactions through(Channel newChannel) {
    return new DeskTransactions(transactions, sql, newChannel);
  }

  /** Reads, or writes with one statement. */
  public <T> T runStatement(Function<Handle, T> work) {
    return transactions.runStatement(work);
  }

  /** Does something in one transaction. */
  public <T> T act(Function<Handle, T> work) {
    return transactions.run(
        handle -> {
          if (channel != null) {
            handle
                .createQuery("SELECT set_config('holdfast.channel', :channel, true)")
                .bind("channel", channel.wireName())
                .mapTo(String.class)
                .one();
          }
          return work.apply(handle);
        });
  }

  /** Calls a function, by a statement that returns no column: {@code SELECT FROM f(:a, :b)}. */
  public void call(Handle handle, String statement, Map<String, ?> arguments) {
    handle.createQuery(sql.inSchema(statement)).bindMap(arguments).mapToMap().list();
  }

  /** As {@link #call(Handle, String, Map)}, in a transaction of its own. */
  public void call(String statement, Map<String, ?> arguments) {
    act(
        handle -> {
          call(handle, statement, arguments);
          return statement;
        });
  }
}
