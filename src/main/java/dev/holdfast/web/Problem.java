package dev.holdfast.web;

import io.javalin.http.Context;
import java.util.Map;

/** An error as RFC 9457 has it; the detail names the next step where there is one. */
record Problem(int status, String title, String detail) {
  void answer(Context context) {
    context
        .status(status)
        .contentType("application/problem+json")
        .result(
            Bodies.json(
                Map.of("type", "about:blank", "title", title, "status", status, "detail", detail)));
  }
}
