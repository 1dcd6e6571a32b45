package dev.holdfast.cli.root;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The option {@code --by} of commands that change something. */
public final class ByOption {
  @Option(
      names = "--by",
      paramLabel = "WHO",
      description = "Who decides this; default: your user name.")
  private @Nullable String by;

  /** Returns the name that was given, otherwise the user's. */
  public String name(HoldfastCommand root) {
    return by == null ? root.person() : by;
  }
}
