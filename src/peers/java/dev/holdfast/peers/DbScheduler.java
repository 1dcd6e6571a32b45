package dev.holdfast.peers;

import com.github.kagkarlsson.scheduler.Scheduler;
import com.github.kagkarlsson.scheduler.SchedulerClient;
import com.github.kagkarlsson.scheduler.task.TaskInstance;
import com.github.kagkarlsson.scheduler.task.helper.OneTimeTask;
import com.github.kagkarlsson.scheduler.task.helper.Tasks;
import dev.holdfast.bench.Bar;
import dev.holdfast.bench.Peer;
import dev.holdfast.postgres.Database;
import java.time.Instant;
import java.time.InstantSource;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * db-scheduler as it is fastest: it locks a batch with the query that fetches it, and deletes each
 * job when it is done, in a transaction of its own.
 */
public final class DbScheduler implements Peer {
  private static final int THREADS = 50;
  private static final String TABLE = "scheduled_tasks";

  private static final String[] TABLES = {
    """
    CREATE TABLE scheduled_tasks (
      task_name            text NOT NULL,
      task_instance        text NOT NULL,
      task_data            bytea,
      execution_time       timestamptz,
      picked               boolean NOT NULL,
      picked_by            text,
      last_success         timestamptz,
      last_failure         timestamptz,
      consecutive_failures integer,
      last_heartbeat       timestamptz,
      version              bigint NOT NULL,
      priority             smallint,
      PRIMARY KEY (task_name, task_instance)
    )
    """,
    "CREATE INDEX ON scheduled_tasks (execution_time)",
    "CREATE INDEX ON scheduled_tasks (last_heartbeat)",
    "CREATE INDEX ON scheduled_tasks (priority DESC, execution_time)"
  };

  private final PeerSchema schema;
  private final InstantSource clock;

  private DbScheduler(PeerSchema schema, InstantSource clock) {
    this.schema = schema;
    this.clock = clock;
  }

  /** Makes its tables in a schema of their own. */
  public static DbScheduler open(Database database, InstantSource clock) {
    PeerSchema schema = PeerSchema.create(database, "holdfast_bench_db_scheduler", THREADS);
    schema.execute(TABLES);
    return new DbScheduler(schema, clock);
  }

  @Override
  public String name() {
    return "db-scheduler 16.12.0";
  }

  @Override
  public String settings() {
    return "pollUsingLockAndFetch(1.0, 4.0), 50 threads, a pool of 50, the indexes it recommends";
  }

  @Override
  public Bar bar() {
    return Bar.ratio(name(), 5.5, 8);
  }

  @Override
  public double drain(int jobs) throws InterruptedException {
    JobCount count = new JobCount(name(), jobs);
    OneTimeTask<Void> task = Tasks.oneTime("no-op").execute((instance, context) -> count.job());
    schema.execute("TRUNCATE " + TABLE);
    enqueue(task, jobs);
    schema.settle(TABLE);
    Scheduler scheduler =
        Scheduler.create(schema.pooled(), task)
            .threads(THREADS)
            .pollUsingLockAndFetch(1.0, 4.0)
            .build();
    double rate;
    try {
      scheduler.start();
      rate =
          count.awaitRate(
              () -> schema.number("SELECT (NOT EXISTS (SELECT FROM " + TABLE + "))::int") == 1);
    } finally {
      scheduler.stop();
    }
    count.verify(jobs, schema.number("SELECT count(*) FROM " + TABLE));
    return rate;
  }

  private void enqueue(OneTimeTask<Void> task, int jobs) {
    Instant now = clock.instant();
    Stream<TaskInstance<?>> all =
        IntStream.range(0, jobs).mapToObj(i -> task.instance(String.valueOf(i)));
    SchedulerClient.Builder.create(schema.pooled(), task).build().scheduleBatch(all, now);
  }

  @Override
  public void close() {
    schema.close();
  }
}
