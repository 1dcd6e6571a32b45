package dev.holdfast.llm.openai;

import com.openai.client.OpenAIClient;
import com.openai.client.OpenAIClientImpl;
import com.openai.client.okhttp.OkHttpClient;
import com.openai.core.ClientOptions;
import com.openai.core.RequestOptions;
import com.openai.core.Timeout;
import com.openai.core.http.HttpResponseFor;
import com.openai.core.http.StreamResponse;
import com.openai.errors.SseException;
import com.openai.models.chat.completions.ChatCompletionChunk;
import dev.holdfast.llm.CallResult;
import dev.holdfast.llm.ChatRequest;
import dev.holdfast.llm.wire.ErrorInStreamException;
import dev.holdfast.llm.wire.JsonTree;
import dev.holdfast.llm.wire.Transmission;
import dev.holdfast.llm.wire.VendorApi;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Chat completions through openai-java, one pool of connections for all keys. */
final class OpenAiApi implements VendorApi {
  static final String VENDOR_URL = "https://api.openai.com/v1";

  private static final int IDLE_CONNECTIONS = 50;
  private static final Duration KEEP_ALIVE = Duration.ofMinutes(1);
  private static final Duration CONNECT = Duration.ofSeconds(20);

  /** Ours decides; the SDK's is there in case ours is broken. */
  private static final Duration LATER = Duration.ofSeconds(5);

  private final String baseUrl;
  private final OkHttpClient http =
      OkHttpClient.builder()
          .maxIdleConnections(IDLE_CONNECTIONS)
          .keepAliveDuration(KEEP_ALIVE)
          .build();

  OpenAiApi(@Nullable String baseUrl) {
    this.baseUrl = baseUrl == null ? VENDOR_URL : baseUrl;
  }

  @Override
  public CallResult exchange(ChatRequest request, String key, Transmission transmission) {
    RequestOptions options =
        RequestOptions.builder().timeout(timeout(request.timeout().plus(LATER))).build();
    try (HttpResponseFor<StreamResponse<ChatCompletionChunk>> response =
        client(key, transmission)
            .chat()
            .completions()
            .withRawResponse()
            .createStreaming(OpenAiRequest.of(request, isVendor()), options)) {
      ChunkReader reader = new ChunkReader(transmission);
      if (transmission.isDocument()) {
        reader.document(transmission.document());
      } else {
        read(response, reader);
      }
      return reader.result();
    }
  }

  private static void read(
      HttpResponseFor<StreamResponse<ChatCompletionChunk>> response, ChunkReader reader) {
    try (StreamResponse<ChatCompletionChunk> chunks = response.parse()) {
      chunks.stream().forEach(reader::accept);
    } catch (SseException e) {
      throw new ErrorInStreamException(JsonTree.of(e.body().convert(Object.class)).toString(), e);
    }
  }

  private OpenAIClient client(String key, Transmission transmission) {
    return new OpenAIClientImpl(
        ClientOptions.builder()
            .httpClient(new TappedClient(http, transmission))
            .baseUrl(baseUrl)
            .apiKey(key)
            .maxRetries(0)
            .build());
  }

  private static Timeout timeout(Duration whole) {
    return Timeout.builder()
        .connect(whole.compareTo(CONNECT) < 0 ? whole : CONNECT)
        .read(whole)
        .write(whole)
        .request(whole)
        .build();
  }

  private boolean isVendor() {
    return baseUrl.contains("api.openai.com") || baseUrl.contains(".azure.com");
  }

  @Override
  public void close() {
    http.close();
  }
}
