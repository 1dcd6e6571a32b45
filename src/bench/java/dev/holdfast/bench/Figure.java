package dev.holdfast.bench;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One measured thing.
 *
 * @param name what was measured
 * @param unit for example "tickets/s"
 * @param value Holdfast's
 * @param references the values it is compared with, each taken in the same rounds
 * @param bar null if nothing is expected
 * @param outcome of the median against the bar
 * @param notes what else a reader should know, each one line
 */
public record Figure(
    String name,
    String unit,
    Series value,
    List<Reference> references,
    @Nullable Bar bar,
    Bar.Outcome outcome,
    List<String> notes) {

  /**
   * Something else that was measured in the same rounds.
   *
   * @param ratio Holdfast's value over this one
   */
  public record Reference(String name, Series value, Series ratio) {}

  public Figure {
    references = List.copyOf(references);
    notes = List.copyOf(notes);
  }

  static Figure of(String name, String unit, List<Double> rounds) {
    return new Figure(name, unit, Series.of(rounds), List.of(), null, Bar.Outcome.NONE, List.of());
  }

  Figure beside(String reference, List<Double> rounds) {
    Series other = Series.of(rounds);
    List<Reference> more = new ArrayList<>(references);
    more.add(new Reference(reference, other, value.over(other)));
    return new Figure(name, unit, value, more, bar, outcome, notes);
  }

  Figure judgedBy(Bar newBar, BenchOptions options) {
    double judged =
        newBar.of().isEmpty() ? value.median() : reference(newBar.of()).ratio().median();
    Bar.Outcome newOutcome = options.quick() ? Bar.Outcome.NONE : newBar.judge(judged);
    return new Figure(name, unit, value, references, newBar, newOutcome, notes);
  }

  Figure noting(String note) {
    List<String> more = new ArrayList<>(notes);
    more.add(note);
    return new Figure(name, unit, value, references, bar, outcome, more);
  }

  private Reference reference(String wanted) {
    return references.stream()
        .filter(each -> each.name().equals(wanted))
        .findFirst()
        .orElseThrow(() -> new IllegalStateException(name + " was not set beside " + wanted));
  }
}
