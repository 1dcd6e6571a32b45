package dev.holdfast.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import dev.holdfast.testing.LogLines;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

@EnabledOnOs(OS.LINUX)
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ManyStopsIT {
  private static final int PROGRAMS = 300;
  private static final String STUBBORN =
      "trap '' TERM; sleep 1000 & echo $! > $NAME.child; echo $$ > $NAME.leader; wait";

  @TempDir private Path temp;
  private final Set<String> leftRunning = ConcurrentHashMap.newKeySet();

  @Test
  @DisplayName(
      "Hundreds of programs that do not heed SIGTERM are stopped at once within seconds, and nobody"
          + " is told that one has ended before it has")
  void many() throws Exception {
    List<Thread> stoppers = new ArrayList<>();
    long started = System.nanoTime();
    try (LogLines log = new LogLines(ProcessTree.class)) {
      for (int i = 0; i < PROGRAMS; i++) {
        String name = "program-" + i;
        stoppers.add(Thread.startVirtualThread(() -> run(name)));
      }
      await().atMost(Duration.ofMinutes(5)).until(() -> files().size() == 2 * PROGRAMS);

      long begun = System.nanoTime();
      // A machine that is slow to start them is slow to stop them.
      Duration limit = Duration.ofSeconds(20).plusNanos(begun - started);
      stoppers.forEach(Thread::interrupt);
      for (Thread stopper : stoppers) {
        stopper.join();
      }
      assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(limit);
      assertThat(log.of(Level.WARN)).isEmpty();
    } finally {
      for (Path file : files()) {
        ProcessHandle.of(pid(file)).ifPresent(ProcessHandle::destroyForcibly);
      }
    }
    assertThat(leftRunning).isEmpty();
  }

  private void run(String name) {
    Map<String, String> environment =
        Map.of(
            "PATH",
            System.getenv("PATH"),
            "NAME",
            name,
            ProgramRun.RUN_ID,
            UUID.randomUUID().toString());
    try (ProgramRun run =
        ProgramRun.start(
            List.of("sh", "-c", STUBBORN), temp, environment, "", OutputLimits.merged(0, 1024))) {
      run.await(Duration.ofMinutes(5), Duration.ofSeconds(2));
    } catch (InterruptedException e) {
      for (String part : List.of(".leader", ".child")) {
        if (isAlive(pid(temp.resolve(name + part)))) {
          leftRunning.add(name + part);
        }
      }
    } catch (IOException e) {
      leftRunning.add(name + ": " + e);
    }
  }

  private List<Path> files() throws IOException {
    List<Path> files = new ArrayList<>();
    try (var all = Files.list(temp)) {
      for (Path file : all.toList()) {
        if (Files.size(file) > 0) {
          files.add(file);
        }
      }
    }
    return files;
  }

  private static long pid(Path file) {
    try {
      return Long.parseLong(Files.readString(file).strip());
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  /** A zombie, which nobody has waited for yet, is not alive. */
  private static boolean isAlive(long pid) {
    try {
      String stat = Files.readString(Path.of("/proc/" + pid + "/stat"));
      return !stat.substring(stat.lastIndexOf(')') + 2).startsWith("Z");
    } catch (IOException e) {
      return false;
    }
  }
}
