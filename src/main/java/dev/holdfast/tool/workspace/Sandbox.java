package dev.holdfast.tool.workspace;

import dev.holdfast.process.BaseEnvironment;
import dev.holdfast.process.OutputLimits;
import dev.holdfast.process.ProgramEnd;
import dev.holdfast.process.ProgramRun;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a program of the workspace can reach. Confined by bubblewrap it can write only to the
 * workspace and to a {@code /tmp} of its own, sees no process but its own and no socket under
 * {@code /run}, and finds the places where people keep credentials empty. It can read the rest of
 * the disk and use the network. Not confined it can do whatever the worker's user can.
 */
public sealed interface Sandbox {
  /** The words that run a program in it. */
  List<String> wrap(List<String> command, Path workspace);

  /** What a model and a person are told, in one sentence. */
  String description();

  /** For machines without bubblewrap. */
  record None() implements Sandbox {
    @Override
    public List<String> wrap(List<String> command, Path workspace) {
      return command;
    }

    @Override
    public String description() {
      return "Programs are not confined: bubblewrap (bwrap) does not work on this machine.";
    }
  }

  /**
   * @param hidden directories and files that are empty inside
   */
  record Bubblewrap(List<Path> hidden) implements Sandbox {
    public Bubblewrap {
      hidden = List.copyOf(hidden);
    }

    @Override
    public List<String> wrap(List<String> command, Path workspace) {
      List<String> words = new ArrayList<>(List.of("bwrap", "--die-with-parent", "--new-session"));
      words.addAll(List.of("--unshare-pid", "--unshare-ipc", "--unshare-uts"));
      words.addAll(List.of("--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"));
      words.addAll(List.of("--tmpfs", "/tmp", "--tmpfs", "/run"));
      // The resolver's configuration may be a link into /run.
      words.addAll(List.of("--ro-bind-try", "/run/systemd/resolve", "/run/systemd/resolve"));
      hidden.forEach(path -> words.addAll(hide(path)));
      String place = workspace.toString();
      words.addAll(List.of("--bind", place, place, "--chdir", place, "--"));
      words.addAll(command);
      return words;
    }

    private static List<String> hide(Path path) {
      if (Files.isDirectory(path)) {
        return List.of("--tmpfs", path.toString());
      }
      return Files.exists(path) ? List.of("--ro-bind", "/dev/null", path.toString()) : List.of();
    }

    @Override
    public String description() {
      return "Programs are confined by bubblewrap: they can write only to the workspace and to"
          + " /tmp, which is empty for each.";
    }
  }

  /**
   * Bubblewrap where it is installed and works, which it shows by running a program.
   *
   * @param environment the worker's own
   * @param alsoHidden more than the usual places of credentials
   */
  static Sandbox detect(Map<String, String> environment, List<Path> alsoHidden)
      throws InterruptedException {
    List<Path> hidden = new ArrayList<>(alsoHidden);
    Path home = Path.of(environment.getOrDefault("HOME", "/root"));
    for (String name : CREDENTIALS) {
      hidden.add(home.resolve(name));
    }
    Sandbox sandbox = new Bubblewrap(hidden.stream().map(Path::toAbsolutePath).toList());
    return works(sandbox, environment) ? sandbox : new None();
  }

  /** Under the home directory. */
  List<String> CREDENTIALS =
      List.of(
          ".ssh",
          ".aws",
          ".azure",
          ".config/gcloud",
          ".config/gh",
          ".docker",
          ".gnupg",
          ".kube",
          ".git-credentials",
          ".netrc",
          ".npmrc",
          ".pgpass",
          ".pypirc",
          ".m2/settings.xml",
          ".m2/settings-security.xml");

  private static boolean works(Sandbox sandbox, Map<String, String> environment)
      throws InterruptedException {
    Logger log = LoggerFactory.getLogger(Sandbox.class);
    Map<String, String> variables = BaseEnvironment.of(environment);
    variables.put(ProgramRun.RUN_ID, UUID.randomUUID().toString());
    try {
      Path directory = Files.createTempDirectory("holdfast-sandbox-");
      List<String> probe = sandbox.wrap(List.of("/bin/sh", "-c", "exit 0"), directory);
      try (ProgramRun run =
          ProgramRun.start(probe, directory, variables, "", OutputLimits.merged(0, 1024))) {
        ProgramEnd end = run.await(Duration.ofSeconds(10), Duration.ZERO);
        if (!end.equals(new ProgramEnd.Exited(0))) {
          log.warn(
              "bubblewrap does not work here, programs are not confined: {}", run.stdout().end());
          return false;
        }
        return true;
      } finally {
        Files.delete(directory);
      }
    } catch (IOException e) {
      log.warn("bubblewrap is not installed, programs are not confined: {}", e.getMessage());
      return false;
    }
  }
}
