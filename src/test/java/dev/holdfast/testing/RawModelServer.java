package dev.holdfast.testing;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * A model's HTTP server on a free local port that writes its answers byte by byte: headers stand in
 * the order and the case in which a vendor sends them, and a connection breaks where it is told to.
 * It closes the connection after each answer. Thread-safe.
 */
public final class RawModelServer implements AutoCloseable {
  private static final int HEAD_LIMIT = 64 * 1024;

  private final ServerSocket server;
  private final Answers answers;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final List<ModelRequest> requests = new CopyOnWriteArrayList<>();

  /** Writes the answer to one request; the connection is closed behind it. */
  @FunctionalInterface
  public interface Answers {
    void write(ModelRequest request, Socket connection) throws IOException, InterruptedException;
  }

  private RawModelServer(ServerSocket server, Answers answers) {
    this.server = server;
    this.answers = answers;
  }

  public static RawModelServer start(Answers answers) {
    try {
      RawModelServer models =
          new RawModelServer(new ServerSocket(0, 200, InetAddress.getLoopbackAddress()), answers);
      models.threads.execute(models::acceptAll);
      return models;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public String url() {
    return "http://127.0.0.1:" + server.getLocalPort();
  }

  /** All requests so far, in the order of their arrival. */
  public List<ModelRequest> requests() {
    return List.copyOf(requests);
  }

  /**
   * Writes these bytes.
   *
   * @param lines the status line, the headers, an empty line, the body; each ends with CRLF
   */
  public static void write(Socket connection, String... lines) throws IOException {
    OutputStream out = connection.getOutputStream();
    out.write((String.join("\r\n", lines) + "\r\n").getBytes(StandardCharsets.UTF_8));
    out.flush();
  }

  /** An event stream with the first events of the answer; all of them where the number is high. */
  public static void stream(Socket connection, ModelRequest request, ModelReply reply, int events)
      throws IOException {
    write(
        connection, "HTTP/1.1 200 OK", "Content-Type: text/event-stream", "Connection: close", "");
    OutputStream out = connection.getOutputStream();
    List<String> all = ModelDialect.of(request).events(reply, request.model());
    for (String event : all.subList(0, Math.min(events, all.size()))) {
      out.write(event.getBytes(StandardCharsets.UTF_8));
    }
    out.flush();
  }

  private void acceptAll() {
    while (!server.isClosed()) {
      try {
        Socket connection = server.accept();
        threads.execute(() -> handle(connection));
      } catch (IOException _) {
        return;
      }
    }
  }

  private void handle(Socket connection) {
    try (connection) {
      ModelRequest request = read(connection.getInputStream());
      answers.write(request, connection);
    } catch (IOException _) {
      // The client hung up, which is its right.
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  private ModelRequest read(InputStream in) throws IOException {
    long now = System.nanoTime();
    String[] head = head(in).split("\r\n");
    Map<String, String> headers = new TreeMap<>();
    for (int i = 1; i < head.length; i++) {
      int colon = head[i].indexOf(':');
      headers.put(
          head[i].substring(0, colon).toLowerCase(Locale.ROOT),
          head[i].substring(colon + 1).trim());
    }
    byte[] body = in.readNBytes(Integer.parseInt(headers.getOrDefault("content-length", "0")));
    synchronized (requests) {
      ModelRequest request =
          new ModelRequest(
              requests.size() + 1, now, head[0].split(" ")[1], headers, ModelRequest.parse(body));
      requests.add(request);
      return request;
    }
  }

  private static String head(InputStream in) throws IOException {
    ByteArrayOutputStream head = new ByteArrayOutputStream();
    while (!head.toString(StandardCharsets.ISO_8859_1).endsWith("\r\n\r\n")) {
      int next = in.read();
      if (next < 0 || head.size() > HEAD_LIMIT) {
        throw new IOException("no request");
      }
      head.write(next);
    }
    return head.toString(StandardCharsets.ISO_8859_1);
  }

  /** Ends all connections as well. */
  @Override
  public void close() throws IOException {
    server.close();
    threads.shutdownNow();
  }
}
