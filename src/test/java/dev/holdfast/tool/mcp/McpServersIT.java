package dev.holdfast.tool.mcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.holdfast.llm.ToolCall;
import dev.holdfast.llm.ToolSpec;
import dev.holdfast.testing.JavaCommand;
import dev.holdfast.tool.ConfigurationException;
import dev.holdfast.tool.ParallelToolBox;
import dev.holdfast.tool.TimeLeft;
import dev.holdfast.tool.ToolExecutionException;
import dev.holdfast.tool.ToolReply;
import dev.holdfast.tool.ToolReply.Outcome;
import dev.holdfast.tool.ToolSettings;
import dev.holdfast.tool.sandbox.Bubblewrap;
import dev.holdfast.tool.sandbox.Network;
import dev.holdfast.tool.sandbox.SandboxMissingException;
import dev.holdfast.tool.sandbox.SandboxMode;
import dev.holdfast.tool.sandbox.Sandboxes;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.json.JsonMapper;

@DisplayName("MCP servers")
@Timeout(120)
class McpServersIT {
  private static final JsonMapper MAPPER = new JsonMapper();

  @TempDir Path directory;
  private Sandboxes sandboxes = Sandboxes.of(SandboxMode.OFF, System.getenv(), List.of());
  private McpSettings settings = McpSettings.defaults();
  private ParallelToolBox box = box(List.of());

  private static ParallelToolBox box(List<McpServers> servers) {
    return new ParallelToolBox(
        servers.stream().flatMap(each -> each.tools().stream()).toList(),
        ToolSettings.defaults(),
        time -> {},
        () -> 0,
        TimeLeft.UNBOUNDED,
        servers);
  }

  private McpSettings settings(Duration start, Duration call, int maxMessage) {
    return new McpSettings(
        start, call, settings.killGrace(), settings.maxRestarts(), maxMessage, settings.maxTools());
  }

  @AfterEach
  void close() {
    box.close();
  }

  private static McpServerSpec program(String mode) {
    return program(mode, Path.of("target/test-classes").toAbsolutePath());
  }

  private static McpServerSpec program(String mode, Path classPath) {
    return new McpServerSpec.Stdio(
        List.of(
            JavaCommand.path("java"),
            "-Xshare:auto",
            "-XX:TieredStopAtLevel=1",
            "-cp",
            classPath.toString(),
            FakeMcp.class.getName(),
            mode),
        Map.of("GIVEN", "by the design"),
        Optional.of(Network.NONE));
  }

  private void open(McpServerSpec spec) throws InterruptedException {
    Map<String, String> environment = new HashMap<>(System.getenv());
    environment.put("OPENAI_API_KEY", "sk-very-secret");
    box =
        box(
            List.of(
                McpServers.open(
                    Map.of("fake", spec), environment, sandboxes, directory, settings)));
  }

  private ToolReply call(String tool) throws InterruptedException {
    return box.run(List.of(new ToolCall("1", "mcp__fake__" + tool, "{\"text\": \"hi\"}")))
        .getFirst();
  }

  @Test
  @DisplayName("A program's tools are listed under safe names, called, and close with it")
  void stdio() throws Exception {
    open(program("good"));
    assertThat(box.specs())
        .hasSize(14)
        .allSatisfy(spec -> assertThat(spec.name()).matches("mcp__fake__[a-zA-Z0-9_-]{1,53}"));
    assertThat(call("echo").content())
        .isEqualTo("said hi\n[an image, image/png, about 3 bytes, not shown]");
    assertThat(box.isIdempotent("mcp__fake__echo")).isTrue();
    assertThat(box.isIdempotent("mcp__fake__die_once")).isTrue();
    assertThat(box.isIdempotent("mcp__fake__die")).isFalse();
    assertThat(call("echo").executions()).isEqualTo(1);

    call("fork");
    long pid = Long.parseLong(Files.readString(directory.resolve("child.pid")).strip());
    assertThat(isAlive(pid)).isTrue();
    box.close();
    assertThat(isAlive(pid)).isFalse();
    assertThat(call("echo").content()).contains("is closed");
  }

  @Test
  @DisplayName("A program gets the design's environment and none of the worker's secrets")
  void environment() throws Exception {
    open(program("good"));
    assertThat(call("env").content())
        .contains("by the design", "PATH")
        .doesNotContain("OPENAI_API_KEY");
  }

