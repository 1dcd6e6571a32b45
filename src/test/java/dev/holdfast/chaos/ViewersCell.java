package dev.holdfast.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.e2e.HoldfastProcess;
import java.net.http.HttpResponse;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;

/** People, or their programs, who look at a working worker as fast as it answers. */
final class ViewersCell implements Cell {
  private static final int VIEWERS = 60;
  private static final int FINISHED = 20_000;
  private static final List<String> PAGES =
      List.of(
          "/api/v1/tickets?limit=500", "/api/v1/tickets?text=nothing", "/metrics", "/api/v1/stats");

  private int answered;

  @Override
  public int workers() {
    return 1;
  }

  @Override
  public double goesOn() {
    return 0.4;
  }

  /** So that there is something to look through. */
  @Override
  public void prepare(Chaos chaos) {
    BacklogCell.addFinished(chaos, FINISHED);
  }

  @Override
  public void rage(Chaos chaos) throws Exception {
    HoldfastProcess seen = chaos.crew.begin().awaitConsole();
    Instant end = chaos.end();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Callable<Integer>> viewers =
          IntStream.range(0, VIEWERS)
              .<Callable<Integer>>mapToObj(i -> () -> look(seen, i, end))
              .toList();
      for (Future<Integer> each : threads.invokeAll(viewers)) {
        answered += each.get();
      }
    }
  }

  private static int look(HoldfastProcess at, int number, Instant end) throws Exception {
    int answers = 0;
    for (; Instant.now().isBefore(end); answers++) {
      HttpResponse<String> answer = at.sendGet(PAGES.get(number % PAGES.size())).join();
      assertThat(answer.statusCode()).isIn(200, 429, 503);
    }
    return answers;
  }

  @Override
  public void check(Chaos chaos) {
    assertThat(answered).isPositive();
    assertThat(
            chaos.database.number(
                "SELECT count(*) FROM holdfast.ticket_attempts WHERE outcome <> 'succeeded'"))
        .as("attempts that did not succeed")
        .isZero();
  }
}
