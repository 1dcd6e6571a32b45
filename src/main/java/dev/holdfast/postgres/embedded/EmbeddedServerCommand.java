package dev.holdfast.postgres.embedded;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;

/**
 * Runs one short program of PostgreSQL to its end. It gets nothing of our environment, so that
 * neither secrets nor the user's {@code PG*} variables reach the server.
 */
final class EmbeddedServerCommand {
  /** The end of a program; {@code output} is stdout and stderr together. */
  record Result(int exit, String output) {
    boolean succeeded() {
      return exit == 0;
    }

    /** Returns the reason that the program gave, otherwise its last line. */
    String reason() {
      String last = output.strip().lines().reduce("no output", (earlier, later) -> later);
      return output
          .lines()
          .filter(line -> line.contains("FATAL:") || line.contains("error:"))
          .reduce((earlier, later) -> later)
          .orElse(last)
          .replaceFirst("^.*?(FATAL|error):\\s*", "");
    }
  }

  private EmbeddedServerCommand() {}

  /**
   * @throws IOException if the program cannot be started at all
   */
  static Result run(List<String> command) throws IOException {
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    Map<String, String> environment = builder.environment();
    String path = environment.getOrDefault("PATH", "/usr/bin:/bin");
    environment.clear();
    environment.put("PATH", path);
    environment.put("LC_ALL", "C");
    Process process = builder.start();
    process.getOutputStream().close();
    try (InputStream output = process.getInputStream()) {
      String text = new String(output.readAllBytes(), StandardCharsets.UTF_8);
      return new Result(process.waitFor(), text);
    } catch (InterruptedException e) {
      process.destroy();
      Thread.currentThread().interrupt();
      throw new EmbeddedServerException("interrupted while " + command.getLast() + " ran", e);
    }
  }
}
