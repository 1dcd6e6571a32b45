package dev.holdfast.repair.git;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.process.UnprivilegedJava;
import dev.holdfast.tool.git.GitProgram;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("A ticket's repository")
@Timeout(120)
@Tag("slow")
class TicketRepositoryIT {
  @TempDir Path temp;
  private GitBench bench;
  private Path original;

  @BeforeEach
  void setUp() throws Exception {
    bench = new GitBench(temp);
    original = bench.repository("original", Map.of("a.txt", "a\n", ".gitignore", "out/\n"));
  }

  @Test
  @DisplayName("The original's checkout, status and refs stay, but for the branch of the result")
  void untouched() throws Exception {
    Files.writeString(original.resolve("a.txt"), "not committed\n");
    Files.writeString(original.resolve("new.txt"), "untracked\n");
    Map<String, String> before = bench.state(original, "holdfast/ticket-7");
    String commit;
    try (TicketRepository repository = bench.open(7, original)) {
      Worktree worktree = repository.worktree("main", repository.baseTree());
      assertThat(worktree.directory().resolve("a.txt")).hasContent("a\n");
      assertThat(worktree.directory().resolve("new.txt")).doesNotExist();
      commit = bench.repaired(repository);
      assertThat(repository.result()).contains(commit);
      assertThat(repository.branch()).isEqualTo("holdfast/ticket-7");
    }
    assertThat(bench.state(original, "holdfast/ticket-7")).isEqualTo(before);
    assertThat(bench.owner(original, "rev-parse", "holdfast/ticket-7")).isEqualTo(commit);
    assertThat(bench.owner(original, "rev-parse", "holdfast/ticket-7^"))
        .isEqualTo(bench.owner(original, "rev-parse", "main"));
    assertThat(bench.owner(original, "show", "holdfast/ticket-7:a.txt")).isEqualTo("repaired");
    assertThat(bench.owner(original, "log", "-1", "--format=%an %ae|%cn|%s", "holdfast/ticket-7"))
        .isEqualTo("Holdfast holdfast@localhost|Holdfast|Repair a");
    assertThat(bench.owner(original, "fsck")).doesNotContain("missing", "error");
  }

  @Test
  @DisplayName("No hook, filter, monitor or signing of the original is executed, nor of the result")
  void nothingRuns() throws Exception {
    Path trace = temp.resolve("ran");
    String run = "touch " + trace + "; cat";
    for (String hook :
        List.of(
            "post-checkout",
            "pre-commit",
            "commit-msg",
            "update",
            "pre-receive",
            "post-receive",
            "reference-transaction",
            "post-update",
            "pre-push",
            "post-index-change")) {
      Path file = original.resolve(".git/hooks/" + hook);
      Files.createDirectories(file.getParent());
      Files.writeString(file, "#!/bin/sh\ntouch " + trace + "\n");
      assertThat(file.toFile().setExecutable(true)).isTrue();
    }
    Files.writeString(
        original.resolve(".git/config"),
        "\n[filter \"evil\"]\n\tclean = "
            + run
            + "\n\tsmudge = "
            + run
            + "\n\trequired = true\n"
            + "[core]\n\tfsmonitor = "
            + run
            + "\n\tsshCommand = "
            + run
            + "\n"
            + "[uploadpack]\n\tpackObjectsHook = "
            + run
            + "\n[commit]\n\tgpgSign = true\n"
            + "[gpg]\n\tprogram = "
            + run
            + "\n[diff]\n\texternal = "
            + run
            + "\n",
        java.nio.file.StandardOpenOption.APPEND);
    Files.writeString(original.resolve(".gitattributes"), "* filter=evil diff=evil\n");
    // The owner's own git may run them: only what comes after counts.
    bench.owner(
        original,
        "-c",
        "core.hooksPath=/dev/null",
        "-c",
        "commit.gpgSign=false",
        "-c",
        "core.fsmonitor=false",
        "add",
        ".gitattributes");
    bench.owner(
        original,
        "-c",
        "core.hooksPath=/dev/null",
        "-c",
        "commit.gpgSign=false",
        "-c",
        "core.fsmonitor=false",
        "commit",
        "-q",
        "-m",
        "attributes");
    Files.deleteIfExists(trace);
    try (TicketRepository repository = bench.open(1, original)) {
      bench.repaired(repository);
      assertThat(
              repository.diff(
                  repository.baseTree(), repository.treeOf(repository.result().orElseThrow())))
          .contains("+repaired");
    }
    assertThat(trace).doesNotExist();
  }

