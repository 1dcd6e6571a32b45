package dev.holdfast.repair.git;

import dev.holdfast.tool.git.Git;
import dev.holdfast.tool.git.GitCommand;
import dev.holdfast.tool.git.GitResult;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Pushes or merges a repair from the ticket's repository into its source, as the design says. */
record ResultDelivery(Git git, GitDirectory repository, ResultBranches branches, String branch) {
  private static final Duration TIMEOUT = Duration.ofMinutes(15);
  private static final int NO_SUCH_SETTING = 1;

  /**
   * The number of commits in which a result is searched in a branch at a URL, which may be another
   * database's.
   */
  private static final int LATER_COMMITS = 100;

  private static final String HEADS = ResultBranches.HEADS;
  private static final String SYMBOLIC = "ref: " + HEADS;

  /**
   * Puts the result into the original, and changes nothing else there.
   *
   * @throws IOException if it cannot be
   */
  void publish(RepositorySource.Local local, ResultBranches.Place place, String commit)
      throws IOException, InterruptedException {
    String path = Original.at(git, local.path()).path();
    GitCommand command = push(place, path, commit, "receive-pack");
    GitResult result = repository.run(command);
    if (!result.stderr().contains("shallow update not allowed")) {
      requireSuccess(command, result);
      return;
    }
    GitCommand whole = withHistory(command, path);
    GitResult again = repository.run(whole);
    GitCommand walk = repository.command("rev-list", "--quiet", commit).withTimeout(TIMEOUT);
    if (again.isSuccess() || repository.run(withHistory(walk, path)).isSuccess()) {
      requireSuccess(whole, again);
    } else {
      // That history is gone there, too, so the branch begins with its base.
      repository.checked(push(place, path, commit, "-c receive.shallowUpdate=true receive-pack"));
    }
  }

  private static void requireSuccess(GitCommand command, GitResult result) throws IOException {
    if (!result.isSuccess()) {
      throw GitDirectory.failure(command, result);
    }
  }

  private GitCommand push(ResultBranches.Place place, String path, String commit, String service) {
    return push(
        "--receive-pack=" + Fetching.server(service, path),
        place.lease(),
        "--",
        path,
        commit + ":" + place.ref());
  }

  /**
   * Makes a command use the history that the original still has. Git takes a base only with that
   * history where no ref of the original reaches it any more, because its branch was amended,
   * rebased or deleted.
   */
  private static GitCommand withHistory(GitCommand command, String path) {
    String objects = path.replace("\\", "\\\\").replace("\"", "\\\"") + "/objects";
    return command
        .withVariable("GIT_ALTERNATE_OBJECT_DIRECTORIES", '"' + objects + '"')
        .withVariable("GIT_SHALLOW_FILE", path + "/shallow");
  }

  Delivery push(RepositorySource source, String commit) throws IOException, InterruptedException {
    ResultBranches.Place place = branches.place(source, Optional.of(commit), commit);
    for (String other : place.passed()) {
      if (isBelow(source, other, commit)) {
        return delivered(other, source, commit);
      }
    }
    return switch (source) {
      case RepositorySource.Local local -> {
        publish(local, place, commit);
        yield delivered(place.name(), source, commit);
      }
      case RepositorySource.Remote remote ->
          pushed(
              remote,
              push(place.lease(), "--", remote.url(), commit + ":" + place.ref()),
              place.name(),
              commit);
    };
  }

  Delivery merge(RepositorySource source, String base, String commit)
      throws IOException, InterruptedException {
    return switch (source) {
      case RepositorySource.Local local -> mergeLocal(local, base, commit);
      case RepositorySource.Remote remote -> mergeRemote(remote, base, commit);
    };
  }

