package dev.holdfast.handler.design;

import dev.holdfast.retry.RetryOverridesParser;
import dev.holdfast.schema.JsonSchema;
import dev.holdfast.schema.NearestKey;
import dev.holdfast.ticket.InvalidInputException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Checks design documents against the published JSON Schema (2020-12) of their kind, and their
 * {@code retry:} against what the retry settings understand. A kind's schema is the resource {@code
 * /dev/holdfast/handler/design-KIND.schema.json}. Thread-safe.
 */
public final class DesignValidator {
  /** The kinds of designs. A further kind needs its name here and its schema beside the others. */
  private static final List<String> KINDS = List.of("agent", "command", "repair", "workflow");

  private final List<String> kinds;

  /**
   * The schemas, read at their first use: a worker's start should not wait for those that its
   * tickets may not need.
   */
  private final Map<String, DesignSchema> schemas = new ConcurrentHashMap<>();

  /** Makes a validator for every kind that Holdfast has. */
  public DesignValidator() {
    this(KINDS);
  }

  DesignValidator(List<String> kinds) {
    this.kinds = List.copyOf(kinds);
  }

  /**
   * @param text the document, as YAML or JSON
   * @throws InvalidInputException in one line, naming each wrong key and what it may be
   */
  public ValidDesign validate(String text) {
    return validate(DesignText.read(text));
  }

  private ValidDesign validate(ObjectNode document) {
    String kind = kind(document.get("kind"));
    List<String> problems = schema(kind).problems(document);
    if (!problems.isEmpty()) {
      throw new InvalidInputException("the design is not valid: " + summary(problems));
    }
    checkRetry(document.get("retry"));
    checkReport(document.path("report").get("schema"));
    checkApproval(document);
    if (kind.equals("repair")) {
      RepairChecks.check(document);
    }
    if (kind.equals("workflow")) {
      WorkflowChecks.check(document);
    }
    return new ValidDesign(kind, DesignText.JSON.writeValueAsString(document));
  }

  private String kind(@Nullable JsonNode kind) {
    if (kind == null || !kind.isString()) {
      throw new InvalidInputException("the design has no \"kind\": write one of " + kinds);
    }
    return kind.stringValue();
  }

  private DesignSchema schema(String kind) {
    if (!kinds.contains(kind)) {
      throw new InvalidInputException(
          "the design's kind \"" + kind + "\" is unknown: " + NearestKey.hint(kind, kinds));
    }
    return schemas.computeIfAbsent(kind, DesignSchema::ofKind);
  }

  private static String summary(List<String> problems) {
    int shown = Math.min(problems.size(), 5);
    String more = problems.size() > shown ? "; and " + (problems.size() - shown) + " more" : "";
    return String.join("; ", problems.subList(0, shown)) + more;
  }

  /** Checks the names under approval, because a mistake there would let a tool run unseen. */
  private static void checkApproval(ObjectNode document) {
    Set<String> tools = new TreeSet<>();
    document.path("tools").valueStream().map(JsonNode::asString).forEach(tools::add);
    for (JsonNode each : document.path("approval")) {
      String name = each.asString();
      boolean ofServer =
          document
              .path("mcp")
              .propertyStream()
              .anyMatch(server -> name.startsWith("mcp__" + server.getKey() + "__"));
      if (!ofServer && !tools.contains(name)) {
        throw new InvalidInputException(
            "the design is not valid: approval names "
                + name
                + ", which is not among its tools: add it there, or leave it out here");
      }
    }
  }

  private static void checkRetry(@Nullable JsonNode retry) {
    if (retry == null) {
      return;
    }
    try {
      RetryOverridesParser.parse(DesignText.JSON.readerFor(Map.class).readValue(retry));
    } catch (IllegalArgumentException e) {
      throw new InvalidInputException("the design is not valid: retry: " + e.getMessage());
    }
  }

  /** Checks the report's schema by using it, because some mistakes in schemas show only then. */
  private static void checkReport(@Nullable JsonNode schema) {
    if (schema == null) {
      return;
    }
    try {
      new JsonSchema(schema, "data").problems(DesignText.JSON.createObjectNode());
    } catch (RuntimeException e) {
      throw new InvalidInputException(
          "the design is not valid: report.schema is no JSON schema: "
              + String.valueOf(e.getMessage()).lines().findFirst().orElse(""));
    }
  }
}
