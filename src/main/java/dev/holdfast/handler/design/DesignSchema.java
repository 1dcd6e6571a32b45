package dev.holdfast.handler.design;

import dev.holdfast.schema.JsonSchema;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;
import tools.jackson.databind.JsonNode;

/** One kind's JSON schema. Thread-safe. */
final class DesignSchema {
  private final JsonSchema schema;

  private DesignSchema(JsonNode document) {
    this.schema = JsonSchema.ofOwn(document, "the design");
  }

  static DesignSchema of(JsonNode document) {
    return new DesignSchema(document);
  }

  static DesignSchema ofKind(String kind) {
    String resource = "/dev/holdfast/handler/design-" + kind + ".schema.json";
    try (InputStream in = DesignSchema.class.getResourceAsStream(resource)) {
      if (in == null) {
        throw new IllegalStateException("the kind " + kind + " has no schema " + resource);
      }
      return of(DesignText.JSON.readTree(in));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The problems of the design, one sentence each; empty if there are none. */
  List<String> problems(JsonNode design) {
    return schema.problems(design);
  }
}
