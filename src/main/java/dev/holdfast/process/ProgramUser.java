package dev.holdfast.process;

import com.sun.security.auth.module.UnixSystem;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Another user of this machine, as whom a worker that is root starts programs. They can neither
 * look into the worker nor touch what belongs to it.
 *
 * @param home the user's home directory
 */
public record ProgramUser(String name, int uid, int gid, String home) {
  private static final Path SETPRIV = Path.of("/usr/bin/setpriv");
  private static final Duration END = Duration.ofSeconds(2);

  /**
   * @throws IllegalArgumentException if this machine has no such user or cannot look it up, it is
   *     root, or this process may not start programs as somebody else or end them
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
    ProgramUser user =
        new ProgramUser(
            fields[0], Integer.parseInt(fields[2]), Integer.parseInt(fields[3]), fields[5]);
    if (user.uid() == 0) {
      throw new IllegalArgumentException(
          name + " is root, as the worker is: name another user, or leave the key out");
    }
    user.tryOut();
    return user;
  }

  /**
   * Tries to start and end a program. A container's root may lack the rights for that, and it is
   * better to know now than at every ticket.
   */
  private void tryOut() {
    String said;
    boolean ended;
    try {
      Process process =
          // It prints an empty line once it is the user, then stays.
          new ProcessBuilder(command(List.of("/bin/sh", "-c", "echo; exec cat")))
              .redirectErrorStream(true)
              .start();
      try (BufferedReader out = process.inputReader(StandardCharsets.UTF_8)) {
        said = String.valueOf(out.readLine());
        // Destroying the process itself would close its input, too, and so end the program.
        process.toHandle().destroyForcibly();
        ended = process.waitFor(END);
      }
    } catch (IOException e) {
      throw new IllegalArgumentException("programs cannot be started with " + SETPRIV, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalArgumentException("interrupted while a program was tried out", e);
    }
    if (!said.isEmpty()) {
      throw new IllegalArgumentException(
          "this worker may not start programs as %s (%s): it needs the capabilities CAP_SETUID and"
                  .formatted(name, said)
              + " CAP_SETGID");
    }
    if (!ended) {
      throw new IllegalArgumentException(
          "this worker may not end programs of " + name + ": it needs the capability CAP_KILL");
    }
  }

  /** The number of the user that this process runs as; 0 is root. */
  public static int ownUid() {
    return Math.toIntExact(new UnixSystem().getUid());
  }

  /**
   * Returns the name of the user that this process runs as; the number for a user without a name,
   * as a container may have.
   */
  public static String ownName() {
    return nameOf(System.getProperty("user.name", "?"));
  }

  static String nameOf(String ofJava) {
    return ofJava.equals("?") ? String.valueOf(ownUid()) : ofJava;
  }

  /** True if this process runs as root. */
  public static boolean isRoot() {
    return Files.exists(Path.of("/proc/self")) && ownUid() == 0;
  }

  /**
   * Returns the line of the user database, which is not only {@code /etc/passwd}; empty if there is
   * none.
   */
  private static String account(String name) {
    try {
      Process process =
          new ProcessBuilder("getent", "passwd", "--", name)
              .redirectError(ProcessBuilder.Redirect.DISCARD)
              .start();
      process.getOutputStream().close();
      return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
    } catch (IOException e) {
      throw new IllegalArgumentException(
          "the machine's users cannot be looked up: getent is missing or cannot be run", e);
    }
  }

  /** Returns a worker's environment with this user's values. */
  public Map<String, String> environment(Map<String, String> worker) {
    Map<String, String> environment = new HashMap<>(worker);
    environment.putAll(Map.of("HOME", home, "USER", name, "LOGNAME", name));
    return environment;
  }

  /** Returns the command that makes itself this user and then becomes the program. */
  public List<String> command(List<String> program) {
    List<String> words =
        new ArrayList<>(
            List.of(SETPRIV.toString(), "--reuid=" + uid, "--regid=" + gid, "--init-groups", "--"));
    words.addAll(program);
    return words;
  }

  /** True if the user can work in a directory. */
  public boolean mayEnter(Path directory) throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(
                command(
                    List.of(
                        "/bin/sh",
                        "-c",
                        "cd -- \"$1\"",
                        "sh",
                        directory.toAbsolutePath().toString())))
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    process.getOutputStream().close();
    return process.waitFor() == 0;
  }

  /**
   * Returns the values of a variable in the environments of processes of the user, for those that
   * have it. A container's root may have no right to look into them ({@code CAP_SYS_PTRACE}), but
   * the user has.
   */
  Map<Long, List<String>> valuesOf(String variable, Collection<Long> pids) throws IOException {
    String name = variable + "=";
    List<String> words = new ArrayList<>(List.of("grep", "-zaH", "-e", "^" + name, "--"));
    pids.forEach(pid -> words.add("/proc/" + pid + "/environ"));
    Process process =
        new ProcessBuilder(command(words)).redirectError(ProcessBuilder.Redirect.DISCARD).start();
    process.getOutputStream().close();
    String found = new String(process.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
    Map<Long, List<String>> values = new HashMap<>();
    for (String line : found.split("\0", -1)) {
      String[] fields = line.split("/environ:" + name, 2);
      if (fields.length == 2) {
        long pid = Long.parseLong(fields[0].substring("/proc/".length()));
        values.computeIfAbsent(pid, each -> new ArrayList<>()).add(fields[1]);
      }
    }
    return values;
  }

  /** Gives a directory to the user, but not its content. */
  public void own(Path directory) throws IOException {
    Files.setAttribute(directory, "unix:uid", uid, LinkOption.NOFOLLOW_LINKS);
    Files.setAttribute(directory, "unix:gid", gid, LinkOption.NOFOLLOW_LINKS);
  }
}
