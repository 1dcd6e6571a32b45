package dev.holdfast.repair.git;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("A repair's result")
@Timeout(120)
@Tag("slow")
class ResultDeliveryIT {
  @TempDir Path temp;
  private GitBench bench;
  private Path original;

  @BeforeEach
  void setUp() throws Exception {
    bench = new GitBench(temp);
    original = bench.repository("original", Map.of("a.txt", "a\n", ".gitignore", "out/\n"));
  }

  @Test
  @DisplayName(
      "Merge brings the result into the branch and a clean checkout of it, else says why not")
  void merges() throws Exception {
    try (TicketRepository repository = bench.open(1, original)) {
      assertThat(repository.merge()).isInstanceOf(Delivery.Refused.class);
      String commit = bench.repaired(repository);
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
      "A merge that ended with its machine behind the files is ended; what a person staged is not")
  void endsMerge() throws Exception {
    try (TicketRepository repository = bench.open(1, original)) {
      Worktree worktree = repository.worktree("main", repository.baseTree());
      Files.writeString(worktree.directory().resolve("a.txt"), "repaired\n");
      Files.writeString(worktree.directory().resolve("new.txt"), "new\n");
      String commit = repository.commit(worktree.snapshot(), "Repair", Instant.now());
      Path lock = original.resolve(".git/index.lock");
      Files.createFile(lock);
      Files.writeString(original.resolve("a.txt"), "repaired\n");
      Files.writeString(original.resolve("new.txt"), "new\n");
      assertThatThrownBy(repository::merge)
          .isInstanceOf(IOException.class)
          .hasMessageContaining("index.lock");
      Files.delete(lock);
      Files.writeString(original.resolve("a.txt"), "staged\n");
      bench.owner(original, "add", "a.txt");
      Files.writeString(original.resolve("a.txt"), "repaired\n");
      assertThat(repository.merge()).isInstanceOf(Delivery.Refused.class);
      assertThat(bench.owner(original, "show", ":a.txt")).isEqualTo("staged");
      bench.owner(original, "reset", "-q");
      assertThat(repository.merge())
          .isEqualTo(new Delivery.Delivered("branch main of " + original, commit));
      assertThat(bench.owner(original, "rev-parse", "main")).isEqualTo(commit);
      assertThat(bench.owner(original, "status", "--porcelain")).isEmpty();
    }
  }

  @Test
  @DisplayName(
      "A merge that ended with its machine amid the files is ended; a file that a person has made"
          + " in its way or has changed is not")
  void endsHalfMerge() throws Exception {
    bench.commit(original, Map.of("b.txt", "b\n", "c.txt", "c\n", "d.txt", "d\n"));
    bench.commit(original, Map.of("gone.txt", "gone\n", "old.txt", "old\n", "other.txt", "o\n"));
    try (TicketRepository repository = bench.open(1, original)) {
      Worktree worktree = repository.worktree("main", repository.baseTree());
      for (String name : List.of("a.txt", "b.txt", "c.txt", "new.txt", "newer.txt")) {
        Files.writeString(worktree.directory().resolve(name), "repaired\n");
      }
      Files.delete(worktree.directory().resolve("gone.txt"));
      Files.delete(worktree.directory().resolve("old.txt"));
      String commit = repository.commit(worktree.snapshot(), "Repair", Instant.now());
      Files.writeString(original.resolve("a.txt"), "repaired\n");
      Files.writeString(original.resolve("new.txt"), "repaired\n");
      Files.delete(original.resolve("b.txt"));
      Files.delete(original.resolve("gone.txt"));

      String half = bench.owner(original, "status", "--porcelain");
      for (String name : List.of("c.txt", "newer.txt", "old.txt", "other.txt")) {
        Path file = original.resolve(name);
        Optional<String> before =
            Files.exists(file) ? Optional.of(Files.readString(file)) : Optional.empty();
        Files.writeString(file, "mine\n");
        assertThat(repository.merge()).as(name).isInstanceOf(Delivery.Refused.class);
        assertThat(file).hasContent("mine\n");
        if (before.isPresent()) {
          Files.writeString(file, before.get());
        } else {
          Files.delete(file);
        }
        assertThat(bench.owner(original, "status", "--porcelain")).as(name).isEqualTo(half);
      }
      Files.delete(original.resolve("d.txt"));
      assertThat(repository.merge()).isInstanceOf(Delivery.Refused.class);
      Files.writeString(original.resolve("d.txt"), "d\n");

      Path lock = Files.createFile(original.resolve(".git/refs/heads/main.lock"));
      assertThat(repository.merge())
          .isInstanceOfSatisfying(
              Delivery.Refused.class,
              refused -> assertThat(refused.reason()).contains("main.lock"));
      Files.delete(lock);
      assertThat(repository.merge())
          .isEqualTo(new Delivery.Delivered("branch main of " + original, commit));
      assertThat(bench.owner(original, "rev-parse", "main")).isEqualTo(commit);
      assertThat(bench.owner(original, "status", "--porcelain")).isEmpty();
      assertThat(original.resolve("c.txt")).hasContent("repaired\n");
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
      bench.repaired(repository);
      assertThat(repository.merge()).isInstanceOf(Delivery.Delivered.class);
      assertThat(original.resolve("a.txt")).hasContent("repaired\n");
      assertThat(bench.owner(original, "status", "--porcelain")).isEmpty();
    }
    RepositorySource side = RepositorySource.local(original.toString(), "side");
    try (TicketRepository repository = bench.tickets().open(2, side, Optional.empty())) {
      String commit = bench.repaired(repository);
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
          repository.commit(worktree.snapshotOf(List.of(".env")), "Add .env", Instant.now());
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
      String commit = bench.repaired(repository);
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
  @DisplayName("A URL: fetched, pushed as its branch and merged only by a person's design")
  void remote() throws Exception {
    Path bare = bench.bare(original);
    RepositorySource source = RepositorySource.remote("file://" + bare, "main");
    String refs = bench.owner(bare, "for-each-ref");
    try (TicketRepository repository = bench.tickets().open(9, source, Optional.empty())) {
      String commit = bench.repaired(repository);
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
      String commit = bench.repaired(repository);
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
    Path bare = bench.bare(original);
    try (TicketRepository repository = bench.remote(9, bare, "main")) {
      String commit = bench.repaired(repository);
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
        String commit = bench.repaired(repository);
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
      String commit = bench.repaired(repository);
      String branch = repository.branch();
      assertThat(bench.owner(original, "rev-parse", branch, branch + "^"))
          .isEqualTo(commit + "\n" + base);
      assertThat(repository.merge()).isInstanceOf(Delivery.MovedOn.class);
      assertThat(bench.owner(original, "fsck")).doesNotContain("missing", "error");
      bench.owner(original, "cherry-pick", branch);
    }
  }

  @Test
  @DisplayName("A branch that was renamed since HEAD was repaired is not said to have moved on")
  void branchRenamed() throws Exception {
    RepositorySource source = RepositorySource.local(original.toString(), "HEAD");
    try (TicketRepository repository = bench.tickets().open(1, source, Optional.empty())) {
      bench.repaired(repository);
      bench.owner(original, "branch", "-m", "main", "trunk");
      assertThat(repository.merge())
          .isInstanceOfSatisfying(
              Delivery.Refused.class,
              refused ->
                  assertThat(refused.reason())
                      .contains("has no branch main any more", "merge holdfast/ticket-1 by hand"));
    }
  }

  @Test
  @DisplayName("What a person has added to the branch of a result stays when the result is merged")
  void amended() throws Exception {
    try (TicketRepository repository = bench.open(7, original)) {
      String commit = bench.repaired(repository);
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
      String looked = bench.repaired(repository);
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
    Path bare = bench.bare(original);
    bench.owner(bare, "branch", "holdfast/ticket-5");
    String theirs = bench.owner(bare, "rev-parse", "main");
    try (TicketRepository repository = bench.remote(5, bare, "main")) {
      String commit = bench.repaired(repository);
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
    Path bare = bench.bare(original);
    try (TicketRepository repository = bench.remote(5, bare, "main")) {
      String commit = bench.repaired(repository);
      Delivery there = new Delivery.Delivered("branch holdfast/ticket-5 of file://" + bare, commit);
      assertThat(repository.push()).isEqualTo(there);
      addTo("holdfast/ticket-5", bare, commit);
      assertThat(repository.push()).as("once more, behind a crash").isEqualTo(there);
      assertThat(bench.owner(bare, "branch", "--list", "holdfast/ticket-5-2")).isEmpty();
    }
    try (TicketRepository repository = bench.open(6, original)) {
      String commit = bench.repaired(repository);
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
      String commit = bench.repaired(repository);
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
      commit = bench.repaired(repository);
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
      commit = bench.repaired(repository, at);
    }
    TicketRepositories elsewhere = new TicketRepositories(temp.resolve("elsewhere"), GitBench.GIT);
    RepositorySource source = RepositorySource.local(original.toString(), "main");
    try (TicketRepository repository = elsewhere.open(7, source, Optional.of(base))) {
      assertThat(bench.repaired(repository, at)).isEqualTo(commit);
      assertThat(repository.branch()).isEqualTo("holdfast/ticket-7");
      assertThat(bench.owner(original, "branch", "--list", "holdfast/ticket-7-2")).isEmpty();
    }
  }

  private void addTo(String branch, Path repository, String commit) throws Exception {
    String more =
        bench.owner(repository, "commit-tree", commit + "^{tree}", "-p", commit, "-m", "more");
    bench.owner(repository, "update-ref", "refs/heads/" + branch, more);
  }
}
