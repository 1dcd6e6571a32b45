package dev.holdfast.tool.sandbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.holdfast.tool.sandbox.SandboxProbe.Found;
import dev.holdfast.tool.sandbox.SandboxProbe.Works;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;

/** Alone: the sockets that it makes would hinder the programs that tests beside it confine. */
@Timeout(120)
@ResourceLock(Resources.GLOBAL)
class SandboxProbeTest {
  /** Sockets of others that come and go, where a sandbox would hide them. */
  private static Callable<Integer> neighbour(Path directory, int number, AtomicBoolean enough) {
    return () -> {
      int made = 0;
      while (!enough.get()) {
        Path socket = directory.resolve(number + "-" + made);
        try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
          server.bind(UnixDomainSocketAddress.of(socket));
        } finally {
          Files.deleteIfExists(socket);
        }
        made++;
      }
      return made;
    };
  }

  @Test
  @DisplayName(
      "what the probe finds does not hang on the sockets of other programs, which come and go")
  void neighbours() throws Exception {
    Found calm = SandboxProbe.run(System.getenv());
    assumeTrue(calm instanceof Works, "bubblewrap is installed and works");
    Path directory = Files.createTempDirectory(Path.of("target").toAbsolutePath(), "s");
    AtomicBoolean enough = new AtomicBoolean();
    List<Future<Integer>> neighbours = new ArrayList<>();
    try (ExecutorService threads = Executors.newCachedThreadPool()) {
      for (int i = 0; i < 4; i++) {
        neighbours.add(threads.submit(neighbour(directory, i, enough)));
      }
      try {
        for (int i = 0; i < 10; i++) {
          assertThat(SandboxProbe.run(System.getenv())).isEqualTo(calm);
        }
      } finally {
        enough.set(true);
      }
      for (Future<Integer> each : neighbours) {
        assertThat(each.get()).isPositive();
      }
    } finally {
      Files.delete(directory);
    }
  }
}
