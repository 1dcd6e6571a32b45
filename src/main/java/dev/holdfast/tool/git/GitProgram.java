package dev.holdfast.tool.git;

import dev.holdfast.process.BaseEnvironment;
import dev.holdfast.process.OutputLimits;
import dev.holdfast.process.ProgramEnd;
import dev.holdfast.process.ProgramRun;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The git of this machine, in the C locale and without any configuration except what is set here:
 * no hooks, no file system monitor, no signatures, no filters from outside a repository, no
 * questions. Thread-safe.
 *
 * @param environment the worker's own, of which git gets the harmless part
 * @param confinement what the words of a command become, such as a sandbox's wrapping
 */
public record GitProgram(Map<String, String> environment, Confinement confinement) implements Git {
  private static final int STDOUT_KEPT = 8 << 20;
  private static final int STDERR_KEPT = 32 << 10;
  private static final String PLACE_OF_CONFIGURATION = "XDG_CONFIG_HOME";
  private static final Duration KILL_GRACE = Duration.ofSeconds(2);

  private static final Map<String, String> ISOLATION =
      Map.of(
          "LC_ALL", "C",
          "GIT_CONFIG_NOSYSTEM", "1",
          "GIT_CONFIG_GLOBAL", "/dev/null",
          "GIT_ATTR_NOSYSTEM", "1",
          "GIT_TERMINAL_PROMPT", "0",
          "GIT_OPTIONAL_LOCKS", "0",
          "GIT_NO_REPLACE_OBJECTS", "1",
          "GIT_PAGER", "cat",
          "GIT_EDITOR", "false");

  /** The settings on the command line, which win over any repository's own configuration. */
  private static final List<String> SETTINGS =
      List.of(
          "core.hooksPath=/dev/null",
          "core.fsmonitor=false",
          "core.attributesFile=/dev/null",
          "core.excludesFile=/dev/null",
          "core.protectHFS=true",
          "core.protectNTFS=true",
          "core.quotePath=false",
          "core.untrackedCache=false",
          // git would run this setting as a program; the program true names no refs
          "core.alternateRefsCommand=true",
          "commit.gpgSign=false",
          "push.gpgSign=false",
          "gc.auto=0",
          "maintenance.auto=false",
          "submodule.recurse=false",
          "fetch.recurseSubmodules=false",
          "push.recurseSubmodules=no",
          "protocol.ext.allow=never",
          "protocol.fd.allow=never",
          "protocol.file.allow=always",
          "advice.detachedHead=false",
          "receive.denyCurrentBranch=refuse",
          // the tickets' repositories are bare
          "safe.bareRepository=all",
          "init.defaultBranch=main");

  /** Confines a command that runs in a directory. */
  @FunctionalInterface
  public interface Confinement {
    List<String> wrap(List<String> command, Path directory);
  }

  private static final Confinement NONE = (command, directory) -> command;

  public GitProgram {
    environment = Map.copyOf(environment);
  }

  /** Makes a git that is not confined, for repositories of our own. */
  public static GitProgram unconfined(Map<String, String> environment) {
    return new GitProgram(environment, NONE);
  }

  @Override
  public GitResult run(GitCommand command) throws IOException, InterruptedException {
    Map<String, String> variables = BaseEnvironment.of(environment);
    variables.putAll(ISOLATION);
    if (command.ownConfiguration()) {
      useOwnConfiguration(variables);
    }
    variables.putAll(command.environment());
    variables.put(ProgramRun.RUN_ID, ProgramRun.newId());
    try (ProgramRun run =
        ProgramRun.start(
            confinement.wrap(words(command), command.directory()),
            command.directory(),
            variables,
            command.input(),
            OutputLimits.ends(STDOUT_KEPT, STDERR_KEPT))) {
      ProgramEnd end = await(run, command);
      return new GitResult(
          exitCode(end),
          run.stdout().end(),
          run.stdout().total() <= STDOUT_KEPT,
          run.stderr().end());
    }
  }

  /** The machine's own counts as well: an image or a company names its helpers and hosts there. */
  private void useOwnConfiguration(Map<String, String> variables) {
    variables.remove("GIT_CONFIG_GLOBAL");
    variables.remove("GIT_CONFIG_NOSYSTEM");
    String place = environment.get(PLACE_OF_CONFIGURATION);
    if (place != null) {
      variables.put(PLACE_OF_CONFIGURATION, place);
    }
  }

  /**
   * Waits for the end. With {@link #SETTINGS} git starts nothing that outlives it. But a user's
   * configuration may name such a program, and an agent may have named one in its workspace.
   */
  private ProgramEnd await(ProgramRun run, GitCommand command) throws InterruptedException {
    return confinement.equals(NONE) && !command.ownConfiguration()
        ? run.awaitTidy(command.timeout(), KILL_GRACE)
        : run.await(command.timeout(), KILL_GRACE);
  }

  /**
   * The settings that every run of git gets, as its own option words.
   *
   * @param directory the one repository that may be another user's
   */
  public static List<String> settings(Path directory) {
    List<String> words = new ArrayList<>();
    SETTINGS.forEach(setting -> words.addAll(List.of("-c", setting)));
    words.addAll(List.of("-c", "safe.directory=" + directory));
    return words;
  }

  private static List<String> words(GitCommand command) {
    List<String> words = new ArrayList<>(List.of("git"));
    words.addAll(settings(command.directory()));
    words.addAll(command.words());
    return words;
  }

  private static int exitCode(ProgramEnd end) {
    return switch (end) {
      case ProgramEnd.Exited(int code) -> code;
      case ProgramEnd.TimedOut timedOut -> GitResult.TIMED_OUT;
    };
  }
}
