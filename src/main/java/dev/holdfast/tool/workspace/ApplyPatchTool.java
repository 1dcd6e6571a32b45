package dev.holdfast.tool.workspace;

import dev.holdfast.tool.FileOperationException;
import dev.holdfast.tool.ModelRetryException;
import dev.holdfast.tool.Tool;
import dev.holdfast.tool.git.GitProgram;
import dev.holdfast.tool.patch.PatchApplier;
import dev.holdfast.tool.patch.PatchLimits;
import dev.holdfast.tool.patch.PatchResult;
import java.io.IOException;
import java.util.Set;
import tools.jackson.databind.JsonNode;

/**
 * Applies a patch with git, all of it or nothing. It is not idempotent, because the patch does not
 * apply a second time. Git sees no repository and no configuration, so that neither can make it run
 * anything.
 */
record ApplyPatchTool(Workspace workspace, PatchApplier applier) {
  private static final String DESCRIPTION =
      """
      Applies a unified diff, as git diff prints it, to the files of the workspace: all of it or,
      where a part does not fit, nothing. Paths begin with a/ and b/. Search/replace blocks and
      whole-file blocks, each below a line with the path, are taken too.
      """;

  static final String SCHEMA =
      """
      {"type": "object", "additionalProperties": false, "required": ["patch"],
       "properties": {"patch": {"type": "string", "minLength": 1}}}
      """;

  static Tool of(WorkspaceProgram program, PatchLimits limits) {
    GitProgram git = new GitProgram(program.environment(), program.sandbox()::wrap);
    ApplyPatchTool tool = new ApplyPatchTool(program.workspace(), new PatchApplier(git, limits));
    return new WorkspaceTool(
            "apply_patch", DESCRIPTION, SCHEMA, WorkspaceTool.Effect.CHANGES, tool::call)
        .withPreview(Set.of(), arguments -> arguments.get("patch").asString());
  }

  private String call(JsonNode arguments) throws IOException, InterruptedException {
    return switch (applier.apply(workspace.root(), arguments.get("patch").asString())) {
      case PatchResult.Applied applied ->
          "Applied: %s lines added, %s removed in %s."
              .formatted(
                  applied.linesAdded(),
                  applied.linesRemoved(),
                  String.join(", ", applied.filesChanged()));
      case PatchResult.NoOp noOp -> "The patch changes nothing.";
      case PatchResult.Rejected(PatchResult.Kind kind, String explanation, String hash) ->
          throw kind == PatchResult.Kind.GIT_FAILED
              ? new FileOperationException(explanation)
              : new ModelRetryException(explanation);
    };
  }
}
