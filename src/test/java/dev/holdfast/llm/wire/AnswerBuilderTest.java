package dev.holdfast.llm.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.llm.CallResult;
import dev.holdfast.llm.StopReason;
import dev.holdfast.llm.StreamListener;
import dev.holdfast.llm.ToolCall;
import dev.holdfast.llm.Usage;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** An answer that comes in pieces. */
class AnswerBuilderTest {
  private final List<String> heard = new ArrayList<>();
  private final AnswerBuilder answer = new AnswerBuilder(new Hearing(heard), 100);

  /** Writes down what is told of an answer while it comes. */
  record Hearing(List<String> heard) implements StreamListener {
    @Override
    public void text(String piece) {
      heard.add("text " + piece);
    }

    @Override
    public void reasoning(String piece) {
      heard.add("reasoning " + piece);
    }

    @Override
    public void toolCallStarted(String name) {
      heard.add("call " + name);
    }
  }

  private CallResult.Answer build(StopReason stop) {
    return answer.build(stop, new Usage(1, 2, 3, 4), "opaque");
  }

  private List<ToolCall> calls() {
    return build(StopReason.END).message().toolCalls();
  }

  @Test
  @DisplayName("B8: each piece is told once, empty ones not, and all of it is in the answer")
  void pieces() {
    answer.reasoning("h");
    answer.text("");
    answer.text("a");
    answer.reasoning("");
    answer.reasoning("m");
    answer.text("b");
    CallResult.Answer built = build(StopReason.END);
    assertThat(built.message().text()).isEqualTo("ab");
    assertThat(built.message().reasoning()).isEqualTo("hm");
    assertThat(built.message().opaque()).isEqualTo("opaque");
    assertThat(built.usage()).isEqualTo(new Usage(1, 2, 3, 4));
    assertThat(heard).containsExactly("reasoning h", "text a", "reasoning m", "text b");
  }

  @Test
  @DisplayName("a call's name and arguments grow piece by piece, and its start is told once")
  void call() {
    AnswerBuilder.OpenCall call = answer.call("x");
    call.name("");
    call.name("read_");
    call.name("file");
    call.arguments("{\"a\"");
    call.arguments(":1}");
    call.orEmptyObject();
    assertThat(calls()).containsExactly(new ToolCall("x", "read_file", "{\"a\":1}"));
    assertThat(heard).containsExactly("call read_");
  }

  @Test
  @DisplayName("a call without arguments has an empty object where its vendor leaves out braces")
  void noArguments() {
    answer.call("x").orEmptyObject();
    answer.call("y");
    assertThat(calls()).extracting(ToolCall::arguments).containsExactly("{}", "");
  }

  @Test
  @DisplayName("calls without an id, or with one that is taken, get one of ours")
  void ids() {
    for (String id : List.of("a", "a", "", " ")) {
      answer.call(id);
    }
    AnswerBuilder.OpenCall late = answer.call("");
    late.id("b");
    List<String> ids = calls().stream().map(ToolCall::id).toList();
    assertThat(ids).doesNotHaveDuplicates().startsWith("a").endsWith("b");
    assertThat(ids.subList(1, 4)).allMatch(id -> id.matches("call_[0-9a-f]{32}"));
    assertThat(late.id()).isEqualTo("b");
  }

  @ParameterizedTest
  @CsvSource({"END, TOOL_CALLS", "MAX_TOKENS, MAX_TOKENS", "REFUSED, REFUSED", "OTHER, OTHER"})
  @DisplayName("an answer with calls that says it has ended asks for them; a cut one stays cut")
  void stop(StopReason said, StopReason meant) {
    assertThat(build(said).stop()).as("without calls").isEqualTo(said);
    answer.call("x");
    assertThat(build(said).stop()).isEqualTo(meant);
  }

  @Test
  @DisplayName("an answer is as long as the bound and no longer, all its parts together")
  void bound() {
    answer.text("x".repeat(50));
    answer.reasoning("x".repeat(20));
    AnswerBuilder.OpenCall call = answer.call("id");
    call.name("12345");
    call.arguments("123456789");
    assertThatThrownBy(() -> answer.text("x"))
        .isInstanceOf(UncheckedIOException.class)
        .hasRootCauseInstanceOf(AnswerTooLongException.class);
    assertThat(heard).as("what is too long is not told").hasSize(3);
  }

  @Test
  @DisplayName("calls of nothing, one behind the other for ever, are too long as well")
  void endlessCalls() {
    assertThatThrownBy(
            () -> {
              while (true) {
                answer.call("").name("");
              }
            })
        .hasRootCauseInstanceOf(AnswerTooLongException.class);
  }
}
