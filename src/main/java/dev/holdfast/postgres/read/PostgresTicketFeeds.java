package dev.holdfast.postgres.read;

import dev.holdfast.postgres.Sql;
import dev.holdfast.postgres.Transactions;
import dev.holdfast.postgres.read.PostgresTicketFeed.Position;
import dev.holdfast.queue.read.TicketFeed;
import dev.holdfast.queue.read.TicketFeeds;
import java.time.Duration;
import java.util.Optional;
import javax.sql.DataSource;

/** Opens feeds on the tables' ends. Thread-safe. */
public final class PostgresTicketFeeds implements TicketFeeds {
  private static final Duration FURTHEST = Duration.ofMinutes(15);

  private final Transactions transactions;
  private final Sql sql;

  public PostgresTicketFeeds(DataSource dataSource, String schema) {
    this.transactions = new Transactions(dataSource);
    this.sql = new Sql(schema);
  }

  @Override
  public TicketFeed open() {
    return PostgresTicketFeed.atPresent(transactions, sql);
  }

  @Override
  public Optional<TicketFeed> openAt(String position) {
    Optional<Position> wanted = Position.parse(position);
    if (wanted.isEmpty()) {
      return Optional.empty();
    }
    Position now = PostgresTicketFeed.present(transactions, sql);
    Position then = wanted.get();
    // This database never told a position that is ahead of the present.
    boolean possible =
        then.tickets() <= now.tickets()
            && then.activity() <= now.activity()
            && then.sessions() <= now.sessions()
            && !then.since().isAfter(now.since())
            && then.since().isAfter(now.since().minus(FURTHEST));
    return possible
        ? Optional.of(new PostgresTicketFeed(transactions, sql, null, then))
        : Optional.empty();
  }
}
