package dev.holdfast.web;

import dev.holdfast.web.access.Role;
import io.javalin.http.Context;
import io.javalin.router.JavalinDefaultRoutingApi;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import tools.jackson.databind.JsonNode;
import tools.jackson.dataformat.yaml.YAMLMapper;

/** {@code GET /openapi.json}: what the API is, in OpenAPI 3.1. */
final class OpenApiRoute implements Routes {
  /**
   * The document in bytes. It is encoded once, because anybody may ask for it, often, and never
   * read it. It is made only when somebody asks, because a worker that starts has no time to read
   * so much YAML.
   */
  private static final class Document {
    static final byte[] BYTES = Bodies.json(read()).getBytes(StandardCharsets.UTF_8);
  }

  @Override
  public void addTo(JavalinDefaultRoutingApi routes) {
    routes.get("/openapi.json", this::show, Role.ANYONE);
  }

  private void show(Context context) {
    context.contentType("application/json").result(Document.BYTES);
  }

  /** Reads the document, which is written as YAML because people can read that. */
  static JsonNode read() {
    try (InputStream in = OpenApiRoute.class.getResourceAsStream("openapi.yaml")) {
      if (in == null) {
        throw new IllegalStateException("the jar lacks openapi.yaml");
      }
      return new YAMLMapper().readTree(in);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
