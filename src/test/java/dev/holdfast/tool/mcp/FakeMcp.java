package dev.holdfast.tool.mcp;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * An MCP server as a program of its own, well behaved or not. Needs nothing but a JDK. Its first
 * argument says how it starts, {@code good}, {@code silent} or {@code nonsense}, or how it lists
 * its tools: {@code twice}, two under {@code alike} names, in {@code pages} that have no end, in a
 * {@code circle} of pages, or with a word at each call that they have {@code changed}. Those answer
 * every call with how often they were asked for a page. One that is {@code odd} says much that is
 * not as it should be.
 */
public final class FakeMcp {
  private static final Pattern ID = Pattern.compile("\"id\":(\"[^\"]*\"|\\d+)");
  private static final Pattern METHOD = Pattern.compile("\"method\":\"([^\"]*)\"");
  private static final Pattern VERSION = Pattern.compile("\"protocolVersion\":\"([^\"]*)\"");
  private static final Pattern TOOL = Pattern.compile("\"name\":\"([^\"]*)\"");
  private static final Pattern TEXT = Pattern.compile("\"text\":\"([^\"]*)\"");

  private FakeMcp() {}

  /**
   * Puts the program where a sandbox shows it; the class path of the build may be in {@code /tmp},
   * which is empty inside.
   *
   * @return the class path to start it with: the directory
   */
  public static Path copyTo(Path directory) throws IOException {
    String file = FakeMcp.class.getName().replace('.', '/') + ".class";
    Path target = directory.resolve(file);
    Files.createDirectories(target.getParent());
    try (InputStream program =
        Objects.requireNonNull(FakeMcp.class.getResourceAsStream("/" + file))) {
      Files.copy(program, target, StandardCopyOption.REPLACE_EXISTING);
    }
    return directory;
  }

  public static void main(String[] arguments) throws Exception {
    PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    System.err.println("fake server, mode " + arguments[0]);
    switch (arguments[0]) {
      case "silent" -> new CountDownLatch(1).await();
      case "nonsense" -> out.print("\u0001{]no\n\n{\"jsonrpc\": 7}\n".repeat(2000));
      case "twice", "alike", "pages", "circle", "changed", "odd" -> list(arguments[0], out);
      default -> serve(out);
    }
  }

