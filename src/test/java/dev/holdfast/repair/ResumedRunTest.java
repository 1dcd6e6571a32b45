package dev.holdfast.repair;

import static dev.holdfast.repair.Bench.NO_DIFF;
import static dev.holdfast.repair.Bench.change;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.session.journal.InMemoryJournal;
import dev.holdfast.session.journal.Journal;
import dev.holdfast.session.journal.JournalEntry;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A run that is cut off behind each of its journal's entries goes on and pays for nothing twice.
 */
@Timeout(120)
class ResumedRunTest {
  /** Stands for kill -9: nothing of the process runs on behind it. */
  private static final class Killed extends Error {
    private static final long serialVersionUID = 1;
  }

  /** Kills its process when so many entries have been kept; no thread of it writes any more. */
  private record Mortal(InMemoryJournal kept, int[] left) implements Journal {
    @Override
    public void each(Consumer<JournalEntry> reader) {
      kept.each(reader);
    }

    @Override
    public synchronized void append(List<JournalEntry> entries) {
      if (--left[0] >= 0) {
        kept.append(entries);
      }
      if (left[0] <= 0) {
        throw new Killed();
      }
    }
  }

  /** L2, escalation, candidates with a diagnosis, and the smallest of two that pass. */
  private static Bench bench() {
    Bench bench = new Bench();
    bench.l3 = new RepairSettings.Candidates(1, true, true, 4);
    String broken = change("nowhere", "x");
    bench.model.repairs(
        broken,
        change("bad 0", "bad 1"),
        change("bad 0", "bad 1"),
        broken,
        broken,
        change("bad 0", "good 1"));
    bench.model.diagnoses("{\"hypotheses\": [{\"hypothesis\": \"h\", \"confidence\": 1}]}");
    return bench;
  }

  @Test
  @DisplayName(
      "E47, rule 8: killed behind every single entry, each run goes on to the same end, with every"
          + " answer paid for once and every event traced once")
  void everyEntry() throws Exception {
    Bench whole = bench();
    RunEnd expected = whole.run();
    int entries = whole.journal.entries().size();
    assertThat(expected.reason()).isEqualTo(EndReason.VERIFICATION_PASSED);
    assertThat(entries).isGreaterThan(15);
    for (int cut = 1; cut <= entries; cut++) {
      Bench first = bench();
      InMemoryJournal kept = new InMemoryJournal();
      first.journal = new Mortal(kept, new int[] {cut});
      boolean killed = false;
      try {
        first.run();
      } catch (Killed e) {
        killed = true;
      }
      assertThat(killed).as("killed behind entry %s", cut).isTrue();
      first.journal = kept;
      RunEnd end = RunHistory.of(17, kept.entries()).end();
      if (end == null) {
        end = first.run();
        assertThat(first.types()).as("cut behind entry %s", cut).isEqualTo(whole.types());
      }
      assertThat(end.tree()).as("cut behind entry %s", cut).isEqualTo(expected.tree());
      assertThat(end.spent().calls()).isEqualTo(expected.spent().calls());
      assertThat(first.model.calls())
          .as("calls, cut behind entry %s", cut)
          .isEqualTo(whole.model.calls());
    }
  }

  @Test
  @DisplayName(
      "three candidates, the worker killed with one of them journalled: the others are asked")
  void someCandidates() throws Exception {
    Bench bench = new Bench();
    bench.model.repairs(NO_DIFF, NO_DIFF, change("bad 0", "good 1"));
    InMemoryJournal kept = new InMemoryJournal();
    // start, verify, two iterations of two steps, the attempt's mark, one candidate
    bench.journal = new Mortal(kept, new int[] {8});
    try {
      bench.run();
    } catch (Killed e) {
      assertThat(kept.entries()).hasSize(8);
    }
    bench.journal = kept;
    assertThat(bench.run().reason()).isEqualTo(EndReason.VERIFICATION_PASSED);
    assertThat(bench.payloads("RunStarted")).hasSize(1);
    assertThat(bench.payloads("RunEscalated")).hasSize(1);
    assertThat(bench.payloads("CandidateGenerated")).hasSize(3);
  }
}
