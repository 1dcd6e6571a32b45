package dev.holdfast.tool.mcp;

import io.modelcontextprotocol.json.McpJsonMapper;
import io.modelcontextprotocol.json.TypeRef;
import io.modelcontextprotocol.spec.McpSchema;
import io.modelcontextprotocol.spec.McpSchema.CallToolResult;
import io.modelcontextprotocol.spec.McpSchema.InitializeResult;
import io.modelcontextprotocol.spec.McpSchema.ListToolsResult;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads a server's answer. The SDK refuses a whole answer if one part is newer than the SDK or odd,
 * even one that nobody needs.
 */
final class McpContent {
  private static final Logger log = LoggerFactory.getLogger(McpContent.class);

  /** The keys of what a server says of itself that are used. */
  private static final Set<String> OF_SERVER = Set.of("name", "version");

  /** The keys of a listed tool that are used. */
  private static final Set<String> OF_TOOL =
      Set.of("name", "description", "inputSchema", "annotations");

  /** The keys of a call's result that are used. */
  private static final Set<String> OF_RESULT = Set.of("content", "structuredContent", "isError");

  /** The keys of a result's part that are not used. */
  private static final Set<String> NOT_OF_PART = Set.of("annotations", "_meta");

  private McpContent() {}

  /**
   * Returns the answer. A note replaces each part of a tool's result that cannot be read, and a
   * listed tool that cannot be read is left out.
   */
  static <T> T read(McpJsonMapper mapper, Object answer, TypeRef<T> type) {
    if (!(answer instanceof Map<?, ?> given)) {
      return mapper.convertValue(answer, type);
    }
    Map<Object, Object> readable = new LinkedHashMap<>(given);
    if (type.getType() == InitializeResult.class) {
      readable.computeIfPresent("serverInfo", (key, info) -> only(OF_SERVER, info));
    } else if (type.getType() == ListToolsResult.class) {
      readable.computeIfPresent("tools", (key, tools) -> tools(mapper, tools));
    } else if (type.getType() == CallToolResult.class) {
      readable.keySet().retainAll(OF_RESULT);
      readable.computeIfPresent("content", (key, content) -> parts(mapper, content));
    }
    return mapper.convertValue(readable, type);
  }

  private static Object tools(McpJsonMapper mapper, Object listed) {
    if (!(listed instanceof List<?> tools)) {
      return listed;
    }
    List<Object> readable = new ArrayList<>();
    for (Object each : tools) {
      Map<Object, Object> tool = only(OF_TOOL, each);
      if (tool.get("name") instanceof String && isReadable(mapper, tool, McpSchema.Tool.class)) {
        readable.add(tool);
      } else {
        log.warn("An MCP server lists a tool that is no tool: {} is left out", tool.get("name"));
      }
    }
    return readable;
  }

  private static List<Object> parts(McpJsonMapper mapper, Object content) {
    List<Object> readable = new ArrayList<>();
    for (Object each : content instanceof List<?> parts ? parts : List.of(content)) {
      Map<Object, Object> part =
          each instanceof String text ? new LinkedHashMap<>(text(text)) : copy(each);
      part.keySet().removeAll(NOT_OF_PART);
      readable.add(isReadable(mapper, part, McpSchema.Content.class) ? part : note(part));
    }
    return readable;
  }

  /** Returns a copy of an object; an empty one for what is none. */
  private static Map<Object, Object> copy(Object value) {
    return value instanceof Map<?, ?> map ? new LinkedHashMap<>(map) : new LinkedHashMap<>();
  }

  private static Map<Object, Object> only(Set<String> keys, Object value) {
    Map<Object, Object> copy = copy(value);
    copy.keySet().retainAll(keys);
    return copy;
  }

  private static boolean isReadable(McpJsonMapper mapper, Object part, Class<?> type) {
    try {
      return mapper.convertValue(part, type) != null;
    } catch (RuntimeException e) {
      return false;
    }
  }

  private static Map<String, String> note(Map<?, ?> part) {
    Object type = part.get("type") instanceof String named ? named : "unknown";
    return text("[content of type " + type + " is not shown]");
  }

  private static Map<String, String> text(String text) {
    return Map.of("type", "text", "text", text);
  }
}
