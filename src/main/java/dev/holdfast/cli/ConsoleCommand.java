package dev.holdfast.cli;

import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code holdfast console}. */
@Command(
    name = "console",
    description =
        "Serve the console and the API alone, until Ctrl-C or SIGTERM. A worker serves them too;"
            + " this one works no tickets.",
    footer = {"", "Examples:", "  holdfast console", "  holdfast console --port 0"})
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
    Map<String, String> flags = port == null ? Map.of() : Map.of("web.port", port);
    return servers.console(root.settings(flags), root.terminal());
  }
}
