package dev.holdfast.llm.wire;

import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Between our JSON trees and the plain maps and lists that the vendors' SDKs take and give. */
public final class JsonTree {
  private static final JsonMapper MAPPER = JsonMapper.shared();

  private JsonTree() {}

  /** Maps, lists, strings, numbers and booleans. */
  public static Object plain(JsonNode node) {
    return MAPPER.treeToValue(node, Object.class);
  }

  public static JsonNode of(@Nullable Object plain) {
    return MAPPER.valueToTree(plain);
  }

  /** A missing node where the text is no JSON. */
  public static JsonNode parse(String text) {
    return ErrorBody.parse(text);
  }

  /** True if a document on HTTP 200 says that it is an error. */
  public static boolean isError(String document) {
    return ErrorBody.isError(document);
  }
}
