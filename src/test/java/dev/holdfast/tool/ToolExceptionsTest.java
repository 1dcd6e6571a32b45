package dev.holdfast.tool;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.llm.ToolCall;
import dev.holdfast.ticket.HoldfastException;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CancellationException;
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
                ToolExecutionException.class,
                FileOperationException.class,
                TooBroadPatternException.class,
                GlobalRequestTimeoutException.class,
                ConfigurationException.class,
                ValidationException.class,
                StateException.class,
                SecurityViolationException.class))
        .allSatisfy(type -> assertThat(type.getSuperclass()).isEqualTo(HoldfastException.class));
    assertThat(HoldfastException.class.isAssignableFrom(ModelRetryException.class)).isFalse();
    ToolExecutionException e =
        new ToolExecutionException("no", null, "install it", List.of("apt install it"));
    assertThat(e.suggestedFix()).isEqualTo("install it");
    assertThat(e.recoveryCommands()).containsExactly("apt install it");
  }

  @Test
  @DisplayName("C32: error, info and warning by type")
  void severity() {
    assertThat(Severity.of(new ToolExecutionException("e")).wireName()).isEqualTo("error");
    assertThat(Severity.of(new FileOperationException("e")).wireName()).isEqualTo("error");
    assertThat(Severity.of(new IOException("e")).wireName()).isEqualTo("error");
    assertThat(Severity.of(new ValidationException("e") {}).wireName()).isEqualTo("warning");
    for (Exception stopped : List.of(new InterruptedException(), new CancellationException())) {
      assertThat(Severity.of(stopped).wireName()).isEqualTo("info");
    }
  }

  @Test
  @DisplayName("C34: a suggested fix and its commands are how to retry")
  void suggestedFix() {
    ToolExecutionException e =
        new ToolExecutionException("no rg", null, "Install ripgrep.", List.of("apt install rg"));
    assertThat(SurfacedFailure.of(CALL, e, 3))
        .isEqualTo(
            """
            Tool 'grep' failed after 3 attempts: ToolExecutionException: no rg
            Parameters: {"pattern": "a"}
            To retry: Install ripgrep. Run: apt install rg\
            """);
  }
}
