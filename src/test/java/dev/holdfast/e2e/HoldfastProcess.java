package dev.holdfast.e2e;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** A running process of the packaged program. Closing kills it with all that it started. */
public final class HoldfastProcess implements AutoCloseable {
  private static final Pattern LISTENS =
      Pattern.compile("(?:worker )?(\\S+) listens on (http://\\S+)\\R");

  /** A loaded machine takes its time; who waits this long waits in vain. */
  private static final Duration PATIENCE = Duration.ofSeconds(120);

  private static final HttpClient HTTP =
      HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(10)).build();

  private final Process process;
  private final Path directory;
  private final Output out;
  private final Output err;

  /**
   * @param directory where it runs
   */
  HoldfastProcess(Process process, Path directory) {
    this.directory = directory;
    this.process = process;
    this.out = Output.of(process.getInputStream());
    this.err = Output.of(process.getErrorStream());
  }

  public long pid() {
    return process.pid();
  }

  /** Waits for the line that says where the worker listens; groups: its id, its address. */
  private MatchResult announcement() throws InterruptedException {
    return awaitOutput(LISTENS);
  }

  public String workerId() throws InterruptedException {
    return announcement().group(1);
  }

  /** Where it listens. */
  public URI address() throws InterruptedException {
    return URI.create(announcement().group(2));
  }

  public HoldfastProcess awaitListening() throws InterruptedException {
    announcement();
    return this;
  }

  /**
   * Waits until the API and the console are served, and with them the token to use them is there.
   */
  public HoldfastProcess awaitConsole() throws InterruptedException {
    awaitOutput(Pattern.compile("the console's token is in (\\S+)\\R"));
    return this;
  }

  /** The first match in standard output. */
  MatchResult awaitOutput(Pattern pattern) throws InterruptedException {
    return out.await(pattern, PATIENCE)
        .orElseThrow(() -> new AssertionError("no \"" + pattern + "\" in the output of " + this));
  }

  /** Answers of the worker's HTTP port. */
  HttpResponse<String> get(String path) throws IOException, InterruptedException {
    HttpRequest request = request(path).timeout(PATIENCE).build();
    return HTTP.send(request, HttpResponse.BodyHandlers.ofString());
  }

  HttpResponse<String> post(String path, String json) throws IOException, InterruptedException {
    HttpRequest request =
        request(path)
            .header("Content-Type", "application/json")
            .POST(HttpRequest.BodyPublishers.ofString(json))
            .timeout(Duration.ofSeconds(10))
            .build();
    return HTTP.send(request, HttpResponse.BodyHandlers.ofString());
  }

  /** As {@link #get} without waiting for the answer. */
  public CompletableFuture<HttpResponse<String>> sendGet(String path)
      throws IOException, InterruptedException {
    HttpRequest request = request(path).timeout(PATIENCE).build();
    return HTTP.sendAsync(request, HttpResponse.BodyHandlers.ofString());
  }

  /** As the CLI's user would ask: with the token of the directory, once there is one. */
  public HttpRequest.Builder request(String path) throws IOException, InterruptedException {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(announcement().group(2) + path));
    Path token = directory.resolve(".holdfast/token");
    if (Files.exists(token)) {
      request.header("Authorization", "Bearer " + Files.readString(token).strip());
    }
    return request;
  }

  int status(String path) throws IOException, InterruptedException {
    return get(path).statusCode();
  }

  /**
   * The value of one series.
   *
   * @param series its name with its labels, as scraped
   */
  public double metric(String series) throws IOException, InterruptedException {
    String scrape = get("/metrics").body();
    return scrape
        .lines()
        .filter(line -> line.startsWith(series + " "))
        .map(line -> Double.parseDouble(line.substring(series.length() + 1)))
        .findFirst()
        .orElseThrow(() -> new AssertionError("no series " + series + " in\n" + scrape));
  }

  /**
   * Sends a signal to this process alone.
   *
   * @param name as in {@code kill -s}: KILL, TERM, STOP, CONT
   */
  public void signal(String name) throws IOException, InterruptedException {
    boolean sent =
        switch (name) {
          case "TERM" -> process.toHandle().destroy();
          case "KILL" -> process.toHandle().destroyForcibly();
          default -> kill(name);
        };
    if (!sent) {
      throw new AssertionError("cannot send SIG" + name + " to " + this);
    }
  }

  private boolean kill(String name) throws IOException, InterruptedException {
    return new ProcessBuilder("/bin/sh", "-c", "kill -s " + name + " " + pid()).start().waitFor()
        == 0;
  }

  /** Writes to its standard input, as a person at its terminal does. */
  void press(String keys) throws IOException {
    process.getOutputStream().write(keys.getBytes(StandardCharsets.UTF_8));
    process.getOutputStream().flush();
  }

  public boolean isAlive() {
    return process.isAlive();
  }

  /** Its exit code; fails if it is still there after so long. */
  public int awaitExit(Duration atMost) throws InterruptedException {
    if (!process.waitFor(atMost.toMillis(), TimeUnit.MILLISECONDS)) {
      throw new AssertionError("still runs after " + atMost + ": " + this);
    }
    return process.exitValue();
  }

  public Outcome awaitOutcome() throws InterruptedException {
    int exit = awaitExit(PATIENCE);
    return new Outcome(exit, out.whole(), err.whole());
  }

  String stdout() {
    return out.text();
  }

  public String stderr() {
    return err.text();
  }

  @Override
  public void close() {
    try (Stream<ProcessHandle> descendants = process.descendants()) {
      List<ProcessHandle> all = descendants.toList();
      process.destroyForcibly().onExit().join();
      all.forEach(ProcessHandle::destroyForcibly);
    }
  }

  @Override
  public String toString() {
    String state = isAlive() ? "running" : "exit code " + process.exitValue();
    return String.format(
        Locale.ROOT,
        "process %d (%s)\n--- stdout:\n%s\n--- stderr:\n%s",
        pid(),
        state,
        out.text(),
        err.text());
  }
}
