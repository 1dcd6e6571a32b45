package dev.holdfast.tool.mcp;

import dev.holdfast.process.NotPreparedException;
import dev.holdfast.tool.ModelRetryException;
import dev.holdfast.tool.PossiblyAppliedException;
import dev.holdfast.tool.StateException;
import dev.holdfast.tool.ToolExecutionException;
import io.modelcontextprotocol.spec.McpError;
import io.modelcontextprotocol.spec.McpSchema;
import io.modelcontextprotocol.spec.McpSchema.CallToolRequest;
import io.modelcontextprotocol.spec.McpSchema.CallToolResult;
import java.io.IOException;
import java.net.ConnectException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One server, connected when it is needed. A server that ends, or does not answer a call in time,
 * is stopped with all its processes and started again at the next call, for a limited number of
 * times. Thread-safe.
 */
final class McpServer implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(McpServer.class);
  private static final int MAX_PAGES = 50;
  private static final int MAX_CAUSES = 20;

  private final String name;
  private final McpServerSpec spec;
  private final McpConnector connector;
  private final ReentrantLock lock = new ReentrantLock();
  private @Nullable McpConnection current;
  private int starts;
  private boolean closed;

  McpServer(String name, McpServerSpec spec, McpConnector connector) {
    this.name = name;
    this.spec = spec;
    this.connector = connector;
  }

  String name() {
    return name;
  }

  /**
   * Returns the tools that it offers, at most as many as are allowed.
   *
   * @throws ToolExecutionException if it cannot be started or does not say
   */
  List<McpSchema.Tool> list() throws InterruptedException {
    List<McpSchema.Tool> tools = new ArrayList<>();
    Set<String> cursors = new HashSet<>();
    @Nullable String cursor = null;
    int max = connector.settings().maxTools();
    for (int page = 0; page < MAX_PAGES && tools.size() <= max; page++) {
      McpSchema.ListToolsResult result = page(cursor);
      tools.addAll(result.tools());
      cursor = result.nextCursor();
      if (cursor == null || cursor.isEmpty()) {
        return bounded(tools, max);
      }
      if (!cursors.add(cursor)) {
        throw notListed("its pages go in a circle", null);
      }
    }
    return bounded(tools, max);
  }

  private List<McpSchema.Tool> bounded(List<McpSchema.Tool> tools, int max) {
    if (tools.size() > max) {
      log.warn("MCP server {} has more than {} tools: the others are left out", name, max);
    }
    return List.copyOf(tools.subList(0, Math.min(max, tools.size())));
  }

  private McpSchema.ListToolsResult page(@Nullable String cursor) throws InterruptedException {
    McpConnection connection = connection();
    try {
      // Without a cursor the SDK would fetch all pages, however many there are.
      return connection.ask(
          client -> client.listTools(cursor), connector.settings().startTimeout());
    } catch (RuntimeException | TimeoutException e) {
      drop(connection);
      throw notListed(e.getMessage(), e);
    }
  }

  private ToolExecutionException notListed(@Nullable String why, @Nullable Exception cause) {
    return new ToolExecutionException(
        "MCP server " + name + " did not list its tools: " + why,
        cause,
        "Mend the server, or take it out of the design.",
        List.of());
  }

  /**
   * @return what a model is shown
   * @throws ModelRetryException if the server answers with an error
   * @throws PossiblyAppliedException if it does not answer
   * @throws ToolExecutionException if it cannot be reached or refuses to look at the call
   */
  String call(String tool, Map<String, Object> arguments) throws InterruptedException {
    CallToolRequest request = CallToolRequest.builder(tool).arguments(arguments).build();
    CallToolResult result = inKnownSession(request);
    if (Boolean.TRUE.equals(result.isError())) {
      throw new ModelRetryException(McpAnswer.text(result));
    }
    return McpAnswer.text(result);
  }

  /** Asks, and asks once more in a new session where the server has forgotten the old one. */
  private CallToolResult inKnownSession(CallToolRequest request) throws InterruptedException {
    try {
      return ask(request);
    } catch (SessionForgotten e) {
      log.info("MCP server {} does not know the session any more: a new one is begun", name);
    }
    try {
      return ask(request);
    } catch (SessionForgotten e) {
      throw new ToolExecutionException(
          "MCP server " + name + " refused the call, in a new session too: " + e.getMessage(), e);
    }
  }

  private CallToolResult ask(CallToolRequest request) throws InterruptedException {
    McpConnection connection = connection();
    boolean useful = false;
    try {
      CallToolResult result =
          connection.ask(client -> client.callTool(request), connector.settings().callTimeout());
      useful = true;
      return result;
    } catch (McpError e) {
      useful = true;
      throw new ModelRetryException(
          "MCP server " + name + " refused the call: " + e.getMessage(), e);
    } catch (SessionForgotten e) {
      throw e;
    } catch (RuntimeException | TimeoutException e) {
      OptionalInt refusal = HttpRefusal.status(e);
      // Where nobody can be reached now, the session may be there still when it is back.
      useful = refusal.isPresent() || isNotConnected(e);
      throw refusal.isPresent() ? refused(refusal.getAsInt(), e) : unanswered(e);
    } finally {
      if (!useful) {
        drop(connection);
      }
    }
  }

  /** Makes the error of a server that has not begun the call. */
  private ToolExecutionException refused(int status, Exception e) {
    return new ToolExecutionException(
        "MCP server " + name + " refused the call (HTTP " + status + "): " + e.getMessage(),
        e,
        HttpRefusal.remedy(status),
        List.of());
  }

  private ToolExecutionException unanswered(Exception e) {
    if (isNotConnected(e)) {
      return new ToolExecutionException(
          "MCP server " + name + " cannot be reached: " + e,
          e,
          spec.suggestedFix(),
          spec.recoveryCommands());
    }
    return new PossiblyAppliedException(
        "MCP server " + name + " did not answer: " + e.getMessage(), e);
  }

  private static boolean isNotConnected(Exception e) {
    @Nullable Throwable cause = e;
    for (int i = 0; cause != null && i < MAX_CAUSES; i++) {
      if (cause instanceof ConnectException) {
        return true;
      }
      cause = cause.getCause();
    }
    return false;
  }

  private McpConnection connection() throws InterruptedException {
    lock.lockInterruptibly();
    try {
      if (closed) {
        throw new StateException("MCP server " + name + " is closed");
      }
      if (current != null && !current.isEnded()) {
        return current;
      }
      if (current != null) {
        current.close();
        forget(current);
      }
      current = start();
      return current;
    } finally {
      lock.unlock();
    }
  }

  private McpConnection start() throws InterruptedException {
    int allowed = 1 + connector.settings().maxRestarts();
    if (starts >= allowed) {
      throw new StateException(
          "MCP server " + name + " ended " + starts + " times and is not started again");
    }
    starts++;
    if (starts > 1) {
      log.warn("MCP server {} is started again ({} of {})", name, starts - 1, allowed - 1);
    }
    try {
      return connector.connect(spec);
    } catch (NotPreparedException e) {
      throw e; // the machine's trouble, and no tool's
    } catch (IOException | TimeoutException | RuntimeException e) {
      // A server that nobody can reach has not ended: it may be back at any time.
      starts -= isNotConnected(e) ? 1 : 0;
      throw notStarted(e);
    }
  }

  private ToolExecutionException notStarted(Exception e) {
    OptionalInt status = HttpRefusal.statusWithin(e);
    String remedy = status.isPresent() ? HttpRefusal.remedy(status.getAsInt()) : null;
    String answered = status.isPresent() ? "HTTP " + status.getAsInt() + ": " : "";
    return new ToolExecutionException(
        "MCP server " + name + " cannot be started: " + answered + e.getMessage(),
        e,
        remedy == null ? spec.suggestedFix() : remedy,
        remedy == null ? spec.recoveryCommands() : List.of());
  }

  /**
   * Forgets a connection. A server that works and only wants a new session loses none of its
   * starts.
   */
  private void forget(McpConnection connection) {
    current = null;
    starts -= connection.isForgotten() ? 1 : 0;
  }

  /** Stops a server that is no longer useful, with whatever it is still doing. */
  private void drop(McpConnection connection) {
    lock.lock();
    try {
      if (current == connection) {
        forget(connection);
      }
    } finally {
      lock.unlock();
    }
    connection.close();
  }

  @Override
  public void close() {
    lock.lock();
    try {
      closed = true;
      if (current != null) {
        current.close();
        current = null;
      }
    } finally {
      lock.unlock();
    }
  }
}
