package dev.holdfast.handler.command;

import static dev.holdfast.handler.command.CommandTickets.error;
import static dev.holdfast.handler.command.CommandTickets.ticket;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.failure.Category;
import dev.holdfast.failure.Classifier;
import dev.holdfast.failure.ErrorReport;
import dev.holdfast.failure.Failure;
import dev.holdfast.process.ExitText;
import dev.holdfast.process.UnprivilegedJava;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("Command handler: failures")
class CommandFailuresIT {
  @TempDir Path temp;
  private CommandTickets tickets;

  @BeforeEach
  void setUp() {
    tickets = new CommandTickets(temp.resolve("workspaces"));
  }

  @Test
  @DisplayName("A non-zero exit reports the code and the end of stderr")
  void exitCode() throws Exception {
    ErrorReport report =
        tickets.fail("echo out; echo first >&2; echo 'Error: it broke' >&2; exit 3");

    assertThat(report.text()).isEqualTo("exit code 3 from sh\nfirst\nError: it broke");
    assertThat(report.exitCode()).isEqualTo(3);

    assertThat(report.statedCategory()).isNull();
  }

  @Test
  @DisplayName(
      "An agent's program that says on stdout that it failed is believed, whatever it warned of on"
          + " stderr: its words come first, and its HTTP status counts")
  void failedResult() throws Exception {
    String line =
        "{\"type\":\"result\",\"is_error\":true,\"api_error_status\":529,\"result\":\"Overloaded\"}";
    ErrorReport report = tickets.fail("echo 'a warning' >&2; echo '" + line + "'; exit 1");
    assertThat(report.text())
        .isEqualTo("Overloaded\n(exit code 1 from sh)\n" + line + "\na warning");
    assertThat(report.httpStatus()).isEqualTo(529);
    assertThat(tickets.fail("echo '" + line + "'; exit 1").text())
        .isEqualTo("Overloaded\n(exit code 1 from sh)\n" + line);

    String wordless = "{\"is_error\":true,\"api_error_status\":null,\"errors\":[]}";
    ErrorReport silent = tickets.fail("echo warned >&2; echo '" + wordless + "'; exit 1");
    assertThat(silent.text()).isEqualTo("exit code 1 from sh\n" + wordless + "\nwarned");
    assertThat(silent.httpStatus()).isNull();
    assertThat(
            tickets
                .fail("echo '{\"is_error\": true, \"errors\": [\"no such session\"]}'; exit 1")
                .text())
        .startsWith("no such session\n(exit code 1 from sh)\n{");
    assertThat(tickets.fail("echo warned >&2; echo '{\"is_error\":0}'; exit 1").text())
        .isEqualTo("exit code 1 from sh\nwarned");
  }

  @ParameterizedTest
  @DisplayName("What an agent's program says of its failure decides category and title")
  @CsvSource(
      delimiter = '~',
      textBlock =
          """
          {"is_error":true,"api_error_status":529,"result":"It is busy"} ~ transient ~ It is busy
          {"is_error":true,"result":"Credit balance is too low"} ~ api_error ~ Credit balance is too low
          {"error":"step failed"} ~ code_error ~ step failed
          {"error":"429 Too Many Requests"} ~ transient ~ 429 Too Many Requests
          """)
  void saidAndWarned(String line, String category, String title) throws Exception {
    Failure failure =
        Classifier.standard()
            .classify(
                tickets.fail(
                    "echo 'TypeError: x is not a function' >&2; printf '%s' '"
                        + line
                        + "'; exit 1"));
    assertThat(failure.category().wireName()).isEqualTo(category);
    assertThat(failure.title()).isEqualTo(title);
  }

  @Test
  @DisplayName("A long line of an agent's program is cut, with its words in front")
  void longFailedResult() throws Exception {
    ErrorReport report =
        tickets.fail(
            "printf '{\"is_error\":true,\"result\":\"it broke\",\"more\":\"';"
                + " head -c 500000 /dev/zero | tr '\\0' x; echo '\"}'; exit 1");

    assertThat(report.text())
        .startsWith("it broke\n(exit code 1 from sh)\n[the last 16KiB of 489KiB of stdout]\nxxx")
        .endsWith("x\"}")
        .hasSizeLessThan(17_000);
  }

