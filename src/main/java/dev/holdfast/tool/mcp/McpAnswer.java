package dev.holdfast.tool.mcp;

import io.modelcontextprotocol.spec.McpSchema;
import io.modelcontextprotocol.spec.McpSchema.CallToolResult;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import tools.jackson.databind.json.JsonMapper;

/** Turns a tool's result into text for a model; content that is no text is described. */
final class McpAnswer {
  private static final JsonMapper MAPPER = new JsonMapper();

  private McpAnswer() {}

  static String text(CallToolResult result) {
    List<McpSchema.Content> parts = Objects.requireNonNullElse(result.content(), List.of());
    if (parts.isEmpty() && result.structuredContent() != null) {
      return MAPPER.writeValueAsString(result.structuredContent());
    }
    String text = parts.stream().map(McpAnswer::part).collect(Collectors.joining("\n"));
    return text.isBlank() ? "[the tool answered nothing]" : text;
  }

  private static String part(McpSchema.Content part) {
    return switch (part) {
      case McpSchema.TextContent text -> String.valueOf(text.text());
      case McpSchema.EmbeddedResource embedded -> resource(embedded.resource());
      case McpSchema.ResourceLink link -> "[a link to " + link.name() + ": " + link.uri() + "]";
      case McpSchema.ImageContent image -> binary("an image", image.mimeType(), image.data());
      case McpSchema.AudioContent audio -> binary("a sound", audio.mimeType(), audio.data());
      default -> "[something of type " + part.type() + "]";
    };
  }

  private static String resource(McpSchema.ResourceContents resource) {
    return switch (resource) {
      case McpSchema.TextResourceContents text -> text.uri() + ":\n" + text.text();
      case McpSchema.BlobResourceContents blob ->
          binary("the file " + blob.uri(), blob.mimeType(), blob.blob());
      default -> "[a resource " + resource.uri() + "]";
    };
  }

  /** Describes binary content. Base64 has four characters for three bytes. */
  private static String binary(String what, String mimeType, String data) {
    long bytes = String.valueOf(data).length() * 3L / 4;
    return "[" + what + ", " + mimeType + ", about " + bytes + " bytes, not shown]";
  }
}
