package dev.holdfast.schema;

import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** JSON whose numbers keep their digits: read as doubles they are rounded, and 1e400 is a text. */
public final class ExactJson {
  public static final JsonMapper MAPPER =
      JsonMapper.builder().enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS).build();

  private ExactJson() {}
}
