package dev.holdfast.llm;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.testing.ModelBehaviour;
import dev.holdfast.testing.ModelReply;
import java.lang.management.ManagementFactory;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import javax.management.ObjectName;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What comes back where the provider answers. */
@Order(1) // it waits long
class AnswersTest extends ProviderFixture {
  @ParameterizedTest
  @EnumSource
  @DisplayName("B8: text, reasoning and usage come out, piece by piece and whole")
  void text(Vendor vendor) throws InterruptedException {
    String text = "grüße 🙂 ".repeat(1_000);
    models.next(
        ModelBehaviour.answer(
            ModelReply.text(text).withReasoning("hm").withUsage(new Usage(7, 5, 0, 3))));
    StringBuilder heard = new StringBuilder();
    Thread caller = Thread.currentThread();
    CallResult result =
        provider(vendor)
            .call(
                request(),
                new StreamListener() {
                  @Override
                  public void text(String piece) {
                    assertThat(Thread.currentThread()).isSameAs(caller);
                    heard.append(piece);
                  }
                });
    CallResult.Answer answer = (CallResult.Answer) result;
    assertThat(answer.message().text()).isEqualTo(text).isEqualTo(heard.toString());
    assertThat(answer.message().reasoning()).isEqualTo("hm");
    assertThat(answer.stop()).isEqualTo(StopReason.END);
    assertThat(answer.usage()).isEqualTo(new Usage(7, 5, 0, 3));
    assertThat(models.lastRequest().streaming()).isTrue();
    assertThat(models.lastRequest().key()).isEqualTo("secret-1");
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("B23: tool calls are put together from their pieces, half a JSON stays as it came")
  void toolCalls(Vendor vendor) throws InterruptedException {
    List<ToolCall> calls =
        List.of(
            new ToolCall("a", "read_file", "{\"path\": \"src/main/java/Long.java\", \"n\": 1.50}"),
            new ToolCall("b", "write_file", "{\"path\": \"x"));
    models.next(
        ModelBehaviour.answer(
            ModelReply.calls(calls.toArray(ToolCall[]::new)).withText("so be it")));
    CallResult.Answer answer = answered(vendor);
    assertThat(answer.message().toolCalls()).isEqualTo(calls);
    assertThat(answer.message().text()).isEqualTo("so be it");
    assertThat(answer.stop()).isEqualTo(StopReason.TOOL_CALLS);
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("a thousand tool calls in one answer come out in order, each with an id of its own")
  void thousandToolCalls(Vendor vendor) throws InterruptedException {
    List<ToolCall> calls =
        IntStream.range(0, 1_000)
            .mapToObj(i -> new ToolCall(i % 2 == 0 ? "" : "same", "t", "{\"i\":" + i + "}"))
            .toList();
    // OpenAI's pieces are found by their index, Anthropic's by the block's
    models.next(ModelBehaviour.toolCalls(calls.toArray(ToolCall[]::new)));
    List<ToolCall> got = answered(vendor).message().toolCalls();
    assertThat(got)
        .extracting(ToolCall::arguments)
        .containsExactlyElementsOf(calls.stream().map(ToolCall::arguments).toList());
    assertThat(new HashSet<>(got.stream().map(ToolCall::id).toList())).hasSize(1_000);
    assertThat(got).noneMatch(call -> call.id().isBlank());
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("B70: every request is told with key label, status, usage, cost and latency")
  void wireCall(Vendor vendor) throws InterruptedException {
    Prices prices = new Prices(Map.of("m-*", Price.of(new BigDecimal("3"), new BigDecimal("15"))));
    ChatProvider provider =
        opened(
            vendor.on(
                new ProviderSettings("p", vendor.url(models), List.of("secret-1"), prices),
                wire::add));
    models.next(ModelBehaviour.answer(ModelReply.text("x").withUsage(new Usage(1_000, 0, 0, 100))));
    provider.call(request(), StreamListener.NONE);
    WireCall call = wire.getFirst();
    assertThat(call.target()).isEqualTo(new Target("p", "m-1"));
    assertThat(call.key()).isEqualTo("key-1");
    assertThat(call.failure()).isNull();
    assertThat(call.httpStatus()).isEqualTo(200);
    assertThat(call.costUsd()).isEqualByComparingTo("0.0045");
    assertThat(call.latency()).isPositive();
    assertThat(call.maybeBilled()).isTrue();
    assertThat(wire).hasSize(1);
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("calls leave no thread behind")
  void threads(Vendor vendor) throws InterruptedException {
    ChatProvider provider = provider(vendor);
    int calls = 40;
    long before = sleepers();
    for (int i = 0; i < calls; i++) {
      models.next(ModelBehaviour.answer("x"));
      provider.call(request(), StreamListener.NONE);
    }
    // Some room for the clients of tests beside this one.
    assertThat(sleepers() - before).isLessThan(calls / 2);
  }

  private static long sleepers() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().contains("Sleeper"))
        .count();
  }

  @Test
  @DisplayName("calls leave no pool of threads in memory, though none of its threads was started")
  void pools() throws Exception {
    ChatProvider provider = provider(Vendor.OPENAI);
    int calls = 40;
    long before = poolsInMemory();
    for (int i = 0; i < calls; i++) {
      models.next(ModelBehaviour.answer("x"));
      provider.call(request(), StreamListener.NONE);
    }
    // As above.
    assertThat(poolsInMemory() - before).isLessThan(calls / 2);
  }

  /** The histogram is made behind a collection of what nobody refers to. */
  private static long poolsInMemory() throws Exception {
    Object histogram =
        ManagementFactory.getPlatformMBeanServer()
            .invoke(
                new ObjectName("com.sun.management:type=DiagnosticCommand"),
                "gcClassHistogram",
                new Object[] {new String[0]},
                new String[] {String[].class.getName()});
    // Those of this SDK, whose clients keep them; tests beside this one have pools of their own.
    return Pattern.compile(
            "([0-9]+) +[0-9]+ +com\\.openai\\.\\S+\\.PhantomReachableExecutorService\\s")
        .matcher((String) histogram)
        .results()
        .mapToLong(line -> Long.parseLong(line.group(1)))
        .sum();
  }

  @Test
  @DisplayName("an output limit, a refusal and a full window are told apart from an end")
  void stops() throws InterruptedException {
    models.next(
        ModelBehaviour.answer(ModelReply.text("half").withStop("length")),
        ModelBehaviour.answer(ModelReply.text("").withStop("content_filter")),
        ModelBehaviour.answer(ModelReply.text("half").withStop("max_tokens")),
        ModelBehaviour.answer(ModelReply.text("no").withStop("refusal")),
        ModelBehaviour.answer(ModelReply.text("x").withStop("model_context_window_exceeded")));
    List<StopReason> stops = new ArrayList<>();
    for (Vendor vendor :
        List.of(Vendor.OPENAI, Vendor.OPENAI, Vendor.ANTHROPIC, Vendor.ANTHROPIC)) {
      stops.add(answered(vendor).stop());
    }
    assertThat(stops)
        .containsExactly(
            StopReason.MAX_TOKENS, StopReason.REFUSED, StopReason.MAX_TOKENS, StopReason.REFUSED);
    assertThat(failed(Vendor.ANTHROPIC).kind()).isEqualTo(FailureKind.CONTEXT_OVERFLOW);
  }
}
