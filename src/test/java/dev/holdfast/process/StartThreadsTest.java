package dev.holdfast.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The start of a program")
class StartThreadsTest {
  /** On which thread a start runs that a virtual thread asks for, and what it was told. */
  private record Seen(Thread starter, Throwable failure, boolean interrupted) {}

  private static Seen start(boolean interrupted) {
    CompletableFuture<Thread> starter = new CompletableFuture<>();
    CompletableFuture<Seen> seen = new CompletableFuture<>();
    Thread.ofVirtual()
        .start(
            () -> {
              if (interrupted) {
                Thread.currentThread().interrupt();
              }
              try {
                StartThreads.run(
                    () -> {
                      starter.complete(Thread.currentThread());
                      throw new IOException("no such program");
                    });
              } catch (IOException | RuntimeException e) {
                seen.complete(new Seen(starter.join(), e, Thread.interrupted()));
              }
            });
    return seen.join();
  }

  @Test
  @DisplayName("keeps no carrier of virtual threads, and its thread outlives the program")
  void ownThread() {
    Seen seen = start(false);
    assertThat(seen.starter().isVirtual()).isFalse();
    assertThat(seen.failure()).isInstanceOf(IOException.class).hasMessage("no such program");
    assertThat(seen.starter().isAlive()).isTrue();
  }

  @Test
  @DisplayName("is waited for by a caller that is interrupted, and stays so")
  void interrupted() {
    Seen seen = start(true);
    assertThat(seen.failure()).hasMessage("no such program");
    assertThat(seen.interrupted()).isTrue();
    assertThat(seen.starter().isInterrupted()).isFalse();
  }
}
