package dev.holdfast.handler.command;

import static dev.holdfast.handler.command.CommandTickets.context;
import static dev.holdfast.handler.command.CommandTickets.shell;
import static dev.holdfast.handler.command.CommandTickets.ticket;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.failure.Category;
import dev.holdfast.failure.ErrorReport;
import dev.holdfast.ticket.Design;
import dev.holdfast.worker.HandlerResult;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/**
 * The scripts write the ids of what they start into files of the working directory, whose names end
 * in {@code .pid}.
 */
@DisplayName("Command handler: hostile programs")
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ProcessTreeIT {
  @TempDir Path temp;
  private CommandTickets tickets;

  @BeforeEach
  void setUp() {
    tickets = new CommandTickets(temp.resolve("workspaces"));
  }

  @Test
  @DisplayName(
      "A program that never ends is killed at its timeout, which is transient and keeps what it had"
          + " said")
  void neverEnds() throws Exception {
    ErrorReport report =
        tickets.fail("echo $$ > a.pid; echo 'step 1' >&2; exec sleep 1000", keys("1s"));

    assertThat(report.text()).isEqualTo("sh timed out after 1s and was killed\nstep 1");
    assertThat(report.statedCategory()).isEqualTo(Category.TRANSIENT);
    assertAllGone(1);
  }

  @Test
  @DisplayName("A program that ignores SIGTERM is killed after the grace")
  void ignoresTerm() throws Exception {
    tickets.fail("trap '' TERM; echo $$ > a.pid; while :; do sleep 1; done", keys("1s"));

    assertAllGone(1);
  }

  @Test
  @DisplayName("A program that ends on SIGTERM may tidy up in the grace")
  void mayTidyUp() throws Exception {
    tickets.fail(
        "trap 'sleep 0.2; touch tidy; exit 1' TERM; echo $$ > a.pid; while :; do sleep 0.05; done",
        keys("1s"));

    assertThat(temp.resolve("tidy")).exists();
    assertAllGone(1);
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  @DisplayName(
      "Forked children die with it: orphans, other process groups, other sessions, emptied"
          + " environments")
  void forks() throws Exception {
    tickets.fail(
        """
        (sh -c 'echo $$ > orphan.pid; exec sleep 1000' &)
        (set -m; sh -c 'echo $$ > group.pid; exec sleep 1000' &)
        (setsid sh -c 'echo $$ > session.pid; exec sleep 1000' &)
        (env -i PATH="$PATH" sh -c 'echo $$ > emptied.pid; exec sleep 1000' &)
        echo $$ > leader.pid
        exec sleep 1000
        """,
        keys("1s"));

    assertAllGone(5);
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  @DisplayName(
      "A program that replaces itself faster than it can be looked up is killed all the same")
  void hydra() throws Exception {
    Files.writeString(temp.resolve("hydra.sh"), "trap '' TERM\necho >> lives\nsh hydra.sh &\n");

    tickets.fail("trap '' TERM; sh hydra.sh & sleep 1000", keys("500ms"));

    long lives = Files.size(temp.resolve("lives"));
    assertThat(lives).isGreaterThan(5);
    await()
        .during(Duration.ofMillis(300))
        .untilAsserted(() -> assertThat(Files.size(temp.resolve("lives"))).isEqualTo(lives));
  }

  @Test
  @DisplayName(
      "A background process that keeps stdout open does not hold the attempt up, and dies with it")
  void daemonKeepsStdout() throws Exception {
    HandlerResult.Succeeded done =
        tickets.succeed("sleep 1000 & echo $! > a.pid; echo '{\"ok\": true}'; exit 0", keys("50s"));

    assertThat(done.result()).isEqualTo("{\"ok\":true}");
    assertAllGone(1);
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  @DisplayName(
      "A process that went out of reach on purpose and keeps stdout does not hold the attempt up"
          + " either")
  void escapedProcess() throws Exception {
    HandlerResult.Succeeded done =
        tickets.succeed(
            "env -u HOLDFAST_RUN_ID setsid sh -c 'echo $$ > a.pid; exec sleep 1000' &\n"
                + "while [ ! -s a.pid ]; do sleep 0.02; done; echo '{\"ok\": true}'",
            keys("50s"));

    assertThat(done.result()).isEqualTo("{\"ok\":true}");
    long pid = pids().getFirst();
    assertThat(isAlive(pid)).isTrue();
    ProcessHandle.of(pid).orElseThrow().destroyForcibly();
  }

  @Test
  @DisplayName(
      "What a child still prints shortly after the program's end is read: the last line of a"
          + " pipeline")
  void lateOutput() throws Exception {
    assertThat(tickets.succeed("(sleep 0.1; echo '{\"late\": true}') &").result())
        .isEqualTo("{\"late\":true}");
  }

  @Test
  @DisplayName("A program that closes stdin or does not read a large input breaks nothing")
  void ignoresInput() throws Exception {
    String payload = "{\"x\": \"" + "y".repeat(1_000_000) + "\"}";
    for (String script :
        List.of("exec <&-; echo '{}'", "head -c 1 > /dev/null; echo '{}'", "echo '{}'")) {
      var design = new Design(5, "job", 3, "command", shell(script));
      var result = tickets.run(ticket(Optional.of(design), payload, List.of()));
      assertThat(result).isEqualTo(HandlerResult.success("{}"));
    }
  }

  @Test
  @DisplayName(
      "Cancel reaches the process: an interrupt ends the whole tree quickly and comes out as one")
  void interrupt() throws Exception {
    AtomicReference<Object> outcome = new AtomicReference<>();
    Thread attempt =
        startAttempt(
            tickets.handler(),
            "sleep 1000 & echo $! > child.pid; echo $$ > leader.pid; wait",
            outcome);
    await().until(() -> pids().size() == 2);

    attempt.interrupt();

    assertThat(attempt.join(Duration.ofSeconds(5))).isTrue();
    assertThat(outcome.get()).isInstanceOf(InterruptedException.class);
    assertAllGone(2);
    assertThat(temp.resolve("workspaces"))
        .satisfiesAnyOf(
            it -> assertThat(it).doesNotExist(), it -> assertThat(it).isEmptyDirectory());
  }

  @Test
  @DisplayName("An interrupt that came before the start comes out as one, not as a failure")
  void interruptedBefore() throws Exception {
    AtomicReference<Object> outcome = new AtomicReference<>();
    Thread attempt =
        Thread.startVirtualThread(
            () -> {
              Thread.currentThread().interrupt();
              try {
                outcome.set(tickets.sh("echo $$ > a.pid; exec sleep 1000", keys("50s")));
              } catch (InterruptedException e) {
                outcome.set(e);
              }
            });

    assertThat(attempt.join(Duration.ofSeconds(10))).isTrue();
    assertThat(outcome.get()).isInstanceOf(InterruptedException.class);
    assertThat(pids()).noneMatch(this::isAlive);
  }

  @Test
  @DisplayName("A second interrupt does not wait for the grace")
  void secondInterrupt() throws Exception {
    CommandHandler patient =
        new CommandHandler(
            new CommandSettings(
                false,
                temp,
                Map.of("PATH", System.getenv("PATH")),
                Set.of(),
                Duration.ofMinutes(10),
                ""),
            CommandTickets.UNSEEN);
    AtomicReference<Object> outcome = new AtomicReference<>();
    String script = "trap 'touch asked' TERM; echo $$ > leader.pid; while :; do sleep 0.05; done";
    Thread attempt = startAttempt(patient, script, outcome);
    await().until(() -> pids().size() == 1);

    attempt.interrupt();
    await().until(() -> Files.exists(temp.resolve("asked")));
    assertThat(outcome.get()).isNull();
    attempt.interrupt();

    assertThat(attempt.join(Duration.ofSeconds(5))).isTrue();
    assertThat(outcome.get()).isInstanceOf(InterruptedException.class);
    assertAllGone(1);
  }

  @Test
  @DisplayName("Many quiet programs do not stop the worker's virtual threads")
  void manyQuietPrograms() throws Exception {
    int programs = 140; // Two pipes each: more than the 256 carriers there can be.
    CountDownLatch ended = new CountDownLatch(programs);
    List<Thread> attempts = new ArrayList<>();
    for (int i = 0; i < programs; i++) {
      String script = "echo > quiet-" + i + ".pid; exec sleep 1000";
      CommandHandler handler = tickets.handler();
      attempts.add(
          Thread.startVirtualThread(
              () -> {
                try {
                  handler.handle(context(ticket(shell(script, keys("2m")))));
                } catch (InterruptedException e) {
                  ended.countDown();
                }
              }));
    }
    await().atMost(Duration.ofSeconds(60)).until(() -> files().size() == programs);

    CountDownLatch ran = new CountDownLatch(1);
    Thread.startVirtualThread(ran::countDown);
    assertThat(ran.await(5, TimeUnit.SECONDS)).isTrue();

    attempts.forEach(Thread::interrupt);
    assertThat(ended.await(60, TimeUnit.SECONDS)).isTrue();
  }

  private Thread startAttempt(
      CommandHandler handler, String script, AtomicReference<Object> outcome) {
    return Thread.startVirtualThread(
        () -> {
          try {
            outcome.set(handler.handle(context(ticket(shell(script, keys("50s"))))));
          } catch (InterruptedException e) {
            outcome.set(e);
          }
        });
  }

  private String keys(String timeout) {
    return "\"directory\": \"" + temp + "\", \"timeout\": \"" + timeout + "\"";
  }

  private void assertAllGone(int number) throws IOException {
    assertThat(pids()).hasSize(number).noneMatch(this::isAlive);
  }

  private List<Long> pids() throws IOException {
    List<Long> pids = new ArrayList<>();
    for (Path file : files()) {
      String text = Files.readString(file).strip();
      if (!text.isEmpty()) {
        pids.add(Long.parseLong(text));
      }
    }
    return pids;
  }

  private List<Path> files() throws IOException {
    try (var files = Files.list(temp)) {
      return files.filter(file -> file.toString().endsWith(".pid")).toList();
    }
  }

  /** A zombie, which nobody has waited for yet, is not alive. */
  private boolean isAlive(long pid) {
    try {
      String stat = Files.readString(Path.of("/proc/" + pid + "/stat"));
      return !stat.substring(stat.lastIndexOf(')') + 2).startsWith("Z");
    } catch (IOException e) {
      return !Files.exists(Path.of("/proc/self"))
          && ProcessHandle.of(pid).map(ProcessHandle::isAlive).orElse(false);
    }
  }
}
