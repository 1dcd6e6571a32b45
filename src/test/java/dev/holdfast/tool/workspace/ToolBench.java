package dev.holdfast.tool.workspace;

import dev.holdfast.llm.ToolCall;
import dev.holdfast.secret.Secrets;
import dev.holdfast.tool.ParallelToolBox;
import dev.holdfast.tool.TimeLeft;
import dev.holdfast.tool.ToolReply;
import dev.holdfast.tool.ToolSettings;
import dev.holdfast.tool.patch.PatchLimits;
import dev.holdfast.tool.sandbox.Sandbox;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import tools.jackson.databind.json.JsonMapper;

/** Calls the tools of a workspace as a model does. */
record ToolBench(ParallelToolBox box) {
  static final String SECRET = "sk-very-secret";
  private static final JsonMapper MAPPER = new JsonMapper();

  static ToolBench of(Path directory, Sandbox sandbox, LongSupplier nanoTime) throws IOException {
    Map<String, String> environment = new HashMap<>(System.getenv());
    environment.put("OPENAI_API_KEY", SECRET);
    WorkspaceTools tools =
        new WorkspaceTools(
            Workspace.of(directory), sandbox, environment, PatchLimits.DEFAULT, nanoTime);
    return new ToolBench(
        new ParallelToolBox(
            tools.all(),
            ToolSettings.defaults().withSecrets(Secrets.of(Map.of(SECRET, "KEY"))),
            time -> {},
            () -> 0,
            TimeLeft.UNBOUNDED,
            List.of()));
  }

  static ToolBench of(Path directory) throws IOException {
    return of(directory, new Sandbox.None("this test needs none"), System::nanoTime);
  }

  ToolReply call(String tool, Map<String, ?> arguments) throws InterruptedException {
    return box.run(List.of(toCall(tool, arguments))).getFirst();
  }

  static ToolCall toCall(String tool, Map<String, ?> arguments) {
    return new ToolCall("1", tool, MAPPER.writeValueAsString(arguments));
  }

  String text(String tool, Map<String, ?> arguments) throws InterruptedException {
    return call(tool, arguments).content();
  }
}
