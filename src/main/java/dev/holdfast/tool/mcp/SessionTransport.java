package dev.holdfast.tool.mcp;

import io.modelcontextprotocol.json.TypeRef;
import io.modelcontextprotocol.spec.McpClientTransport;
import io.modelcontextprotocol.spec.McpSchema.JSONRPCMessage;
import io.modelcontextprotocol.spec.McpTransportSessionNotFoundException;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import reactor.core.publisher.Mono;

/**
 * Lets a call hear that its session is not known any more. The SDK's client would begin another
 * session by itself and end the call without saying why.
 */
record SessionTransport(McpClientTransport inner) implements McpClientTransport {
  @Override
  public void setExceptionHandler(Consumer<Throwable> handler) {
    inner.setExceptionHandler(
        error -> {
          if (!(error instanceof McpTransportSessionNotFoundException)) {
            handler.accept(error);
          }
        });
  }

  @Override
  public Mono<Void> connect(Function<Mono<JSONRPCMessage>, Mono<JSONRPCMessage>> handler) {
    return inner.connect(handler);
  }

  @Override
  public Mono<Void> sendMessage(JSONRPCMessage message) {
    return inner.sendMessage(message);
  }

  @Override
  public <T> T unmarshalFrom(Object data, TypeRef<T> type) {
    return inner.unmarshalFrom(data, type);
  }

  @Override
  public List<String> protocolVersions() {
    return inner.protocolVersions();
  }

  @Override
  public Mono<Void> closeGracefully() {
    return inner.closeGracefully();
  }

  @Override
  public void close() {
    inner.close();
  }
}
