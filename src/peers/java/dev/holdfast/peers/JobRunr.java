package dev.holdfast.peers;

import static org.jobrunr.server.BackgroundJobServerConfiguration.usingStandardBackgroundJobServerConfiguration;

import dev.holdfast.bench.Bar;
import dev.holdfast.bench.Peer;
import dev.holdfast.postgres.Database;
import java.util.stream.Stream;
import org.jobrunr.jobs.lambdas.JobRequest;
import org.jobrunr.jobs.lambdas.JobRequestHandler;
import org.jobrunr.jobs.mappers.JobMapper;
import org.jobrunr.scheduling.JobRequestScheduler;
import org.jobrunr.server.BackgroundJobServer;
import org.jobrunr.server.JobActivator;
import org.jobrunr.storage.StorageProvider;
import org.jobrunr.storage.sql.postgres.PostgresStorageProvider;
import org.jobrunr.utils.mapper.JsonMapper;
import org.jobrunr.utils.mapper.jackson3.Jackson3JsonMapper;

/** JobRunr, which fetches a page of jobs at a time and saves each at every change of its state. */
public final class JobRunr implements Peer {
  private static final int WORKERS = 100;
  private static final int POOL_SIZE = 20;

  /** It refuses less. It polls at once as well whenever its workers run out of jobs. */
  private static final int POLL_SECONDS = 5;

  private static final String TABLE = "jobrunr_jobs";
  private static final String COUNT = "SELECT count(*) FROM jobrunr_jobs WHERE ";
  private static final String AT_REST =
      "SELECT (NOT EXISTS (SELECT FROM jobrunr_jobs WHERE state IN"
          + " ('AWAITING', 'SCHEDULED', 'ENQUEUED', 'PROCESSING', 'FAILED')))::int";

  /** A job that does nothing. */
  public record NoOp() implements JobRequest {
    @Override
    public Class<NoOpHandler> getJobRequestHandler() {
      return NoOpHandler.class;
    }
  }

  /** Counts. */
  public record NoOpHandler(JobCount count) implements JobRequestHandler<NoOp> {
    @Override
    public void run(NoOp request) {
      count.job();
    }
  }

  private final PeerSchema schema;
  private final JsonMapper json = new Jackson3JsonMapper();

  private JobRunr(PeerSchema schema) {
    this.schema = schema;
  }

  /** Makes its tables in a schema of their own. */
  public static JobRunr open(Database database) {
    return new JobRunr(PeerSchema.create(database, "holdfast_bench_jobrunr", POOL_SIZE));
  }

  @Override
  public String name() {
    return "JobRunr 8.7.0";
  }

  @Override
  public String settings() {
    return "100 workers, a pool of 20, polling every 5 s, which is the least it takes, and Jackson"
        + " 3";
  }

  @Override
  public Bar bar() {
    return Bar.ratio(name(), 13, 19);
  }

  @Override
  public double drain(int jobs) throws InterruptedException {
    JobCount count = new JobCount(name(), jobs);
    // Closing it would close the data source.
    StorageProvider storage = new PostgresStorageProvider(schema.pooled());
    storage.setJobMapper(new JobMapper(json));
    schema.execute("TRUNCATE " + TABLE);
    new JobRequestScheduler(storage).enqueue(Stream.generate(NoOp::new).limit(jobs));
    schema.settle(TABLE);
    BackgroundJobServer server =
        new BackgroundJobServer(
            storage,
            json,
            activator(new NoOpHandler(count)),
            usingStandardBackgroundJobServerConfiguration()
                .andWorkerCount(WORKERS)
                .andPollIntervalInSeconds(POLL_SECONDS));
    double rate;
    try {
      server.start();
      rate = count.awaitRate(() -> schema.number(AT_REST) == 1);
    } finally {
      server.stop();
    }
    count.verify(
        schema.number(COUNT + "state = 'SUCCEEDED'"),
        schema.number(COUNT + "state <> 'SUCCEEDED'"));
    return rate;
  }

  private static JobActivator activator(NoOpHandler handler) {
    return new JobActivator() {
      @Override
      public <T> T activateJob(Class<T> type) {
        return type.cast(handler);
      }
    };
  }

  @Override
  public void close() {
    schema.close();
  }
}
