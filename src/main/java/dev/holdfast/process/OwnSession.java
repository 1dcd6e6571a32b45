package dev.holdfast.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A checked program that will lead a session of its own, where the system has {@code setsid}. The
 * processes that it forks can then be found and ended.
 */
public record OwnSession(
    ProcessBuilder builder, String runId, boolean hasSetsid, Optional<ProgramUser> user) {
  /**
   * The places of the program that runs another, in the same process, as the leader of a new
   * session.
   */
  private static final List<String> SETSID = List.of("/usr/bin/setsid", "/bin/setsid");

  /**
   * @param environment all of the program's environment, {@link ProgramRun#RUN_ID} among it
   * @throws IOException if there is no such program, or its words cannot be passed on
   */
  public static OwnSession of(List<String> command, Path directory, Map<String, String> environment)
      throws IOException {
    ProgramFinder.check(command.getFirst(), directory, environment.get("PATH"));
    PassableText.check(command, environment, PassableText.ofThisProcess());
    Optional<String> setsid =
        SETSID.stream().filter(each -> Files.isExecutable(Path.of(each))).findFirst();
    List<String> words = new ArrayList<>(command);
    setsid.ifPresent(words::addFirst);
    ProcessBuilder builder = new ProcessBuilder(words).directory(directory.toFile());
    builder.environment().clear();
    builder.environment().putAll(environment);
    return new OwnSession(
        builder,
        environment.getOrDefault(ProgramRun.RUN_ID, ""),
        setsid.isPresent(),
        Optional.empty());
  }

  /** Returns the same program, started as another user. */
  public OwnSession as(ProgramUser other) {
    List<String> words = new ArrayList<>(builder.command());
    int program = hasSetsid ? 1 : 0;
    List<String> become = other.command(words.subList(program, words.size()));
    words.subList(program, words.size()).clear();
    words.addAll(become);
    builder.command(words);
    return new OwnSession(builder, runId, hasSetsid, Optional.of(other));
  }

  /**
   * @throws IOException if it cannot be started
   * @throws NotPreparedException if this machine has no room for any program
   */
  public Process start() throws IOException {
    return StartThreads.run(() -> ProgramStart.of(this));
  }

  /** Returns the tree of the process that was started. */
  public ProcessTree tree(Process process) {
    return new ProcessTree(process, this);
  }
}
