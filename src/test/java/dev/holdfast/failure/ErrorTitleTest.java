package dev.holdfast.failure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.ticket.StorableText;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The line that names an error, for the shapes in which errors come. */
class ErrorTitleTest {
  private static final String PYTHON =
      """
      Traceback (most recent call last):
        File "/srv/jobs/load.py", line 31, in <module>
          main()
          ~~~~^^
        File "/srv/jobs/load.py", line 12, in parse
          raise ValueError(f"cannot parse row {n}")
      ValueError: cannot parse row 177
      """;

  private static Arguments row(String name, String title, String text) {
    return Arguments.of(name, title, text);
  }

  private static List<Arguments> shapes() {
    return List.of(
        row("Python", "ValueError: cannot parse row 177", PYTHON),
        row("Python from sh", "ValueError: cannot parse row 177", "exit code 1 from sh\n" + PYTHON),
        row(
            "cut output",
            "ValueError: cannot parse row 177",
            "exit code 1 from python3 load.py\n[the last 16KiB of 93KiB of stderr]\n 3\n" + PYTHON),
        row(
            "Python, while another was handled",
            "requests.exceptions.ConnectionError: no route to 10.0.0.7",
            PYTHON
                + "\nDuring handling of the above exception, another exception occurred:\n\n"
                + "Traceback (most recent call last):\n  File \"a.py\", line 3, in f\n    get()\n"
                + "requests.exceptions.ConnectionError: no route to 10.0.0.7\n"),
        row(
            "pytest",
            "AssertionError: assert 3 == 4",
            "exit code 1 from pytest\n"
                + "=== FAILURES ===\n"
                + "    def test_sum():\n"
                + ">       assert f() == 4\n"
                + "E       AssertionError: assert 3 == 4\n\n"
                + "test_sum.py:4: AssertionError"),
        row(
            "a trace quoted in one line",
            "Tool 'mcp__s__export' did not answer, and may or may not have taken effect:"
                + " PossiblyAppliedException: MCP server s did not answer: a message is longer than"
                + " 16000000 characters; it said: Traceback (m…",
            """
            Tool 'mcp__s__export' did not answer, and may or may not have taken effect: \
            PossiblyAppliedException: MCP server s did not answer: a message is longer than 16000000 \
            characters; it said: Traceback (most recent call last): File "/srv/s.py", line 3, in f \
            get() KeyError: 'x'
            Parameters: {}
            To retry: find out first whether it took effect; it was not run again.
            """),
        row(
            "only the head of a trace",
            "exit code 1 from sh",
            """
            exit code 1 from sh
            Traceback (most recent call last):
            """),
        row(
            "Java",
            "java.sql.SQLException: the table is locked",
            """
            Exception in thread "main" com.acme.JobException: job 7 failed
            \tat com.acme.Job.run(Job.java:20)
            Caused by: java.io.UncheckedIOException: reading
            \tat com.acme.Rows.next(Rows.java:9)
            \t... 3 more
            Caused by: java.sql.SQLException: the table is locked
            \tat com.acme.Db.ask(Db.java:44)
            """),
        row(
            "Java without a cause",
            "java.lang.IllegalStateException: closed",
            "Exception in thread \"main\" java.lang.IllegalStateException: closed\n"
                + "\tat A.main(A.java:3)"),
        row(
            "Node",
            "TypeError [ERR_INVALID_ARG_TYPE]: The \"path\" argument must be of type string",
            """
            exit code 1 from node
            node:internal/errors:540
                  throw error;
                  ^

            TypeError [ERR_INVALID_ARG_TYPE]: The "path" argument must be of type string
                at Object.readFileSync (node:fs:441:42)
                at Object.<anonymous> (/app/a.js:2:4) {
              code: 'ERR_INVALID_ARG_TYPE'
            }

            Node.js v22.1.0
            """),
        row(
            "Node with a cause",
            "Error: connect ECONNREFUSED 127.0.0.1:1",
            "TypeError: fetch failed\n    at node:internal/deps/undici:1\n  [cause]: Error: connect"
                + " ECONNREFUSED 127.0.0.1:1\n      at TCPConnectWrap.afterConnect"),
        row(
            "JavaScript, uncaught",
            "ReferenceError: rows is not defined",
            "Uncaught ReferenceError: rows is not defined\n    at a.js:3"),
        row(
            "Go",
            "panic: runtime error: index out of range [5] with length 3",
            """
            exit code 2 from loader
            panic: runtime error: index out of range [5] with length 3

            goroutine 1 [running]:
            main.main()
            \t/app/main.go:8 +0x1d
            exit status 2
            """),
        row(
            "Rust",
            "index out of bounds: the len is 3 but the index is 99",
            """
            exit code 101 from loader
            thread 'main' panicked at src/main.rs:4:5:
            index out of bounds: the len is 3 but the index is 99
            note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace
            """),
        row(
            "Rust of old",
            "thread 'main' panicked at 'no rows', src/main.rs:4:5",
            "thread 'main' panicked at 'no rows', src/main.rs:4:5\nnote: run with ..."),
        row(
            "anyhow",
            "No such file or directory (os error 2)",
            "Error: cannot read the configuration\n\n"
                + "Caused by:\n"
                + "    0: opening\n"
                + "    No such file or directory (os error 2)\n"),
        row(
            "no such command",
            "sh: 1: pyhton3: not found",
            "exit code 127 from sh\nstarting at noon\nsh: 1: pyhton3: not found\n"),
        row(
            "no such command in bash",
            "bash: line 1: jqq: command not found",
            "exit code 127 from bash\nbash: line 1: jqq: command not found"),
        row(
            "C",
            "src/load.c:14:3: error: expected ';' before '}' token",
            """
            exit code 2 from make
            src/load.c: In function 'main':
            src/load.c:12:7: warning: unused variable 'x' [-Wunused-variable]
            src/load.c:14:3: error: expected ';' before '}' token
               14 |   }
                  |   ^
            src/load.c:19:1: error: control reaches end
            make: *** [Makefile:3: load.o] Error 1
            """),
        row(
            "Rust compiler",
            "error[E0382]: borrow of moved value: `rows`",
            "exit code 101 from cargo\n"
                + "   Compiling loader v0.1.0\n"
                + "error[E0382]: borrow of moved value: `rows`\n"
                + " --> src/main.rs:5:20\n"
                + "error: could not compile `loader` due to 1 previous error"),
        row(
            "TypeScript",
            "src/a.ts(3,7): error TS2322: Type 'string' is not assignable to type 'number'.",
            "exit code 2 from npx tsc\nsrc/a.ts(3,7): error TS2322: Type 'string' is not assignable"
                + " to type 'number'.\n"),
        row(
            "Maven",
            "[ERROR] /app/src/A.java:[3,8] cannot find symbol",
            "exit code 1 from mvn\n[INFO] BUILD FAILURE\n[ERROR] /app/src/A.java:[3,8] cannot find"
                + " symbol\n[ERROR] -> [Help 1]\n[ERROR] \n"),
        row(
            "git",
            "fatal: repository 'https://example.org/x' not found",
            "exit code 128 from git\nCloning into 'x'...\nfatal: repository 'https://example.org/x'"
                + " not found\n"),
        row(
            "a program's own words",
            "cannot reach the mail server",
            "exit code 1 from mailer\nreading 12 messages\ncannot reach the mail server\nbye\n"),
        row("nothing said", "exit code 3 from sh", "exit code 3 from sh"),
        row("nothing but blanks said", "exit code 3 from sh", "exit code 3 from sh\n \n\t\n"),
        row("in one line", "no rows today", "exit code 1 from sh: no rows today"),
        row("twice in one line", "no rows", "exit code 1 from sh: exit code 4 from load: no rows"),
        row(
            "killed",
            "exit code 137 from python3 job.py: killed by signal 9 (SIGKILL)",
            "exit code 137 from python3 job.py: killed by signal 9 (SIGKILL)\n" + PYTHON),
        row(
            "aborted",
            "free(): double free detected",
            "exit code 134 from sh: killed by signal 6 (SIGABRT)\nfree(): double free detected\n"),
        row(
            "timed out",
            "sh timed out after 5m and was killed",
            "sh timed out after 5m and was killed\nfatal: none\n"),
        row(
            "stated outright",
            "the invoice has no date",
            "the invoice has no date\n(exit code 1 from python3 a.py)\n" + PYTHON),
        row(
            "a model's answer",
            "HTTP 429: Rate limit reached for gpt-5",
            "HTTP 429: Rate limit reached for gpt-5\nerror: more"),
        row(
            "colours",
            "Error: no rows",
            "exit code 1 from sh\n\u001b[31mError: no rows\u001b[0m\n"),
        row("one line", "it broke", "it broke"),
        row("blank lines before", "it broke", "\n\n  it broke\nagain"));
  }

