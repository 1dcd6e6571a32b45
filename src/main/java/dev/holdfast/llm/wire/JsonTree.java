package dev.holdfast.llm.wire;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Converts between our JSON trees and the plain maps and lists of the vendors' SDKs. */
public final class JsonTree {
  private static final JsonMapper MAPPER = JsonMapper.shared();

  private JsonTree() {}

  /**
   * Returns maps, lists, strings, numbers and booleans. A text that was cut may end in half a
   * character. It would be written as half an escape, and vendors refuse the whole request for that
   * as invalid JSON.
   */
  public static Object plain(JsonNode node) {
    return Objects.requireNonNull(whole(MAPPER.readerFor(Object.class).readValue(node)));
  }

  private static @Nullable Object whole(@Nullable Object plain) {
    return switch (plain) {
      case String text -> new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8);
      case List<?> list ->
          list.stream().map(JsonTree::whole).collect(Collectors.toCollection(ArrayList::new));
      case Map<?, ?> map -> {
        Map<Object, @Nullable Object> copy = new LinkedHashMap<>();
        map.forEach((key, value) -> copy.put(whole(key), whole(value)));
        yield copy;
      }
      case null, default -> plain;
    };
  }

  public static JsonNode of(@Nullable Object plain) {
    return MAPPER.valueToTree(plain);
  }

  /** Reads a text; returns a missing node where it is no JSON. */
  public static JsonNode parse(String text) {
    return ErrorBody.parse(text);
  }

  /** True if a document on HTTP 200 says that it is an error. */
  public static boolean isError(String document) {
    return ErrorBody.isError(document);
  }
}
