package dev.holdfast.handler.agent;

import dev.holdfast.failure.Sha256;
import dev.holdfast.llm.ToolCall;
import java.util.Set;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.cfg.JsonNodeFeature;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * Makes a text of a tool call that is always the same for the same call. An approval is bound to
 * it.
 */
final class CallText {
  private static final String FREE = "*";
  private static final JsonMapper MAPPER =
      JsonMapper.builder()
          .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
          .enable(JsonNodeFeature.WRITE_PROPERTIES_SORTED)
          .build();

  private CallText() {}

  /** Returns the arguments with sorted keys, in characters that can be stored. */
  static String arguments(ToolCall call) {
    return storable(MAPPER.writeValueAsString(MAPPER.readTree(call.arguments())));
  }

  /**
   * Returns a text that is equal for the calls that a remembered approval covers. They have the
   * same tool, the same keys, and the same values except those of the free arguments.
   */
  static String shape(ToolCall call, Set<String> free) {
    JsonNode arguments = MAPPER.readTree(call.arguments());
    if (arguments instanceof ObjectNode object) {
      free.stream().filter(object::has).forEach(name -> object.put(name, FREE));
    }
    return call.name() + " " + storable(MAPPER.writeValueAsString(arguments));
  }

  /** Returns the same hash as the SQL function call_hash. */
  static String hash(String tool, String arguments) {
    return Sha256.hex(tool + "\n" + arguments);
  }

  /** Escapes half a surrogate pair, as JSON allows; NUL is escaped already. */
  private static String storable(String json) {
    StringBuilder text = new StringBuilder(json.length());
    json.codePoints()
        .forEach(
            each -> {
              if (each >= Character.MIN_SURROGATE && each <= Character.MAX_SURROGATE) {
                text.append("\\u").append(Integer.toHexString(each));
              } else {
                text.appendCodePoint(each);
              }
            });
    return text.toString();
  }
}