  @Test
  @DisplayName("C19: what a server answers with an error is the model's to mend")
  void errors() throws Exception {
    open(program("good"));
    ToolReply wrong = call("wrong");
    assertThat(wrong.outcome()).isEqualTo(Outcome.MODEL_RETRY);
    assertThat(wrong.content()).startsWith("the account is unknown");
    ToolReply refused = call("refused");
    assertThat(refused.outcome()).isEqualTo(Outcome.MODEL_RETRY);
    assertThat(refused.content()).contains("no such account");
    ToolReply invalid =
        box.run(List.of(new ToolCall("1", "mcp__fake__echo", "{\"text\": 1}"))).getFirst();
    assertThat(invalid.content()).contains("text must be of type string");
    assertThat(call("chatty").content()).startsWith("said hi");
  }

  @Test
  @DisplayName("C19: a server that logs to stdout beside its answers is not stopped for it")
  void logsToStdout() throws Exception {
    open(program("good"));
    for (int i = 0; i < 400; i++) {
      assertThat(call("chatty").content()).as("call %s", i).startsWith("said hi");
    }
  }

  @Test
  @DisplayName("C19: content of a type that is not known is passed over, and the model is told")
  void unknownContent() throws Exception {
    String shown =
        "before\n[content of type hologram is not shown]\n"
            + "[content of type unknown is not shown]\nbehind";
    open(program("good"));
    assertThat(call("novel").content()).isEqualTo(shown);
    box.close();
    try (HttpMcp server = HttpMcp.start()) {
      open(new McpServerSpec.Http(server.url(), Map.of()));
      assertThat(call("novel").content()).isEqualTo(shown);
    }
  }

  @Test
  @DisplayName("C19: what is odd in a server's words and is not needed does not make it useless")
  void odd() throws Exception {
    open(program("odd"));
    assertThat(box.specs())
        .extracting(ToolSpec::name)
        .containsExactly("mcp__fake__noted", "mcp__fake__plain");
    assertThat(call("noted").content()).isEqualTo("noted words");
    assertThat(call("plain").content()).isEqualTo("plain words");
  }

  @Test
  @DisplayName("C38: a server that dies mid-call leaves an unknown effect, and is started again")
  void dies() throws Exception {
    open(program("good"));
    ToolReply reply = call("die");
    assertThat(reply.outcome()).isEqualTo(Outcome.UNKNOWN_EFFECT);
    assertThat(reply.executions()).isEqualTo(1);
    assertThat(reply.content()).contains("it ended").contains("fake server, mode good");
    assertThat(call("echo").outcome()).isEqualTo(Outcome.OK);
    ToolReply once = call("die_once");
    assertThat(once.outcome()).isEqualTo(Outcome.OK);
    assertThat(once.executions()).isEqualTo(2);
  }

  @Test
  @DisplayName("C38: a server that dies is noticed although a child of its own holds its output")
  void diesBesideChild() throws Exception {
    open(program("good"));
    long since = System.nanoTime();
    ToolReply reply = call("die_beside_a_child");
    assertThat(reply.outcome()).isEqualTo(Outcome.UNKNOWN_EFFECT);
    assertThat(reply.content()).contains("it ended").contains("fake server, mode good");
    assertThat(Duration.ofNanos(System.nanoTime() - since)).isLessThan(Duration.ofSeconds(20));
    assertThat(call("echo").outcome()).isEqualTo(Outcome.OK);
  }

  @Test
  @DisplayName("A server that dies again and again is not started for ever")
  void diesAlways() throws Exception {
    open(program("good"));
    assertThat(call("die_always").executions()).isEqualTo(3);
    ToolReply last = call("die_always");
    assertThat(last.outcome()).isEqualTo(Outcome.FAILED);
    assertThat(last.content()).contains("ended 4 times and is not started again");
  }

  @Test
  @DisplayName("C38: a server that hangs or floods is stopped, with an unknown effect")
  void hangsAndFloods() throws Exception {
    settings = settings(settings.startTimeout(), settings.callTimeout(), 1_000_000);
    open(program("good"));
    ToolReply flood = call("flood");
    assertThat(flood.outcome()).isEqualTo(Outcome.UNKNOWN_EFFECT);
    assertThat(flood.content()).contains("longer than 1000000 characters");
    box.close();

    settings = settings(settings.startTimeout(), Duration.ofSeconds(1), settings.maxMessage());
    open(program("good"));
    ToolReply hang = call("hang");
    assertThat(hang.outcome()).isEqualTo(Outcome.UNKNOWN_EFFECT);
    assertThat(hang.content()).contains("no answer within 1 s");
  }

