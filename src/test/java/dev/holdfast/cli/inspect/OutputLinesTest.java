package dev.holdfast.cli.inspect;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.queue.output.AttemptOutput;
import dev.holdfast.queue.output.OutputChunk;
import dev.holdfast.queue.read.TimelineEntry;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class OutputLinesTest {
  private Optional<AttemptOutput> newest = Optional.empty();
  private final OutputLines lines = new OutputLines(() -> newest, 1, InstantSource.system());

  private List<String> look(long lease, boolean running, String stdout) {
    OutputChunk chunk =
        new OutputChunk(1, lease, OutputChunk.STDOUT, 0, stdout.length(), 1, stdout);
    newest = Optional.of(new AttemptOutput(1, 1, lease, running, List.of(chunk)));
    return lines.next().stream().map(TimelineEntry::details).toList();
  }

  @Test
  @DisplayName("22.6: watch holds half a line back until the end of an ended attempt is written")
  void halfLine() {
    assertThat(look(1, true, "one\nworking with ")).containsExactly("{\"text\":\"one\"}");
    assertThat(look(1, false, "one\nworking with ")).isEmpty();
    assertThat(look(1, false, "one\nworking with it now\nbye"))
        .containsExactly("{\"text\":\"working with it now\"}");
    assertThat(look(1, false, "one\nworking with it now\nbye")).isEmpty();
    assertThat(look(1, false, "one\nworking with it now\nbye")).isEmpty();
    assertThat(look(1, false, "one\nworking with it now\nbye"))
        .containsExactly("{\"text\":\"bye\"}");
    assertThat(look(1, false, "one\nworking with it now\nbye")).isEmpty();
  }

  @Test
  @DisplayName("22.6: watch does not join the half line of an attempt with the next attempt's")
  void nextAttempt() {
    assertThat(look(1, true, "cut")).isEmpty();
    assertThat(look(2, true, "again\n"))
        .containsExactly("{\"text\":\"cut\"}", "{\"text\":\"again\"}");
  }

  @Test
  @DisplayName("22.6: watch shows an attempt shorter than a look, but none that ended before it")
  void shortAttempt() {
    assertThat(look(1, false, "old\n")).isEmpty();
    assertThat(look(2, false, "quick\n")).containsExactly("{\"text\":\"quick\"}");
  }
}
