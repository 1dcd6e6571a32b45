package dev.holdfast.cli;

import dev.holdfast.cli.root.HoldfastCommand;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code holdfast console}: its options. What it runs is passed in. */
@Command(
    name = "console",
    description =
        "Serve the console and the API without working tickets, until Ctrl-C or SIGTERM. Workers"
            + " serve them as well, unless started with --no-console.",
    footer = {"", "Example:", "  holdfast console --port 8081"})
public final class ConsoleCommand implements Callable<Integer> {
  private final HoldfastCommand root;
  private final Servers servers;

  @Option(
      names = "--port",
      paramLabel = "P",
      description = "Where to serve HTTP; 0 takes a free port and prints it.")
  private @Nullable String port;

  public ConsoleCommand(HoldfastCommand root, Servers servers) {
    this.root = root;
    this.servers = servers;
  }

  @Override
  public Integer call() {
    Map<String, String> flags = new LinkedHashMap<>();
    if (port != null) {
      flags.put("web.port", port);
    }
    return servers.console(root.settings(flags), root.terminal());
  }
}