  @ParameterizedTest
  @ValueSource(strings = {"silent", "nonsense"})
  @DisplayName("A server that never answers, or talks nonsense, fails the start with what it said")
  void badStart(String mode) {
    settings = settings(Duration.ofSeconds(3), settings.callTimeout(), settings.maxMessage());
    assertThatThrownBy(() -> open(program(mode)))
        .isInstanceOf(ToolExecutionException.class)
        .hasMessageContaining("MCP server fake cannot be started")
        .hasMessageContaining("fake server, mode " + mode);
  }

  @Test
  @DisplayName("A program that does not even read is told of with what it said")
  void doesNotRead() {
    settings = settings(Duration.ofSeconds(3), settings.callTimeout(), settings.maxMessage());
    McpServerSpec refusing =
        new McpServerSpec.Stdio(
            List.of("sh", "-c", "exec 0<&-; echo 'no licence' >&2; sleep 60"),
            Map.of(),
            Optional.of(Network.NONE));
    assertThatThrownBy(() -> open(refusing))
        .hasMessageContaining("MCP server fake cannot be started")
        .hasMessageContaining("no licence");
  }

  @Test
  @DisplayName("A program that is not there is named")
  void missing() {
    McpServerSpec absent =
        new McpServerSpec.Stdio(List.of("no-such-server"), Map.of(), Optional.of(Network.NONE));
    assertThatThrownBy(() -> open(absent)).hasMessageContaining("no-such-server");
  }

