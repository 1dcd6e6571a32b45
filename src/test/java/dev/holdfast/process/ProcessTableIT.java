package dev.holdfast.process;

import static org.assertj.core.api.Assertions.assertThatCode;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

@EnabledOnOs(OS.LINUX)
class ProcessTableIT {
  /** One look in four thousand meets a process on its way out. */
  private static final int LOOKS = 20_000;

  @Test
  @DisplayName("a process that ends while it is looked at is none, and no fault of the table")
  void endsMeanwhile() throws IOException {
    Process starter = new ProcessBuilder("/bin/sh", "-c", "while :; do /bin/true; done").start();
    try {
      assertThatCode(
              () -> {
                for (int i = 0; i < LOOKS; i++) {
                  ProcessTable.stat(newest());
                }
              })
          .doesNotThrowAnyException();
    } finally {
      starter.destroyForcibly();
    }
  }

  private static long newest() throws IOException {
    String load = Files.readString(Path.of("/proc/loadavg")).strip();
    return Long.parseLong(load.substring(load.lastIndexOf(' ') + 1));
  }
}
