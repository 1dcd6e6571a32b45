package dev.holdfast.llm.anthropic;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.llm.CallResult;
import dev.holdfast.llm.Calls;
import dev.holdfast.llm.ChatProvider;
import dev.holdfast.llm.FailureKind;
import dev.holdfast.llm.Message;
import dev.holdfast.llm.StopReason;
import dev.holdfast.llm.StreamListener;
import dev.holdfast.llm.ToolCall;
import dev.holdfast.llm.Usage;
import dev.holdfast.llm.WireCall;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;

/** What is read out of events, without a server; apostrophes stand for quotes. */
class AnthropicAnswersTest {
  private static final String TEXT =
      open(0, "'type':'text','text':''") + delta(0, "'type':'text_delta','text':'x'");
  private static final String END = end("end_turn");

  private final List<WireCall> wire = new ArrayList<>();

  private static String event(String type, String fields) {
    String json = "{'type':'" + type + "'" + (fields.isEmpty() ? "" : "," + fields) + "}";
    return "event: " + type + "\ndata: " + json.replace('\'', '"') + "\n\n";
  }

  private static String open(int index, String block) {
    return event("content_block_start", "'index':" + index + ",'content_block':{" + block + "}");
  }

  private static String delta(int index, String delta) {
    return event("content_block_delta", "'index':" + index + ",'delta':{" + delta + "}");
  }

  private static String close(int index) {
    return event("content_block_stop", "'index':" + index);
  }

  private static String start(String usage) {
    return event("message_start", "'message':{'id':'m','usage':{" + usage + "}}");
  }

  private static String end(String reason) {
    return event("message_delta", "'delta':{'stop_reason':'" + reason + "'}");
  }

  private static String total(String usage) {
    return event("message_delta", "'delta':{'stop_reason':'end_turn'},'usage':{" + usage + "}");
  }

  private CallResult call(String... body) throws InterruptedException {
    byte[] bytes = String.join("", body).getBytes(StandardCharsets.UTF_8);
    try (ChatProvider provider = AnthropicFuzz.provider(bytes, wire::add)) {
      return provider.call(Calls.request(new Message.User("hi")), StreamListener.NONE);
    }
  }

