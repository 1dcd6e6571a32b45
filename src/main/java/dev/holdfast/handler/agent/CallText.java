package dev.holdfast.handler.agent;

import dev.holdfast.failure.Sha256;
import dev.holdfast.llm.ToolCall;
import java.util.Set;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.cfg.JsonNodeFeature;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** A tool call as a text that is always the same for the same call: what an approval binds. */
final class CallText {
  private static final String FREE = "*";
  private static final JsonMapper MAPPER =
      JsonMapper.builder()
          .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
          .enable(JsonNodeFeature.WRITE_PROPERTIES_SORTED)
          .build();

  private CallText() {}

  /** The arguments with sorted keys, in characters that can be stored. */
  static String arguments(ToolCall call) {
    return storable(MAPPER.writeValueAsString(MAPPER.readTree(call.arguments())));
  }

  /**
   * Equal for the calls that a remembered approval covers: the same tool, the same keys, and the
   * same values but for those of the free arguments.
   */
  static String shape(ToolCall call, Set<String> free) {
    JsonNode arguments = MAPPER.readTree(call.arguments());
    if (arguments instanceof ObjectNode object) {
      free.stream().filter(object::has).forEach(name -> object.put(name, FREE));
    }
    return call.name() + " " + storable(MAPPER.writeValueAsString(arguments));
  }

  /** As the SQL function call_hash. */
  static String hash(String tool, String arguments) {
    return Sha256.hex(tool + "\n" + arguments);
  }

  /** Half a surrogate pair is escaped, as JSON allows; NUL is already. */
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
