package dev.holdfast.web;

import io.javalin.http.Context;

/** Reads what is in a request, and says what is wrong with it. */
final class Requests {
  private Requests() {}

  /** The ticket in the path. */
  static long id(Context context) {
    return id(context.pathParam("id"));
  }

  static long id(String text) {
    // Long.parseLong takes a sign and the digits of other scripts.
    if (text.matches("[0-9]{1,19}")) {
      try {
        return Long.parseLong(text);
      } catch (NumberFormatException e) {
        throw Refused.badRequest("a ticket's id is a whole number below 2^63");
      }
    }
    throw Refused.badRequest("a ticket's id is a whole number");
  }
}
