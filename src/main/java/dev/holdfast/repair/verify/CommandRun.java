package dev.holdfast.repair.verify;

import dev.holdfast.failure.ShortText;
import dev.holdfast.process.BaseEnvironment;
import dev.holdfast.process.ExitText;
import dev.holdfast.process.OutputLimits;
import dev.holdfast.process.ProgramEnd;
import dev.holdfast.process.ProgramFinder;
import dev.holdfast.process.ProgramRun;
import dev.holdfast.secret.Secrets;
import dev.holdfast.tool.sandbox.Sandbox;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Runs one verify command and reads what it says. */
record CommandRun(Sandbox sandbox, Map<String, String> environment, Secrets secrets) {
  private static final int HEAD = 16 * 1024;
  private static final int TAIL = 48 * 1024;
  private static final int MAX_MESSAGE = 2000;

  /** The most failing tests of all reports together. */
  private static final int MOST_FAILING = TestReport.MOST_FAILED;

  private static final Duration KILL_GRACE = Duration.ofSeconds(2);

  private record Ended(boolean success, String end, String output) {}

  CheckRun run(VerifyCommand command, Path root) throws IOException, InterruptedException {
    Set<Path> others = Set.of();
    if (command.junit().isPresent()) {
      others = new ReportFiles(root, command.junit().get()).delete();
    }
    Ended ended = execute(command, root);
    int tests = 0;
    List<FailingCheck> failing = new ArrayList<>();
    if (command.junit().isPresent()) {
      ReportFiles files = new ReportFiles(root, command.junit().get());
      tests = read(command, files, others, ended.success(), failing);
    }
    if (!ended.success() && failing.isEmpty()) {
      failing.add(new FailingCheck(command.name(), ended.end(), last(ended.output())));
    }
    return new CheckRun(
        command.name(), failing.isEmpty(), ended.end(), tests, failing, ended.output());
  }

  private Ended execute(VerifyCommand command, Path root) throws InterruptedException {
    Map<String, String> variables = BaseEnvironment.of(environment);
    variables.putAll(Map.of("CI", "true", "PAGER", "cat", "GIT_PAGER", "cat"));
    variables.putAll(Map.of("GIT_TERMINAL_PROMPT", "0", "NO_COLOR", "1"));
    // Python would take the compiled code of a patch for that of another patch of the same second.
    variables.put("PYTHONDONTWRITEBYTECODE", "1");
    variables.put(ProgramRun.RUN_ID, ProgramRun.newId());
    try {
      ProgramFinder.check(command.command().getFirst(), root, environment.get("PATH"));
      Sandbox.Ran ran =
          sandbox.run(
              command.command(),
              root,
              words -> {
                try (ProgramRun run =
                    ProgramRun.start(words, root, variables, "", OutputLimits.merged(HEAD, TAIL))) {
                  ProgramEnd end = run.await(command.timeout(), KILL_GRACE);
                  return new Sandbox.Ran(end, run.stdout().bothEnds());
                }
              });
      return ended(ran.end(), secrets.redact(ran.output()));
    } catch (IOException e) {
      return new Ended(false, String.valueOf(e.getMessage()), "");
    }
  }

  private static Ended ended(ProgramEnd end, String output) {
    return switch (end) {
      case ProgramEnd.Exited(int code) ->
          new Ended(code == 0, "exit code " + code + ExitText.signal(code), output);
      case ProgramEnd.TimedOut(Duration timeout) ->
          new Ended(false, "timed out after " + timeout.toSeconds() + " s and was killed", output);
    };
  }

  /**
   * @param others files that were no reports before; one that still is none is passed over
   * @param failing gets what failed; a command that is to write a report must write one, or deleted
   *     tests would pass
   * @return how many tests there are
   */
  private int read(
      VerifyCommand command,
      ReportFiles files,
      Set<Path> others,
      boolean success,
      List<FailingCheck> failing)
      throws IOException {
    int tests = 0;
    long more = 0;
    for (Path file : files.find()) {
      if (others.contains(file) && !TestReport.isReport(file)) {
        continue;
      }
      try {
        TestReport report = files.read(file);
        tests += report.tests();
        int room = Math.max(0, MOST_FAILING - failing.size());
        more += report.more() + Math.max(0, report.failed().size() - room);
        report.failed().stream()
            .limit(room)
            .map(each -> failing(command, each))
            .forEach(failing::add);
      } catch (IOException e) {
        String what = "the report " + secrets.redact(files.name(file)) + " cannot be read";
        failing.add(new FailingCheck(command.name(), what, String.valueOf(e.getMessage())));
      }
    }
    if (more > 0) {
      failing.add(new FailingCheck(command.name(), "more tests", more + " more have failed"));
    }
    if (success && tests == 0 && failing.isEmpty()) {
      failing.add(
          new FailingCheck(
              command.name(),
              CheckRun.NO_TEST,
              "no test is in any report that matches " + command.junit().orElse("")));
    }
    return tests;
  }

  private FailingCheck failing(VerifyCommand command, TestReport.FailedTest test) {
    return new FailingCheck(
        command.name(),
        secrets.redact(test.name()),
        ShortText.of(secrets.redact(test.text()), MAX_MESSAGE));
  }

  /** True if a test's message was cut. */
  static boolean isCut(String message) {
    return message.length() > MAX_MESSAGE;
  }

  private static String last(String output) {
    String text = output.strip();
    return text.length() <= MAX_MESSAGE ? text : "…" + text.substring(text.length() - MAX_MESSAGE);
  }
}
