package dev.holdfast.tool.mcp;

import dev.holdfast.process.CutText;
import dev.holdfast.process.MachineLimits;
import dev.holdfast.process.OutputTail;
import dev.holdfast.process.OwnSession;
import dev.holdfast.process.ProcessTree;
import io.modelcontextprotocol.json.McpJsonMapper;
import io.modelcontextprotocol.json.TypeRef;
import io.modelcontextprotocol.spec.McpClientTransport;
import io.modelcontextprotocol.spec.McpSchema;
import io.modelcontextprotocol.spec.McpSchema.JSONRPCMessage;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Mono;

/**
 * A server as a program. The SDK's own transport neither notices the program's death nor kills what
 * it forked, ends at the first line that is no message, and passes on the whole environment.
 */
final class StdioTransport implements McpClientTransport {
  private static final Logger log = LoggerFactory.getLogger(StdioTransport.class);
  private static final int STDERR_KEPT = 2048;
  private static final String ENDED = "it ended";

  /** The time in which the last words of an ended program may still arrive. */
  private static final long LAST_WORDS_MILLIS = 500;

  /**
   * The most lines in a row that are no messages. Some servers log to stdout; one that does nothing
   * else is no server.
   */
  private static final int MAX_GARBAGE = 1000;

  private final Process process;
  private final ProcessTree tree;
  private final McpJsonMapper mapper;
  private final int maxMessage;
  private final Duration killGrace;
  private final OutputTail stderr;
  private final CompletableFuture<ConnectionEnd> ended = new CompletableFuture<>();
  private final CompletableFuture<Void> heard = new CompletableFuture<>();
  private final AtomicBoolean stopped = new AtomicBoolean();

  private StdioTransport(
      Process process, ProcessTree tree, McpJsonMapper mapper, McpSettings settings) {
    this.process = process;
    this.tree = tree;
    this.mapper = mapper;
    this.maxMessage = settings.maxMessage();
    this.killGrace = settings.killGrace();
    this.stderr = OutputTail.keeping(STDERR_KEPT);
  }

  /**
   * @throws IOException if the program cannot be started
   * @throws dev.holdfast.process.NotPreparedException if this machine has no room for any program
   */
  static StdioTransport start(OwnSession session, McpJsonMapper mapper, McpSettings settings)
      throws IOException {
    Process process = session.start();
    return new StdioTransport(process, session.tree(process), mapper, settings);
  }

  private void listen() {
    stderr.drain(process.getErrorStream());
    heard.complete(null);
  }

  /** A future that completes with the reason when nothing more comes from the server. */
  CompletableFuture<ConnectionEnd> ended() {
    return ended;
  }

  /**
   * Returns the end of the program's stderr; all that is kept of it where the program has ended.
   */
  String said() {
    if (!process.isAlive()) {
      heard.copy().completeOnTimeout(null, LAST_WORDS_MILLIS, TimeUnit.MILLISECONDS).join();
    }
    String end = stderr.end();
    return (stderr.total() > STDERR_KEPT ? CutText.behind(end) : end).strip();
  }

  @Override
  public Mono<Void> connect(Function<Mono<JSONRPCMessage>, Mono<JSONRPCMessage>> handler) {
    return Mono.fromRunnable(
        () -> {
          start("holdfast-mcp-stderr", this::listen);
          start("holdfast-mcp-stdout", () -> ended.complete(ConnectionEnd.because(read(handler))));
          noticeEnd();
        });
  }

  /**
   * Notices the program's end. A child that it left behind may hold its output open, so that the
   * output never ends.
   */
  private void noticeEnd() {
    var unused =
        process
            .onExit()
            .thenRunAsync(
                () -> ended.complete(ConnectionEnd.because(ENDED)),
                CompletableFuture.delayedExecutor(LAST_WORDS_MILLIS, TimeUnit.MILLISECONDS));
  }

  /** Starts a platform thread: a virtual thread that waits for a pipe would keep its carrier. */
  private static void start(String name, Runnable work) {
    try {
      Thread.ofPlatform().daemon().name(name).start(work);
    } catch (OutOfMemoryError e) { // of threads
      throw MachineLimits.noProcesses(e);
    }
  }

  /** Reads to the end of the server's output; returns the reason of the end. */
  private String read(Function<Mono<JSONRPCMessage>, Mono<JSONRPCMessage>> handler) {
    try (Reader reader =
        new BufferedReader(
            new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
      MessageLines lines = new MessageLines(reader, maxMessage);
      int garbage = 0;
      for (String line = lines.next(); line != null; line = lines.next()) {
        if (line.isBlank()) {
          continue;
        }
        garbage = deliver(line, handler) ? 0 : garbage + 1;
        if (garbage > MAX_GARBAGE) {
          return "it writes to stdout what is no MCP";
        }
      }
      return ENDED;
    } catch (IOException e) {
      return String.valueOf(e.getMessage());
    }
  }

  private boolean deliver(
      String line, Function<Mono<JSONRPCMessage>, Mono<JSONRPCMessage>> handler) {
    JSONRPCMessage message;
    try {
      message = McpSchema.deserializeJsonRpcMessage(mapper, line);
    } catch (IOException | RuntimeException e) {
      log.debug("An MCP server wrote a line that is no message: {}", e.toString());
      return false;
    }
    var unused =
        handler
            .apply(Mono.just(message).filter(ListChanges::isNone))
            .subscribe(
                each -> {},
                e -> log.debug("A message of an MCP server was refused: {}", e.toString()));
    return true;
  }

  @Override
  public Mono<Void> sendMessage(JSONRPCMessage message) {
    return Mono.fromRunnable(() -> write(message));
  }

  private void write(JSONRPCMessage message) {
    try {
      byte[] line = (mapper.writeValueAsString(message) + "\n").getBytes(StandardCharsets.UTF_8);
      OutputStream out = process.getOutputStream();
      synchronized (this) {
        out.write(line);
        out.flush();
      }
    } catch (IOException e) {
      throw new UncheckedIOException("the MCP server does not read any more", e);
    }
  }

  @Override
  public <T> T unmarshalFrom(Object data, TypeRef<T> type) {
    return McpContent.read(mapper, data, type);
  }

  @Override
  public Mono<Void> closeGracefully() {
    return Mono.fromRunnable(this::stop);
  }

  /** Ends the program and all that it forked; a second call does nothing. */
  void stop() {
    if (stopped.compareAndSet(false, true)) {
      tree.stop(killGrace);
      ended.complete(ConnectionEnd.because("it was stopped"));
    }
  }
}
