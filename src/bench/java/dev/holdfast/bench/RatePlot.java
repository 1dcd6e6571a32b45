package dev.holdfast.bench;

import dev.holdfast.bench.CellResult.Curve;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Draws rates over time as an SVG: its lines differ in colour and dashes, and are legible on a
 * light and on a dark background.
 */
public final class RatePlot {
  private static final int WIDTH = 760;
  private static final int LEFT = 70;
  private static final int RIGHT = 740;
  private static final int TOP = 50;
  private static final int BOTTOM = 300;
  private static final int LEGEND = 345;
  private static final int LEGEND_LINE = 20;
  private static final int TICKS = 5;

  /** The steps whose fifth parts are easy to read. */
  private static final List<Double> ROUND = List.of(1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0);

  private static final List<String> COLOURS = List.of("#2f7fd6", "#d9730d", "#2e9e5b", "#a55fd0");
  private static final List<String> DASHES = List.of("none", "7 3", "2 3", "9 3 2 3");

  private static final String STYLE =
      """
      <style>
        text { font: 12px system-ui, sans-serif; fill: #57606a }
        .title { font-size: 14px; font-weight: 600; fill: #24292f }
        .grid { stroke: #8b949e; stroke-opacity: .3 }
        .line { fill: none; stroke-width: 2; stroke-linejoin: round }
        @media (prefers-color-scheme: dark) { text { fill: #9da7b3 } .title { fill: #e6edf3 } }
      </style>
      """;

  private final List<Curve> curves;
  private final double seconds;
  private final double rate;

  private RatePlot(List<Curve> curves) {
    this.curves = curves;
    this.seconds = roundedUp(curves.stream().mapToDouble(RatePlot::lasts).max().orElse(1));
    this.rate =
        roundedUp(
            curves.stream()
                .flatMap(curve -> curve.rates().stream())
                .mapToDouble(Double::doubleValue)
                .max()
                .orElse(1));
  }

  /**
   * @param curves at most {@code 4}, each with at least one window
   * @return a whole document
   */
  public static String svg(String title, List<Curve> curves) {
    if (curves.isEmpty() || curves.size() > COLOURS.size()) {
      throw new IllegalArgumentException(
          "1 to " + COLOURS.size() + " curves, not " + curves.size());
    }
    return new RatePlot(curves).draw(title);
  }

  private String draw(String title) {
    int height = LEGEND + LEGEND_LINE * curves.size();
    StringBuilder svg = new StringBuilder();
    svg.append(
        format(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\""
                + " height=\"%d\" role=\"img\">\n<title>%s</title>\n",
            WIDTH, height, WIDTH, height, escape(title)));
    svg.append(STYLE);
    svg.append(text(LEFT, 24, "start", " class=\"title\"", title));
    axes(svg);
    for (int i = 0; i < curves.size(); i++) {
      line(svg, i);
    }
    return svg.append("</svg>\n").toString();
  }

  private void axes(StringBuilder svg) {
    for (int i = 0; i <= TICKS; i++) {
      double share = (double) i / TICKS;
      double y = BOTTOM - share * (BOTTOM - TOP);
      double x = LEFT + share * (RIGHT - LEFT);
      svg.append(
          format(
              "<line class=\"grid\" x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\"/>\n",
              LEFT, y, RIGHT, y));
      svg.append(text(LEFT - 8, y + 4, "end", "", format("%,.0f", share * rate)));
      svg.append(
          text(
              x,
              BOTTOM + 18,
              "middle",
              "",
              format(seconds < 50 ? "%.1f" : "%.0f", share * seconds)));
    }
    svg.append(text(LEFT, TOP - 10, "end", "", "tickets/s"));
    svg.append(text(RIGHT, BOTTOM + 34, "end", "", "seconds"));
  }

  private void line(StringBuilder svg, int index) {
    Curve curve = curves.get(index);
    String stroke =
        format(
            "class=\"line\" stroke=\"%s\" stroke-dasharray=\"%s\"",
            COLOURS.get(index), DASHES.get(index));
    svg.append(format("<polyline %s points=\"%s\"/>\n", stroke, points(curve)));
    int y = LEGEND + index * LEGEND_LINE;
    svg.append(format("<path %s d=\"M%d %d h40\"/>\n", stroke, LEFT, y));
    String label = format("%s, windows of %,d tickets", curve.label(), curve.tickets());
    svg.append(text(LEFT + 50, y + 4, "start", "", label));
  }

  /** Returns each window's rate at the middle of its time. */
  private String points(Curve curve) {
    List<String> points = new ArrayList<>();
    double begin = 0;
    for (double each : curve.rates()) {
      double took = curve.tickets() / each;
      double x = LEFT + (begin + took / 2) / seconds * (RIGHT - LEFT);
      double y = BOTTOM - each / rate * (BOTTOM - TOP);
      points.add(format("%.1f,%.1f", x, y));
      begin += took;
    }
    return String.join(" ", points);
  }

  private static double lasts(Curve curve) {
    return curve.rates().stream().mapToDouble(each -> curve.tickets() / each).sum();
  }

  /** Returns the next round number, with one digit or two. */
  static double roundedUp(double value) {
    double power = Math.pow(10, Math.floor(Math.log10(value)));
    for (double step : ROUND) {
      if (value <= step * power) {
        return step * power;
      }
    }
    return 10 * power;
  }

  private static String text(double x, double y, String anchor, String more, String content) {
    return format(
        "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\"%s>%s</text>\n",
        x, y, anchor, more, escape(content));
  }

  private static String escape(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
  }

  private static String format(String format, Object... values) {
    return String.format(Locale.ROOT, format, values);
  }
}
