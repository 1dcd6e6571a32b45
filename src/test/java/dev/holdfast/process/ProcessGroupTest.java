package dev.holdfast.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

@Order(1) // it waits long
@EnabledOnOs(OS.LINUX)
class ProcessGroupTest {
  private interface Way {
    void kill(long number) throws IOException;
  }

  private static void check(Way way) throws Exception {
    // Java closes its end of stdout with the leader's: that the child is gone is not seen there.
    Process leader =
        new ProcessBuilder("setsid", "sh", "-c", "trap '' TERM; sleep 1000 & echo $!; wait")
            .start();
    try {
      long child = Long.parseLong(leader.inputReader().readLine());
      ProcessHandle other = ProcessHandle.of(child).orElseThrow();

      way.kill(leader.pid());

      assertThat(leader.waitFor(Duration.ofSeconds(20))).isTrue();
      assertThat(other.onExit()).as("the child").succeedsWithin(Duration.ofSeconds(20));
      assertThat(leader.exitValue()).isEqualTo(128 + 9);
      way.kill(child); // no group has that number
    } finally {
      leader.descendants().forEach(ProcessHandle::destroyForcibly);
      leader.destroyForcibly();
    }
  }

  @Test
  @DisplayName("A group of processes is killed by a call, where that is allowed")
  void call() throws Exception {
    assertThat(ProcessGroup.class.getModule().isNativeAccessEnabled()).isTrue();
    check(ProcessGroup::kill);
  }

  @Test
  @DisplayName("A group of processes is killed by a program, where calls of C are not allowed")
  void program() throws Exception {
    check(ProcessGroup::killByProgram);
  }
}
