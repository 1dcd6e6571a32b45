package dev.holdfast.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.failure.Category;
import dev.holdfast.failure.Failure;
import dev.holdfast.llm.CallRetryOptions;
import dev.holdfast.llm.ChatRequest;
import dev.holdfast.llm.Message;
import dev.holdfast.llm.ProviderCallRetry;
import dev.holdfast.llm.ProviderEventListener;
import dev.holdfast.llm.RetryContext;
import dev.holdfast.llm.ToolCall;
import dev.holdfast.llm.ToolChoice;
import dev.holdfast.llm.ToolSpec;
import dev.holdfast.retry.RetryHistory;
import dev.holdfast.retry.RetryPolicy;
import dev.holdfast.retry.RetrySettings;
import dev.holdfast.session.retry.AutoRetrySettings;
import dev.holdfast.tool.ParallelToolBox;
import dev.holdfast.tool.TimeLeft;
import dev.holdfast.tool.Tool;
import dev.holdfast.tool.ToolContext;
import dev.holdfast.tool.ToolExecutionException;
import dev.holdfast.tool.ToolSettings;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;

/** How often each layer runs what always fails, where its number is 3. */
class MaxRetriesTest {
  private static final int MAX = 3;

  /** By the requirements' letters, with the executions that "3" means there. */
  enum Layer {
    /** Tickets: {@code retry.categories.transient.max-retries}. */
    A(4) {
      @Override
      int executions() {
        RetryPolicy policy = new RetryPolicy(() -> 0);
        Failure failure = new Failure("it broke", Category.TRANSIENT, "rule", "", null, null, "p");
        int executions = 1;
        while (policy
            .shouldRetryTicket(
                failure, RetryHistory.ofRetryCount(executions - 1), RetrySettings.defaults())
            .shouldRetry()) {
          executions++;
        }
        return executions;
      }
    },
    /** Turns of a session: {@code limits.max_retries}. */
    B(3) {
      @Override
      int executions() {
        Bench bench = Bench.with(Replies.overloaded()).maxRetries(MAX);
        bench.run();
        return bench.calls();
      }
    },
    /** Tools: {@code tools.max-retries}. */
    C(3) {
      @Override
      int executions() throws InterruptedException {
        FailingTool tool = new FailingTool(new AtomicInteger());
        ToolSettings usual = ToolSettings.defaults();
        new ParallelToolBox(
                List.of(tool),
                usual.withRetry(usual.retry().withMaxAttempts(MAX)),
                time -> {},
                () -> 0,
                TimeLeft.UNBOUNDED,
                List.of())
            .run(List.of(new ToolCall("1", "fail", "{}")));
        return tool.runs.get();
      }
    },
    /** Sessions: {@code session.retry.max-retries}. */
    D(4) {
      @Override
      int executions() {
        Bench bench = Bench.with(Replies.overloaded()).maxRetries(1);
        bench.settings =
            bench.settings.withAutoRetry(
                new AutoRetrySettings(true, MAX, Duration.ofSeconds(2), false, false));
        bench.run();
        return bench.calls();
      }
    },
    /** Single calls outside sessions: {@code provider.retry.max-retries}. */
    E(4) {
      @Override
      int executions() throws InterruptedException {
        ScriptedProvider provider = new ScriptedProvider("one").then(Replies.overloaded());
        new ProviderCallRetry(
                new CallRetryOptions(MAX, Duration.ofSeconds(1), Duration.ofSeconds(10), 2),
                time -> {},
                System::nanoTime,
                () -> 0,
                ProviderEventListener.NONE)
            .call(
                provider,
                new ChatRequest(
                    "m",
                    "",
                    List.of(new Message.User("go")),
                    List.of(),
                    ToolChoice.AUTO,
                    100,
                    Duration.ofSeconds(5)),
                new RetryContext(Duration.ofHours(1), 0, System::nanoTime),
                CallRetryOptions.Overrides.NONE);
        return provider.calls();
      }
    };

    private final int meant;

    Layer(int meant) {
      this.meant = meant;
    }

    abstract int executions() throws InterruptedException;
  }

  private record FailingTool(AtomicInteger runs) implements Tool {
    @Override
    public ToolSpec spec() {
      return new ToolSpec("fail", "", JsonNodeFactory.instance.objectNode().put("type", "object"));
    }

    @Override
    public boolean isIdempotent() {
      return true;
    }

    @Override
    public String call(JsonNode arguments, ToolContext context) {
      runs.incrementAndGet();
      throw new ToolExecutionException("no");
    }
  }

  @ParameterizedTest
  @EnumSource(Layer.class)
  @DisplayName("T1: 3 means four executions of tickets, sessions and calls; three of turns, tools")
  void executions(Layer layer) throws InterruptedException {
    assertThat(layer.executions()).isEqualTo(layer.meant);
  }
}
