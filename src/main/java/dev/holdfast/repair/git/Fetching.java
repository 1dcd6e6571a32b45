package dev.holdfast.repair.git;

import dev.holdfast.tool.git.Git;
import dev.holdfast.tool.git.GitCommand;
import dev.holdfast.tool.git.GitProgram;
import dev.holdfast.tool.git.GitResult;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Brings one commit of a source, without its history, into a ticket's repository. */
record Fetching(Git git, GitDirectory repository) {
  /** The ref that keeps the commit in the ticket's repository. */
  static final String BASE = "refs/holdfast/base";

  /** The ref that keeps the branch that a result could not be merged into, as it was then. */
  private static final String TARGET = "refs/holdfast/target";

  /** The setting of the ticket's repository that names the branch that HEAD was. */
  private static final String HEAD = "holdfast.head";

  /** The words of git about a source whose ids do not fit into a usual repository. */
  private static final String ONLY_SHA256 = "mismatched algorithms: client sha1; server sha256";

  private static final Duration TIMEOUT = Duration.ofMinutes(30);

  /**
   * @param wanted the commit, or empty for what the ref is now
   * @return the commit's id
   */
  String fetch(RepositorySource source, Optional<String> wanted)
      throws IOException, InterruptedException {
    switch (source) {
      case RepositorySource.Local local -> fetchLocal(local, wanted);
      case RepositorySource.Remote remote -> fetchRemote(remote, wanted);
    }
    return repository
        .commit(BASE)
        .orElseThrow(
            () ->
                new RepositoryException(
                    source.ref() + " of " + source.description() + " is no commit"));
  }

  private void fetchLocal(RepositorySource.Local local, Optional<String> wanted)
      throws IOException, InterruptedException {
    Original original = Original.at(git, local.path());
    Optional<String> found =
        wanted.isPresent()
            ? original.directory().commit(wanted.get())
            : begun(original.directory(), local.ref());
    String commit = found.orElseThrow(() -> missing(local, wanted));
    String path = original.path();
    GitCommand command =
        fetch(
            "--depth=1",
            "--upload-pack=" + server("upload-pack", path),
            "--",
            path,
            "+" + commit + ":" + BASE);
    GitResult result = repository.run(command);
    if (result.isSuccess()) {
      return;
    }
    if (result.stderr().contains("promisor remote")) {
      throw incomplete(local, commit);
    }
    throw GitDirectory.failure(command, result);
  }

  /**
   * Makes the error for a partial clone; git itself would say that the repository may be corrupt.
   */
  private static RepositoryException incomplete(RepositorySource.Local local, String commit) {
    return new RepositoryException(
        ("%s is a partial clone and lacks files of %s, which are not fetched for it: complete it"
                + " (git -C %s fetch --refetch --no-filter), or name its origin as repository.url")
            .formatted(local.path(), commit, local.path()));
  }

  /**
   * Brings a result that another worker has made from the same base.
   *
   * @return false if the source has it not
   */
  boolean fetchResult(RepositorySource.Local local, String commit)
      throws IOException, InterruptedException {
    Original original = Original.at(git, local.path());
    if (original.directory().commit(commit).isEmpty()) {
      return false;
    }
    String path = original.path();
    // Two commits include the base, where the history still ends.
    repository.checked(
        fetch("--depth=2", "--upload-pack=" + server("upload-pack", path), "--", path, commit));
    return true;
  }

  /**
   * Finds the commit, and keeps the branch that HEAD is: at the delivery a person may have another
   * branch checked out.
   */
  private Optional<String> begun(GitDirectory original, String ref)
      throws IOException, InterruptedException {
    Optional<String> branch = ref.equals("HEAD") ? checkedOut(original) : Optional.empty();
    repository.checked("config", HEAD, branch.orElse(""));
    return named(original, branch.orElse(ref));
  }

  /** Returns the branch that HEAD is, if it is one. */
  static Optional<String> checkedOut(GitDirectory original)
      throws IOException, InterruptedException {
    GitResult head = original.run(original.command("symbolic-ref", "--quiet", "HEAD"));
    return head.isSuccess()
        ? Optional.of(head.stdout().strip().substring(ResultBranches.HEADS.length()))
        : Optional.empty();
  }

