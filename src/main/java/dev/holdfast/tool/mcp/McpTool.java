package dev.holdfast.tool.mcp;

import dev.holdfast.failure.ShortText;
import dev.holdfast.llm.ToolSpec;
import dev.holdfast.tool.Tool;
import dev.holdfast.tool.ToolContext;
import io.modelcontextprotocol.spec.McpSchema;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.type.TypeReference;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A server's tool. Its own statements are believed: whether it only reads, or may run twice. */
final class McpTool implements Tool {
  private static final JsonMapper MAPPER = new JsonMapper();
  private static final int MAX_DESCRIPTION = 4096;

  private final McpServer server;
  private final String name;
  private final ToolSchema schema;
  private final ToolSpec spec;
  private final boolean reads;
  private final boolean idempotent;

  McpTool(McpServer server, McpSchema.Tool tool, String exposedName) {
    McpSchema.@Nullable ToolAnnotations hints = tool.annotations();
    this.server = server;
    this.name = tool.name();
    this.schema = ToolSchema.of(tool.inputSchema());
    this.spec = new ToolSpec(exposedName, description(tool), schema.shown());
    this.reads = hints != null && Boolean.TRUE.equals(hints.readOnlyHint());
    this.idempotent = reads || (hints != null && Boolean.TRUE.equals(hints.idempotentHint()));
  }

  private static String description(McpSchema.Tool tool) {
    return ShortText.of(Objects.requireNonNullElse(tool.description(), ""), MAX_DESCRIPTION);
  }

  @Override
  public ToolSpec spec() {
    return spec;
  }

  @Override
  public boolean isIdempotent() {
    return idempotent;
  }

  @Override
  public boolean runsAlone() {
    return !reads;
  }

  @Override
  public String call(JsonNode arguments, ToolContext context) throws InterruptedException {
    Map<String, Object> values = MAPPER.convertValue(arguments, new TypeReference<>() {});
    return server.call(name, schema.named(values));
  }
}
