package dev.holdfast.tool.sandbox;

import dev.holdfast.process.BaseEnvironment;
import dev.holdfast.process.OutputLimits;
import dev.holdfast.process.ProgramEnd;
import dev.holdfast.process.ProgramFinder;
import dev.holdfast.process.ProgramRun;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/** Finds out whether bubblewrap works on this machine, by running a program in it. */
final class SandboxProbe {
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  /**
   * From the strongest on: an own user namespace in which no further one can be made (bubblewrap
   * 0.8), an own one, and none, which works for root where user namespaces are switched off.
   */
  private static final List<List<String>> ISOLATIONS =
      List.of(List.of("--unshare-user", "--disable-userns"), List.of("--unshare-user"), List.of());

  /** The result of the probe. */
  sealed interface Found {}

  /** It works so. */
  record Works(Path program, List<String> isolation) implements Found {}

  /**
   * @param problem in a few words, with what bubblewrap says
   * @param remedy what a person can do about it
   */
  record Broken(String problem, String remedy) implements Found {}

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
      said =
          problem(
              new Bubblewrap(program.get(), isolation, List.of(), Network.NONE, Optional.empty()),
              environment);
      if (said.isEmpty()) {
        return new Works(program.get(), isolation);
      }
    }
    return new Broken(
        "bubblewrap does not work here (" + said + ")",
        "let the worker's user make namespaces, as docs/deployment.md says under Sandbox");
  }

  private static String problem(Bubblewrap sandbox, Map<String, String> environment)
      throws InterruptedException {
    Map<String, String> variables = BaseEnvironment.of(environment);
    variables.put(ProgramRun.RUN_ID, UUID.randomUUID().toString());
    try {
      Path directory = Files.createTempDirectory("holdfast-sandbox-");
      // They must be known, but one that goes away meanwhile says nothing of the machine.
      UnixSockets.reachable();
      List<String> command = sandbox.wrap(List.of("/bin/sh", "-c", "exit 0"), directory, List.of());
      try (ProgramRun run =
          ProgramRun.start(command, directory, variables, "", OutputLimits.merged(0, 1024))) {
        ProgramEnd end = run.await(PATIENCE, Duration.ZERO);
        if (end.equals(new ProgramEnd.Exited(0))) {
          return "";
        }
        String said = run.stdout().end().strip();
        return said.isEmpty() ? end.toString() : said;
      } finally {
        Files.delete(directory);
      }
    } catch (IOException | UncheckedIOException e) {
      return String.valueOf(e.getMessage());
    }
  }
}
