package dev.holdfast.llm.openai;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.deser.std.JsonNodeDeserializer;
import com.fasterxml.jackson.databind.introspect.JacksonAnnotationIntrospector;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.module.SimpleModule;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.openai.core.ObjectMappers;
import dev.holdfast.llm.wire.JsonTree;
import java.io.IOException;

/**
 * The SDK's JSON mapper. It drops an empty {@code error} from a chunk: the SDK ends a stream at any
 * {@code error}, and some servers send {@code "error": null} with each chunk. It uses Jackson's
 * annotations alone: they describe the SDK's classes completely, and asking Kotlin too takes a
 * quarter of a process's first call.
 */
final class ChunkJson extends JsonNodeDeserializer {
  static final JsonMapper MAPPER =
      ObjectMappers.jsonMapper()
          .rebuild()
          .annotationIntrospector(new JacksonAnnotationIntrospector())
          .addModule(new SimpleModule("chunks").addDeserializer(JsonNode.class, new ChunkJson()))
          .build();

  private static final String ERROR = "error";

  private ChunkJson() {}

  @Override
  public JsonNode deserialize(JsonParser parser, DeserializationContext context)
      throws IOException {
    JsonNode node = super.deserialize(parser, context);
    if (node instanceof ObjectNode chunk
        && chunk.has(ERROR)
        && !JsonTree.isError(chunk.toString())) {
      chunk.remove(ERROR);
    }
    return node;
  }
}
