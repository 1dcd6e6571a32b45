package dev.holdfast.web.console.view;

import dev.holdfast.schema.Question;
import dev.holdfast.ticket.InvalidInputException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * The question of a job as a form: a button for each choice, an input for each property of a plain
 * schema, otherwise a text area.
 *
 * @param fields empty where the schema is not plain, or there is none
 */
public record QuestionForm(Question question, List<Field> fields) {
  private static final Set<String> PLAIN = Set.of("string", "integer", "number", "boolean");

  /**
   * One property.
   *
   * @param type string, integer, number or boolean
   * @param options the only values, as people write them; empty if there are others
   */
  public record Field(
      String name, String label, String type, List<String> options, boolean required) {}

  public QuestionForm {
    fields = List.copyOf(fields);
  }

  public static QuestionForm of(Question question) {
    JsonNode schema = question.schema();
    return new QuestionForm(question, schema == null ? List.of() : fields(schema));
  }

  /** Returns the fields; empty if a property takes more than a plain value. */
  private static List<Field> fields(JsonNode schema) {
    List<Field> fields = new ArrayList<>();
    Set<String> required = new HashSet<>();
    schema.path("required").forEach(each -> required.add(each.asString("")));
    for (Map.Entry<String, JsonNode> each : schema.path("properties").properties()) {
      JsonNode property = each.getValue();
      String type = property.path("type").asString("");
      if (!PLAIN.contains(type)) {
        return List.of();
      }
      List<String> options = new ArrayList<>();
      property.path("enum").forEach(value -> options.add(Question.text(value)));
      String name = each.getKey();
      String label = property.path("title").asString(property.path("description").asString(name));
      fields.add(new Field(name, label, type, options, required.contains(name)));
    }
    return fields;
  }

  /**
   * Returns the answer that was sent, as JSON.
   *
   * @param sent the form's values by name; null where one was not sent
   * @throws InvalidInputException if nothing was sent
   */
  public JsonNode answer(Function<String, @Nullable String> sent) {
    if (!question.choices().isEmpty()) {
      String choice = sent.apply("choice");
      if (choice == null
          || !choice.matches("[0-9]{1,3}")
          || Integer.parseInt(choice) >= question.choices().size()) {
        throw new InvalidInputException("choose an answer");
      }
      return question.choices().get(Integer.parseInt(choice));
    }
    if (fields.isEmpty()) {
      String text = sent.apply("answer");
      return question.answer(text == null ? "" : text.replace("\r\n", "\n").strip());
    }
    ObjectNode answer = JsonNodeFactory.instance.objectNode();
    for (Field field : fields) {
      String value = sent.apply("field-" + field.name());
      if (field.type().equals("boolean")) {
        answer.put(field.name(), value != null);
      } else if (value != null && !value.isEmpty()) {
        answer.set(field.name(), typed(field, value));
      }
    }
    return answer;
  }

  private static JsonNode typed(Field field, String value) {
    return field.type().equals("string")
        ? JsonNodeFactory.instance.stringNode(value.replace("\r\n", "\n"))
        : Question.json(value);
  }
}
