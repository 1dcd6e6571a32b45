package dev.holdfast.llm.scripted;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.llm.CallResult;
import dev.holdfast.llm.ChatRequest;
import dev.holdfast.llm.FailureKind;
import dev.holdfast.llm.Message;
import dev.holdfast.llm.StopReason;
import dev.holdfast.llm.StreamListener;
import dev.holdfast.llm.ToolChoice;
import dev.holdfast.llm.Usage;
import dev.holdfast.llm.WireCall;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ScriptedProviderTest {
  private static final String SCRIPT =
      """
      steps:
        - text: Let me look.
          reasoning: hm
          tool_calls:
            - {name: read_file, arguments: {path: a.txt, lines: [1, 2]}}
            - {name: broken, arguments: '{"half": '}
          usage: {input: 1200, cache_read: 5, cache_write: 6, output: 80}
          delay: 500ms
        - failure: {status: 529, code: overloaded_error, message: Overloaded, retry_after: 2s}
          fail_first: 2
          text: Done.
        - when: (?i)weather
          text: Sunny.
      models:
        other:
          steps: [{failure: {kind: network_error, message: cut}}]
      """;

  private final List<Duration> slept = new ArrayList<>();
  private final List<WireCall> wire = new ArrayList<>();

  private ScriptedProvider provider(String script) {
    return new ScriptedProvider("scripted", Script.parse(script), wire::add, slept::add);
  }

  private static ChatRequest request(Message... messages) {
    return request("m", messages);
  }

  private static ChatRequest request(String model, Message... messages) {
    return new ChatRequest(
        model, "", List.of(messages), List.of(), ToolChoice.AUTO, null, Duration.ofSeconds(30));
  }

  private static Message user(String text) {
    return new Message.User(text);
  }

  private static Message said() {
    return new Message.Assistant("x", List.of());
  }

  private static CallResult.Answer answer(ScriptedProvider provider, ChatRequest request)
      throws InterruptedException {
    return (CallResult.Answer) provider.call(request, StreamListener.NONE);
  }

  private static CallResult.Failed failed(ScriptedProvider provider, ChatRequest request)
      throws InterruptedException {
    return (CallResult.Failed) provider.call(request, StreamListener.NONE);
  }

  @Test
  @DisplayName("a step has text, reasoning, calls, usage and a delay, and is told as scripted")
  void step() throws InterruptedException {
    CallResult.Answer answer = answer(provider(SCRIPT), request(user("go")));
    assertThat(answer.message().text()).isEqualTo("Let me look.");
    assertThat(answer.message().reasoning()).isEqualTo("hm");
    assertThat(answer.message().toolCalls())
        .extracting("name", "arguments")
        .containsExactly(
            org.assertj.core.groups.Tuple.tuple(
                "read_file", "{\"path\":\"a.txt\",\"lines\":[1,2]}"),
            org.assertj.core.groups.Tuple.tuple("broken", "{\"half\": "));
    assertThat(answer.message().toolCalls()).noneMatch(call -> call.id().isEmpty());
    assertThat(answer.stop()).isEqualTo(StopReason.TOOL_CALLS);
    assertThat(answer.usage()).isEqualTo(new Usage(1200, 5, 6, 80));
    assertThat(slept).containsExactly(Duration.ofMillis(500));
    assertThat(wire).singleElement().matches(call -> !call.maybeBilled());
    assertThat(wire.getFirst().target()).hasToString("scripted/scripted/m");
    assertThat(wire.getFirst().key()).isEqualTo("scripted");
  }

  @Test
  @DisplayName("the step hangs on the conversation alone, whoever asked before")
  void stateless() throws InterruptedException {
    ScriptedProvider provider = provider("steps: [{text: one}, {text: two}]");
    for (int i = 0; i < 3; i++) {
      assertThat(answer(provider, request(user("a"))).message().text()).isEqualTo("one");
      assertThat(answer(provider, request(user("a"), said(), user("b"))).message().text())
          .isEqualTo("two");
    }
  }

  @Test
  @DisplayName("a failure comes so often in each conversation, then the answer")
  void failFirst() throws InterruptedException {
    ScriptedProvider provider = provider(SCRIPT);
    for (String ticket : List.of("ticket 1", "ticket 2")) {
      ChatRequest second = request(user(ticket), said(), user("on"));
      CallResult.Failed failed = failed(provider, second);
      assertThat(failed.kind()).isEqualTo(FailureKind.MODEL_ERROR);
      assertThat(failed.retryable()).isTrue();
      assertThat(failed.httpStatus()).isEqualTo(529);
      assertThat(failed.retryAfter()).isEqualTo(Duration.ofSeconds(2));
      assertThat(failed.message()).contains("Overloaded");
      ChatRequest noticed =
          request(user(ticket), said(), user("on"), new Message.User("System notice: x", "x"));
      failed(provider, noticed);
      assertThat(answer(provider, second).message().text()).isEqualTo("Done.");
    }
  }

  @Test
  @DisplayName(
      "a step with when is played whenever the last message matches; models have their own")
  void choices() throws InterruptedException {
    ScriptedProvider provider = provider(SCRIPT);
    ChatRequest asked = request(user("a"), said(), user("How is the Weather?"));
    assertThat(answer(provider, asked).message().text()).isEqualTo("Sunny.");
    CallResult.Failed failed = failed(provider, request("other", user("Weather")));
    assertThat(failed.kind()).isEqualTo(FailureKind.NETWORK_ERROR);
    assertThat(failed.retryable()).isTrue();
  }

  @Test
  @DisplayName("a script that is over is an error that names it and is not retried")
  void over() throws InterruptedException {
    CallResult.Failed failed =
        failed(provider("steps: [{text: one}]"), request(user("a"), said(), user("b")));
    assertThat(failed.retryable()).isFalse();
    assertThat(failed.message()).contains("script", "is over", "1 steps", "1 answers");
  }

  @Test
  @DisplayName("B18: a delay longer than the timeout is a timeout")
  void timeout() throws InterruptedException {
    ScriptedProvider provider = provider("steps: [{text: late, delay: 1h}]");
    assertThat(failed(provider, request(user("a"))).kind()).isEqualTo(FailureKind.TIMEOUT);
    assertThat(slept).containsExactly(Duration.ofSeconds(30));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "'' | must be an object",
        "'[' | neither YAML nor JSON",
        "42 | must be an object",
        "'steps: []' | has no steps",
        "'steps: {a: 1}' | must be a list",
        "'steps: [{txet: a}]' | unknown key \"txet\"",
        "'steps: [{text: a, delay: soon}]' | steps[0]: \"soon\" is not a duration",
        "'steps: [{text: a}, {failure: {status: 200}}]' | steps[1]: a failure needs",
        "'steps: [{failure: {kind: odd}}]' | \"odd\" is none",
        "'steps: [{fail_first: 2}]' | fail_first without a failure",
        "'steps: [{when: \"(\"}]' | steps[0]: Unclosed group",
        "'steps: [{usage: {input: -1}}]' | input must be a whole number",
        "'{\"models\": {\"m\": {}}, \"x\": 1}' | unknown key \"x\"",
      })
  @DisplayName("a script with a mistake is refused with the place of it")
  void mistakes(String script, String message) {
    assertThatThrownBy(() -> Script.parse(script))
        .isInstanceOf(InvalidScriptException.class)
        .hasMessageContaining(message);
  }

  @Test
  @DisplayName("a script that is not there is named")
  void missing() {
    assertThatThrownBy(() -> Script.load(Path.of("no-such-script.yaml")))
        .isInstanceOf(InvalidScriptException.class)
        .hasMessageContaining("no-such-script.yaml cannot be read: there is no such file");
  }

  @Test
  @DisplayName("docs/agents.md has a script that can be played")
  void page() throws Exception {
    String page = Files.readString(Path.of("docs/agents.md"));
    int start = page.indexOf("steps:");
    ScriptedProvider provider = provider(page.substring(start, page.indexOf("```", start)));
    assertThat(answer(provider, request(user("hi"))).message().text()).isEqualTo("Let me look.");
    assertThat(answer(provider, request(user("hi"), said(), user("the Weather?"))).toString())
        .contains("Sunny.");
    assertThat(failed(provider, request(user("hi"), said())).httpStatus()).isEqualTo(529);
    assertThat(answer(provider, request("m-1", user("hi"))).message().text()).isEqualTo("Hello.");
  }
}
