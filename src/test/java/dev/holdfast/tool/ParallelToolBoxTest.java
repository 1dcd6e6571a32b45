package dev.holdfast.tool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.llm.ToolCall;
import dev.holdfast.tool.ToolReply.Outcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@DisplayName("A batch of tool calls")
@Timeout(120)
class ParallelToolBoxTest {
  private ToolSettings settings =
      ToolSettings.defaults().withWidth(2).withStopGrace(Duration.ofSeconds(10));

  private TimeLeft timeLeft = TimeLeft.UNBOUNDED;

  private ParallelToolBox box(Tool... tools) {
    return new ParallelToolBox(List.of(tools), settings, time -> {}, () -> 0, timeLeft, List.of());
  }

  private static List<ToolCall> calls(Tool... tools) {
    return List.of(tools).stream().map(tool -> TestTool.call(tool.spec().name())).toList();
  }

  @Test
  @DisplayName("C24, C26, C27: each call has three attempts of its own; what succeeded runs once")
  void ownBudgets() throws Exception {
    TestTool never = TestTool.failing("never", 99);
    TestTool late = TestTool.failing("late", 2);
    TestTool good = TestTool.failing("good", 0);
    List<ToolReply> replies = box(never, late, good).run(calls(never, late, good));
    assertThat(replies)
        .extracting(ToolReply::outcome)
        .containsExactly(Outcome.FAILED, Outcome.OK, Outcome.OK);
    assertThat(replies).extracting(ToolReply::executions).containsExactly(3, 3, 1);
    assertThat(List.of(never.runs().get(), late.runs().get(), good.runs().get()))
        .containsExactly(3, 3, 1);
  }

  @Test
  @DisplayName("C25, C29: a failure hides nothing, and the replies keep the order of the calls")
  void orderedPartialFailure() throws Exception {
    CountDownLatch failed = new CountDownLatch(1);
    TestTool bad =
        TestTool.of(
            "bad",
            (run, arguments) -> {
              failed.countDown();
              throw new ValidationException("no such thing");
            });
    TestTool slow =
        TestTool.of(
            "slow",
            (run, arguments) -> {
              failed.await();
              return "slow done";
            });
    List<ToolReply> replies = box(slow, bad).run(calls(slow, bad));
    assertThat(replies).extracting(reply -> reply.call().name()).containsExactly("slow", "bad");
    assertThat(replies.getFirst().content()).isEqualTo("slow done");
    assertThat(replies.getLast().outcome()).isEqualTo(Outcome.FAILED);
  }

  @Test
  @DisplayName("C30: an abort stops the others at once and comes out as the same instance")
  void abort() {
    CountDownLatch running = new CountDownLatch(1);
    AtomicBoolean stopped = new AtomicBoolean();
    TestTool waiting =
        TestTool.of(
            "waiting",
            (run, arguments) -> {
              running.countDown();
              try {
                new CountDownLatch(1).await();
              } catch (InterruptedException e) {
                stopped.set(true);
                throw e;
              }
              return "";
            });
    InterruptedException abort = new InterruptedException("stop");
    TestTool aborting =
        TestTool.of(
            "aborting",
            (run, arguments) -> {
              running.await();
              throw abort;
            });
    TestTool later = TestTool.failing("later", 0);
    assertThatThrownBy(() -> box(waiting, aborting, later).run(calls(waiting, aborting, later)))
        .isSameAs(abort);
    assertThat(stopped).isTrue();
    assertThat(later.runs()).hasValue(0);
  }

  @Test
  @DisplayName("C13, C30: an interrupt of the caller stops every tool first, then comes out")
  void interrupt() throws Exception {
    CountDownLatch running = new CountDownLatch(2);
    AtomicInteger stopped = new AtomicInteger();
    TestTool.Body waits =
        (run, arguments) -> {
          running.countDown();
          try {
            new CountDownLatch(1).await();
            return "";
          } finally {
            stopped.incrementAndGet();
          }
        };
    TestTool a = TestTool.of("a", waits);
    TestTool b = TestTool.of("b", waits);
    AtomicReference<Throwable> end = new AtomicReference<>();
    Thread caller =
        Thread.ofVirtual()
            .start(
                () -> {
                  try {
                    box(a, b).run(calls(a, b));
                  } catch (InterruptedException e) {
                    assertThat(stopped).hasValue(2);
                    end.set(e);
                  }
                });
    running.await();
    caller.interrupt();
    caller.join();
    assertThat(end.get()).isInstanceOf(InterruptedException.class);
  }

