package dev.holdfast.schema;

import com.networknt.schema.Error;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaException;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SchemaRegistryConfig;
import com.networknt.schema.SpecificationVersion;
import com.networknt.schema.path.PathType;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;

/** A JSON schema. Never loads another document, whatever a {@code $ref} says. Thread-safe. */
public final class JsonSchema {
  private static final SchemaRegistry REGISTRY =
      SchemaRegistry.withDefaultDialect(
          SpecificationVersion.DRAFT_2020_12,
          builder ->
              builder
                  .schemaLoader(
                      loader ->
                          loader.block(
                              iri -> !iri.toString().startsWith("https://json-schema.org/")))
                  .schemaRegistryConfig(
                      SchemaRegistryConfig.builder()
                          .locale(Locale.ENGLISH)
                          .pathType(PathType.JSON_POINTER)
                          .errorMessageKeyword("errorMessage")
                          .regularExpressionFactory(BoundedPattern::of)
                          .build()));

  /** The schema that every schema must fit. */
  private static final JsonNode META =
      JsonNodeFactory.instance
          .objectNode()
          .put("$ref", "https://json-schema.org/draft/2020-12/schema");

  private static final int SHOWN = 200;

  private final JsonNode document;
  private final SchemaProblem problem;
  private final Schema schema;
  private final boolean bounded;

  /**
   * Makes a schema that anybody may have written: its patterns have a time limit.
   *
   * @param whole what a checked document is called in a finding, such as {@code the design}
   * @throws com.networknt.schema.SchemaException if the document is no schema; some such documents
   *     are found out only when they are used
   */
  public JsonSchema(JsonNode document, String whole) {
    this(document, whole, hasPatterns(document));
  }

  private JsonSchema(JsonNode document, String whole, boolean bounded) {
    this.document = document;
    this.problem = new SchemaProblem(whole);
    this.schema = REGISTRY.getSchema(document);
    this.bounded = bounded;
  }

  /**
   * Makes a schema of our own. It can be checked even while many foreign ones do not come to an
   * end.
   */
  public static JsonSchema ofOwn(JsonNode document, String whole) {
    return new JsonSchema(document, whole, false);
  }

  /**
   * Returns true if the schema has patterns. Only a text counts as {@code pattern}, because a
   * property may have the name of the keyword.
   */
  private static boolean hasPatterns(JsonNode document) {
    return document.findValues("pattern").stream().anyMatch(JsonNode::isString)
        || document.findValue("patternProperties") != null;
  }

  /** Returns in one line why a document is no JSON schema; empty if it is one. */
  static String problemOf(JsonNode document) {
    try {
      List<String> problems = ofOwn(META, "the schema").problems(document);
      if (problems.isEmpty()) {
        new JsonSchema(document, "the value").problems(JsonNodeFactory.instance.objectNode());
        return "";
      }
      return problems.getFirst();
    } catch (SchemaException e) {
      return line(e);
    }
  }

  private static String line(SchemaException e) {
    String line = String.valueOf(e.getMessage()).lines().findFirst().orElse("");
    return line.length() > SHOWN ? line.substring(0, SHOWN) + "…" : line;
  }

  /** Returns the problems of a value. If it cannot be checked, that is the problem. */
  public List<String> problemsOrRefusal(JsonNode value) {
    try {
      return problems(value);
    } catch (SchemaException e) {
      return List.of(problem.plainPath("") + " cannot be checked: " + line(e));
    }
  }

  /**
   * Returns the problems of a value, one sentence each; empty if there are none.
   *
   * @throws com.networknt.schema.SchemaException if the value cannot be checked: the document is no
   *     schema, or has a pattern that does not come to an end
   */
  public List<String> problems(JsonNode value) {
    List<String> problems = new ArrayList<>();
    refuseNul("", value, problems);
    try {
      // The author of the keys may have put line ends into them.
      findings(value)
          .forEach(
              error ->
                  problems.add(problem.sentence(error, document).replaceAll("\\s*\\R\\s*", " ")));
    } catch (JacksonException e) {
      // A bound is compared in 64 bits, which cannot hold 1e400.
      problems.add(problem.plainPath("") + " has a number that is too large");
    }
    return problems;
  }

  private List<Error> findings(JsonNode value) {
    try {
      return bounded ? BoundedPattern.inTime(() -> schema.validate(value)) : schema.validate(value);
    } catch (StackOverflowError e) {
      throw new SchemaException("the schema refers to itself without end");
    } catch (IllegalArgumentException e) {
      // This happens, for example, with the address of a $ref that has half an escape.
      throw new SchemaException(e);
    }
  }

  /** Refuses NUL: PostgreSQL does not store it, and it cannot be given to a program. */
  private void refuseNul(String path, JsonNode node, List<String> problems) {
    if (node.isString() && node.stringValue().indexOf('\0') >= 0) {
      problems.add(problem.plainPath(path) + " contains a NUL character: remove it");
    }
    for (Map.Entry<String, JsonNode> each : node.properties()) {
      if (each.getKey().indexOf('\0') >= 0) {
        problems.add(
            "a key in " + problem.plainPath(path) + " contains a NUL character: remove it");
      }
      refuseNul(path + "/" + escaped(each.getKey()), each.getValue(), problems);
    }
    for (int i = 0; node.isArray() && i < node.size(); i++) {
      refuseNul(path + "/" + i, node.get(i), problems);
    }
  }

  /** Returns the key as a segment of a JSON pointer. */
  private static String escaped(String key) {
    return key.replace("~", "~0").replace("/", "~1");
  }
}
