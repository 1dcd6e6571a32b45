package dev.holdfast.repair;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.repair.git.RepositorySource;
import dev.holdfast.repair.git.TicketRepositories;
import dev.holdfast.repair.git.TicketRepository;
import dev.holdfast.repair.verify.Verifier;
import dev.holdfast.repair.verify.VerifyCommand;
import dev.holdfast.tool.git.Git;
import dev.holdfast.tool.git.GitCommand;
import dev.holdfast.tool.git.GitProgram;
import dev.holdfast.tool.git.GitResult;
import dev.holdfast.tool.patch.PatchLimits;
import dev.holdfast.tool.workspace.Sandbox;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The workbench on real git with a real verification. */
@Timeout(120)
class GitWorkbenchIT {
  private static final List<VerifyCommand> CHECK =
      List.of(
          new VerifyCommand(
              "check", List.of("sh", "check.sh"), Duration.ofSeconds(30), Optional.empty()));

  private final Git git = GitProgram.unconfined(System.getenv());
  @TempDir private Path directory;

  @BeforeEach
  void project() throws Exception {
    Path project = Files.createDirectories(directory.resolve("project"));
    Files.writeString(project.resolve("value.txt"), "bad 0\n");
    Files.writeString(
        project.resolve("check.sh"),
        "v=$(head -n 1 value.txt)\ntouch made-by-check\n"
            + "case \"$v\" in good*) ;; *) echo \"wrong: ${v%% *}\"; exit 1;; esac\n");
    git(project, "init", "-q", "-b", "main");
    git(project, "add", "-A");
    git(project, "-c", "user.name=t", "-c", "user.email=t@e", "commit", "-q", "-m", "m");
  }

  private void git(Path in, String... words) throws Exception {
    GitResult result = git.run(GitCommand.in(in, words));
    assertThat(result.isSuccess()).as(result.stderr()).isTrue();
  }

  private TicketRepository open(String machine) throws IOException, InterruptedException {
    return new TicketRepositories(directory.resolve(machine), git)
        .open(
            17,
            RepositorySource.local(directory.resolve("project").toString(), "main"),
            Optional.empty());
  }

  private GitWorkbench on(TicketRepository repository) {
    Verifier verifier = new Verifier(new Sandbox.None(), System.getenv(), System::nanoTime);
    return new GitWorkbench(
        repository, new GitWorkbench.Tools(git, PatchLimits.DEFAULT, verifier), CHECK);
  }

  @Test
  @DisplayName(
      "E26: candidates are tried in isolation: no state depends on what another trial left")
  void isolated() throws Exception {
    try (TicketRepository repository = open("one")) {
      GitWorkbench bench = on(repository);
      Verified before = bench.verify(bench.baseTree());
      assertThat(before.passed()).isFalse();
      assertThat(before.signature()).isNotEmpty();
      Trial good = bench.attempt(bench.baseTree(), Bench.change("bad 0", "good 1"), 0);
      Trial bad = bench.attempt(bench.baseTree(), Bench.change("bad 0", "bad 2"), 1);
      assertThat(((Trial.Applied) good).verified().passed()).isTrue();
      assertThat(((Trial.Applied) good).lines()).isEqualTo(2);
      assertThat(((Trial.Applied) good).tree().diff()).contains("-bad 0", "+good 1");
      assertThat(((Trial.Applied) bad).verified().signature()).isEqualTo(before.signature());
      assertThat(bench.verify(bench.baseTree())).isEqualTo(before);
      assertThat(bench.attempt(bench.baseTree(), Bench.change("nowhere", "x"), 0))
          .isInstanceOf(Trial.Refused.class);
      assertThat(bench.attempt(bench.baseTree(), "no idea", 0)).isInstanceOf(Trial.NoDiff.class);
      assertThat(bench.invalidity(bench.baseTree(), "no idea", 0)).isPresent();
      assertThat(bench.invalidity(bench.baseTree(), Bench.change("bad 0", "x"), 0)).isEmpty();
    }
    assertThat(directory.resolve("project/value.txt")).hasContent("bad 0");
  }

  @Test
  @DisplayName("a state that another machine has made is made again of its diff, and goes on")
  void elsewhere() throws Exception {
    Tree tree;
    try (TicketRepository repository = open("one")) {
      GitWorkbench bench = on(repository);
      tree =
          ((Trial.Applied) bench.attempt(bench.baseTree(), Bench.change("bad 0", "half 1"), 0))
              .tree();
    }
    try (TicketRepository repository = open("two")) {
      GitWorkbench bench = on(repository);
      Trial next = bench.attempt(tree, Bench.change("half 1", "good 2"), 0);
      assertThat(((Trial.Applied) next).verified().passed()).isTrue();
      Workbench.Commit commit = bench.commit(((Trial.Applied) next).tree(), "Repair");
      assertThat(commit.branch()).isEqualTo("holdfast/ticket-17");
      git(directory.resolve("project"), "cat-file", "-e", commit.id());
      assertThat(bench.sources(tree).files()).containsExactly("check.sh", "value.txt");
      assertThat(bench.sources(tree).text("value.txt")).contains("half 1\n");
      assertThat(bench.sources(tree).text("../value.txt")).isEmpty();
    }
  }
}
