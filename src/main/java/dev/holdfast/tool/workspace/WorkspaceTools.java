package dev.holdfast.tool.workspace;

import dev.holdfast.schema.JsonSchema;
import dev.holdfast.schema.NearestKey;
import dev.holdfast.tool.ConfigurationException;
import dev.holdfast.tool.Tool;
import dev.holdfast.tool.patch.PatchLimits;
import dev.holdfast.tool.sandbox.Sandbox;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The tools of a workspace, by the names that designs use. */
public final class WorkspaceTools {
  private static final Duration KILL_GRACE = Duration.ofSeconds(2);

  private static final int MAX_PROBLEMS = 5;

  private static final Map<String, String> SCHEMAS =
      Map.of(
          "read_file", ReadFileTool.SCHEMA,
          "write_file", WriteFileTool.SCHEMA,
          "edit_file", EditFileTool.SCHEMA,
          "list_files", ListFilesTool.SCHEMA,
          "grep", GrepTool.SCHEMA,
          "run_command", RunCommandTool.SCHEMA,
          "apply_patch", ApplyPatchTool.SCHEMA);

  private final Map<String, Tool> tools = new LinkedHashMap<>();

  /**
   * @param environment the worker's own, of which programs get the harmless part
   * @param patches what {@code apply_patch} may change at once
   * @param nanoTime for the deadlines of searches
   */
  public WorkspaceTools(
      Workspace workspace,
      Sandbox sandbox,
      Map<String, String> environment,
      PatchLimits patches,
      LongSupplier nanoTime) {
    WorkspaceProgram program = new WorkspaceProgram(workspace, sandbox, environment, KILL_GRACE);
    for (Tool tool :
        List.of(
            ReadFileTool.of(workspace),
            WriteFileTool.of(workspace),
            EditFileTool.of(workspace),
            ListFilesTool.of(workspace, nanoTime),
            GrepTool.of(workspace, nanoTime),
            RunCommandTool.of(program),
            ApplyPatchTool.of(program, patches))) {
      tools.put(tool.spec().name(), tool);
    }
  }

  /** True if one of the tools starts programs. */
  public static boolean runPrograms(List<String> names) {
    return names.contains("run_command") || names.contains("apply_patch");
  }

  /**
   * Says why a tool does not accept these arguments, in one line. Empty where it does, and for
   * tools that are not known here, such as those of MCP servers.
   */
  public static String problem(String tool, JsonNode arguments) {
    String schema = SCHEMAS.get(tool);
    if (schema == null) {
      return "";
    }
    List<String> problems =
        JsonSchema.ofOwn(JsonMapper.shared().readTree(schema), "the arguments").problems(arguments);
    return String.join("; ", problems.subList(0, Math.min(MAX_PROBLEMS, problems.size())));
  }

  /** Returns all tools. */
  public List<Tool> all() {
    return List.copyOf(tools.values());
  }

  /**
   * @throws ConfigurationException if there is no tool of a name; it names the nearest
   */
  public List<Tool> named(List<String> names) {
    List<Tool> chosen = new ArrayList<>();
    for (String name : names) {
      Tool tool = tools.get(name);
      if (tool == null) {
        throw new ConfigurationException(
            "there is no tool \"" + name + "\": " + NearestKey.hint(name, tools.keySet()));
      }
      chosen.add(tool);
    }
    return chosen;
  }
}
