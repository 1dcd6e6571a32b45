package dev.holdfast.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.testing.AtOnce;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

@EnabledOnOs(OS.LINUX)
class ProcessTablesTest {
  private static final int THREADS = 40;
  private static final int LOOKS = 50;

  private final ProcessTables tables = new ProcessTables();

  @Test
  @DisplayName(
      "of many who look at once, each sees what is as old as they ask for, however late their"
          + " thread goes on")
  void manyLook() throws Exception {
    Process program = new ProcessBuilder("sleep", "1000").start();
    try {
      long start = ProcessTable.startOf(program.pid());
      List<Callable<Long>> lookers = new ArrayList<>();
      for (int i = 0; i < THREADS; i++) {
        // Every second one asks for nothing as old.
        long since = i % 2 == 0 ? start : start + 1;
        lookers.add(() -> looksWithout(program.pid(), since));
      }
      List<Long> without = AtOnce.run(lookers);
      for (int i = 0; i < THREADS; i += 2) {
        assertThat(without.get(i)).isZero();
      }
    } finally {
      program.destroyForcibly();
    }
  }

  private long looksWithout(long pid, long since) throws Exception {
    long session = Objects.requireNonNull(ProcessTable.stat(pid)).session();
    long missed = 0;
    for (int i = 0; i < LOOKS; i++) {
      boolean found =
          tables.look(since).members(session, "none", since, Optional.empty()).stream()
              .anyMatch(each -> each.pid() == pid);
      missed += found ? 0 : 1;
    }
    return missed;
  }
}
