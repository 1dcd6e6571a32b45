package dev.holdfast.repair.git;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.process.UnprivilegedJava;
import dev.holdfast.tool.git.GitProgram;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
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

  private String repaired(TicketRepository repository) throws Exception {
    return repaired(repository, Instant.now());
  }

  private String repaired(TicketRepository repository, Instant at) throws Exception {
    Worktree worktree = repository.worktree("main", repository.baseTree());
    Files.writeString(worktree.directory().resolve("a.txt"), "repaired\n");
    return repository.commit(worktree.snapshot(), "Repair a\n\nIt was broken.", at);
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
      commit = repaired(repository);
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
      repaired(repository);
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
      String ignored = worktree.snapshot(List.of("out/built.txt", "absent"));
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
      result = repaired(repository);
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
      repaired(again);
    }
    // Killed in the middle of the first fetch.
    Files.delete(place.resolve("repository.git/refs/holdfast/base"));
    Files.deleteIfExists(place.resolve("repository.git/HEAD"));
    try (TicketRepository anew = bench.tickets().open(3, source, Optional.of(base))) {
      assertThat(anew.baseCommit()).isEqualTo(base);
      repaired(anew);
    }
    bench.tickets().delete(3);
    assertThat(place).doesNotExist();
  }

  @Test
  @DisplayName("A ticket is one attempt's; others work on the same repository at the same time")
  void concurrent() throws Exception {
    try (TicketRepository first = bench.open(1, original)) {
      assertThat(first.baseTree()).isNotEmpty();
      assertThatThrownBy(() -> bench.open(1, original))
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
              return repaired(repository);
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
  @DisplayName(
      "Merge brings the result into the branch and a clean checkout of it, else says why not")
  void merges() throws Exception {
    try (TicketRepository repository = bench.open(1, original)) {
      assertThat(repository.merge()).isInstanceOf(Delivery.Refused.class);
      String commit = repaired(repository);
      Files.writeString(original.resolve("a.txt"), "mine\n");
      assertThat(repository.merge())
          .isInstanceOfSatisfying(
              Delivery.Refused.class,
              refused ->
                  assertThat(refused.reason())
                      .contains("not committed", "git merge holdfast/ticket-1"));
      assertThat(original.resolve("a.txt")).hasContent("mine\n");
      bench.owner(original, "checkout", "-q", "a.txt");
      assertThat(repository.merge())
          .isEqualTo(new Delivery.Delivered("branch main of " + original, commit));
      assertThat(original.resolve("a.txt")).hasContent("repaired\n");
      assertThat(bench.owner(original, "status", "--porcelain")).isEmpty();
      bench.commit(original, Map.of("b.txt", "moved on\n"));
      assertThat(repository.merge())
          .as("it is there already")
          .isEqualTo(new Delivery.Delivered("branch main of " + original, commit));
      bench.owner(original, "reset", "-q", "--hard", "main~2");
      bench.commit(original, Map.of("a.txt", "moved on\n"));
      assertThat(repository.merge())
          .isInstanceOfSatisfying(
              Delivery.MovedOn.class,
              moved -> {
                assertThat(moved.reason()).endsWith("has moved on since the repair began");
                assertThat(moved.step()).isEqualTo("merge holdfast/ticket-1 by hand");
              });
    }
  }

  @Test
  @DisplayName(
      "A checkout whose git directory is elsewhere is brought along; one that was deleted is none")
  void oddCheckouts() throws Exception {
    bench.owner(original, "init", "-q", "--separate-git-dir=" + temp.resolve("elsewhere"));
    bench.owner(original, "worktree", "add", "-q", "-b", "side", temp.resolve("gone").toString());
    Files.move(temp.resolve("gone"), temp.resolve("deleted"));
    try (TicketRepository repository = bench.open(1, original)) {
      repaired(repository);
      assertThat(repository.merge()).isInstanceOf(Delivery.Delivered.class);
      assertThat(original.resolve("a.txt")).hasContent("repaired\n");
      assertThat(bench.owner(original, "status", "--porcelain")).isEmpty();
    }
    RepositorySource side = RepositorySource.local(original.toString(), "side");
    try (TicketRepository repository = bench.tickets().open(2, side, Optional.empty())) {
      String commit = repaired(repository);
      assertThat(repository.merge()).isInstanceOf(Delivery.Delivered.class);
      assertThat(bench.owner(original, "rev-parse", "side")).isEqualTo(commit);
    }
  }

  @Test
  @DisplayName("A file of the checkout that .gitignore names is not written over by a merge")
  void keepsIgnored() throws Exception {
    bench.commit(original, Map.of(".gitignore", ".env\n"));
    Files.writeString(original.resolve(".env"), "the only copy\n");
    try (TicketRepository repository = bench.open(1, original)) {
      Worktree worktree = repository.worktree("main", repository.baseTree());
      Files.writeString(worktree.directory().resolve(".env"), "a model's\n");
      String commit =
          repository.commit(worktree.snapshot(List.of(".env")), "Add .env", Instant.now());
      assertThat(repository.merge())
          .isInstanceOfSatisfying(
              Delivery.Refused.class, refused -> assertThat(refused.reason()).contains(".env"));
      assertThat(original.resolve(".env")).hasContent("the only copy");
      Files.move(original.resolve(".env"), temp.resolve("kept"));
      assertThat(repository.merge())
          .isEqualTo(new Delivery.Delivered("branch main of " + original, commit));
      assertThat(original.resolve(".env")).hasContent("a model's");
    }
  }

  @Test
  @DisplayName("A merge that fails at the branch leaves the checkout's files as they were")
  void mergeFails() throws Exception {
    bench.commit(original, Map.of("gone.txt", "gone\n"));
    Path lock = original.resolve(".git/refs/heads/main.lock");
    try (TicketRepository repository = bench.open(1, original)) {
      Worktree worktree = repository.worktree("main", repository.baseTree());
      Files.writeString(worktree.directory().resolve("a.txt"), "repaired\n");
      Files.writeString(worktree.directory().resolve("new.txt"), "new\n");
      Files.delete(worktree.directory().resolve("gone.txt"));
      String commit = repository.commit(worktree.snapshot(), "Three changes", Instant.now());
      Map<String, String> before = bench.state(original, "holdfast/ticket-1");
      Files.createFile(lock);
      assertThat(repository.merge())
          .isInstanceOfSatisfying(
              Delivery.Refused.class,
              refused -> assertThat(refused.reason()).contains("main.lock"));
      assertThat(bench.state(original, "holdfast/ticket-1")).isEqualTo(before);
      Files.delete(lock);
      assertThat(repository.merge())
          .isEqualTo(new Delivery.Delivered("branch main of " + original, commit));
      assertThat(bench.owner(original, "status", "--porcelain")).isEmpty();
    }
  }

  @Test
  @DisplayName("A branch that a person rebases or bisects is not moved under them, in no checkout")
  void branchInUse() throws Exception {
    bench.commit(original, Map.of("b.txt", "b\n"));
    bench.commit(original, Map.of("c.txt", "c\n"));
    Path linked = temp.resolve("linked");
    bench.owner(original, "checkout", "-q", "--detach");
    bench.owner(original, "worktree", "add", "-q", linked.toString(), "main");
    try (TicketRepository repository = bench.open(1, original)) {
      String commit = repaired(repository);
      bench.owner(linked, "-c", "sequence.editor=sed -i 1s/pick/edit/", "rebase", "-i", "HEAD~2");
      requireInUse(repository);
      bench.owner(linked, "rebase", "--continue");
      bench.owner(linked, "bisect", "start", "HEAD", "HEAD~2");
      requireInUse(repository);
      bench.owner(linked, "bisect", "reset");
      assertThat(repository.merge())
          .isEqualTo(new Delivery.Delivered("branch main of " + original, commit));
    }
  }

  private static void requireInUse(TicketRepository repository) throws Exception {
    assertThat(repository.merge())
        .isInstanceOfSatisfying(
            Delivery.Refused.class,
            refused -> assertThat(refused.reason()).contains("main is being rebased or bisected"));
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
    try (TicketRepository repository = remote(8, original, "v1")) {
      assertThat(repository.baseCommit()).isEqualTo(tagged);
    }
    assertThatThrownBy(() -> remote(8, original, "nope"))
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
      commit = repaired(repository);
    }
    bench.owner(original, "checkout", "-q", "-b", "wip");
    try (TicketRepository repository = bench.tickets().open(8, source, Optional.of(base))) {
      assertThat(repository.merge())
          .isEqualTo(new Delivery.Delivered("branch main of " + original, commit));
    }
    assertThat(bench.owner(original, "rev-parse", "main", "wip")).isEqualTo(commit + "\n" + base);
    bench.owner(original, "checkout", "-q", "--detach");
    try (TicketRepository repository = bench.tickets().open(9, source, Optional.empty())) {
      repaired(repository);
      bench.owner(original, "checkout", "-q", "wip");
      assertThat(repository.merge())
          .isInstanceOfSatisfying(
              Delivery.Refused.class,
              refused -> assertThat(refused.reason()).contains("HEAD of", "is no branch"));
    }
  }

  @Test
  @DisplayName("A URL: fetched, pushed as its branch and merged only by a person's design")
  void remote() throws Exception {
    Path bare = temp.resolve("bare.git");
    bench.owner(temp, "clone", "-q", "--bare", original.toString(), bare.toString());
    RepositorySource source = RepositorySource.remote("file://" + bare, "main");
    String refs = bench.owner(bare, "for-each-ref");
    try (TicketRepository repository = bench.tickets().open(9, source, Optional.empty())) {
      String commit = repaired(repository);
      assertThat(bench.owner(bare, "for-each-ref")).isEqualTo(refs);
      assertThat(repository.push()).isInstanceOf(Delivery.Delivered.class);
      assertThat(bench.owner(bare, "rev-parse", "holdfast/ticket-9")).isEqualTo(commit);
      assertThat(repository.merge())
          .isEqualTo(new Delivery.Delivered("branch main of file://" + bare, commit));
      assertThat(bench.owner(bare, "rev-parse", "main")).isEqualTo(commit);
    }
    bench.commit(original, Map.of("b.txt", "b\n"));
    bench.owner(original, "push", "-q", "--force", bare.toString(), "main");
    try (TicketRepository repository =
        bench.tickets().open(9, source, Optional.of(bench.owner(original, "rev-parse", "main^")))) {
      String commit = repaired(repository);
      assertThat(repository.merge())
          .isInstanceOfSatisfying(
              Delivery.MovedOn.class,
              moved -> assertThat(moved.step()).contains(commit, "ticket-9/repository.git"));
    }
  }

  @Test
  @DisplayName(
      "What the branch of a URL has below later commits counts as delivered, unlike others")
  void remoteMovedOn() throws Exception {
    Path bare = temp.resolve("bare.git");
    bench.owner(temp, "clone", "-q", "--bare", original.toString(), bare.toString());
    try (TicketRepository repository = remote(9, bare, "main")) {
      String commit = repaired(repository);
      assertThat(repository.merge()).isInstanceOf(Delivery.Delivered.class);
      bench.owner(original, "pull", "-q", bare.toString(), "main");
      bench.commit(original, Map.of("b.txt", "b\n"));
      bench.owner(original, "push", "-q", bare.toString(), "main");
      assertThat(repository.merge())
          .isEqualTo(new Delivery.Delivered("branch main of file://" + bare, commit));
      bench.owner(original, "reset", "-q", "--hard", "HEAD~2");
      bench.commit(original, Map.of("c.txt", "c\n"));
      bench.owner(original, "push", "-q", "--force", bare.toString(), "main");
      assertThat(repository.merge()).isInstanceOf(Delivery.MovedOn.class);
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
      String commit = repaired(repository);
      assertThat(repository.push()).isInstanceOf(Delivery.Delivered.class);
      assertThat(bench.owner(original, "rev-parse", "holdfast/ticket-9")).isEqualTo(commit);
    }
  }

  @Test
  @DisplayName(
      "A result gets its branch though the commit that it is based on was amended away meanwhile")
  void baseAmended() throws Exception {
    bench.commit(original, Map.of("b.txt", "b\n"));
    for (boolean collected : new boolean[] {false, true}) {
      try (TicketRepository repository = bench.open(collected ? 2 : 1, original)) {
        String base = repository.baseCommit();
        Files.writeString(original.resolve("b.txt"), "amended " + collected + "\n");
        bench.owner(original, "commit", "-q", "-a", "--amend", "-m", "amended");
        if (collected) {
          bench.owner(original, "reflog", "expire", "--expire=now", "--all");
          bench.owner(original, "gc", "-q", "--prune=now");
        }
        String commit = repaired(repository);
        String branch = repository.branch();
        assertThat(bench.owner(original, "rev-parse", branch, branch + "^", branch + "~2"))
            .isEqualTo(commit + "\n" + base + "\n" + bench.owner(original, "rev-parse", "main^"));
        assertThat(repository.merge()).isInstanceOf(Delivery.MovedOn.class);
        assertThat(original.resolve(".git/shallow")).doesNotExist();
        assertThat(bench.owner(original, "fsck")).doesNotContain("missing", "error");
      }
    }
  }

  @Test
  @DisplayName("A result gets its branch though its base's own history is gone, as after a rebase")
  void historyGone() throws Exception {
    bench.commit(original, Map.of("b.txt", "b\n"));
    bench.commit(original, Map.of("b.txt", "c\n"));
    try (TicketRepository repository = bench.open(1, original)) {
      String base = repository.baseCommit();
      bench.owner(original, "reset", "-q", "--hard", "HEAD~2");
      bench.commit(original, Map.of("d.txt", "d\n"));
      bench.owner(original, "reflog", "expire", "--expire=now", "--all");
      bench.owner(original, "gc", "-q", "--prune=now");
      String commit = repaired(repository);
      String branch = repository.branch();
      assertThat(bench.owner(original, "rev-parse", branch, branch + "^"))
          .isEqualTo(commit + "\n" + base);
      assertThat(repository.merge()).isInstanceOf(Delivery.MovedOn.class);
      assertThat(bench.owner(original, "fsck")).doesNotContain("missing", "error");
      bench.owner(original, "cherry-pick", branch);
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
      assertThat(repaired(repository)).isNotEmpty();
    }
  }

  @Test
  @DisplayName("A URL's ref is a branch only if that very branch is there, whatever HEAD is called")
  void remoteBranches() throws Exception {
    Path bare = temp.resolve("bare.git");
    bench.owner(temp, "clone", "-q", "--bare", original.toString(), bare.toString());
    bench.owner(bare, "branch", "-m", "main", "release");
    bench.owner(bare, "branch", "dev");
    bench.owner(bare, "tag", "rel");
    String refs = bench.owner(bare, "for-each-ref");
    try (TicketRepository repository = remote(5, bare, "rel")) {
      String commit = repaired(repository);
      assertThat(repository.merge())
          .isInstanceOfSatisfying(
              Delivery.Refused.class,
              refused ->
                  assertThat(refused.reason())
                      .contains("is no branch", commit, "ticket-5/repository.git"));
      assertThat(bench.owner(bare, "for-each-ref")).isEqualTo(refs);
    }
    for (String ref : List.of("refs/heads/dev", "HEAD")) {
      try (TicketRepository repository = remote(6, bare, ref)) {
        String commit = repaired(repository);
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
      String commit = repaired(repository);
      assertThat(commit).hasSize(64);
      assertThat(repository.merge())
          .isEqualTo(new Delivery.Delivered("branch main of " + other, commit));
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
      approved = repaired(production);
    }
    String base;
    try (TicketRepository repository = staging.open(7, source, Optional.empty())) {
      base = repository.baseCommit();
      String commit = repaired(repository, Instant.now().plusSeconds(60));
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
      repaired(anew, Instant.now().plusSeconds(120));
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
      first = repaired(repository);
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
      repaired(other);
      assertThat(other.branch()).isEqualTo("holdfast/ticket-7-2");
    }
    String ours = bench.owner(original, "rev-parse", "holdfast/ticket-7-2");
    String amended =
        bench.owner(original, "commit-tree", ours + "^{tree}", "-p", ours, "-m", "A person's");
    bench.owner(original, "update-ref", "refs/heads/holdfast/ticket-7-2", amended);
    try (TicketRepository again = started("2026-11-26T08:00:00.000002Z", source)) {
      repaired(again);
      assertThat(again.branch()).isEqualTo("holdfast/ticket-7-3");
    }
    assertThat(bench.owner(original, "rev-parse", "holdfast/ticket-7")).isEqualTo(second);
    assertThat(bench.owner(original, "rev-parse", "holdfast/ticket-7-2")).isEqualTo(amended);
  }

  private TicketRepository started(String created, RepositorySource source) throws Exception {
    return bench.tickets().open(7, Instant.parse(created), source, Optional.empty());
  }

  @Test
  @DisplayName("What a person has added to the branch of a result stays when the result is merged")
  void amended() throws Exception {
    try (TicketRepository repository = bench.open(7, original)) {
      String commit = repaired(repository);
      String amended =
          bench.owner(
              original, "commit-tree", commit + "^{tree}", "-p", commit, "-m", "A person's");
      bench.owner(original, "update-ref", "refs/heads/holdfast/ticket-7", amended);
      assertThat(repository.merge())
          .isEqualTo(new Delivery.Delivered("branch main of " + original, commit));
      assertThat(bench.owner(original, "rev-parse", "holdfast/ticket-7")).isEqualTo(amended);
    }
  }

  @Test
  @DisplayName("A result that a person has checked out is not replaced under them, and is merged")
  void checkedOut() throws Exception {
    try (TicketRepository repository = bench.open(7, original)) {
      String looked = repaired(repository);
      bench.owner(original, "checkout", "-q", "holdfast/ticket-7");
      Worktree worktree = repository.worktree("main", repository.baseTree());
      Files.writeString(worktree.directory().resolve("a.txt"), "better\n");
      String better = repository.commit(worktree.snapshot(), "Better", Instant.now());
      assertThat(repository.branch()).isEqualTo("holdfast/ticket-7-2");
      assertThat(bench.owner(original, "rev-parse", "HEAD")).isEqualTo(looked);
      bench.owner(original, "checkout", "-q", "holdfast/ticket-7-2");
      assertThat(repository.merge())
          .isEqualTo(new Delivery.Delivered("branch main of " + original, better));
    }
  }

  @Test
  @DisplayName("A push takes the next name where the branch at the URL is not this ticket's")
  void pushesBeside() throws Exception {
    Path bare = temp.resolve("bare.git");
    bench.owner(temp, "clone", "-q", "--bare", original.toString(), bare.toString());
    bench.owner(bare, "branch", "holdfast/ticket-5");
    String theirs = bench.owner(bare, "rev-parse", "main");
    try (TicketRepository repository = remote(5, bare, "main")) {
      String commit = repaired(repository);
      Delivery there =
          new Delivery.Delivered("branch holdfast/ticket-5-2 of file://" + bare, commit);
      assertThat(repository.push()).isEqualTo(there);
      assertThat(repository.push()).as("once more, behind a crash").isEqualTo(there);
      assertThat(bench.owner(bare, "rev-parse", "holdfast/ticket-5-2")).isEqualTo(commit);
      assertThat(bench.owner(bare, "rev-parse", "holdfast/ticket-5")).isEqualTo(theirs);
    }
  }

  @Test
  @DisplayName(
      "A result that a person has added to at its branch is delivered, not pushed beside it")
  void pushedAlready() throws Exception {
    Path bare = temp.resolve("bare.git");
    bench.owner(temp, "clone", "-q", "--bare", original.toString(), bare.toString());
    try (TicketRepository repository = remote(5, bare, "main")) {
      String commit = repaired(repository);
      Delivery there = new Delivery.Delivered("branch holdfast/ticket-5 of file://" + bare, commit);
      assertThat(repository.push()).isEqualTo(there);
      addTo("holdfast/ticket-5", bare, commit);
      assertThat(repository.push()).as("once more, behind a crash").isEqualTo(there);
      assertThat(bench.owner(bare, "branch", "--list", "holdfast/ticket-5-2")).isEmpty();
    }
    try (TicketRepository repository = bench.open(6, original)) {
      String commit = repaired(repository);
      addTo("holdfast/ticket-6", original, commit);
      assertThat(repository.push())
          .isEqualTo(new Delivery.Delivered("branch holdfast/ticket-6 of " + original, commit));
      assertThat(bench.owner(original, "branch", "--list", "holdfast/ticket-6-2")).isEmpty();
    }
  }

  @Test
  @DisplayName("A merge moves the branch though its mergeOptions in the checkout say --squash")
  void mergeOptions() throws Exception {
    bench.owner(original, "config", "branch.main.mergeOptions", "--squash");
    try (TicketRepository repository = bench.open(7, original)) {
      String commit = repaired(repository);
      assertThat(repository.merge())
          .isEqualTo(new Delivery.Delivered("branch main of " + original, commit));
      assertThat(bench.owner(original, "rev-parse", "main")).isEqualTo(commit);
      assertThat(bench.owner(original, "status", "--porcelain")).isEmpty();
    }
  }

  @Test
  @DisplayName("A result whose branch a person has renamed is delivered by a worker without it")
  void renamed() throws Exception {
    String base;
    String commit;
    try (TicketRepository repository = bench.open(7, original)) {
      base = repository.baseCommit();
      commit = repaired(repository);
    }
    bench.owner(original, "branch", "-m", "holdfast/ticket-7", "holdfast/ticket-7-looked");
    TicketRepositories elsewhere = new TicketRepositories(temp.resolve("elsewhere"), GitBench.GIT);
    RepositorySource source = RepositorySource.local(original.toString(), "main");
    try (TicketRepository repository = elsewhere.open(7, source, Optional.of(base))) {
      assertThat(repository.take(commit)).isTrue();
      assertThat(repository.merge())
          .isEqualTo(new Delivery.Delivered("branch main of " + original, commit));
    }
  }

  @Test
  @DisplayName("A worker that makes the commit again behind a lost one takes the same branch")
  void madeAgain() throws Exception {
    Instant at = Instant.parse("2026-11-30T08:00:00Z");
    String base;
    String commit;
    try (TicketRepository repository = bench.open(7, original)) {
      base = repository.baseCommit();
      commit = repaired(repository, at);
    }
    TicketRepositories elsewhere = new TicketRepositories(temp.resolve("elsewhere"), GitBench.GIT);
    RepositorySource source = RepositorySource.local(original.toString(), "main");
    try (TicketRepository repository = elsewhere.open(7, source, Optional.of(base))) {
      assertThat(repaired(repository, at)).isEqualTo(commit);
      assertThat(repository.branch()).isEqualTo("holdfast/ticket-7");
      assertThat(bench.owner(original, "branch", "--list", "holdfast/ticket-7-2")).isEmpty();
    }
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
      theirs = repaired(repository);
    }
    Instant created = Instant.parse("2026-11-26T09:00:00Z");
    try (TicketRepository repository =
        bench.tickets().open(7, created, source, Optional.of(base))) {
      assertThat(repository.result()).isEmpty();
      String ours = repaired(repository, created);
      assertThat(repository.branch()).isEqualTo("holdfast/ticket-7-2");
      assertThat(bench.owner(original, "rev-parse", "holdfast/ticket-7", "holdfast/ticket-7-2"))
          .isEqualTo(theirs + "\n" + ours);
    }
    try (TicketRepository repository =
        bench.tickets().open(7, created, source, Optional.of(base))) {
      assertThat(repository.branch()).as("once more").isEqualTo("holdfast/ticket-7-2");
    }
  }

  private void addTo(String branch, Path repository, String commit) throws Exception {
    String more =
        bench.owner(repository, "commit-tree", commit + "^{tree}", "-p", commit, "-m", "more");
    bench.owner(repository, "update-ref", "refs/heads/" + branch, more);
  }

  private TicketRepository remote(long ticket, Path bare, String ref) throws Exception {
    return bench
        .tickets()
        .open(ticket, RepositorySource.remote("file://" + bare, ref), Optional.empty());
  }
}
