package dev.holdfast.tool.workspace;

import dev.holdfast.process.BaseEnvironment;
import dev.holdfast.process.OutputLimits;
import dev.holdfast.process.ProgramEnd;
import dev.holdfast.process.ProgramRun;
import dev.holdfast.tool.sandbox.Sandbox;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * Runs programs in a workspace, sandboxed and without the worker's secrets. Nothing of them is left
 * afterwards. Thread-safe.
 *
 * @param environment the worker's own, of which the programs get the harmless part
 * @param killGrace between asking a program to end and killing it
 */
record WorkspaceProgram(
    Workspace workspace, Sandbox sandbox, Map<String, String> environment, Duration killGrace) {
  private static final int HEAD = 8 * 1024;
  private static final int TAIL = 20 * 1024;

  WorkspaceProgram {
    environment = Map.copyOf(environment);
  }

  /**
   * @param variables on top of the usual ones
   * @param input what it reads on stdin
   * @throws IOException if it cannot be started
   */
  Sandbox.Ran run(
      List<String> command, Map<String, String> variables, String input, Duration timeout)
      throws IOException, InterruptedException {
    Map<String, String> all = BaseEnvironment.of(environment);
    all.putAll(Map.of("PAGER", "cat", "GIT_PAGER", "cat", "GIT_TERMINAL_PROMPT", "0"));
    all.putAll(variables);
    all.put(ProgramRun.RUN_ID, ProgramRun.newId());
    return sandbox.run(
        command,
        workspace.root(),
        words -> {
          try (ProgramRun run =
              ProgramRun.start(
                  words, workspace.root(), all, input, OutputLimits.merged(HEAD, TAIL))) {
            ProgramEnd end = run.await(timeout, killGrace);
            return new Sandbox.Ran(end, run.stdout().bothEnds());
          }
        });
  }
}
