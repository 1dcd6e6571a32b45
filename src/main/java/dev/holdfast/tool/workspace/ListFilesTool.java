package dev.holdfast.tool.workspace;

import dev.holdfast.tool.Tool;
import java.io.IOException;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** Lists what lies under a directory. */
final class ListFilesTool {
  private static final int MAX_ENTRIES = 500;
  private static final Duration TIME = Duration.ofSeconds(10);

  private static final String DESCRIPTION =
      """
      Lists the files and directories under a directory of the workspace with all that is below,
      sorted by path; files with their sizes. Links are not followed, .git is not entered. At most
      500 entries: narrow them with path and glob.
      """;

  static final String SCHEMA =
      """
      {"type": "object", "additionalProperties": false,
       "properties": {
         "path": {"type": "string", "description": "relative to the workspace; default all of it"},
         "glob": {"type": "string", "minLength": 1, "maxLength": 200,
                  "description": "only such files, as in *.java or src/**/*.java"}}}
      """;

  private ListFilesTool() {}

  static Tool of(Workspace workspace, LongSupplier nanoTime) {
    return new WorkspaceTool(
        "list_files",
        DESCRIPTION,
        SCHEMA,
        WorkspaceTool.Effect.READS,
        arguments -> list(workspace, arguments, new SearchDeadline(nanoTime, TIME)));
  }

  private static String list(Workspace workspace, JsonNode arguments, SearchDeadline deadline)
      throws IOException, InterruptedException {
    @Nullable Glob glob = arguments.has("glob") ? Glob.of(arguments.get("glob").asString()) : null;
    StringBuilder list = new StringBuilder();
    int[] entries = new int[1];
    WorkspaceWalk.of(
        workspace,
        arguments.path("path").asString("."),
        (path, attributes, opener) -> {
          deadline.check();
          if (glob != null && (attributes.isDirectory() || !glob.matches(path, deadline))) {
            return true;
          }
          if (++entries[0] > MAX_ENTRIES) {
            list.append("[more than ").append(MAX_ENTRIES).append(" entries: narrow the search]");
            return false;
          }
          list.append(line(path, attributes)).append('\n');
          return true;
        });
    return list.isEmpty() ? "[nothing found]" : list.toString().stripTrailing();
  }

  private static String line(String path, BasicFileAttributes attributes) {
    if (attributes.isDirectory()) {
      return path + "/";
    }
    if (attributes.isRegularFile()) {
      return path + " (" + attributes.size() + " bytes)";
    }
    return path + (attributes.isSymbolicLink() ? " (link)" : " (pipe, socket or device)");
  }
}
