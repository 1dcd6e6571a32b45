package dev.holdfast.protocol;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** Leaves out steps for as long as something still goes wrong. */
final class Shrinking {
  private Shrinking() {}

  /**
   * @param run the trace of what goes wrong, with one line for each thing done and the reason at
   *     its end; empty if nothing does
   * @return the shortest trace that was found
   */
  static List<String> shortest(List<Step> steps, Function<List<Step>, List<String>> run) {
    List<Step> kept = steps;
    List<String> trace = run.apply(kept);
    for (int size = Math.max(1, kept.size() / 2); size >= 1; size /= 2) {
      for (int from = 0; from + size <= kept.size(); ) {
        List<Step> fewer = new ArrayList<>(kept.subList(0, from));
        fewer.addAll(kept.subList(from + size, kept.size()));
        List<String> shorter = run.apply(fewer);
        if (shorter.isEmpty()) {
          from += size;
        } else {
          kept = fewer;
          trace = shorter;
        }
      }
    }
    return trace;
  }
}
