package dev.holdfast.cli.root;

import dev.holdfast.cli.output.Terminal;
import dev.holdfast.config.ConfigLoader;
import dev.holdfast.config.Settings;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;

/**
 * The program itself: options that every command has, and what commands share. Used by one thread.
 */
@Command(
    name = "holdfast",
    description = "A durable worker for the tickets of AI agents, on PostgreSQL.",
    mixinStandardHelpOptions = true,
    scope = ScopeType.INHERIT,
    versionProvider = Version.class,
    synopsisSubcommandLabel = "COMMAND",
    usageHelpAutoWidth = true)
public final class HoldfastCommand implements Runnable {
  private final Terminal terminal;
  private final ConfigLoader loader;
  private final Backend.Opener opener;
  private final String person;

  @Spec private CommandSpec spec;

  @Option(
      names = "--config",
      paramLabel = "FILE",
      scope = ScopeType.INHERIT,
      description = "Configuration file instead of holdfast.yaml.")
  private @Nullable Path config;

  @Option(
      names = {"-v", "--verbose"},
      scope = ScopeType.INHERIT,
      description = "Log more, and show the stack trace of an error.")
  private boolean verbose;

  /**
   * @param person who acts where {@code --by} does not say: the operating system's user
   */
  public HoldfastCommand(
      Terminal terminal, ConfigLoader loader, Backend.Opener opener, String person) {
    this.terminal = terminal;
    this.loader = loader;
    this.opener = opener;
    this.person = person;
  }

  public Terminal terminal() {
    return terminal;
  }

  boolean verbose() {
    return verbose;
  }

  public String person() {
    return person;
  }

  public Settings settings() {
    return settings(Map.of());
  }

  /** The configuration with the given flags on top, by key. */
  public Settings settings(Map<String, String> flags) {
    return loader.load(config, flags);
  }

  public Backend open() {
    return opener.open(settings());
  }

  @Override
  public void run() {
    spec.commandLine().usage(terminal.out());
  }
}
