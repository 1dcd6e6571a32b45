package dev.holdfast.testing;

import java.util.List;
import java.util.Map;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * What a client sent to the {@link ModelServer}.
 *
 * @param number from 1, in the order of arrival
 * @param atNanos {@link System#nanoTime} of its arrival
 * @param headers with lower-case names; the last value where one is repeated
 * @param body a missing node where it was no JSON
 */
public record ModelRequest(
    int number, long atNanos, String path, Map<String, String> headers, JsonNode body) {
  /** What a body says; a missing node where it is no JSON. */
  static JsonNode parse(byte[] body) {
    try {
      return JsonMapper.shared().readTree(body);
    } catch (JacksonException _) {
      return JsonMapper.shared().missingNode();
    }
  }

  public String model() {
    return body.path("model").asString("");
  }

  public boolean streaming() {
    return body.path("stream").asBoolean(false);
  }

  /** The key that was sent, in the way of either vendor; "" for none. */
  public String key() {
    String bearer = headers.getOrDefault("authorization", "").replaceFirst("(?i)^bearer ", "");
    return headers.getOrDefault("x-api-key", bearer);
  }

  public boolean isAnthropic() {
    return path.endsWith("/messages");
  }

  /** The messages as they were sent; OpenAI's hold the system prompt as well. */
  public List<JsonNode> messages() {
    return List.copyOf(body.path("messages").values());
  }

  /** How many of the messages are the model's own: the number of steps done before. */
  public int assistantMessages() {
    return (int)
        messages().stream().filter(m -> m.path("role").asString("").equals("assistant")).count();
  }

  /** The last message as JSON text, to look for words in it; "" where there is none. */
  public String lastMessage() {
    List<JsonNode> all = messages();
    return all.isEmpty() ? "" : all.getLast().toString();
  }

  public List<String> toolNames() {
    return body.path("tools").values().stream()
        .map(tool -> isAnthropic() ? tool : tool.path("function"))
        .map(tool -> tool.path("name").asString(""))
        .toList();
  }
}
