package dev.holdfast.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

@EnabledOnOs(OS.LINUX)
class UnheardProgramTest {
  private static OwnSession session() throws Exception {
    Map<String, String> environment =
        Map.of("PATH", "/usr/bin:/bin", ProgramRun.RUN_ID, UUID.randomUUID().toString());
    return OwnSession.of(List.of("sh", "-c", "sleep 100 & echo; wait"), Path.of("/"), environment);
  }

  @Test
  @DisplayName("a program of which only its run is known is killed with what it started; no other")
  void killed() throws Exception {
    OwnSession session = session();
    Process program = session.start();
    Process other = session().start();
    assertThat(program.getInputStream().read()).as("it has started its own").isEqualTo('\n');
    ProcessHandle child = program.children().findFirst().orElseThrow();

    UnheardProgram.end(session);

    assertThat(program.waitFor(Duration.ofSeconds(30))).isTrue();
    await().until(() -> !child.isAlive());
    assertThat(other.isAlive()).isTrue();
    other.descendants().forEach(ProcessHandle::destroyForcibly);
    other.destroyForcibly();
  }
}