  @Test
  @DisplayName("A server over HTTP is called with its headers; one that is gone cannot be reached")
  void http() throws Exception {
    Set<String> authorizations = new ConcurrentSkipListSet<>();
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/mcp/v1",
        exchange -> {
          authorizations.add(
              String.valueOf(exchange.getRequestHeaders().getFirst("Authorization")));
          String request =
              new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
          String answer = FakeMcp.answer(request);
          byte[] body = answer.getBytes(StandardCharsets.UTF_8);
          exchange.getResponseHeaders().add("Content-Type", "application/json");
          boolean post = exchange.getRequestMethod().equals("POST");
          exchange.sendResponseHeaders(
              post ? (answer.isEmpty() ? 202 : 200) : 405, answer.isEmpty() ? -1 : body.length);
          if (!answer.isEmpty()) {
            exchange.getResponseBody().write(body);
          }
          exchange.close();
        });
    server.start();
    URI url = URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/mcp/v1");
    try {
      open(new McpServerSpec.Http(url, Map.of("Authorization", "Bearer token")));
      assertThat(call("echo").content()).startsWith("said hi");
      assertThat(call("wrong").outcome()).isEqualTo(Outcome.MODEL_RETRY);
      assertThat(authorizations).containsExactly("Bearer token");
    } finally {
      server.stop(0);
    }
    // A call on the connection that is just being closed may have reached the server.
    ToolReply gone = await().until(() -> call("die"), reply -> reply.outcome() == Outcome.FAILED);
    assertThat(gone.content()).contains("cannot be");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "/", "?key=a%20b", "//localhost/a%2Fb/mcp?x"})
  @DisplayName(
      "A server over HTTP is asked at its address, also without a path or with two slashes")
  void httpPaths(String path) throws Exception {
    Set<String> asked = new ConcurrentSkipListSet<>();
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/",
        exchange -> {
          asked.add(exchange.getRequestURI().toString());
          String request =
              new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
          byte[] body = FakeMcp.answer(request).getBytes(StandardCharsets.UTF_8);
          exchange.getResponseHeaders().add("Content-Type", "application/json");
          boolean post = exchange.getRequestMethod().equals("POST");
          exchange.sendResponseHeaders(
              post ? (body.length == 0 ? 202 : 200) : 405, body.length == 0 ? -1 : body.length);
          exchange.getResponseBody().write(body);
          exchange.close();
        });
    server.start();
    String host = "http://127.0.0.1:" + server.getAddress().getPort();
    try {
      open(new McpServerSpec.Http(URI.create(host + path), Map.of()));
      assertThat(call("echo").content()).startsWith("said hi");
      assertThat(asked).containsExactly(path.startsWith("/") ? path : "/" + path);
    } finally {
      server.stop(0);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {301, 302, 307, 308})
  @DisplayName("A server over HTTP that redirects is not followed with the headers of the design")
  void httpRedirected(int status) throws Exception {
    InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    HttpServer server = HttpServer.create(any, 0);
    HttpServer other = HttpServer.create(any, 0);
    AtomicInteger reached = new AtomicInteger();
    String there = "http://localhost:" + other.getAddress().getPort() + "/mcp";
    answer(server, status, exchange -> exchange.getResponseHeaders().add("Location", there));
    answer(other, 500, _ -> reached.incrementAndGet());
    URI url = URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/mcp");
    try {
      assertThatThrownBy(
              () -> open(new McpServerSpec.Http(url, Map.of("Authorization", "Bearer token"))))
          .hasMessageContaining("cannot be started");
      assertThat(reached).hasValue(0);
    } finally {
      server.stop(0);
      other.stop(0);
    }
  }

  private static void answer(HttpServer server, int status, Consumer<HttpExchange> asked) {
    server.createContext(
        "/",
        exchange -> {
          asked.accept(exchange);
          exchange.sendResponseHeaders(status, -1);
          exchange.close();
        });
    server.start();
  }

  @ParameterizedTest
  @ValueSource(ints = {400, 401, 403, 404, 413, 429})
  @DisplayName("C38: a call that a server over HTTP refuses did not take effect")
  void httpRefused(int status) throws Exception {
    try (HttpMcp server = HttpMcp.start()) {
      open(new McpServerSpec.Http(server.url(), Map.of()));
      server.refuseCalls(status);
      ToolReply refused = call("die");
      assertThat(refused.outcome()).isEqualTo(Outcome.FAILED);
      assertThat(refused.content()).contains("MCP server fake refused the call", "" + status);
      assertThat(server.calls()).isZero();
      if (status != 401 && status != 403) {
        assertThat(refused.content()).contains("not today");
      }
      server.refuseCalls(0);
      assertThat(call("die").outcome()).isEqualTo(Outcome.OK);
    }
  }

  @Test
  @DisplayName(
      "A server over HTTP that lets nobody in is told of with its status and what to look at")
  void httpUnwelcome() throws Exception {
    try (HttpMcp server = HttpMcp.start()) {
      server.refuseAll(401);
      assertThatThrownBy(() -> open(new McpServerSpec.Http(server.url(), Map.of())))
          .isInstanceOfSatisfying(
              ToolExecutionException.class,
              e -> {
                assertThat(e).hasMessageContaining("cannot be started: HTTP 401");
                assertThat(e.suggestedFix()).contains("headers that the design sends");
              });
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  @DisplayName("C38: where a server over HTTP has forgotten the session, a call begins a new one")
  void httpForgets(boolean strict) throws Exception {
    try (HttpMcp server = HttpMcp.start()) {
      open(new McpServerSpec.Http(server.url(), Map.of()));
      assertThat(call("die").outcome()).isEqualTo(Outcome.OK);
      for (int calls = 2; calls < 5; calls++) {
        server.forgetSessions(strict);
        ToolReply repeated = call("die");
        assertThat(repeated.content()).startsWith("said hi");
        assertThat(repeated.outcome()).isEqualTo(Outcome.OK);
        assertThat(server.calls()).isEqualTo(calls);
        assertThat(call("echo").outcome()).isEqualTo(Outcome.OK);
        assertThat(server.calls()).isEqualTo(++calls);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {408, 500, 503, 504})
  @DisplayName("C38: whether a call took effect that failed inside of a server is unknown")
  void httpFailed(int status) throws Exception {
    try (HttpMcp server = HttpMcp.start()) {
      open(new McpServerSpec.Http(server.url(), Map.of()));
      server.refuseCalls(status);
      assertThat(call("die").outcome()).isEqualTo(Outcome.UNKNOWN_EFFECT);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"accepted", "empty", "other", "stream"})
  @Timeout(20)
  @DisplayName("C38: a call over HTTP whose response ends without an answer ends with it")
  void httpUnanswered(String way) throws Exception {
    try (HttpMcp server = HttpMcp.start()) {
      open(new McpServerSpec.Http(server.url(), Map.of()));
      server.answerCalls(way);
      ToolReply reply = call("die");
      assertThat(reply.outcome()).isEqualTo(Outcome.UNKNOWN_EFFECT);
      assertThat(reply.content()).contains("ended without an answer");
      assertThat(server.calls()).isEqualTo(1);
      server.answerCalls("");
      assertThat(call("echo").outcome()).isEqualTo(Outcome.OK);
    }
  }

  @Test
  @DisplayName("An answer over HTTP may come in the stream that the client has opened")
  void httpStream() throws Exception {
    try (HttpMcp server = HttpMcp.start()) {
      server.offerStream();
      open(new McpServerSpec.Http(server.url(), Map.of()));
      server.answerCalls("later");
      assertThat(call("die").content()).startsWith("said hi");
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {400, 401, 404, 405, 406, 500})
  @DisplayName("A server over HTTP that offers no stream, in whatever words, keeps its session")
  void httpNoStream(int status) throws Exception {
    try (HttpMcp server = HttpMcp.start()) {
      server.refuseStreams(status);
      open(new McpServerSpec.Http(server.url(), Map.of()));
      for (int i = 1; i <= 5; i++) {
        assertThat(call("die").content()).startsWith("said hi");
        assertThat(server.calls()).isEqualTo(i);
      }
    }
  }

  @Test
  @DisplayName(
      "A server over HTTP that nobody can reach for a while is called once it is back, as often as"
          + " it takes")
  void httpAway() throws Exception {
    int port;
    try (HttpMcp server = HttpMcp.start()) {
      port = server.url().getPort();
      open(new McpServerSpec.Http(server.url(), Map.of()));
      assertThat(call("die").content()).startsWith("said hi");
    }
    for (int i = 0; i < 4; i++) {
      ToolReply away = call("die");
      assertThat(away.outcome()).isEqualTo(Outcome.FAILED);
      assertThat(away.executions()).isEqualTo(3);
      try (HttpMcp server = HttpMcp.startAt(port)) {
        assertThat(call("die").content()).startsWith("said hi");
        assertThat(server.calls()).isEqualTo(1);
      }
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "{'type':'object'} | {'type':'object','properties':{}}",
        "{'type':'object','oneOf':[{'properties':{'a':{}}},{'properties':{'b':{}}}]}"
            + " | {'type':'object','properties':{'a':{},'b':{}}}",
        "{'properties':[]} | {'properties':{},'type':'object'}",
        "{'type':'object','properties':{'a':{'type':'string'}},'anyOf':[{'required':['a']}]}"
            + " | {'type':'object','properties':{'a':{'type':'string'}}}",
        "{'type':'object','properties':{'a':{'type':['array','null']},'type':{'items':1}}}"
            + " | {'type':'object','properties':{'a':{'type':['array','null'],'items':{}},"
            + "'type':{'items':1}}}",
        "{'$schema':'http://json-schema.org/draft-04/schema#','type':'object','required':null,"
            + "'properties':{'a':{'type':'string','required':true},"
            + "'required':{'type':'boolean'}}}"
            + " | {'type':'object','properties':{'a':{'type':'string'},"
            + "'required':{'type':'boolean'}}}",
        "{'type':'object','properties':{'a':{'minimum':0,'exclusiveMinimum':true},"
            + "'b':{'maximum':9,'exclusiveMaximum':false},'c':{'exclusiveMinimum':1}}}"
            + " | {'type':'object','properties':{'a':{'exclusiveMinimum':0},"
            + "'b':{'maximum':9},'c':{'exclusiveMinimum':1}}}",
        "{'type':'object','properties':{'a':{'type':'array','maxItems':2,'items':"
            + "[{'type':'number'},{'type':'number'}]},'b':{'anyOf':[{'type':'array','items':"
            + "[{'type':'number'},{'type':'array'}],'additionalItems':false}]}}}"
            + " | {'type':'object','properties':{'a':{'type':'array','maxItems':2,'items':"
            + "{'type':'number'}},'b':{'anyOf':[{'type':'array','items':"
            + "{'anyOf':[{'type':'number'},{'type':'array','items':{}}]}}]}}}",
        "{'type':'object','properties':{'a':{'default':{'items':[1],'required':true}},"
            + "'default':{'items':[{'type':'number'}],'maxItems':1}}}"
            + " | {'type':'object','properties':{'a':{'default':{'items':[1],'required':true}},"
            + "'default':{'items':{'type':'number'},'maxItems':1}}}",
      })
  @DisplayName("A tool without parameters, or with odd ones, is shown as every provider takes it")
  void schemas(String listed, String shown) {
    JsonMapper mapper = new JsonMapper();
    assertThat(ToolSchema.of(mapper.readValue(listed.replace('\'', '"'), Map.class)).shown())
        .isEqualTo(mapper.readTree(shown.replace('\'', '"')));
  }

  @Test
  @DisplayName(
      "An argument whose name Anthropic refuses has another one, and its own at the server")
  void argumentNames() {
    ToolSchema schema =
        ToolSchema.of(
            Map.of(
                "properties",
                Map.of("$top", Map.of(), "a", Map.of()),
                "required",
                List.of("$top")));
    String plain = schema.shown().path("required").path(0).asString();
    assertThat(plain).matches("_top_[0-9a-f]{8}");
    assertThat(schema.shown().path("properties").propertyNames())
        .containsExactlyInAnyOrder("a", plain);
    assertThat(schema.named(Map.of(plain, 3, "a", 4))).isEqualTo(Map.of("$top", 3, "a", 4));
  }

  @Test
  @DisplayName("A server over HTTP that would end a response and be asked for its answer answers")
  void httpPolled() throws Exception {
    try (HttpMcp server = HttpMcp.start()) {
      open(new McpServerSpec.Http(server.url(), Map.of()));
      server.answerCalls("asked");
      assertThat(call("die").content()).startsWith("said hi");
    }
  }

  @Test
  @DisplayName(
      "5.4: a tool that a server lists twice is there once: no second name passes approval")
  void listedTwice() throws Exception {
    open(program("twice"));
    assertThat(box.specs()).extracting(ToolSpec::name).containsExactly("mcp__fake__echo");
  }

  @Test
  @DisplayName("A server whose list of tools has no end is asked for no more than may be offered")
  void endlessPages() throws Exception {
    settings = withTools(5);
    open(program("pages"));
    assertThat(box.specs()).hasSize(5);
    assertThat(call("echo1").content()).startsWith("pages: 6");
  }

  private McpSettings withTools(int most) {
    return new McpSettings(
        settings.startTimeout(),
        settings.callTimeout(),
        settings.killGrace(),
        settings.maxRestarts(),
        settings.maxMessage(),
        most);
  }

  @Test
  @DisplayName("Servers together offer no more tools than a provider takes, nor does one alone")
  void tooManyTools() throws Exception {
    try (HttpMcp server = HttpMcp.start()) {
      Map<String, McpServerSpec> two = new TreeMap<>();
      two.put("a", new McpServerSpec.Http(server.url(), Map.of()));
      two.put("b", new McpServerSpec.Http(server.url(), Map.of()));
      try (McpServers opened =
          McpServers.open(two, Map.of(), sandboxes, directory, withTools(20))) {
        assertThat(opened.tools()).hasSize(20);
        assertThat(opened.tools().getLast().spec().name()).startsWith("mcp__b__");
      }
    }
    int workspaceAndReport = 7 + 1;
    assertThat(McpSettings.defaults().maxTools() + workspaceAndReport).isLessThanOrEqualTo(128);
  }

  @Test
  @DisplayName("A server whose list of tools goes in a circle is told of")
  void circle() {
    assertThatThrownBy(() -> open(program("circle")))
        .isInstanceOf(ToolExecutionException.class)
        .hasMessageContaining("MCP server fake did not list its tools: its pages go in a circle");
  }

  @Test
  @DisplayName("A server that says that its tools have changed is not asked for them again")
  void changed() throws Exception {
    open(program("changed"));
    assertThat(call("echo").content()).startsWith("pages: 1");
    assertThat(call("echo").content()).startsWith("pages: 1");
  }

  @Test
  @DisplayName("A design's entry is a command or a url; secrets are not shown")
  void specs() {
    assertThat(McpServerSpec.of(MAPPER.readTree("{\"command\": [\"a\", \"b\"]}"), Network.NONE))
        .isEqualTo(new McpServerSpec.Stdio(List.of("a", "b"), Map.of(), Optional.of(Network.NONE)));
    McpServerSpec http =
        McpServerSpec.of(
            MAPPER.readTree(
                "{\"url\": \"https://me:pw@example.org/mcp?key=k\", \"headers\": {\"X\":"
                    + " \"secret\"}}"),
            Network.NONE);
    assertThat(http).isInstanceOf(McpServerSpec.Http.class);
    assertThat(http.toString()).contains("example.org").doesNotContain("secret", "pw", "key=k");
    for (String bad :
        List.of(
            "{}",
            "{\"command\": \"a\"}",
            "{\"command\": []}",
            "{\"url\": \"file:///etc\"}",
            "{\"url\": \"::\"}",
            "{\"command\": [\"a\"], \"url\": \"http://a\"}")) {
      assertThatThrownBy(() -> McpServerSpec.of(MAPPER.readTree(bad), Network.NONE))
          .as(bad)
          .isInstanceOf(ConfigurationException.class);
    }
  }

  @Test
  @DisplayName("Names that become the same when they are made safe stay apart")
  void names() {
    Set<String> taken = new HashSet<>();
    for (String tool : List.of("a.b", "a/b", "a b", "x".repeat(100), "x".repeat(101))) {
      String name = McpName.of("server", tool, taken);
      assertThat(name).matches("[a-zA-Z0-9_-]{1,64}");
      assertThat(taken.add(name)).as(tool).isTrue();
    }
  }

  private static boolean isAlive(long pid) {
    try {
      String stat = Files.readString(Path.of("/proc/" + pid + "/stat"));
      return !stat.substring(stat.lastIndexOf(')') + 2).startsWith("Z");
    } catch (IOException e) {
      return false;
    }
  }

  /** A server that first writes down what it can reach. */
  private McpServerSpec spy(ServerSocket console, Optional<Network> confined) throws IOException {
    McpServerSpec.Stdio good = (McpServerSpec.Stdio) program("good", FakeMcp.copyTo(directory));
    String script =
        """
        { pwd; bash -c 'exec 3<>/dev/tcp/127.0.0.1/$0' "$1" && echo reached
          grep CapEff /proc/self/status; kill -0 "$2" && echo found
          echo x > /etc/holdfast-mcp && echo escaped; rm -f /etc/holdfast-mcp; } > "$3" 2>&1
        shift 3; exec "$@"
        """;
    List<String> command = new ArrayList<>(List.of("/bin/sh", "-c", script, "spy"));
    command.add(Integer.toString(console.getLocalPort()));
    command.add(Long.toString(ProcessHandle.current().pid()));
    command.add(directory.resolve("seen").toString());
    command.addAll(good.command());
    return new McpServerSpec.Stdio(command, good.environment(), confined);
  }

  @Test
  @DisplayName(
      "issue 20, 1.5: a program is confined like run_command, with the environment that it is"
          + " granted; one that the design trusts runs outside, away from the model's files")
  void confined() throws Exception {
    sandboxes = Sandboxes.of(SandboxMode.AUTO, System.getenv(), List.of());
    assumeTrue(
        sandboxes.get(Network.NONE) instanceof Bubblewrap, "bubblewrap is installed and works");
    try (ServerSocket console = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      open(spy(console, Optional.of(Network.NONE)));
      assertThat(call("env").content()).contains("by the design").doesNotContain("OPENAI_API_KEY");
      assertThat(directory.resolve("seen"))
          .content()
          .startsWith(directory.toRealPath() + "\n")
          .contains("CapEff:\t0000000000000000")
          .doesNotContain("reached", "found", "escaped");
      box.close();

      open(spy(console, Optional.of(Network.FULL)));
      assertThat(directory.resolve("seen")).content().contains("reached").doesNotContain("found");
      box.close();

      open(spy(console, Optional.empty()));
      assertThat(call("echo").content()).startsWith("said hi");
      assertThat(directory.resolve("seen"))
          .content()
          .startsWith(Path.of("").toAbsolutePath() + "\n")
          .contains("reached", "found");
    }
  }

  @Test
  @DisplayName("issue 20, 1.5: where a program must be confined and cannot be, none is started")
  void sandboxRequired() throws Exception {
    sandboxes = Sandboxes.of(SandboxMode.REQUIRED, Map.of("PATH", "/nonexistent"), List.of());
    assertThatThrownBy(() -> open(program("good")))
        .isInstanceOf(SandboxMissingException.class)
        .hasMessageContaining("bubblewrap (bwrap) is not installed: install it");
    McpServerSpec.Stdio good = (McpServerSpec.Stdio) program("good");
    open(new McpServerSpec.Stdio(good.command(), good.environment(), Optional.empty()));
    assertThat(call("echo").content()).startsWith("said hi");
  }
}
