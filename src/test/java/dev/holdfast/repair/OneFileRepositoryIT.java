package dev.holdfast.repair;

import static dev.holdfast.repair.Bench.NO_DIFF;
import static dev.holdfast.repair.Bench.change;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.repair.git.TicketRepository;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What the tests of the loop stand on answers as git and a check that runs. */
@Timeout(120)
class OneFileRepositoryIT {
  private static final String CONTENT = "bad 0\n";

  @TempDir private Path directory;
  private final RepairRepository stand = new OneFileRepository(CONTENT);
  private TicketRepository repository;
  private RepairRepository real;

  @BeforeEach
  void open() throws Exception {
    repository = OneFileProject.in(directory, CONTENT).open("one");
    real = OneFileProject.workbench(repository);
  }

  @AfterEach
  void close() throws Exception {
    repository.close();
  }

  /** What the loop decides by, of a verified state; signatures only by whether they are equal. */
  private record State(
      boolean passed, boolean failsAsBefore, long failures, boolean namesChecks, boolean flaky) {
    static State of(Verified verified, Verified before) {
      return new State(
          verified.passed(),
          verified.signature().equals(before.signature()),
          verified.failures(),
          !verified.failing().isEmpty(),
          verified.flaky());
    }
  }

  /** What the loop decides by, of a trial. */
  private record Seen(String outcome, int lines, List<String> files, List<State> states) {
    static Seen of(Trial trial, Verified before) {
      return switch (trial) {
        case Trial.Applied applied ->
            new Seen(
                "applied",
                applied.lines(),
                applied.files(),
                List.of(State.of(applied.verified(), before)));
        case Trial.Refused refused -> new Seen("refused", 0, List.of(), List.of());
        case Trial.NoOp none -> new Seen("no op", 0, List.of(), List.of());
        case Trial.NoDiff none -> new Seen("no diff", 0, List.of(), List.of());
      };
    }
  }

  private static List<Seen> seen(RepairRepository bench, List<String> outputs) throws Exception {
    Verified before = bench.verify(bench.baseTree());
    List<Seen> seen = new ArrayList<>();
    for (String output : outputs) {
      seen.add(Seen.of(bench.attempt(bench.baseTree(), output, 0), before));
    }
    return seen;
  }

  @Test
  @DisplayName("whatever the scripts say has the same outcome, size, files and state on both")
  void trials() throws Exception {
    List<String> outputs =
        List.of(
            change("bad 0", "bad 1"),
            change("bad 0", "a 1"),
            change("bad 0", "good 1"),
            change("bad 0", "good 1\nmore\nlines"),
            change("nowhere", "x"),
            change("bad 0", "bad 0"),
            NO_DIFF);
    List<Seen> seen = seen(real, outputs);
    assertThat(seen).extracting(Seen::outcome).contains("applied", "refused", "no op", "no diff");
    assertThat(seen(stand, outputs)).isEqualTo(seen);
    for (String output : outputs) {
      assertThat(stand.invalidity(stand.baseTree(), output, 0).isPresent())
          .as(output)
          .isEqualTo(real.invalidity(real.baseTree(), output, 0).isPresent());
    }
  }

  @Test
  @DisplayName("on a state that a trial has made, the next one finds what it has changed")
  void chain() throws Exception {
    for (RepairRepository bench : List.of(stand, real)) {
      Verified before = bench.verify(bench.baseTree());
      Trial.Applied first = applied(bench, bench.baseTree(), change("bad 0", "a 1"));
      assertThat(first.tree().diff()).contains("+a 1");
      assertThat(first.verified().output()).contains("wrong: a");
      assertThat(first.verified().isWorthKeepingOver(before)).isTrue();
      assertThat(bench.verify(first.tree())).isEqualTo(first.verified());
      assertThat(bench.sources(first.tree()).files()).contains("value.txt");
      assertThat(bench.sources(first.tree()).text("value.txt")).contains("a 1\n");
      assertThat(bench.attempt(first.tree(), change("bad 0", "good 2"), 0))
          .isInstanceOf(Trial.Refused.class);
      Trial.Applied second = applied(bench, first.tree(), change("a 1", "good 2"));
      assertThat(second.verified().passed()).isTrue();
      assertThat(bench.commit(second.tree(), "m", Instant.EPOCH).branch())
          .isEqualTo("holdfast/ticket-17");
    }
  }

  @Test
  @DisplayName("the same patch that does not apply has the same hash, another one another hash")
  void errorHashes() throws Exception {
    for (RepairRepository bench : List.of(stand, real)) {
      String nowhere = hash(bench, change("nowhere", "x"));
      assertThat(hash(bench, change("nowhere", "x"))).isEqualTo(nowhere);
      assertThat(hash(bench, change("elsewhere", "x"))).isNotEqualTo(nowhere);
    }
  }

  private static Trial.Applied applied(RepairRepository bench, Tree tree, String output)
      throws Exception {
    return (Trial.Applied) bench.attempt(tree, output, 0);
  }

  private static String hash(RepairRepository bench, String output) throws Exception {
    return ((Trial.Refused) bench.attempt(bench.baseTree(), output, 0)).errorHash();
  }
}
