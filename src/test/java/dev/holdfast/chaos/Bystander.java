package dev.holdfast.chaos;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A cell that the tickets are to notice nothing of: none runs again, and most of the rate stays.
 */
record Bystander(Cell cell) implements Cell {
  private static final double MOST = 0.4;

  @Override
  public void prepare(Chaos chaos) throws Exception {
    cell.prepare(chaos);
  }

  @Override
  public void rage(Chaos chaos) throws Exception {
    cell.rage(chaos);
  }

  @Override
  public double goesOn() {
    return MOST;
  }

  @Override
  public void check(Chaos chaos) throws Exception {
    cell.check(chaos);
    assertThat(chaos.reasons()).as("why tickets ran again").isEmpty();
  }
}
