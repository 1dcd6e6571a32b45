package dev.holdfast.tool;

import com.networknt.schema.SchemaException;
import dev.holdfast.llm.ToolCall;
import dev.holdfast.llm.ToolSpec;
import dev.holdfast.schema.JsonSchema;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** Reads and checks the arguments that a model wrote for one tool. Thread-safe. */
record Arguments(ToolSpec spec) {
  private static final Logger log = LoggerFactory.getLogger(Arguments.class);

  private static final JsonMapper MAPPER =
      JsonMapper.builder()
          .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          .enable(
              DeserializationFeature.FAIL_ON_TRAILING_TOKENS,
              DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
          .build();

  private static final int MAX_PROBLEMS = 10;

  /**
   * @throws ModelRetryException naming what is wrong and where
   */
  JsonNode of(ToolCall call) {
    JsonNode arguments = parsed(call);
    List<String> problems = problems(arguments);
    if (!problems.isEmpty()) {
      throw new ModelRetryException(
          "The arguments of %s are wrong: %s. Correct them and call it again."
              .formatted(
                  call.name(),
                  String.join("; ", problems.subList(0, Math.min(MAX_PROBLEMS, problems.size())))));
    }
    return arguments;
  }

  /** Parses the arguments. Models that want to give none often write nothing at all. */
  private static JsonNode parsed(ToolCall call) {
    if (call.arguments().isBlank()) {
      return MAPPER.createObjectNode();
    }
    try {
      if (MAPPER.readTree(call.arguments()) instanceof ObjectNode object) {
        return object;
      }
    } catch (JacksonException e) {
      throw new ModelRetryException(
          "The arguments of "
              + call.name()
              + " are no JSON: "
              + e.getOriginalMessage().strip().replaceAll("\\s*\\R\\s*", " ")
              + where(e)
              + ". Write one complete JSON object and call it again.",
          e);
    } catch (NumberFormatException e) {
      throw new ModelRetryException(
          "The arguments of "
              + call.name()
              + " have a number whose exponent is beyond all bounds. Write a smaller one and call"
              + " it again.",
          e);
    }
    throw new ModelRetryException(
        "The arguments of "
            + call.name()
            + " must be a JSON object, as in {\"name\": \"value\"}. Call it again with one.");
  }

  private static String where(JacksonException e) {
    return e.getLocation() == null || e.getLocation().getColumnNr() < 1
        ? ""
        : " (line %s, column %s)"
            .formatted(e.getLocation().getLineNr(), e.getLocation().getColumnNr());
  }

  /**
   * Returns the problems of the arguments. A foreign tool may have an invalid schema: then only its
   * server checks the arguments.
   */
  private List<String> problems(JsonNode arguments) {
    try {
      return new JsonSchema(spec.arguments(), "the arguments").problems(arguments);
    } catch (SchemaException e) {
      log.warn("Tool '{}' has an unusable schema: {}", spec.name(), ErrorLine.of(e));
      return List.of();
    }
  }
}
