package dev.holdfast.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.bench.CellResult.Curve;
import java.io.StringReader;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.InputSource;

class RatePlotTest {
  private static final Curve STEADY = new Curve("steady", 100, List.of(100.0, 100.0, 100.0, 100.0));
  private static final Curve FALLING = new Curve("a < b & c", 100, List.of(200.0, 100.0, 50.0));

  private static Element parse(String svg) throws Exception {
    DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
    return factory
        .newDocumentBuilder()
        .parse(new InputSource(new StringReader(svg)))
        .getDocumentElement();
  }

  private static List<List<Double>> points(Element svg, int line) {
    NodeList lines = svg.getElementsByTagName("polyline");
    String points = ((Element) lines.item(line)).getAttribute("points");
    return Arrays.stream(points.split(" "))
        .map(point -> Arrays.stream(point.split(",")).map(Double::valueOf).toList())
        .toList();
  }

  @Test
  @DisplayName("a window stands at the middle of its time, and as high as its rate")
  void scale() throws Exception {
    List<List<Double>> points = points(parse(RatePlot.svg("t", List.of(STEADY))), 0);
    // 4 seconds are the whole width, 100 tickets/s the whole height.
    assertThat(points)
        .containsExactly(
            List.of(153.8, 50.0), List.of(321.3, 50.0), List.of(488.8, 50.0), List.of(656.3, 50.0));
  }

  @Test
  @DisplayName("curves share their axes, and a slower window is wider and lower")
  void sharedAxes() throws Exception {
    Element svg = parse(RatePlot.svg("t", List.of(STEADY, FALLING)));
    assertThat(points(svg, 0)).allSatisfy(point -> assertThat(point.get(1)).isEqualTo(175));
    List<List<Double>> falling = points(svg, 1);
    assertThat(falling).extracting(List::getLast).containsExactly(50.0, 175.0, 237.5);
    assertThat(falling.get(2).getFirst() - falling.get(1).getFirst())
        .isGreaterThan(falling.get(1).getFirst() - falling.get(0).getFirst());
  }

  @Test
  @DisplayName("title and labels are text, whatever is in them")
  void text() throws Exception {
    Element svg = parse(RatePlot.svg("x < \"y\" & z", List.of(FALLING)));
    assertThat(svg.getElementsByTagName("title").item(0).getTextContent())
        .isEqualTo("x < \"y\" & z");
    assertThat(svg.getTextContent()).contains("a < b & c, windows of 100 tickets");
  }

  @Test
  @DisplayName("it can be read on a dark ground, and without telling colours apart")
  void legible() {
    String svg = RatePlot.svg("t", List.of(STEADY, FALLING));
    assertThat(svg).contains("prefers-color-scheme: dark").doesNotContain("<rect");
    assertThat(svg).containsOnlyOnce("<polyline class=\"line\" stroke=\"#2f7fd6\"");
    assertThat(svg).contains("stroke-dasharray=\"none\"").contains("stroke-dasharray=\"7 3\"");
  }

  @ParameterizedTest
  @CsvSource({"1, 1", "0.7, 0.8", "101, 150", "99.5, 100", "83000, 100000", "2.1, 2.5"})
  @DisplayName("axes end at round numbers")
  void roundedUp(double value, double expected) {
    assertThat(RatePlot.roundedUp(value)).isEqualTo(expected);
  }

  @Test
  @DisplayName("no curve, or more than can be told apart, is a mistake")
  void tooMany() {
    assertThatThrownBy(() -> RatePlot.svg("t", List.of()))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> RatePlot.svg("t", Collections.nCopies(5, STEADY)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("1 to 4 curves, not 5");
  }
}
