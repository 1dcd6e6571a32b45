package dev.holdfast.session;

import java.util.function.UnaryOperator;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** The other side of {@link SessionRpc}, over any transport (D34). */
public final class SessionRpcClient {
  private final UnaryOperator<JsonNode> transport;

  /**
   * @param transport sends a command and returns its answer
   */
  public SessionRpcClient(UnaryOperator<JsonNode> transport) {
    this.transport = transport;
  }

  /** Returns whether the session took it. */
  public boolean setAutoRetry(boolean enabled) {
    return send(command("set_auto_retry").put("enabled", enabled));
  }

  /** Returns whether the session took it, not whether a retry was waiting. */
  public boolean abortRetry() {
    return send(command("abort_retry"));
  }

  private static ObjectNode command(String type) {
    return JsonNodeFactory.instance.objectNode().put("type", type);
  }

  private boolean send(ObjectNode command) {
    return transport.apply(command).path("success").asBoolean(false);
  }
}
