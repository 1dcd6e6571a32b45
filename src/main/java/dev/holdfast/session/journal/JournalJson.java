package dev.holdfast.session.journal;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import dev.holdfast.llm.Message;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * Journal entries as JSON, for journals that are stored. An object says what it is in its key
 * {@code entry}; unknown keys are ignored, so that an older worker reads what a newer one wrote.
 * Thread-safe.
 */
public final class JournalJson {
  private static final JsonMapper MAPPER =
      JsonMapper.builder()
          .addMixIn(JournalEntry.class, Entry.class)
          .addMixIn(Message.class, AnyMessage.class)
          .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
          .enable(
              DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES,
              DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
          .changeDefaultPropertyInclusion(
              value -> value.withValueInclusion(JsonInclude.Include.NON_NULL))
          .build();

  @JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "entry")
  @JsonSubTypes({
    @JsonSubTypes.Type(value = JournalEntry.Said.class, name = "said"),
    @JsonSubTypes.Type(value = JournalEntry.Answered.class, name = "answered"),
    @JsonSubTypes.Type(value = JournalEntry.Discarded.class, name = "discarded"),
    @JsonSubTypes.Type(value = JournalEntry.TurnFailed.class, name = "turn_failed"),
    @JsonSubTypes.Type(value = JournalEntry.ToolStarted.class, name = "tool_started"),
    @JsonSubTypes.Type(value = JournalEntry.ToolFinished.class, name = "tool_finished"),
    @JsonSubTypes.Type(value = JournalEntry.Compacted.class, name = "compacted"),
    @JsonSubTypes.Type(value = JournalEntry.Ended.class, name = "ended"),
    @JsonSubTypes.Type(value = JournalEntry.StepFinished.class, name = "step_finished")
  })
  private interface Entry {}

  @JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "role")
  @JsonSubTypes({
    @JsonSubTypes.Type(value = Message.User.class, name = "user"),
    @JsonSubTypes.Type(value = Message.Assistant.class, name = "assistant"),
    @JsonSubTypes.Type(value = Message.ToolResult.class, name = "tool")
  })
  private interface AnyMessage {}

  private JournalJson() {}

  public static String write(JournalEntry entry) {
    return MAPPER.writerFor(JournalEntry.class).writeValueAsString(entry);
  }

  /**
   * @throws tools.jackson.core.JacksonException where it is no entry
   */
  public static JournalEntry read(String json) {
    return MAPPER.readValue(json, JournalEntry.class);
  }
}
