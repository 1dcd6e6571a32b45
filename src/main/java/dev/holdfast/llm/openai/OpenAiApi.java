package dev.holdfast.llm.openai;

import com.openai.client.OpenAIClient;
import com.openai.client.OpenAIClientImpl;
import com.openai.client.okhttp.OkHttpClient;
import com.openai.core.ClientOptions;
import com.openai.core.RequestOptions;
import com.openai.core.Timeout;
import com.openai.core.http.HttpClient;
import com.openai.core.http.HttpResponseFor;
import com.openai.core.http.StreamResponse;
import com.openai.errors.OpenAIIoException;
import com.openai.errors.SseException;
import com.openai.models.chat.completions.ChatCompletionChunk;
import dev.holdfast.llm.CallResult;
import dev.holdfast.llm.ChatRequest;
import dev.holdfast.llm.wire.ErrorInStreamException;
import dev.holdfast.llm.wire.HttpBounds;
import dev.holdfast.llm.wire.JsonTree;
import dev.holdfast.llm.wire.Transmission;
import dev.holdfast.llm.wire.VendorApi;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import okhttp3.ConnectionPool;
import okhttp3.ConnectionSpec;
import org.jspecify.annotations.Nullable;

/**
 * Chat completions through openai-java, one pool of connections for all keys: of OpenAI and every
 * server that speaks them, as vLLM, Ollama, OpenRouter and Azure do.
 */
public final class OpenAiApi implements VendorApi {
  static final String VENDOR_URL = "https://api.openai.com/v1";

  private final String provider;
  private final String baseUrl;
  private final HttpClient http;

  /**
   * @param provider its name in the configuration
   */
  public OpenAiApi(String provider, @Nullable String baseUrl) {
    this(provider, baseUrl, new OkHttpClient(connections(baseUrl == null ? VENDOR_URL : baseUrl)));
  }

  /** Makes an API over a client of the caller's, which {@link #close} closes. */
  OpenAiApi(String provider, @Nullable String baseUrl, HttpClient http) {
    this.provider = provider;
    this.baseUrl = baseUrl == null ? VENDOR_URL : baseUrl;
    this.http = http;
  }

  /**
   * Builds the HTTP client. The SDK's own builder would follow redirects, and send the conversation
   * to another host.
   */
  private static okhttp3.OkHttpClient connections(String baseUrl) {
    return new okhttp3.OkHttpClient.Builder()
        .connectionSpecs(specs(baseUrl))
        .followRedirects(false)
        .retryOnConnectionFailure(false)
        .connectionPool(
            new ConnectionPool(
                HttpBounds.IDLE_CONNECTIONS,
                HttpBounds.KEEP_ALIVE.toMillis(),
                TimeUnit.MILLISECONDS))
        .build();
  }

  /**
   * Leaves out TLS for a plain HTTP address, because reading the certificates that Java trusts
   * takes a tenth of a worker's start.
   */
  private static List<ConnectionSpec> specs(String baseUrl) {
    return baseUrl.startsWith("http:")
        ? List.of(ConnectionSpec.CLEARTEXT)
        : List.of(ConnectionSpec.MODERN_TLS, ConnectionSpec.CLEARTEXT);
  }

  @Override
  public CallResult exchange(ChatRequest request, String key, Transmission transmission) {
    RequestOptions options = RequestOptions.builder().timeout(timeout(request.timeout())).build();
    try (HttpResponseFor<StreamResponse<ChatCompletionChunk>> response =
        client(key, transmission)
            .chat()
            .completions()
            .withRawResponse()
            .createStreaming(OpenAiRequest.of(request, provider, Server.of(baseUrl)), options)) {
      ChunkReader reader = new ChunkReader(provider, transmission);
      if (transmission.isDocument()) {
        reader.document(transmission.document());
      } else {
        read(response, reader, transmission);
      }
      return reader.result();
    }
  }

  private static void read(
      HttpResponseFor<StreamResponse<ChatCompletionChunk>> response,
      ChunkReader reader,
      Transmission transmission) {
    try (StreamResponse<ChatCompletionChunk> chunks = response.parse()) {
      // Some servers keep the connection alive with empty events.
      chunks.stream().filter(Objects::nonNull).forEach(reader::accept);
      // While it reads, the SDK closes the answer at [DONE] alone.
      if (transmission.isClosed()) {
        reader.done();
      }
    } catch (SseException e) {
      throw new ErrorInStreamException(JsonTree.of(e.body().convert(Object.class)).toString(), e);
    } catch (OpenAIIoException e) {
      // Only the end of the transfer is missing, not of the answer, so the answer is not paid for
      // again.
      if (!reader.isAnswered()) {
        throw e;
      }
    }
  }

  private OpenAIClient client(String key, Transmission transmission) {
    return new OpenAIClientImpl(
        ClientOptions.builder()
            .httpClient(new TappedClient(http, transmission))
            .jsonMapper(ChunkJson.MAPPER)
            .baseUrl(baseUrl)
            .apiKey(key)
            .maxRetries(0)
            .sleeper(NoSleeper.INSTANCE)
            // The SDK starts its own for each client, which would stay in memory for ever.
            .streamHandlerExecutor(Runnable::run)
            .build());
  }

  private static Timeout timeout(Duration cutOff) {
    Duration whole = HttpBounds.whole(cutOff);
    return Timeout.builder()
        .connect(HttpBounds.connect(cutOff))
        .read(whole)
        .write(whole)
        .request(whole)
        .build();
  }

  @Override
  public void close() {
    http.close();
  }
}