  @Test
  @DisplayName("E26: a snapshot is the tree's hash, and restore brings it back to the letter")
  void snapshots() throws Exception {
    try (TicketRepository repository = bench.open(1, original)) {
      Worktree worktree = repository.worktree("main", repository.baseTree());
      Path directory = worktree.directory();
      assertThat(worktree.snapshot()).isEqualTo(repository.baseTree());
      Files.writeString(directory.resolve("a.txt"), "changed\n");
      Files.createDirectories(directory.resolve("d/e"));
      Files.writeString(directory.resolve("d/e/new.txt"), "new\n");
      Files.createDirectories(directory.resolve("out"));
      Files.writeString(directory.resolve("out/built.txt"), "built\n");
      String changed = worktree.snapshot();
      assertThat(changed).isNotEqualTo(repository.baseTree());
      assertThat(worktree.changes(repository.baseTree(), changed))
          .containsExactly("a.txt", "d/e/new.txt");

      worktree.restore(repository.baseTree());
      assertThat(worktree.snapshot()).isEqualTo(repository.baseTree());
      assertThat(directory.resolve("a.txt")).hasContent("a\n");
      assertThat(directory.resolve("d")).doesNotExist();
      assertThat(directory.resolve("out/built.txt")).hasContent("built\n");

      worktree.restore(changed);
      assertThat(directory.resolve("d/e/new.txt")).hasContent("new\n");
      assertThat(worktree.snapshot()).isEqualTo(changed);
      String ignored = worktree.snapshotOf(List.of("out/built.txt", "absent"));
      assertThat(worktree.changes(changed, ignored)).containsExactly("out/built.txt");
      Files.delete(directory.resolve("a.txt"));
      Files.createDirectory(directory.resolve("a.txt"));
      Files.writeString(directory.resolve("a.txt/x"), "x");
      worktree.restore(ignored);
      assertThat(worktree.snapshot()).isEqualTo(ignored);
      assertThatThrownBy(() -> worktree.restore("0".repeat(40))).isInstanceOf(IOException.class);
      // A second one is apart from the first.
      Worktree other = repository.worktree("candidate-1", changed);
      Files.writeString(other.directory().resolve("a.txt"), "other\n");
      assertThat(worktree.snapshot()).isEqualTo(ignored);
    }
  }

  @Test
  @DisplayName("E26: a program that replaces .git by a repository of its own gains nothing")
  void replacedGit() throws Exception {
    Path trace = temp.resolve("ran");
    try (TicketRepository repository = bench.open(1, original)) {
      Worktree worktree = repository.worktree("main", repository.baseTree());
      Path directory = worktree.directory();
      Files.delete(directory.resolve(".git"));
      bench.owner(directory, "init", "-q");
      bench.owner(directory, "config", "filter.evil.clean", "touch " + trace + "; cat");
      Files.writeString(directory.resolve(".gitattributes"), "* filter=evil\n");
      Files.writeString(directory.resolve("a.txt"), "changed\n");
      assertThat(worktree.changes(repository.baseTree(), worktree.snapshot()))
          .containsExactly(".gitattributes", "a.txt");
      worktree.restore(repository.baseTree());
      assertThat(worktree.snapshot()).isEqualTo(repository.baseTree());
    }
    assertThat(trace).doesNotExist();
  }

  /** A worker whose user may not enter a directory. */
  static final class ShutOut {
    private ShutOut() {}

    public static void main(String[] args) throws Exception {
      try {
        Original.at(GitBench.GIT, Path.of(args[0]));
      } catch (RepositoryException e) {
        System.out.println(e.getMessage());
      }
    }
  }

