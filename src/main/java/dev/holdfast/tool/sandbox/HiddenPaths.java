package dev.holdfast.tool.sandbox;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/** The places of secrets on a machine, which confined programs find empty. */
final class HiddenPaths {
  /** Under the home directory. */
  private static final List<String> HOME =
      List.of(
          ".ssh",
          ".aws",
          ".azure",
          ".config/gcloud",
          ".config/gh",
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
          ".bash_history",
          ".psql_history");

  /** Of the machine. */
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

  /** Variables whose values are paths of secrets or of sockets, besides all HOLDFAST_…_FILE. */
  private static final Set<String> VARIABLES =
      Set.of(
          "AWS_SHARED_CREDENTIALS_FILE",
          "AWS_CONFIG_FILE",
          "CREDENTIALS_DIRECTORY",
          "DOCKER_CONFIG",
          "GOOGLE_APPLICATION_CREDENTIALS",
          "KUBECONFIG",
          "NETRC",
          "PGPASSFILE",
          "PGSERVICEFILE",
          "SSH_AUTH_SOCK");

  private HiddenPaths() {}

  /**
   * Absolute paths, each before what is below it; not all of them exist.
   *
   * @param environment the worker's own
   * @param more than the usual places
   */
  static List<Path> of(Map<String, String> environment, List<Path> more) {
    Set<Path> hidden = new LinkedHashSet<>();
    Path home = Path.of(environment.getOrDefault("HOME", "/root"));
    HOME.forEach(name -> hidden.add(home.resolve(name).toAbsolutePath()));
    MACHINE.forEach(name -> hidden.add(Path.of(name)));
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
    try {
      hidden.add(Path.of(value).normalize());
    } catch (InvalidPathException e) {
      // No file has this name, so there is nothing to hide.
      return;
    }
  }

  /** A path below a hidden directory needs no place of its own. */
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
