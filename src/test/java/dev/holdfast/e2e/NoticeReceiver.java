package dev.holdfast.e2e;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Who is told by a webhook: keeps what came, and answers as it is told to. Thread-safe. */
final class NoticeReceiver implements AutoCloseable {
  /**
   * What came.
   *
   * @param status that it was answered with
   */
  record Delivery(int status, String body) {}

  private final List<Delivery> deliveries = new CopyOnWriteArrayList<>();
  private final HttpServer server;
  private volatile int status = 204;

  NoticeReceiver() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/", this::take);
    server.start();
  }

  private void take(HttpExchange exchange) throws IOException {
    String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
    int answer = status;
    deliveries.add(new Delivery(answer, body));
    exchange.sendResponseHeaders(answer, -1);
    exchange.close();
  }

  String url() {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  /** From now on. */
  void answer(int newStatus) {
    status = newStatus;
  }

  List<Delivery> deliveries() {
    return deliveries;
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
