package dev.holdfast.failure;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FingerprintTest {
  private static String of(String text) {
    return Classifier.standard().classify(ErrorReport.ofText(text)).fingerprint();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "Request req_011CXa timed out after 5031 ms | Request req_92bZZ timed out after 12.5s",
        "ENOENT: no such file, open '/tmp/run-1/a.txt' | ENOENT: no such file, open"
            + " '/srv/x/b.json'",
        "ENOENT: no such file, open 'C:\\Users\\a\\b.txt' | ENOENT: no such file, open 'D:\\c.txt'",
        "connect ETIMEDOUT 140.82.112.4:443 | connect ETIMEDOUT 10.0.0.1:8080",
        "2026-11-21T07:00:00.123Z ERROR lock wait timeout | 2027-01-02 13:14:15 ERROR lock wait"
            + " timeout",
        "job 6f1ed002-ab55-4c8e-9b1d-1c2d3e4f5a6b failed: disk full | job"
            + " 0a1b2c3d-0000-4000-8000-aabbccddeeff failed: disk full",
        "Error at 0x7f4290503500: segfault | Error at 0x7fffdeadbeef: segfault",
        "src/limits.py:429: patch does not apply | src/limits.py:12: patch does not apply",
        "org org-AbC12dEfG34 rate limit reached, used 500 | org org-9ZyXw87654 rate limit reached,"
            + " used 3",
        "RATE LIMIT reached | rate limit reached",
        "Timed out after 1m3s | timed out after 58 seconds",
        "commit 3e2f9e4 could not apply | commit 80b640f could not apply",
        "upload failed after 0.204 units | upload failed after 0.20400000000000001 units",
        "upload failed: {\"cost\":0.1,\"n\":7} | upload failed: {\"cost\":1.5e-05,\"n\":12}",
        "upload failed: it took 0.5s | upload failed: it took 0.30000000000000004s",
        "build 1.0.3e2f9e4 cannot start | build 1.0.80b640f cannot start",
        "upload failed after 1,234567 units | upload failed after 12.5E+20 units",
        "Parse error on line 12: unexpected x | Parse error on line 134: unexpected x",
        "error in row 177 of rows.csv | error in row 5 of rows.csv",
        "JSON parse error at position 44 | JSON parse error at position 9123",
        "unexpected error at 3:05 | unexpected error at 14:30",
        "gave up with an error after 3 attempts | gave up with an error after 5 attempts",
        "error: 5 tests failed | error: 3 tests failed",
        "status of job 12 is failed | status of job 7 is failed",
        "error 5 ms after the start | error 17 ms after the start",
        "error: return 3 items | error: return 5 items",
        "main.go:12:20: undefined: x | main.go:9:2: undefined: x",
        "a.c:10:15: error: expected ';' | a.c:9:3: error: expected ';'",
        "parse error, line 9:13 | parse error, line 12:5",
        "error in pool-9-thread-9 | error in pool-10-thread-10",
        "error: my_table_part_9 is away | error: my_table_part_19 is away",
        "error: job-7 is away | error: job-17 is away",
        "Sun Nov 29 10:56:04 UTC 2026 disk failed | Mon Dec  7 01:06:14 CET 2027 disk failed",
        "[Sun Nov 29 10:56:04.123 2026] disk failed | [Tue Feb 1 01:00:00.5 2027] disk failed",
        "Nov 29 11:00:00 vm job[12]: disk failed | Dec  1 01:00:00 vm job[7]: disk failed",
        "[29/Nov/2026:10:00:00 +0000] disk failed | [1/May/2027:09:10:00 +0200] disk failed",
        "11/29/2026 10:00:00 AM disk failed | 2/1/2027 9:01:00 PM disk failed",
        "Slow Down (Request ID: 5XKZ8YQ2; Extended Request ID: aB+cd/e==) | Slow Down (Request ID:"
            + " 7QQZ8YQX; Extended Request ID: zB+cQ/1==)",
        "failed to allocate 20.00 MiB, 1.20 GiB free | failed to allocate 1 GiB, 900 MiB free",
      })
  @DisplayName("A9, E23: equal errors of different runs have one fingerprint")
  void equalErrors(String one, String other) {
    assertThat(of(one)).isEqualTo(of(other));
  }

  @Test
  @DisplayName("E23: different errors have different fingerprints")
  void differentErrors() {
    List<String> texts =
        List.of(
            "HTTP 503 Service Unavailable",
            "HTTP 429 Too Many Requests",
            "HTTP 401 Unauthorized",
            "exit code 137",
            "exit code 139",
            "exit code 1",
            "curl: (6) Could not resolve host",
            "curl: (52) Empty reply from server",
            "ENOENT: no such file or directory, open '/a'",
            "ENOENT: no such file or directory, mkdir '/a'",
            "EACCES: permission denied, open '/a'",
            "error[E0308]: x",
            "error[E0425]: x",
            "src/a.ts(3,4): error TS2322: x",
            "src/a.ts(3,4): error TS2345: x",
            "exited with status 3",
            "exited with status 4",
            "failed, exit_code=3",
            "failed, exit_code=4",
            "failed, return code was 3",
            "failed, return code was 4",
            "failed, \"exitCode\": 3",
            "failed, \"exitCode\": 4",
            "failed, mysql_errno=1064",
            "failed, mysql_errno=1146",
            "error[E0308]: mismatched types",
            "error[E0425]: cannot find function `timeout` in this scope",
            "cannot find symbol: variable TIMEOUT",
            "cannot find symbol: variable LIMIT",
            "FAILED tests/test_api.py::test_a - AssertionError: x",
            "FAILED tests/test_api.py::test_b - AssertionError: x",
            "KeyError: 'a'",
            "KeyError: 'b'",
            "磁盘已满",
            "权限不够",
            "");
    Set<String> fingerprints = new HashSet<>();
    for (String text : texts) {
      assertThat(fingerprints.add(of(text))).as(text).isTrue();
    }
  }

  @Test
  @DisplayName("E23: the fingerprint of a stack trace is that of its root cause, not of its frames")
  void stackTraces() {
    String one =
        "RuntimeException: turn 1\n"
            + "\tat a.B.c(B.java:10)\n"
            + "Caused by: java.io.IOException: pipe is shut\n"
            + "\tat x.Y.z(Y.java:1)";
    String other =
        "ExecutionException: turn 2\n"
            + "\tat q.R.s(R.java:77)\n"
            + "Caused by: java.io.IOException: pipe is shut\n"
            + "\tat k.L.m(L.java:9)";
    assertThat(of(one)).isEqualTo(of(other));
  }

  @Test
  @DisplayName("what programs say outright has the fingerprint of its words, not of how they ended")
  void saidOutright() {
    String end = "\n(exit code 1 from sh)";
    assertThat(of("nobody is there" + end)).isNotEqualTo(of("payload.name is empty" + end));
    assertThat(of("Credit balance is too low" + end))
        .isEqualTo(of("Credit balance is too low" + end + "\nTypeError: x is not a function"))
        .isNotEqualTo(of("Invalid API key" + end));
    assertThat(of("nobody is there" + end + "\nNameError: x"))
        .isNotEqualTo(of("nobody is there" + end + "\nNameError: y"));
  }

  @Test
  @DisplayName("E23: the fingerprint is 32 hex digits")
  void shape() {
    assertThat(of("x")).matches("[0-9a-f]{32}");
  }

  @Test
  @ResourceLock(Resources.GLOBAL)
  @DisplayName("E23: the default locale changes neither category nor fingerprint")
  void turkishLocale() {
    String text = "FATAL: COULD NOT RESOLVE HOST, TIMED OUT; RATE LIMIT; INVALID_API_KEY IN FILE";
    Locale before = Locale.getDefault();
    try {
      Locale.setDefault(Locale.ROOT);
      Failure root = Classifier.standard().classify(ErrorReport.ofText(text));
      Locale.setDefault(Locale.of("tr", "TR"));
      assertThat(Classifier.standard().classify(ErrorReport.ofText(text))).isEqualTo(root);
    } finally {
      Locale.setDefault(before);
    }
  }
}
