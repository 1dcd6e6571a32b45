package dev.holdfast.llm;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.testing.ModelBehaviour;
import dev.holdfast.testing.ModelReply;
import dev.holdfast.ticket.StorableText;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The rules of Anthropic's conversations, on what really goes over the wire. */
class AnthropicShapeTest extends ProviderFixture {
  private static final JsonMapper JSON = JsonMapper.shared();

  /** By a version that did not name the provider. */
  private static final String OLDER =
      "{\"anthropic\":[{\"type\":\"thinking\",\"thinking\":\"hm\",\"signature\":\"s\"}]}";

  private JsonNode sent(List<Message> conversation) throws InterruptedException {
    provider(Vendor.ANTHROPIC).call(request(LONG, conversation), StreamListener.NONE);
    return models.lastRequest().body();
  }

  @Test
  @DisplayName(
      "results stand together behind their calls, cache marks on system, tools and the end")
  void wholeRequest() throws InterruptedException {
    JsonNode schema = JSON.readTree("{\"type\":\"object\",\"properties\":{}}");
    ToolCall one = new ToolCall("x", "a", "{\"n\":1}");
    ToolCall two = new ToolCall("y", "b", "no json");
    provider(Vendor.ANTHROPIC)
        .call(
            new ChatRequest(
                "m-1",
                "be brief",
                List.of(
                    new Message.User("go"),
                    new Message.Assistant("I will", List.of(one, two)),
                    new Message.ToolResult("y", "b", "broke", true),
                    new Message.ToolResult("x", "a", "done", false),
                    new Message.User("and now?")),
                List.of(new ToolSpec("a", "does a", schema), new ToolSpec("b", "does b", schema)),
                ToolChoice.REQUIRED,
                null,
                LONG),
            StreamListener.NONE);
    JsonNode expected =
        JSON.readTree(
            """
            {"model": "m-1", "stream": true, "max_tokens": 8192, "tool_choice": {"type": "any"},
             "system": [{"type": "text", "text": "be brief",
               "cache_control": {"type": "ephemeral"}}],
             "tools": [
               {"name": "a", "description": "does a",
                "input_schema": {"type": "object", "properties": {}}},
               {"name": "b", "description": "does b",
                "input_schema": {"type": "object", "properties": {}},
                "cache_control": {"type": "ephemeral"}}],
             "messages": [
               {"role": "user", "content": [{"type": "text", "text": "go"}]},
               {"role": "assistant", "content": [
                 {"type": "text", "text": "I will"},
                 {"type": "tool_use", "id": "x", "name": "a", "input": {"n": 1}},
                 {"type": "tool_use", "id": "y", "name": "b",
                  "input": {"malformed_arguments": "no json"}}]},
               {"role": "user", "content": [
                 {"type": "tool_result", "tool_use_id": "x", "content": "done"},
                 {"type": "tool_result", "tool_use_id": "y", "content": "broke",
                  "is_error": true},
                 {"type": "text", "text": "and now?", "cache_control": {"type": "ephemeral"}}]}]}
            """);
    assertThat(models.lastRequest().body()).isEqualTo(expected);
    assertThat(models.lastRequest().path()).isEqualTo("/v1/messages");
    assertThat(models.lastRequest().headers()).containsEntry("x-api-key", "secret-1");
  }

  @ParameterizedTest
  @EnumSource(Vendor.class)
  @DisplayName(
      "half of a character, where a text was cut, is sent to no vendor: it is no JSON to it")
  void halfCharacter(Vendor vendor) throws InterruptedException {
    String half = "rocket \ud83d";
    provider(vendor)
        .call(
            request(
                LONG,
                List.of(
                    new Message.User(half),
                    new Message.Assistant(
                        half, List.of(new ToolCall("x", "a", "{\"n\": \"" + half + "\"}"))),
                    new Message.ToolResult("x", "a", "\ude80 whole: \ud83d\ude80", false))),
            StreamListener.NONE);
    String body = models.lastRequest().body().toString();
    assertThat(body).isEqualTo(StorableText.of(body)).contains("rocket ", "whole: \ud83d\ude80");
  }

  @Test
  @DisplayName(
      "names and ids that Anthropic refuses are replaced, the same of a call and its result")
  void strangeCall() throws InterruptedException {
    JsonNode messages =
        sent(List.of(
                new Message.User("go"),
                new Message.Assistant(
                    "", List.of(new ToolCall("functions.a:0", "multi_tool_use.parallel", "{}"))),
                new Message.ToolResult("functions.a:0", "multi_tool_use.parallel", "no", true)))
            .path("messages");
    JsonNode use = messages.path(1).path("content").path(0);
    JsonNode result = messages.path(2).path("content").path(0);
    assertThat(use.path("name").asString()).matches("multi_tool_use_parallel_[0-9a-f]{8}");
    assertThat(use.path("id").asString()).matches("functions_a_0_[0-9a-f]{8}");
    assertThat(result.path("tool_use_id")).isEqualTo(use.path("id"));
    assertThat(result.path("content").asString()).isEqualTo("no");
  }

