package dev.holdfast.llm;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.testing.ModelBehaviour;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What servers send that speak OpenAI's chat completions nearly. */
class CompatibleServersTest extends ProviderFixture {
  private static String event(String json) {
    return "data: " + json.replace('\'', '"') + "\n\n";
  }

  private static String delta(String json) {
    return event("{'choices':[{'delta':" + json + "}]}");
  }

  private static String end(String reason) {
    return event("{'choices':[{'delta':{},'finish_reason':'" + reason + "'}]}");
  }

  private List<ToolCall> calls(String... events) throws InterruptedException {
    models.next(ModelBehaviour.rawStream(String.join("", events)));
    return answered(Vendor.OPENAI).message().toolCalls();
  }

  @Test
  @DisplayName("tool calls whole in one chunk, without index and id, said to end with stop")
  void wholeCalls() throws InterruptedException {
    String both =
        "{'tool_calls':[{'function':{'name':'a','arguments':'{}'}},"
            + "{'function':{'name':'b','arguments':'[1]'}}]}";
    models.next(ModelBehaviour.rawStream(delta(both) + end("stop")));
    CallResult.Answer answer = answered(Vendor.OPENAI);
    assertThat(answer.stop()).isEqualTo(StopReason.TOOL_CALLS);
    assertThat(answer.message().toolCalls()).extracting(ToolCall::name).containsExactly("a", "b");
    assertThat(answer.message().toolCalls())
        .extracting(ToolCall::id)
        .doesNotHaveDuplicates()
        .allMatch(id -> id.startsWith("call_"));
  }

  @Test
  @DisplayName("calls that all have index 0 are told apart by their ids")
  void sameIndex() throws InterruptedException {
    List<ToolCall> calls =
        calls(
            delta("{'tool_calls':[{'index':0,'id':'x','function':{'name':'a','arguments':'1'}}]}"),
            delta("{'tool_calls':[{'index':0,'id':'y','function':{'name':'b','arguments':'2'}}]}"),
            end("tool_calls"));
    assertThat(calls).containsExactly(new ToolCall("x", "a", "1"), new ToolCall("y", "b", "2"));
  }

  @ParameterizedTest
  @CsvSource({"'', ''", "x, ''", "'', y"})
  @DisplayName("whole calls that all have index 0 are told apart where an id is missing (Gemini)")
  void sameIndexWithoutId(String first, String second) throws InterruptedException {
    List<ToolCall> calls =
        calls(
            delta(
                "{'tool_calls':[{'index':0,'id':'%s','function':{'name':'list_files',"
                        .formatted(first)
                    + "'arguments':'{}'}}]}"),
            delta(
                "{'tool_calls':[{'index':0,'id':'%s','function':{'name':'grep',".formatted(second)
                    + "'arguments':'{\\'pattern\\':1}'}}]}".replace("\\'", "\\\"")),
            end("tool_calls"));
    assertThat(calls).extracting(ToolCall::name).containsExactly("list_files", "grep");
    assertThat(calls).extracting(ToolCall::arguments).containsExactly("{}", "{\"pattern\":1}");
    assertThat(calls).extracting(ToolCall::id).doesNotHaveDuplicates();
  }

  @Test
  @DisplayName("a name in pieces, and pieces that repeat the id, are of one call")
  void nameInPieces() throws InterruptedException {
    List<ToolCall> calls =
        calls(
            delta("{'tool_calls':[{'index':0,'id':'x','function':{'name':'read_'}}]}"),
            delta("{'tool_calls':[{'index':0,'id':'','function':{'name':'file'}}]}"),
            delta("{'tool_calls':[{'index':0,'id':'x','function':{'arguments':'{}'}}]}"),
            delta("{'tool_calls':[{'index':0,'id':'','function':{'name':'','arguments':' '}}]}"),
            end("tool_calls"));
    assertThat(calls).containsExactly(new ToolCall("x", "read_file", "{} "));
  }

  @Test
  @DisplayName("a name that comes again with each piece is one name (MiniMax through NVIDIA)")
  void nameInEachPiece() throws InterruptedException {
    String piece = "{'tool_calls':[{'index':0,'id':'x','function':{'name':'a','arguments':'%s'}}]}";
    List<ToolCall> calls =
        calls(
            delta(piece.formatted("")),
            delta(piece.formatted("1")),
            delta(piece.formatted("2")),
            end("tool_calls"));
    assertThat(calls).containsExactly(new ToolCall("x", "a", "12"));
  }

