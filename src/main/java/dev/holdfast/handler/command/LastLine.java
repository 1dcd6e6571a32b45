package dev.holdfast.handler.command;

import dev.holdfast.process.OutputTail;
import java.util.Optional;
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
  static LastLine of(OutputTail stdout) {
    String kept = stdout.end().stripTrailing();
    int before = kept.lastIndexOf('\n');
    return new LastLine(
        kept.substring(before + 1).strip(),
        before < 0 && stdout.total() > CommandHandler.STDOUT_LIMIT);
  }

  /** The JSON object that the line is; empty where it is anything else. */
  Optional<ObjectNode> object() {
    if (cut || !text.startsWith("{") || !text.endsWith("}")) {
      return Optional.empty();
    }
    try {
      return Json.MAPPER.readTree(text) instanceof ObjectNode object
          ? Optional.of(object)
          : Optional.empty();
    } catch (JacksonException | NumberFormatException e) {
      return Optional.empty();
    }
  }

  /** True if it may have been a result, which must not get lost unnoticed. */
  boolean isCutObject() {
    return cut && text.endsWith("}");
  }
}
