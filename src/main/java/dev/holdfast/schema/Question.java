package dev.holdfast.schema;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * A job's question to a person. The answer is one of the choices, or fits the schema, or is a text
 * where there is neither. Only a question with a schema needs the library of schemas.
 *
 * @param ask the question, at most 10,000 characters
 * @param choices JSON values, at most 100; empty if there are none
 * @param schema a JSON schema of the answer; null if there is none
 */
public record Question(String ask, List<JsonNode> choices, @Nullable JsonNode schema) {
  private static final Set<String> FIELDS = Set.of("ask", "choices", "schema");
  private static final int LONGEST_ASK = 10_000;
  private static final int MOST_CHOICES = 100;
  private static final int LONGEST_CHOICE = 1_000;
  private static final int LONGEST_SCHEMA = 64 * 1024;
  private static final int PROBLEMS = 5;

  private static final JsonMapper MAPPER =
      JsonMapper.builder()
          .enable(
              DeserializationFeature.FAIL_ON_TRAILING_TOKENS,
              DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
          .build();

  /**
   * @throws IllegalArgumentException if the question cannot be asked; the message says why
   */
  public Question {
    choices = List.copyOf(choices);
    if (ask.isBlank() || ask.length() > LONGEST_ASK) {
      throw refused("\"ask\" must have 1 to " + LONGEST_ASK + " characters");
    }
    if (choices.size() > MOST_CHOICES) {
      throw refused("there are " + choices.size() + " choices; at most " + MOST_CHOICES);
    }
    if (choices.stream().anyMatch(each -> each.toString().length() > LONGEST_CHOICE)) {
      throw refused("a choice may have at most " + LONGEST_CHOICE + " characters");
    }
    if (schema != null) {
      check(schema, choices);
    }
  }

  private static void check(JsonNode schema, List<JsonNode> choices) {
    if (!choices.isEmpty()) {
      throw refused("it has \"choices\" and a \"schema\"; leave one of them out");
    }
    if (schema.toString().length() > LONGEST_SCHEMA) {
      throw refused("\"schema\" may have at most " + LONGEST_SCHEMA + " characters");
    }
    if (!schema.isObject()) {
      throw refused("\"schema\" must be a JSON schema: an object");
    }
    String problem = JsonSchema.problemOf(schema);
    if (!problem.isEmpty()) {
      throw refused("\"schema\" is no JSON schema: " + problem);
    }
  }

  private static IllegalArgumentException refused(String why) {
    return new IllegalArgumentException("the question cannot be asked: " + why);
  }

  /** Makes a question that any text answers. */
  public static Question of(String ask) {
    return new Question(ask, List.of(), null);
  }

  /** Makes a question that one of these texts answers. */
  public static Question of(String ask, List<String> choices) {
    return new Question(
        ask,
        choices.stream().map(each -> (JsonNode) JsonNodeFactory.instance.stringNode(each)).toList(),
        null);
  }

  /**
   * Returns true if an object is meant as a question: it has a text "ask", and only fields that
   * questions have.
   */
  public static boolean isMeant(JsonNode object) {
    return object.path("ask").isString() && FIELDS.containsAll(object.propertyNames());
  }

  /**
   * Reads {@code {"ask": …, "choices": …, "schema": …}}.
   *
   * @throws IllegalArgumentException if the question cannot be asked; the message says why
   */
  public static Question of(JsonNode object) {
    JsonNode choices = object.path("choices");
    boolean none = choices.isMissingNode() || choices.isNull();
    if (!none && (!choices.isArray() || choices.isEmpty())) {
      throw refused("\"choices\" must be a list with at least one value");
    }
    List<JsonNode> values = new ArrayList<>();
    choices.forEach(values::add);
    JsonNode schema = object.hasNonNull("schema") ? object.get("schema") : null;
    return new Question(object.path("ask").asString(""), values, schema);
  }

  /** Reads what {@link #toJson} has written. */
  public static Question parse(String json) {
    return of(MAPPER.readTree(json));
  }

  /** Returns the question as it stands in the document of a job. */
  public ObjectNode toJson() {
    ObjectNode json = JsonNodeFactory.instance.objectNode().put("ask", ask);
    if (!choices.isEmpty()) {
      json.putArray("choices").addAll(choices);
    }
    if (schema != null) {
      json.set("schema", schema);
    }
    return json;
  }

  /**
   * Returns the answer that a person means with a text: the choice of this name; JSON where the
   * schema wants something other than a text; otherwise the text itself.
   */
  public JsonNode answer(String text) {
    JsonNode words = JsonNodeFactory.instance.stringNode(text);
    if (choices.contains(words) || (choices.isEmpty() && schema == null) || wantsText()) {
      return words;
    }
    return json(text);
  }

  /**
   * Returns the answer that a person means with a text, as JSON.
   *
   * @param question as {@link #toJson} has written it; for a ticket that asks nothing, whose answer
   *     nobody takes, the answer is the text itself
   */
  public static String answer(Optional<String> question, String text) {
    return question
        .map(json -> parse(json).answer(text))
        .orElseGet(() -> JsonNodeFactory.instance.stringNode(text))
        .toString();
  }

  /** Returns the JSON value of a text; the text itself where it is not JSON. */
  public static JsonNode json(String text) {
    try {
      JsonNode read = MAPPER.readTree(text);
      return read.isMissingNode() ? JsonNodeFactory.instance.stringNode(text) : read;
    } catch (JacksonException e) {
      return JsonNodeFactory.instance.stringNode(text);
    }
  }

  private boolean wantsText() {
    return schema != null && schema.path("type").asString("").equals("string");
  }

  /**
   * Returns why a text is no JSON that fits the schema; empty if it fits, or there is no schema.
   */
  public String problem(String answer) {
    if (schema == null) {
      return "";
    }
    try {
      List<String> problems =
          new JsonSchema(schema, "the answer").problemsOrRefusal(MAPPER.readTree(answer));
      return String.join("; ", problems.subList(0, Math.min(PROBLEMS, problems.size())));
    } catch (JacksonException e) {
      return "the answer is not JSON: " + UnreadableJson.reason(e);
    }
  }

  /** Returns the choices as people write them: texts without quotes. */
  public List<String> choiceTexts() {
    return choices.stream().map(Question::text).toList();
  }

  /** Returns a JSON value as people write it: a text without quotes. */
  public static String text(JsonNode value) {
    return value.isString() ? value.stringValue() : value.toString();
  }
}
