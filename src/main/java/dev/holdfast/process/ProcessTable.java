package dev.holdfast.process;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Linux's process table, {@code /proc}. It knows what the tree of parents forgets: the session and
 * the environment of processes whose parent has ended.
 */
final class ProcessTable {
  private static final Path PROC = Path.of("/proc");

  /**
   * The fields of {@code /proc/PID/stat} that are of use. {@code startedAt} is in clock ticks since
   * the boot.
   */
  private record Stat(char state, long session, long startedAt) {
    boolean isAlive() {
      return state != 'Z' && state != 'X';
    }
  }

  /**
   * @param inSession whether it is still in the session it was started in
   */
  record Member(ProcessHandle handle, boolean inSession) {}

  private ProcessTable() {}

  static boolean exists() {
    return Files.isReadable(PROC.resolve("self/stat"));
  }

  /** The start of a process, in ticks; 0 if it has ended. */
  static long startOf(long pid) {
    Stat stat = stat(PROC.resolve(Long.toString(pid)));
    return stat == null ? 0 : stat.startedAt();
  }

  /**
   * The living processes of a session, and those which carry a variable, wherever they went.
   *
   * @param variable {@code NAME=value}
   * @param since processes started before are not looked at
   * @param user who is asked for what this process may not look into
   * @throws IOException if the table cannot be read, as when the worker has no file handle left
   */
  static List<Member> members(long session, String variable, long since, Optional<ProgramUser> user)
      throws IOException {
    List<Member> members = new ArrayList<>();
    List<Long> closed = new ArrayList<>();
    try (DirectoryStream<Path> processes = Files.newDirectoryStream(PROC, "[0-9]*")) {
      for (Path process : processes) {
        Stat stat = stat(process);
        if (stat == null || !stat.isAlive() || stat.startedAt() < since) {
          continue;
        }
        boolean inSession = stat.session() == session;
        long pid = Long.parseLong(process.getFileName().toString());
        try {
          if (inSession || carries(process, variable)) {
            add(members, pid, inSession);
          }
        } catch (AccessDeniedException e) {
          if (user.isPresent() && isOf(user.get(), process)) {
            closed.add(pid);
          }
        }
      }
    } catch (DirectoryIteratorException e) {
      throw e.getCause();
    }
    if (!closed.isEmpty()) {
      user.orElseThrow().carriers(closed, variable).forEach(pid -> add(members, pid, false));
    }
    return members;
  }

  private static void add(List<Member> members, long pid, boolean inSession) {
    ProcessHandle.of(pid).ifPresent(handle -> members.add(new Member(handle, inSession)));
  }

  private static boolean isOf(ProgramUser user, Path process) {
    try {
      return Files.getAttribute(process, "unix:uid").equals(user.uid());
    } catch (IOException e) {
      return false; // It has ended meanwhile.
    }
  }

  private static @Nullable Stat stat(Path process) {
    try {
      String line = Files.readString(process.resolve("stat"), StandardCharsets.ISO_8859_1);
      String[] fields = line.substring(line.lastIndexOf(')') + 2).split(" ", -1);
      return new Stat(fields[0].charAt(0), Long.parseLong(fields[3]), Long.parseLong(fields[19]));
    } catch (IOException e) {
      return null; // It has ended meanwhile.
    }
  }

  private static boolean carries(Path process, String variable) throws AccessDeniedException {
    try {
      String environment =
          "\0" + Files.readString(process.resolve("environ"), StandardCharsets.ISO_8859_1);
      return environment.contains("\0" + variable + "\0");
    } catch (AccessDeniedException e) {
      throw e;
    } catch (IOException e) {
      return false; // It has ended meanwhile.
    }
  }
}
