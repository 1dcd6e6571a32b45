package dev.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.app.Main;
import dev.holdfast.cli.output.ExitCode;
import dev.holdfast.testing.JavaCommand;
import java.io.BufferedReader;
import java.io.IOException;
import java.lang.reflect.Field;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What all commands share: help, errors, exit codes. */
class ProgramTest {
  private static final List<String> DATABASE_COMMANDS =
      List.of(
          "migrate",
          "design list",
          "design show x",
          "enqueue --kind k",
          "list",
          "show 1",
          "watch",
          "watch 1",
          "logs 1",
          "release 1",
          "release --fingerprint f",
          "hold 1 --reason r",
          "cancel 1 --reason r",
          "approve 1",
          "reject 1 --feedback f",
          "pause q",
          "resume q",
          "stats");

  private final Cli cli = Cli.withoutDatabase();

  @ParameterizedTest
  @ValueSource(
      strings = {
        "migrate",
        "design",
        "design put",
        "design list",
        "design show",
        "enqueue",
        "list",
        "completion",
        "show",
        "watch",
        "logs",
        "release",
        "hold",
        "cancel",
        "approve",
        "reject",
        "pause",
        "resume",
        "stats",
        "doctor",
        "classify",
        "help"
      })
  @DisplayName("every command explains itself with an example")
  void help(String command) {
    Cli.Result result = cli.run((command + " --help").split(" ", -1));
    assertThat(result.code()).isZero();
    assertThat(result.err()).isEmpty();
    assertThat(result.out())
        .contains("Usage: holdfast " + command, "Example", "--config", "--verbose");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "schedule put nightly --cron '0 3 * * 1-5' --zone Europe/Berlin --design report",
        "migrate --from public.tickets --design review=reviewer --map-kind -=mail",
        "enqueue --design summarise --payload '{\"prompt\": \"Summarise report.pdf\"}'",
        "release 17 --approve-call --call 4 --arguments '{\"command\": \"make test\"}'"
      })
  @DisplayName("an example in a command's help is one line, however long it is, and can be copied")
  void examplesInOneLine(String example) {
    String command = example.substring(0, example.indexOf(' '));
    assertThat(cli.run(command, "--help").lines()).contains("  holdfast " + example);
    assertThat(cli.run("help", command).lines()).contains("  holdfast " + example);
  }

  private static Process help(ProcessBuilder.Redirect output) throws IOException {
    return new ProcessBuilder(
            JavaCommand.java(
                "-cp", System.getProperty("java.class.path"), Main.class.getName(), "help"))
        .redirectOutput(output)
        .start();
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  @DisplayName("output that cannot be written is an error; that nobody reads it any more is none")
  void fullDisk() throws Exception {
    Process full = help(ProcessBuilder.Redirect.to(Path.of("/dev/full").toFile()));
    try (BufferedReader errors = full.errorReader()) {
      assertThat(errors.lines().filter(line -> line.startsWith("holdfast")))
          .containsExactly("holdfast: cannot write the output: No space left on device");
      assertThat(full.waitFor()).isEqualTo(ExitCode.FAILED);
    }
    Process unread = help(ProcessBuilder.Redirect.PIPE);
    unread.getInputStream().close();
    try (BufferedReader errors = unread.errorReader()) {
      assertThat(errors.lines().filter(line -> line.startsWith("holdfast"))).isEmpty();
      assertThat(unread.waitFor()).isZero();
    }
  }

  @Test
  @DisplayName("help names every command, help COMMAND and help config explain")
  void helpCommand() {
    assertThat(cli.run("help").out())
        .contains("migrate", "classify", "doctor")
        .isEqualTo(cli.run("--help").out())
        .isEqualTo(cli.run().out());
    assertThat(cli.run().code()).isZero();
    assertThat(cli.run("help", "release").out()).isEqualTo(cli.run("release", "--help").out());
    assertThat(cli.run("help", "config").out())
        .contains("worker.poll-interval", "HOLDFAST_WORKER_POLL_INTERVAL", "10ms to 1h");
    assertThat(cli.run("help", "config", "--markdown").out()).startsWith("# Configuration");
    assertThat(cli.run("help", "relaese").err()).contains("did you mean release").hasLineCount(1);
    assertThat(cli.run("help", "exit").err()).contains("no command").doesNotContain("did you mean");
  }

  @Test
  @DisplayName("help tells the commands by what people want to do, each in one sentence")
  void helpInGroups() {
    assertThat(cli.run("--help").out())
        .containsSubsequence(
            "\nStart:\n  ", "\nLook:\n  list ", "\nWork with tickets:\n  enqueue ", "\nSet up:\n  ")
        .containsSubsequence("\nMore:\n  classify ", "\n  mcp ", "\n  completion ", "\n  help ")
        .containsPattern(" {2}migrate {6}Create or update the database schema\\.\n {2}\\w")
        .contains("[COMMAND]\n");
    assertThat(cli.run("classify", "--help").out())
        .contains("{\"category\", \"rule\", \"retry_after_ms\"")
        .doesNotContainPattern("\n\\w+, ?\n");
  }

  @Test
  @DisplayName("--version names the program")
  void version() {
    assertThat(cli.run("--version").out()).startsWith("holdfast ");
  }

  @Test
  @DisplayName("wrong usage is exit code 2 and one line with the nearest word")
  void wrongUsage() {
    assertThat(cli.run("lits").err()).contains("did you mean", "list").hasLineCount(1);
    assertThat(cli.run("lits").code()).isEqualTo(2);
    assertThat(cli.run("list", "--stat", "x").err()).contains("--state").hasLineCount(1);
    assertThat(cli.run("bogus\nline", "--\u001b[31m").err())
        .hasLineCount(1)
        .doesNotContain("\u001b");
    assertThat(cli.run("@/etc/hostname").code()).isEqualTo(2);
    for (String[] line :
        List.of(new String[] {"lits", "--help"}, new String[] {"schedule", "lits", "--help"})) {
      Cli.Result helpless = cli.run(line);
      assertThat(helpless.code()).as("%s", helpless).isEqualTo(2);
      assertThat(helpless.err()).contains("lits", "did you mean", "list").hasLineCount(1);
      assertThat(helpless.out()).isEmpty();
    }
  }

  @Test
  @DisplayName(
      "without a database every command that needs one is exit code 4 and says how to get one")
  void noDatabase() {
    for (String command : DATABASE_COMMANDS) {
      Cli.Result result = cli.run(command.split(" ", -1));
      assertThat(result.code()).as(command).isEqualTo(4);
      assertThat(result.err())
          .as(command)
          .contains("HOLDFAST_DATABASE_URL", "holdfast demo")
          .hasLineCount(1);
    }
  }

  @Test
  @DisplayName("a database on a host that does not exist: the line names the host and the setting")
  void unknownHost() {
    Cli lost =
        new Cli(
            Map.of("HOLDFAST_DATABASE_URL", "postgres://ann:hunter2@nowhere.invalid/work"),
            cli.directory());
    Cli.Result result = lost.run("list");
    assertThat(result.code()).isEqualTo(4);
    assertThat(result.err())
        .contains("there is no host \"nowhere.invalid\"; check HOLDFAST_DATABASE_URL")
        .hasLineCount(1);
  }

  @Test
  @DisplayName("a file that is missing or a directory: the line says which, and the next step")
  void unreadableFiles() {
    assertThat(cli.run("list", "--config", "none.yaml").err())
        .contains("none.yaml: there is no such file; check --config")
        .hasLineCount(1);
    assertThat(cli.run("list", "--config", "/").err())
        .contains("/: it is a directory; check --config")
        .hasLineCount(1);
    Cli.Result missing = cli.run("enqueue", "--kind", "k", "--payload", "@none.json");
    assertThat(missing.code()).isEqualTo(2);
    assertThat(missing.err())
        .contains("\"none.json\": there is no such file; check its name")
        .hasLineCount(1);
    assertThat(cli.run("enqueue", "--file", "none.jsonl").err())
        .contains("\"none.jsonl\": there is no such file; name a file")
        .hasLineCount(1);
    assertThat(cli.run("enqueue", "--file", "a\0b").err())
        .contains("that cannot be a file's name")
        .hasLineCount(1);
  }

  @Test
  @DisplayName("an unreachable database is exit code 4 in one line, without the password")
  void unreachable() {
    Cli dead =
        new Cli(
            Map.of("HOLDFAST_DATABASE_URL", "postgres://ann:hunter2@127.0.0.1:1/work"),
            cli.directory());
    for (String command : DATABASE_COMMANDS) {
      Cli.Result result = dead.run(command.split(" ", -1));
      assertThat(result.code()).as("%s: %s", command, result.err()).isEqualTo(4);
      assertThat(result.err())
          .as(command)
          .startsWith("holdfast: ")
          .hasLineCount(1)
          .doesNotContain("Exception", "hunter2");
      assertThat(result.out()).as(command).isEmpty();
    }
    Cli.Result doctor = dead.run("doctor");
    assertThat(doctor.code()).isEqualTo(4);
    assertThat(doctor.out()).contains("\nfail  database: ").doesNotContain("hunter2");
  }

  @Test
  @DisplayName("a stack trace only with --verbose")
  void verbose() {
    assertThat(cli.run("list", "--verbose").err()).contains("\tat dev.holdfast");
    assertThat(cli.run("--verbose", "list").err()).contains("\tat dev.holdfast");
    assertThat(cli.run("list").err()).doesNotContain("\tat ");
  }

  @Test
  @DisplayName(
      "a configuration that cannot be used is exit code 2 and one line, before or after the"
          + " command's name")
  void configuration(@TempDir Path directory) throws IOException {
    Path file = Files.writeString(directory.resolve("c.yaml"), "worker:\n  leese: 5s\n");
    for (Cli.Result result :
        List.of(
            cli.run("list", "--config", file.toString()),
            cli.run("--config", file.toString(), "list"),
            cli.run("classify", "x", "--config=" + file),
            cli.run("design", "list", "--config", file.toString()))) {
      assertThat(result.code()).isEqualTo(2);
      assertThat(result.err()).contains("worker.leese", "worker.lease").hasLineCount(1);
    }
    assertThat(cli.run("list", "--config", "/no/such.yaml").code()).isEqualTo(2);
  }

  @Test
  @DisplayName("22.10: docs/cli.md has each exit code in its table, and no other")
  void exitCodes() throws Exception {
    List<Integer> codes = new ArrayList<>();
    for (Field field : ExitCode.class.getFields()) {
      codes.add(field.getInt(null));
    }
    List<Integer> told =
        Files.readString(Path.of("docs/cli.md"))
            .lines()
            .filter(line -> line.matches("\\| \\d+ \\| .*"))
            .map(line -> Integer.valueOf(line.split(" ", 3)[1]))
            .toList();
    assertThat(told).containsExactlyInAnyOrderElementsOf(codes).hasSize(5);
  }
}
