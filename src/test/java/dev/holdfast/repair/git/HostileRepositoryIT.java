package dev.holdfast.repair.git;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.holdfast.tool.git.GitCommand;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("issue 20, 1.5: a repository that would run programs as the worker's user")
@Timeout(120)
class HostileRepositoryIT {
  @TempDir private Path temp;
  private GitBench bench;
  private Path original;
  private Path trace;

  @BeforeEach
  void prepare() throws Exception {
    bench = new GitBench(temp);
    original =
        bench.repository("o'riginal", Map.of("a.txt", "a\n", ".gitattributes", "* filter=e=vil\n"));
    trace = temp.resolve("ran");
  }

  private void configure(String key, String value) throws Exception {
    bench.owner(original, "config", key, value);
  }

  private String traced() {
    return "touch '" + trace + "'; cat";
  }

  private static void repair(TicketRepository repository) throws Exception {
    repair(repository, "repaired\n");
  }

  private static void repair(TicketRepository repository, String text) throws Exception {
    Worktree worktree = repository.worktree("main", repository.baseTree());
    Files.writeString(worktree.directory().resolve("a.txt"), text);
    repository.commit(worktree.snapshot(), "Repair a", Instant.now());
  }

  @Test
  @DisplayName(
      "filters of a checkout are not run by a merge into it: it is refused and says what to do, and"
          + " the checkout stays as it was")
  void filters() throws Exception {
    for (String program : new String[] {"clean", "smudge", "process"}) {
      configure("filter.e=vil." + program, traced());
    }
    // As if it had been edited: only by the filter could git tell.
    Files.writeString(original.resolve("a.txt"), "a\n");
    try (TicketRepository repository = bench.open(1, original)) {
      repair(repository);
      assertThat(repository.merge())
          .isInstanceOfSatisfying(
              Delivery.Refused.class,
              refused ->
                  assertThat(refused.reason())
                      .contains("filter.e=vil.smudge", "run git merge holdfast/ticket-1"));
    }
    assertThat(trace).doesNotExist();
    assertThat(original.resolve("a.txt")).hasContent("a\n");
  }

  @Test
  @DisplayName(
      "a branch that is checked out and may be updated in place is not, for its filters would run")
  void updateInstead() throws Exception {
    String base;
    try (TicketRepository repository = bench.open(1, original)) {
      base = repository.baseCommit();
      repair(repository);
    }
    bench.owner(original, "checkout", "-q", "holdfast/ticket-1");
    configure("receive.denyCurrentBranch", "updateInstead");
    configure("filter.e=vil.smudge", traced());
    RepositorySource source = RepositorySource.local(original.toString(), "main");
    try (TicketRepository repository = bench.tickets().open(1, source, Optional.of(base))) {
      repair(repository, "better\n");
      assertThat(repository.branch()).isEqualTo("holdfast/ticket-1-2");
    }
    assertThat(trace).doesNotExist();
    assertThat(original.resolve("a.txt")).hasContent("repaired\n");
  }

  @Test
  @DisplayName("a repository that says it is incomplete has nothing fetched by its own program")
  void promisor() throws Exception {
    Path source = bench.repository("source", Map.of("b.txt", "b\n"));
    String missing = bench.owner(source, "rev-parse", "HEAD");
    configure("core.repositoryFormatVersion", "1");
    configure("extensions.partialClone", "origin");
    configure("remote.origin.url", source.toString());
    configure("remote.origin.promisor", "true");
    configure("remote.origin.uploadpack", "touch '" + trace + "'; git-upload-pack");
    Files.writeString(original.resolve(".git/refs/heads/lazy"), missing + "\n");
    assertThat(
            catchThrowable(
                () ->
                    bench
                        .tickets()
                        .open(
                            1,
                            RepositorySource.local(original.toString(), "lazy"),
                            Optional.empty())))
        .isInstanceOf(RepositoryException.class)
        .hasMessageContaining("has no branch, tag or commit lazy");
    assertThat(trace).doesNotExist();
  }

  @Test
  @DisplayName(
      "a repository whose configuration puts its files elsewhere has nothing written there")
  void worktreeElsewhere() throws Exception {
    Path elsewhere = Files.createDirectory(temp.resolve("elsewhere"));
    Files.writeString(elsewhere.resolve("a.txt"), "a\n");
    Files.writeString(elsewhere.resolve(".gitattributes"), "* filter=e=vil\n");
    configure("core.worktree", elsewhere.toString());
    try (TicketRepository repository = bench.open(1, original)) {
      repair(repository);
      repository.merge();
    }
    assertThat(elsewhere.resolve("a.txt")).hasContent("a\n");
  }

  @Test
  @DisplayName(
      "git trusts the one directory that it works in and no other, and works in one that belongs to"
          + " somebody else")
  void safeDirectory() throws Exception {
    assertThat(
            GitBench.GIT
                .run(GitCommand.in(original, "config", "--get-all", "safe.directory"))
                .stdout())
        .isEqualTo(original + "\n");
    if (Files.getOwner(original).getName().equals("root")) {
      Process process =
          new ProcessBuilder("chown", "-R", "65534:65534", original.toString()).start();
      assertThat(process.waitFor()).isZero();
    }
    try (TicketRepository repository = bench.open(1, original)) {
      repair(repository);
      assertThat(repository.merge()).isInstanceOf(Delivery.Delivered.class);
    }
  }

  @Test
  @DisplayName("a repository that a verification makes inside of the worktree runs nothing either")
  void nested() throws Exception {
    try (TicketRepository repository = bench.open(1, original)) {
      Worktree worktree = repository.worktree("main", repository.baseTree());
      Path inner = Files.createDirectory(worktree.directory().resolve("inner"));
      bench.owner(inner, "init", "-q");
      bench.commit(inner, Map.of("f", "f\n", ".gitattributes", "* filter=evil\n"));
      bench.owner(inner, "config", "filter.evil.clean", traced());
      bench.owner(inner, "config", "core.fsmonitor", traced());
      worktree.snapshot();
      Files.writeString(inner.resolve("f"), "g\n");
      worktree.snapshot();
      worktree.restore(repository.baseTree());
    }
    assertThat(trace).doesNotExist();
  }

  @Test
  @DisplayName(
      "a repository without a commit that a verification makes is left out, and hides nothing else")
  void unborn() throws Exception {
    try (TicketRepository repository = bench.open(1, original)) {
      Worktree worktree = repository.worktree("main", repository.baseTree());
      Path tracked = Files.createDirectory(worktree.directory().resolve("tracked"));
      Files.writeString(tracked.resolve("t.txt"), "t\n");
      String before = worktree.snapshot();
      for (String each : new String[] {"inner", "tracked"}) {
        Path inner = Files.createDirectories(worktree.directory().resolve(each));
        bench.owner(inner, "init", "-q");
        Files.writeString(inner.resolve("f"), "f\n");
      }
      Files.writeString(worktree.directory().resolve("a.txt"), "repaired\n");
      assertThat(worktree.changes(before, worktree.snapshot()))
          .containsExactly("a.txt", "tracked/f");
    }
  }
}
