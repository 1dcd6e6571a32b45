package dev.holdfast.tool.mcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.modelcontextprotocol.client.McpClient;
import io.modelcontextprotocol.client.McpSyncClient;
import io.modelcontextprotocol.json.TypeRef;
import io.modelcontextprotocol.spec.McpClientTransport;
import io.modelcontextprotocol.spec.McpSchema.JSONRPCMessage;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.function.Function;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import reactor.core.publisher.Mono;

@Timeout(30)
class McpConnectionTest {
  private static final Duration SOON = Duration.ofSeconds(10);

  private final CompletableFuture<ConnectionEnd> ended = new CompletableFuture<>();
  private final McpConnection connection = new McpConnection(client(), ended, () -> "", () -> {});

  /** Of a server that is never asked. */
  private static McpSyncClient client() {
    return McpClient.sync(
            new McpClientTransport() {
              @Override
              public Mono<Void> connect(
                  Function<Mono<JSONRPCMessage>, Mono<JSONRPCMessage>> handler) {
                return Mono.empty();
              }

              @Override
              public Mono<Void> closeGracefully() {
                return Mono.empty();
              }

              @Override
              public Mono<Void> sendMessage(JSONRPCMessage message) {
                return Mono.empty();
              }

              @Override
              public <T> T unmarshalFrom(Object data, TypeRef<T> type) {
                throw new UnsupportedOperationException();
              }
            })
        .build();
  }

  @Test
  @DisplayName("An MCP server's answers are kept no longer than they are used")
  void keepsNoAnswer() throws Exception {
    for (int i = 0; i < 100; i++) {
      int number = i;
      assertThat(connection.<Integer>ask(client -> number, SOON)).isEqualTo(number);
    }
    assertThat(ended.getNumberOfDependents()).as("what waits for the server's end").isLessThan(3);
  }

  @Test
  @DisplayName("The end of an MCP server ends the questions under way, and those that come later")
  void endsQuestions() {
    CountDownLatch never = new CountDownLatch(1);
    Thread.ofVirtual().start(() -> ended.complete(ConnectionEnd.because("it ended")));
    for (int i = 0; i < 2; i++) {
      assertThatThrownBy(() -> connection.ask(client -> waitFor(never), SOON))
          .isInstanceOf(ServerEnded.class)
          .hasMessageContaining("it ended");
    }
  }

  private static String waitFor(CountDownLatch latch) {
    try {
      latch.await();
      return "";
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
