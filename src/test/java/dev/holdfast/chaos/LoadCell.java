package dev.holdfast.chaos;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * More tickets come.
 *
 * @param times as many as before
 * @param goesOn what has to be done of them meanwhile, as a share of the rate before
 */
record LoadCell(double times, double goesOn) implements Cell {
  /** Half as many again, which the workers are to keep up with. */
  static final LoadCell HIGH = new LoadCell(1.5, 1.2);

  /** More than the workers have room for at once. */
  static final LoadCell BURST = new LoadCell(5, 1);

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
  }

  @Override
  public void check(Chaos chaos) {
    assertThat(chaos.reasons()).as("why tickets ran again").isEmpty();
  }
}
