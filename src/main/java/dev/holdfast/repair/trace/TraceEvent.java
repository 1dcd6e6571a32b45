package dev.holdfast.repair.trace;

import tools.jackson.databind.JsonNode;

/**
 * An event as it was traced, by any version.
 *
 * @param run which run it is of
 * @param ticketId 0 where it is not known
 * @param at ISO 8601; "" where it is not known
 */
public record TraceEvent(String run, long ticketId, String at, String type, JsonNode payload) {
  /**
   * @param run where the line does not say
   */
  static TraceEvent of(JsonNode line, String run) {
    return new TraceEvent(
        line.path("run").asString(run),
        line.path("ticket").asLong(0),
        line.path("at").asString(""),
        line.path("type").asString(""),
        line.path("payload"));
  }

  /**
   * True for a request that was sent. Earlier versions did not say whether it was, and counted
   * each.
   */
  boolean isSentRequest() {
    return type.equals("ProviderRequestFinished") && payload.path("sent").asBoolean(true);
  }

  int number(String key) {
    return payload.path(key).asInt(0);
  }

  boolean flag(String key) {
    return payload.path(key).asBoolean(false);
  }

  String text(String key) {
    return payload.path(key).asString("");
  }
}
