package dev.holdfast.llm.openai;

import com.openai.core.RequestOptions;
import com.openai.core.http.Headers;
import com.openai.core.http.HttpClient;
import com.openai.core.http.HttpRequest;
import com.openai.core.http.HttpResponse;
import dev.holdfast.fuzz.FuzzTarget;
import dev.holdfast.llm.AnswerFuzz;
import dev.holdfast.llm.ChatProvider;
import dev.holdfast.llm.WireListener;
import dev.holdfast.llm.wire.WireProvider;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.io.OutputStream;
import java.time.Clock;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Streams of chat completions. */
public final class OpenAiFuzz {
  public static final FuzzTarget STREAM = new FuzzTarget("openai", OpenAiFuzz::stream);

  private OpenAiFuzz() {}

  private static void stream(byte[] input) throws InterruptedException {
    try (ChatProvider provider = provider(input, _ -> {})) {
      AnswerFuzz.holds(provider);
    }
  }

  /** A provider whose server answers everything with one input. */
  static ChatProvider provider(byte[] input, WireListener wire) {
    return provider(input, null, OutputStream.nullOutputStream(), wire);
  }

  /** The same at a URL; what it is sent goes to a stream. */
  static ChatProvider provider(
      byte[] input, @Nullable String baseUrl, OutputStream sent, WireListener wire) {
    HttpClient canned = new Canned(input, sent);
    OpenAiApi api = new OpenAiApi(AnswerFuzz.settings().name(), baseUrl, canned);
    return new WireProvider(AnswerFuzz.settings(), api, wire, System::nanoTime, Clock.systemUTC());
  }

  /** Answers everything with one input. */
  private record Canned(byte[] input, OutputStream sent) implements HttpClient {
    @Override
    public HttpResponse execute(HttpRequest request, RequestOptions options) {
      Objects.requireNonNull(request.body()).writeTo(sent);
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
