package dev.holdfast.deployment;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Prometheus's own checker of rules, where it is installed. */
final class Promtool {
  private Promtool() {}

  static boolean isInstalled() {
    return Stream.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator))
        .anyMatch(directory -> Files.isExecutable(Path.of(directory, "promtool")));
  }

  /** What it found wrong; empty where every test of the file holds. */
  static String test(Path file) throws IOException, InterruptedException {
    Path output = Files.createTempFile("promtool", ".txt");
    try {
      Process process =
          new ProcessBuilder("promtool", "test", "rules", file.toAbsolutePath().toString())
              .redirectErrorStream(true)
              .redirectOutput(output.toFile())
              .start();
      if (!process.waitFor(5, TimeUnit.MINUTES)) {
        process.destroyForcibly();
        throw new AssertionError("promtool does not end");
      }
      return process.exitValue() == 0 ? "" : Files.readString(output);
    } finally {
      Files.delete(output);
    }
  }
}