  @Test
  @DisplayName(
      "With nothing on stderr the end of stdout is reported; with nothing at all, the code alone")
  void silentStderr() throws Exception {
    assertThat(tickets.fail("echo 'it broke'; exit 75").text())
        .isEqualTo("exit code 75 from sh\nit broke");
    assertThat(tickets.fail("exit 1").text()).isEqualTo("exit code 1 from sh");
  }

  @Test
  @DisplayName(
      "A long stderr is cut at its beginning, and says so without a number that looks like a"
          + " status")
  void longStderr() throws Exception {
    ErrorReport report =
        tickets.fail(
            "head -c 439296 /dev/zero | tr '\\0' x >&2; echo >&2; echo 'the end ü' >&2; exit 1");

    assertThat(report.text())
        .startsWith("exit code 1 from sh\n[the last 16KiB of 430KiB of stderr]\nxxx")
        .endsWith("x\nthe end ü")
        .hasSizeLessThan(17_000);
  }

  @Test
  @DisplayName("issue 20: what is kept of stderr does not begin in the middle of a secret")
  void secretAtTheCut() throws Exception {
    ErrorReport report =
        tickets.fail("yes token=sk-0123456789-abcdefghijklmnopqrstuvwxyz | head -500 >&2; exit 1");

    assertThat(report.text().lines().skip(2))
        .hasSizeGreaterThan(200)
        .containsOnly("token=sk-0123456789-abcdefghijklmnopqrstuvwxyz");
  }

  @Test
  @DisplayName("Death by a signal is named")
  void signal() throws Exception {
    ErrorReport killed = tickets.fail("kill -KILL $$");
    ErrorReport segfault = tickets.fail("kill -SEGV $$");

    assertThat(killed.text()).isEqualTo("exit code 137 from sh: killed by signal 9 (SIGKILL)");
    assertThat(killed.exitCode()).isEqualTo(137);
    assertThat(segfault.text()).startsWith("exit code 139 from sh: killed by signal 11 (SIGSEGV)");
  }

  @ParameterizedTest(name = "{0}")
  @DisplayName(
      "Programs' ends are classified: exit codes first, then the text; numbers of ours are no"
          + " status")
  @CsvSource(
      delimiter = '~',
      textBlock =
          """
          exit 75                                          ~ transient
          exit 137                                         ~ system_error
          exit 192                                         ~ system_error
          exit 193                                         ~ unknown
          kill -KILL $$                                    ~ system_error
          kill -TERM $$                                    ~ system_error
          echo 'Error: 429 Too Many Requests' >&2; exit 1  ~ transient
          echo 'Traceback: NameError: x' >&2; exit 1       ~ code_error
          sh missing.sh                                    ~ system_error
          ./missing.sh                                     ~ system_error
          echo 'nothing anybody knows' >&2; exit 3         ~ unknown
          head -c 439296 /dev/zero | tr '\\0' x >&2; exit 1 ~ unknown
          """)
  void classified(String script, String category) throws Exception {
    assertThat(Classifier.standard().classify(tickets.fail(script)).category().wireName())
        .isEqualTo(category);
  }

  @Test
  @DisplayName("A last line with \"error\" says text, category and delay outright")
  void statedError() throws Exception {
    ErrorReport report =
        tickets.fail(
            "echo 'some log' >&2; echo '{\"error\": \"try later\", \"category\": \"transient\","
                + " \"retry_after_ms\": 1500}'; exit 9");

    assertThat(report.text()).isEqualTo("try later\n(exit code 9 from sh)\nsome log");
    assertThat(report.statedCategory()).isEqualTo(Category.TRANSIENT);
    assertThat(report.retryAfter()).isEqualTo(Duration.ofMillis(1500));
    assertThat(report.exitCode()).isEqualTo(9);
  }

  @Test
  @DisplayName(
      "A stated error without a category comes before what stderr says; an object is kept as JSON")
  void statedWithoutCategory() throws Exception {
    ErrorReport report =
        tickets.fail(
            "echo noise >&2; echo '{\"error\": {\"code\": \"rate_limit_exceeded\"}}'; exit 1");

    assertThat(report.text())
        .isEqualTo("{\"code\":\"rate_limit_exceeded\"}\n(exit code 1 from sh)\nnoise");
    assertThat(report.statedCategory()).isNull();
  }

