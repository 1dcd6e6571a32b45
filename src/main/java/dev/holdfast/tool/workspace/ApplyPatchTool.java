package dev.holdfast.tool.workspace;

import dev.holdfast.process.ProgramEnd;
import dev.holdfast.tool.FileOperationException;
import dev.holdfast.tool.ModelRetryException;
import dev.holdfast.tool.Tool;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import tools.jackson.databind.JsonNode;

/**
 * Applies a unified diff with git, all of it or nothing. Not idempotent: a second time it does not
 * apply. Git sees no repository and no configuration: neither could make it run anything.
 */
final class ApplyPatchTool {
  private static final Duration TIMEOUT = Duration.ofSeconds(60);

  private static final String DESCRIPTION =
      """
      Applies a unified diff, as git diff prints it, to the files of the workspace: all of it or,
      where a part does not fit, nothing. Paths begin with a/ and b/.
      """;

  private static final String SCHEMA =
      """
      {"type": "object", "additionalProperties": false, "required": ["patch"],
       "properties": {"patch": {"type": "string", "minLength": 1}}}
      """;

  private final WorkspaceProgram program;

  private ApplyPatchTool(WorkspaceProgram program) {
    this.program = program;
  }

  static Tool of(WorkspaceProgram program) {
    return new WorkspaceTool(
            "apply_patch",
            DESCRIPTION,
            SCHEMA,
            WorkspaceTool.Effect.CHANGES,
            new ApplyPatchTool(program)::call)
        .withPreview(Set.of(), arguments -> arguments.get("patch").asString());
  }

  private String call(JsonNode arguments) throws IOException, InterruptedException {
    String given = arguments.get("patch").asString();
    String patch = given.endsWith("\n") ? given : given + "\n";
    WorkspaceProgram.Run check = git(patch, "--check");
    if (!isSuccess(check)) {
      throw new ModelRetryException(
          "The patch does not apply, nothing was changed:\n" + check.output().strip());
    }
    WorkspaceProgram.Run applied = git(patch, "--verbose");
    if (!isSuccess(applied)) {
      throw new FileOperationException(
          "git could not apply a patch that it had found good: " + applied.output().strip());
    }
    return applied.output().strip();
  }

  private static boolean isSuccess(WorkspaceProgram.Run run) {
    return run.end().equals(new ProgramEnd.Exited(0));
  }

  private WorkspaceProgram.Run git(String patch, String option)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of("git", "apply", option, "-"));
    String parent = String.valueOf(program.workspace().root().getParent());
    Map<String, String> isolation =
        Map.of(
            "LC_ALL", "C",
            "GIT_DIR", "/dev/null",
            "GIT_CEILING_DIRECTORIES", parent,
            "GIT_CONFIG_NOSYSTEM", "1",
            "GIT_CONFIG_GLOBAL", "/dev/null");
    return program.run(command, isolation, patch, TIMEOUT);
  }
}
