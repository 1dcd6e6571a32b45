package dev.holdfast.llm.anthropic;

import com.anthropic.client.AnthropicClient;
import com.anthropic.client.okhttp.AnthropicOkHttpClient;
import com.anthropic.core.ObjectMappers;
import com.anthropic.core.RequestOptions;
import com.anthropic.core.Timeout;
import com.anthropic.core.http.HttpResponseFor;
import com.anthropic.core.http.StreamResponse;
import com.anthropic.errors.AnthropicIoException;
import com.anthropic.errors.SseException;
import com.anthropic.models.messages.RawMessageStreamEvent;
import com.fasterxml.jackson.databind.introspect.JacksonAnnotationIntrospector;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.holdfast.llm.CallResult;
import dev.holdfast.llm.ChatRequest;
import dev.holdfast.llm.wire.ErrorInStreamException;
import dev.holdfast.llm.wire.HttpBounds;
import dev.holdfast.llm.wire.InvalidAnswerException;
import dev.holdfast.llm.wire.JsonTree;
import dev.holdfast.llm.wire.Transmission;
import dev.holdfast.llm.wire.VendorApi;
import java.time.Duration;
import java.util.Iterator;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Anthropic's messages through anthropic-java, one client for each key. */
public final class AnthropicApi implements VendorApi {
  static final String VENDOR_URL = "https://api.anthropic.com";

  private final String provider;
  private final Function<String, AnthropicClient> connect;
  private final Map<String, AnthropicClient> clients = new ConcurrentHashMap<>();

  /**
   * @param provider its name in the configuration
   */
  public AnthropicApi(String provider, @Nullable String baseUrl) {
    this(provider, key -> connect(baseUrl == null ? VENDOR_URL : baseUrl, key));
  }

  /**
   * @param connect makes the client of one key
   */
  AnthropicApi(String provider, Function<String, AnthropicClient> connect) {
    this.provider = provider;
    this.connect = connect;
  }

  @Override
  public CallResult exchange(ChatRequest request, String key, Transmission transmission) {
    // A redirect would send the key to another host.
    RequestOptions options =
        RequestOptions.builder().timeout(timeout(request.timeout())).followRedirects(false).build();
    AnthropicClient client =
        clients
            .computeIfAbsent(key, connect)
            .withOptions(one -> one.addInterceptor(http -> new TappedClient(http, transmission)));
    try (HttpResponseFor<StreamResponse<RawMessageStreamEvent>> response =
        client
            .messages()
            .withRawResponse()
            .createStreaming(AnthropicRequest.of(request, provider), options)) {
      if (transmission.isDocument()) {
        throw document(transmission.document());
      }
      EventReader reader = new EventReader(provider, transmission);
      read(response, reader);
      return reader.result();
    }
  }

  private static RuntimeException document(String text) {
    if (JsonTree.isError(text)) {
      return new ErrorInStreamException(text, new InvalidAnswerException("an error on 200", null));
    }
    String start = text.length() > 200 ? text.substring(0, 200) + "..." : text;
    return new InvalidAnswerException("HTTP 200 with no event stream: " + start.strip(), null);
  }

  private static void read(
      HttpResponseFor<StreamResponse<RawMessageStreamEvent>> response, EventReader reader) {
    try (StreamResponse<RawMessageStreamEvent> events = response.parse()) {
      Iterator<RawMessageStreamEvent> each = events.stream().iterator();
      while (!reader.isComplete() && each.hasNext()) {
        reader.accept(each.next());
      }
    } catch (SseException e) {
      throw new ErrorInStreamException(JsonTree.of(e.body().convert(Object.class)).toString(), e);
    } catch (AnthropicIoException e) {
      // Only the end of the transfer is missing, not of the answer, so the answer is not paid for
      // again.
      if (!reader.isAnswered()) {
        throw e;
      }
    }
  }

  private static AnthropicClient connect(String baseUrl, String key) {
    return AnthropicOkHttpClient.builder()
        .jsonMapper(SdkJson.MAPPER)
        .baseUrl(baseUrl)
        .apiKey(key)
        // The SDK would send a bearer token, which gateways that imitate Anthropic do not know.
        .putHeader("X-Api-Key", key)
        .maxRetries(0)
        .maxIdleConnections(HttpBounds.IDLE_CONNECTIONS)
        .keepAliveDuration(HttpBounds.KEEP_ALIVE)
        .build();
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
    clients.values().forEach(AnthropicClient::close);
  }

  /**
   * The SDK's JSON mapper, with Jackson's annotations alone. They describe the SDK's classes
   * completely, and asking Kotlin too takes a quarter of a process's first call. Made with the
   * first client.
   */
  private static final class SdkJson {
    static final JsonMapper MAPPER =
        ObjectMappers.jsonMapper()
            .rebuild()
            .annotationIntrospector(new JacksonAnnotationIntrospector())
            .build();
  }
}