  @Test
  @DisplayName("Of a stated error that is very long the beginning and the end are kept")
  void statedAtLength() throws Exception {
    String big = "printf '{\"error\": {\"code\": \"first\", \"log\": \"'; head -c 900000 /dev/zero";
    ErrorReport report = tickets.fail(big + " | tr '\\0' x; printf '%s\\n' 'last\"}}'; exit 1");

    assertThat(report.text())
        .hasSizeLessThan(17 * 1024)
        .startsWith("{\"code\":\"first\"")
        .contains("\n[of 900,029 characters the middle is left out]\n")
        .endsWith("xxxlast\"}\n(exit code 1 from sh)");
  }

  @Test
  @DisplayName("what is left out of a stated error begins and ends between two characters")
  void statedAtLengthInPairs() throws Exception {
    String pairs = "printf '{\"error\": \"a'; yes \ud83d\ude00 | head -n 20000 | tr -d '\\n'";
    ErrorReport report = tickets.fail(pairs + "; printf '%s\\n' 'b\"}'; exit 1");

    assertThat(report.text()).startsWith("a\ud83d\ude00").contains("\ud83d\ude00b\n(exit code 1");
    assertThat(report.text().codePoints())
        .noneMatch(each -> Character.getType(each) == Character.SURROGATE)
        .doesNotContain((int) '?', 0xFFFD);
  }

  @Test
  @DisplayName(
      "A last line that was to state an error and is no JSON, or says a key twice, is told")
  void statedBadly() throws Exception {
    String line = "{\"error\": \"busy\", \"category\": \"transient\", \"n\": NaN}";
    assertThat(tickets.fail("echo log >&2; echo '" + line + "'; exit 1").text())
        .isEqualTo("exit code 1 from sh\n" + line + "\nlog");
    assertThat(tickets.fail("echo '{\"error\": \"a\", \"error\": \"b\"}'; exit 1").text())
        .startsWith("b\n(exit code 1 from sh)\n(its last line: ")
        .contains("Duplicate");
  }

  @Test
  @DisplayName("A category or delay that is none is told, and the text classified")
  void statedNonsense() throws Exception {
    ErrorReport report =
        tickets.fail(
            "echo '{\"error\": \"e\", \"category\": \"rate_limit\", \"retry_after_ms\": -5}'; exit"
                + " 1");

    assertThat(report.text())
        .isEqualTo(
            "e\n"
                + "(exit code 1 from sh)\n"
                + "(its category \"rate_limit\" is none of the five)\n"
                + "(its retry_after_ms is not a whole number of milliseconds)");
    assertThat(report.statedCategory()).isNull();
    assertThat(report.retryAfter()).isNull();
    assertThat(
            Classifier.standard()
                .classify(tickets.fail("echo '{\"error\": \"e\", \"category\": \"x\"}'; exit 1"))
                .category())
        .isEqualTo(Category.UNKNOWN);
  }

  @Test
  @DisplayName("A last JSON line without \"error\" is output like any other")
  void noErrorKey() throws Exception {
    assertThat(tickets.fail("echo '{\"category\": \"transient\"}'; echo boom >&2; exit 1").text())
        .isEqualTo("exit code 1 from sh\nboom");
  }

  @Test
  @DisplayName(
      "A program that does not exist or may not be executed: system_error with the next step")
  void missingProgram() throws Exception {
    Path plain = Files.writeString(temp.resolve("plain.sh"), "exit 0");
    assertThat(start("no-such-program"))
        .isEqualTo(
            "cannot start no-such-program: ENOENT, there is no such program on the PATH "
                + System.getenv("PATH")
                + ": install it on the worker's host, or write its full path");
    assertThat(start(temp + "/absent"))
        .isEqualTo(
            "cannot start %1$s/absent: ENOENT, there is no file %1$s/absent: correct the command"
                .formatted(temp));
    assertThat(start(plain.toString()))
        .isEqualTo(
            "cannot start %1$s: EACCES, %1$s is not an executable file: make it one, or name its interpreter first"
                .formatted(plain));
    assertThat(start("a\\u0001b")).startsWith("cannot start");
  }

