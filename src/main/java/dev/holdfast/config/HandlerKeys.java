package dev.holdfast.config;

import dev.holdfast.handler.command.CommandSettings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/** The keys of the handlers of commands and agents. */
final class HandlerKeys {
  static final Keys.Section SECTION = new Keys.Section();

  static final Key<Boolean> COMMAND_ALLOW_INLINE =
      SECTION.key(
          "handlers.command.allow-inline",
          new KeyType.Flag(),
          "false",
          "Whether a ticket's payload may name the program to run. Whoever may enqueue could then"
              + " run anything as the worker's user.");
  static final Key<List<String>> COMMAND_PASS_ENVIRONMENT =
      SECTION.key(
          "handlers.command.pass-environment",
          new KeyType.Texts(Pattern.compile("[A-Za-z_][A-Za-z0-9_]*"), "names of variables"),
          "",
          "Variables of the worker that a design may hand to its program with pass_environment. Any"
              + " other one stays here.");
  static final Key<String> COMMAND_WORKSPACES =
      SECTION.key(
          "handlers.command.workspaces",
          KeyType.Text.ANY,
          ".holdfast/workspaces",
          "The directory in which each attempt gets a working directory of its own.");
  static final Key<Duration> COMMAND_KILL_GRACE =
      SECTION.key(
          "handlers.command.kill-grace",
          // A stopping worker waits a little longer than this for its programs.
          new KeyType.Span(Duration.ZERO, Duration.ofSeconds(2)),
          "2s",
          "How long a program that has to stop may clean up before it is killed with all its"
              + " children.");
  static final Key<String> COMMAND_USER =
      SECTION.key(
          "handlers.command.user",
          KeyType.Text.WITHOUT_BLANKS,
          "",
          "The user of the machine as whom the programs of command designs run, where the worker is"
              + " root; empty: the worker's own user. Each attempt's own working directory is given"
              + " to that user; handlers.command.workspaces must be a place that the user may"
              + " enter.");
  static final Key<String> AGENTS_WORKSPACE_ROOT =
      SECTION.key(
          "agents.workspace-root",
          KeyType.Text.ANY,
          ".holdfast/agents",
          "The directory in which the agent of each ticket gets a workspace of its own, which stays"
              + " until a success ends the ticket; what waits for a review keeps it"
              + " (retention.workspaces). Workers that share tickets need one that they all see.");

  private HandlerKeys() {}

  /** Returns the settings without the worker's environment, which is not configuration. */
  static CommandSettings command(Values values) {
    return new CommandSettings(
        values.get(COMMAND_ALLOW_INLINE),
        Path.of(values.get(COMMAND_WORKSPACES)),
        Map.of(),
        Set.copyOf(values.get(COMMAND_PASS_ENVIRONMENT)),
        values.get(COMMAND_KILL_GRACE),
        values.get(COMMAND_USER));
  }
}
