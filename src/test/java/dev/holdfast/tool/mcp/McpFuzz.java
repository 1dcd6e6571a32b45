package dev.holdfast.tool.mcp;

import static dev.holdfast.fuzz.FuzzTarget.require;

import dev.holdfast.fuzz.FuzzTarget;
import io.modelcontextprotocol.json.McpJsonDefaults;
import io.modelcontextprotocol.json.McpJsonMapper;
import io.modelcontextprotocol.json.TypeRef;
import io.modelcontextprotocol.spec.McpSchema;
import java.io.IOException;
import java.io.StringReader;
import java.util.List;

/** What an MCP server writes to its output, and the results in it. */
public final class McpFuzz {
  private static final int MOST = 5_000;
  private static final McpJsonMapper MAPPER = McpJsonDefaults.getMapper();

  public static final FuzzTarget FRAMES = FuzzTarget.ofText("mcp", McpFuzz::frames);

  private McpFuzz() {}

  private static void frames(String text) {
    MessageLines lines = new MessageLines(new StringReader(text), MOST);
    StringBuilder read = new StringBuilder();
    try {
      for (String line = lines.next(); line != null; line = lines.next()) {
        require(line.length() <= MOST && line.indexOf('\n') < 0, "a message is one line");
        read.append(line).append('\n');
        message(line);
      }
      String all = text.isEmpty() || text.endsWith("\n") ? text : text + "\n";
      require(read.toString().equals(all), "no character is lost");
    } catch (IOException e) {
      require(text.length() > MOST, "only a message that is too long is refused");
    }
    require(McpName.of(text, text, List.of()).matches("[a-zA-Z0-9_-]{1,64}"), "a name is plain");
  }

  /** The mapper's own exceptions are caught where lines are read. */
  private static void message(String line) {
    McpSchema.CallToolResult result;
    try {
      if (McpSchema.deserializeJsonRpcMessage(MAPPER, line)
              instanceof McpSchema.JSONRPCResponse response
          && response.result() != null) {
        result = MAPPER.convertValue(response.result(), new TypeRef<>() {});
      } else {
        return;
      }
    } catch (IOException | RuntimeException e) {
      return;
    }
    String told = McpAnswer.text(result);
    require(!told.isBlank(), "a model is told something");
    require(told.length() <= 10L * line.length() + 200, "no answer grows: " + told.length());
  }
}
