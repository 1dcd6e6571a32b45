package dev.holdfast.postgres.embedded;

import java.io.IOException;
import java.nio.file.Path;

/**
 * A process of its own that holds an embedded server until its stdin ends, or with a second
 * argument says which it finds.
 */
final class EmbeddedServerHolder {
  private EmbeddedServerHolder() {}

  public static void main(String[] arguments) throws IOException {
    if (arguments.length > 1) {
      System.out.println(found(Path.of(arguments[0])));
      return;
    }
    try (EmbeddedServer server =
        EmbeddedServer.start(EmbeddedServerOptions.in(Path.of(arguments[0])))) {
      System.out.println(server.address().pid());
      while (System.in.read() >= 0) {
        // Only the end counts.
      }
    }
  }

  private static String found(Path home) {
    try {
      return EmbeddedServer.running(home).map(Object::toString).orElse("none");
    } catch (EmbeddedServerException e) {
      return String.valueOf(e.getMessage());
    }
  }
}
