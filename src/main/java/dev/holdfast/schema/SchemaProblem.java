package dev.holdfast.schema;

import com.networknt.schema.Error;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.core.JsonPointer;
import tools.jackson.databind.JsonNode;

/** Explains a schema's finding in one sentence to the author of the document. */
record SchemaProblem(String whole) {
  String sentence(Error error, JsonNode schema) {
    String path = plainPath(error.getInstanceLocation().toString());
    return switch (error.getKeyword()) {
      case "required" -> missing(path, error, schema);
      case "additionalProperties", "unevaluatedProperties" -> unknownKey(path, error, schema);
      case "type" -> wrongType(path, error);
      case "enum" ->
          "%s must be one of %s, not %s"
              .formatted(path, words(error.getSchemaNode()), shown(error.getInstanceNode()));
      case "pattern" -> path + ": " + shown(error.getInstanceNode()) + " " + error.getMessage();
      default -> path + ": " + error.getMessage();
    };
  }

  /** Writes {@code /command/0} as {@code command[0]}, and the whole document by its name. */
  String plainPath(String pointer) {
    StringBuilder path = new StringBuilder();
    for (JsonPointer at = JsonPointer.compile(pointer); !at.matches(); at = at.tail()) {
      if (at.mayMatchElement()) {
        path.append('[').append(at.getMatchingIndex()).append(']');
      } else {
        path.append(path.isEmpty() ? "" : ".").append(at.getMatchingProperty());
      }
    }
    return path.isEmpty() ? whole : path.toString();
  }

  private static String missing(String path, Error error, JsonNode schema) {
    String key = error.getProperty();
    String description = siblings(error, schema).path(key).path("description").asString("");
    return "\"%s\" is missing in %s%s"
        .formatted(key, path, description.isEmpty() ? "" : ": " + description);
  }

  private static String unknownKey(String path, Error error, JsonNode schema) {
    String key = error.getProperty();
    List<String> known = new ArrayList<>(siblings(error, schema).propertyNames());
    return "unknown key \"" + key + "\" in " + path + ": " + NearestKey.hint(key, known);
  }

  private static String wrongType(String path, Error error) {
    JsonNode given = error.getInstanceNode();
    String wanted = words(error.getSchemaNode());
    String quote =
        wanted.equals("string") && given.isValueNode() && !given.isNull()
            ? ": put it in quotes"
            : "";
    return path + " must be of type " + wanted + ", not " + shown(given) + quote;
  }

  /** Returns the properties that the schema knows where it found the error. */
  private static JsonNode siblings(Error error, JsonNode schema) {
    String fragment = error.getSchemaLocation().getFragment().toString();
    return schema.at(JsonPointer.compile(fragment).head()).path("properties");
  }

  private static String words(JsonNode node) {
    if (!node.isArray()) {
      return node.asString();
    }
    return node.valueStream().map(JsonNode::asString).toList().toString();
  }

  private static String shown(JsonNode node) {
    String text = node.toString();
    return text.length() > 60 ? text.substring(0, 60) + "…" : text;
  }
}
