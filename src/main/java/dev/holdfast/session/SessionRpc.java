package dev.holdfast.session;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * The commands that a running session takes from outside (D34). An answer says only whether the
 * command was understood; how a retry goes on is told by events.
 */
public final class SessionRpc {
  private final Session session;

  public SessionRpc(Session session) {
    this.session = session;
  }

  /**
   * @param command such as {@code {"id": 1, "type": "set_auto_retry", "enabled": false}}; types are
   *     also {@code abort_retry} and {@code get_state}
   * @return {@code {"id", "type": "response", "command", "success", ...}}, with {@code error} where
   *     it makes no sense
   */
  public ObjectNode handle(JsonNode command) {
    String type = command.path("type").asString("");
    return switch (type) {
      case "set_auto_retry" -> setAutoRetry(command);
      case "abort_retry" -> {
        session.abortRetry();
        yield success(command);
      }
      case "get_state" -> {
        ObjectNode answer = success(command);
        answer
            .putObject("data")
            .put("autoCompactionEnabled", session.autoCompactionEnabled())
            .put("isRetrying", session.isRetrying());
        yield answer;
      }
      default -> error(command, "unknown command: " + type);
    };
  }

  private ObjectNode setAutoRetry(JsonNode command) {
    if (!command.path("enabled").isBoolean()) {
      return error(command, "enabled must be true or false");
    }
    session.setAutoRetryEnabled(command.path("enabled").booleanValue());
    return success(command);
  }

  private static ObjectNode success(JsonNode command) {
    return answer(command).put("success", true);
  }

  private static ObjectNode error(JsonNode command, String words) {
    return answer(command).put("success", false).put("error", words);
  }

  private static ObjectNode answer(JsonNode command) {
    ObjectNode answer = JsonNodeFactory.instance.objectNode();
    if (command.has("id")) {
      answer.set("id", command.get("id"));
    }
    return answer.put("type", "response").put("command", command.path("type").asString(""));
  }
}