  private Delivery mergeLocal(RepositorySource.Local local, String base, String commit)
      throws IOException, InterruptedException {
    GitDirectory original = Original.at(git, local.path()).directory();
    Optional<String> target = branchOf(original, local.ref());
    if (target.isEmpty()) {
      return new Delivery.Refused(
          local.ref() + " of " + local.path() + " is no branch: merge " + branch + " by hand");
    }
    String name = target.get();
    if (contains(original, name, commit)) {
      return delivered(name, local, commit);
    }
    Optional<String> now = original.commit(HEADS + name);
    if (now.isEmpty()) {
      return new Delivery.Refused(
          "%s has no branch %s any more, which the repair began with: merge %s by hand"
              .formatted(local.path(), name, branch));
    }
    if (!now.get().equals(base)) {
      return new Delivery.MovedOn(
          "%s of %s has moved on since the repair began".formatted(name, local.path()),
          "merge " + branch + " by hand");
    }
    publish(local, branches.place(local, Optional.of(commit), commit), commit);
    Optional<Path> busy = BranchInUse.in(original, name);
    if (busy.isPresent()) {
      return new Delivery.Refused(
          "%s is being rebased or bisected (%s): finish that, then run git merge %s"
              .formatted(name, busy.get(), branch));
    }
    Optional<Path> checkout = Checkouts.of(original, name);
    if (checkout.isPresent()) {
      return mergeCheckout(
          new GitDirectory(original.git(), checkout.get()), local, name, base, commit);
    }
    original.checked("update-ref", "-m", "holdfast: " + branch, HEADS + name, commit, base);
    return delivered(name, local, commit);
  }

  /**
   * True if a branch has the commit already, after a crash or because a person merged it by hand.
   */
  private static boolean contains(GitDirectory original, String name, String commit)
      throws IOException, InterruptedException {
    return original
        .run(original.command("merge-base", "--is-ancestor", commit, HEADS + name))
        .isSuccess();
  }

  /**
   * Merges in a checkout of the branch and updates its files; it is never left half updated. A
   * checkout whose files go through programs is left to its owner, because these would run as the
   * worker's user.
   */
  private Delivery mergeCheckout(
      GitDirectory checkout, RepositorySource.Local local, String name, String base, String commit)
      throws IOException, InterruptedException {
    List<String> filters = filters(checkout);
    if (!filters.isEmpty()) {
      return new Delivery.Refused(
          "%s has %s checked out and filters that run programs (%s): run git merge %s there"
              .formatted(checkout.directory(), name, String.join(", ", filters), branch));
    }
    GitCommand merge =
        here(
            checkout,
            "merge",
            "--quiet",
            "--ff-only",
            // branch.NAME.mergeOptions may ask for a squash: the branch would stay where it is
            "--no-squash",
            // otherwise git would overwrite the only copy of a file that it does not keep
            "--no-overwrite-ignore",
            "--no-stat",
            commit);
    boolean changed = isChanged(checkout);
    Optional<GitResult> merged =
        changed
            ? new HalfMerge(checkout, base, commit).end(merge)
            : Optional.of(checkout.run(merge));
    if (merged.isEmpty()) {
      return new Delivery.Refused(
          ("%s has %s checked out with changes that are not committed: commit them, then"
                  + " run git merge %s")
              .formatted(checkout.directory(), name, branch));
    }
    if (merged.get().isSuccess()) {
      return delivered(name, local, commit);
    }
    if (!changed && isChanged(checkout)) {
      // git changes the files before the branch; it could not change that, for example for a left
      // lock.
      checkout.checked(here(checkout, "read-tree", "-m", "-u", commit, base));
    }
    return new Delivery.Refused(
        "git merge --ff-only fails in %s (%s): merge %s by hand"
            .formatted(checkout.directory(), merged.get().stderr().strip(), branch));
  }

  private static boolean isChanged(GitDirectory checkout) throws IOException, InterruptedException {
    GitCommand status =
        here(checkout, "status", "--porcelain", "--untracked-files=no", "--ignore-submodules=all");
    return !checkout.checked(status).isEmpty();
  }

  /**
   * Makes a command for the checkout itself, wherever the repository's configuration says its files
   * are.
   */
  static GitCommand here(GitDirectory checkout, String... words) {
    return checkout.command(words).withVariable("GIT_WORK_TREE", checkout.directory().toString());
  }

  /** Returns the repository's settings that name programs for files; reading them runs none. */
  private static List<String> filters(GitDirectory checkout)
      throws IOException, InterruptedException {
    GitCommand ask =
        checkout.command(
            "config",
            "--null",
            "--name-only",
            "--get-regexp",
            "^filter\\..*\\.(clean|smudge|process)$");
    GitResult result = checkout.run(ask);
    return result.exitCode() == NO_SUCH_SETTING
        ? List.of()
        : Stream.of(checkout.checked(ask).split("\0", -1)).filter(each -> !each.isEmpty()).toList();
  }

