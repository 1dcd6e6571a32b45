package dev.holdfast.repair.git;

import dev.holdfast.tool.git.Git;
import dev.holdfast.tool.git.GitCommand;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The names of a ticket's results: {@code holdfast/ticket-ID}, or {@code holdfast/ticket-ID-2} and
 * so on where that is somebody else's. Another database has a ticket of this number too, and may
 * repair the same source.
 */
record ResultBranches(Git git, GitDirectory repository, long ticketId) {
  static final String HEADS = "refs/heads/";

  private static final String ALL = HEADS + "holdfast/";
  private static final String EARLIER = "refs/holdfast/earlier/";
  private static final Duration TIMEOUT = Duration.ofMinutes(15);

  /**
   * A branch of the source that a result may be put on.
   *
   * @param was the commit that it is at there; empty if there is no such branch
   */
  record Place(String name, String was) {
    String ref() {
      return HEADS + name;
    }

    /** The option of a push that fails where somebody else has written the branch meanwhile. */
    String lease() {
      return "--force-with-lease=" + ref() + ":" + was;
    }
  }

  /** The branch of the ticket's result in its own repository, there or to come. */
  String current() throws IOException, InterruptedException {
    String last =
        repository.checked(
            "for-each-ref", "--count=1", "--sort=-version:refname", "--format=%(refname)", ALL);
    return last.isEmpty() ? name(1) : last.substring(HEADS.length());
  }

  /**
   * Keeps the results that are there, but no more as this ticket's: those of another database's
   * ticket, or those before a fresh start.
   */
  void setAside() throws IOException, InterruptedException {
    String refs = repository.checked("for-each-ref", "--format=%(objectname)\t%(refname)", ALL);
    for (Map.Entry<String, String> each : commits(refs).entrySet()) {
      repository.checked("update-ref", EARLIER + each.getValue(), each.getValue());
      repository.checked("update-ref", "-d", each.getKey());
    }
  }

  /**
   * The current name, or else the next one that is free in the source.
   *
   * @param own the ticket's result, whose branch is replaced
   */
  Place place(RepositorySource source, Optional<String> own)
      throws IOException, InterruptedException {
    Map<String, String> there = there(source);
    String name = current();
    for (int next = number(name) + 1; isTaken(there.get(HEADS + name), own); next++) {
      name = name(next);
    }
    return new Place(name, there.getOrDefault(HEADS + name, ""));
  }

  private static boolean isTaken(@Nullable String commit, Optional<String> own) {
    return commit != null && !own.equals(Optional.of(commit));
  }

  private String name(int number) {
    return "holdfast/ticket-" + ticketId + (number == 1 ? "" : "-" + number);
  }

  private int number(String name) {
    return name.equals(name(1)) ? 1 : Integer.parseInt(name.substring(name(1).length() + 1));
  }

  private Map<String, String> there(RepositorySource source)
      throws IOException, InterruptedException {
    return switch (source) {
      case RepositorySource.Local local ->
          commits(
              Fetching.original(git, local.path())
                  .checked("for-each-ref", "--format=%(objectname)\t%(refname)", ALL));
      case RepositorySource.Remote remote -> {
        GitCommand ask =
            repository
                .command("ls-remote", "--", remote.url(), HEADS + name(1) + "*")
                .withTimeout(TIMEOUT)
                .withOwnConfiguration();
        yield commits(repository.checked(ask));
      }
    };
  }

  /** The commits by their refs. */
  private static Map<String, String> commits(String lines) {
    Map<String, String> commits = new TreeMap<>();
    for (String line : lines.lines().toList()) {
      int tab = line.indexOf('\t');
      commits.put(line.substring(tab + 1), line.substring(0, tab));
    }
    return commits;
  }
}
