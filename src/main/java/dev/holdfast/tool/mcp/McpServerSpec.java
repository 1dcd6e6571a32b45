package dev.holdfast.tool.mcp;

import dev.holdfast.tool.ConfigurationException;
import dev.holdfast.tool.sandbox.Network;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import tools.jackson.databind.JsonNode;

/** The place of an MCP server. */
public sealed interface McpServerSpec {
  /**
   * A program that speaks MCP on stdin and stdout.
   *
   * @param environment on top of the harmless part of the worker's own
   * @param confined what it reaches from within the sandbox; empty for a server that is trusted and
   *     runs outside of it
   */
  record Stdio(List<String> command, Map<String, String> environment, Optional<Network> confined)
      implements McpServerSpec {
    public Stdio {
      if (command.isEmpty()) {
        throw new ConfigurationException("an MCP server's command must name a program");
      }
      command = List.copyOf(command);
      environment = Map.copyOf(environment);
    }

    @Override
    public String suggestedFix() {
      return "See on the worker's machine whether the program starts by itself.";
    }

    /** Names only its program, because the arguments may be secrets. */
    @Override
    public List<String> recoveryCommands() {
      return List.of("command -v " + command.getFirst());
    }

    /** Leaves out the environment's values, which may be secrets. */
    @Override
    public String toString() {
      return "Stdio" + command + environment.keySet();
    }
  }

  /**
   * A server that speaks streamable HTTP.
   *
   * @param headers sent with each request, such as Authorization
   */
  record Http(URI url, Map<String, String> headers) implements McpServerSpec {
    public Http {
      String scheme = String.valueOf(url.getScheme());
      if (!List.of("http", "https").contains(scheme) || url.getHost() == null) {
        throw new ConfigurationException(
            "an MCP server's url must begin with http:// or https:// and have a host");
      }
      headers = Map.copyOf(headers);
    }

    @Override
    public String suggestedFix() {
      return "See whether the server runs and the worker's machine reaches it.";
    }

    /** Leaves out the path and the query, which may be secrets. */
    @Override
    public List<String> recoveryCommands() {
      return List.of(
          "curl -sS -o /dev/null "
              + url.getScheme()
              + "://"
              + url.getHost()
              + (url.getPort() < 0 ? "" : ":" + url.getPort()));
    }

    /** Leaves out the headers' values, which may be secrets. */
    @Override
    public String toString() {
      return "Http[" + url.getScheme() + "://" + url.getHost() + "]" + headers.keySet();
    }
  }

  /** The next step for a person where it cannot be started or reached. */
  String suggestedFix();

  /** Commands that show a person why it cannot be started or reached. */
  List<String> recoveryCommands();

  /**
   * Reads a design's entry: {@code {command: […], environment: {…}, network: full, sandbox: off}}
   * or {@code {url: …, headers: {…}}}.
   *
   * @param usual what confined servers reach where the entry does not say
   * @throws ConfigurationException if it is neither
   */
  static McpServerSpec of(JsonNode entry, Network usual) {
    if (entry.path("command").isArray() && !entry.has("url")) {
      return new Stdio(
          entry.get("command").valueStream().map(JsonNode::asString).toList(),
          texts(entry.path("environment")),
          entry.path("sandbox").asString("").equals("off")
              ? Optional.empty()
              : Optional.of(Network.of(entry.path("network"), usual)));
    }
    if (entry.path("url").isString() && !entry.has("command")) {
      return new Http(uri(entry.get("url").stringValue()), texts(entry.path("headers")));
    }
    throw new ConfigurationException(
        "an MCP server needs either a command, as a list of words, or a url");
  }

  private static URI uri(String text) {
    try {
      return URI.create(text);
    } catch (IllegalArgumentException e) {
      throw new ConfigurationException("an MCP server's url cannot be read: " + e.getMessage(), e);
    }
  }

  private static Map<String, String> texts(JsonNode object) {
    Map<String, String> texts = new TreeMap<>();
    object.forEachEntry((name, value) -> texts.put(name, value.asString()));
    return texts;
  }
}
