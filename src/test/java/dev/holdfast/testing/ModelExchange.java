package dev.holdfast.testing;

import com.sun.net.httpserver.HttpExchange;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;

/**
 * One request and the way to answer it. Used by a {@link ModelBehaviour}.
 *
 * @param dialect of the vendor whose path was asked
 */
record ModelExchange(HttpExchange http, ModelRequest request, ModelDialect dialect) {
  /** Ends the connection as it is, without the end of the answer. */
  static final class CutException extends IOException {
    private static final long serialVersionUID = 1;

    CutException() {
      super("the test server cuts the connection");
    }
  }

  void send(int status, String contentType, Map<String, String> headers, String body)
      throws IOException {
    headers.forEach((name, value) -> http.getResponseHeaders().set(name, value));
    http.getResponseHeaders().putIfAbsent("Content-Type", List.of(contentType));
    byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
    http.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
    try (OutputStream out = http.getResponseBody()) {
      out.write(bytes);
    }
  }

  /** Sends the head of an event stream; the caller writes, and closes for a complete answer. */
  OutputStream openStream() throws IOException {
    http.getResponseHeaders().set("Content-Type", "text/event-stream; charset=utf-8");
    http.sendResponseHeaders(200, 0);
    return http.getResponseBody();
  }

  static void write(OutputStream out, String event) throws IOException {
    out.write(event.getBytes(StandardCharsets.UTF_8));
    out.flush();
  }

  /** The events of an answer; for a client that does not stream, one document. */
  void send(ModelReply reply) throws IOException {
    if (!request.streaming()) {
      send(200, "application/json", Map.of(), dialect.document(reply, request.model()));
      return;
    }
    try (OutputStream out = openStream()) {
      for (String event : dialect.events(reply, request.model())) {
        write(out, event);
      }
    }
  }
}
