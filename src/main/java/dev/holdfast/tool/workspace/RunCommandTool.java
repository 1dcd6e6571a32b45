package dev.holdfast.tool.workspace;

import dev.holdfast.process.ExitText;
import dev.holdfast.process.ProgramEnd;
import dev.holdfast.process.ProgramFinder;
import dev.holdfast.tool.ModelRetryException;
import dev.holdfast.tool.Tool;
import dev.holdfast.tool.sandbox.Sandbox;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import tools.jackson.databind.JsonNode;

/** Runs a program or a line of shell in the workspace. */
record RunCommandTool(WorkspaceProgram program) {
  private static final int DEFAULT_SECONDS = 120;

  private static final String DESCRIPTION =
      """
      Runs a program in the workspace and answers with its exit code and what it printed, stdout and
      stderr together. It reads nothing on stdin, and whatever it leaves running is killed when it
      ends. Of long output the beginning and the end are shown.
      """;

  static final String SCHEMA =
      """
      {"type": "object", "additionalProperties": false, "required": ["command"],
       "properties": {
         "command": {"type": ["string", "array"], "minLength": 1, "minItems": 1,
                     "items": {"type": "string"},
                     "description": "a line for /bin/sh, or a program and its arguments"},
         "timeout_seconds": {"type": "integer", "minimum": 1, "maximum": 600,
                             "description": "default 120"}}}
      """;

  static Tool of(WorkspaceProgram program) {
    return new WorkspaceTool(
            "run_command",
            DESCRIPTION + program.sandbox().description(),
            SCHEMA,
            WorkspaceTool.Effect.CHANGES,
            new RunCommandTool(program)::call)
        .withPreview(Set.of(), arguments -> preview(program, arguments));
  }

  private static String preview(WorkspaceProgram program, JsonNode arguments) {
    JsonNode command = arguments.get("command");
    return "$ "
        + (command.isString() ? command.stringValue() : command.toString())
        + "\nin "
        + program.workspace().root()
        + "\n"
        + program.sandbox().description().strip();
  }

  private String call(JsonNode arguments) throws IOException, InterruptedException {
    List<String> command = command(arguments.get("command"));
    Duration timeout = Duration.ofSeconds(arguments.path("timeout_seconds").asInt(DEFAULT_SECONDS));
    checkStart(command);
    Sandbox.Ran run = program.run(command, Map.of(), "", timeout);
    String output = run.output().isBlank() ? "[it printed nothing]" : run.output().stripTrailing();
    return switch (run.end()) {
      case ProgramEnd.Exited(int code) -> {
        String said = "exit code " + code + ExitText.signal(code) + "\n" + output;
        if (code != 0) {
          // A report in the same answer was written before the model saw this.
          throw new ModelRetryException(said);
        }
        yield said;
      }
      case ProgramEnd.TimedOut timedOut ->
          throw new ModelRetryException(
              ("Command timed out after %s seconds and was killed. It may have taken"
                      + " effect in part. Give it more timeout_seconds or less to do. Its"
                      + " output:\n%s")
                  .formatted(timeout.toSeconds(), output));
    };
  }

  private static List<String> command(JsonNode command) {
    if (command.isString()) {
      return List.of("/bin/sh", "-c", command.stringValue());
    }
    return command.valueStream().map(JsonNode::asString).toList();
  }

  /**
   * Checks that the program exists: in a sandbox a missing program would look like one that failed.
   */
  private void checkStart(List<String> command) {
    try {
      ProgramFinder.check(
          command.getFirst(), program.workspace().root(), program.environment().get("PATH"));
    } catch (IOException e) {
      throw new ModelRetryException(String.valueOf(e.getMessage()), e);
    }
  }
}
