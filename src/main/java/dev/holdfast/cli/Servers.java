package dev.holdfast.cli;

import dev.holdfast.cli.output.Terminal;
import dev.holdfast.config.Settings;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** The commands that run until they are stopped. They return an exit code. */
public interface Servers {
  /**
   * @param embedded where the data of an embedded PostgreSQL is; null uses the configured database
   * @param console whether to serve the API and the console beside health and metrics
   */
  int worker(Settings settings, @Nullable Path embedded, boolean console, Terminal terminal);

  /** The API and the console alone. */
  int console(Settings settings, Terminal terminal);

  /**
   * @param exitWhenDone end when every sample ticket has come to rest
   */
  int demo(Settings settings, boolean exitWhenDone, Terminal terminal);
}
