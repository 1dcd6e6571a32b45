package dev.holdfast.cli;

import dev.holdfast.cli.output.Terminal;
import dev.holdfast.config.Settings;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** The commands that run until they are stopped. They return an exit code. */
public interface Servers {
  /**
   * Runs a worker.
   *
   * @param embedded where the data of an embedded PostgreSQL is; null uses the configured database
   * @param console whether to serve the API and the console beside health and metrics
   */
  int worker(Settings settings, @Nullable Path embedded, boolean console, Terminal terminal);

  /** Runs only the API and the console. */
  int console(Settings settings, Terminal terminal);

  /**
   * Runs the demo.
   *
   * @param exitWhenDone whether to end when every sample ticket has reached its last state
   */
  int demo(Settings settings, boolean exitWhenDone, Terminal terminal);
}
