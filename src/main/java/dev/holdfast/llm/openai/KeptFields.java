package dev.holdfast.llm.openai;

import dev.holdfast.llm.Message;
import dev.holdfast.llm.wire.JsonTree;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The fields that servers of thinking models want back with an answer, as {@link
 * Message.Assistant#opaque}: {@code {"gemini": {"reasoning_content": "hm", "calls": {"call_1":
 * {...}}}}} with the provider's name, the reasoning, and the extra content of a call. DeepSeek
 * refuses a conversation whose answers with calls lack the reasoning; some of its models also
 * refuse one whose other answers have it. Gemini refuses calls without the extra content, and
 * through OpenRouter calls without the {@code reasoning_details} that came with them. No server
 * wants reasoning in other fields back, and some refuse it.
 */
final class KeptFields {
  static final String REASONING = "reasoning_content";
  static final String EXTRA = "extra_content";
  static final String DETAILS = "reasoning_details";

  private static final String CALLS = "calls";
  private static final String GOOGLE = "google";
  private static final String SIGNATURE = "thought_signature";

  /** Google's word for a call that has no signature, because another model made it. */
  private static final String NO_SIGNATURE = "skip_thought_signature_validator";

  private static final String LEFT_OUT = "(left out)";

  private final String provider;
  private final boolean reasoned;
  private final boolean signed;

  /**
   * @param messages the whole conversation: where this provider has thought in it, every answer
   *     with calls needs a thought, even one of another provider or one that was shortened
   * @param server Google's needs a mark on calls of other models even before it has made one itself
   */
  KeptFields(String provider, Server server, List<Message> messages) {
    this.provider = provider;
    List<JsonNode> own =
        messages.stream()
            .filter(Message.Assistant.class::isInstance)
            .map(each -> of((Message.Assistant) each))
            .toList();
    this.reasoned = own.stream().anyMatch(kept -> kept.has(REASONING));
    this.signed =
        server == Server.GOOGLE
            || own.stream().anyMatch(kept -> !kept.path(CALLS).findValues(SIGNATURE).isEmpty());
  }

  /**
   * @param reasoning empty where none is wanted back
   * @param extras by the ids of their calls
   * @param details null or empty where there are none
   * @return null where nothing is wanted back
   */
  static @Nullable String opaque(
      String provider, String reasoning, ObjectNode extras, @Nullable ArrayNode details) {
    boolean detailed = details != null && !details.isEmpty();
    if (reasoning.isEmpty() && extras.isEmpty() && !detailed) {
      return null;
    }
    ObjectNode root = JsonMapper.shared().createObjectNode();
    ObjectNode kept = root.putObject(provider);
    if (!reasoning.isEmpty()) {
      kept.put(REASONING, reasoning);
    }
    if (!extras.isEmpty()) {
      kept.set(CALLS, extras);
    }
    if (detailed) {
      kept.set(DETAILS, details);
    }
    return root.toString();
  }

  private JsonNode of(Message.Assistant answer) {
    return answer.opaque() == null
        ? JsonMapper.shared().missingNode()
        : JsonTree.parse(answer.opaque()).path(provider);
  }

  /**
   * @param written the answer with its calls
   */
  void write(Message.Assistant answer, ObjectNode written) {
    if (answer.toolCalls().isEmpty()) {
      return;
    }
    JsonNode kept = of(answer);
    if (reasoned) {
      written.put(REASONING, kept.path(REASONING).asString(LEFT_OUT));
    }
    if (kept.has(DETAILS)) {
      written.set(DETAILS, kept.path(DETAILS));
    }
    extras(kept.path(CALLS), written.path("tool_calls"));
  }

  private void extras(JsonNode extras, JsonNode calls) {
    boolean kept = false;
    for (JsonNode call : calls) {
      JsonNode extra = extras.path(call.path("id").asString(""));
      if (extra.isObject()) {
        ((ObjectNode) call).set(EXTRA, extra);
        kept = true;
      }
    }
    // Only the first of several calls made together is signed, and that one may have been dropped.
    if (signed && !kept) {
      ObjectNode first = (ObjectNode) calls.path(0);
      first.putObject(EXTRA).putObject(GOOGLE).put(SIGNATURE, NO_SIGNATURE);
    }
  }
}
