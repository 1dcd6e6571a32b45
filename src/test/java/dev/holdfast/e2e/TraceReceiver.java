package dev.holdfast.e2e;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest;
import io.opentelemetry.proto.common.v1.KeyValue;
import io.opentelemetry.proto.trace.v1.Span;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import java.util.zip.GZIPInputStream;
import org.jspecify.annotations.Nullable;

/** What takes traces by OTLP over HTTP, as a collector does. */
final class TraceReceiver implements AutoCloseable {
  /** A span as one looks at it. */
  record Seen(Span span) {
    String name() {
      return span.getName();
    }

    String id() {
      return HexFormat.of().formatHex(span.getSpanId().toByteArray());
    }

    String trace() {
      return HexFormat.of().formatHex(span.getTraceId().toByteArray());
    }

    String parent() {
      return HexFormat.of().formatHex(span.getParentSpanId().toByteArray());
    }

    List<String> links() {
      return span.getLinksList().stream()
          .map(link -> HexFormat.of().formatHex(link.getSpanId().toByteArray()))
          .toList();
    }

    /** The value of an attribute as text; null where there is none. */
    @Nullable String get(String attribute) {
      return span.getAttributesList().stream()
          .filter(each -> each.getKey().equals(attribute))
          .map(KeyValue::getValue)
          .map(
              value ->
                  switch (value.getValueCase()) {
                    case INT_VALUE -> Long.toString(value.getIntValue());
                    case DOUBLE_VALUE -> Double.toString(value.getDoubleValue());
                    default -> value.getStringValue();
                  })
          .findFirst()
          .orElse(null);
    }
  }

  private final HttpServer server;
  private final List<Seen> spans = new CopyOnWriteArrayList<>();
  private final List<String> all = new CopyOnWriteArrayList<>();

  private TraceReceiver(HttpServer server) {
    this.server = server;
  }

  static TraceReceiver start() throws IOException {
    TraceReceiver receiver =
        new TraceReceiver(HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0));
    receiver.server.createContext("/v1/traces", receiver::take);
    receiver.server.start();
    return receiver;
  }

  String endpoint() {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  private void take(HttpExchange exchange) throws IOException {
    try (exchange;
        InputStream body = exchange.getRequestBody()) {
      boolean zipped = "gzip".equals(exchange.getRequestHeaders().getFirst("Content-Encoding"));
      ExportTraceServiceRequest request =
          ExportTraceServiceRequest.parseFrom(zipped ? new GZIPInputStream(body) : body);
      all.add(request.toString());
      // At once: who sees one of them sees all.
      spans.addAll(
          request.getResourceSpansList().stream()
              .flatMap(each -> each.getScopeSpansList().stream())
              .flatMap(each -> each.getSpansList().stream())
              .map(Seen::new)
              .toList());
      exchange.sendResponseHeaders(200, -1);
    }
  }

  /** Everything that came, as text. */
  String text() {
    return String.join("\n", all);
  }

  List<Seen> named(String name) {
    return spans.stream().filter(each -> each.name().equals(name)).toList();
  }

  /** The one span of a name. */
  Seen only(String name) {
    List<Seen> found = named(name);
    if (found.size() != 1) {
      throw new AssertionError(
          found.size()
              + " spans "
              + name
              + " of "
              + spans.stream().map(Seen::name).collect(Collectors.joining(", ")));
    }
    return found.getFirst();
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
