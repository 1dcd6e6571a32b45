package dev.holdfast.app;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.testing.JavaCommand;
import java.io.BufferedReader;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class ProcessExitIT {
  /** A process whose end hangs for ever. */
  static final class Hangs {
    private Hangs() {}

    public static void main(String[] arguments) throws InterruptedException {
      CountDownLatch never = new CountDownLatch(1);
      new ProcessExit(
              new CompletableFuture<>(),
              CompletableFuture.completedFuture(never::await),
              Duration.ZERO,
              Duration.ofMillis(100))
          .atSignal();
      System.out.println("runs");
      never.await();
    }
  }

  @Test
  @DisplayName("A52: a worker that is told to end while its start goes on behind the answer drains")
  void slowStart() throws InterruptedException {
    AutoCloseable drain = () -> {};
    CompletableFuture<AutoCloseable> running =
        new CompletableFuture<>() {
          @Override
          public AutoCloseable get(long time, TimeUnit unit)
              throws InterruptedException, ExecutionException, TimeoutException {
            if (time > 0) {
              complete(drain);
            }
            return super.get(time, unit);
          }
        };
    CompletableFuture<?> answered = CompletableFuture.completedFuture(null);
    ProcessExit exit = new ProcessExit(answered, running, Duration.ZERO, Duration.ofSeconds(30));
    assertThat(exit.started()).isSameAs(drain);
  }

  @Test
  @DisplayName("A52: a process that is told to end ends in its time whatever hangs, with code 1")
  void hangs() throws Exception {
    Process process =
        new ProcessBuilder(
                JavaCommand.java(
                    "-cp", System.getProperty("java.class.path"), Hangs.class.getName()))
            .start();
    try (BufferedReader output = process.inputReader();
        BufferedReader errors = process.errorReader()) {
      assertThat(output.readLine()).isEqualTo("runs");
      process.toHandle().destroy();
      assertThat(process.waitFor(30, TimeUnit.SECONDS)).as("it has ended").isTrue();
      assertThat(process.exitValue()).isEqualTo(1);
      assertThat(errors.readLine()).isEqualTo("ended before all was closed: something hangs");
    } finally {
      process.destroyForcibly();
    }
  }
}
