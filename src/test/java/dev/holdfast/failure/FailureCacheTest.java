package dev.holdfast.failure;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class FailureCacheTest {
  private final FailureCache cache = new FailureCache();

  private static Failure failure(String rule) {
    return new Failure("text", Category.UNKNOWN, rule, "", null, null, "f");
  }

  @Test
  @DisplayName("An equal report gets the remembered answer, one that differs in anything does not")
  void keys() {
    ErrorReport report = ErrorReport.ofText("boom");
    cache.put(report, failure("a"));

    assertThat(cache.get(ErrorReport.ofText(new String("boom")))).isEqualTo(failure("a"));
    assertThat(cache.get(ErrorReport.ofText("bang"))).isNull();
    assertThat(cache.get(report.withHttpStatus(503))).isNull();
    assertThat(cache.get(report.withExitCode(1))).isNull();
    assertThat(cache.get(report.withStatedCategory(Category.CODE_ERROR))).isNull();
    assertThat(cache.get(report.withRetryAfter(Duration.ZERO))).isNull();
  }

  @Test
  @DisplayName("Exceptions of one text but different classes are different reports")
  void exceptionClasses() {
    ErrorReport io = new ErrorReport("x", new IOException("x"), null, null, null, null);
    ErrorReport state = new ErrorReport("x", new IllegalStateException(), null, null, null, null);
    cache.put(io, failure("io"));

    assertThat(cache.get(state)).isNull();
    assertThat(cache.get(new ErrorReport("x", new IOException("y"), null, null, null, null)))
        .isEqualTo(failure("io"));
  }

  @Test
  @DisplayName("Long texts are not kept, and many texts push the oldest out")
  void bounds() {
    ErrorReport large = ErrorReport.ofText("x".repeat(FailureCache.MAX_TEXT + 1));
    cache.put(large, failure("large"));
    assertThat(cache.get(large)).isNull();

    ErrorReport first = ErrorReport.ofText("first");
    cache.put(first, failure("first"));
    for (int i = 0; i < 20_000; i++) {
      cache.put(ErrorReport.ofText("text " + i), failure("later"));
    }
    assertThat(cache.get(first)).isNull();
  }

  @Test
  @DisplayName("Many threads at once never get another report's answer")
  void manyThreads() throws Exception {
    List<Callable<Boolean>> tasks = new ArrayList<>();
    for (int task = 0; task < 50; task++) {
      tasks.add(
          () -> {
            boolean right = true;
            for (int i = 0; i < 2_000; i++) {
              ErrorReport report = ErrorReport.ofText("text " + i % 700);
              Failure found = cache.get(report);
              right &= found == null || found.rule().equals(report.text());
              cache.put(report, failure(report.text()));
            }
            return right;
          });
    }
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (Future<Boolean> right : threads.invokeAll(tasks)) {
        assertThat(right.get()).isTrue();
      }
    }
  }
}
