package dev.holdfast.tool.sandbox;

import dev.holdfast.process.ProgramUser;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** The places of secrets on a machine, which confined programs find empty. */
final class HiddenPaths {
  /** The places under the home directory. */
  private static final List<String> HOME =
      List.of(
          ".ssh",
          ".aws",
          ".azure",
          ".config/containers/auth.json",
          ".config/gcloud",
          ".config/gh",
          ".config/git/credentials",
          ".docker",
          ".gnupg",
          ".kube",
          ".git-credentials",
          ".netrc",
          ".npmrc",
          ".pgpass",
          ".pypirc",
          ".m2/settings.xml",
          ".m2/settings-security.xml",
          ".cargo/credentials",
          ".cargo/credentials.toml",
          ".claude/.credentials.json",
          ".codex/auth.json",
          ".gradle/gradle.properties",
          ".local/share/opencode/auth.json",
          ".pi/agent/auth.json",
          ".bash_history",
          ".local/share/fish/fish_history",
          ".psql_history",
          ".zsh_history");

  /** The variables that move the content of a directory of the home directory to another place. */
  private static final Map<String, String> MOVED =
      Map.of(
          "CARGO_HOME", ".cargo/",
          "CLAUDE_CONFIG_DIR", ".claude/",
          "CODEX_HOME", ".codex/",
          "GRADLE_USER_HOME", ".gradle/",
          "XDG_CONFIG_HOME", ".config/",
          "XDG_DATA_HOME", ".local/share/");

  /** The places of the machine. */
  private static final List<String> MACHINE =
      List.of(
          "/etc/shadow",
          "/etc/gshadow",
          "/etc/ssl/private",
          "/etc/holdfast",
          "/etc/kubernetes",
          "/etc/docker",
          "/var/run",
          "/var/lib/docker",
          "/var/lib/postgresql",
          "/var/lib/kubelet",
          "/var/spool/cron");

  /** The variables whose values are paths of secrets or of sockets, besides all HOLDFAST_…_FILE. */
  private static final Set<String> VARIABLES =
      Set.of(
          "AWS_SHARED_CREDENTIALS_FILE",
          "AWS_CONFIG_FILE",
          "CREDENTIALS_DIRECTORY",
          "DOCKER_CONFIG",
          "GNUPGHOME",
          "GOOGLE_APPLICATION_CREDENTIALS",
          "KUBECONFIG",
          "NETRC",
          "PGPASSFILE",
          "PGSERVICEFILE",
          "SSH_AUTH_SOCK");

  private HiddenPaths() {}

  /**
   * Returns absolute paths, none below another; not all of them exist.
   *
   * @param environment the worker's own
   * @param more than the usual places
   */
  static List<Path> of(Map<String, String> environment, List<Path> more) {
    Set<Path> hidden = new LinkedHashSet<>();
    Path home = Path.of(environment.getOrDefault("HOME", "/root"));
    HOME.forEach(name -> hidden.add(home.resolve(name).toAbsolutePath()));
    MACHINE.forEach(name -> hidden.add(Path.of(name)));
    MOVED.forEach((name, usual) -> addMoved(environment.getOrDefault(name, ""), usual, hidden));
    environment.forEach((name, value) -> addNamed(name, value, hidden));
    more.forEach(path -> hidden.add(path.toAbsolutePath().normalize()));
    return withoutNested(hidden);
  }

  private static void addNamed(String name, String value, Set<Path> hidden) {
    boolean names =
        VARIABLES.contains(name) || (name.startsWith("HOLDFAST_") && name.endsWith("_FILE"));
    if (!names || !value.startsWith("/")) {
      return;
    }
    addPath(value, hidden);
  }

  private static void addMoved(String directory, String usual, Set<Path> hidden) {
    if (directory.startsWith("/")) {
      HOME.stream()
          .filter(name -> name.startsWith(usual))
          .forEach(name -> addPath(directory + "/" + name.substring(usual.length()), hidden));
    }
  }

  private static void addPath(String path, Set<Path> hidden) {
    try {
      hidden.add(Path.of(path).normalize());
    } catch (InvalidPathException e) {
      // No file has this name, so there is nothing to hide.
      return;
    }
  }

  /**
   * Returns the directory of a file, if it contains only hidden files. If that is hidden too, a
   * file stays hidden when another file replaces it: the kernel removes a mount over a file that is
   * moved or deleted.
   */
  static Optional<Path> ownDirectory(Path file, List<Path> hidden) {
    Path directory = file.getParent();
    if (directory == null || Files.isDirectory(file)) {
      return Optional.empty();
    }
    try (DirectoryStream<Path> all =
        Files.newDirectoryStream(directory, each -> !isHidden(each, hidden))) {
      return all.iterator().hasNext() ? Optional.empty() : Optional.of(directory);
    } catch (IOException | DirectoryIteratorException e) {
      // There is no such directory, or nobody knows what is in it.
      return Optional.empty();
    }
  }

  /**
   * Returns the highest directory above a file that a worker which is root could enter and
   * bubblewrap cannot. In its user namespace even root has no right to what is another user's
   * alone, so it would refuse to start. Therefore the directory is hidden; its programs could not
   * enter it either.
   *
   * @param real without links
   */
  static Optional<Path> closedDirectory(Path real) {
    if (!ProgramUser.isRoot()) {
      return Optional.empty();
    }
    Path directory = real.getRoot();
    for (Path name : real) {
      directory = directory.resolve(name);
      if (!directory.equals(real) && isClosed(directory)) {
        return Optional.of(directory);
      }
    }
    return Optional.empty();
  }

  private static int number(Path directory, String attribute) throws IOException {
    return (int) Objects.requireNonNull(Files.getAttribute(directory, attribute));
  }

  private static boolean isClosed(Path directory) {
    try {
      int enter = number(directory, "unix:gid") == 0 ? 0010 : 0001;
      return number(directory, "unix:uid") != 0 && (number(directory, "unix:mode") & enter) == 0;
    } catch (IOException e) {
      // The directory is gone, and so is what was to be hidden in it.
      return false;
    }
  }

  /**
   * True for a hidden path. Kubernetes keeps the files behind its links in directories whose names
   * begin with two dots.
   */
  private static boolean isHidden(Path path, List<Path> hidden) {
    return hidden.contains(path) || String.valueOf(path.getFileName()).startsWith("..");
  }

  /** Leaves out paths below a hidden directory, which need no place of their own. */
  private static List<Path> withoutNested(Set<Path> paths) {
    Stream<Path> outer =
        paths.stream()
            .filter(
                path ->
                    paths.stream()
                        .noneMatch(other -> !other.equals(path) && path.startsWith(other)));
    return outer.sorted().toList();
  }
}
