package dev.holdfast.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.holdfast.testing.JavaCommand;
import java.io.File;
import java.io.FileInputStream;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

@Tag("slow")
@Timeout(120)
@EnabledOnOs(OS.LINUX)
class ProgramStartIT {
  private static final int MOST_FREE = 30;
  private static final String HELPER = "lib/jspawnhelper";
  private static final String EXITED = "Exited[code=0]";

  /** A user of its own that may read all the same what its program is made of. */
  private static final List<String> AS_OWN_USER =
      List.of(
          "setpriv",
          "--reuid=54321",
          "--clear-groups",
          "--inh-caps=+dac_override",
          "--ambient-caps=+dac_override");

  /** Starts many programs at once with files for a few. */
  static final class Together {
    private Together() {}

    public static void main(String[] arguments) throws Exception {
      Starved.say(Starved.start());
      Deque<InputStream> taken = new ArrayDeque<>();
      Starved.takeAll(taken);
      for (int free = 0; free < MOST_FREE; free++) {
        taken.removeLast().close();
      }
      try (ExecutorService threads = Executors.newFixedThreadPool(10)) {
        Callable<String> start = Starved::start;
        Set<String> ends = new TreeSet<>();
        for (Future<String> end : threads.invokeAll(Collections.nCopies(200, start))) {
          ends.add(end.get());
        }
        Starved.say(ends.toString());
      }
      for (InputStream each : taken) {
        each.close();
      }
      Starved.say("has its stdin: " + new File("/proc/self/fd/0").exists());
    }
  }

  /** Starts a program before and after its Java is replaced. */
  static final class Updated {
    private Updated() {}

    public static void main(String[] arguments) throws Exception {
      Starved.say(Starved.start());
      Path helper = Path.of(System.getProperty("java.home"), HELPER);
      Files.delete(helper);
      Starved.say(Starved.start());
      Files.writeString(helper, "#!/bin/sh\nexit 1\n");
      Files.setPosixFilePermissions(helper, PosixFilePermissions.fromString("rwxr-xr-x"));
      Starved.say(Starved.start());
    }
  }

  /** Has few threads, takes all of them, and starts a program again for each that it gives back. */
  static final class Crowded {
    private Crowded() {}

    public static void main(String[] arguments) throws Exception {
      Path begun = Path.of(arguments[0]);
      List<String> program = List.of("/bin/sh", "-c", "echo begun >>" + begun);
      int ended = Starved.start(program).equals(EXITED) ? 1 : 0;
      // What waited for the first program waits for this one.
      Process busy = new ProcessBuilder("/bin/sleep", "100").start();
      Deque<Thread> taken = new ArrayDeque<>();
      takeAll(taken);
      long forgotten = System.nanoTime() + ProgramStart.THREADS_LAST_NANOS;
      while (System.nanoTime() - forgotten < 0) {
        Thread.onSpinWait();
      }
      for (int free = 0; free <= MOST_FREE; free++) {
        String end = Starved.start(program);
        Starved.say(end);
        ended += end.equals(EXITED) ? 1 : 0;
        Thread last = taken.removeLast();
        last.interrupt();
        last.join();
      }
      busy.destroyForcibly();
      Starved.say("begun and not ended: " + (Files.readAllLines(begun).size() - ended));
      System.exit(0);
    }

    private static void takeAll(Deque<Thread> taken) {
      try {
        while (true) {
          Thread thread = new Thread(LockSupport::park);
          thread.start();
          taken.add(thread);
        }
      } catch (OutOfMemoryError e) {
        Starved.say("took " + (taken.size() > MOST_FREE));
      }
    }
  }

  /** Has few files, takes all of them, and starts a program again for each that it gives back. */
  static final class Starved {
    private Starved() {}

    public static void main(String[] arguments) throws Exception {
      // Their files could not be read later.
      Class.forName(NotPreparedException.class.getName());
      Class.forName(TextTooLongException.class.getName());
      say(start());
      int before = openFiles();
      Deque<InputStream> taken = new ArrayDeque<>();
      takeAll(taken);
      for (int free = 0; free <= MOST_FREE; free++) {
        say(start());
        taken.removeLast().close();
      }
      for (InputStream each : taken) {
        each.close();
      }
      say("left open: " + (openFiles() - before));
    }

    static void say(String words) {
      System.out.println(words);
    }

    private static int openFiles() {
      return Objects.requireNonNull(new File("/proc/self/fd").list()).length;
    }

    static void takeAll(Deque<InputStream> taken) {
      try {
        while (true) {
          taken.add(new FileInputStream("/dev/null"));
        }
      } catch (FileNotFoundException e) {
        say("took " + (taken.size() > MOST_FREE));
      }
    }