  @Test
  @DisplayName("One below a directory that the worker may not enter is not said to be missing")
  void shutOut() throws Exception {
    Path closed = temp.resolve("closed");
    Files.createDirectories(closed.resolve("repository"));
    Files.setPosixFilePermissions(closed, Set.of());
    assertThat(UnprivilegedJava.run(ShutOut.class, closed.resolve("repository").toString()))
        .contains("cannot be reached (EACCES): the worker's user may not enter " + closed);
    Files.setPosixFilePermissions(closed, PosixFilePermissions.fromString("rwx------"));
  }

  @Test
  @DisplayName("What an attempt left is deleted though no more directory can be made for it")
  void noRoomForTrash() throws Exception {
    bench.open(7, original).close();
    Path left = Files.createDirectories(temp.resolve("work/ticket-7/worktrees/main"));
    Files.createFile(temp.resolve("work/ticket-7/trash"));
    bench.open(7, original).close();
    assertThat(left).doesNotExist();
  }

  @Test
  @DisplayName("What a killed attempt left is cleared away, and its result and commit are kept")
  void afterCrash() throws Exception {
    RepositorySource source = RepositorySource.local(original.toString(), "main");
    String base;
    String result;
    try (TicketRepository repository = bench.open(3, original)) {
      base = repository.baseCommit();
      result = bench.repaired(repository);
    }
    Path place = temp.resolve("work/ticket-3");
    Files.createDirectories(place.resolve("worktrees/main"));
    Files.writeString(place.resolve("worktrees/main/half"), "half");
    Files.writeString(place.resolve("repository.git/config.lock"), "");
    Files.writeString(place.resolve("repository.git/refs/heads/holdfast/ticket-3.lock"), "");
    bench.commit(original, Map.of("a.txt", "moved on\n"));
    try (TicketRepository again = bench.tickets().open(3, source, Optional.of(base))) {
      assertThat(again.baseCommit()).isEqualTo(base);
      assertThat(again.result()).contains(result);
      assertThat(place.resolve("worktrees")).doesNotExist();
      Worktree worktree = again.worktree("main", again.treeOf(result));
      assertThat(worktree.directory().resolve("a.txt")).hasContent("repaired\n");
      bench.repaired(again);
    }
    // Killed in the middle of the first fetch.
    Files.delete(place.resolve("repository.git/refs/holdfast/base"));
    Files.deleteIfExists(place.resolve("repository.git/HEAD"));
    try (TicketRepository anew = bench.tickets().open(3, source, Optional.of(base))) {
      assertThat(anew.baseCommit()).isEqualTo(base);
      bench.repaired(anew);
    }
    bench.tickets().delete(3);
    assertThat(place).doesNotExist();
  }

