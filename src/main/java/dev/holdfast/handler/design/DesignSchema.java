package dev.holdfast.handler.design;

import com.networknt.schema.Schema;
import dev.holdfast.schema.SafeSchemas;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.JsonNode;

/**
 * One kind's JSON Schema. Never loads another document, whatever a {@code $ref} says. Thread-safe.
 */
final class DesignSchema {
  private final JsonNode document;
  private final Schema schema;

  private DesignSchema(JsonNode document) {
    this.document = document;
    this.schema = SafeSchemas.of(document);
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

  /** What is wrong with the design, one sentence each; empty if nothing is. */
  List<String> problems(JsonNode design) {
    List<String> problems = new ArrayList<>();
    refuseNul("", design, problems);
    schema.validate(design).forEach(error -> problems.add(DesignProblem.sentence(error, document)));
    return problems;
  }

  /** PostgreSQL stores no NUL, and no program can be given one. */
  private static void refuseNul(String path, JsonNode node, List<String> problems) {
    if (node.isString() && node.stringValue().indexOf('\0') >= 0) {
      problems.add(DesignProblem.plainPath(path) + " contains a NUL character: remove it");
    }
    for (Map.Entry<String, JsonNode> each : node.properties()) {
      if (each.getKey().indexOf('\0') >= 0) {
        problems.add(
            "a key in " + DesignProblem.plainPath(path) + " contains a NUL character: remove it");
      }
      refuseNul(path + "/" + each.getKey(), each.getValue(), problems);
    }
    for (int i = 0; node.isArray() && i < node.size(); i++) {
      refuseNul(path + "/" + i, node.get(i), problems);
    }
  }
}