  @Test
  @DisplayName("C5, C30: a tool's validation, configuration or security error is its failure alone")
  void ownFailures() throws Exception {
    List<Tool> tools = new ArrayList<>();
    for (RuntimeException error :
        List.of(
            new ValidationException("v"),
            new ConfigurationException("c"),
            new SecurityViolationException("s"))) {
      tools.add(
          TestTool.of(
              "tool" + tools.size(),
              (run, arguments) -> {
                throw error;
              }));
    }
    tools.add(TestTool.failing("good", 0));
    Tool[] all = tools.toArray(Tool[]::new);
    List<ToolReply> replies = box(all).run(calls(all));
    assertThat(replies).extracting(ToolReply::executions).containsExactly(1, 1, 1, 1);
    assertThat(replies)
        .extracting(ToolReply::outcome)
        .containsExactly(Outcome.FAILED, Outcome.FAILED, Outcome.FAILED, Outcome.OK);
  }

  @Test
  @DisplayName("C31: ten calls, two at a time and never more, all of them although some fail")
  void width() throws Exception {
    CyclicBarrier pair = new CyclicBarrier(2);
    AtomicBoolean threeMet = new AtomicBoolean();
    CyclicBarrier three = new CyclicBarrier(3, () -> threeMet.set(true));
    List<Tool> tools = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      int number = i;
      tools.add(
          TestTool.of(
              "tool" + i,
              (run, arguments) -> {
                pair.await(10, TimeUnit.SECONDS);
                meet(three);
                if (number % 2 == 0) {
                  throw new ValidationException("even");
                }
                return "";
              }));
    }
    Tool[] all = tools.toArray(Tool[]::new);
    assertThat(box(all).run(calls(all))).hasSize(10);
    assertThat(threeMet).isFalse();
    assertThat(tools).allSatisfy(tool -> assertThat(((TestTool) tool).runs()).hasValue(1));
  }

  /** The first who waits in vain breaks the barrier, and nobody waits after that. */
  private static void meet(CyclicBarrier barrier) throws InterruptedException {
    try {
      barrier.await(300, TimeUnit.MILLISECONDS);
    } catch (BrokenBarrierException | TimeoutException e) {
      // There are not so many at once.
    }
  }

  @Test
  @DisplayName("C31: a tool that runs alone keeps its place between the others")
  void alone() throws Exception {
    List<String> order = new ArrayList<>();
    AtomicInteger now = new AtomicInteger();
    TestTool.Body body =
        (run, arguments) -> {
          assertThat(now.incrementAndGet()).isEqualTo(1);
          order.add(arguments.path("text").asString());
          now.decrementAndGet();
          return "";
        };
    TestTool write = TestTool.of("write", body).alone();
    List<ToolReply> replies =
        box(write)
            .run(
                List.of(
                    new ToolCall("1", "write", "{\"text\": \"first\"}"),
                    new ToolCall("2", "write", "{\"text\": \"second\"}"),
                    new ToolCall("3", "write", "{\"text\": \"third\"}")));
    assertThat(replies).extracting(ToolReply::outcome).containsOnly(Outcome.OK);
    assertThat(order).containsExactly("first", "second", "third");
  }

  @Test
  @DisplayName("C38: a tool that hangs is stopped; unless it is idempotent, it does not run again")
  void hangs() throws Exception {
    settings = settings.withCallTimeout(Duration.ofMillis(20));
    TestTool.Body hang =
        (run, arguments) -> {
          new CountDownLatch(1).await();
          return "";
        };
    TestTool pay = TestTool.of("pay", hang).notIdempotent();
    TestTool look = TestTool.of("look", hang);
    List<ToolReply> replies = box(pay, look).run(calls(pay, look));
    assertThat(replies)
        .extracting(ToolReply::outcome)
        .containsExactly(Outcome.UNKNOWN_EFFECT, Outcome.FAILED);
    assertThat(replies).extracting(ToolReply::executions).containsExactly(1, 3);
    assertThat(replies.getFirst().content()).contains("may or may not have taken effect");
  }

  @Test
  @DisplayName("C7: at the deadline a running tool is ended and says so; none begins after it")
  void deadline() throws Exception {
    long end = System.nanoTime() + Duration.ofMillis(100).toNanos();
    timeLeft = () -> Duration.ofNanos(Math.max(0, end - System.nanoTime()));
    TestTool.Body hang =
        (run, arguments) -> {
          new CountDownLatch(1).await();
          return "";
        };
    TestTool look = TestTool.of("look", hang);
    TestTool pay = TestTool.of("pay", hang).notIdempotent();
    List<ToolReply> running = box(look, pay).run(calls(look, pay));
    assertThat(running)
        .extracting(ToolReply::outcome)
        .containsExactly(Outcome.FAILED, Outcome.UNKNOWN_EFFECT);
    assertThat(running)
        .allSatisfy(
            reply ->
                assertThat(reply.content())
                    .contains("GlobalRequestTimeoutException", "still ran and was ended"));
    assertThat(look.runs()).hasValue(1);

    ToolReply late = box(look).run(calls(look)).getFirst();

    assertThat(late.content()).contains("time was over before tool 'look' could run");
    assertThat(look.runs()).hasValue(1);
  }

  @Test
  @DisplayName("C18, C32: a failed call carries its severity, the suggested fix and its commands")
  void trouble() throws Exception {
    TestTool missing =
        TestTool.of(
            "missing",
            (run, arguments) -> {
              throw new ToolExecutionException(
                  "no rg", null, "Install ripgrep.", List.of("apt install ripgrep"));
            });
    TestTool bad =
        TestTool.of(
            "bad",
            (run, arguments) -> {
              throw new ValidationException("no such date");
            });
    TestTool good = TestTool.failing("good", 0);
    assertThat(box(missing, bad, good).run(calls(missing, bad, good)))
        .extracting(ToolReply::trouble)
        .containsExactly(
            new ToolTrouble(Severity.ERROR, "Install ripgrep.", List.of("apt install ripgrep")),
            new ToolTrouble(Severity.WARNING, null, List.of()),
            null);
  }

  @Test
  @DisplayName("C38: a tool that ignores its interrupt is left behind")
  void deaf() throws Exception {
    settings = settings.withCallTimeout(Duration.ofMillis(20)).withStopGrace(Duration.ofMillis(20));
    CountDownLatch release = new CountDownLatch(1);
    TestTool deaf =
        TestTool.of(
                "deaf",
                (run, arguments) -> {
                  while (release.getCount() > 0) {
                    try {
                      release.await();
                    } catch (InterruptedException e) {
                      // Deaf on purpose.
                    }
                  }
                  return "";
                })
            .notIdempotent();
    assertThat(box(deaf).run(calls(deaf)).getFirst().outcome()).isEqualTo(Outcome.UNKNOWN_EFFECT);
    release.countDown();
  }

  @Test
  @DisplayName("No calls, no replies")
  void empty() throws Exception {
    assertThat(box().run(List.of())).isEmpty();
  }

  @Test
  @DisplayName("Two tools of one name are refused")
  void sameName() {
    Tool a = TestTool.failing("a", 0);
    assertThatThrownBy(() -> box(a, a)).isInstanceOf(ConfigurationException.class);
  }

  @Test
  @DisplayName("What is behind the tools is closed with the box, even if one of them cannot be")
  void closes() {
    AtomicInteger closed = new AtomicInteger();
    AutoCloseable bad =
        () -> {
          closed.incrementAndGet();
          throw new IllegalStateException("stuck");
        };
    new ParallelToolBox(
            List.of(),
            settings,
            time -> {},
            () -> 0,
            TimeLeft.UNBOUNDED,
            List.of(bad, closed::incrementAndGet))
        .close();
    assertThat(closed).hasValue(2);
  }
}
