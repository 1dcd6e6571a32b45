package dev.holdfast.deployment;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** A program of others that checks files, where it is installed. */
final class Checker {
  private Checker() {}

  /**
   * @param good whether it ended with 0
   * @param text what it printed, on both streams
   */
  record Verdict(boolean good, String text) {}

  static boolean isInstalled(String program) {
    return Stream.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator))
        .anyMatch(directory -> Files.isExecutable(Path.of(directory, program)));
  }

  static Verdict run(String... command) throws IOException, InterruptedException {
    Path output = Files.createTempFile(command[0], ".txt");
    try {
      Process process =
          new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectOutput(output.toFile())
              .start();
      if (!process.waitFor(5, TimeUnit.MINUTES)) {
        process.destroyForcibly();
        throw new AssertionError(command[0] + " does not end");
      }
      return new Verdict(process.exitValue() == 0, Files.readString(output));
    } finally {
      Files.delete(output);
    }
  }
}
