package dev.holdfast.llm.openai;

import static org.assertj.core.api.Assertions.assertThat;

import com.openai.core.JsonValue;
import dev.holdfast.llm.CallResult;
import dev.holdfast.llm.Calls;
import dev.holdfast.llm.ChatProvider;
import dev.holdfast.llm.ChatRequest;
import dev.holdfast.llm.FailureKind;
import dev.holdfast.llm.Message;
import dev.holdfast.llm.StopReason;
import dev.holdfast.llm.StreamListener;
import dev.holdfast.llm.ToolCall;
import dev.holdfast.llm.Usage;
import dev.holdfast.llm.WireCall;
import dev.holdfast.llm.wire.JsonTree;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** What is read out of chunks, without a server; apostrophes stand for quotes. */
class OpenAiAnswersTest {
  private static final String TEXT = event("{'choices':[{'delta':{'content':'x'}}]}");
  private static final String END = end("stop");

  private final List<WireCall> wire = new ArrayList<>();

  private static String event(String json) {
    return "data: " + json.replace('\'', '"') + "\n\n";
  }

  private static String end(String reason) {
    return event("{'choices':[{'delta':{},'finish_reason':'" + reason + "'}]}");
  }

  private static String delta(String json) {
    return event("{'choices':[{'delta':" + json + "}]}");
  }

  private CallResult call(String... body) throws InterruptedException {
    byte[] bytes = String.join("", body).getBytes(StandardCharsets.UTF_8);
    try (ChatProvider provider = OpenAiFuzz.provider(bytes, wire::add)) {
      return provider.call(Calls.request(new Message.User("hi")), StreamListener.NONE);
    }
  }

  private CallResult.Answer answer(String... body) throws InterruptedException {
    return (CallResult.Answer) call(body);
  }

  @Test
  @DisplayName("ids of another server are short for OpenAI itself, and as they came for others")
  void ids() {
    String id = "x".repeat(41);
    ChatRequest request =
        Calls.request(
            new Message.Assistant("", List.of(new ToolCall(id, "a", "{}"))),
            new Message.ToolResult(id, "a", "done", false));
    List<String> sent = idsOf(request, Server.OPENAI);
    assertThat(sent.getFirst()).hasSizeLessThanOrEqualTo(40).isEqualTo(sent.getLast());
    assertThat(idsOf(request, Server.OTHER)).containsExactly(id, id);
  }

  /** Of the call and of its result. */
  private static List<String> idsOf(ChatRequest request, Server server) {
    JsonValue messages =
        OpenAiRequest.of(request, "fuzz", server)._messages().asUnknown().orElseThrow();
    JsonNode sent = JsonTree.of(messages.convert(Object.class));
    return List.of(
        sent.path(0).path("tool_calls").path(0).path("id").asString(),
        sent.path(1).path("tool_call_id").asString());
  }