    static String start() throws InterruptedException {
      return start(List.of("/bin/true"));
    }

    static String start(List<String> program) throws InterruptedException {
      String runId = UUID.randomUUID().toString();
      Map<String, String> environment = Map.of("PATH", "/bin", ProgramRun.RUN_ID, runId);
      try (ProgramRun run =
          ProgramRun.start(program, Path.of("/"), environment, "", OutputLimits.merged(0, 100))) {
        return run.await(Duration.ofSeconds(30), Duration.ZERO).toString();
      } catch (NotPreparedException e) {
        return "not prepared";
      } catch (IOException e) {
        return e.toString();
      }
    }
  }

  @Test
  @DisplayName(
      "whatever a program needs when no more files can be opened, it is the machine that lacks it"
          + " and not the program that is wrong; nothing of it stays open")
  void openFiles() throws Exception {
    assertThat(said(withFewFiles(Starved.class)))
        .matches(
            "Exited\\[code=0]\n"
                + "took true\n"
                + "(not prepared\n"
                + "){3,}(Exited\\[code=0]\n"
                + "){3,}left open: 0\n");
  }

  @Test
  @DisplayName(
      "where there is room for a program and none for the thread that waits for it, the program is"
          + " not started, or ended: it would run once more beside itself")
  void threads(@TempDir Path directory) throws Exception {
    assumeTrue(ProgramUser.isRoot(), "only root can be a user of its own, whose threads it counts");
    Path begun = Files.createFile(directory.resolve("begun"));
    List<String> command = new ArrayList<>(AS_OWN_USER);
    command.addAll(List.of("prlimit", "--nproc=150"));
    command.addAll(
        JavaCommand.java(
            "-Xlog:disable",
            "--enable-native-access=ALL-UNNAMED",
            "-cp",
            System.getProperty("java.class.path"),
            Crowded.class.getName(),
            begun.toString()));

    assertThat(said(command))
        .matches(
            "took true\n((not prepared|Exited\\[code=0])\n){"
                + (MOST_FREE + 1)
                + "}begun and not ended: 0\n")
        .contains(EXITED)
        // The threads of two streams, and of the worker's own end.
        .startsWith("took true\n" + "not prepared\n".repeat(6));
  }

  @Test
  @DisplayName(
      "programs that are started at once where there are files for a few end or are not started:"
          + " none is wrong, and no other file is closed")
  void together() throws Exception {
    assertThat(said(withFewFiles(Together.class)))
        .matches(
            "Exited\\[code=0]\n"
                + "took true\n"
                + "\\[Exited\\[code=0](, not prepared)?]\n"
                + "has its stdin: true\n");
  }

  @Test
  @DisplayName(
      "where Java was updated under a running worker, no program is wrong: the worker cannot start"
          + " any")
  void updated(@TempDir Path directory) throws Exception {
    Path java = copyOfJava(directory);
    List<String> command =
        new ArrayList<>(List.of(java.resolve("bin/java").toString(), "-XX:TieredStopAtLevel=1"));
    command.addAll(
        List.of(
            "--enable-native-access=ALL-UNNAMED", "-cp", System.getProperty("java.class.path")));
    command.add(Updated.class.getName());

    assertThat(said(command)).isEqualTo(EXITED + "\nnot prepared\nnot prepared\n");
  }

  /** With files of its own where Java looks for itself, and links for all others. */
  private static Path copyOfJava(Path copy) throws IOException {
    Path java = Path.of(System.getProperty("java.home"));
    Set<Path> own =
        Set.of(
            java.resolve("bin/java"),
            java.resolve("lib/libjli.so"),
            java.resolve("lib/server/libjvm.so"),
            java.resolve(HELPER));
    try (Stream<Path> all = Files.walk(java)) {
      for (Path each : (Iterable<Path>) all::iterator) {
        Path place = copy.resolve(java.relativize(each).toString());
        if (Files.isDirectory(each, LinkOption.NOFOLLOW_LINKS)) {
          Files.createDirectories(place);
        } else if (own.contains(each)) {
          Files.copy(each, place);
        } else {
          Files.createSymbolicLink(place, each);
        }
      }
    }
    return copy;
  }

  private static List<String> withFewFiles(Class<?> main) {
    List<String> command =
        new ArrayList<>(List.of("sh", "-c", "ulimit -n 500 && exec \"$@\"", "sh"));
    command.addAll(
        JavaCommand.java(
            "--enable-native-access=ALL-UNNAMED",
            "-cp",
            System.getProperty("java.class.path"),
            main.getName()));
    return command;
  }

  private static String said(List<String> command) throws IOException {
    Process process =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
  }
}
