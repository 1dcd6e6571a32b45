package dev.holdfast.handler.agent;

import dev.holdfast.retry.Sleeper;
import dev.holdfast.tool.ParallelToolBox;
import dev.holdfast.tool.TimeLeft;
import dev.holdfast.tool.Tool;
import dev.holdfast.tool.ToolBox;
import dev.holdfast.tool.ToolSettings;
import dev.holdfast.tool.mcp.McpServers;
import dev.holdfast.tool.mcp.McpSettings;
import dev.holdfast.tool.sandbox.Sandbox;
import dev.holdfast.tool.sandbox.Sandboxes;
import dev.holdfast.tool.workspace.Workspace;
import dev.holdfast.tool.workspace.WorkspaceTools;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.DoubleSupplier;
import java.util.function.LongSupplier;

/** Puts the tools of a design together. Thread-safe. */
final class AgentTools {
  private final ToolSettings settings;
  private final Map<String, String> environment;
  private final Sandboxes sandboxes;
  private final Sleeper sleeper;
  private final LongSupplier nanoTime;
  private final DoubleSupplier random;

  AgentTools(AgentSettings settings, AgentPorts ports) {
    this.settings = settings.tools();
    this.environment = ports.environment();
    this.sandboxes = ports.sandboxes();
    this.sleeper = ports.sleeper();
    this.nanoTime = ports.nanoTime();
    this.random = ports.random();
  }

  /**
   * Starts the MCP servers; closing the box stops them.
   *
   * @param timeLeft of the attempt: no tool runs longer (C7)
   * @throws dev.holdfast.tool.ConfigurationException if the design's tools do not go together
   * @throws dev.holdfast.tool.sandbox.SandboxMissingException if programs must be confined here and
   *     cannot be
   * @throws dev.holdfast.tool.ToolExecutionException if an MCP server cannot be started
   */
  ToolBox open(AgentDesign design, Workspace workspace, TimeLeft timeLeft)
      throws InterruptedException {
    List<Tool> tools =
        new ArrayList<>(
            new WorkspaceTools(workspace, sandbox(design), environment, design.patch(), nanoTime)
                .named(design.tools()));
    McpServers servers =
        McpServers.open(
            design.mcp(),
            environment,
            sandboxes,
            workspace.root(),
            McpSettings.defaults().within(timeLeft.get()));
    boolean complete = false;
    try {
      tools.addAll(servers.tools());
      ToolBox box =
          new ParallelToolBox(tools, settings, sleeper, random, timeLeft, List.of(servers));
      complete = true;
      return box;
    } finally {
      if (!complete) {
        servers.close();
      }
    }
  }

  /**
   * Returns the sandbox. An agent that runs no program needs none, and is not held where none is
   * available.
   */
  private Sandbox sandbox(AgentDesign design) throws InterruptedException {
    return WorkspaceTools.runPrograms(design.tools())
        ? sandboxes.get(design.network())
        : new Sandbox.None("the agent runs none");
  }
}
