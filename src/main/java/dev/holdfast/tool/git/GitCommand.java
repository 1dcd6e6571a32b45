package dev.holdfast.tool.git;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * One run of git.
 *
 * @param directory where it runs
 * @param words after {@code git}; names of files are better passed on stdin, for the worker's
 *     locale may not have their letters
 * @param environment on top of what every run gets
 * @param input what it reads on stdin, in UTF-8
 * @param timeout after which it is killed; default 2 minutes
 * @param ownConfiguration whether the configuration of the worker's user and of the machine counts,
 *     which says how to authenticate; default false
 */
public record GitCommand(
    Path directory,
    List<String> words,
    Map<String, String> environment,
    String input,
    Duration timeout,
    boolean ownConfiguration) {
  private static final Duration DEFAULT_TIMEOUT = Duration.ofMinutes(2);

  public GitCommand {
    words = List.copyOf(words);
    environment = Map.copyOf(environment);
  }

  public static GitCommand in(Path directory, String... words) {
    return new GitCommand(directory, List.of(words), Map.of(), "", DEFAULT_TIMEOUT, false);
  }

  public GitCommand withInput(String text) {
    return new GitCommand(directory, words, environment, text, timeout, ownConfiguration);
  }

  public GitCommand withTimeout(Duration time) {
    return new GitCommand(directory, words, environment, input, time, ownConfiguration);
  }

  public GitCommand withVariable(String name, String value) {
    Map<String, String> more = new TreeMap<>(environment);
    more.put(name, value);
    return new GitCommand(directory, words, more, input, timeout, ownConfiguration);
  }

  /**
   * Returns the command with the user's and the machine's configuration, for what goes over the
   * network.
   */
  public GitCommand withOwnConfiguration() {
    return new GitCommand(directory, words, environment, input, timeout, true);
  }
}
