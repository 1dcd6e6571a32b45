package dev.holdfast.cli;

import dev.holdfast.cli.root.HoldfastCommand;
import dev.holdfast.config.Settings;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code holdfast worker}: its options. What it runs is passed in. */
@Command(
    name = "worker",
    description =
        "Claim tickets and work them until Ctrl-C or SIGTERM; then let running ones finish, and"
            + " give the rest back.",
    footer = {
      "",
      "Examples:",
      "  holdfast worker --queue mail --concurrency 20",
      "  holdfast worker --embedded --port 0"
    })
public final class WorkerCommand implements Callable<Integer> {
  private static final String USUAL_DIRECTORY = ".holdfast/postgres";

  private final HoldfastCommand root;
  private final Servers servers;

  @Option(
      names = "--embedded",
      paramLabel = "DIR",
      arity = "0..1",
      fallbackValue = USUAL_DIRECTORY,
      description =
          "Start a PostgreSQL of its own with its data in DIR; default " + USUAL_DIRECTORY + ".")
  private @Nullable Path embedded;

  @Option(
      names = "--queue",
      paramLabel = "Q",
      description = "Claim from this queue only; may be repeated.")
  private List<String> queues = List.of();

  @Option(
      names = "--concurrency",
      paramLabel = "N",
      description = "How many tickets to run at once.")
  private @Nullable String concurrency;

  @Option(
      names = "--port",
      paramLabel = "P",
      description = "Where to serve HTTP; 0 takes a free port and prints it.")
  private @Nullable String port;

  @Option(names = "--no-console", description = "Serve only /health and /metrics.")
  private boolean noConsole;

  public WorkerCommand(HoldfastCommand root, Servers servers) {
    this.root = root;
    this.servers = servers;
  }

  @Override
  public Integer call() {
    Map<String, String> flags = new LinkedHashMap<>();
    if (!queues.isEmpty()) {
      flags.put("worker.queues", String.join(",", queues));
    }
    if (concurrency != null) {
      flags.put("worker.concurrency", concurrency);
    }
    if (port != null) {
      flags.put("web.port", port);
    }
    Settings settings = root.settings(flags);
    if (embedded != null && settings.database().url() != null) {
      // Without this line, tickets of the other commands would wait for ever, and nobody would know
      // why.
      root.terminal()
          .err()
          .println(
              "this worker uses a PostgreSQL of its own (--embedded); HOLDFAST_DATABASE_URL, or"
                  + " database.url in holdfast.yaml, names another, which other commands use");
    }
    return servers.worker(settings, embedded, !noConsole, root.terminal());
  }
}
