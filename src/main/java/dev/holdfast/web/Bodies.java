package dev.holdfast.web;

import tools.jackson.databind.json.JsonMapper;

/** Response bodies as JSON. */
final class Bodies {
  private static final JsonMapper MAPPER = JsonMapper.builder().build();

  private Bodies() {}

  static String json(Object value) {
    return MAPPER.writeValueAsString(value);
  }
}
