package dev.holdfast.session.report;

import dev.holdfast.llm.ToolSpec;
import dev.holdfast.schema.Enqueues;
import dev.holdfast.schema.JsonDepth;
import dev.holdfast.schema.JsonSchema;
import dev.holdfast.schema.Question;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** The rules for a final report, and the tool that takes it. Thread-safe. */
public final class ReportRules {
  public static final String TOOL = "agent__final_report";
  private static final int PROBLEMS_SHOWN = 5;

  /**
   * The deepest nesting of data. It is below the limit of JSON's readers and writers (500), because
   * the journal holds the data inside other values.
   */
  private static final int DEEPEST = 400;

  private final @Nullable JsonNode document;
  private final @Nullable JsonSchema schema;
  private final Enqueues enqueues;

  /**
   * @param document the design's report schema, for {@code data}; null for reports with content
   * @param enqueues which tickets a success may add
   */
  public ReportRules(@Nullable JsonNode document, Enqueues enqueues) {
    this.document = document;
    this.enqueues = enqueues;
    this.schema = document == null ? null : new JsonSchema(document, "data");
  }

  /** The result of {@link #check}: a report, or its problems. */
  public record Checked(Optional<FinalReport> report, String problem) {}

  /** Checks a report; called before anything of it is kept (B9). */
  public Checked check(JsonNode arguments) {
    String status = arguments.path("status").asString("");
    if (status.equals("question")) {
      return asked(arguments);
    }
    if (!status.equals("success") && !status.equals("failure")) {
      return wrong("\"status\" must be \"success\", \"failure\" or \"question\"");
    }
    if (JsonDepth.isDeeper(arguments.path("data"), DEEPEST)) {
      return wrong("\"data\" is nested deeper than " + DEEPEST + " levels");
    }
    Checked checked = checked(status, arguments);
    return status.equals("success") ? withTickets(checked, arguments) : checked;
  }

  private Checked checked(String status, JsonNode arguments) {
    if (status.equals("success") && schema != null) {
      return withData(schema, arguments.get("data"));
    }
    JsonNode content = arguments.get("content");
    if (content != null && content.isString() && !content.stringValue().isBlank()) {
      // PostgreSQL stores no NUL.
      if (content.stringValue().indexOf('\0') >= 0) {
        return wrong("\"content\" contains a NUL character: leave it out");
      }
      return right(ofWireName(status), content.stringValue(), null);
    }
    if (schema != null && arguments.hasNonNull("data")) {
      return right(FinalReport.Status.FAILURE, null, arguments.get("data"));
    }
    return wrong("\"content\" must be a text that is not blank");
  }

  private Checked withTickets(Checked checked, JsonNode arguments) {
    if (enqueues.allowed().isEmpty() || checked.report().isEmpty()) {
      return checked;
    }
    try {
      String tickets = enqueues.steps(arguments.get("enqueue"));
      return new Checked(checked.report().map(each -> each.adding(tickets)), "");
    } catch (IllegalArgumentException e) {
      return wrong(String.valueOf(e.getMessage()));
    }
  }

  private static Checked asked(JsonNode arguments) {
    ObjectNode question = JsonNodeFactory.instance.objectNode();
    question.put("ask", arguments.path("content").asString("").replace("\0", ""));
    for (String field : List.of("choices", "schema")) {
      if (arguments.hasNonNull(field)) {
        question.set(field, arguments.get(field));
      }
    }
    try {
      Question checked = Question.of(question);
      return right(FinalReport.Status.QUESTION, checked.ask(), question);
    } catch (IllegalArgumentException e) {
      return wrong(String.valueOf(e.getMessage()));
    }
  }

  private static Checked withData(JsonSchema schema, @Nullable JsonNode data) {
    if (data == null) {
      return wrong("\"data\" is missing");
    }
    List<String> problems = schema.problemsOrRefusal(data);
    return problems.isEmpty()
        ? right(FinalReport.Status.SUCCESS, null, data)
        : wrong(String.join("; ", problems.stream().limit(PROBLEMS_SHOWN).toList()));
  }

  private static FinalReport.Status ofWireName(String status) {
    return status.equals("success") ? FinalReport.Status.SUCCESS : FinalReport.Status.FAILURE;
  }

  private static Checked right(
      FinalReport.Status status, @Nullable String content, @Nullable JsonNode data) {
    return new Checked(Optional.of(new FinalReport(status, content, data)), "");
  }

  private static Checked wrong(String problem) {
    return new Checked(Optional.empty(), problem);
  }

  /** The description of the tool for the model. */
  public ToolSpec spec() {
    ObjectNode properties = JsonNodeFactory.instance.objectNode();
    properties
        .putObject("status")
        .put("type", "string")
        .put(
            "description",
            "Whether the task is done. With question, a person answers what stands in content, and"
                + " you go on: only where nobody else can know.")
        .putArray("enum")
        .add("success")
        .add("failure")
        .add("question");
    properties
        .putObject("content")
        .put("type", "string")
        .put(
            "description",
            document == null
                ? "What you found and did."
                : "Why the task could not be done; only with failure or question.");
    properties
        .putObject("choices")
        .put("type", "array")
        .put("description", "With question: the answers to choose from, if they are few.")
        .putObject("items")
        .put("type", "string");
    if (document != null) {
      properties.set("data", SchemaWithin.of(document));
    }
    if (!enqueues.allowed().isEmpty()) {
      properties.set("enqueue", enqueues.asSchema());
    }
    ObjectNode arguments = JsonNodeFactory.instance.objectNode().put("type", "object");
    arguments.set("properties", properties);
    arguments.putArray("required").add("status");
    return new ToolSpec(
        TOOL,
        "Ends the task with its result. Call it alone, once, when there is nothing left to do.",
        arguments);
  }
}
