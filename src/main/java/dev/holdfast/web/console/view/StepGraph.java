package dev.holdfast.web.console.view;

import dev.holdfast.queue.read.StepRow;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The steps of a workflow as a picture: a column for each level, and lines from each step to those
 * that wait for it.
 *
 * @param begun the names of the steps that can be worked again
 */
public record StepGraph(
    List<Node> nodes, List<String> lines, List<String> begun, int width, int height) {
  /** The width of a node, for the template. */
  public static final int NODE_WIDTH = 170;

  public static final int NODE_HEIGHT = 44;
  private static final int COLUMN = NODE_WIDTH + 50;
  private static final int ROW = NODE_HEIGHT + 18;
  private static final int EDGE = 8;
  private static final int SHOWN_NAME = 22;
  private static final int SHOWN_WORDS = 28;

  /**
   * A step.
   *
   * @param ticket where its link leads; null before it begins
   */
  public record Node(
      int x, int y, String name, String state, String words, @Nullable Long ticket, String label) {}

  public StepGraph {
    nodes = List.copyOf(nodes);
    lines = List.copyOf(lines);
    begun = List.copyOf(begun);
  }

  public static StepGraph of(List<StepRow> steps) {
    Map<String, Integer> levels = StepRow.levels(steps);
    Map<Integer, Integer> filled = new HashMap<>();
    Map<String, Node> nodes = new HashMap<>();
    List<Node> all = new ArrayList<>();
    int columns = 0;
    int rows = 0;
    for (StepRow each : steps) {
      int column = levels.getOrDefault(each.step(), 0);
      int row = filled.merge(column, 1, Integer::sum) - 1;
      Node node = node(each, EDGE + column * COLUMN, EDGE + row * ROW);
      nodes.put(each.step(), node);
      all.add(node);
      columns = Math.max(columns, column + 1);
      rows = Math.max(rows, row + 1);
    }
    List<String> lines = new ArrayList<>();
    for (StepRow each : steps) {
      for (String before : each.after()) {
        Node from = nodes.get(before);
        Node to = nodes.get(each.step());
        if (from != null && to != null) {
          lines.add(line(from, to));
        }
      }
    }
    List<String> begun =
        steps.stream().filter(each -> !each.state().equals("waiting")).map(StepRow::step).toList();
    return new StepGraph(
        all, lines, begun, columns * COLUMN - 50 + 2 * EDGE, rows * ROW - 18 + 2 * EDGE);
  }

  private static Node node(StepRow step, int x, int y) {
    Long held = step.firstHeldId();
    return new Node(
        x,
        y,
        cut(step.step(), SHOWN_NAME),
        step.state(),
        cut(step.words(), SHOWN_WORDS),
        held == null ? step.firstTicketId() : held,
        step.step() + ": " + step.words());
  }

  private static String cut(String text, int longest) {
    return text.length() <= longest ? text : text.substring(0, longest - 1) + "…";
  }

  private static String line(Node from, Node to) {
    int fromX = from.x() + NODE_WIDTH;
    int fromY = from.y() + NODE_HEIGHT / 2;
    int toY = to.y() + NODE_HEIGHT / 2;
    int middle = (fromX + to.x()) / 2;
    return String.format(
        Locale.ROOT,
        "M%d %d C%d %d %d %d %d %d",
        fromX,
        fromY,
        middle,
        fromY,
        middle,
        toY,
        to.x(),
        toY);
  }
}
