package dev.holdfast.cli.root;

import dev.holdfast.cli.output.PlainText;
import dev.holdfast.cli.output.Terminal;
import dev.holdfast.cli.output.UsageException;
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
    synopsisSubcommandLabel = "[COMMAND]",
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

  @Option(
      names = "--color",
      paramLabel = "WHEN",
      scope = ScopeType.INHERIT,
      description =
          "Colour results: auto (on a terminal, unless NO_COLOR is set), always or never.")
  private @Nullable String colour;

  /**
   * @param person the person who acts where {@code --by} is not given: the operating system's user
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

  /**
   * Returns true if results are coloured.
   *
   * @throws UsageException if {@code --color} has none of its words
   */
  public boolean colours() {
    return switch (colour) {
      case null -> terminal.screen().takesColour();
      case "auto" -> terminal.screen().takesColour();
      case "always" -> true;
      case "never" -> false;
      default ->
          throw new UsageException(
              "--color: \""
                  + PlainText.cut(PlainText.oneLine(colour), 40)
                  + "\" is none of auto, always, never");
    };
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

  /** Returns the configuration with the given flags on top, by key. */
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