  @ParameterizedTest
  @CsvSource({
    "https://generativelanguage.googleapis.com/v1beta/openai/, skip_thought_signature_validator",
    "https://eu-aiplatform.googleapis.com:443/v1, skip_thought_signature_validator",
    "https://googleapis.com.example.org/v1, ''",
    "https://example.org/aiplatform.googleapis.com/v1, ''",
    "https://api.deepseek.com, ''",
  })
  @DisplayName("Google's servers are told from the first request on that a call is another model's")
  void unsigned(String url, String signature) throws InterruptedException {
    ByteArrayOutputStream sent = new ByteArrayOutputStream();
    byte[] answer = (TEXT + END).getBytes(StandardCharsets.UTF_8);
    try (ChatProvider provider = OpenAiFuzz.provider(answer, url, sent, wire::add)) {
      provider.call(
          Calls.request(
              new Message.User("hi"),
              new Message.Assistant("", List.of(new ToolCall("x", "a", "{}"))),
              new Message.ToolResult("x", "a", "done", false)),
          StreamListener.NONE);
    }
    JsonNode body = JsonTree.parse(sent.toString(StandardCharsets.UTF_8));
    JsonNode call = body.findPath("tool_calls").path(0);
    assertThat(call.path("id").asString()).isEqualTo("x");
    assertThat(call.at("/extra_content/google/thought_signature").asString(""))
        .isEqualTo(signature);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "'prompt_tokens':9,'completion_tokens':2 | 9 0 0 2",
        "'prompt_tokens':9,'prompt_tokens_details':{'cached_tokens':4} | 5 4 0 0",
        "'prompt_tokens':9,'prompt_tokens_details':{'cached_tokens':4,'cache_write_tokens':3}"
            + " | 2 4 3 0",
        "'prompt_tokens':9,'prompt_cache_hit_tokens':4 | 5 4 0 0",
        "'prompt_tokens':9,'prompt_tokens_details':{'cached_tokens':0},'prompt_cache_hit_tokens':4"
            + " | 5 4 0 0",
        "'prompt_tokens':9,'prompt_tokens_details':null | 9 0 0 0",
        "'prompt_tokens':3,'prompt_tokens_details':{'cached_tokens':4} | 0 4 0 0",
        "'prompt_tokens':9,'completion_tokens':2,'total_tokens':11 | 9 0 0 2",
        "'prompt_tokens':9,'completion_tokens':2,'total_tokens':61 | 9 0 0 52",
        "'prompt_tokens':9,'completion_tokens':2,'total_tokens':61,"
            + "'completion_tokens_details':{'reasoning_tokens':50} | 9 0 0 52",
        "'prompt_tokens':9,'completion_tokens':52,'total_tokens':61,"
            + "'completion_tokens_details':{'reasoning_tokens':50} | 9 0 0 52",
        "'prompt_tokens':9,'completion_tokens':2,'total_tokens':9000,"
            + "'completion_tokens_details':{'reasoning_tokens':50} | 9 0 0 52",
        "'prompt_tokens':9,'completion_tokens':2,'total_tokens':3 | 9 0 0 2",
        "'completion_tokens':2,'total_tokens':11 | 0 0 0 2",
        "'prompt_tokens':-3,'completion_tokens':-1 | 0 0 0 0",
        "'prompt_tokens':'many','completion_tokens':2 | 0 0 0 2",
        "'prompt_tokens':9,'prompt_cache_hit_tokens':-4 | 9 0 0 0",
      })
  @DisplayName("B72: no token is counted twice, none is left out, and none is negative")
  void usage(String fields, String counts) throws InterruptedException {
    String chunk = event("{'choices':[],'usage':{" + fields + "}}");
    Usage usage = answer(TEXT, END, chunk).usage();
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
  @DisplayName("B72: of usages that grow with each chunk the last one counts, not their sum")
  void growingUsage() throws InterruptedException {
    String first = event("{'choices':[],'usage':{'prompt_tokens':9,'completion_tokens':1}}");
    String second = event("{'choices':[],'usage':{'prompt_tokens':9,'completion_tokens':2}}");
    assertThat(answer(first, TEXT, second, END, event("{'choices':[],'usage':null}")).usage())
        .isEqualTo(new Usage(9, 0, 0, 2));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{'choices':[{'delta':{},'usage':{'prompt_tokens':9,'cached_tokens':4,"
            + "'completion_tokens':1,'total_tokens':11}}]}",
        "{'choices':[],'x_groq':{'usage':{'prompt_tokens':9,'cached_tokens':4,"
            + "'completion_tokens':2}}}",
      })
  @DisplayName("B72: usage is found in the places that Moonshot and Groq have for it")
  void otherPlaces(String chunk) throws InterruptedException {
    assertThat(answer(TEXT, event(chunk), END).usage()).isEqualTo(new Usage(5, 4, 0, 2));
  }

  @Test
  @DisplayName("B72: an answer that is cut has cost what it said by then")
  void cut() throws InterruptedException {
    CallResult.Failed failed =
        (CallResult.Failed) call(event("{'choices':[],'usage':{'prompt_tokens':9}}"), TEXT);
    assertThat(failed.kind()).isEqualTo(FailureKind.NETWORK_ERROR);
    assertThat(failed.message()).contains("the stream ended before the answer did");
    assertThat(wire.getFirst().usage()).isEqualTo(new Usage(9, 0, 0, 0));
  }

  @ParameterizedTest
  @CsvSource({
    "stop, END",
    "end_turn, END",
    "eos, END",
    "tool_calls, TOOL_CALLS",
    "function_call, TOOL_CALLS",
    "length, MAX_TOKENS",
    "max_tokens, MAX_TOKENS",
    "content_filter, REFUSED",
    "something_new, OTHER",
  })
  @DisplayName("each reason to stop is known by the names that servers have for it")
  void stops(String said, StopReason stop) throws InterruptedException {
    assertThat(answer(TEXT, end(said)).stop()).isEqualTo(stop);
  }

  @Test
  @DisplayName("a refusal is told as one with its words, whatever comes behind it")
  void refusal() throws InterruptedException {
    CallResult.Answer refused =
        answer(delta("{'refusal':'I will not'}"), delta("{'refusal':''}"), END);
    assertThat(refused.stop()).isEqualTo(StopReason.REFUSED);
    assertThat(refused.message().text()).isEqualTo("I will not");
    assertThat(answer(delta("{'refusal':null,'content':'x'}"), END).stop())
        .isEqualTo(StopReason.END);
    assertThat(answer(delta("{'refusal':'','content':'x'}"), END).stop()).isEqualTo(StopReason.END);
  }

  @Test
  @DisplayName(
      "B23: an id that comes behind the name belongs to the same call; a later one is kept")
  void lateId() throws InterruptedException {
    String named = "{'tool_calls':[{'index':0,'function':{'name':'a','arguments':'1'}}]}";
    String id = "{'tool_calls':[{'index':0,'id':'x','function':{'arguments':'2'}}]}";
    String again = "{'tool_calls':[{'index':0,'function':{'arguments':'3'}}]}";
    assertThat(answer(delta(named), delta(id), delta(again), END).message().toolCalls())
        .containsExactly(new ToolCall("x", "a", "123"));
  }

  @Test
  @DisplayName("B23: calls whose pieces come interleaved are told apart by their index")
  void interleaved() throws InterruptedException {
    String both =
        "{'tool_calls':[{'index':0,'id':'x','function':{'name':'a','arguments':'1'}},"
            + "{'index':1,'id':'y','function':{'name':'b','arguments':'2'}}]}";
    String more =
        "{'tool_calls':[{'index':0,'function':{'arguments':'3'}},"
            + "{'index':1,'function':{'arguments':'4'}}]}";
    assertThat(answer(delta(both), delta(more), end("tool_calls")).message().toolCalls())
        .containsExactly(new ToolCall("x", "a", "13"), new ToolCall("y", "b", "24"));
  }

  @Test
  @DisplayName("an answer in one piece is whole without a reason to stop, and its usage counts")
  void document() throws InterruptedException {
    String document =
        "{'choices':[{'message':{'content':'hi'}}],'usage':{'prompt_tokens':3},'other':1}";
    CallResult.Answer answer = answer(document.replace('\'', '"'));
    assertThat(answer.message().text()).isEqualTo("hi");
    assertThat(answer.stop()).isEqualTo(StopReason.END);
    assertThat(answer.usage()).isEqualTo(new Usage(3, 0, 0, 0));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{'choices':[{'delta':{'content':7,'tool_calls':'none'},'finish_reason':null}]}",
        "{'choices':[{'delta':null}],'usage':[]}",
        "{'choices':[{}],'unknown':{'a':[1]}}",
        "{'choices':[{'delta':{'tool_calls':[]}}],'id':7,'created':'now'}",
      })
  @DisplayName(
      "fields of a strange type, unknown and missing ones leave the rest of an answer whole")
  void strange(String chunk) throws InterruptedException {
    CallResult.Answer answer = answer(TEXT, event(chunk), END);
    assertThat(answer.message().text()).isEqualTo("x");
    assertThat(answer.message().toolCalls()).isEmpty();
  }
}
