package dev.holdfast.tool.mcp;

import dev.holdfast.process.BaseEnvironment;
import dev.holdfast.process.NotPreparedException;
import dev.holdfast.process.OwnSession;
import dev.holdfast.process.ProgramFinder;
import dev.holdfast.process.ProgramRun;
import dev.holdfast.tool.sandbox.Sandbox;
import io.modelcontextprotocol.client.McpClient;
import io.modelcontextprotocol.client.McpSyncClient;
import io.modelcontextprotocol.client.transport.HttpClientStreamableHttpTransport;
import io.modelcontextprotocol.json.McpJsonDefaults;
import io.modelcontextprotocol.json.McpJsonMapper;
import io.modelcontextprotocol.spec.McpClientTransport;
import io.modelcontextprotocol.spec.McpSchema;
import io.modelcontextprotocol.spec.ProtocolVersions;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;

/**
 * Connects servers.
 *
 * @param environment the worker's own, of which programs get the harmless part
 * @param directory where a program runs
 * @param sandbox how it is confined there
 */
record McpConnector(
    Map<String, String> environment, Path directory, Sandbox sandbox, McpSettings settings) {
  private static final McpSchema.Implementation CLIENT =
      McpSchema.Implementation.builder("holdfast", "1").build();

  /**
   * The protocol versions. The SDK asks for the last one and accepts any. With the newest one, a
   * server may end a response before its answer and expect the client to ask for that later, which
   * the SDK does not do.
   */
  private static final List<String> VERSIONS =
      List.of(
          ProtocolVersions.MCP_2025_11_25,
          ProtocolVersions.MCP_2024_11_05,
          ProtocolVersions.MCP_2025_03_26,
          ProtocolVersions.MCP_2025_06_18);

  McpConnector {
    environment = Map.copyOf(environment);
  }

  /**
   * Starts the server, where it is a program, and makes the handshake.
   *
   * @throws IOException if it cannot be started
   * @throws NotPreparedException if this machine has no room for any program
   * @throws TimeoutException if it does not answer
   * @throws RuntimeException if it ends or answers nonsense
   */
  McpConnection connect(McpServerSpec spec)
      throws IOException, TimeoutException, InterruptedException {
    McpConnection connection =
        switch (spec) {
          case McpServerSpec.Stdio stdio -> program(stdio);
          case McpServerSpec.Http http -> remote(http);
        };
    boolean connected = false;
    try {
      connection.ask(McpSyncClient::initialize, settings.startTimeout());
      connected = true;
      return connection;
    } catch (ServerEnded | NotPreparedException e) {
      throw e;
    } catch (RuntimeException e) {
      // Its words are complete only after it has ended. A second close does nothing.
      connection.close();
      throw told(e, connection.stderr());
    } finally {
      if (!connected) {
        connection.close();
      }
    }
  }

  /**
   * Adds the reason. The SDK has it in its cause; a program that does not even read often says it
   * itself.
   */
  private static ServerEnded told(RuntimeException failure, String words) {
    Throwable why = Objects.requireNonNullElse(failure.getCause(), failure);
    ServerEnded told =
        new ServerEnded(Objects.requireNonNullElse(why.getMessage(), why.toString()) + words);
    told.initCause(failure);
    return told;
  }

  private McpConnection program(McpServerSpec.Stdio stdio) throws IOException {
    Map<String, String> variables = BaseEnvironment.of(environment);
    variables.putAll(stdio.environment());
    variables.put(ProgramRun.RUN_ID, ProgramRun.newId());
    // In a sandbox a missing program would look like one that ended.
    ProgramFinder.check(stdio.command().getFirst(), directory, variables.get("PATH"));
    OwnSession session =
        OwnSession.of(sandbox.wrap(stdio.command(), directory), directory, variables);
    McpJsonMapper mapper = McpJsonDefaults.getMapper();
    StdioTransport transport = StdioTransport.start(session, mapper, settings);
    return new McpConnection(
        client(transport), transport.ended(), transport::said, transport::stop);
  }

  private McpConnection remote(McpServerSpec.Http http) {
    URI url = http.url();
    HttpRequest.Builder request = HttpRequest.newBuilder();
    http.headers().forEach(request::setHeader);
    String host = url.getScheme() + "://" + url.getRawAuthority();
    String path = url.getRawPath().isEmpty() ? "/" : url.getRawPath();
    String query = url.getRawQuery() == null ? "" : "?" + url.getRawQuery();
    McpJsonMapper mapper = McpJsonDefaults.getMapper();
    CompletableFuture<ConnectionEnd> ended = new CompletableFuture<>();
    OpenStreams open = new OpenStreams(() -> ended.complete(ConnectionEnd.UNANSWERED));
    HttpClientStreamableHttpTransport streams =
        HttpClientStreamableHttpTransport.builder(host)
            .jsonMapper(mapper)
            .clientBuilder(clients(() -> ended.complete(ConnectionEnd.FORGOTTEN), open))
            // The host is included, because a path that begins with two slashes would name another
            // host.
            .endpoint(host + path + query)
            .requestBuilder(request)
            .connectTimeout(settings.startTimeout())
            .maxResponseSize(settings.maxMessage())
            .supportedProtocolVersions(VERSIONS)
            .build();
    HttpTransport transport = new HttpTransport(streams, mapper, ended, open);
    return new McpConnection(client(transport), transport.ended(), () -> "", transport::stop);
  }

  /**
   * Returns a builder that passes the SDK's calls on to the JDK's builder and wraps the client that
   * it builds.
   */
  private static HttpClient.Builder clients(Runnable forgotten, OpenStreams streams) {
    // The SDK itself uses this version.
    HttpClient.Builder builder = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1);
    return (HttpClient.Builder)
        Proxy.newProxyInstance(
            McpConnector.class.getClassLoader(),
            new Class<?>[] {HttpClient.Builder.class},
            (proxy, method, arguments) -> {
              Object made = method.invoke(builder, arguments);
              return made instanceof HttpClient client
                  ? new SessionClient(client, forgotten, streams)
                  : proxy;
            });
  }

  private McpSyncClient client(McpClientTransport transport) {
    return McpClient.sync(transport)
        .clientInfo(CLIENT)
        .requestTimeout(settings.callTimeout().multipliedBy(2))
        .initializationTimeout(settings.startTimeout().multipliedBy(2))
        .build();
  }
}
