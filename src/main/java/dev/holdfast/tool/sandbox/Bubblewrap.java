package dev.holdfast.tool.sandbox;

import dev.holdfast.process.ProgramEnd;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Confines programs by bubblewrap. A program can write only to the workspace and to a {@code /tmp}
 * of its own. It has no capability, not even as root, and gets none. It sees no process but its
 * own, and finds hidden places empty. It can read the rest of the disk, as far as the worker's user
 * can.
 *
 * @param program where bubblewrap is
 * @param isolation its options for the user namespace, as {@link SandboxProbe} found that they work
 * @param hidden directories and files that are empty inside
 * @param shown directories that can be read, also below one that is hidden
 * @param proxy the directory of an {@link AllowListProxy}'s socket, for {@link Network.Only}
 */
public record Bubblewrap(
    Path program,
    List<String> isolation,
    List<Path> hidden,
    List<Path> shown,
    Network network,
    Optional<Path> proxy)
    implements Sandbox {
  private static final Path EMPTY = Path.of("/dev/null");

  /** The number of tries, because a socket that was to be hidden may be gone a moment later. */
  private static final int TRIES = 3;

  /**
   * The line that is printed inside. Without it the program did not run, whatever else the output
   * says.
   */
  private static final String STARTED = "[holdfast: the sandbox has started]\n";

  private static final Path SOCKET = Path.of("/run/holdfast-proxy", AllowListProxy.socket());

  public Bubblewrap {
    isolation = List.copyOf(isolation);
    hidden = List.copyOf(hidden);
    shown = List.copyOf(shown);
  }

  @Override
  public Sandbox showing(Path directory) {
    return new Bubblewrap(program, isolation, hidden, List.of(directory), network, proxy);
  }

  @Override
  public List<String> wrap(List<String> command, Path workspace) {
    return wrap(
        command,
        workspace,
        Stream.concat(
                UnixSockets.reachable().stream(),
                UnixSockets.ofOtherNetworks().stream().filter(each -> isElsewhere(each, workspace)))
            .distinct()
            .toList());
  }

  /**
   * True if a socket is outside of workspaces. Confined programs make theirs in workspaces: in
   * their own, or in one that is hidden.
   */
  private boolean isElsewhere(Path socket, Path workspace) {
    return !socket.startsWith(workspace) && hidden.stream().noneMatch(socket::startsWith);
  }

  /**
   * Returns the words that run a command. Trap: bubblewrap refuses to start where one of the
   * sockets is gone by then, {@code --ro-bind-try} or not.
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
    // The kernel lets the user root write its settings there without any capability. With
    // core_pattern, a program would then run outside, as root.
    words.addAll(List.of("--remount-ro", "/proc"));
    words.addAll(List.of("--tmpfs", "/tmp", "--tmpfs", "/run"));
    switch (network) {
      case Network.None none -> words.add("--unshare-net");
      case Network.Full full -> words.addAll(resolver());
      case Network.Only only -> words.add("--unshare-net");
    }
    Stream<Path> directories =
        hidden.stream().flatMap(path -> HiddenPaths.ownDirectory(path, hidden).stream());
    Stream.of(directories, hidden.stream(), sockets.stream())
        .flatMap(paths -> paths)
        .flatMap(path -> real(path).stream())
        .map(real -> HiddenPaths.closedDirectory(real).orElse(real))
        .distinct()
        .forEach(real -> words.addAll(hide(real)));
    shown.forEach(each -> words.addAll(List.of("--ro-bind", each.toString(), each.toString())));
    String place = workspace.toString();
    words.addAll(List.of("--bind", place, place, "--chdir", place));
    proxy.ifPresent(directory -> words.addAll(throughProxy(directory)));
    words.add("--");
    words.addAll(proxy.isPresent() ? ProxyRelay.wrap(SOCKET, command) : command);
    return words;
  }

  @Override
  public Ran run(List<String> command, Path workspace, Start start)
      throws IOException, InterruptedException {
    String said = "";
    for (int i = 0; i < TRIES; i++) {
      Ran ran = start.run(wrap(telling(command), workspace));
      int at = ran.output().indexOf(STARTED);
      if (at >= 0) {
        String rest = ran.output().substring(at + STARTED.length());
        return new Ran(ran.end(), ran.output().substring(0, at) + rest);
      }
      if (!ran.end().equals(new ProgramEnd.Exited(1))) {
        // It was killed before it printed that: at its timeout, or for memory.
        return ran;
      }
      said = ran.output().strip();
    }
    throw new SandboxFailedException(
        "the sandbox could not be started, so the program did not run: " + said);
  }

  private static List<String> telling(List<String> command) {
    String script = "printf '%s\\n' '" + STARTED.strip() + "'; exec \"$@\"";
    List<String> words = new ArrayList<>(List.of("/bin/sh", "-c", script, "sh"));
    words.addAll(command);
    return words;
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

  /**
   * Shows the file that names the resolvers of names. It may be a link into {@code /run}, which is
   * empty.
   */
  private static List<String> resolver() {
    return real(Path.of("/etc/resolv.conf"))
        .filter(Bubblewrap::isEmptyAnyway)
        .map(file -> List.of("--ro-bind", file.toString(), file.toString()))
        .orElse(List.of());
  }

  /**
   * @param real where links lead to: bubblewrap cannot put anything over a link itself
   */
  private static List<String> hide(Path real) {
    if (real.equals(EMPTY) || isEmptyAnyway(real)) {
      return List.of();
    }
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
