package dev.holdfast.repair.git;

import dev.holdfast.tool.git.Git;
import dev.holdfast.tool.git.GitProgram;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Real repositories, made with the real git as their owners would. */
public record GitBench(Path temp) {
  public static final Git GIT = GitProgram.unconfined(System.getenv());

  /** A repository with a commit of these files on main. */
  public Path repository(String name, Map<String, String> files)
      throws IOException, InterruptedException {
    Path directory = Files.createDirectories(temp.resolve(name));
    owner(directory, "init", "-q", "--template=", "-b", "main");
    commitFiles(directory, files);
    return directory;
  }

  public String commit(Path directory, Map<String, String> files)
      throws IOException, InterruptedException {
    commitFiles(directory, files);
    return owner(directory, "rev-parse", "HEAD");
  }

  private void commitFiles(Path directory, Map<String, String> files)
      throws IOException, InterruptedException {
    for (Map.Entry<String, String> file : files.entrySet()) {
      Path path = directory.resolve(file.getKey());
      Files.createDirectories(path.getParent());
      Files.writeString(path, file.getValue());
    }
    owner(directory, "add", "-A");
    owner(directory, "commit", "-q", "-m", "a commit");
  }

  /** Git as the repository's owner runs it: with its hooks and filters. */
  public String owner(Path directory, String... words) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of("git", "-c", "protocol.file.allow=always"));
    command.addAll(List.of("-c", "user.name=Owner", "-c", "user.email=owner@example.com"));
    command.addAll(List.of(words));
    ProcessBuilder builder =
        new ProcessBuilder(command).directory(directory.toFile()).redirectErrorStream(true);
    builder.environment().put("GIT_CONFIG_GLOBAL", "/dev/null");
    Process process = builder.start();
    process.getOutputStream().close();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (process.waitFor() != 0) {
      throw new IOException(String.join(" ", words) + ": " + output);
    }
    return output.strip();
  }

  /** All that a person could see of a repository: files, status, refs, configuration. */
  public Map<String, String> state(Path directory, String without)
      throws IOException, InterruptedException {
    Map<String, String> state = new TreeMap<>();
    state.put("status", owner(directory, "status", "--porcelain"));
    state.put("head", owner(directory, "symbolic-ref", "HEAD"));
    state.put("index", owner(directory, "ls-files", "-s"));
    state.put("worktrees", owner(directory, "worktree", "list"));
    state.put("config", Files.readString(directory.resolve(".git/config")));
    owner(directory, "for-each-ref", "--format=%(objectname) %(refname)")
        .lines()
        .filter(ref -> !ref.endsWith(without))
        .forEach(ref -> state.put(ref, ""));
    try (var walk = Files.walk(directory)) {
      for (Path file : walk.filter(Files::isRegularFile).toList()) {
        String name = directory.relativize(file).toString();
        if (!name.startsWith(".git/")) {
          state.put(name, Files.readString(file));
        }
      }
    }
    return state;
  }

  public TicketRepositories tickets() {
    return new TicketRepositories(temp.resolve("work"), GIT);
  }

  public TicketRepository open(long id, Path repository) throws IOException, InterruptedException {
    return tickets()
        .open(id, RepositorySource.local(repository.toString(), "main"), Optional.empty());
  }

  /** A bare clone, as it is at a URL. */
  public Path bare(Path repository) throws IOException, InterruptedException {
    Path bare = temp.resolve("bare.git");
    owner(temp, "clone", "-q", "--bare", repository.toString(), bare.toString());
    return bare;
  }

  public TicketRepository remote(long id, Path bare, String ref)
      throws IOException, InterruptedException {
    return tickets().open(id, RepositorySource.remote("file://" + bare, ref), Optional.empty());
  }

  /** Commits a result in which a.txt is repaired. */
  public String repaired(TicketRepository repository) throws IOException, InterruptedException {
    return repaired(repository, Instant.now());
  }

  public String repaired(TicketRepository repository, Instant at)
      throws IOException, InterruptedException {
    Worktree worktree = repository.worktree("main", repository.baseTree());
    Files.writeString(worktree.directory().resolve("a.txt"), "repaired\n");
    return repository.commit(worktree.snapshot(), "Repair a\n\nIt was broken.", at);
  }
}
