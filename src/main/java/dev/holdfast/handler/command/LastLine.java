package dev.holdfast.handler.command;

import dev.holdfast.process.OutputTail;
import dev.holdfast.process.Utf8;
import java.io.IOException;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.exc.UnexpectedEndOfInputException;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * The last line of a program's stdout that is not blank. There a program states its result or its
 * error. An object that is printed over several lines counts as one.
 *
 * @param text without blanks around it, and without orders to a terminal
 * @param cut whether the line, or the object over several, is longer than what is kept of the
 *     output and so misses its beginning
 */
record LastLine(String text, boolean cut) {
  private static final Pattern QUESTION =
      Pattern.compile("(?s)\\{\\s*\"(?:ask\"\\s*:|(?:choices|schema)\"\\s*:.*\"ask\"\\s*:)");
  private static final Pattern ADDITION = Pattern.compile("(?s)\\{.*\"enqueue\"\\s*:");
  private static final Pattern ERROR = Pattern.compile("\\{\\s*\"error\"\\s*:");

  /**
   * Orders to a terminal: colours, the cursor, a window's title. JSON never contains their first
   * character.
   */
  private static final Pattern TERMINAL_ORDER =
      Pattern.compile(
          "\u001b(?:\\[[0-?]{0,40}[ -/]{0,4}[@-~]"
              + "|\\][^\u0007\u001b]{0,2000}(?:\u0007|\u001b\\\\)"
              + "|[ -/]{1,2}[0-~]|[0-Z^-z])");

  /** The line with which printers begin an object that they print over several lines. */
  private static final Pattern OPEN = Pattern.compile("(?m)^\uFEFF?\\{[ \\t\\r]*$");

  /** The end of an object over several lines, as {@code jq} prints it. */
  private static final Pattern END_OF_LINES = Pattern.compile("\\n[ \\t]+[\"\\]}][^\\n]*\\n\\}");

  static LastLine of(OutputTail stdout) {
    String kept = TERMINAL_ORDER.matcher(stdout.end()).replaceAll("").stripTrailing();
    int from = beginning(kept);
    // Some programs begin their output with a byte order mark.
    String text = Utf8.withoutMark(kept.substring(from).strip()).strip();
    boolean cut = from == 0 || (text.equals("}") && endsObject(kept));
    return new LastLine(text, cut && stdout.total() > CommandHandler.STDOUT_LIMIT);
  }

  private static boolean endsObject(String kept) {
    int before = kept.lastIndexOf('\n', Math.max(0, kept.lastIndexOf('\n') - 1));
    return before >= 0 && END_OF_LINES.matcher(kept.substring(before)).matches();
  }

  /**
   * Returns the beginning of the last line, or of the lines from a brace alone to a last line that
   * is a brace alone. Where nothing is indented, inner objects begin in the same way, so the lines
   * of one object begin no other.
   */
  private static int beginning(String kept) {
    int from = beginningOfLine(kept);
    if (kept.endsWith("\n}")) {
      int read = 0;
      Matcher open = OPEN.matcher(kept);
      while (open.find()) {
        if (open.start() >= read) {
          from = open.start();
          read = endOfObject(kept, kept.indexOf('{', from));
        }
      }
    }
    return from;
  }

  /**
   * Returns the beginning of the last line, after any progress display, which the program
   * overwrites.
   */
  private static int beginningOfLine(String kept) {
    int from = kept.lastIndexOf('\n') + 1;
    return kept.startsWith("{", from) ? from : Math.max(from, kept.lastIndexOf('\r') + 1);
  }

  /**
   * Returns the place after the object that begins at a brace, or where it turns out to be no
   * object.
   */
  private static int endOfObject(String kept, int brace) {
    StringReader text = new StringReader(kept);
    try {
      text.skip(brace);
    } catch (IOException e) {
      throw new UncheckedIOException("a text cannot be read", e);
    }
    try (JsonParser parser = ProgramJson.MAPPER.createParser(text)) {
      return brace + Math.max(1, lengthOfObject(parser));
    }
  }

  private static int lengthOfObject(JsonParser parser) {
    try {
      parser.nextToken();
      parser.skipChildren();
      return (int) parser.currentLocation().getCharOffset();
    } catch (UnexpectedEndOfInputException e) {
      return 1; // What it lacks may begin the object that ends here.
    } catch (JacksonException e) {
      return (int) parser.currentLocation().getCharOffset() - 1;
    }
  }

  /** Returns the JSON object that the line is; empty where it is anything else. */
  Optional<ObjectNode> object() {
    if (cut || !text.startsWith("{") || !text.endsWith("}")) {
      return Optional.empty();
    }
    try {
      return read(ProgramJson.MAPPER);
    } catch (JacksonException | NumberFormatException e) {
      return Optional.empty();
    }
  }

  /**
   * Says why a line that was meant to ask a person, or to add tickets, is no JSON object with every
   * key once; empty where it is one, or was not meant so.
   *
   * @param adds whether the program may add tickets
   */
  Optional<String> broken(boolean adds) {
    return QUESTION.matcher(text).lookingAt() || (adds && ADDITION.matcher(text).lookingAt())
        ? flaw()
        : Optional.empty();
  }

  /** True if the line was meant to state an error and is no JSON. */
  boolean isBrokenError() {
    return object().isEmpty() && ERROR.matcher(text).lookingAt();
  }

  /** Says why the line is no JSON object with every key once; empty where it is one. */
  Optional<String> flaw() {
    try {
      return read(ProgramJson.STRICT).isPresent()
          ? Optional.empty()
          : Optional.of("it is no object");
    } catch (JacksonException e) {
      return Optional.of(e.getOriginalMessage());
    } catch (NumberFormatException e) {
      return Optional.of("a number in it is too large");
    }
  }

  private Optional<ObjectNode> read(JsonMapper mapper) {
    return mapper.readTree(text) instanceof ObjectNode object
        ? Optional.of(object)
        : Optional.empty();
  }

  /** True if the line may have been a result, which must not get lost unnoticed. */
  boolean isCutObject() {
    return cut && text.endsWith("}");
  }
}
