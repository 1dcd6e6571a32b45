package dev.holdfast.tool.mcp;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** An MCP server over HTTP that keeps sessions, and can be told to refuse. */
final class HttpMcp implements AutoCloseable {
  private static final String SESSION = "Mcp-Session-Id";
  private static final String VERSION = "MCP-Protocol-Version";

  private final HttpServer server;
  private final Set<String> known = ConcurrentHashMap.newKeySet();
  private final AtomicInteger calls = new AtomicInteger();
  private volatile int refusal;
  private volatile int closed;
  private volatile boolean strict;
  private volatile String way = "";
  private volatile boolean streams;
  private volatile int noStream = 405;
  private final CompletableFuture<OutputStream> stream = new CompletableFuture<>();

  private HttpMcp(HttpServer server) {
    this.server = server;
  }

  static HttpMcp start() throws IOException {
    return startAt(0);
  }

  static HttpMcp startAt(int port) throws IOException {
    HttpMcp mcp =
        new HttpMcp(
            HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0));
    mcp.server.createContext("/mcp", mcp::answer);
    mcp.server.start();
    return mcp;
  }

  URI url() {
    return URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/mcp");
  }

  /**
   * @param status of every call from now on; 0 for none
   */
  void refuseCalls(int status) {
    refusal = status;
  }

  /**
   * @param status of every request from now on
   */
  void refuseAll(int status) {
    closed = status;
  }

  /**
   * @param way how every call is answered from now on: it is {@code accepted}, the answer is {@code
   *     empty}, has an {@code other} id or is a {@code stream} with nothing in it, or comes {@code
   *     later} in the stream that the client has opened, or is to be {@code asked} for again by who
   *     speaks of a version that has it so
   */
  void answerCalls(String way) {
    this.way = way;
  }

  /**
   * @param status of every request for a stream from now on; 405 at first
   */
  void refuseStreams(int status) {
    noStream = status;
  }

  /** Lets a client open a stream. */
  void offerStream() {
    streams = true;
  }

  /**
   * All of them, as one that was started again.
   *
   * @param strict also refuses to begin a session for who names an old one
   */
  void forgetSessions(boolean strict) {
    this.strict = strict;
    known.clear();
  }

  /** Calls that took effect. */
  int calls() {
    return calls.get();
  }

  private void answer(HttpExchange exchange) throws IOException {
    if (streams && exchange.getRequestMethod().equals("GET")) {
      exchange.getResponseHeaders().add("Content-Type", "text/event-stream");
      exchange.sendResponseHeaders(200, 0);
      exchange.getResponseBody().flush();
      stream.complete(exchange.getResponseBody());
      return;
    }
    try (exchange) {
      String request = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
      if (closed > 0) {
        say(exchange, closed, "");
      } else if (!exchange.getRequestMethod().equals("POST")) {
        exchange.sendResponseHeaders(noStream, -1);
      } else if (request.contains("\"initialize\"") && !isOld(exchange)) {
        greet(exchange, request);
      } else {
        answer(exchange, request);
      }
    }
  }

  private boolean isOld(HttpExchange exchange) {
    return strict && exchange.getRequestHeaders().containsKey(SESSION);
  }

  private void greet(HttpExchange exchange, String request) throws IOException {
    String session = UUID.randomUUID().toString();
    known.add(session);
    exchange.getResponseHeaders().add(SESSION, session);
    say(exchange, 200, FakeMcp.answer(request));
  }

  private void answer(HttpExchange exchange, String request) throws IOException {
    boolean call = request.contains("\"tools/call\"");
    String session = String.valueOf(exchange.getRequestHeaders().getFirst(SESSION));
    if (!known.contains(session)) {
      say(exchange, 404, "");
    } else if (call && refusal > 0) {
      say(exchange, refusal, "{\"error\": \"not today\"}");
    } else {
      calls.addAndGet(call ? 1 : 0);
      if (call && !way.isEmpty()) {
        answer(exchange, request, way);
        return;
      }
      String answer = FakeMcp.answer(request);
      say(exchange, answer.isEmpty() ? 202 : 200, answer);
    }
  }

  private void answer(HttpExchange exchange, String request, String way) throws IOException {
    switch (way) {
      case "accepted" -> say(exchange, 202, "");
      case "empty" -> say(exchange, 200, "");
      case "asked" -> {
        boolean newest = "2025-11-25".equals(exchange.getRequestHeaders().getFirst(VERSION));
        exchange.getResponseHeaders().add("Content-Type", "text/event-stream");
        exchange.sendResponseHeaders(200, 0);
        String event = newest ? "id: 1\nretry: 100\ndata: \n\n" : event(request);
        exchange.getResponseBody().write(event.getBytes(StandardCharsets.UTF_8));
      }
      case "other" ->
          say(exchange, 200, FakeMcp.answer(request).replace("\"id\": \"", "\"id\": \"other-"));
      case "stream" -> {
        exchange.getResponseHeaders().add("Content-Type", "text/event-stream");
        exchange.sendResponseHeaders(200, 0);
      }
      default -> {
        OutputStream opened = stream.join();
        say(exchange, 202, "");
        exchange.close();
        opened.write(event(request).getBytes(StandardCharsets.UTF_8));
        opened.flush();
      }
    }
  }

  private static String event(String request) {
    return "data: " + FakeMcp.answer(request) + "\n\n";
  }

  private static void say(HttpExchange exchange, int status, String text) throws IOException {
    byte[] body = text.getBytes(StandardCharsets.UTF_8);
    exchange.getResponseHeaders().add("Content-Type", "application/json");
    exchange.sendResponseHeaders(status, body.length == 0 ? -1 : body.length);
    exchange.getResponseBody().write(body);
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