  private CallResult.Answer answer(String... body) throws InterruptedException {
    return (CallResult.Answer) call(body);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "'input_tokens':9,'output_tokens':1 | 'output_tokens':5 | 9 0 0 5",
        "'input_tokens':9,'cache_read_input_tokens':4,'cache_creation_input_tokens':3 |"
            + " 'output_tokens':5 | 9 4 3 5",
        "'input_tokens':9,'cache_read_input_tokens':4,'cache_creation_input_tokens':3 |"
            + " 'input_tokens':8,'cache_read_input_tokens':2,'cache_creation_input_tokens':1,"
            + "'output_tokens':5 | 8 2 1 5",
        "'input_tokens':9,'cache_read_input_tokens':null | 'output_tokens':5 | 9 0 0 5",
        "'input_tokens':-9,'output_tokens':1 | 'output_tokens':-5 | 0 0 0 0",
        "'input_tokens':'many' | 'output_tokens':5 | 0 0 0 5",
        "'output_tokens':1 | 'input_tokens':7 | 7 0 0 1",
      })
  @DisplayName("B72: the totals at the end replace those of the start, and add nothing to them")
  void usage(String first, String last, String counts) throws InterruptedException {
    Usage usage = answer(start(first), TEXT, total(last)).usage();
    assertThat(shown(usage)).isEqualTo(counts);
    assertThat(shown(wire.getFirst().usage())).isEqualTo(counts);
  }

  private static String shown(Usage usage) {
    return usage.input()
        + " "
        + usage.cacheRead()
        + " "
        + usage.cacheWrite()
        + " "
        + usage.output();
  }

  @Test
  @DisplayName("B72: an answer that is cut has cost what it said at its start")
  void cut() throws InterruptedException {
    CallResult.Failed failed = (CallResult.Failed) call(start("'input_tokens':9"), TEXT);
    assertThat(failed.kind()).isEqualTo(FailureKind.NETWORK_ERROR);
    assertThat(wire.getFirst().usage()).isEqualTo(new Usage(9, 0, 0, 0));
  }

  @ParameterizedTest
  @CsvSource({
    "end_turn, END",
    "stop_sequence, END",
    "tool_use, TOOL_CALLS",
    "max_tokens, MAX_TOKENS",
    "refusal, REFUSED",
    "pause_turn, OTHER",
    "something_new, OTHER",
  })
  @DisplayName("each reason to stop is known, and a new one is none of them")
  void stops(String said, StopReason stop) throws InterruptedException {
    assertThat(answer(TEXT, end(said)).stop()).isEqualTo(stop);
  }

  @ParameterizedTest
  @ValueSource(strings = {"'delta':{'stop_reason':null},'usage':{'output_tokens':5}", ""})
  @DisplayName("message_stop ends an answer as well where no reason is named")
  void stopWithoutReason(String last) throws InterruptedException {
    String delta = last.isEmpty() ? "" : event("message_delta", last);
    CallResult.Answer answer =
        answer(start("'input_tokens':9"), TEXT, delta, event("message_stop", ""));
    assertThat(answer.message().text()).isEqualTo("x");
    assertThat(answer.stop()).isEqualTo(StopReason.END);
    assertThat(answer.usage().input()).isEqualTo(9);
    assertThat(call(start("'input_tokens':9"), TEXT, delta)).isInstanceOf(CallResult.Failed.class);
  }

  @Test
  @DisplayName("text that stands in the start of its block is part of the answer")
  void textAtOnce() throws InterruptedException {
    String block = open(0, "'type':'text','text':'at '");
    assertThat(answer(block, delta(0, "'type':'text_delta','text':'once'"), END).message().text())
        .isEqualTo("at once");
  }

  @Test
  @DisplayName("B23: a call's input comes in pieces, at once, or not at all")
  void inputs() throws InterruptedException {
    List<ToolCall> calls =
        answer(
                open(0, "'type':'tool_use','id':'x','name':'a','input':{}"),
                delta(0, "'type':'input_json_delta','partial_json':'{\\u0022n\\u0022'"),
                delta(0, "'type':'input_json_delta','partial_json':':1}'"),
                close(0),
                open(1, "'type':'tool_use','id':'y','name':'b','input':{'n':2}"),
                close(1),
                open(2, "'type':'tool_use','id':'z','name':'c','input':{}"),
                close(2),
                end("tool_use"))
            .message()
            .toolCalls();
    assertThat(calls)
        .containsExactly(
            new ToolCall("x", "a", "{\"n\":1}"),
            new ToolCall("y", "b", "{\"n\":2}"),
            new ToolCall("z", "c", "{}"));
  }

  @Test
  @DisplayName("a call that is cut by the limit of tokens keeps the half that came")
  void halfACall() throws InterruptedException {
    CallResult.Answer answer =
        answer(
            open(0, "'type':'tool_use','id':'x','name':'a','input':{}"),
            delta(0, "'type':'input_json_delta','partial_json':'[1'"),
            end("max_tokens"));
    assertThat(answer.stop()).isEqualTo(StopReason.MAX_TOKENS);
    assertThat(answer.message().toolCalls()).containsExactly(new ToolCall("x", "a", "[1"));
  }

  @Test
  @DisplayName("arguments that belong to no call are an answer that cannot be read")
  void noCall() throws InterruptedException {
    CallResult.Failed failed =
        (CallResult.Failed) call(delta(0, "'type':'input_json_delta','partial_json':'{}'"), END);
    assertThat(failed.kind()).isEqualTo(FailureKind.INVALID_RESPONSE);
    assertThat(failed.message()).contains("arguments without a tool call");
  }

  @Test
  @DisplayName(
      "what a server's own tools were given and found is passed over, a call behind it not")
  void serverTools() throws InterruptedException {
    Message.Assistant message =
        answer(
                open(0, "'type':'server_tool_use','id':'s','name':'web_search','input':{}"),
                delta(0, "'type':'input_json_delta','partial_json':'{}'"),
                close(0),
                open(1, "'type':'web_search_tool_result','tool_use_id':'s','content':[]"),
                close(1),
                open(2, "'type':'tool_use','id':'x','name':'a','input':{}"),
                delta(2, "'type':'input_json_delta','partial_json':'{}'"),
                close(2),
                end("tool_use"))
            .message();
    assertThat(message.toolCalls()).containsExactly(new ToolCall("x", "a", "{}"));
    assertThat(message.text()).isEmpty();
  }

  private static String thought(int index, String text, String signature) {
    return open(index, "'type':'thinking','thinking':'','signature':''")
        + delta(index, "'type':'thinking_delta','thinking':'" + text + "'")
        + delta(index, "'type':'signature_delta','signature':'" + signature + "'")
        + close(index);
  }

  @Test
  @DisplayName("each thought keeps its own signature, redacted ones stay, all in their order")
  void thinking() throws InterruptedException {
    Message.Assistant message =
        answer(
                thought(0, "first", "s1"),
                open(1, "'type':'redacted_thinking','data':'hidden'"),
                close(1),
                thought(2, "second", "s2"),
                open(3, "'type':'text','text':'so'"),
                close(3),
                open(4, "'type':'text','text':' it is'"),
                END)
            .message();
    assertThat(message.text()).isEqualTo("so it is");
    assertThat(message.reasoning()).isEqualTo("firstsecond");
    assertThat(message.opaque())
        .isEqualTo(
            ("{'fuzz':[{'type':'thinking','thinking':'first','signature':'s1'},"
                    + "{'type':'redacted_thinking','data':'hidden'},"
                    + "{'type':'thinking','thinking':'second','signature':'s2'},"
                    + "{'type':'text'}]}")
                .replace('\'', '"'));
  }

  @Test
  @DisplayName("an answer without a thought has nothing that its provider wants back")
  void noThought() throws InterruptedException {
    assertThat(answer(TEXT, close(0), END).message().opaque()).isNull();
  }

  @Test
  @DisplayName("a place for text that is blank is left out, for the API refuses blank text")
  void blankText() {
    ArrayNode content = JsonMapper.shared().createArrayNode();
    String opaque =
        "{\"a2\":[{\"type\":\"redacted_thinking\",\"data\":\"d\"}," + "{\"type\":\"text\"}]}";
    assertThat(
            SignedThinking.write("a2", new Message.Assistant(" ", "", List.of(), opaque), content))
        .isTrue();
    assertThat(content).hasToString("[{\"type\":\"redacted_thinking\",\"data\":\"d\"}]");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "~{'a':1}~ | ~~",
        "~{'a':1}~ | ~{@'a@':1}~",
        "~'{@'a@':1}'~ | ~~",
        "~'{@'a@':1}'~ | ~{@'a@':1}~",
        "~''~ | ~{@'a@':1}~",
      })
  @DisplayName("arguments that a call begins with are all of them unless pieces follow")
  void givenArguments(String given, String pieces) throws InterruptedException {
    String begun = open(0, "'type':'tool_use','id':'t','name':'n','input':" + escaped(given));
    String more = delta(0, "'type':'input_json_delta','partial_json':'" + escaped(pieces) + "'");
    String rest = pieces.isEmpty() ? "" : more;
    assertThat(answer(begun, rest, close(0), end("tool_use")).message().toolCalls())
        .containsExactly(new ToolCall("t", "n", "{\"a\":1}"));
  }

  private static String escaped(String text) {
    return text.replace('@', (char) 92);
  }

  @Test
  @DisplayName("the input that was counted at the start stays where the end counts 0 (SGLang)")
  void inputOfTheStart() throws InterruptedException {
    String begun = start("'input_tokens':900,'cache_read_input_tokens':50,'output_tokens':1");
    assertThat(answer(begun, TEXT, total("'input_tokens':0,'output_tokens':5")).usage())
        .isEqualTo(new Usage(900, 50, 0, 5));
    assertThat(
            answer(begun, total("'input_tokens':0,'cache_read_input_tokens':950,'output_tokens':5"))
                .usage())
        .isEqualTo(new Usage(0, 950, 0, 5));
  }

  @Test
  @DisplayName("a thought that comes whole with its block keeps its words and its signature")
  void wholeThought() throws InterruptedException {
    String thought = open(0, "'type':'thinking','thinking':'hm','signature':'sig'");
    Message.Assistant message = answer(thought, close(0), TEXT, END).message();
    assertThat(message.reasoning()).isEqualTo("hm");
    assertThat(message.opaque()).contains("\"thinking\":\"hm\",\"signature\":\"sig\"");
  }
}
