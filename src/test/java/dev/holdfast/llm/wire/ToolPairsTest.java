package dev.holdfast.llm.wire;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.llm.Message;
import dev.holdfast.llm.ToolCall;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Conversations in which calls and results do not match. */
class ToolPairsTest {
  /** {@code u} is a user's text, {@code a:x,y} an answer with calls, {@code r:x} a result. */
  private static Message message(String text) {
    String ids = text.substring(Math.min(2, text.length()));
    return switch (text.charAt(0)) {
      case 'u' -> new Message.User(ids);
      case 'a' -> new Message.Assistant("", calls(ids));
      default -> new Message.ToolResult(ids, "tool", "done " + text, false);
    };
  }

  private static List<ToolCall> calls(String ids) {
    return Arrays.stream(ids.split(",", -1))
        .filter(id -> !id.isEmpty())
        .map(id -> new ToolCall(id, "tool", "{}"))
        .toList();
  }

  private static String shown(Message message) {
    return switch (message) {
      case Message.User user -> "u:" + user.content();
      case Message.Assistant assistant ->
          "a:" + String.join(",", assistant.toolCalls().stream().map(ToolCall::id).toList());
      case Message.ToolResult result when result.content().equals(ToolPairs.LOST) ->
          "lost:" + result.callId();
      case Message.ToolResult result -> "r:" + result.callId();
    };
  }

  private static List<Message> messages(String conversation) {
    return Stream.of(conversation.split(" ")).map(ToolPairsTest::message).toList();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '>',
      value = {
        "u:1 a: > u:1 a:",
        "u:1 a:x r:x u:2 > u:1 a:x r:x u:2",
        "a:x,y r:y r:x > a:x,y r:x r:y",
        "a:x u:1 r:x u:2 > a:x r:x u:1 u:2",
        "a:x u:1 > a:x lost:x u:1",
        "a:x > a:x lost:x",
        "a:x a:x r:x > a:x lost:x a:x r:x",
        "r:x u:1 > u:1",
        "a: r:x u:1 > a: u:1",
        "a:x r:x r:x r:z > a:x r:x",
        "a:x r:x a:x r:x > a:x r:x a:x r:x",
      })
  @DisplayName("each call has its one result right behind it, in the order of the calls")
  void pairs(String from, String to) {
    assertThat(ToolPairs.complete(messages(from)).stream().map(ToolPairsTest::shown))
        .containsExactly(to.split(" "));
  }

  @Test
  @DisplayName("a result that is filled in says that it was lost, and counts as failed")
  void lost() {
    assertThat(ToolPairs.complete(messages("a:x")))
        .endsWith(new Message.ToolResult("x", "tool", "The result of this call was lost.", true));
  }

  @Test
  @DisplayName("of two results of one call the first is kept")
  void firstResult() {
    Message first = new Message.ToolResult("x", "tool", "first", false);
    Message second = new Message.ToolResult("x", "tool", "second", false);
    List<Message> complete = ToolPairs.complete(List.of(message("a:x"), first, second));
    assertThat(complete).containsExactly(message("a:x"), first);
  }

  private static List<Message> called(String id, String name) {
    return List.of(
        new Message.Assistant("so", "hm", List.of(new ToolCall(id, name, "{}")), "{}"),
        new Message.ToolResult(id, name, "done", false));
  }

  private static String nameOnWire(String name) {
    Message first = ToolPairs.complete(called("x", name)).getFirst();
    return ((Message.Assistant) first).toolCalls().getFirst().name();
  }

  @ParameterizedTest
  @ValueSource(strings = {"list_files", "mcp__s__purge-2", "A", "_", "-"})
  @DisplayName("names and ids that every vendor takes stay as they are")
  void validNames(String word) {
    String longest = word.repeat(64).substring(0, 64);
    for (String name : List.of(word, longest)) {
      assertThat(ToolPairs.complete(called("x", name))).isEqualTo(called("x", name));
    }
    List<Message> ids = called(longest.substring(0, 40), "a");
    assertThat(ToolPairs.withPlainIds(ids)).isEqualTo(ids);
  }

  @ParameterizedTest
  @ValueSource(strings = {"multi_tool_use.parallel", "", " ", "grüße", "a b", "\uD83D\uDE00"})
  @DisplayName("the name of a tool that is none is one that a vendor takes, always the same")
  void strangeName(String name) {
    assertThat(nameOnWire(name)).matches("[a-zA-Z0-9_-]{1,64}").isEqualTo(nameOnWire(name));
    assertThat(nameOnWire(name + "x".repeat(64))).matches("[a-zA-Z0-9_-]{1,64}");
  }

  @Test
  @DisplayName("strange names that look alike stay apart")
  void alike() {
    String tail = "x".repeat(100);
    assertThat(
            Stream.of("a.b", "a:b", "a_b", tail + "1", tail + "2").map(ToolPairsTest::nameOnWire))
        .doesNotHaveDuplicates()
        .contains("a_b");
  }

  @Test
  @DisplayName("ids of another vendor are plain ones, the same of a call and its result")
  void strangeIds() {
    List<String> ids =
        List.of("functions.list_files:0", "functions.list_files:1", "y".repeat(41), "call_1");
    List<Message> conversation = new ArrayList<>();
    List<ToolCall> calls = ids.stream().map(id -> new ToolCall(id, "tool", "{}")).toList();
    conversation.add(new Message.Assistant("", calls));
    ids.forEach(id -> conversation.add(new Message.ToolResult(id, "tool", id, false)));

    List<Message> plain = ToolPairs.withPlainIds(conversation);

    List<String> sent =
        ((Message.Assistant) plain.getFirst()).toolCalls().stream().map(ToolCall::id).toList();
    assertThat(sent).allMatch(id -> id.matches("[a-zA-Z0-9_-]{1,40}")).doesNotHaveDuplicates();
    assertThat(sent).endsWith("call_1");
    assertThat(plain.subList(1, plain.size()))
        .extracting(each -> ((Message.ToolResult) each).callId())
        .isEqualTo(sent);
    assertThat(plain.subList(1, plain.size()))
        .extracting(each -> ((Message.ToolResult) each).content())
        .isEqualTo(ids);
  }

  @Test
  @DisplayName("nothing comes of nothing")
  void empty() {
    assertThat(ToolPairs.complete(List.of())).isEmpty();
  }
}
