package dev.holdfast.cli;

import dev.holdfast.cli.root.HoldfastCommand;
import dev.holdfast.config.Settings;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code holdfast demo}: its options. What it runs is passed in. */
@Command(
    name = "demo",
    description =
        "Start an embedded PostgreSQL, a worker and sample tickets, and show what becomes of them.",
    footer = {"", "Example:", "  holdfast demo"})
public final class DemoCommand implements Callable<Integer> {
  private final HoldfastCommand root;
  private final Servers servers;

  @Option(
      names = "--exit-when-done",
      description = "End when every sample ticket has come to rest.")
  private boolean exitWhenDone;

  public DemoCommand(HoldfastCommand root, Servers servers) {
    this.root = root;
    this.servers = servers;
  }

  @Override
  public Integer call() {
    Settings settings = root.settings();
    if (settings.database().url() != null) {
      root.terminal()
          .err()
          .println(
              "the demo uses a PostgreSQL of its own; the one that HOLDFAST_DATABASE_URL, or"
                  + " database.url in holdfast.yaml, names is not touched");
    }
    return servers.demo(settings, exitWhenDone, root.terminal());
  }
}