  @ParameterizedTest(name = "{0}: {1}")
  @MethodSource("shapes")
  @DisplayName("22.4: an error is called by the line that says why")
  void title(String name, String title, String text) {
    assertThat(ErrorTitle.of(text)).as(name).isEqualTo(title);
    assertThat(Classifier.standard().classify(ErrorReport.ofText(text)).title()).isEqualTo(title);
  }

  @Test
  @DisplayName("22.4: the title of an exception is that of its innermost cause")
  void exception() {
    Throwable thrown = new IllegalStateException("outer", new ArithmeticException("/ by zero"));

    assertThat(Classifier.standard().classify(ErrorReport.ofThrowable(thrown)).title())
        .isEqualTo("java.lang.ArithmeticException: / by zero");
  }

  @Test
  @DisplayName("22.4: whatever a text holds, its title is one short line that can be stored")
  void garbage() {
    String half = "x".repeat(ErrorTitle.MAX_LENGTH - 3) + "\uD83D\uDE00\uD83D\uDE00";
    List<String> texts =
        List.of(
            "",
            " \n\t\r\n",
            "\0\0",
            "\uD83D alone",
            half,
            "exit code 1 from sh: ".repeat(50),
            "exit code 1 from sh\n".repeat(5_000),
            "Traceback (most recent call last):\n".repeat(2_000),
            "Caused by: ".repeat(2_000),
            "(".repeat(100_000),
            "a".repeat(3_000_000),
            "\u001b[2J\u0007\u202e{}[]|`'\"%s\\",
            "\u0130\u0131 HATA: bulunamad\u0131");
    for (String text : texts) {
      String title =
          org.junit.jupiter.api.Assertions.assertTimeoutPreemptively(
              Duration.ofSeconds(5), () -> ErrorTitle.of(text));
      assertThat(title)
          .hasSizeLessThanOrEqualTo(ErrorTitle.MAX_LENGTH)
          .doesNotContainPattern("\\p{Cntrl}")
          .isEqualTo(StorableText.orEmpty(title))
          .isEqualTo(title.strip());
    }
    assertThat(ErrorTitle.of(half)).endsWith("…");
    assertThat(ErrorTitle.of("\n")).isEmpty();
  }
}
