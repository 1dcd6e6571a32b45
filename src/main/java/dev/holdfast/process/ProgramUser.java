package dev.holdfast.process;

import com.sun.security.auth.module.UnixSystem;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Another user of this machine, as whom a worker that is root starts programs: they can neither
 * look into the worker nor touch what is its own.
 *
 * @param home the user's home directory
 */
public record ProgramUser(String name, int uid, int gid, String home) {
  private static final Path SETPRIV = Path.of("/usr/bin/setpriv");

  /**
   * @throws IllegalArgumentException if this machine has no such user, or this process may not
   *     start programs as somebody else
   */
  public static ProgramUser named(String name) {
    if (!isRoot()) {
      throw new IllegalArgumentException(
          "only a worker that runs as root can start programs as "
              + name
              + ": start it as root, or leave the key out");
    }
    if (!Files.isExecutable(SETPRIV)) {
      throw new IllegalArgumentException(SETPRIV + " is missing: install util-linux");
    }
    String[] fields = account(name).split(":", -1);
    if (fields.length != 7) {
      throw new IllegalArgumentException(
          "this machine has no user " + name + ": make one with: useradd --system " + name);
    }
    return new ProgramUser(
        fields[0], Integer.parseInt(fields[2]), Integer.parseInt(fields[3]), fields[5]);
  }

  /** True if this process runs as root. */
  public static boolean isRoot() {
    return Files.exists(Path.of("/proc/self")) && new UnixSystem().getUid() == 0;
  }

  /** The line of the user database, which is not only {@code /etc/passwd}; empty if none. */
  private static String account(String name) {
    try {
      Process process =
          new ProcessBuilder("getent", "passwd", "--", name)
              .redirectError(ProcessBuilder.Redirect.DISCARD)
              .start();
      process.getOutputStream().close();
      return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
    } catch (IOException e) {
      throw new UncheckedIOException("the machine's users cannot be looked up with getent", e);
    }
  }

  /** A worker's environment as this user has it. */
  public Map<String, String> environment(Map<String, String> worker) {
    Map<String, String> environment = new HashMap<>(worker);
    environment.putAll(Map.of("HOME", home, "USER", name, "LOGNAME", name));
    return environment;
  }

  /** The command that makes itself this user and then becomes the program. */
  public List<String> command(List<String> program) {
    List<String> words =
        new ArrayList<>(
            List.of(SETPRIV.toString(), "--reuid=" + uid, "--regid=" + gid, "--init-groups", "--"));
    words.addAll(program);
    return words;
  }

  /** Gives a directory to the user, without what is in it. */
  public void own(Path directory) throws IOException {
    Files.setAttribute(directory, "unix:uid", uid, LinkOption.NOFOLLOW_LINKS);
    Files.setAttribute(directory, "unix:gid", gid, LinkOption.NOFOLLOW_LINKS);
  }
}
