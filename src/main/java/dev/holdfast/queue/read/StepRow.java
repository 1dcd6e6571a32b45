package dev.holdfast.queue.read;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A step of a workflow, as in the view {@code workflow_steps}.
 *
 * @param state waiting, skipped, or the state of its ticket or of its tickets as a whole
 * @param design the design that works it; {@code human} for a person's step
 * @param after the steps it waits for
 * @param tickets how many it has; 0 before it begins
 */
public record StepRow(
    String step,
    String state,
    String design,
    List<String> after,
    long tickets,
    long done,
    long onHold,
    long inProgress,
    @Nullable Long firstTicketId,
    @Nullable Long firstHeldId) {
  public StepRow {
    after = List.copyOf(after);
  }

  /** Returns the level of each step by its name: the least number of steps that stand before it. */
  public static Map<String, Integer> levels(List<StepRow> steps) {
    Map<String, Integer> levels = new HashMap<>();
    // The loop runs as often as the longest path has steps; it ends even if steps wait in a circle.
    for (int i = 0; i < steps.size(); i++) {
      boolean moved = false;
      for (StepRow each : steps) {
        int level =
            each.after.stream()
                .mapToInt(before -> levels.getOrDefault(before, 0) + 1)
                .max()
                .orElse(0);
        moved |= !Integer.valueOf(level).equals(levels.put(each.step, level));
      }
      if (!moved) {
        break;
      }
    }
    return levels;
  }

  /** Sorts the steps: each comes after those it waits for. */
  public static List<StepRow> ordered(List<StepRow> steps) {
    Map<String, Integer> levels = levels(steps);
    List<StepRow> ordered = new ArrayList<>(steps);
    ordered.sort(
        Comparator.comparing((StepRow each) -> levels.getOrDefault(each.step, 0))
            .thenComparing(StepRow::step));
    return ordered;
  }

  /** Says its state in words, with how far its tickets are. */
  public String words() {
    String words = state.replace('_', ' ');
    if (tickets < 2) {
      return words;
    }
    return words
        + ", "
        + done
        + " of "
        + tickets
        + " done"
        + (onHold == 0 ? "" : ", " + onHold + " on hold");
  }
}
