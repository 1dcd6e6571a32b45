package dev.holdfast.tool.workspace;

import dev.holdfast.tool.Tool;
import java.io.IOException;
import java.nio.channels.SeekableByteChannel;
import java.util.HexFormat;
import java.util.Locale;
import tools.jackson.databind.JsonNode;

/** Shows a text file with its line numbers; a binary one is described. */
record ReadFileTool(Workspace workspace) {
  private static final int DEFAULT_LINES = 2000;
  private static final int MAX_LINE = 2000;

  /**
   * The most characters; less than a tool may answer, so that the note on how to go on is never cut
   * off.
   */
  private static final int MAX_CHARS = 24 * 1024;

  private static final String DESCRIPTION =
      """
      Reads a text file of the workspace. Each line comes with its number and a tab. Long files come
      in parts: the last line of the answer says how to go on. Binary files are only described.
      """;

  static final String SCHEMA =
      """
      {"type": "object", "additionalProperties": false, "required": ["path"],
       "properties": {
         "path": {"type": "string", "minLength": 1, "description": "relative to the workspace"},
         "offset": {"type": "integer", "minimum": 1, "description": "the first line; default 1"},
         "limit": {"type": "integer", "minimum": 1, "maximum": 2000,
                   "description": "how many lines; default 2000"}}}
      """;

  static Tool of(Workspace workspace) {
    return new WorkspaceTool(
        "read_file",
        DESCRIPTION,
        SCHEMA,
        WorkspaceTool.Effect.READS,
        new ReadFileTool(workspace)::call);
  }

  private String call(JsonNode arguments) throws IOException, InterruptedException {
    try (SeekableByteChannel channel = workspace.open(arguments.get("path").asString())) {
      byte[] start = LineReader.binaryStart(channel);
      if (start != null) {
        String hex = HexFormat.ofDelimiter(" ").formatHex(start);
        return "A binary file of " + channel.size() + " bytes that begins with " + hex;
      }
      if (channel.size() == 0) {
        return "[the file is empty]";
      }
      try (LineReader lines = new LineReader(channel, MAX_LINE, () -> {})) {
        return lines(
            lines, arguments.path("offset").asInt(1), arguments.path("limit").asInt(DEFAULT_LINES));
      }
    }
  }

  private static String lines(LineReader lines, int offset, int limit) throws IOException {
    StringBuilder shown = new StringBuilder();
    int number = 0;
    for (String line = lines.next(); line != null; line = lines.next()) {
      number++;
      if (number < offset) {
        continue;
      }
      shown.append(String.format(Locale.ROOT, "%6d\t%s", number, line));
      shown.append(lines.wasCut() ? "… [the line is longer]\n" : "\n");
      boolean full = number - offset + 1 >= limit || shown.length() >= MAX_CHARS;
      if (full && !lines.isAtEnd()) {
        return shown + "[more lines follow: go on with offset " + (number + 1) + "]";
      }
    }
    return number < offset
        ? "[the file has only " + number + " lines]"
        : shown + "[end of the file]";
  }
}
