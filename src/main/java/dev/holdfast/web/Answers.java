package dev.holdfast.web;

import io.javalin.http.Context;
import org.jspecify.annotations.Nullable;

/** Sends an answer. */
final class Answers {
  private Answers() {}

  static void json(Context context, int status, @Nullable Object body) {
    context.status(status).contentType("application/json").result(Bodies.json(body));
  }
}
