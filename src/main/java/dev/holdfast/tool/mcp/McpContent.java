package dev.holdfast.tool.mcp;

import io.modelcontextprotocol.json.McpJsonMapper;
import io.modelcontextprotocol.json.TypeRef;
import io.modelcontextprotocol.spec.McpSchema;
import io.modelcontextprotocol.spec.McpSchema.CallToolResult;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Reads a server's answer. The SDK refuses a tool's whole result if the type of one part is newer
 * than the SDK.
 */
final class McpContent {
  private static final String PARTS = "content";

  private McpContent() {}

  /** Returns the answer; a note replaces each part of a tool's result that cannot be read. */
  static <T> T read(McpJsonMapper mapper, Object answer, TypeRef<T> type) {
    boolean isResult = type.getType() == CallToolResult.class;
    if (!isResult
        || !(answer instanceof Map<?, ?> result)
        || !(result.get(PARTS) instanceof List<?> parts)) {
      return mapper.convertValue(answer, type);
    }
    Map<Object, Object> readable = new LinkedHashMap<>(result);
    readable.put(PARTS, readable(mapper, parts));
    return mapper.convertValue(readable, type);
  }

  private static List<Object> readable(McpJsonMapper mapper, List<?> parts) {
    List<Object> readable = new ArrayList<>();
    for (Object part : parts) {
      readable.add(isReadable(mapper, part) ? part : note(part));
    }
    return readable;
  }

  private static boolean isReadable(McpJsonMapper mapper, Object part) {
    try {
      return mapper.convertValue(part, McpSchema.Content.class) != null;
    } catch (RuntimeException e) {
      return false;
    }
  }

  private static Map<String, String> note(Object part) {
    Object type =
        part instanceof Map<?, ?> map && map.get("type") instanceof String named
            ? named
            : "unknown";
    return Map.of("type", "text", "text", "[content of type " + type + " is not shown]");
  }
}
