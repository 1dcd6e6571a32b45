package dev.holdfast.app;

import dev.holdfast.cli.output.Terminal;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.stream.Stream;

/**
 * Runs short commands in the process of a worker, one after another, as {@code
 * src/etc/warm-start.sh} writes their lines into a pipe. A cache of classes is made of what one
 * process loads, and the commands' classes are to be in it, too.
 */
final class WarmStart {
  /** Names the pipe; only warm-start.sh sets it. */
  private static final String PIPE = "holdfast.warm-start";

  private WarmStart() {}

  /** Does nothing where this is a usual start. */
  static void begin() {
    String pipe = System.getProperty(PIPE);
    if (pipe != null) {
      Thread.ofPlatform().daemon().name("holdfast-warm-start").start(() -> run(Path.of(pipe)));
    }
  }

  private static void run(Path pipe) {
    try (Stream<String> lines = Files.lines(pipe)) {
      lines.forEach(WarmStart::run);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void run(String line) {
    StringWriter said = new StringWriter();
    PrintWriter writer = new PrintWriter(said);
    Terminal terminal =
        new Terminal(
            writer, writer, new ByteArrayInputStream(new byte[0]), InstantSource.system());
    int code = Main.run(terminal, System.getenv(), Path.of(""), line.split(" "));
    System.out.println("warm start: " + line + ": " + code + " " + said);
  }
}
