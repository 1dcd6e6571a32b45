package dev.holdfast.tool.workspace;

import dev.holdfast.tool.Tool;
import java.io.IOException;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** Lists the content of a directory. */
final class ListFilesTool implements WorkspaceWalk.Visitor {
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

  private final @Nullable Glob glob;
  private final SearchDeadline deadline;
  private final StringBuilder list = new StringBuilder();
  private final PassedOver passedOver = new PassedOver();
  private int entries;

  private ListFilesTool(JsonNode arguments, SearchDeadline deadline) {
    this.glob = arguments.has("glob") ? Glob.of(arguments.get("glob").asString()) : null;
    this.deadline = deadline;
  }

  static Tool of(Workspace workspace, LongSupplier nanoTime) {
    return new WorkspaceTool(
        "list_files",
        DESCRIPTION,
        SCHEMA,
        WorkspaceTool.Effect.READS,
        arguments ->
            SearchThread.run(
                () ->
                    new ListFilesTool(arguments, new SearchDeadline(nanoTime, TIME))
                        .list(workspace, arguments.path("path").asString(".")),
                TIME));
  }

  private String list(Workspace workspace, String path) throws IOException, InterruptedException {
    WorkspaceWalk.of(workspace, path, this);
    return passedOver.behind(list);
  }

  @Override
  public boolean visit(String path, BasicFileAttributes attributes, WorkspaceWalk.Opener opener) {
    deadline.check();
    if (glob != null && (attributes.isDirectory() || !glob.matches(path, deadline))) {
      return true;
    }
    if (++entries > MAX_ENTRIES) {
      list.append("[more than ").append(MAX_ENTRIES).append(" entries: narrow the search]\n");
      return false;
    }
    list.append(line(path, attributes)).append('\n');
    return true;
  }

  @Override
  public void passOver(String path, String why) {
    passedOver.add(path, why);
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