  @Test
  @DisplayName("signed thinking goes back unchanged to Anthropic, and to nobody else")
  void thinking() throws InterruptedException {
    models.next(
        ModelBehaviour.answer(
            ModelReply.calls(new ToolCall("x", "a", "{}")).withText("so").withReasoning("hm")));
    Message.Assistant thought = answered(Vendor.ANTHROPIC).message();
    assertThat(thought.opaque()).isNotNull();
    List<Message> conversation =
        List.of(new Message.User("go"), thought, new Message.ToolResult("x", "a", "done", false));
    assertThat(sent(conversation).path("messages").path(1).path("content"))
        .isEqualTo(
            JSON.readTree(
                """
                [{"type": "thinking", "thinking": "hm", "signature": "c2lnbmVk"},
                 {"type": "text", "text": "so"},
                 {"type": "tool_use", "id": "x", "name": "a", "input": {}}]
                """));
    provider(Vendor.OPENAI).call(request(LONG, conversation), StreamListener.NONE);
    assertThat(models.lastRequest().body().toString()).doesNotContain("c2lnbmVk", "hm");
  }

  @ParameterizedTest
  @ValueSource(strings = {"c2lnbmVk", ""})
  @DisplayName(
      "thinking of one server is left out for another one that speaks the same (imitators)")
  void thinkingOfAnother(String signature) throws InterruptedException {
    models.next(
        ModelBehaviour.rawStream(
            event("message_start", "'message':{'role':'assistant','content':[]}")
                + event(
                    "content_block_start",
                    "'index':0,'content_block':{'type':'thinking','thinking':'','signature':''}")
                + event(
                    "content_block_delta",
                    "'index':0,'delta':{'type':'thinking_delta','thinking':'hm'}")
                + event(
                    "content_block_delta",
                    "'index':0,'delta':{'type':'signature_delta','signature':'%s'}"
                        .formatted(signature))
                + event("content_block_stop", "'index':0")
                + event(
                    "content_block_start",
                    "'index':1,'content_block':{'type':'tool_use','id':'x','name':'a','input':{}}")
                + event("content_block_stop", "'index':1")
                + event("message_delta", "'delta':{'stop_reason':'tool_use'}")
                + event("message_stop", "'end':true")));
    Message.Assistant thought = answered(Vendor.ANTHROPIC).message();
    List<Message> conversation =
        List.of(new Message.User("go"), thought, new Message.ToolResult("x", "a", "done", false));

    ProviderSettings other =
        new ProviderSettings("other", models.anthropicUrl(), List.of("secret-1"), Prices.NONE);
    opened(Vendor.ANTHROPIC.on(other, wire::add))
        .call(request(LONG, conversation), StreamListener.NONE);

    assertThat(models.lastRequest().body().at("/messages/1/content").toString())
        .isEqualTo("[{\"type\":\"tool_use\",\"id\":\"x\",\"name\":\"a\",\"input\":{}}]");
    assertThat(sent(conversation).at("/messages/1/content/0").toString())
        .as("its own server gets it as it came")
        .isEqualTo(
            "{\"type\":\"thinking\",\"thinking\":\"hm\",\"signature\":\"" + signature + "\"}");
  }

  private static String event(String type, String json) {
    String data = "{'type':'" + type + "'," + json + "}";
    return "event: " + type + "\ndata: " + data.replace('\'', '"') + "\n\n";
  }

  @Test
  @DisplayName("another provider's opaque part is left out, and garbage in it does no harm")
  void foreignOpaque() throws InterruptedException {
    for (String opaque :
        List.of("{\"other\":[1]}", "garbage", "{\"anthropic\":\"x\"}", "[]", OLDER)) {
      JsonNode body =
          sent(
              List.of(
                  new Message.User("go"),
                  new Message.Assistant("so", "hm", List.of(), opaque),
                  new Message.User("on")));
      assertThat(body.path("messages").path(1).path("content").toString())
          .isEqualTo("[{\"type\":\"text\",\"text\":\"so\"}]");
    }
  }

  @Test
  @DisplayName("any conversation, however torn, comes out in a shape that both vendors accept")
  void anyConversation() throws InterruptedException {
    Random random = new Random(4711);
    for (int run = 0; run < 60; run++) {
      List<Message> torn = torn(random);
      check(sent(torn).path("messages"), torn);
    }
  }

  private static List<Message> torn(Random random) {
    List<Message> messages = new ArrayList<>();
    for (int i = random.nextInt(8); i > 0; i--) {
      String id = "id" + random.nextInt(3);
      messages.add(
          switch (random.nextInt(4)) {
            case 0 -> new Message.User(random.nextBoolean() ? "" : "u");
            case 1 -> new Message.Assistant(random.nextBoolean() ? "" : "a", List.of());
            case 2 -> new Message.Assistant("", List.of(new ToolCall(id, "t", "{}")));
            default -> new Message.ToolResult(id, "t", "r", false);
          });
    }
    return messages;
  }

  private static void check(JsonNode messages, List<Message> from) {
    String role = "assistant";
    Set<String> open = new HashSet<>();
    assertThat(messages.size()).as("%s", from).isPositive();
    for (JsonNode message : messages) {
      assertThat(message.path("role").asString("")).as("%s", from).isNotEqualTo(role);
      role = message.path("role").asString("");
      assertThat(message.path("content").size()).as("%s", from).isPositive();
      for (JsonNode block : message.path("content")) {
        switch (block.path("type").asString("")) {
          case "text" -> assertThat(block.path("text").asString("")).isNotBlank();
          case "tool_use" -> open.add(block.path("id").asString(""));
          case "tool_result" ->
              assertThat(open.remove(block.path("tool_use_id").asString(""))).isTrue();
          default -> throw new AssertionError(block);
        }
      }
      if (role.equals("user")) {
        assertThat(open).as("calls without a result in %s", from).isEmpty();
      }
    }
  }
}
