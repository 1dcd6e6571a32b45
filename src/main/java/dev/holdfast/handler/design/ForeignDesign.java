package dev.holdfast.handler.design;

import dev.holdfast.ticket.InvalidInputException;
import java.util.Map;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Reads a definition that was written for another program as a design, where its meaning is clear.
 */
public final class ForeignDesign {
  private static final Map<String, String> OUR_NAMES =
      Map.of("type", "kind", "system_prompt", "system", "cwd", "directory");

  private ForeignDesign() {}

  /**
   * Reads a definition. One with {@code command} becomes kind command, and a command line is given
   * to a shell. One with {@code system} or {@code system_prompt} becomes kind agent, with {@code
   * provider} and {@code model} as its target. A definition that is a design already stays as it
   * is.
   *
   * @throws InvalidInputException saying why it is no design
   */
  public static ValidDesign read(String definition) {
    ObjectNode design = DesignText.read(definition);
    OUR_NAMES.forEach((theirs, ours) -> rename(design, theirs, ours));
    if (!design.has("kind") && (design.has("command") || design.has("system"))) {
      design.put("kind", design.has("command") ? "command" : "agent");
    }
    JsonNode command = design.path("command");
    if (command.isString()) {
      String line = command.asString();
      design.putArray("command").add("/bin/sh").add("-c").add(line);
    }
    if (!design.has("targets") && design.has("provider") && design.has("model")) {
      ArrayNode targets = design.putArray("targets");
      ObjectNode target = targets.addObject();
      target.set("provider", design.remove("provider"));
      target.set("model", design.remove("model"));
    }
    return new DesignValidator().validate(design.toString());
  }

  private static void rename(ObjectNode design, String theirs, String ours) {
    if (design.has(theirs) && !design.has(ours)) {
      design.set(ours, design.remove(theirs));
    }
  }
}
