package dev.holdfast.repair.git;

import dev.holdfast.tool.git.Git;
import dev.holdfast.tool.git.GitCommand;
import dev.holdfast.tool.git.GitResult;
import java.io.IOException;
import java.util.Map;
import java.util.TreeMap;

/**
 * Git in a repository of somebody else, without any transport. Otherwise a repository that says
 * that it is incomplete would have git fetch the missing objects, by the program or from the
 * address in its configuration.
 */
record OfflineGit(Git git) implements Git {
  static final Map<String, String> VARIABLES =
      new TreeMap<>(Map.of("GIT_ALLOW_PROTOCOL", "none", "GIT_NO_LAZY_FETCH", "1"));

  @Override
  public GitResult run(GitCommand command) throws IOException, InterruptedException {
    GitCommand offline = command;
    for (Map.Entry<String, String> each : VARIABLES.entrySet()) {
      offline = offline.withVariable(each.getKey(), each.getValue());
    }
    return git.run(offline);
  }
}
