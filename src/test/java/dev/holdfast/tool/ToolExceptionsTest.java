package dev.holdfast.tool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.llm.ToolCall;
import dev.holdfast.ticket.HoldfastException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Exceptions of tools, and what people see of them")
class ToolExceptionsTest {
  private static final ToolCall CALL = new ToolCall("1", "grep", "{\"pattern\": \"a\"}");

  @Test
  @DisplayName("C18: all are ours but ModelRetryException, which stands outside")
  void hierarchy() {
    assertThat(
            List.of(
                UserAbortException.class,
                ToolExecutionException.class,
                FileOperationException.class,
                TooBroadPatternException.class,
                GlobalRequestTimeoutException.class,
                ToolBatchingJsonException.class,
                ConfigurationException.class,
                ValidationException.class,
                StateException.class,
                SecurityViolationException.class,
                AggregateToolException.class))
        .allSatisfy(type -> assertThat(type.getSuperclass()).isEqualTo(HoldfastException.class));
    assertThat(HoldfastException.class.isAssignableFrom(ModelRetryException.class)).isFalse();
    ToolExecutionException e =
        new ToolExecutionException("no", null, "install it", List.of("apt install it"));
    assertThat(e.suggestedFix()).isEqualTo("install it");
    assertThat(e.recoveryCommands()).containsExactly("apt install it");
  }

  @Test
  @DisplayName("C32: error, info and warning by type; what was cancelled says so")
  void severity() {
    assertThat(Severity.of(new ToolExecutionException("e")).wireName()).isEqualTo("error");
    assertThat(Severity.of(new FileOperationException("e")).wireName()).isEqualTo("error");
    assertThat(Severity.of(new IOException("e")).wireName()).isEqualTo("error");
    assertThat(Severity.of(new UserAbortException("e")).wireName()).isEqualTo("info");
    assertThat(Severity.of(new ValidationException("e") {}).wireName()).isEqualTo("warning");
    for (Exception stopped :
        List.of(
            new UserAbortException("e"), new InterruptedException(), new CancellationException())) {
      assertThat(SurfacedFailure.of(CALL, stopped, 1))
          .isEqualTo(new SurfacedFailure(Severity.INFO, "Cancelled"));
    }
  }

  @Test
  @DisplayName("C34: a suggested fix and its commands are how to retry")
  void suggestedFix() {
    ToolExecutionException e =
        new ToolExecutionException("no rg", null, "Install ripgrep.", List.of("apt install rg"));
    assertThat(SurfacedFailure.of(CALL, e, 3).text())
        .isEqualTo(
            """
            Tool 'grep' failed after 3 attempts: ToolExecutionException: no rg
            Parameters: {"pattern": "a"}
            To retry: Install ripgrep. Run: apt install rg\
            """);
  }

  @Test
  @DisplayName("C23: unreadable model output is got anew ten times, 0.1 s to 5 s apart, then fails")
  void jsonParseRetry() throws Exception {
    List<Duration> sleeps = new ArrayList<>();
    AtomicInteger texts = new AtomicInteger();
    JsonParseRetry retry = new JsonParseRetry(sleeps::add);
    assertThatThrownBy(() -> retry.parse(() -> "{\"text\": " + texts.incrementAndGet()))
        .isInstanceOf(ToolBatchingJsonException.class)
        .hasMessageContaining("10 retries");
    assertThat(texts).hasValue(11);
    assertThat(sleeps)
        .extracting(Duration::toMillis)
        .containsExactly(100L, 200L, 400L, 800L, 1600L, 3200L, 5000L, 5000L, 5000L, 5000L);

    texts.set(0);
    assertThat(retry.parse(() -> texts.incrementAndGet() < 3 ? "{" : "{\"a\": 1}").get("a").asInt())
        .isEqualTo(1);
    IOException gone = new IOException("the model is gone");
    assertThatThrownBy(
            () ->
                retry.parse(
                    () -> {
                      throw gone;
                    }))
        .isSameAs(gone);
  }
}
