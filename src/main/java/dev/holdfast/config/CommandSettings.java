package dev.holdfast.config;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;

/**
 * What tickets of kind {@code command} may do.
 *
 * @param allowInline whether a payload may name the program
 * @param passEnvironment the worker's variables that a design may hand to its program
 * @param workspaces where each attempt gets a working directory of its own
 * @param killGrace how long a program that has to stop may clean up
 */
public record CommandSettings(
    boolean allowInline, Set<String> passEnvironment, Path workspaces, Duration killGrace) {
  public CommandSettings {
    passEnvironment = Set.copyOf(passEnvironment);
  }

  static CommandSettings of(Values values) {
    return new CommandSettings(
        values.get(HandlerKeys.COMMAND_ALLOW_INLINE),
        Set.copyOf(values.get(HandlerKeys.COMMAND_PASS_ENVIRONMENT)),
        Path.of(values.get(HandlerKeys.COMMAND_WORKSPACES)),
        values.get(HandlerKeys.COMMAND_KILL_GRACE));
  }
}
