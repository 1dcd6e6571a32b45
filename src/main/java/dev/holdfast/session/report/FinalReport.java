package dev.holdfast.session.report;

import java.util.Locale;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * The final report of a session; it becomes the ticket's result.
 *
 * @param content the report in words; null where there is data
 * @param data what the design's report schema asks for; null where there is content
 * @param enqueue the tickets that it adds, as {@code add_tickets_of_job} takes them; null for none
 */
public record FinalReport(
    Status status, @Nullable String content, @Nullable JsonNode data, @Nullable String enqueue) {
  /** A report that adds no tickets. */
  public FinalReport(Status status, @Nullable String content, @Nullable JsonNode data) {
    this(status, content, data, null);
  }

  /** The agent's word on whether it did what it was asked to. */
  public enum Status {
    SUCCESS,
    FAILURE,
    /** It asks a person, in its content; the data has choices or a schema, if any. */
    QUESTION;

    /** The status as in the report and in metrics. */
    public String wireName() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  FinalReport adding(@Nullable String tickets) {
    return new FinalReport(status, content, data, tickets);
  }

  public static FinalReport failure(String content) {
    return new FinalReport(Status.FAILURE, content, null);
  }

  /** {@code {"status": ..., "content" or "data": ...}}. */
  public ObjectNode toJson() {
    ObjectNode json = JsonNodeFactory.instance.objectNode().put("status", status.wireName());
    if (content != null) {
      json.put("content", content);
    }
    if (data != null) {
      json.set("data", data);
    }
    return json;
  }
}
