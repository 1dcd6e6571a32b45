package dev.holdfast.app;

import dev.holdfast.cli.BenchCommand;
import dev.holdfast.cli.Commands;
import dev.holdfast.cli.ConsoleCommand;
import dev.holdfast.cli.DemoCommand;
import dev.holdfast.cli.Servers;
import dev.holdfast.cli.WorkerCommand;
import dev.holdfast.cli.output.Terminal;
import dev.holdfast.cli.root.Backend;
import dev.holdfast.cli.root.HoldfastCommand;
import dev.holdfast.config.ConfigLoader;
import dev.holdfast.process.ProcessSeal;
import dev.holdfast.process.ProgramUser;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Map;

/** Starts the program. */
public final class Main {
  private static final String HOME = ".holdfast";

  private Main() {}

  public static void main(String[] arguments) {
    doWithoutFlightRecorder();
    SafeEncoder log = LogOutput.configure(LogLevel.of(System.getenv(), arguments));
    log.write(System.getenv().getOrDefault("HOLDFAST_LOG_FORMAT", ""));
    ProcessSeal.apply();
    Terminal terminal = Terminal.ofProcess(InstantSource.system());
    ConfigLoader loader =
        new ConfigLoader(
            Path.of(""),
            System.getenv(),
            settings -> {
              log.hide(settings.secrets());
              log.write(settings.logFormat());
            });
    System.exit(
        WarmStart.lines()
            .map(WarmStart::run)
            .orElseGet(() -> run(terminal, loader, Path.of(""), arguments)));
  }

  /**
   * Turns Flight Recorder off. Otherwise Jdbi's first statement would list all of its events, which
   * takes a tenth of a start. A recording that an option of Java starts began before this. Java is
   * never told to start one later, because nobody may attach.
   */
  private static void doWithoutFlightRecorder() {
    System.setProperty("jfr.unsupported.vm", "true");
  }

  /**
   * Runs one command line.
   *
   * @param directory where {@code holdfast.yaml} and {@code .holdfast} are looked for
   * @return the exit code
   */
  public static int run(
      Terminal terminal, Map<String, String> environment, Path directory, String... arguments) {
    return run(terminal, new ConfigLoader(directory, environment), directory, arguments);
  }

  private static int run(
      Terminal terminal, ConfigLoader loader, Path directory, String... arguments) {
    Backend.Opener opener = settings -> OneShot.open(settings, directory.resolve(HOME));
    String person = ProgramUser.ownName();
    Servers servers = new ServerCommands(directory.resolve(HOME));
    return new Commands()
        .with("worker", command -> new WorkerCommand(command, servers))
        .with("console", command -> new ConsoleCommand(command, servers))
        .with("demo", command -> new DemoCommand(command, servers))
        .with(
            "bench", command -> new BenchCommand(command, new BenchRunner(directory.resolve(HOME))))
        .run(new HoldfastCommand(terminal, loader, opener, person), arguments);
  }
}
