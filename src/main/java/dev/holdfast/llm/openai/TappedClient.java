package dev.holdfast.llm.openai;

import com.openai.core.RequestOptions;
import com.openai.core.http.Headers;
import com.openai.core.http.HttpClient;
import com.openai.core.http.HttpRequest;
import com.openai.core.http.HttpResponse;
import dev.holdfast.llm.wire.Transmission;
import java.io.InputStream;
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
            response.headers().asMap(),
            response.requestId().orElse(null),
            response.body()),
        transmission);
  }

  @Override
  public CompletableFuture<HttpResponse> executeAsync(HttpRequest request, RequestOptions options) {
    throw new UnsupportedOperationException("only blocking calls are made");
  }

  @Override
  public void close() {
    // The client is shared; its owner closes it.
  }

  private record Tapped(HttpResponse response, InputStream body, Transmission transmission)
      implements HttpResponse {
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
      transmission.closed();
      response.close();
    }
  }
}
