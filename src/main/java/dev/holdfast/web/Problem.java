package dev.holdfast.web;

import io.javalin.http.Context;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/**
 * An error as RFC 9457 describes it.
 *
 * @param status the status of HTTP
 * @param title its reason phrase
 * @param detail what is wrong and the next step; nothing about the server's internals
 */
public record Problem(int status, String title, String detail) {
  static final String MEDIA_TYPE = "application/problem+json";

  private static final Map<Integer, String> TITLES =
      Map.ofEntries(
          Map.entry(400, "Bad Request"),
          Map.entry(401, "Unauthorized"),
          Map.entry(403, "Forbidden"),
          Map.entry(404, "Not Found"),
          Map.entry(405, "Method Not Allowed"),
          Map.entry(406, "Not Acceptable"),
          Map.entry(409, "Conflict"),
          Map.entry(412, "Precondition Failed"),
          Map.entry(413, "Content Too Large"),
          Map.entry(415, "Unsupported Media Type"),
          Map.entry(422, "Unprocessable Content"),
          Map.entry(429, "Too Many Requests"),
          Map.entry(500, "Internal Server Error"),
          Map.entry(503, "Service Unavailable"));

  static Problem of(int status, String detail) {
    return new Problem(status, TITLES.getOrDefault(status, "Error"), detail);
  }

  /**
   * Answers in bytes: a text would be sent in the character set that HTTP has for unknown media
   * types.
   */
  void answer(Context context) {
    byte[] body = Bodies.json(document()).getBytes(StandardCharsets.UTF_8);
    context.status(status).contentType(MEDIA_TYPE).result(body);
  }

  Map<String, Object> document() {
    return Map.of("type", "about:blank", "title", title, "status", status, "detail", detail);
  }
}
