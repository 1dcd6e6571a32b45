package dev.holdfast.repair.git;

import dev.holdfast.tool.git.Git;
import dev.holdfast.tool.git.GitCommand;
import dev.holdfast.tool.git.GitResult;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
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

  /** The ticket's results before it started over. */
  private static final String OWN = "refs/holdfast/own/";

  /** The setting of the ticket's repository that names the ticket that made the results. */
  private static final String OWNER = "holdfast.ticket";

  /** The end of the line of a branch that a person has checked out. */
  private static final String CHECKED_OUT = "\t*";

  private static final String REFS =
      "--format=%(objectname)\t%(refname)%(if)%(worktreepath)%(then)" + CHECKED_OUT + "%(end)";

  private static final Duration TIMEOUT = Duration.ofMinutes(15);

  /**
   * A branch of the source that a result may be put on.
   *
   * @param was the commit that it is at there; empty if there is no such branch
   * @param passed the branches before it that somebody has written or checked out
   */
  record Place(String name, String was, List<String> passed) {
    String ref() {
      return HEADS + name;
    }

    /** The option of a push that fails where somebody else has written the branch meanwhile. */
    String lease() {
      return "--force-with-lease=" + ref() + ":" + was;
    }
  }

  /**
   * Returns the branch of the ticket's result in its own repository, whether it exists yet or not.
   */
  String current() throws IOException, InterruptedException {
    String last =
        repository.checked(
            "for-each-ref", "--count=1", "--sort=-version:refname", "--format=%(refname)", ALL);
    return last.isEmpty() ? name(1) : last.substring(HEADS.length());
  }

  /**
   * Keeps the existing results, but no longer as this ticket's result. Those that this same ticket
   * made before a fresh start may be replaced in the source.
   *
   * @param owner the ticket that begins now; empty where it is not known
   */
  void setAside(Optional<String> owner) throws IOException, InterruptedException {
    boolean own = owner.isPresent() && owner.equals(owner());
    move(own ? List.of(ALL) : List.of(OWN, ALL), own ? OWN : EARLIER);
    repository.checked("config", OWNER, owner.orElse(""));
  }

  /**
   * Goes on with a ticket. The results here may belong to another database's ticket, although an
   * attempt elsewhere has begun ours.
   *
   * @param owner the ticket that goes on; empty where it is not known
   */
  void goOn(Optional<String> owner) throws IOException, InterruptedException {
    Optional<String> known = owner().filter(each -> !each.isEmpty());
    if (owner.isPresent() && known.isPresent() && !known.equals(owner)) {
      setAside(owner);
    } else if (owner.isPresent()) {
      repository.checked("config", OWNER, owner.get());
    }
  }

  private Optional<String> owner() throws IOException, InterruptedException {
    GitResult known = repository.run(repository.command("config", "--get", OWNER));
    return known.isSuccess() ? Optional.of(known.stdout().strip()) : Optional.empty();
  }

  private void move(List<String> from, String to) throws IOException, InterruptedException {
    for (Map.Entry<String, String> each : refs(from).entrySet()) {
      repository.checked("update-ref", to + each.getValue(), each.getValue());
      repository.checked("update-ref", "-d", each.getKey());
    }
  }

  private Map<String, String> refs(List<String> below) throws IOException, InterruptedException {
    List<String> words = new ArrayList<>(List.of("for-each-ref", REFS));
    words.addAll(below);
    return commits(repository.checked(words.toArray(String[]::new)));
  }

  /**
   * Returns the current name, or otherwise the next one that is free in the source. A branch that a
   * person has checked out, for example to look at the result, is not moved under them.
   *
   * @param result the ticket's result, whose branch is replaced
   * @param commit that is to be put there
   */
  Place place(RepositorySource source, Optional<String> result, String commit)
      throws IOException, InterruptedException {
    Set<String> own = new HashSet<>(refs(List.of(OWN)).values());
    result.ifPresent(own::add);
    // An attempt on another machine, of which the journal does not know, may have put it there.
    own.add(commit);
    String branches = there(source);
    Map<String, String> there = commits(branches);
    Set<String> checkedOut = checkedOut(branches);
    List<String> passed = new ArrayList<>();
    String name = current();
    for (int next = number(name) + 1; true; next++) {
      String at = there.get(HEADS + name);
      boolean moves = checkedOut.contains(HEADS + name) && !commit.equals(at);
      if (!moves && !isTaken(at, own)) {
        return new Place(name, at == null ? "" : at, passed);
      }
      passed.add(name);
      name = name(next);
    }
  }

  private static Set<String> checkedOut(String there) {
    return there
        .lines()
        .filter(line -> line.endsWith(CHECKED_OUT))
        .map(line -> line.split("\t", -1)[1])
        .collect(Collectors.toSet());
  }

  /**
   * Returns the branch of the source that has a result of this ticket, or otherwise the current
   * name.
   */
  String nameOf(RepositorySource.Local local, String commit)
      throws IOException, InterruptedException {
    Pattern own = Pattern.compile(Pattern.quote(HEADS + name(1)) + "(?:-\\d{1,9})?");
    for (Map.Entry<String, String> each : commits(there(local)).entrySet()) {
      String ref = each.getKey();
      if (own.matcher(ref).matches() && each.getValue().equals(commit)) {
        return ref.substring(HEADS.length());
      }
    }
    return current();
  }

  private static boolean isTaken(@Nullable String commit, Set<String> own) {
    return commit != null && !own.contains(commit);
  }

  private String name(int number) {
    return "holdfast/ticket-" + ticketId + (number == 1 ? "" : "-" + number);
  }

  private int number(String name) {
    return name.equals(name(1)) ? 1 : Integer.parseInt(name.substring(name(1).length() + 1));
  }

  /** Returns a line for each branch of a result in the source. */
  private String there(RepositorySource source) throws IOException, InterruptedException {
    return switch (source) {
      case RepositorySource.Local local ->
          Original.at(git, local.path()).directory().checked("for-each-ref", REFS, ALL);
      case RepositorySource.Remote remote -> {
        GitCommand ask =
            repository
                .command("ls-remote", "--", remote.url(), HEADS + name(1) + "*")
                .withTimeout(TIMEOUT)
                .withOwnConfiguration();
        yield repository.checked(ask);
      }
    };
  }

  /** The commits by their refs. */
  private static Map<String, String> commits(String lines) {
    Map<String, String> commits = new TreeMap<>();
    for (String line : lines.lines().toList()) {
      String[] words = line.split("\t", -1);
      commits.put(words[1], words[0]);
    }
    return commits;
  }
}
