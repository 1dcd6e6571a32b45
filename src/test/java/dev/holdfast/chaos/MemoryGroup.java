package dev.holdfast.chaos;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.awaitility.Awaitility;

/**
 * A control group of the kernel's with little memory, for one worker and a neighbour that uses up
 * all of it. The kernel then kills the worker, as it does with the largest process. Needs root.
 */
final class MemoryGroup implements AutoCloseable {
  private static final Path ROOT = Path.of("/sys/fs/cgroup");
  private static final Path OLD = ROOT.resolve("memory");
  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final long BYTES = 256L << 20;

  /** Without a line's end {@code tail} keeps all that it reads. */
  private static final String GLUTTON =
      "echo $$ > '%s/cgroup.procs' && head -c 2G /dev/zero | tail > /dev/null";

  private final Path group;

  private MemoryGroup(Path group) {
    this.group = group;
  }

  static MemoryGroup of(long pid) throws IOException {
    boolean old = Files.exists(OLD.resolve("memory.limit_in_bytes"));
    Path group = (old ? OLD : ROOT).resolve("holdfast-chaos-" + pid);
    try {
      if (!old) {
        Files.writeString(ROOT.resolve("cgroup.subtree_control"), "+memory");
      }
      Files.createDirectory(group);
      Files.writeString(group.resolve(old ? "memory.limit_in_bytes" : "memory.max"), "" + BYTES);
      Files.writeString(group.resolve("cgroup.procs"), "" + pid);
      Files.writeString(Path.of("/proc/" + pid + "/oom_score_adj"), "1000");
    } catch (IOException e) {
      assumeTrue(false, "no control group for memory can be made here: " + e);
    }
    return new MemoryGroup(group);
  }

  /** Returns when the kernel has killed somebody for it. */
  void exhaust() throws IOException, InterruptedException {
    Process glutton = new ProcessBuilder("/bin/sh", "-c", GLUTTON.formatted(group)).start();
    try {
      Awaitility.await("the kernel kills for want of memory in " + group)
          .atMost(PATIENCE)
          .until(() -> kills() > 0);
    } finally {
      glutton.descendants().forEach(ProcessHandle::destroyForcibly);
      glutton.destroyForcibly().waitFor();
    }
  }

  private long kills() throws IOException {
    Path events = group.resolve("memory.events");
    return Files.readAllLines(Files.exists(events) ? events : group.resolve("memory.oom_control"))
        .stream()
        .filter(line -> line.startsWith("oom_kill "))
        .mapToLong(line -> Long.parseLong(line.substring("oom_kill ".length())))
        .sum();
  }

  /** Its jobs may outlive the worker for a while. */
  @Override
  public void close() {
    Awaitility.await("the group is empty")
        .atMost(PATIENCE)
        .ignoreExceptionsInstanceOf(IOException.class)
        .until(() -> Files.deleteIfExists(group) || !Files.exists(group));
  }
}
