package dev.holdfast.handler.command;

import dev.holdfast.process.OutputTail;
import java.util.Optional;
import java.util.regex.Pattern;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.node.ObjectNode;

/**
 * The last line of a program's stdout that is not blank: where a program says its result, or its
 * error.
 *
 * @param text without blanks around it
 * @param cut whether the line is longer than what is kept of the output, and so misses its
 *     beginning
 */
record LastLine(String text, boolean cut) {
  private static final Pattern QUESTION = Pattern.compile("\\{\\s*\"ask\"\\s*:");
  private static final Pattern ADDITION = Pattern.compile("^\\{.*\"enqueue\"\\s*:");

  static LastLine of(OutputTail stdout) {
    String kept = stdout.end().stripTrailing();
    int before = kept.lastIndexOf('\n');
    return new LastLine(
        withoutMark(kept.substring(before + 1).strip()),
        before < 0 && stdout.total() > CommandHandler.STDOUT_LIMIT);
  }

  /** Some programs begin what they print with a mark of its encoding. */
  private static String withoutMark(String line) {
    return line.startsWith("\uFEFF") ? line.substring(1).strip() : line;
  }

  /** The JSON object that the line is; empty where it is anything else. */
  Optional<ObjectNode> object() {
    if (cut || !text.startsWith("{") || !text.endsWith("}")) {
      return Optional.empty();
    }
    try {
      return parsed();
    } catch (JacksonException | NumberFormatException e) {
      return Optional.empty();
    }
  }

  /**
   * Why a line that was to ask a person, or to add tickets, is no JSON object; empty where it is
   * one, or means nothing of the kind.
   *
   * @param adds whether the program may add tickets
   */
  Optional<String> broken(boolean adds) {
    if (!QUESTION.matcher(text).lookingAt() && !(adds && ADDITION.matcher(text).find())) {
      return Optional.empty();
    }
    try {
      return parsed().isPresent() ? Optional.empty() : Optional.of("it is no object");
    } catch (JacksonException e) {
      return Optional.of(e.getOriginalMessage());
    } catch (NumberFormatException e) {
      return Optional.of("a number in it is too large");
    }
  }

  private Optional<ObjectNode> parsed() {
    return Json.MAPPER.readTree(text) instanceof ObjectNode object
        ? Optional.of(object)
        : Optional.empty();
  }

  /** True if it may have been a result, which must not get lost unnoticed. */
  boolean isCutObject() {
    return cut && text.endsWith("}");
  }
}
