package dev.holdfast.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

@EnabledOnOs(OS.LINUX)
@DisplayName("Programs that killed workers have left running")
class LeftProgramsTest {
  private final List<Process> started = new ArrayList<>();

  @AfterEach
  void end() {
    started.forEach(each -> each.descendants().forEach(ProcessHandle::destroyForcibly));
    started.forEach(Process::destroyForcibly);
  }

  private Process program(String runId, String script) throws Exception {
    Process program =
        OwnSession.of(
                List.of("sh", "-c", script),
                Path.of("/"),
                Map.of("PATH", "/usr/bin:/bin", ProgramRun.RUN_ID, runId))
            .start();
    started.add(program);
    program.getInputStream().read(); // It has begun.
    return program;
  }

  private static String runOf(long worker, long workerStart) {
    return worker + ":" + workerStart + ":" + UUID.randomUUID();
  }

  @Test
  @DisplayName("end with what they started; those of living workers and of nobody known go on")
  void onlyOfTheDead() throws Exception {
    long self = ProcessHandle.current().pid();
    Process dead = new ProcessBuilder("sleep", "100").start();
    long deadSince = ProcessTable.startOf(dead.pid());
    Process own = program(RunId.next(), "echo; sleep 100");
    Process strange = program(UUID.randomUUID().toString(), "echo; sleep 100");
    Process ofLiving = program(runOf(dead.pid(), deadSince), "echo; sleep 100");
    Process ofOlder = program(runOf(self, 1), "setsid sleep 100 & echo; wait");
    ProcessHandle child = ofOlder.children().findFirst().orElseThrow();

    LeftPrograms.end(Duration.ofSeconds(30));

    assertThat(ofOlder.waitFor(30, TimeUnit.SECONDS)).isTrue();
    await().until(() -> !child.isAlive()); // It is dead, and nobody may have heard of it yet.
    assertThat(List.of(own, strange, ofLiving)).allMatch(Process::isAlive);

    dead.destroyForcibly().waitFor();
    LeftPrograms.end(Duration.ofSeconds(30));

    assertThat(ofLiving.waitFor(30, TimeUnit.SECONDS)).isTrue();
    assertThat(List.of(own, strange)).allMatch(Process::isAlive);
  }

  @Test
  @DisplayName("have the time to tidy up, and are killed where they do not end")
  void asked() throws Exception {
    Process tidy = program(runOf(1, 1), "trap 'exit 3' TERM; echo; sleep 100 & wait");

    LeftPrograms.end(Duration.ofSeconds(30));

    assertThat(tidy.waitFor()).isEqualTo(3);

    Process stubborn = program(runOf(1, 1), "trap '' TERM; echo; sleep 100");

    LeftPrograms.end(Duration.ofMillis(100));

    assertThat(stubborn.waitFor()).isEqualTo(128 + 9);
  }
}
