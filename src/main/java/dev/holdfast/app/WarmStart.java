package dev.holdfast.app;

import dev.holdfast.cli.output.Terminal;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Optional;

/**
 * Runs several command lines in one process. A cache of classes is made from what one process
 * loads, but it is for all commands that people type.
 */
final class WarmStart {
  /** Names the file with the lines; only {@code src/etc/warm-start.sh} sets it. */
  private static final String LINES = "holdfast.warm-start";

  private WarmStart() {}

  /** Returns the file; empty at a usual start. */
  static Optional<Path> lines() {
    return Optional.ofNullable(System.getProperty(LINES)).map(Path::of);
  }

  /** Prints what each line printed, for a person who looks at why a cache lacks something. */
  static int run(Path lines) {
    try {
      for (String line : Files.readAllLines(lines, StandardCharsets.UTF_8)) {
        StringWriter said = new StringWriter();
        PrintWriter writer = new PrintWriter(said);
        Terminal terminal =
            new Terminal(writer, writer, InputStream.nullInputStream(), InstantSource.system());
        int code = Main.run(terminal, System.getenv(), Path.of(""), line.split(" "));
        System.out.println(line + ": " + code + " " + said);
      }
      return 0;
    } catch (IOException e) {
      System.err.println("holdfast: cannot read " + lines + ": " + e.getMessage());
      return 1;
    }
  }
}
