package dev.holdfast.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.postgres.Database;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.WithDatabase;
import dev.holdfast.ticket.HoldfastException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** The drain beside a peer that only says how fast it would be. */
@WithDatabase
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class DrainCellIT {
  private static final class Snail implements Peer {
    private final List<String> progress;
    private final List<Integer> drained = new ArrayList<>();

    Snail(List<String> progress) {
      this.progress = progress;
    }

    @Override
    public String name() {
      return "snail 1.0";
    }

    @Override
    public String settings() {
      return "at a crawl";
    }

    @Override
    public Bar bar() {
      return Bar.ratio(name(), 2, 3);
    }

    @Override
    public double drain(int jobs) {
      progress.add("snail");
      drained.add(jobs);
      return drained.size() / 1_000.0;
    }

    @Override
    public void close() {
      throw new AssertionError("whoever opened a peer closes it");
    }
  }

  private final List<String> progress = new ArrayList<>();
  private final Snail snail = new Snail(progress);
  private List<Figure> figures;

  @BeforeAll
  void drainBeside(TestDatabase given) throws InterruptedException {
    figures = drain(given, snail, progress).figures();
  }

  private static CellResult drain(TestDatabase given, Peer peer, List<String> progress)
      throws InterruptedException {
    Database database = new Database(given.jdbcUrl(), given.user(), given.password(), 5, "drain");
    BenchOptions options = new BenchOptions(2, 400, 40, 100, false);
    try (Bench bench = Bench.open(database, List.of(), options, progress::add)) {
      bench.add(peer);
      return bench.run(List.of(CellName.DRAIN), Instant.EPOCH).cells().getFirst();
    }
  }

  @Test
  @DisplayName("a peer is warmed up, then drains its own jobs in each round, after the others")
  void interleaved() {
    assertThat(snail.drained).containsExactly(40, 100, 100);
    assertThat(progress.stream().filter(line -> line.matches("snail|.*round.*|warming.*")))
        .hasSize(7)
        .element(3)
        .asString()
        .startsWith("drain, round 1 of 2");
    assertThat(progress).endsWith("  snail 1.0 0/s");
  }

  @Test
  @DisplayName("its figure has the same rounds of Holdfast, the ratio, its own bar and settings")
  void figure() {
    assertThat(figures).extracting(Figure::name).element(1).isEqualTo("the same beside snail 1.0");
    Figure figure = figures.get(1);
    assertThat(figure.value()).isEqualTo(figures.get(0).value());
    Figure.Reference reference = figure.references().getFirst();
    assertThat(reference.value().rounds()).containsExactly(0.002, 0.003);
    assertThat(reference.ratio().rounds())
        .containsExactly(
            figure.value().rounds().get(0) / 0.002, figure.value().rounds().get(1) / 0.003);
    assertThat(figure.outcome()).isEqualTo(Bar.Outcome.AIM);
    assertThat(figure.notes()).containsExactly("snail 1.0: at a crawl; 100 jobs a round");
  }

  @Test
  @DisplayName("a peer whose run is void ends the benchmark")
  void voidRun(TestDatabase given) {
    Peer broken =
        new Peer() {
          @Override
          public String name() {
            return "broken";
          }

          @Override
          public String settings() {
            return "";
          }

          @Override
          public Bar bar() {
            return Bar.wanted(1);
          }

          @Override
          public double drain(int jobs) {
            throw new HoldfastException("broken's run is void");
          }

          @Override
          public void close() {}
        };
    assertThatThrownBy(() -> drain(given, broken, new ArrayList<>()))
        .hasMessage("broken's run is void");
  }
}
