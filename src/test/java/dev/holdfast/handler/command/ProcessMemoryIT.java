package dev.holdfast.handler.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.worker.HandlerResult;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;

@DisplayName("Command handler: programs that print much")
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@ResourceLock(Resources.GLOBAL) // it measures the memory of the process
class ProcessMemoryIT {
  @Test
  @DisplayName("100 MB on stdout and on stderr do not grow the heap, and the result is still found")
  void printsMuch(@TempDir Path temp) throws Exception {
    CommandTickets tickets = new CommandTickets(temp.resolve("workspaces"));
    var pools = ManagementFactory.getMemoryPoolMXBeans();
    System.gc();
    long before = 0;
    for (var pool : pools) {
      pool.resetPeakUsage();
      before += pool.getUsage().getUsed();
    }

    HandlerResult.Succeeded done =
        tickets.succeed(
            "head -c 100000000 /dev/zero >&2 & head -c 100000000 /dev/zero | tr '\\0' x; wait;"
                + " echo; echo '{\"ok\": 1}'");

    long peak = pools.stream().mapToLong(pool -> pool.getPeakUsage().getUsed()).sum();
    assertThat(done.result()).isEqualTo("{\"ok\":1}");
    assertThat(peak - before).isLessThan(50_000_000);
  }
}