  @Test
  @DisplayName("An attempt waits for an earlier one whose programs are still being ended")
  void waits() throws Exception {
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      Future<TicketRepository> second;
      try (TicketRepository first = bench.open(1, original)) {
        second = threads.submit(() -> bench.open(1, original));
        assertThatThrownBy(() -> second.get(500, TimeUnit.MILLISECONDS))
            .isInstanceOf(TimeoutException.class);
        assertThat(first.baseTree()).isNotEmpty();
      }
      second.get(30, TimeUnit.SECONDS).close();
    }
  }

  @Test
  @DisplayName("A ticket is one attempt's; others work on the same repository at the same time")
  void concurrent() throws Exception {
    try (TicketRepository first = bench.open(1, original)) {
      assertThat(first.baseTree()).isNotEmpty();
      TicketRepositories hasty =
          new TicketRepositories(temp.resolve("work"), GitBench.GIT, Duration.ofMillis(1));
      RepositorySource source = RepositorySource.local(original.toString(), "main");
      assertThatThrownBy(() -> hasty.open(1, source, Optional.empty()))
          .isInstanceOf(RepositoryException.class)
          .hasMessageContaining("another attempt");
    }
    List<Callable<String>> work = new ArrayList<>();
    for (long id = 1; id <= 4; id++) {
      long ticket = id;
      work.add(
          () -> {
            try (TicketRepository repository = bench.open(ticket, original)) {
              repository.worktree("one", repository.baseTree());
              repository.worktree("two", repository.baseTree());
              return bench.repaired(repository);
            }
          });
    }
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<String>> results = threads.invokeAll(work);
      for (int i = 0; i < results.size(); i++) {
        assertThat(bench.owner(original, "rev-parse", "holdfast/ticket-" + (i + 1)))
            .isEqualTo(results.get(i).get());
      }
    }
  }

  @Test
  @DisplayName("A ref that is a branch and a tag is the branch, of a path as of a URL")
  void branchBeforeTag() throws Exception {
    bench.owner(original, "tag", "main");
    bench.owner(original, "tag", "v1");
    String main = bench.commit(original, Map.of("b.txt", "b\n"));
    String tagged = bench.owner(original, "rev-parse", "v1");
    List<RepositorySource> sources =
        List.of(
            RepositorySource.local(original.toString(), "main"),
            RepositorySource.remote("file://" + original, "main"));
    for (RepositorySource source : sources) {
      try (TicketRepository repository = bench.tickets().open(8, source, Optional.empty())) {
        assertThat(repository.baseCommit()).isEqualTo(main);
      }
    }
    try (TicketRepository repository = bench.remote(8, original, "v1")) {
      assertThat(repository.baseCommit()).isEqualTo(tagged);
    }
    assertThatThrownBy(() -> bench.remote(8, original, "nope"))
        .isInstanceOf(RepositoryException.class)
        .hasMessageContaining("has no branch, tag or commit nope");
  }

  @Test
  @DisplayName(
      "HEAD is the branch that was checked out when the repair began, also at the delivery")
  void headAtTheBeginning() throws Exception {
    RepositorySource source = RepositorySource.local(original.toString(), "HEAD");
    String base = bench.owner(original, "rev-parse", "HEAD");
    String commit;
    try (TicketRepository repository = bench.tickets().open(8, source, Optional.empty())) {
      commit = bench.repaired(repository);
    }
    bench.owner(original, "checkout", "-q", "-b", "wip");
    try (TicketRepository repository = bench.tickets().open(8, source, Optional.of(base))) {
      assertThat(repository.merge())
          .isEqualTo(new Delivery.Delivered("branch main of " + original, commit));
    }
    assertThat(bench.owner(original, "rev-parse", "main", "wip")).isEqualTo(commit + "\n" + base);
    bench.owner(original, "checkout", "-q", "--detach");
    try (TicketRepository repository = bench.tickets().open(9, source, Optional.empty())) {
      bench.repaired(repository);
      bench.owner(original, "checkout", "-q", "wip");
      assertThat(repository.merge())
          .isInstanceOfSatisfying(
              Delivery.Refused.class,
              refused -> assertThat(refused.reason()).contains("HEAD of", "is no branch"));
    }
  }

  @Test
  @DisplayName("A URL is repaired though git of the worker's user takes no bare repository")
  void onlyExplicitlyBare() throws Exception {
    Path home = Files.createDirectories(temp.resolve("home"));
    Files.writeString(home.resolve(".gitconfig"), "[safe]\n\tbareRepository = explicit\n");
    Map<String, String> environment = new TreeMap<>(System.getenv());
    environment.put("HOME", home.toString());
    TicketRepositories tickets =
        new TicketRepositories(temp.resolve("work"), GitProgram.unconfined(environment));
    RepositorySource source = RepositorySource.remote("file://" + original, "main");
    try (TicketRepository repository = tickets.open(9, source, Optional.empty())) {
      String commit = bench.repaired(repository);
      assertThat(repository.push()).isInstanceOf(Delivery.Delivered.class);
      assertThat(bench.owner(original, "rev-parse", "holdfast/ticket-9")).isEqualTo(commit);
    }
  }

  @Test
  @DisplayName("A git that was killed while it made a worktree is in no later attempt's way")
  void killedInWorktree() throws Exception {
    bench.open(3, original).close();
    try (TicketRepository repository = bench.open(3, original)) {
      repository.worktree("main", repository.baseTree());
      Path kept = temp.resolve("work/ticket-3/repository.git/worktrees/main");
      Files.writeString(kept.resolve("locked"), "initializing");
      assertThat(bench.repaired(repository)).isNotEmpty();
    }
  }

  @Test
  @DisplayName("A URL's ref is a branch only if that very branch is there, whatever HEAD is called")
  void remoteBranches() throws Exception {
    Path bare = bench.bare(original);
    bench.owner(bare, "branch", "-m", "main", "release");
    bench.owner(bare, "branch", "dev");
    bench.owner(bare, "tag", "rel");
    String refs = bench.owner(bare, "for-each-ref");
    try (TicketRepository repository = bench.remote(5, bare, "rel")) {
      String commit = bench.repaired(repository);
      assertThat(repository.merge())
          .isInstanceOfSatisfying(
              Delivery.Refused.class,
              refused ->
                  assertThat(refused.reason())
                      .contains("is no branch", commit, "ticket-5/repository.git"));
      assertThat(bench.owner(bare, "for-each-ref")).isEqualTo(refs);
    }
    for (String ref : List.of("refs/heads/dev", "HEAD")) {
      try (TicketRepository repository = bench.remote(6, bare, ref)) {
        String commit = bench.repaired(repository);
        String branch = ref.equals("HEAD") ? "release" : "dev";
        assertThat(repository.merge())
            .isEqualTo(new Delivery.Delivered("branch " + branch + " of file://" + bare, commit));
        assertThat(bench.owner(bare, "rev-parse", branch)).isEqualTo(commit);
      }
    }
  }

  @Test
  @DisplayName("A local repository whose ids are SHA-256 is repaired like any other")
  void sha256() throws Exception {
    Path other = Files.createDirectories(temp.resolve("sha256"));
    bench.owner(other, "init", "-q", "-b", "main", "--object-format=sha256");
    bench.commit(other, Map.of("a.txt", "a\n"));
    try (TicketRepository repository = bench.open(3, other)) {
      String commit = bench.repaired(repository);
      assertThat(commit).hasSize(64);
      assertThat(repository.merge())
          .isEqualTo(new Delivery.Delivered("branch main of " + other, commit));
    }
  }

  @Test
  @DisplayName("So is one at a URL, whose ids are not known before it is asked")
  void remoteSha256() throws Exception {
    Path other = Files.createDirectories(temp.resolve("sha256"));
    bench.owner(other, "init", "-q", "-b", "main", "--object-format=sha256");
    bench.commit(other, Map.of("a.txt", "a\n"));
    Path bare = bench.bare(other);
    Instant at = Instant.now();
    try (TicketRepository repository = bench.remote(3, bare, "main")) {
      assertThat(bench.repaired(repository, at)).hasSize(64);
    }
    try (TicketRepository repository = bench.remote(3, bare, "main")) {
      String commit = bench.repaired(repository, at);
      assertThat(repository.merge())
          .isEqualTo(new Delivery.Delivered("branch main of file://" + bare, commit));
      assertThat(bench.owner(bare, "rev-parse", "main")).isEqualTo(commit);
    }
    String base = bench.owner(bare, "rev-parse", "main");
    TicketRepositories elsewhere = new TicketRepositories(temp.resolve("elsewhere"), GitBench.GIT);
    try (TicketRepository repository =
        elsewhere.open(3, RepositorySource.remote("file://" + bare, "main"), Optional.of(base))) {
      assertThat(repository.baseCommit()).isEqualTo(base);
    }
  }

  @Test
  @DisplayName(
      "A branch that another database's ticket of this number has written stays, the result gets"
          + " the next name, and keeps it")
  void otherDatabase() throws Exception {
    RepositorySource source = RepositorySource.local(original.toString(), "main");
    TicketRepositories staging = new TicketRepositories(temp.resolve("staging"), GitBench.GIT);
    String approved;
    try (TicketRepository production = bench.open(7, original)) {
      approved = bench.repaired(production);
    }
    String base;
    try (TicketRepository repository = staging.open(7, source, Optional.empty())) {
      base = repository.baseCommit();
      String commit = bench.repaired(repository, Instant.now().plusSeconds(60));
      assertThat(repository.branch()).isEqualTo("holdfast/ticket-7-2");
      assertThat(bench.owner(original, "rev-parse", "holdfast/ticket-7-2")).isEqualTo(commit);
    }
    try (TicketRepository again = staging.open(7, source, Optional.of(base))) {
      assertThat(again.branch()).isEqualTo("holdfast/ticket-7-2");
      Worktree worktree = again.worktree("main", again.baseTree());
      Files.writeString(worktree.directory().resolve("a.txt"), "better\n");
      String commit = again.commit(worktree.snapshot(), "Better", Instant.now());
      assertThat(bench.owner(original, "rev-parse", "holdfast/ticket-7-2")).isEqualTo(commit);
    }
    // The database was made anew, and its workers have the directory of the earlier one.
    try (TicketRepository anew = bench.open(7, original)) {
      assertThat(anew.result()).isEmpty();
      bench.repaired(anew, Instant.now().plusSeconds(120));
      assertThat(anew.branch()).isEqualTo("holdfast/ticket-7-3");
      assertThat(anew.merge()).isInstanceOf(Delivery.Delivered.class);
    }
    assertThat(bench.owner(original, "rev-parse", "holdfast/ticket-7")).isEqualTo(approved);
  }

  @Test
  @DisplayName(
      "A ticket that starts over replaces its earlier result, but not that of another database's"
          + " ticket, nor one that a person has added to")
  void startsOver() throws Exception {
    RepositorySource source = RepositorySource.local(original.toString(), "main");
    String first;
    try (TicketRepository repository = started("2026-11-26T08:00:00.000001Z", source)) {
      first = bench.repaired(repository);
    }
    String second;
    try (TicketRepository anew = started("2026-11-26T08:00:00.000001Z", source)) {
      assertThat(anew.result()).isEmpty();
      Worktree worktree = anew.worktree("main", anew.baseTree());
      Files.writeString(worktree.directory().resolve("a.txt"), "better\n");
      second = anew.commit(worktree.snapshot(), "Better", Instant.now());
      assertThat(anew.branch()).isEqualTo("holdfast/ticket-7");
      assertThat(bench.owner(original, "rev-parse", "holdfast/ticket-7")).isEqualTo(second);
      assertThat(anew.treeOf(first)).as("the earlier one is kept here").isNotEmpty();
    }
    try (TicketRepository other = started("2026-11-26T08:00:00.000002Z", source)) {
      bench.repaired(other);
      assertThat(other.branch()).isEqualTo("holdfast/ticket-7-2");
    }
    String ours = bench.owner(original, "rev-parse", "holdfast/ticket-7-2");
    String amended =
        bench.owner(original, "commit-tree", ours + "^{tree}", "-p", ours, "-m", "A person's");
    bench.owner(original, "update-ref", "refs/heads/holdfast/ticket-7-2", amended);
    try (TicketRepository again = started("2026-11-26T08:00:00.000002Z", source)) {
      bench.repaired(again);
      assertThat(again.branch()).isEqualTo("holdfast/ticket-7-3");
    }
    assertThat(bench.owner(original, "rev-parse", "holdfast/ticket-7")).isEqualTo(second);
    assertThat(bench.owner(original, "rev-parse", "holdfast/ticket-7-2")).isEqualTo(amended);
  }

  private TicketRepository started(String created, RepositorySource source) throws Exception {
    return bench.tickets().open(7, Instant.parse(created), source, Optional.empty());
  }

  @Test
  @DisplayName(
      "An attempt that goes on leaves the result of another database's ticket that is here")
  void goesOnBesideAnother() throws Exception {
    RepositorySource source = RepositorySource.local(original.toString(), "main");
    String theirs;
    String base;
    try (TicketRepository repository = started("2026-11-26T08:00:00Z", source)) {
      base = repository.baseCommit();
      theirs = bench.repaired(repository);
    }
    Instant created = Instant.parse("2026-11-26T09:00:00Z");
    try (TicketRepository repository =
        bench.tickets().open(7, created, source, Optional.of(base))) {
      assertThat(repository.result()).isEmpty();
      String ours = bench.repaired(repository, created);
      assertThat(repository.branch()).isEqualTo("holdfast/ticket-7-2");
      assertThat(bench.owner(original, "rev-parse", "holdfast/ticket-7", "holdfast/ticket-7-2"))
          .isEqualTo(theirs + "\n" + ours);
    }
    try (TicketRepository repository =
        bench.tickets().open(7, created, source, Optional.of(base))) {
      assertThat(repository.branch()).as("once more").isEqualTo("holdfast/ticket-7-2");
    }
  }
}
