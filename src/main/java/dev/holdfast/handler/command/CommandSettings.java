package dev.holdfast.handler.command;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Set;

/**
 * The worker's settings for programs.
 *
 * @param allowInline whether a ticket's payload may name the program where it has no design ({@code
 *     handlers.command.allow-inline}, default false)
 * @param workspaceRoot where the attempts' own working directories are made; created when missing
 * @param environment the worker's own environment, of which the programs get a part
 * @param passable names that a design may ask for with {@code pass_environment} ({@code
 *     handlers.command.pass-environment}, default none)
 * @param killGrace between asking a process tree to end and killing it ({@code
 *     handlers.command.kill-grace})
 * @param user the name of the user as whom they run ({@code handlers.command.user}); empty: the
 *     worker's own
 */
public record CommandSettings(
    boolean allowInline,
    Path workspaceRoot,
    Map<String, String> environment,
    Set<String> passable,
    Duration killGrace,
    String user) {
  public CommandSettings {
    environment = Map.copyOf(environment);
    passable = Set.copyOf(passable);
    if (killGrace.isNegative()) {
      throw new IllegalArgumentException("killGrace must not be negative, but is " + killGrace);
    }
  }

  public CommandSettings withEnvironment(Map<String, String> newEnvironment) {
    return new CommandSettings(
        allowInline, workspaceRoot, newEnvironment, passable, killGrace, user);
  }
}
