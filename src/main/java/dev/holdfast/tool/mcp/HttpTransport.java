package dev.holdfast.tool.mcp;

import io.modelcontextprotocol.client.transport.HttpClientStreamableHttpTransport;
import io.modelcontextprotocol.json.McpJsonMapper;
import io.modelcontextprotocol.json.TypeRef;
import io.modelcontextprotocol.spec.McpClientTransport;
import io.modelcontextprotocol.spec.McpSchema.JSONRPCMessage;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;
import reactor.core.publisher.Mono;

/**
 * A server over HTTP. It ends when the server has forgotten the session. The SDK would begin a new
 * session by itself, but would end all calls under way with an error that does not say which were
 * refused.
 *
 * @param ended is completed with the reason when nothing more comes: where the server has forgotten
 *     the session or leaves a request without an answer, or it was closed
 */
record HttpTransport(
    HttpClientStreamableHttpTransport http,
    McpJsonMapper mapper,
    CompletableFuture<ConnectionEnd> ended,
    OpenStreams streams)
    implements McpClientTransport {
  @Override
  public Mono<Void> connect(Function<Mono<JSONRPCMessage>, Mono<JSONRPCMessage>> handler) {
    return http.connect(
        message -> handler.apply(message.doOnNext(streams::heard).filter(ListChanges::isNone)));
  }

  @Override
  public void setExceptionHandler(Consumer<Throwable> handler) {
    http.setExceptionHandler(handler);
  }

  @Override
  public Mono<Void> sendMessage(JSONRPCMessage message) {
    streams.sent(message);
    return http.sendMessage(message).doOnError(e -> streams.failed(message));
  }

  @Override
  public <T> T unmarshalFrom(Object data, TypeRef<T> type) {
    return McpContent.read(mapper, data, type);
  }

  @Override
  public List<String> protocolVersions() {
    return http.protocolVersions();
  }

  @Override
  public Mono<Void> closeGracefully() {
    return http.closeGracefully();
  }

  void stop() {
    ended.complete(ConnectionEnd.because("it was closed"));
  }
}
