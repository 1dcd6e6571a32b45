package dev.holdfast.e2e;

import dev.holdfast.cli.Cli;
import dev.holdfast.testing.JavaCommand;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestDirectories;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.condition.OS;

/**
 * The packaged program, used in one directory with one environment. Of the test's own environment
 * only what any program needs is passed on; the test's language and time zone are. Closing kills
 * what was started. Used by one thread.
 */
public final class Installation implements AutoCloseable {
  private static final Path JAR = Path.of("target", "holdfast.jar").toAbsolutePath();
  private static final Set<String> SERVERS = Set.of("worker", "console", "mcp", "bench", "demo");

  private static final List<String> PASSED = List.of("PATH", "HOME", "TMPDIR", "XDG_CACHE_HOME");
  private static final List<String> FILES = List.of("--file", "--traces");
  private static final List<String> LOCALE =
      List.of("user.language", "user.country", "user.timezone");

  private final Path directory;
  private final Map<String, String> environment = new HashMap<>();
  private final Deque<HoldfastProcess> started = new ArrayDeque<>();
  private @Nullable Path overlay;
  private List<String> launcher = List.of();

  /**
   * @param directory where commands run
   */
  public Installation(Path directory) {
    this.directory = directory;
    for (String name : PASSED) {
      String value = System.getenv(name);
      if (value != null) {
        environment.put(name, value);
      }
    }
  }

  /** With its tickets in the given database, and impatient where nothing is to be proven by it. */
  static Installation on(TestDatabase database, Path directory) {
    return new Installation(directory)
        .with("HOLDFAST_DATABASE_URL", database.jdbcUrl())
        .with("HOLDFAST_DATABASE_USER", database.user())
        .with("HOLDFAST_DATABASE_PASSWORD", database.password())
        .with("HOLDFAST_WORKER_POLL_INTERVAL", "200ms");
  }

  /** Sets a variable for everything that is started from now on; empty removes it. */
  public Installation with(String variable, String value) {
    environment.put(variable, value);
    return this;
  }

  Path directory() {
    return directory;
  }

  /** As the launcher does it where the file was made after the program. */
  private static List<String> warmStart(String... words) {
    boolean server = words.length > 0 && SERVERS.contains(words[0]);
    Path cache = JAR.resolveSibling(server ? "holdfast.aot" : "commands.aot");
    return Files.exists(cache)
        ? List.of("-XX:AOTCache=" + cache, "-Xlog:aot=off,cds=off")
        : List.of();
  }

  /** The options of Java that a worker is started with here. */
  static String serverOptions() {
    List<String> options = new ArrayList<>(JavaCommand.SHORT_LIVED);
    options.addAll(warmStart("worker"));
    return String.join(" ", options);
  }

  /** As a shell starts a command that ends soon. */
  static String shortCommand() {
    List<String> words = JavaCommand.java();
    words.addAll(warmStart());
    words.addAll(List.of("-jar", JAR.toString()));
    return "'" + String.join("' '", words) + "'";
  }

  /** The program itself. */
  public static Path jar() {
    return JAR;
  }

  /** What is started from now on finds these classes and files before its own. */
  public void overlay(Path classes) {
    overlay = classes;
  }

  /** What is started from now on is started by this command. */
  Installation through(String... words) {
    launcher = List.of(words);
    return this;
  }

  public HoldfastProcess start(String... words) throws IOException {
    if (!Files.exists(JAR)) {
      throw new AssertionError(JAR + " is missing; run: mvn -DskipTests package");
    }
    List<String> command = new ArrayList<>(launcher);
    if (OS.LINUX.isCurrentOs()) {
      // Tests that a script runs in the background ignore Ctrl-C, and so would what they start.
      command.addAll(List.of("env", "--default-signal=INT"));
    }
    // As the launcher starts short commands: many of them share few cores here.
    command.addAll(
        JavaCommand.java("--sun-misc-unsafe-memory-access=allow", "-XX:+DisableAttachMechanism"));
    command.addAll(warmStart(words));
    String temporary = environment.getOrDefault("TMPDIR", TestDirectories.place().toString());
    command.add("-Djava.io.tmpdir=" + temporary);
    LOCALE.forEach(name -> command.add("-D" + name + "=" + System.getProperty(name, "")));
    Path before = overlay;
    command.addAll(
        before == null
            ? List.of("-jar", JAR.toString())
            : List.of("-cp", before + File.pathSeparator + JAR, "dev.holdfast.app.Main"));
    command.addAll(List.of(words));
    ProcessBuilder builder = new ProcessBuilder(command).directory(directory.toFile());
    builder.environment().clear();
    builder.environment().putAll(environment);
    Process process = builder.start();
    process.getOutputStream().close();
    HoldfastProcess running = new HoldfastProcess(process, directory);
    started.push(running);
    return running;
  }

  /**
   * Runs a command on a terminal of its own, whose settings are printed before and after it. Keys
   * are pressed by {@link HoldfastProcess#press}.
   */
  HoldfastProcess startOnTerminal(String... words) throws IOException {
    String line =
        "trap : INT; stty -g; %s %s; stty -g".formatted(shortCommand(), String.join(" ", words));
    ProcessBuilder builder =
        new ProcessBuilder("env", "--default-signal=INT", "script", "-qfec", line, "/dev/null")
            .directory(directory.toFile());
    builder.environment().clear();
    builder.environment().putAll(environment);
    builder.environment().put("SHELL", "/bin/sh");
    HoldfastProcess running = new HoldfastProcess(builder.start(), directory);
    started.push(running);
    return running;
  }

  /** A worker on a free port; returns once it listens. */
  public HoldfastProcess worker(String... words) throws IOException, InterruptedException {
    List<String> all = new ArrayList<>(List.of("worker", "--port", "0", "--no-console"));
    all.addAll(List.of(words));
    return start(all.toArray(String[]::new)).awaitListening();
  }

  /** Runs a command to its end, in a process of its own. */
  Outcome run(String... words) throws IOException, InterruptedException {
    return start(words).awaitOutcome();
  }

  /**
   * Runs a command that must succeed without a complaint; returns what it printed. It runs in this
   * process, for hundreds of short ones would mostly start Java: what the process itself does is
   * seen by {@link #run}.
   */
  String ok(String... words) {
    Outcome outcome = ask(words);
    if (outcome.exit() != 0 || !outcome.stderr().isEmpty()) {
      throw new AssertionError(String.join(" ", words) + ": " + outcome);
    }
    return outcome.stdout().strip();
  }

  /** Runs a short command as {@link #ok} does, however it ends. */
  Outcome ask(String... words) {
    Cli.Result result = new Cli(Map.copyOf(environment), directory).run(inDirectory(words));
    return new Outcome(result.code(), result.out(), result.err());
  }

  /** Files are named as seen from the directory, which is not this process's. */
  private String[] inDirectory(String... words) {
    String[] all = words.clone();
    for (int i = 1; i < all.length; i++) {
      if (FILES.contains(all[i - 1])) {
        all[i] = directory.resolve(all[i]).toString();
      }
    }
    return all;
  }

  @Override
  public void close() {
    started.forEach(HoldfastProcess::close);
  }
}
