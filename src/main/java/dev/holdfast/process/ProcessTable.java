package dev.holdfast.process;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Linux's process table, {@code /proc}, as it was when it was read. It shows what the tree of
 * parents loses: the session and the environment of processes whose parent has ended. Thread-safe.
 */
final class ProcessTable {
  private static final Path PROC = Path.of("/proc");
  private static final long FIRST = 1;
  private static final String VARIABLE = ProgramRun.RUN_ID + "=";

  /** The start of this process, in ticks: no program of ours is older. */
  static final long OWN_START = startOf(ProcessHandle.current().pid());

  /**
   * The needed fields of {@code /proc/PID/stat}. {@code startedAt} is in clock ticks since the
   * boot.
   */
  record Stat(char state, long session, long startedAt) {
    boolean isAlive() {
      return state != 'Z' && state != 'X';
    }
  }

  /**
   * A living process.
   *
   * @param runs the ids that its environment carries, of runs of programs; null if it is closed to
   *     this process
   */
  private record Entry(long pid, Stat stat, @Nullable List<String> runs) {}

  /**
   * @param inSession whether it is still in the session it was started in
   */
  record Member(long pid, Supplier<Optional<ProcessHandle>> found, boolean inSession) {
    /** Returns the process; empty if it has ended since. */
    Optional<ProcessHandle> handle() {
      return found.get();
    }
  }

  /**
   * The start of a process, in ticks.
   *
   * @param process distinguishes it from another one that gets its number
   */
  private record Start(Identity process, long ticks) {}

  /** The file of a process and its time, because another process may get its number later. */
  private record Identity(@Nullable Object file, FileTime time) {}

  private final List<Entry> entries;
  private final Map<Long, Start> starts;
  private final Map<Long, List<Entry>> bySession = new HashMap<>();
  private final Map<String, List<Entry>> byRun = new HashMap<>();
  private final ReentrantLock asking = new ReentrantLock();

  /** The runs of processes that are closed to this process, by user. */
  private final Map<ProgramUser, Map<Long, List<String>>> closed = new HashMap<>();

  private ProcessTable(List<Entry> entries, Map<Long, Start> starts) {
    this.entries = entries;
    this.starts = Map.copyOf(starts);
    for (Entry each : entries) {
      bySession.computeIfAbsent(each.stat().session(), session -> new ArrayList<>()).add(each);
      if (each.runs() != null) {
        each.runs().forEach(run -> byRun.computeIfAbsent(run, id -> new ArrayList<>()).add(each));
      }
    }
  }

  static boolean exists() {
    return Files.isReadable(PROC.resolve("self/stat"));
  }

  /** The start of a process, in ticks; 0 if it has ended. */
  static long startOf(long pid) {
    try {
      Stat stat = stat(pid);
      return stat == null ? 0 : stat.startedAt();
    } catch (IOException e) {
      return 0; // Then older ones are looked at, too.
    }
  }

  /**
   * Reads the needed part of the table: the living processes that are young enough. Most of a
   * machine's processes are old and stay so; recognising them costs far less than reading them
   * again.
   *
   * @param since processes started before are not of use, mostly {@link #OWN_START}
   * @param before the last reading, whose starts are known; null at first
   */
  static ProcessTable read(long since, @Nullable ProcessTable before) throws IOException {
    Map<Long, Start> known = before == null ? Map.of() : before.starts;
    List<Entry> entries = new ArrayList<>();
    Map<Long, Start> starts = new HashMap<>();
    try (DirectoryStream<Path> processes =
        Files.newDirectoryStream(PROC, ProcessTable::isProcess)) {
      for (Path process : processes) {
        long pid = Long.parseLong(process.getFileName().toString());
        Identity identity = identity(process);
        Start start = known.get(pid);
        if (start != null && start.process().equals(identity) && start.ticks() < since) {
          starts.put(pid, start);
          continue;
        }
        Stat stat = stat(pid);
        if (stat == null) {
          continue;
        }
        if (identity != null) {
          starts.put(pid, new Start(identity, stat.startedAt()));
        }
        if (stat.isAlive() && stat.startedAt() >= since) {
          entries.add(new Entry(pid, stat, runs(process)));
        }
      }
    } catch (DirectoryIteratorException e) {
      throw e.getCause();
    }
    return new ProcessTable(entries, starts);
  }

  private static boolean isProcess(Path entry) {
    return Character.isDigit(entry.getFileName().toString().charAt(0));
  }

