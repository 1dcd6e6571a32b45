package dev.holdfast.web.console.view;

import dev.holdfast.queue.read.TimelineEntry;
import java.time.Instant;
import java.util.Map;
import java.util.StringJoiner;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Something that happened to a ticket.
 *
 * @param details in words; "" for none
 */
public record TimelineLine(Instant at, String event, String actor, String details) {
  private static final int LONGEST = 400;
  private static final JsonMapper MAPPER = JsonMapper.builder().build();

  public static TimelineLine of(TimelineEntry entry) {
    return new TimelineLine(
        entry.at(),
        entry.event(),
        entry.actor() == null ? "" : entry.actor(),
        entry.details() == null ? "" : words(entry.details()));
  }

  private static String words(String json) {
    try {
      JsonNode node = MAPPER.readTree(json);
      StringJoiner words = new StringJoiner(" · ");
      for (Map.Entry<String, JsonNode> field : node.properties()) {
        JsonNode value = field.getValue();
        String text = value.isValueNode() ? value.asString() : value.toString();
        if (!text.isBlank()) {
          words.add(name(field.getKey()) + ": " + Format.cut(text.strip(), LONGEST));
        }
      }
      return words.toString();
    } catch (JacksonException e) {
      return Format.cut(json, LONGEST);
    }
  }

  /** {@code lease no} for {@code leaseNo}. */
  private static String name(String key) {
    return Format.words(key.replaceAll("(?<=[a-z])(?=[A-Z])", " "))
        .toLowerCase(java.util.Locale.ROOT);
  }
}
