package dev.holdfast.repair.verify;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("The failure signature")
class FailureSignatureTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "2026-11-21T10:00:00.123Z failed | 2026-11-22T11:01:02.4Z failed",
        "[2026-11-21 10:00:00] failed | [2025-01-02 23:59:59] failed",
        "Sat Nov 21 10:00:00 2026 failed | Mon Jan 5 11:30:01 2026 failed",
        "Time elapsed: 0.05 s <<< FAILURE! | Time elapsed: 12.3 s <<< FAILURE!",
        "ran 3 tests in 15ms | ran 3 tests in 1.2 seconds",
        "duration_ms: 1.234 | duration_ms: 99.5",
        "took 1h | took 2 minutes",
        "real 0m0.123s | real 1m10.5s",
        "FAIL demo 1m2.53s | FAIL demo 0.35s",
        "FAILED in 1m 2s | FAILED in 58s",
        "1h2m3s behind | 10ms behind",
        "at demo.Foo(Foo.java:12) | at demo.Foo(Foo.java:14)",
        "file.js:10:5 is wrong | file.js:11:7 is wrong",
        "line 4 is wrong | line 40 is wrong",
        "demo.Foo@1a2b3c4d is null | demo.Foo@99aabbcc is null",
        "at 0x7fff12 | at 0x55ab90ff",
        "no file /tmp/junit-123/a | no file /tmp/junit-999/b",
        "localhost:34567 refused | localhost:40001 refused",
        "port 8080 in use | port 9090 in use",
        "process 12 died | process 99 died",
        "Thread-12 hangs | Thread-7 hangs",
        "id 123e4567-e89b-12d3-a456-426614174000 | id aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee",
        "/srv/one/a.txt is bad | <root>/a.txt is bad",
      })
  @DisplayName("E23: times, durations, places, addresses, ports and ids do not count")
  void same(String one, String other) {
    assertThat(signature(one)).isEqualTo(signature(other));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "expected 4 but was 5 | expected 4 but was 6",
        "NullPointerException | IllegalStateException",
        "no 1m2 here | no 1m3 here",
        "3 s 4 files | 3 s 5 files",
        "Tests run: 3, Failures: 1 | Tests run: 3, Failures: 2",
        "cannot find symbol a | cannot find symbol b",
      })
  @DisplayName("E23: what is expected, and what was found, counts")
  void different(String one, String other) {
    assertThat(signature(one)).isNotEqualTo(signature(other));
  }

  @Test
  @DisplayName(
      "E23: the order of failing tests and the worktree do not count; nothing failed is empty")
  void order() {
    FailingCheck a = new FailingCheck("test", "A", "in /w/one/a");
    FailingCheck b = new FailingCheck("test", "B", "b");
    FailingCheck other = new FailingCheck("test", "A", "in /w/two/a");
    assertThat(FailureSignature.of(List.of(run(List.of(a, b), "x")), "/w/one"))
        .isEqualTo(FailureSignature.of(List.of(run(List.of(b, other), "y")), "/w/two"));
    assertThat(FailureSignature.of(List.of(run(List.of(), "x")), "/w")).isEmpty();
  }

  private static CheckRun run(List<FailingCheck> failing, String output) {
    return new CheckRun("test", failing.isEmpty(), "exit code 1", 2, failing, output);
  }

  private static Optional<String> signature(String output) {
    FailingCheck check = new FailingCheck("test", "exit code 1", output);
    CheckRun run = new CheckRun("test", false, "exit code 1", 0, List.of(check), output);
    return FailureSignature.of(List.of(run), "/srv/one");
  }
}
