package dev.holdfast.tool.sandbox;

import dev.holdfast.process.ProgramEnd;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Confined by bubblewrap. A program can write only to the workspace and to a {@code /tmp} of its
 * own; it has no capability, also as root, and gets none; it sees no process but its own, and what
 * is hidden is empty. The rest of the disk it can read, as far as the worker's user can.
 *
 * @param program where bubblewrap is
 * @param isolation its options for the user namespace, as {@link SandboxProbe} found that they work
 * @param hidden directories and files that are empty inside
 * @param proxy the directory of an {@link AllowListProxy}'s socket, for {@link Network.Only}
 */
public record Bubblewrap(
    Path program, List<String> isolation, List<Path> hidden, Network network, Optional<Path> proxy)
    implements Sandbox {
  private static final Path EMPTY = Path.of("/dev/null");

  /** A socket that was to be hidden, or its directory. */
  private static final Pattern GONE =
      Pattern.compile("bwrap: Can't (create file at|mkdir parents for) [^\\n]*\\n?");

  private static final Path SOCKET = Path.of("/run/holdfast-proxy", AllowListProxy.socket());

  public Bubblewrap {
    isolation = List.copyOf(isolation);
    hidden = List.copyOf(hidden);
  }

  @Override
  public List<String> wrap(List<String> command, Path workspace) {
    return wrap(command, workspace, UnixSockets.reachable());
  }

  /**
   * Trap: bubblewrap refuses to start where one of the sockets is gone by then, {@code
   * --ro-bind-try} or not.
   *
   * @param sockets that are hidden
   */
  List<String> wrap(List<String> command, Path workspace, List<Path> sockets) {
    List<String> words = new ArrayList<>(List.of(program.toString(), "--die-with-parent"));
    words.add("--new-session");
    words.addAll(isolation);
    words.addAll(List.of("--unshare-pid", "--unshare-ipc", "--unshare-uts"));
    words.add("--unshare-cgroup-try");
    words.addAll(List.of("--cap-drop", "ALL"));
    words.addAll(List.of("--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"));
    // The kernel lets the user root write its settings there without any capability: by
    // core_pattern a program would be run outside, as root.
    words.addAll(List.of("--remount-ro", "/proc"));
    words.addAll(List.of("--tmpfs", "/tmp", "--tmpfs", "/run"));
    switch (network) {
      case Network.None none -> words.add("--unshare-net");
      case Network.Full full -> words.addAll(resolver());
      case Network.Only only -> words.add("--unshare-net");
    }
    hidden.stream()
        .flatMap(path -> HiddenPaths.ownDirectory(path, hidden).stream())
        .distinct()
        .forEach(directory -> words.addAll(hide(directory)));
    hidden.forEach(path -> words.addAll(hide(path)));
    sockets.forEach(path -> words.addAll(hide(path)));
    String place = workspace.toString();
    words.addAll(List.of("--bind", place, place, "--chdir", place));
    proxy.ifPresent(directory -> words.addAll(throughProxy(directory)));
    words.add("--");
    words.addAll(proxy.isPresent() ? ProxyRelay.wrap(SOCKET, command) : command);
    return words;
  }

  /** A program that prints the same is started again, too. */
  @Override
  public boolean isUnstarted(Ran ran) {
    return ran.end().equals(new ProgramEnd.Exited(1)) && GONE.matcher(ran.output()).matches();
  }

  private static List<String> throughProxy(Path directory) {
    String inside = String.valueOf(SOCKET.getParent());
    List<String> words = new ArrayList<>(List.of("--ro-bind", directory.toString(), inside));
    String relay = ProxyRelay.home().toString();
    words.addAll(List.of("--ro-bind", relay, relay));
    for (String name : List.of("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY")) {
      words.addAll(List.of("--setenv", name, "http://127.0.0.1:" + ProxyRelay.PORT));
    }
    return words;
  }

  /** The file that says who resolves names may be a link into {@code /run}, which is empty. */
  private static List<String> resolver() {
    return real(Path.of("/etc/resolv.conf"))
        .filter(Bubblewrap::isEmptyAnyway)
        .map(file -> List.of("--ro-bind", file.toString(), file.toString()))
        .orElse(List.of());
  }

  /** A link is followed: bubblewrap cannot put anything over the link itself. */
  private static List<String> hide(Path path) {
    Optional<Path> found = real(path);
    if (found.isEmpty() || found.get().equals(EMPTY) || isEmptyAnyway(found.get())) {
      return List.of();
    }
    Path real = found.get();
    return Files.isDirectory(real)
        ? List.of("--tmpfs", real.toString())
        : List.of("--ro-bind", EMPTY.toString(), real.toString());
  }

  private static boolean isEmptyAnyway(Path real) {
    return real.startsWith("/tmp") || real.startsWith("/run");
  }

  private static Optional<Path> real(Path path) {
    try {
      return Optional.of(path.toRealPath());
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  @Override
  public String description() {
    return "Programs are confined by bubblewrap: they can write only to the workspace and to /tmp,"
        + " which is empty for each, and have "
        + network.words()
        + ".";
  }
}
