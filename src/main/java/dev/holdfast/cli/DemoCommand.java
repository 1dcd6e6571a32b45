package dev.holdfast.cli;

import dev.holdfast.cli.root.HoldfastCommand;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code holdfast demo}: its options; what runs is given. */
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
    return servers.demo(root.settings(), exitWhenDone, root.terminal());
  }
}
