package dev.holdfast.repair;

import dev.holdfast.repair.git.GitBench;
import dev.holdfast.repair.git.RepositorySource;
import dev.holdfast.repair.git.TicketRepositories;
import dev.holdfast.repair.git.TicketRepository;
import dev.holdfast.repair.verify.Verifier;
import dev.holdfast.repair.verify.VerifyCommand;
import dev.holdfast.secret.Secrets;
import dev.holdfast.tool.patch.PatchLimits;
import dev.holdfast.tool.sandbox.Sandbox;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A git repository whose check looks at the first line of one file: {@code good} passes. */
record OneFileProject(Path directory) {
  private static final String CHECK =
      """
      v=$(head -n 1 value.txt)
      touch made-by-check
      case "$v" in good*) ;; *) echo "wrong: ${v%% *}"; exit 1;; esac
      """;

  private static final List<VerifyCommand> COMMANDS =
      List.of(
          new VerifyCommand(
              "check", List.of("sh", "check.sh"), Duration.ofSeconds(30), Optional.empty()));

  static OneFileProject in(Path directory, String content)
      throws IOException, InterruptedException {
    new GitBench(directory).repository("project", Map.of("value.txt", content, "check.sh", CHECK));
    return new OneFileProject(directory);
  }

  Path source() {
    return directory.resolve("project");
  }

  /** As ticket 17 on a machine of that name. */
  TicketRepository open(String machine) throws IOException, InterruptedException {
    return new TicketRepositories(directory.resolve(machine), GitBench.GIT)
        .open(17, RepositorySource.local(source().toString(), "main"), Optional.empty());
  }

  static GitRepairRepository workbench(TicketRepository repository) {
    return workbench(repository, COMMANDS);
  }

  static GitRepairRepository workbench(TicketRepository repository, List<VerifyCommand> commands) {
    Verifier verifier =
        new Verifier(new Sandbox.None("this test needs none"), System.getenv(), Secrets.NONE);
    return new GitRepairRepository(
        repository,
        new GitRepairRepository.Tools(GitBench.GIT, verifier),
        PatchLimits.DEFAULT,
        commands);
  }
}
