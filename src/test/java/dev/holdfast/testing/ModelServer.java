package dev.holdfast.testing;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.awaitility.Awaitility;
import tools.jackson.databind.JsonNode;

/**
 * A model's HTTP server on a free local port. It speaks OpenAI's chat completions and Anthropic's
 * messages, streaming or not, does with each request what it was told, and remembers all of them.
 *
 * <pre>{@code
 * try (ModelServer models = ModelServer.start()) {
 *   models.next(error(529, "overloaded_error", "busy"), toolCall("read_file", "{}"));
 *   models.always(answer("done"));
 *   ...
 *   assertThat(models.requests()).hasSize(3);
 * }
 * }</pre>
 *
 * Thread-safe.
 */
public final class ModelServer implements AutoCloseable {
  private final HttpServer server;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final List<ModelRequest> requests = new CopyOnWriteArrayList<>();
  private final ConcurrentLinkedDeque<ModelBehaviour> queue = new ConcurrentLinkedDeque<>();
  private final Map<String, ConcurrentLinkedDeque<ModelBehaviour>> byModel =
      new ConcurrentHashMap<>();
  private volatile ModelBehaviour always = ModelBehaviour.answer("ok");

  private ModelServer(HttpServer server) {
    this.server = server;
  }

  /** A server that answers "ok" to everything until it is told otherwise. */
  public static ModelServer start() {
    return start(0);
  }

  /**
   * On a given port, as a provider that comes back.
   *
   * @param port 0 for a free one
   */
  public static ModelServer start(int port) {
    try {
      ModelServer models =
          new ModelServer(
              HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0));
      models.server.createContext("/", models::handle);
      models.server.setExecutor(models.threads);
      models.server.start();
      return models;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public int port() {
    return server.getAddress().getPort();
  }

  /** The base URL as OpenAI-compatible providers are configured, with {@code /v1}. */
  public String openAiUrl() {
    return anthropicUrl() + "/v1";
  }

  /** The base URL as Anthropic is configured. */
  public String anthropicUrl() {
    return "http://127.0.0.1:" + port();
  }

  /** Does these, one per request, behind those that were queued before. */
  public ModelServer next(ModelBehaviour... behaviours) {
    queue.addAll(List.of(behaviours));
    return this;
  }

  /** The same for requests of one model; they come before the common ones. */
  public ModelServer nextFor(String model, ModelBehaviour... behaviours) {
    byModel.computeIfAbsent(model, _ -> new ConcurrentLinkedDeque<>()).addAll(List.of(behaviours));
    return this;
  }

  /** What it does with all requests for which nothing is queued. */
  public ModelServer always(ModelBehaviour behaviour) {
    always = behaviour;
    return this;
  }

  /** As just started: nothing asked, nothing queued. */
  public void forget() {
    requests.clear();
    queue.clear();
    byModel.clear();
    always = ModelBehaviour.answer("ok");
  }

  /** All requests so far, in the order of their arrival. */
  public List<ModelRequest> requests() {
    return List.copyOf(requests);
  }

  public ModelRequest lastRequest() {
    return requests.getLast();
  }

  /** Waits until that many requests have arrived; returns the last of them. */
  public ModelRequest awaitRequest(int number) {
    Awaitility.await().until(() -> requests.size() >= number);
    return requests.get(number - 1);
  }

  private void handle(HttpExchange http) throws IOException {
    ModelRequest request = read(http);
    ModelExchange exchange = new ModelExchange(http, request, ModelDialect.of(request));
    try {
      behaviour(request.model()).respond(exchange);
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
    http.close();
  }

  private ModelBehaviour behaviour(String model) {
    ConcurrentLinkedDeque<ModelBehaviour> own = byModel.get(model);
    ModelBehaviour first = own == null ? null : own.poll();
    ModelBehaviour next = first == null ? queue.poll() : first;
    return next == null ? always : next;
  }

  private ModelRequest read(HttpExchange http) throws IOException {
    long now = System.nanoTime();
    byte[] bytes = http.getRequestBody().readAllBytes();
    Map<String, String> headers = new TreeMap<>();
    http.getRequestHeaders()
        .forEach((name, values) -> headers.put(name.toLowerCase(Locale.ROOT), values.getLast()));
    JsonNode body = ModelRequest.parse(bytes);
    synchronized (requests) {
      ModelRequest request =
          new ModelRequest(requests.size() + 1, now, http.getRequestURI().getPath(), headers, body);
      requests.add(request);
      return request;
    }
  }

  /** Ends all hanging requests as well. */
  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }
}
