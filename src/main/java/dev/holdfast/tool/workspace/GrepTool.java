package dev.holdfast.tool.workspace;

import dev.holdfast.failure.ShortText;
import dev.holdfast.schema.DeadlineText;
import dev.holdfast.tool.ModelRetryException;
import dev.holdfast.tool.TooBroadPatternException;
import dev.holdfast.tool.Tool;
import java.io.IOException;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.function.LongSupplier;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** Searches the text files of the workspace, line by line, for 3 s at most (C22). */
final class GrepTool implements WorkspaceWalk.Visitor {
  /** The time limit for all files of one search. */
  static final Duration DEADLINE = Duration.ofSeconds(3);

  private static final int MAX_MATCHES = 200;
  private static final int MAX_LINE = 20_000;
  private static final int MAX_SHOWN = 300;

  private static final String DESCRIPTION =
      """
      Searches the text files of the workspace for lines that match a regular expression (Java's).
      The answer has a line PATH:NUMBER: TEXT for each, at most 200. Binary files, links and .git
      are passed over. A search that takes longer than 3 s is ended.
      """;

  static final String SCHEMA =
      """
      {"type": "object", "additionalProperties": false, "required": ["pattern"],
       "properties": {
         "pattern": {"type": "string", "minLength": 1, "maxLength": 1000},
         "path": {"type": "string", "description": "a file or directory; default the workspace"},
         "glob": {"type": "string", "minLength": 1, "maxLength": 200,
                  "description": "only such files, as in *.java or src/**/*.java"},
         "ignore_case": {"type": "boolean", "description": "default false"}}}
      """;

  private final Pattern pattern;
  private final @Nullable Glob glob;
  private final SearchDeadline deadline;
  private final StringBuilder found = new StringBuilder();
  private final PassedOver passedOver = new PassedOver();
  private int matches;

  private GrepTool(JsonNode arguments, SearchDeadline deadline) {
    this.pattern = pattern(arguments);
    this.glob = arguments.has("glob") ? Glob.of(arguments.get("glob").asString()) : null;
    this.deadline = deadline;
  }

  static Tool of(Workspace workspace, LongSupplier nanoTime) {
    return new WorkspaceTool(
        "grep",
        DESCRIPTION,
        SCHEMA,
        WorkspaceTool.Effect.READS,
        arguments ->
            SearchThread.run(
                () ->
                    new GrepTool(arguments, new SearchDeadline(nanoTime, DEADLINE))
                        .search(workspace, arguments.path("path").asString(".")),
                DEADLINE));
  }

  private static Pattern pattern(JsonNode arguments) {
    String regex = arguments.get("pattern").asString();
    boolean ignoreCase = arguments.path("ignore_case").asBoolean(false);
    try {
      return Pattern.compile(
          regex, ignoreCase ? Pattern.CASE_INSENSITIVE | Pattern.UNICODE_CASE : 0);
    } catch (PatternSyntaxException e) {
      throw new ModelRetryException(
          "The pattern is no regular expression: " + e.getDescription() + " in " + regex, e);
    }
  }

  private String search(Workspace workspace, String path) throws IOException, InterruptedException {
    WorkspaceWalk.of(workspace, path, this);
    if (matches >= MAX_MATCHES) {
      found.append("[at least ").append(matches).append(" matches: narrow the search]\n");
    }
    return passedOver.behind(found);
  }

  @Override
  public boolean visit(String file, BasicFileAttributes attributes, WorkspaceWalk.Opener opener)
      throws IOException {
    deadline.check();
    if (attributes.isRegularFile() && (glob == null || glob.matches(file, deadline))) {
      try (SeekableByteChannel channel = opener.open()) {
        search(file, channel);
      }
    }
    return matches < MAX_MATCHES;
  }

  @Override
  public void passOver(String path, String why) {
    passedOver.add(path, why);
  }

  private void search(String file, SeekableByteChannel channel) throws IOException {
    if (LineReader.binaryStart(channel) != null) {
      return;
    }
    try (LineReader lines = new LineReader(channel, MAX_LINE, deadline::check)) {
      int number = 0;
      for (String line = lines.next(); line != null && matches < MAX_MATCHES; line = lines.next()) {
        number++;
        if (number % 100 == 0) {
          deadline.check();
        }
        if (isFound(line)) {
          matches++;
          found.append(file).append(':').append(number).append(": ").append(shown(line));
          found.append('\n');
        }
      }
    }
  }

  private boolean isFound(String line) {
    try {
      return pattern.matcher(new DeadlineText(line, deadline::check)).find();
    } catch (StackOverflowError e) {
      throw new TooBroadPatternException(
          "The pattern repeats a group too often for a long line: make it simpler", e);
    }
  }

  private static String shown(String line) {
    return ShortText.of(line, MAX_SHOWN);
  }
}
