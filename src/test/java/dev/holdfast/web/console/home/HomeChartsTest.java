package dev.holdfast.web.console.home;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.queue.view.EventFigure;
import dev.holdfast.queue.view.FigureWindow;
import dev.holdfast.queue.view.Figures;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class HomeChartsTest {
  private static final Instant FROM = Instant.parse("2026-11-30T06:00:00Z");

  private static String failures(EventFigure... events) {
    Figures figures =
        new Figures(FigureWindow.HOUR, FROM, FROM, List.of(events), List.of(), List.of());
    return HomeCharts.of(figures).get(1).summary();
  }

  @Test
  @DisplayName(
      "22.7: failed attempts by category have those, too, whose ticket was not to blame for the"
          + " worker's death")
  void noCategory() {
    EventFigure failed = new EventFigure(FROM, "failed", "transient", 3);
    assertThat(failures(failed)).contains("transient 3").doesNotContain("worker");
    assertThat(failures(failed, new EventFigure(FROM, "crashed", "", 2)))
        .contains("transient 3", "their worker died 2");
  }
}