  private static @Nullable Identity identity(Path process) {
    try {
      BasicFileAttributes attributes = Files.readAttributes(process, BasicFileAttributes.class);
      return new Identity(attributes.fileKey(), attributes.lastModifiedTime());
    } catch (IOException e) {
      return null; // It has ended meanwhile.
    }
  }

  /**
   * Returns the living processes of a session, and those that carry the id of a run, wherever they
   * went.
   *
   * @param since processes started before are not looked at
   * @param user who is asked for what this process may not look into
   * @throws IOException if the user cannot be asked
   */
  List<Member> members(long session, String run, long since, Optional<ProgramUser> user)
      throws IOException {
    Set<Entry> found = new LinkedHashSet<>(bySession.getOrDefault(session, List.of()));
    found.addAll(byRun.getOrDefault(run, List.of()));
    if (user.isPresent()) {
      Map<Long, List<String>> closed = closed(user.get());
      entries.stream()
          .filter(each -> closed.getOrDefault(each.pid(), List.of()).contains(run))
          .forEach(found::add);
    }
    return found.stream()
        .filter(each -> each.stat().startedAt() >= since)
        .map(each -> new Member(each.pid(), () -> handle(each), each.stat().session() == session))
        .toList();
  }

  /**
   * Returns the living processes of runs whose worker has ended. Returns none where this process
   * does not see those of other users, because then it does not see their workers either.
   */
  List<Member> left() throws IOException {
    List<Member> left = new ArrayList<>();
    if (entries.stream().anyMatch(each -> each.pid() == FIRST)) {
      for (Map.Entry<String, List<Entry>> run : byRun.entrySet()) {
        if (RunId.isLeft(run.getKey())) {
          run.getValue().stream()
              .filter(each -> Namespaces.areOwn(each.pid()))
              .map(each -> new Member(each.pid(), () -> handle(each), false))
              .forEach(left::add);
        }
      }
    }
    return left;
  }

  /** Returns the process, but not another one that has got its number since. */
  private static Optional<ProcessHandle> handle(Entry entry) {
    return ProcessHandle.of(entry.pid())
        .filter(handle -> startOf(entry.pid()) == entry.stat().startedAt());
  }

  private Map<Long, List<String>> closed(ProgramUser user) throws IOException {
    asking.lock();
    try {
      Map<Long, List<String>> known = closed.get(user);
      if (known == null) {
        List<Long> pids =
            entries.stream()
                .filter(each -> each.runs() == null && isOf(user, each.pid()))
                .map(Entry::pid)
                .toList();
        known = pids.isEmpty() ? Map.of() : user.valuesOf(ProgramRun.RUN_ID, pids);
        closed.put(user, known);
      }
      return known;
    } finally {
      asking.unlock();
    }
  }

  private static boolean isOf(ProgramUser user, long pid) {
    try {
      return Files.getAttribute(process(pid), "unix:uid").equals(user.uid());
    } catch (IOException e) {
      return false; // It has ended meanwhile.
    }
  }

  private static Path process(long pid) {
    return PROC.resolve(Long.toString(pid));
  }

  /** Returns the fields; null if the process has ended, or is not ours. */
  static @Nullable Stat stat(long pid) throws IOException {
    try {
      String line = Files.readString(process(pid).resolve("stat"), StandardCharsets.ISO_8859_1);
      String[] fields = line.substring(line.lastIndexOf(')') + 2).split(" ", -1);
      return new Stat(fields[0].charAt(0), Long.parseLong(fields[3]), Long.parseLong(fields[19]));
    } catch (NoSuchFileException | AccessDeniedException e) {
      return null; // It has ended meanwhile, or is none of ours.
    } catch (FileSystemException e) {
      if (Files.exists(process(pid))) {
        throw e; // It was not opened: there may be no file handle left.
      }
      return null; // It ended on the way to the file, which Linux tells as ESRCH.
    } catch (IOException e) {
      return null; // It has ended meanwhile.
    }
  }

  private static @Nullable List<String> runs(Path process) {
    try {
      String environment =
          Files.readString(process.resolve("environ"), StandardCharsets.ISO_8859_1);
      return environment.contains(VARIABLE)
          ? Stream.of(environment.split("\0", -1))
              .filter(each -> each.startsWith(VARIABLE))
              .map(each -> each.substring(VARIABLE.length()))
              .toList()
          : List.of();
    } catch (AccessDeniedException e) {
      return null;
    } catch (IOException e) {
      return List.of(); // It has ended meanwhile.
    }
  }
}