  @Test
  @DisplayName(
      "Texts that are too long for the system are a code_error that names the longest and the next"
          + " step")
  void tooLong() throws Exception {
    String word = "x".repeat(200_000);
    ErrorReport report =
        error(
            tickets.run(
                ticket("{\"kind\": \"command\", \"command\": [\"true\", \"" + word + "\"]}")));
    assertThat(report.text())
        .isEqualTo(
            "cannot start the program: E2BIG, the command's word \""
                + "x".repeat(60)
                + "…\" has 196KiB: the system passes on at most 128KiB in one text, and about"
                + " 2048KiB in all words and variables; give the program its input on stdin or in a"
                + " file");
    assertThat(report.statedCategory()).isEqualTo(Category.CODE_ERROR);
    assertThat(tickets.fail("true", "\"environment\": {\"INPUT\": \"" + word + "\"}").text())
        .contains("E2BIG, the variable INPUT has 196KiB");
  }

  /** A worker whose user may not enter a directory. */
  static final class ShutOut {
    private ShutOut() {}

    public static void main(String[] args) throws Exception {
      CommandTickets tickets = new CommandTickets(Path.of(args[0], "workspaces"));
      String inside = args[0] + "/closed/inside";
      System.out.println(tickets.fail("true", "\"directory\": \"" + inside + "\"").text());
      String program = "{\"kind\": \"command\", \"command\": [\"" + inside + "/run\"]}";
      System.out.println(error(tickets.run(ticket(program))).text());
    }
  }

  @Test
  @DisplayName(
      "A directory or program below one that the worker may not enter is not said to be missing")
  void shutOut() throws Exception {
    Path closed = temp.resolve("closed");
    Files.createDirectories(closed.resolve("inside"));
    Files.setPosixFilePermissions(closed, Set.of());
    String closedBy = "EACCES%s the worker's user may not enter " + closed;
    assertThat(UnprivilegedJava.run(ShutOut.class, temp.toString()).lines())
        .hasSize(2)
        .noneMatch(line -> line.contains("ENOENT"))
        .satisfiesExactly(
            directory -> assertThat(directory).contains(closedBy.formatted("):"), "let it in"),
            program -> assertThat(program).contains(closedBy.formatted(",")));
    Files.setPosixFilePermissions(closed, PosixFilePermissions.fromString("rwx------"));
  }

  @Test
  @DisplayName("A directory that does not exist or is none: system_error with the next step")
  void missingDirectory() throws Exception {
    Path file = Files.createFile(temp.resolve("file"));

    ErrorReport report = tickets.fail("true", "\"directory\": \"" + temp + "/absent\"");
    assertThat(report.text())
        .isEqualTo(
            "the design's directory "
                + temp
                + "/absent does not exist (ENOENT) on this worker's host: create it or correct the"
                + " design");
    assertThat(report.statedCategory()).isEqualTo(Category.SYSTEM_ERROR);
    assertThat(tickets.fail("true", "\"directory\": \"" + file + "\"").text())
        .contains("cannot be entered (EACCES)");
  }

  @Test
  @DisplayName("A workspace that cannot be made is a system_error that names it")
  void badWorkspace() throws Exception {
    Path file = Files.createFile(temp.resolve("file"));

    ErrorReport report = new CommandTickets(file.resolve("below")).fail("true");

    assertThat(report.text())
        .startsWith("cannot make a working directory under " + file + "/below");
    assertThat(report.statedCategory()).isEqualTo(Category.SYSTEM_ERROR);
  }

  @Test
  @DisplayName("The program's name in errors has no options, no inline script and no line breaks")
  void names() {
    assertThat(ExitText.name(List.of("/usr/bin/python3", "/srv/job.py", "--key=x")))
        .isEqualTo("python3 job.py");
    assertThat(ExitText.name(List.of("sh", "-c", "curl -H secret"))).isEqualTo("sh");
    assertThat(ExitText.name(List.of("run", "a\nb" + "c".repeat(80))))
        .isEqualTo("run a b" + "c".repeat(53) + "…");
  }

  private String start(String program) throws InterruptedException {
    ErrorReport report =
        error(tickets.run(ticket("{\"kind\": \"command\", \"command\": [\"" + program + "\"]}")));
    assertThat(report.statedCategory()).isEqualTo(Category.SYSTEM_ERROR);
    return report.text();
  }
}
