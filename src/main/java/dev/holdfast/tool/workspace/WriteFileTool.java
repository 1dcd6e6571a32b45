package dev.holdfast.tool.workspace;

import dev.holdfast.tool.Tool;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import tools.jackson.databind.JsonNode;

/** Writes a whole file. Idempotent. */
final class WriteFileTool {
  private static final String DESCRIPTION =
      """
      Writes a whole file of the workspace, with the directories above it. What was in it is
      replaced. To change a part of a file use edit_file.
      """;

  static final String SCHEMA =
      """
      {"type": "object", "additionalProperties": false, "required": ["path", "content"],
       "properties": {
         "path": {"type": "string", "minLength": 1, "description": "relative to the workspace"},
         "content": {"type": "string", "description": "all of the file"}}}
      """;

  private WriteFileTool() {}

  static Tool of(Workspace workspace) {
    return new WorkspaceTool(
            "write_file",
            DESCRIPTION,
            SCHEMA,
            WorkspaceTool.Effect.REPLACES,
            arguments -> write(workspace, arguments))
        .withPreview(
            Set.of("content"),
            arguments ->
                PlannedDiff.of(
                    workspace,
                    arguments.get("path").asString(),
                    arguments.get("content").asString()));
  }

  private static String write(Workspace workspace, JsonNode arguments)
      throws IOException, InterruptedException {
    String path = arguments.get("path").asString();
    byte[] content = arguments.get("content").asString().getBytes(StandardCharsets.UTF_8);
    boolean isNew = workspace.write(path, content);
    return (isNew ? "Created " : "Replaced ") + path + ": " + content.length + " bytes.";
  }
}