  private static void serve(PrintStream out) throws Exception {
    BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      misbehave(line, out);
      String answer = answer(line);
      if (!answer.isEmpty()) {
        out.println(answer);
      }
    }
  }

  private static void list(String mode, PrintStream out) throws Exception {
    BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    int pages = 0;
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      String id = group(ID, line);
      switch (group(METHOD, line)) {
        case "tools/list" -> out.println(result(id, page(mode, ++pages)));
        case "tools/call" -> {
          if (mode.equals("changed")) {
            out.println("{\"jsonrpc\": \"2.0\", \"method\": \"notifications/tools/list_changed\"}");
          }
          out.println(mode.equals("odd") ? odd(id, line) : content(id, "pages: " + pages, false));
        }
        default -> {
          String answer = answer(line).replace("\"version\": \"1\"", version(mode));
          if (!answer.isEmpty()) {
            out.println(answer);
          }
        }
      }
    }
  }

  private static String version(String mode) {
    String icons = ", \"icons\": [{\"src\": \"i.png\", \"sizes\": \"48x48\"}]";
    return "\"version\": \"1\"" + (mode.equals("odd") ? icons : "");
  }

  private static String odd(String id, String line) {
    String noted =
        "[{\"type\": \"text\", \"text\": \"noted words\", \"annotations\": {\"audience\":"
            + " \"user\"}}]";
    return result(
        id,
        group(TOOL, line).equals("noted")
            ? "{\"content\": " + noted + "}"
            : "{\"content\": \"plain words\", \"_meta\": 7}");
  }

  private static String page(String mode, int number) {
    return switch (mode) {
      case "odd" ->
          "{\"tools\": ["
              + tool("noted", "").replace("{\"name\"", "{\"outputSchema\": true, \"name\"")
              + ","
              + tool("plain", "").replace("{\"name\"", "{\"icons\": \"i.png\", \"name\"")
              + ", null, {\"name\": \"no tool\", \"inputSchema\": true}]}";
      case "twice" -> "{\"tools\": [" + tool("echo", "") + "," + tool("echo", "") + "]}";
      case "alike" -> "{\"tools\": [" + tool("dr/op", "") + "," + tool("dr.op", "") + "]}";
      case "changed" -> "{\"tools\": [" + tool("echo", "") + "]}";
      default ->
          "{\"tools\": ["
              + tool("echo" + number, "")
              + "], \"nextCursor\": \""
              + (mode.equals("circle") ? number % 2 : number)
              + "\"}";
    };
  }

  private static void misbehave(String line, PrintStream out) throws Exception {
    if (!line.contains("tools/call")) {
      return;
    }
    switch (group(TOOL, line)) {
      case "die", "die always" -> System.exit(3);
      case "die beside a child" -> dieBesideChild();
      case "die once" -> dieOnce();
      case "hang" -> new CountDownLatch(1).await();
      case "chatty" -> out.println("INFO a log line\n\n[1, 2\n{\"x\": 1}");
      case "flood" -> out.print("x".repeat(3_000_000));
      case "fork" -> fork();
      default -> {}
    }
  }

  private static void dieOnce() throws IOException {
    Path mark = Path.of("died");
    if (!Files.exists(mark)) {
      Files.createFile(mark);
      System.exit(3);
    }
  }

  /** The child has the server's stdout and stderr, as it has in most languages. */
  private static void dieBesideChild() throws IOException {
    new ProcessBuilder("sleep", "1000").inheritIO().start();
    System.exit(3);
  }

  private static void fork() throws IOException {
    Process child = new ProcessBuilder("setsid", "sleep", "1000").start();
    Files.writeString(Path.of("child.pid"), child.pid() + "\n");
  }

  /** What a server answers to a message; empty for a notification. */
  static String answer(String line) {
    String id = group(ID, line);
    return switch (group(METHOD, line)) {
      case "initialize" ->
          result(
              id,
              "{\"protocolVersion\": \""
                  + group(VERSION, line)
                  + "\", \"capabilities\": {\"tools\": {}},"
                  + " \"serverInfo\": {\"name\": \"fake\", \"version\": \"1\"}}");
      case "tools/list" -> result(id, "{\"tools\": [" + String.join(",", tools()) + "]}");
      case "tools/call" -> call(id, line);
      default -> "";
    };
  }

  private static List<String> tools() {
    return List.of(
        tool("echo", "\"readOnlyHint\": true"),
        tool("die once", "\"idempotentHint\": true"),
        tool("die always", "\"idempotentHint\": true"),
        tool("die", ""),
        tool("die beside a child", ""),
        tool("hang", ""),
        tool("chatty", ""),
        tool("flood", ""),
        tool("fork", ""),
        tool("env", ""),
        tool("wrong", ""),
        tool("refused", ""),
        tool("novel", ""),
        tool("a/very.long name ".repeat(8).strip(), ""));
  }

  private static String tool(String name, String hints) {
    return "{\"name\": \""
        + name
        + "\", \"description\": \"a tool\", \"inputSchema\": {\"type\": \"object\","
        + " \"properties\": {\"text\": {\"type\": \"string\"}}}, \"annotations\": {"
        + hints
        + "}}";
  }

  private static String call(String id, String line) {
    return switch (group(TOOL, line)) {
      case "wrong" -> content(id, "the account is unknown", true);
      case "refused" ->
          "{\"jsonrpc\": \"2.0\", \"id\": "
              + id
              + ", \"error\": {\"code\": -32602, \"message\": \"no such account\"}}";
      case "novel" ->
          result(
              id,
              "{\"content\": [{\"type\": \"text\", \"text\": \"before\"}, {\"type\": \"hologram\","
                  + " \"data\": {\"text\": \"x\"}}, {\"text\": \"untyped\"}, {\"type\": \"text\","
                  + " \"text\": \"behind\"}], \"isError\": false}");
      case "env" -> content(id, System.getenv().keySet() + " " + System.getenv("GIVEN"), false);
      default -> content(id, "said " + group(TEXT, line), false);
    };
  }

  private static String content(String id, String text, boolean isError) {
    return result(
        id,
        "{\"content\": [{\"type\": \"text\", \"text\": \""
            + text.replace("\"", "'")
            + "\"}, {\"type\": \"image\", \"data\": \"AAAA\", \"mimeType\": \"image/png\"}],"
            + " \"isError\": "
            + isError
            + "}");
  }

  private static String result(String id, String result) {
    return "{\"jsonrpc\": \"2.0\", \"id\": " + id + ", \"result\": " + result + "}";
  }

  private static String group(Pattern pattern, String line) {
    Matcher matcher = pattern.matcher(line);
    return matcher.find() ? matcher.group(1) : "";
  }
}
