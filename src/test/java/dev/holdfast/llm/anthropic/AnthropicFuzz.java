package dev.holdfast.llm.anthropic;

import com.anthropic.client.AnthropicClientImpl;
import com.anthropic.core.ClientOptions;
import com.anthropic.core.RequestOptions;
import com.anthropic.core.http.Headers;
import com.anthropic.core.http.HttpClient;
import com.anthropic.core.http.HttpRequest;
import com.anthropic.core.http.HttpResponse;
import dev.holdfast.fuzz.FuzzTarget;
import dev.holdfast.llm.AnswerFuzz;
import dev.holdfast.llm.ChatProvider;
import dev.holdfast.llm.WireListener;
import dev.holdfast.llm.wire.WireProvider;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.time.Clock;
import java.util.concurrent.CompletableFuture;

/** Streams of messages. */
public final class AnthropicFuzz {
  public static final FuzzTarget STREAM = new FuzzTarget("anthropic", AnthropicFuzz::stream);

  private AnthropicFuzz() {}

  private static void stream(byte[] input) throws InterruptedException {
    try (ChatProvider provider = provider(input, _ -> {})) {
      AnswerFuzz.holds(provider);
    }
  }

  /** A provider whose server answers everything with one input. */
  static ChatProvider provider(byte[] input, WireListener wire) {
    ClientOptions options =
        ClientOptions.builder()
            .httpClient(new Canned(input))
            .baseUrl("http://127.0.0.1:9")
            .putHeader("X-Api-Key", "sk-test-0123456789")
            .maxRetries(0)
            .build();
    AnthropicApi api =
        new AnthropicApi(AnswerFuzz.settings().name(), _ -> new AnthropicClientImpl(options));
    return new WireProvider(AnswerFuzz.settings(), api, wire, System::nanoTime, Clock.systemUTC());
  }

  /** Answers everything with one input. */
  private record Canned(byte[] input) implements HttpClient {
    @Override
    public HttpResponse execute(HttpRequest request, RequestOptions options) {
      return new Response(
          AnswerFuzz.status(input), new ByteArrayInputStream(AnswerFuzz.body(input)));
    }

    @Override
    public CompletableFuture<HttpResponse> executeAsync(
        HttpRequest request, RequestOptions options) {
      throw new UnsupportedOperationException("only blocking calls are made");
    }

    @Override
    public void close() {}
  }

  private record Response(int statusCode, InputStream body) implements HttpResponse {
    @Override
    public Headers headers() {
      return Headers.builder().build();
    }

    @Override
    public void close() {}
  }
}
