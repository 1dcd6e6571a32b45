package dev.holdfast.tool.workspace;

import dev.holdfast.process.Utf8;
import dev.holdfast.tool.ModelRetryException;
import dev.holdfast.tool.Tool;
import dev.holdfast.tool.patch.LineEnds;
import dev.holdfast.tool.patch.NearestMatch;
import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.Channels;
import java.nio.channels.SeekableByteChannel;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import tools.jackson.databind.JsonNode;

/** Replaces one place of a file. Not idempotent: the new text may hold the old one again. */
final class EditFileTool {
  private static final int MAX_BYTES = 10 << 20;

  private static final String DESCRIPTION =
      """
      Replaces a text in a file of the workspace. The search text must be exactly as in the file,
      with its spaces and line ends and without read_file's line numbers, and must occur once: take
      in lines around it until it does. Where all line ends of the file are \\r\\n, write \\n.
      """;

  static final String SCHEMA =
      """
      {"type": "object", "additionalProperties": false, "required": ["path", "search", "replace"],
       "properties": {
         "path": {"type": "string", "minLength": 1, "description": "relative to the workspace"},
         "search": {"type": "string", "minLength": 1, "description": "occurs once in the file"},
         "replace": {"type": "string", "description": "what comes in its place"}}}
      """;

  private EditFileTool() {}

  static Tool of(Workspace workspace) {
    return new WorkspaceTool(
            "edit_file",
            DESCRIPTION,
            SCHEMA,
            WorkspaceTool.Effect.CHANGES,
            arguments -> edit(workspace, arguments))
        .withPreview(
            Set.of("search", "replace"),
            arguments -> {
              Edited edited = edited(workspace, arguments);
              return PlannedDiff.of(workspace, edited.path(), edited.text());
            });
  }

  private record Edited(String path, String text, int line) {}

  private static String edit(Workspace workspace, JsonNode arguments)
      throws IOException, InterruptedException {
    Edited edited = edited(workspace, arguments);
    workspace.write(edited.path(), edited.text().getBytes(StandardCharsets.UTF_8));
    return "Edited " + edited.path() + " at line " + edited.line() + ".";
  }

  private static Edited edited(Workspace workspace, JsonNode arguments)
      throws IOException, InterruptedException {
    String path = arguments.get("path").asString();
    String text = text(workspace, path);
    // Models write bare line ends, and read_file does not show which ones a file has.
    LineEnds ends = LineEnds.of(text);
    String search = ends.in(arguments.get("search").asString());
    String replace = ends.in(arguments.get("replace").asString());
    if (search.equals(replace)) {
      throw new ModelRetryException("search and replace are the same: nothing would change.");
    }
    int at = text.indexOf(search);
    if (at < 0) {
      throw new ModelRetryException(NearestMatch.notFound(path, text, search));
    }
    int again = text.indexOf(search, at + 1);
    if (again >= 0) {
      throw new ModelRetryException(NearestMatch.ambiguous(path, text, search));
    }
    String changed = text.substring(0, at) + replace + text.substring(at + search.length());
    return new Edited(path, changed, NearestMatch.lineOf(text, at));
  }

  private static String text(Workspace workspace, String path)
      throws IOException, InterruptedException {
    try (SeekableByteChannel channel = workspace.open(path);
        InputStream in = Channels.newInputStream(channel)) {
      byte[] bytes = in.readNBytes(MAX_BYTES + 1);
      if (bytes.length > MAX_BYTES) {
        throw new WrongPathException(path + " is larger than 10 MiB: use run_command for it.");
      }
      return Utf8.strictly(bytes);
    } catch (CharacterCodingException e) {
      throw new WrongPathException(path + " is no UTF-8 text: it cannot be edited as text.");
    }
  }
}
