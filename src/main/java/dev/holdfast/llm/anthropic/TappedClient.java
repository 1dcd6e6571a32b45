package dev.holdfast.llm.anthropic;

import com.anthropic.core.RequestOptions;
import com.anthropic.core.http.Headers;
import com.anthropic.core.http.HttpClient;
import com.anthropic.core.http.HttpRequest;
import com.anthropic.core.http.HttpResponse;
import dev.holdfast.llm.wire.Transmission;
import java.io.InputStream;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;

/**
 * The shared client for one request, with the answer going through its transmission.
 *
 * @param http stays open
 */
record TappedClient(HttpClient http, Transmission transmission) implements HttpClient {
  @Override
  public HttpResponse execute(HttpRequest request, RequestOptions options) {
    HttpResponse response = http.execute(request, options);
    return new Tapped(
        response,
        transmission.opened(
            response.statusCode(),
            headers(response.headers()),
            response.requestId().orElse(null),
            response.body()));
  }

  private static Map<String, List<String>> headers(Headers headers) {
    Map<String, List<String>> all = new TreeMap<>();
    headers.names().forEach(name -> all.put(name, headers.values(name)));
    return all;
  }

  @Override
  public CompletableFuture<HttpResponse> executeAsync(HttpRequest request, RequestOptions options) {
    throw new UnsupportedOperationException("only blocking calls are made");
  }

  @Override
  public void close() {
    // The client is shared; its owner closes it.
  }

  private record Tapped(HttpResponse response, InputStream body) implements HttpResponse {
    @Override
    public int statusCode() {
      return response.statusCode();
    }

    @Override
    public Headers headers() {
      return response.headers();
    }

    @Override
    public void close() {
      response.close();
    }
  }
}
