package dev.holdfast.tool.mcp;

import java.io.IOException;
import java.net.Authenticator;
import java.net.CookieHandler;
import java.net.ProxySelector;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import org.jspecify.annotations.Nullable;

/**
 * Reports each message that a server refuses because it has forgotten the session, and the end of
 * each response. The SDK sees only the status, and would end all requests under way for one of
 * them; also where only a stream of the server's own is refused, which says nothing of the session.
 */
final class SessionClient extends HttpClient {
  private static final String SESSION = "Mcp-Session-Id";
  private static final int BAD_REQUEST = 400;
  private static final int NOT_FOUND = 404;

  private final HttpClient client;
  private final Runnable forgotten;
  private final OpenStreams streams;

  /**
   * @param forgotten is run where the server has forgotten the session
   */
  SessionClient(HttpClient client, Runnable forgotten, OpenStreams streams) {
    this.client = client;
    this.forgotten = forgotten;
    this.streams = streams;
  }

  @Override
  public <T> CompletableFuture<HttpResponse<T>> sendAsync(
      HttpRequest request, HttpResponse.BodyHandler<T> handler) {
    return sendAsync(request, handler, null);
  }

  @Override
  public <T> CompletableFuture<HttpResponse<T>> sendAsync(
      HttpRequest request,
      HttpResponse.BodyHandler<T> handler,
      HttpResponse.@Nullable PushPromiseHandler<T> pushes) {
    Runnable ended = streams.opened();
    return client
        .sendAsync(request, info -> new WatchedBody<>(handler.apply(info), ended), pushes)
        .thenCompose(response -> known(request, response))
        .whenComplete(
            (response, error) -> {
              if (error != null) {
                ended.run();
              }
            });
  }

  @Override
  public <T> HttpResponse<T> send(HttpRequest request, HttpResponse.BodyHandler<T> handler)
      throws IOException, InterruptedException {
    return known(request, client.send(request, handler)).join();
  }

  private <T> CompletableFuture<HttpResponse<T>> known(
      HttpRequest request, HttpResponse<T> response) {
    int status = response.statusCode();
    boolean refused = status == NOT_FOUND || status == BAD_REQUEST;
    if (!refused
        || request.method().equals("DELETE")
        || request.headers().firstValue(SESSION).isEmpty()) {
      return CompletableFuture.completedFuture(response);
    }
    return BodyBeginning.of(response.body())
        .thenApply(
            reason -> {
              // A GET asks for a stream. Many servers have none and should say 405, but do not.
              if (request.method().equals("POST")) {
                forgotten.run();
              }
              throw new SessionForgotten(status, reason);
            });
  }

  @Override
  public Optional<CookieHandler> cookieHandler() {
    return client.cookieHandler();
  }

  @Override
  public Optional<Duration> connectTimeout() {
    return client.connectTimeout();
  }

  @Override
  public Redirect followRedirects() {
    return client.followRedirects();
  }

  @Override
  public Optional<ProxySelector> proxy() {
    return client.proxy();
  }

  @Override
  public SSLContext sslContext() {
    return client.sslContext();
  }

  @Override
  public SSLParameters sslParameters() {
    return client.sslParameters();
  }

  @Override
  public Optional<Authenticator> authenticator() {
    return client.authenticator();
  }

  @Override
  public Version version() {
    return client.version();
  }

  @Override
  public Optional<Executor> executor() {
    return client.executor();
  }
}
