package dev.holdfast.web.console.view;

import com.github.difflib.DiffUtils;
import com.github.difflib.algorithm.myers.MyersDiffWithLinearSpace;
import com.github.difflib.patch.AbstractDelta;
import com.github.difflib.patch.DeltaType;
import java.util.ArrayList;
import java.util.List;

/**
 * Finds the difference between two short texts, line by line. Removed lines stand before added
 * ones.
 */
public final class LineChanges {
  private static final int MOST_LINES = 2_000;

  private final List<Diff.Line> lines = new ArrayList<>();
  private final List<String> removed = new ArrayList<>();
  private final List<String> added = new ArrayList<>();

  private LineChanges() {}

  /**
   * Returns the fewest changes. Texts of more lines than the limit are shown one after the other.
   */
  public static List<Diff.Line> between(String before, String after) {
    List<String> old = before.lines().toList();
    List<String> now = after.lines().toList();
    LineChanges changes = new LineChanges();
    if (old.size() > MOST_LINES || now.size() > MOST_LINES) {
      changes.removed.addAll(old);
      changes.added.addAll(now);
    } else {
      DiffUtils.diff(old, now, new MyersDiffWithLinearSpace<>(), null, true)
          .getDeltas()
          .forEach(changes::take);
    }
    changes.flush();
    return ChangedParts.marked(changes.lines);
  }

  /** Takes one change. Changes in one place may come as several, in any order. */
  private void take(AbstractDelta<String> delta) {
    if (delta.getType() == DeltaType.EQUAL) {
      flush();
      add(Diff.Kind.SAME, " ", delta.getSource().getLines());
    } else {
      removed.addAll(delta.getSource().getLines());
      added.addAll(delta.getTarget().getLines());
    }
  }

  private void flush() {
    add(Diff.Kind.REMOVED, "-", removed);
    add(Diff.Kind.ADDED, "+", added);
    removed.clear();
    added.clear();
  }

  private void add(Diff.Kind kind, String sign, List<String> texts) {
    texts.forEach(text -> lines.add(new Diff.Line(kind, sign + text)));
  }
}