  private Optional<String> branchOf(GitDirectory original, String ref)
      throws IOException, InterruptedException {
    if (ref.equals("HEAD")) {
      return new Fetching(git, repository).head(original);
    }
    String name = ref.startsWith(HEADS) ? ref.substring(HEADS.length()) : ref;
    return original.commit(HEADS + name).map(found -> name);
  }

  private Delivery mergeRemote(RepositorySource.Remote remote, String base, String commit)
      throws IOException, InterruptedException {
    Optional<String> name = branchOf(remote);
    if (name.isEmpty()) {
      return new Delivery.Refused(
          "%s of %s is no branch: %s".formatted(remote.ref(), remote.url(), byHand(commit)));
    }
    String target = HEADS + name.get();
    GitCommand command =
        push(
            "--force-with-lease=" + target + ":" + base, "--", remote.url(), commit + ":" + target);
    Delivery delivery = pushed(remote, command, name.get(), commit);
    return delivery instanceof Delivery.MovedOn && contains(remote, target, commit)
        ? delivered(name.get(), remote, commit)
        : delivery;
  }

  /** Whether a person has gone on from the result on that branch. */
  private boolean isBelow(RepositorySource source, String name, String commit)
      throws IOException, InterruptedException {
    return switch (source) {
      case RepositorySource.Local local ->
          contains(Original.at(git, local.path()).directory(), name, commit);
      case RepositorySource.Remote remote ->
          contains(remote, HEADS + name, commit, "--depth=" + LATER_COMMITS);
    };
  }

  private boolean contains(
      RepositorySource.Remote remote, String target, String commit, String... options)
      throws IOException, InterruptedException {
    Optional<String> now = new Fetching(git, repository).fetchBranch(remote, target, options);
    return now.isPresent()
        && repository
            .run(repository.command("merge-base", "--is-ancestor", commit, now.get()))
            .isSuccess();
  }

  /** Returns the ref's own name if it is a branch there, or the branch that its HEAD is. */
  private Optional<String> branchOf(RepositorySource.Remote remote)
      throws IOException, InterruptedException {
    String ref = remote.ref();
    String name = ref.startsWith(HEADS) ? ref.substring(HEADS.length()) : ref;
    String asked = ref.equals("HEAD") ? ref : HEADS + name;
    GitCommand ask =
        repository
            .command("ls-remote", "--symref", "--", remote.url(), asked)
            .withTimeout(TIMEOUT)
            .withOwnConfiguration();
    for (String line : repository.checked(ask).split("\n", -1)) {
      if (ref.equals("HEAD") && line.startsWith(SYMBOLIC) && line.endsWith("\tHEAD")) {
        return Optional.of(line.substring(SYMBOLIC.length(), line.lastIndexOf('\t')));
      }
      if (!ref.equals("HEAD") && line.endsWith("\t" + asked)) {
        return Optional.of(name);
      }
    }
    return Optional.empty();
  }

  /** Says how to merge by hand: the result of a repair of a URL is only here. */
  private String byHand(String commit) {
    return "merge the commit " + commit + " of " + repository.directory() + " by hand";
  }

  private Delivery pushed(
      RepositorySource.Remote remote, GitCommand push, String name, String commit)
      throws IOException, InterruptedException {
    GitCommand command = push.withOwnConfiguration();
    GitResult result = repository.run(command);
    if (result.isSuccess()) {
      return delivered(name, remote, commit);
    }
    String reason =
        "%s does not take %s (%s)".formatted(remote.url(), name, result.stderr().strip());
    if (result.stderr().contains("[rejected]")) {
      return new Delivery.MovedOn(reason, byHand(commit));
    }
    if (result.stderr().contains("rejected]")) {
      return new Delivery.Refused(reason + ": " + byHand(commit));
    }
    throw GitDirectory.failure(command, result);
  }

  private GitCommand push(String... words) {
    String[] all = new String[words.length + 3];
    all[0] = "push";
    all[1] = "--quiet";
    all[2] = "--no-verify";
    System.arraycopy(words, 0, all, 3, words.length);
    return repository.command(all).withTimeout(TIMEOUT);
  }

  private static Delivery delivered(String name, RepositorySource source, String commit) {
    return new Delivery.Delivered("branch " + name + " of " + source.description(), commit);
  }
}
