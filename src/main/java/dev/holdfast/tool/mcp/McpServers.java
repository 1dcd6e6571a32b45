package dev.holdfast.tool.mcp;

import dev.holdfast.tool.Tool;
import dev.holdfast.tool.ToolExecutionException;
import io.modelcontextprotocol.spec.McpSchema;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The MCP servers of one session, started when it opens and stopped when it closes, with every
 * process of theirs.
 */
public final class McpServers implements AutoCloseable {
  private final List<McpServer> servers = new ArrayList<>();
  private final List<Tool> tools = new ArrayList<>();

  private McpServers() {}

  /**
   * Starts servers and asks for their tools.
   *
   * @param specs by the name that the design gives them, in the order that their tools are to have
   * @param environment the worker's own, of which programs get the harmless part
   * @param directory where programs run
   * @throws ToolExecutionException if one cannot be started; none is left running then
   */
  public static McpServers open(
      Map<String, McpServerSpec> specs,
      Map<String, String> environment,
      Path directory,
      McpSettings settings)
      throws InterruptedException {
    McpConnector connector = new McpConnector(environment, directory, settings);
    McpServers opened = new McpServers();
    boolean complete = false;
    try {
      for (Map.Entry<String, McpServerSpec> each : specs.entrySet()) {
        McpServer server = new McpServer(each.getKey(), each.getValue(), connector);
        opened.servers.add(server);
        opened.add(server);
      }
      complete = true;
      return opened;
    } finally {
      if (!complete) {
        opened.close();
      }
    }
  }

  private void add(McpServer server) throws InterruptedException {
    Set<String> taken = new HashSet<>();
    tools.forEach(tool -> taken.add(tool.spec().name()));
    for (McpSchema.Tool tool : server.list()) {
      String name = McpName.of(server.name(), tool.name(), taken);
      if (taken.add(name)) {
        tools.add(new McpTool(server, tool, name));
      }
    }
  }

  /** In the servers' order. */
  public List<Tool> tools() {
    return List.copyOf(tools);
  }

  @Override
  public void close() {
    servers.forEach(McpServer::close);
  }
}
