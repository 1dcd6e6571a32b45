package dev.holdfast.chaos;

import static org.assertj.core.api.Assertions.assertThat;

/** More tickets come. */
final class LoadCell implements Cell {
  private static final double MOST = 0.8;

  private final double times;
  private final double mayWait;
  private long waiting;

  /**
   * @param times as many as before
   * @param mayWait how many of them may wait for a worker when that is over: what came in so many
   *     seconds before
   */
  private LoadCell(double times, double mayWait) {
    this.times = times;
    this.mayWait = mayWait;
  }

  /** Half as many again, which the workers keep up with. */
  static LoadCell high() {
    return new LoadCell(1.5, 1);
  }

  /** More than the workers have room for at once. */
  static LoadCell burst() {
    return new LoadCell(5, Double.POSITIVE_INFINITY);
  }

  /** Workers poll as often as tickets come: one for each poll would just do before. */
  @Override
  public void prepare(Chaos chaos) {
    long millis = Math.round(workers() * 1000 / chaos.options.perSecond());
    chaos.holdfast.with("HOLDFAST_WORKER_POLL_INTERVAL", millis + "ms");
  }

  @Override
  public void rage(Chaos chaos) throws Exception {
    double usual = chaos.load.rate();
    chaos.load.rate(usual * times);
    chaos.pass(chaos.options.length());
    chaos.load.rate(usual);
    waiting = chaos.database.number("SELECT count(*) FROM holdfast.ready");
  }

  @Override
  public double goesOn() {
    return MOST;
  }

  @Override
  public void check(Chaos chaos) {
    assertThat(chaos.reasons()).as("why tickets ran again").isEmpty();
    assertThat((double) waiting)
        .as("tickets that waited for a worker at the end")
        .isLessThanOrEqualTo(mayWait * chaos.options.perSecond());
  }
}