  /**
   * Returns the branch that HEAD of a path was when the repair began. Where that is not known,
   * because the copy is another worker's, it returns what HEAD is now.
   */
  Optional<String> head(GitDirectory original) throws IOException, InterruptedException {
    GitResult known = repository.run(repository.command("config", "--get", HEAD));
    return known.isSuccess()
        ? Optional.of(known.stdout().strip()).filter(name -> !name.isEmpty())
        : checkedOut(original);
  }

  /**
   * Returns a branch before a tag of the same name, as a delivery does. Git itself takes the tag.
   */
  private static Optional<String> named(GitDirectory original, String ref)
      throws IOException, InterruptedException {
    Optional<String> branch = original.commit(ResultBranches.HEADS + ref);
    return branch.isPresent() ? branch : original.commit(ref);
  }

  private void fetchRemote(RepositorySource.Remote remote, Optional<String> wanted)
      throws IOException, InterruptedException {
    String ref = remote.ref();
    boolean whole = ref.equals("HEAD") || ref.startsWith("refs/");
    List<String> revisions =
        wanted.isPresent() || whole
            ? List.of(wanted.orElse(ref))
            : List.of(ResultBranches.HEADS + ref, ref);
    for (String revision : revisions) {
      GitCommand command = fetch("--depth=1", "--", remote.url(), "+" + revision + ":" + BASE);
      GitResult result = fetchInItsFormat(command.withOwnConfiguration());
      if (result.isSuccess()) {
        return;
      }
      boolean gone = wanted.isPresent() && result.stderr().contains("not our ref");
      if (!gone && !result.stderr().contains("couldn't find remote ref")) {
        throw GitDirectory.failure(command, result);
      }
    }
    throw missing(remote, wanted);
  }

  /**
   * Fetches, and changes the format of ids if needed. The format of a URL is known only after
   * asking it; the copy is still empty then.
   */
  private GitResult fetchInItsFormat(GitCommand fetch) throws IOException, InterruptedException {
    GitResult result = repository.run(fetch);
    if (result.isSuccess() || !result.stderr().contains(ONLY_SHA256)) {
      return result;
    }
    repository.checked("config", "core.repositoryFormatVersion", "1");
    repository.checked("config", "extensions.objectFormat", "sha256");
    return repository.run(fetch);
  }

  private static RepositoryException missing(RepositorySource source, Optional<String> wanted) {
    return new RepositoryException(
        wanted.isPresent()
            ? ("%s no longer has the commit %s, with which the repair began: release the repair"
                    + " with --fresh, or enqueue it again")
                .formatted(source.description(), wanted.get())
            : "%s has no branch, tag or commit %s: correct repository.ref"
                .formatted(source.description(), source.ref()));
  }

  /**
   * Returns the commit that a branch is at now, with its new commits; empty if it cannot be
   * fetched.
   */
  Optional<String> fetchBranch(RepositorySource.Remote remote, String branch, String... options)
      throws IOException, InterruptedException {
    List<String> words = new ArrayList<>(List.of(options));
    words.addAll(List.of("--", remote.url(), "+" + branch + ":" + TARGET));
    GitCommand command = fetch(words.toArray(String[]::new));
    return repository.run(command.withOwnConfiguration()).isSuccess()
        ? repository.commit(TARGET)
        : Optional.empty();
  }

  private GitCommand fetch(String... words) {
    List<String> all =
        new ArrayList<>(List.of("fetch", "--quiet", "--no-tags", "--update-shallow"));
    all.add("--no-write-fetch-head");
    all.addAll(List.of(words));
    return repository.command(all.toArray(String[]::new)).withTimeout(TIMEOUT);
  }

  /**
   * Returns the command of the other side of a transport to a path. Otherwise it would follow that
   * repository's settings.
   *
   * @param path of that repository's git directory
   */
  static String server(String service, String path) {
    String words =
        Stream.concat(
                Stream.concat(
                    Stream.of("env"),
                    OfflineGit.VARIABLES.entrySet().stream()
                        .map(each -> each.getKey() + "=" + each.getValue())),
                Stream.concat(Stream.of("git"), GitProgram.settings(Path.of(path)).stream()))
            .map(word -> "'" + word.replace("'", "'\\''") + "'")
            .collect(Collectors.joining(" "));
    return words
        + " -c uploadpack.allowAnySHA1InWant=true -c receive.denyNonFastForwards=false"
        + " -c receive.autogc=false "
        + service;
  }
}
