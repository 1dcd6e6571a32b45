package dev.holdfast.tool.sandbox;

import dev.holdfast.process.BaseEnvironment;
import dev.holdfast.process.MachineLimits;
import dev.holdfast.process.NotPreparedException;
import dev.holdfast.process.OutputLimits;
import dev.holdfast.process.ProgramEnd;
import dev.holdfast.process.ProgramFinder;
import dev.holdfast.process.ProgramRun;
import dev.holdfast.process.TemporaryPlace;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Finds out whether bubblewrap works on this machine, by running a program in it. */
final class SandboxProbe {
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  /**
   * The isolations, the strongest first: an own user namespace in which no further one can be made
   * (bubblewrap 0.8), an own one, and none, which works for root where user namespaces are switched
   * off.
   */
  private static final List<List<String>> ISOLATIONS =
      List.of(List.of("--unshare-user", "--disable-userns"), List.of("--unshare-user"), List.of());

  private static final List<String> NOTHING = List.of("/bin/sh", "-c", "exit 0");

  /** The result of the probe. */
  sealed interface Found {}

  /** Bubblewrap works with this isolation. */
  record Works(Path program, List<String> isolation) implements Found {}

  /**
   * @param problem in a few words, with what bubblewrap says
   * @param remedy what a person can do about it
   */
  record Broken(String problem, String remedy) implements Found {}

  /**
   * Nobody could find out this time, or a sandbox did not start although bubblewrap works. That is
   * no reason to run anything unconfined.
   *
   * @param problem in a few words
   * @param remedy what a person can do about it
   * @param noRoom where this machine has no room for any program
   */
  record Hindered(String problem, String remedy, @Nullable NotPreparedException noRoom)
      implements Found {
    static Hindered by(Exception e) {
      return new Hindered(
          "a sandbox could not be tried (" + e.getMessage() + ")",
          "make room on the disk of "
              + System.getProperty("java.io.tmpdir")
              + ", and see that the worker can write there and start programs",
          e instanceof NotPreparedException noRoom ? noRoom : null);
    }

    /** Returns the exception for a caller that needs a sandbox now. */
    RuntimeException refusal() {
      return noRoom == null ? new SandboxFailedException(problem + ": " + remedy) : noRoom;
    }
  }

  private SandboxProbe() {}

  /**
   * @param environment the worker's own, whose PATH leads to bubblewrap
   */
  static Found run(Map<String, String> environment) throws InterruptedException {
    Optional<Path> program = ProgramFinder.find("bwrap", environment.get("PATH"));
    if (program.isEmpty()) {
      return new Broken(
          "bubblewrap (bwrap) is not installed",
          "install it (apt-get install bubblewrap, dnf install bubblewrap)");
    }
    String said = "";
    for (List<String> isolation : ISOLATIONS) {
      Bubblewrap sandbox =
          new Bubblewrap(
              program.get(), isolation, List.of(), List.of(), Network.NONE, Optional.empty());
      try {
        said = problem(sandbox, environment);
      } catch (IOException | NotPreparedException e) {
        return Hindered.by(e);
      }
      if (said.isEmpty()) {
        return new Works(program.get(), isolation);
      }
    }
    return new Broken(
        "bubblewrap does not work here (" + said + ")",
        "let the worker's user make namespaces, as docs/deployment.md says under Sandbox");
  }

  /**
   * Starts a program in a sandbox like a tool's, with all that is hidden there.
   *
   * @return why that does not go; empty where it does
   */
  static Optional<Hindered> start(Bubblewrap sandbox, Map<String, String> environment)
      throws InterruptedException {
    try {
      Path directory = MachineLimits.temporaryDirectory(TemporaryPlace.SANDBOX);
      try {
        Sandbox.Ran ran =
            sandbox.run(NOTHING, directory, words -> run(words, directory, environment));
        return said(ran).isEmpty() ? Optional.empty() : Optional.of(notStarted(said(ran)));
      } finally {
        Files.delete(directory);
      }
    } catch (SandboxFailedException | UncheckedIOException e) {
      return Optional.of(notStarted(String.valueOf(e.getMessage())));
    } catch (IOException | NotPreparedException e) {
      return Optional.of(Hindered.by(e));
    }
  }

  private static Hindered notStarted(String said) {
    return new Hindered(said, "let bubblewrap cover the path that it names, or move that", null);
  }

  private static String problem(Bubblewrap sandbox, Map<String, String> environment)
      throws IOException, InterruptedException {
    Path directory = MachineLimits.temporaryDirectory(TemporaryPlace.SANDBOX);
    try {
      // The sockets must be known, but one that goes away meanwhile says nothing about the machine.
      UnixSockets.reachable();
      return said(run(sandbox.wrap(NOTHING, directory, List.of()), directory, environment));
    } catch (UncheckedIOException e) {
      return String.valueOf(e.getMessage());
    } finally {
      Files.delete(directory);
    }
  }

  private static Sandbox.Ran run(
      List<String> words, Path directory, Map<String, String> environment)
      throws IOException, InterruptedException {
    Map<String, String> variables = BaseEnvironment.of(environment);
    variables.put(ProgramRun.RUN_ID, ProgramRun.newId());
    try (ProgramRun run =
        ProgramRun.start(words, directory, variables, "", OutputLimits.merged(0, 1024))) {
      ProgramEnd end = run.await(PATIENCE, Duration.ZERO);
      return new Sandbox.Ran(end, run.stdout().end());
    }
  }

  /** Returns what the program said; empty where it went well. */
  private static String said(Sandbox.Ran ran) {
    if (ran.end().equals(new ProgramEnd.Exited(0))) {
      return "";
    }
    String said = ran.output().strip();
    return said.isEmpty() ? ran.end().toString() : said;
  }
}