  @Test
  @DisplayName("pieces without a name belong to the call of their index, whatever their id is")
  void idInEachPiece() throws InterruptedException {
    List<ToolCall> calls =
        calls(
            delta("{'tool_calls':[{'index':0,'id':'x','function':{'name':'a','arguments':''}}]}"),
            delta("{'tool_calls':[{'index':0,'id':'y','function':{'arguments':'1'}}]}"),
            delta("{'tool_calls':[{'index':0,'id':'z','function':{'arguments':'2'}}]}"),
            end("tool_calls"));
    assertThat(calls).containsExactly(new ToolCall("x", "a", "12"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"'index':0,", ""})
  @DisplayName("whole calls that all have the same id are told apart, with or without an index")
  void sameId(String index) throws InterruptedException {
    String call = "{" + index + "'id':'x','function':{'name':'a','arguments':{'n':%s}}}";
    List<ToolCall> calls =
        calls(
            delta("{'tool_calls':[" + call.formatted(1) + "," + call.formatted(2) + "]}"),
            end("tool_calls"));
    assertThat(calls).extracting(ToolCall::name).containsExactly("a", "a");
    assertThat(calls).extracting(ToolCall::arguments).containsExactly("{\"n\":1}", "{\"n\":2}");
    assertThat(calls).extracting(ToolCall::id).doesNotHaveDuplicates();
  }

  @ParameterizedTest
  @ValueSource(strings = {"'index':0,", ""})
  @DisplayName("calls of one tool without ids that each begin with its name alone are told apart")
  void sameNameAlone(String index) throws InterruptedException {
    String name = "{'tool_calls':[{" + index + "'function':{'name':'a','arguments':''}}]}";
    String arguments = "{'tool_calls':[{" + index + "'function':{'arguments':'{\\'n\\':%s}'}}]}";
    List<ToolCall> calls =
        calls(
            delta(name),
            delta(arguments.formatted(1)),
            delta(name),
            delta(arguments.formatted(2)),
            delta(name),
            end("tool_calls"));
    assertThat(calls).extracting(ToolCall::name).containsExactly("a", "a");
    assertThat(calls).extracting(ToolCall::arguments).containsExactly("{\"n\":1}", "{\"n\":2}");
  }

  @Test
  @DisplayName("pieces without index belong to the call before; an id that repeats is the same one")
  void piecesWithoutIndex() throws InterruptedException {
    List<ToolCall> calls =
        calls(
            delta("{'tool_calls':[{'id':'x','function':{'name':'a','arguments':'1'}}]}"),
            delta("{'tool_calls':[{'id':'x','function':{'arguments':'2'}}]}"),
            delta("{'tool_calls':[{'function':{'arguments':'3'}}]}"),
            end("tool_calls"));
    assertThat(calls).containsExactly(new ToolCall("x", "a", "123"));
  }

  @Test
  @DisplayName("arguments that are an object, not the text of one, are the same arguments")
  void argumentsAsObject() throws InterruptedException {
    List<ToolCall> calls =
        calls(
            delta(
                "{'tool_calls':[{'index':0,'id':'x','function':{'name':'a','arguments':"
                    + "{'path':'a b','lines':[1,2.0],'all':null}}}]}"),
            end("tool_calls"));
    assertThat(calls)
        .containsExactly(
            new ToolCall("x", "a", "{\"path\":\"a b\",\"lines\":[1,2.0],\"all\":null}"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      textBlock =
          """
          "{\\"a\\":1}"  | {"a":1}
          "{\\"a\\":"    | "{\\"a\\":"
          "a"            | "a"
          """)
  @DisplayName("arguments that are the text of the text of an object are that object (vLLM)")
  void argumentsTwiceAsText(String sent, String meant) throws InterruptedException {
    String text = JsonMapper.shared().writeValueAsString(sent);
    models.next(
        ModelBehaviour.rawStream(
            "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"id\":\"x\",\"function\":"
                + "{\"name\":\"a\",\"arguments\":"
                + text
                + "}}]}}]}\n\n"
                + end("tool_calls")));
    assertThat(answered(Vendor.OPENAI).message().toolCalls())
        .containsExactly(new ToolCall("x", "a", meant));
  }

  @Test
  @DisplayName("a text in parts is one text, what was thought before it apart (Mistral)")
  void parts() throws InterruptedException {
    models.next(
        ModelBehaviour.rawStream(
            delta("{'content':[{'type':'thinking','thinking':[{'type':'text','text':'h'}]}]}")
                + delta("{'content':[{'type':'thinking','thinking':'m'}]}")
                + delta("{'content':[{'type':'text','text':'a'},{'type':'reference'},7,null]}")
                + delta("{'content':'b'}")
                + end("stop")));
    Message.Assistant message = answered(Vendor.OPENAI).message();
    assertThat(message.reasoning()).isEqualTo("hm");
    assertThat(message.text()).isEqualTo("ab");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          <think>draft <a> </b></think>so       | draft <a> </b> | so
          ~<think>~hm~</think>~~so~              | ~hm~           | so~
          <think></think>so                      | ''             | so
          <think>never ended </th                | never ended </th | ''
          so <think>no</think>                   | ''             | so <think>no</think>
          ~draft~</think>~~so~                   | ~draft~        | so~
          </think>so                             | ''             | so
          it ends with </think>, says he         | ''             | it ends with </think>, says he
          so <think>~no~</think>~                | ''             | so <think>~no~</think>~
          ' <thin'                               | ''             | ' <thin'
          '<thought>x'                           | ''             | '<thought>x'
          """)
  @DisplayName("thoughts in tags before the answer are none of it, wherever the pieces are cut")
  void thinkTags(String sent, String thought, String text) throws InterruptedException {
    for (int cut = 0; cut <= sent.length(); cut++) {
      int second = Math.min(sent.length(), cut + 3);
      models.next(
          ModelBehaviour.rawStream(
              content(sent, 0, cut)
                  + content(sent, cut, second)
                  + content(sent, second, sent.length())
                  + end("stop")));
      Message.Assistant message = answered(Vendor.OPENAI).message();
      assertThat(message.reasoning()).isEqualTo(thought.replace('~', '\n'));
      assertThat(message.text()).isEqualTo(text.replace('~', '\n'));
    }
  }

  private static String content(String text, int from, int to) {
    return delta("{'content':'" + text.substring(from, to).replace("~", "\\n") + "'}");
  }

  @ParameterizedTest
  @ValueSource(strings = {"reasoning_content", "reasoning"})
  @DisplayName("reasoning stands in either field; null fields are no text")
  void reasoning(String field) throws InterruptedException {
    models.next(
        ModelBehaviour.rawStream(
            delta("{'" + field + "':'hm','content':null}")
                + delta("{'" + field + "':null,'content':'so','tool_calls':null}")
                + end("stop")));
    Message.Assistant message = answered(Vendor.OPENAI).message();
    assertThat(message.reasoning()).isEqualTo("hm");
    assertThat(message.text()).isEqualTo("so");
  }

  /** Refuses an answer with calls that lacks what stands at the pointer, as a thinking model's. */
  private void demand(String pointer, String wanted) {
    models.always(
        ModelBehaviour.choose(
            asked -> {
              for (JsonNode message : asked.body().path("messages")) {
                if (message.has("tool_calls") && !message.at(pointer).asString("").equals(wanted)) {
                  return ModelBehaviour.error(400, "invalid_request_error", pointer + " missing");
                }
              }
              return ModelBehaviour.answer("on it goes");
            }));
  }

  private CallResult goOn(String provider, Message... conversation) throws InterruptedException {
    ProviderSettings settings =
        new ProviderSettings(provider, models.openAiUrl(), List.of("secret-1"), Prices.NONE);
    return opened(Vendor.OPENAI.on(settings, wire::add))
        .call(request(LONG, List.of(conversation)), StreamListener.NONE);
  }

  private static Message result(String id) {
    return new Message.ToolResult(id, "a", "done", false);
  }

  @Test
  @DisplayName("reasoning of an answer with calls goes back to its provider (DeepSeek)")
  void reasoningGoesBack() throws InterruptedException {
    Message.Assistant thought = withCall("reasoning_content");
    demand("/reasoning_content", "hm");

    Message user = new Message.User("go");
    assertThat(goOn("OPENAI", user, thought, result("x"))).isInstanceOf(CallResult.Answer.class);
    assertThat(goOn("other", user, thought, result("x"))).isInstanceOf(CallResult.Failed.class);
    assertThat(models.lastRequest().body().toString()).doesNotContain("hm");
  }

  private Message.Assistant withCall(String field) throws InterruptedException {
    models.next(
        ModelBehaviour.rawStream(
            delta("{'" + field + "':'h'}")
                + delta("{'" + field + "':'m'}")
                + delta("{'tool_calls':[{'id':'x','function':{'name':'a','arguments':'{}'}}]}")
                + end("tool_calls")));
    return answered(Vendor.OPENAI).message();
  }

  @Test
  @DisplayName(
      "reasoning stays here where the answer has no calls (deepseek-reasoner refuses it), or where"
          + " it came in another field (Groq refuses that)")
  void reasoningStays() throws InterruptedException {
    models.next(
        ModelBehaviour.rawStream(
            delta("{'reasoning_content':'hm'}") + delta("{'content':'so'}") + end("stop")));
    Message.Assistant plain = answered(Vendor.OPENAI).message();
    Message.Assistant elsewhere = withCall("reasoning");
    models.always(ModelBehaviour.answer("on it goes"));

    Message user = new Message.User("go");
    goOn("OPENAI", user, plain, elsewhere, result("x"));

    assertThat(plain.reasoning() + elsewhere.reasoning()).isEqualTo("hmhm");
    assertThat(models.lastRequest().body().toString()).doesNotContain("hm", "reasoning");
  }

  @Test
  @DisplayName(
      "an answer of another model beside reasoned ones says that its reasoning is left out")
  void reasoningLeftOut() throws InterruptedException {
    models.next(
        ModelBehaviour.rawStream(
            delta("{'reasoning_content':'hm'}")
                + delta("{'tool_calls':[{'id':'x','function':{'name':'a','arguments':'{}'}}]}")
                + end("tool_calls")));
    Message.Assistant thought = answered(Vendor.OPENAI).message();
    Message.Assistant other = new Message.Assistant("", List.of(new ToolCall("y", "a", "{}")));

    goOn("OPENAI", new Message.User("go"), other, result("y"), thought, result("x"));

    JsonNode messages = models.lastRequest().body().path("messages");
    assertThat(messages.at("/1/reasoning_content").asString("")).isEqualTo("(left out)");
    assertThat(messages.at("/3/reasoning_content").asString("")).isEqualTo("hm");
  }

  @Test
  @DisplayName("what stands beside a call goes back to its provider (Gemini's thought_signature)")
  void signatureGoesBack() throws InterruptedException {
    models.next(
        ModelBehaviour.rawStream(
            delta(
                    "{'tool_calls':[{'index':0,'id':'','function':{'name':'a','arguments':'{}'},"
                        + "'extra_content':{'google':{'thought_signature':'c2ln'}}}]}")
                + delta(
                    "{'tool_calls':[{'index':0,'id':'y','function':{'name':'a','arguments':'{}'}}]}")
                + end("tool_calls")));
    Message.Assistant signed = answered(Vendor.OPENAI).message();
    demand("/tool_calls/0/extra_content/google/thought_signature", "c2ln");

    String id = signed.toolCalls().getFirst().id();
    Message user = new Message.User("go");
    assertThat(goOn("OPENAI", user, signed, result(id), result("y")))
        .isInstanceOf(CallResult.Answer.class);
    assertThat(models.lastRequest().body().at("/messages/1/tool_calls/1").has("extra_content"))
        .isFalse();
    assertThat(goOn("other", user, signed, result(id), result("y")))
        .isInstanceOf(CallResult.Failed.class);
  }

  @Test
  @DisplayName(
      "reasoning in parts of an answer with calls goes back to its provider whole (OpenRouter)")
  void reasoningDetailsGoBack() throws InterruptedException {
    String call = "{'index':0,'id':'x','function':{'name':'a','arguments':'{}'}}";
    models.next(
        ModelBehaviour.rawStream(
            delta("{'reasoning_details':[{'type':'reasoning.text','index':0,'text':'h'}]}")
                + delta("{'reasoning_details':[{'type':'reasoning.text','index':0,'text':'m'}]}")
                + delta(
                    "{'reasoning_details':[{'type':'reasoning.text','index':0,'text':null,"
                        + "'signature':'s'}]}")
                + delta(
                    "{'tool_calls':["
                        + call
                        + "],'reasoning_details':[{'type':'reasoning.encrypted','index':1,"
                        + "'id':'x','data':'c2ln'}]}")
                + end("tool_calls")));
    Message.Assistant thought = answered(Vendor.OPENAI).message();
    models.always(ModelBehaviour.answer("on it goes"));

    Message user = new Message.User("go");
    goOn("OPENAI", user, thought, result("x"));
    JsonNode back = models.lastRequest().body().at("/messages/1/reasoning_details");
    goOn("other", user, thought, result("x"));

    assertThat(back)
        .isEqualTo(
            JsonMapper.shared()
                .readTree(
                    """
                    [{"type": "reasoning.text", "index": 0, "text": "hm", "signature": "s"},
                     {"type": "reasoning.encrypted", "index": 1, "id": "x", "data": "c2ln"}]
                    """));
    assertThat(models.lastRequest().body().toString()).doesNotContain("c2ln");
  }

  @Test
  @DisplayName("a call without a signature beside signed ones has the mark of one")
  void signatureSkipped() throws InterruptedException {
    models.next(
        ModelBehaviour.rawStream(
            delta(
                    "{'tool_calls':[{'index':0,'id':'x','function':{'name':'a','arguments':'{}'},"
                        + "'extra_content':{'google':{'thought_signature':'c2ln'}}}]}")
                + end("tool_calls")));
    Message.Assistant signed = answered(Vendor.OPENAI).message();
    Message.Assistant other = new Message.Assistant("", List.of(new ToolCall("y", "a", "{}")));

    Message.Assistant unsigned = new Message.Assistant("", "", other.toolCalls(), signed.opaque());

    goOn(
        "OPENAI",
        new Message.User("go"),
        other,
        result("y"),
        signed,
        result("x"),
        unsigned,
        result("y"));

    String at = "/tool_calls/0/extra_content/google/thought_signature";
    JsonNode messages = models.lastRequest().body().path("messages");
    assertThat(messages.path(1).at(at).asString("")).isEqualTo("skip_thought_signature_validator");
    assertThat(messages.path(3).at(at).asString("")).isEqualTo("c2ln");
    assertThat(messages.path(5).at(at).asString(""))
        .as("whose first call was dropped")
        .isEqualTo("skip_thought_signature_validator");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{'choices':[],'usage':{'prompt_tokens':10,'completion_tokens':2,"
            + "'prompt_tokens_details':{'cached_tokens':4}}}",
        "{'choices':[],'usage':{'prompt_tokens':10,'completion_tokens':2,"
            + "'prompt_cache_hit_tokens':4}}",
        "{'choices':[{'delta':{},'usage':{'prompt_tokens':10,'completion_tokens':2,"
            + "'cached_tokens':4}}]}",
        "{'choices':[],'x_groq':{'usage':{'prompt_tokens':10,'completion_tokens':2,"
            + "'cached_tokens':4}}}",
      })
  @DisplayName("the usage is found wherever it stands")
  void usage(String chunk) throws InterruptedException {
    models.next(ModelBehaviour.rawStream(delta("{'content':'x'}") + end("stop") + event(chunk)));
    assertThat(answered(Vendor.OPENAI).usage()).isEqualTo(new Usage(6, 4, 0, 2));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      textBlock =
          """
          'error':{'code':502,'message':'Upstream idle'} | MODEL_ERROR | 502 | Upstream idle
          'error':{'code':429,'message':'Slow down'}     | RATE_LIMIT  | 429 | Slow down
          'error':null                                   | MODEL_ERROR |     | finish_reason "error"
          """)
  @DisplayName("an answer that ends in an error, told beside its text, is an error (OpenRouter)")
  void errorOfChoice(String error, FailureKind kind, @Nullable Integer status, String words)
      throws InterruptedException {
    models.next(
        ModelBehaviour.rawStream(
            event("{'choices':[{'delta':{'content':'ha'},'finish_reason':'error'," + error + "}]}")
                + event("[DONE]")));
    CallResult.Failed failed =
        (CallResult.Failed) provider(Vendor.OPENAI).call(request(), StreamListener.NONE);
    assertThat(failed.kind()).isEqualTo(kind);
    assertThat(failed.retryable()).isTrue();
    assertThat(failed.httpStatus()).isEqualTo(status);
    assertThat(failed.message()).startsWith("error within the answer").contains(words);
  }

  @ParameterizedTest
  @ValueSource(strings = {"null", "''", "false"})
  @DisplayName("a chunk whose place for an error is empty is a chunk as any other")
  void emptyError(String error) throws InterruptedException {
    models.next(
        ModelBehaviour.rawStream(
            event("{'error':" + error + ",'choices':[{'delta':{'content':'a'}}]}") + end("stop")));
    assertThat(answered(Vendor.OPENAI).message().text()).isEqualTo("a");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "null",
        "{}",
        "{'choices':[null]}",
        "{'choices':[{'delta':null}]}",
        "{'choices':[{'delta':{'content':null,'tool_calls':[null]},'finish_reason':''}]}",
      })
  @DisplayName("an event without anything in it, as some keep connections alive, does no harm")
  void emptyEvent(String json) throws InterruptedException {
    models.next(
        ModelBehaviour.rawStream(
            delta("{'content':'a'}") + event(json) + delta("{'content':'b'}") + end("stop")));
    assertThat(answered(Vendor.OPENAI).message().text()).isEqualTo("ab");
  }

  @Test
  @DisplayName("a stream that begins with a byte order mark keeps its first event")
  void byteOrderMark() throws InterruptedException {
    models.next(
        ModelBehaviour.rawStream(
            "\uFEFF" + delta("{'content':'a'}") + delta("{'content':'b'}") + end("stop")));
    assertThat(answered(Vendor.OPENAI).message().text()).isEqualTo("ab");
  }

  @Test
  @DisplayName("without usage, roles, ids and [DONE] it is an answer as well")
  void bare() throws InterruptedException {
    models.next(ModelBehaviour.rawStream(delta("{'content':'x'}") + end("stop")));
    CallResult.Answer answer = answered(Vendor.OPENAI);
    assertThat(answer.message().text()).isEqualTo("x");
    assertThat(answer.usage()).isEqualTo(Usage.NONE);
  }

  @Test
  @DisplayName("[DONE] ends an answer as well where no reason is named; without both it was cut")
  void doneWithoutReason() throws InterruptedException {
    String call =
        delta("{'tool_calls':[{'index':0,'id':'x','function':{'name':'a','arguments':'{}'}}]}");
    models.next(ModelBehaviour.rawStream(call + event("[DONE]")), ModelBehaviour.rawStream(call));
    CallResult.Answer answer = answered(Vendor.OPENAI);
    assertThat(answer.stop()).isEqualTo(StopReason.TOOL_CALLS);
    assertThat(answer.message().toolCalls()).containsExactly(new ToolCall("x", "a", "{}"));
    assertThat(provider(Vendor.OPENAI).call(request(), StreamListener.NONE))
        .isInstanceOf(CallResult.Failed.class);
  }

  @Test
  @DisplayName("an end that is named '' in each event is none: an answer that is cut is not whole")
  void cutWhereEndsAreEmpty() throws InterruptedException {
    String half =
        event(
            "{'choices':[{'delta':{'content':'half an'},'finish_reason':''}],"
                + "'usage':{'prompt_tokens':9,'completion_tokens':2}}");
    models.next(ModelBehaviour.cutStream(half));
    assertThat(provider(Vendor.OPENAI).call(request(), StreamListener.NONE))
        .isInstanceOf(CallResult.Failed.class);
  }

  @Test
  @DisplayName("a server that does not stream is understood as well")
  void document() throws InterruptedException {
    String body =
        "{'choices':[{'message':{'role':'assistant','content':'hi','tool_calls':[{'id':'x',"
            + "'type':'function','function':{'name':'a','arguments':'{}'}}]},"
            + "'finish_reason':'tool_calls'}],'usage':{'prompt_tokens':3,'completion_tokens':1}}";
    models.next(ModelBehaviour.status(200, Map.of(), body.replace('\'', '"')));
    CallResult.Answer answer = answered(Vendor.OPENAI);
    assertThat(answer.message().text()).isEqualTo("hi");
    assertThat(answer.message().toolCalls()).containsExactly(new ToolCall("x", "a", "{}"));
    assertThat(answer.usage()).isEqualTo(new Usage(3, 0, 0, 1));
  }

  @Test
  @DisplayName("a tool that is none has a name that servers take; their own ids go back unchanged")
  void strangeCall() throws InterruptedException {
    String id = "functions.multi_tool_use.parallel:0";
    provider(Vendor.OPENAI)
        .call(
            request(
                LONG,
                List.of(
                    new Message.User("go"),
                    new Message.Assistant(
                        "", List.of(new ToolCall(id, "multi_tool_use.parallel", "{}"))),
                    new Message.ToolResult(id, "multi_tool_use.parallel", "no", true))),
            StreamListener.NONE);
    JsonNode messages = models.lastRequest().body().path("messages");
    JsonNode call = messages.path(1).path("tool_calls").path(0);
    assertThat(call.path("function").path("name").asString())
        .matches("multi_tool_use_parallel_[0-9a-f]{8}");
    assertThat(call.path("id").asString()).isEqualTo(id);
    assertThat(messages.path(2).path("tool_call_id").asString()).isEqualTo(id);
  }

  @Test
  @DisplayName("ids are nine letters and digits where the model is Mistral's; its own stay")
  void mistralIds() throws InterruptedException {
    Message.Assistant others =
        new Message.Assistant(
            "", List.of(new ToolCall("call_123", "a", "{}"), new ToolCall("D681PevKs", "a", "{}")));
    provider(Vendor.OPENAI)
        .call(
            new ChatRequest(
                "mistral-large-latest",
                "",
                List.of(new Message.User("go"), others, result("D681PevKs"), result("call_123")),
                List.of(),
                ToolChoice.AUTO,
                null,
                LONG),
            StreamListener.NONE);
    JsonNode messages = models.lastRequest().body().path("messages");
    String renamed = messages.at("/1/tool_calls/0/id").asString("");
    assertThat(renamed).matches("[a-zA-Z0-9]{9}");
    assertThat(messages.at("/1/tool_calls/1/id").asString("")).isEqualTo("D681PevKs");
    assertThat(messages.at("/2/tool_call_id").asString("")).isEqualTo(renamed);
    assertThat(messages.at("/3/tool_call_id").asString("")).isEqualTo("D681PevKs");
  }

  @ParameterizedTest
  @CsvSource({
    "m-1, user assistant tool user",
    "mistral-large-latest, user assistant tool assistant user",
    "mistralai/Devstral-Small-2507, user assistant tool assistant user",
  })
  @DisplayName("a word behind a result stands behind an answer where the model is Mistral's")
  void wordsBehindResults(String model, String roles) throws InterruptedException {
    List<Message> said =
        List.of(
            new Message.User("go"),
            new Message.Assistant("", List.of(new ToolCall("x", "a", "{}"))),
            result("x"),
            new Message.User("now report"));
    provider(Vendor.OPENAI)
        .call(
            new ChatRequest(model, "", said, List.of(), ToolChoice.AUTO, null, LONG),
            StreamListener.NONE);
    assertThat(
            models
                .lastRequest()
                .body()
                .path("messages")
                .valueStream()
                .map(each -> each.path("role").asString())
                .toList())
        .containsExactly(roles.split(" "));
  }

  @Test
  @DisplayName("the request has the shape of chat completions and asks for the usage")
  void requestShape() throws InterruptedException {
    JsonNode schema = JsonMapper.shared().readTree("{\"type\":\"object\",\"properties\":{}}");
    provider(Vendor.OPENAI)
        .call(
            new ChatRequest(
                "m-1",
                "be brief",
                List.of(
                    new Message.User("go"),
                    new Message.Assistant("", List.of(new ToolCall("x", "a", "{\"n\":1.0}"))),
                    new Message.ToolResult("x", "a", "done", false)),
                List.of(new ToolSpec("a", "does a", schema)),
                ToolChoice.REQUIRED,
                77,
                LONG),
            StreamListener.NONE);
    JsonNode expected =
        JsonMapper.shared()
            .readTree(
                """
                {"model": "m-1", "stream": true, "stream_options": {"include_usage": true},
                 "max_tokens": 77, "tool_choice": "required",
                 "tools": [{"type": "function", "function": {"name": "a",
                   "description": "does a", "parameters": {"type": "object", "properties": {}}}}],
                 "messages": [
                   {"role": "system", "content": "be brief"},
                   {"role": "user", "content": "go"},
                   {"role": "assistant", "tool_calls": [{"id": "x",
                     "type": "function", "function": {"name": "a", "arguments": "{\\"n\\":1.0}"}}]},
                   {"role": "tool", "tool_call_id": "x", "content": "done"}]}
                """);
    assertThat(models.lastRequest().body()).isEqualTo(expected);
    assertThat(models.lastRequest().path()).isEqualTo("/v1/chat/completions");
  }
}
