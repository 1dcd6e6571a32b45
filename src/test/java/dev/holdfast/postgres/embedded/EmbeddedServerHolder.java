package dev.holdfast.postgres.embedded;

import java.io.IOException;
import java.nio.file.Path;

/** A process of its own that holds an embedded server until its stdin ends. */
final class EmbeddedServerHolder {
  private EmbeddedServerHolder() {}

  public static void main(String[] arguments) throws IOException {
    try (EmbeddedServer server =
        EmbeddedServer.start(EmbeddedServerOptions.in(Path.of(arguments[0])))) {
      System.out.println(server.address().pid());
      while (System.in.read() >= 0) {
        // Only the end counts.
      }
    }
  }
}
