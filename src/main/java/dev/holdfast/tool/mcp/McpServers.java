package dev.holdfast.tool.mcp;

import dev.holdfast.tool.Tool;
import dev.holdfast.tool.ToolExecutionException;
import dev.holdfast.tool.sandbox.Sandbox;
import dev.holdfast.tool.sandbox.Sandboxes;
import io.modelcontextprotocol.spec.McpSchema;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The MCP servers of one session, started when it opens and stopped when it closes, with every
 * process of theirs.
 */
public final class McpServers implements AutoCloseable {
  /**
   * The worker's own directory, for servers outside of the sandbox. In the workspace they could be
   * made to run what a model has written there.
   */
  private static final Path OWN_DIRECTORY = Path.of("").toAbsolutePath();

  private static final Logger log = LoggerFactory.getLogger(McpServers.class);

  private final List<McpServer> servers = new ArrayList<>();
  private final List<Tool> tools = new ArrayList<>();

  private McpServers() {}

  /**
   * Starts servers and asks for their tools.
   *
   * @param specs by the name that the design gives them, in the order that their tools are to have
   * @param environment the worker's own, of which programs get the harmless part
   * @param sandboxes how programs are confined
   * @param workspace where confined programs start, and all that they may change
   * @throws dev.holdfast.tool.sandbox.SandboxMissingException if one must be confined and cannot be
   * @throws dev.holdfast.process.NotPreparedException if this machine has no room for any program
   * @throws ToolExecutionException if one cannot be started; none is left running then
   */
  public static McpServers open(
      Map<String, McpServerSpec> specs,
      Map<String, String> environment,
      Sandboxes sandboxes,
      Path workspace,
      McpSettings settings)
      throws InterruptedException {
    McpServers opened = new McpServers();
    boolean complete = false;
    try {
      for (Map.Entry<String, McpServerSpec> each : specs.entrySet()) {
        Sandbox sandbox = sandbox(each.getValue(), sandboxes);
        Path directory = isTrusted(each.getValue()) ? OWN_DIRECTORY : workspace;
        McpConnector connector = new McpConnector(environment, directory, sandbox, settings);
        McpServer server = new McpServer(each.getKey(), each.getValue(), connector);
        opened.servers.add(server);
        opened.add(server, settings.maxTools());
      }
      complete = true;
      return opened;
    } finally {
      if (!complete) {
        opened.close();
      }
    }
  }

  private static Sandbox sandbox(McpServerSpec spec, Sandboxes sandboxes)
      throws InterruptedException {
    return spec instanceof McpServerSpec.Stdio stdio && stdio.confined().isPresent()
        ? sandboxes.get(stdio.confined().get())
        : new Sandbox.None("the design trusts it");
  }

  private static boolean isTrusted(McpServerSpec spec) {
    return spec instanceof McpServerSpec.Stdio stdio && stdio.confined().isEmpty();
  }

  private void add(McpServer server, int max) throws InterruptedException {
    Set<String> taken = new HashSet<>();
    tools.forEach(tool -> taken.add(tool.spec().name()));
    Set<String> listed = new HashSet<>();
    for (McpSchema.Tool tool : server.list()) {
      if (tools.size() == max) {
        log.warn("More than {} tools of MCP servers: those of {} are left out", max, server.name());
        return;
      }
      String name = McpName.of(server.name(), tool.name(), taken);
      if (listed.add(tool.name()) && taken.add(name)) {
        tools.add(new McpTool(server, tool, name));
      } else {
        log.warn("MCP server {} lists a tool twice: one {} is left out", server.name(), name);
      }
    }
  }

  /** Returns the tools in the servers' order. */
  public List<Tool> tools() {
    return List.copyOf(tools);
  }

  @Override
  public void close() {
    servers.forEach(McpServer::close);
  }
}
