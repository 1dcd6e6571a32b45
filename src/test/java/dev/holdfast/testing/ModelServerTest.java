package dev.holdfast.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.llm.ToolCall;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class ModelServerTest {
  private final ModelServer models = ModelServer.start();
  private final HttpClient http = HttpClient.newHttpClient();

  @AfterEach
  void close() {
    http.close();
    models.close();
  }

  @Test
  @DisplayName("behaviours come in order, those of the model first, then the one for all others")
  void order() throws Exception {
    models.next(ModelBehaviour.answer("common")).always(ModelBehaviour.answer("rest"));
    models.nextFor("m", ModelBehaviour.answer("own"));
    assertThat(post("/v1/chat/completions", "{\"model\":\"m\"}").body()).contains("own");
    assertThat(post("/v1/chat/completions", "{\"model\":\"m\"}").body()).contains("common");
    assertThat(post("/v1/messages", "{\"model\":\"m\"}").body()).contains("\"text\":\"rest\"");
    assertThat(models.requests()).extracting(ModelRequest::number).containsExactly(1, 2, 3);
  }

  @Test
  @DisplayName("both vendors stream tool calls, errors have their vendor's shape")
  void streams() throws Exception {
    models.always(ModelBehaviour.toolCalls(new ToolCall("c1", "t", "{\"a\":1}")));
    assertThat(post("/v1/chat/completions", "{\"stream\":true}").body())
        .contains("\"name\":\"t\"")
        .endsWith("data: [DONE]\n\n");
    assertThat(post("/v1/messages", "{\"stream\":true}").body())
        .contains("event: content_block_start", "input_json_delta")
        .contains("\"stop_reason\":\"tool_use\"");
    models.next(ModelBehaviour.error(429, "rate_limit_error", "slow", Map.of("Retry-After", "3")));
    HttpResponse<String> error = post("/v1/messages", "{}");
    assertThat(error.statusCode()).isEqualTo(429);
    assertThat(error.headers().firstValue("retry-after")).contains("3");
    assertThat(error.body()).contains("\"type\":\"rate_limit_error\"");
  }

  @Test
  @DisplayName("connections are cut before and within an answer; garbage is recorded as such")
  void cuts() throws Exception {
    models.next(ModelBehaviour.dropBeforeFirstByte());
    assertThatThrownBy(() -> post("/v1/messages", "{}")).isInstanceOf(IOException.class);
    models.next(ModelBehaviour.cutAfter(1, ModelReply.text("abc")));
    assertThatThrownBy(() -> post("/v1/messages", "no json")).isInstanceOf(IOException.class);
    assertThat(models.lastRequest().body().isMissingNode()).isTrue();
  }

  private HttpResponse<String> post(String path, String body)
      throws IOException, InterruptedException {
    return http.send(
        HttpRequest.newBuilder(URI.create(models.anthropicUrl() + path))
            .POST(HttpRequest.BodyPublishers.ofString(body))
            .build(),
        HttpResponse.BodyHandlers.ofString());
  }
}
