package dev.holdfast.handler.design;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("A kind's schema")
class DesignSchemaIT {
  @Test
  @DisplayName("A schema's reference to another document is never fetched")
  void fetchesNothing() throws Exception {
    AtomicInteger requests = new AtomicInteger();
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/",
        exchange -> {
          requests.incrementAndGet();
          byte[] body = "{}".getBytes(StandardCharsets.UTF_8);
          exchange.sendResponseHeaders(200, body.length);
          exchange.getResponseBody().write(body);
          exchange.close();
        });
    server.start();
    try {
      String schema =
          "{\"$ref\": \"http://127.0.0.1:" + server.getAddress().getPort() + "/x.json\"}";

      assertThatThrownBy(
              () ->
                  DesignSchema.of(DesignText.JSON.readTree(schema))
                      .problems(DesignText.JSON.readTree("{}")))
          .hasMessageContaining("/x.json");
      assertThat(requests).hasValue(0);
    } finally {
      server.stop(0);
    }
  }

  @Test
  @DisplayName("A kind without a schema is a mistake of ours, found at the start")
  void needsSchema() {
    assertThatThrownBy(() -> DesignSchema.ofKind("nonesuch"))
        .isInstanceOf(IllegalStateException.class);
  }
}
