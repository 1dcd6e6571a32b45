package dev.holdfast.web.console.home;

import dev.holdfast.failure.Category;
import dev.holdfast.queue.view.EventFigure;
import dev.holdfast.queue.view.Figures;
import dev.holdfast.queue.view.ModelFigure;
import dev.holdfast.web.console.view.Chart;
import dev.holdfast.web.console.view.Format;
import dev.holdfast.web.console.view.TimeAxis;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.DoubleFunction;
import java.util.function.Predicate;

/** Makes the charts of the home page. */
final class HomeCharts {
  /** The most models with a series of their own. More models are one series. */
  private static final int MODELS = 5;

  private final Figures figures;
  private final TimeAxis axis;

  private HomeCharts(Figures figures) {
    this.figures = figures;
    this.axis = new TimeAxis(figures.from(), figures.window().span(), figures.window().spans());
  }

  static List<Chart> of(Figures figures) {
    HomeCharts charts = new HomeCharts(figures);
    return List.of(charts.throughput(), charts.failures(), charts.holds(), charts.spending());
  }

  private Chart throughput() {
    return Chart.of(
        "throughput",
        "Finished attempts",
        Chart.Form.AREA,
        axis,
        List.of(
            events("succeeded", "s-good", each -> each.event().equals("succeeded")),
            events("failed", "s-bad", HomeCharts::isFailure)),
        Format::compact);
  }

  private Chart failures() {
    List<Chart.Series> series = new ArrayList<>();
    for (Category category : Category.values()) {
      String name = category.wireName();
      series.add(
          events(
              Format.words(name),
              "s-" + (category.ordinal() + 1),
              each -> isFailure(each) && each.category().equals(name)));
    }
    Predicate<EventFigure> blameless = each -> isFailure(each) && each.category().isEmpty();
    if (figures.events().stream().anyMatch(blameless)) {
      series.add(events("their worker died", "s-" + (series.size() + 1), blameless));
    }
    return Chart.of(
        "failures", "Failed attempts by category", Chart.Form.BARS, axis, series, Format::compact);
  }

  static boolean isFailure(EventFigure figure) {
    return figure.event().equals("failed") || figure.event().equals("crashed");
  }

  private Chart holds() {
    return Chart.of(
        "holds",
        "Held and released",
        Chart.Form.BARS,
        axis,
        List.of(
            events("held", "s-wait", each -> each.event().equals("held")),
            events("released", "s-good", each -> each.event().equals("released"))),
        Format::compact);
  }

  private Chart.Series events(String label, String css, Predicate<EventFigure> which) {
    double[] numbers = new double[axis.spans()];
    figures.events().stream()
        .filter(which)
        .forEach(each -> axis.add(numbers, each.startsAt(), each.n()));
    return Chart.Series.of(label, css, numbers);
  }

  /** Writes small amounts as they are, others to the cent. */
  private static String money(double usd) {
    BigDecimal exact = BigDecimal.valueOf(usd);
    return usd > 0 && usd < 0.1
        ? Format.money(exact)
        : "$" + exact.setScale(2, RoundingMode.HALF_UP).toPlainString();
  }

  /** Draws the spending in money where a model has a price, otherwise in tokens. */
  private Chart spending() {
    boolean priced = figures.models().stream().anyMatch(each -> each.costUsd() != null);
    Map<String, double[]> byModel = new LinkedHashMap<>();
    for (ModelFigure each : figures.models()) {
      String name = Overview.model(each);
      String shown = byModel.containsKey(name) || byModel.size() < MODELS ? name : "others";
      double[] numbers = byModel.computeIfAbsent(shown, any -> new double[axis.spans()]);
      BigDecimal cost = each.costUsd();
      double tokens = each.tokensIn() + (double) each.tokensOut();
      axis.add(numbers, each.startsAt(), priced ? (cost == null ? 0 : cost.doubleValue()) : tokens);
    }
    List<Chart.Series> series = new ArrayList<>();
    byModel.forEach(
        (name, numbers) -> series.add(Chart.Series.of(name, "s-" + (series.size() + 1), numbers)));
    DoubleFunction<String> words = priced ? HomeCharts::money : Format::compact;
    return Chart.of(
        "spending",
        priced ? "Cost by model" : "Tokens by model",
        Chart.Form.BARS,
        axis,
        series,
        words);
  }
}
